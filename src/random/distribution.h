/* The table of distributions: from the shape of a matrix to the law of its numbers. */
#ifndef SELFATTN_RANDOM_DISTRIBUTION_H
#define SELFATTN_RANDOM_DISTRIBUTION_H

#include "random/generator.h"

/* What a distribution may be told; each that it takes has a default. */
typedef enum knob { KNOB_LOW, KNOB_HIGH, KNOB_MEAN, KNOB_STD, KNOB_GAIN, KNOB_VALUE } knob;
enum { KNOBS = KNOB_VALUE + 1 };

typedef struct knobs {
    bool is_set[KNOBS];
    double value[KNOBS];
    bool by_fan_out; /* kaiming: what is kept is the variance of the gradients */
} knobs;

/* How many numbers of a row go into one of the result, and how many it goes into. */
typedef struct fan {
    size_t in, out;
} fan;

typedef struct distribution {
    named named;
    unsigned takes;   /* 1 << knob, each */
    bool takes_fan;   /* by_fan_out */
    const char *rows; /* the distribution of input rows, which have no fan; NULL: this one */
    const char *bias; /* the distribution of biases; NULL: this one */
    law (*law_of)(const fan *of, const knobs *k);
} distribution;

extern const named_table DISTRIBUTIONS;

#endif
