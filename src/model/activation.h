/* What is done to the hidden numbers of a feed-forward layer; a new one is a kernel and a row. */
#ifndef SELFATTN_MODEL_ACTIVATION_H
#define SELFATTN_MODEL_ACTIVATION_H

#include "kernels/kernels.h"

typedef struct activation {
    named named;         /* its help is its formula */
    const char *spelled; /* of a number (attn/spec/operation.h) */
    void (*apply)(const kernels *with, const void *x, size_t n, void *out);
} activation;

extern const named_table ACTIVATIONS; /* relu first: it is the default */

#endif
