/* The conventions by which the names of a layer are given, where it is known where layers are. */
#ifndef SELFATTN_WEIGHTS_LAYER_FIT_H
#define SELFATTN_WEIGHTS_LAYER_FIT_H

#include "weights/layer_lookup.h"

/* How much of its attention a layer must have to be known. */
typedef enum fit_need {
    FIT_WEIGHTS, /* two of its weights, and something beside it */
    FIT_ANY      /* one of them, and two things beside it: what is missing is to be named */
} fit_need;

/* Sets s->by, s->attention and s->cross to those of most names in the layer; false: none fits. */
bool layer_fit_choose(layer_search *s, size_t layer, fit_need need);

#endif
