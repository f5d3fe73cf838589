/* Two results, or a result and what was expected, compared stage by stage in the order of the
 * pipeline. */
#ifndef SELFATTN_ATTN_ENGINE_COMPARE_H
#define SELFATTN_ATTN_ENGINE_COMPARE_H

#include "attn/spec/stage.h"
#include "tensor/bundle.h"

/* One element of one stage, and how far it is off. */
typedef struct element {
    const char *stage;
    const char *axes; /* of the stage, for the element's name; NULL: by rank */
    int rank;
    size_t index[TENSOR_MAX_RANK];
    const size_t *rows; /* the numbers of its queries, of which some were chosen; or NULL */
    double wanted, got, tol;
    bool is_f32; /* both numbers are; else float64 */
} element;

/* Says whether an element that differs is known (an erratum); NULL: none is. */
typedef struct known_elements {
    bool (*is_known)(void *context, const element *one);
    void *context;
} known_elements;

typedef struct comparison {
    const size_t *rows;            /* as an element has them */
    bool holes_differ;             /* a hole was to be a number; else it is left out */
    size_t stages, numbers, known; /* compared; known: that differ and are known */
    size_t different;
    bool has_wrong_line; /* several numbers along an axis, of which none is right */
    element first;       /* the first that differs, where any does */
} comparison;

/* Compares one stage's matrices: |got − wanted| ≤ tol, infinities equal to themselves, NaN to
 * nothing. The shapes are checked: false with the error set where they differ by
 * more than leading axes of 1. */
bool compare_stage(comparison *c, const char *name, const entry *wanted, const entry *got,
                   double tol, const known_elements *known, err *e);

/* The error of such a stage, for who knows its sizes before its numbers. Returns false. */
bool compare_refuse_shape(const char *name, const entry *wanted, const tensor *got, err *e);

/* "weights[head 1, query 2, key 3]"; a number has no brackets. */
void element_write_name(const element *one, text *out);
/* "head 1, query 2": the first `count` of its indices. */
void element_write_indices(const element *one, int count, text *out);

#endif
