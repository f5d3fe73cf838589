/* The table of distributions: from the shape of a matrix to the law of its numbers. */
#ifndef SELFATTN_RANDOM_DISTRIBUTION_H
#define SELFATTN_RANDOM_DISTRIBUTION_H

#include "random/generator.h"

/* What a distribution may be told. Each that a distribution takes has a default. */
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

/* What a matrix is for. */
typedef enum matrix_role {
    ROLE_ROWS,   /* input rows, which have no fan */
    ROLE_WEIGHT, /* Wq, Wk, Wv */
    ROLE_JOIN,   /* Wo */
    ROLE_BIAS,
    ROLE_JOIN_BIAS
} matrix_role;
enum { ROLES = ROLE_JOIN_BIAS + 1 };

typedef struct distribution {
    named named;
    law law;        /* what it is where nothing is said */
    unsigned takes; /* 1 << knob, each */
    bool takes_fan; /* by_fan_out */
    /* The deviation, in place of bounds or moments; NULL: they are what `law` says, or who asks. */
    double (*deviation)(const fan *of, const knobs *k);
    const char *instead[ROLES]; /* the distribution of such a matrix; NULL: this one */
    const char *first;          /* matrices that are drawn before others, "wo,bo"; or NULL */
} distribution;

extern const named_table DISTRIBUTIONS;

/* Of a matrix with this fan. */
law distribution_law(const distribution *d, const fan *of, const knobs *k);

#endif
