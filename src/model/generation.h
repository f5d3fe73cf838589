/* A decoder that goes on by itself: each token that it chooses is its next input.
 *
 * The logits of a row are its output times the unembedding, a column an id; without one it is what
 * ids or words look up, the embedding or the vocab. The next id is the one of the greatest logit,
 * the first of equals, a NaN being less than any number. With a temperature it is drawn with the
 * probabilities softmax(logits / temperature), in float64, by the project's own generator: the same
 * everywhere; an error where they are none, for a NaN or an infinity. */
#ifndef SELFATTN_MODEL_GENERATION_H
#define SELFATTN_MODEL_GENERATION_H

#include "model/stack.h"

typedef struct generation_settings {
    size_t steps;
    double temperature;   /* 0: the greatest logit */
    const double *number; /* one a step, from 0 up to 1: what is drawn with a temperature */
} generation_settings;

typedef struct generation {
    stack stack;
    generation_settings how;
    unembedding unembedding;
    tensor logits; /* 1 × ids, of the step that was last; owned */
    /* With a temperature, of that step: logits / temperature, and exp(these − the greatest), both
     * 1 × ids in float64; owned. */
    tensor tempered, exponentials;
    double most, total; /* the greatest of the tempered, and the sum of the exponentials */
    /* Stages of each step that are kept until the next: the output, or what is put here before the
     * first step. */
    const text_list *emit;
    bundle made;       /* those; owned */
    bool went_on;      /* the rows of the next step are planned */
    size_t step, next; /* steps that were done, and the id that the last one chose */
    size_t *chosen;    /* those of all steps; owned */
    size_t stop;       /* an id that is the last one; SIZE_MAX: none */
} generation;

/* Reads the stack and what turns its rows into logits. To be freed in any case, and not to be
 * moved. */
bool generation_open(generation *g, const bundle *document, const stack_settings *how,
                     const generation_settings *settings, const isa *by, err *e);
/* Adds to the bytes that computing the prompt takes (stack_memory) what all steps do: the caches at
 * their largest, which lie next to the smaller ones that they are copied from, and room for logits,
 * draws and a tied vocab. */
bool generation_memory_in_all(const generation *g, size_t *bytes, err *e);
/* Plans the rows of the next step: those of the id that was chosen. Nothing where that is done. */
bool generation_go_on(generation *g, err *e);
/* Computes the rows that are new, and chooses the next id. */
bool generation_step(generation *g, crew *by, err *e);
/* The document as if all rows that were computed had been given: of the prompt, and of each id that
 * was chosen but the last. It borrows what is the same. */
bool generation_document(const generation *g, bundle *whole, err *e);
/* All steps were done, or the id of the last one is `stop`. */
bool generation_is_done(const generation *g);
void generation_close(generation *g);

#endif
