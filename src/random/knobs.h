/* What a distribution may be told: bounds, moments, gain. */
#ifndef SELFATTN_RANDOM_KNOBS_H
#define SELFATTN_RANDOM_KNOBS_H

#include <stdbool.h>

/* Each that a distribution takes has a default. */
typedef enum knob { KNOB_LOW, KNOB_HIGH, KNOB_MEAN, KNOB_STD, KNOB_GAIN, KNOB_VALUE } knob;
enum { KNOBS = KNOB_VALUE + 1 };

typedef struct knobs {
    bool is_set[KNOBS];
    double value[KNOBS];
    bool by_fan_out; /* kaiming: what is kept is the variance of the gradients */
} knobs;

#endif
