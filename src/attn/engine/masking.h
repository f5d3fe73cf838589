/* From a row of capped scores to masked ones: bias, ALiBi, and what takes keys out. Columns are
 * those of a block; appended rows, which stand after the keys, are touched by none of it. */
#ifndef SELFATTN_ATTN_ENGINE_MASKING_H
#define SELFATTN_ATTN_ENGINE_MASKING_H

#include "attn/plan/plan.h"

/* Rows `first` to `first + rows` of a head; of their scores `columns` after the first `skipped`, a
 * multiple of PACKED_PART, so that a key keeps its place among a row's partial sums: before and
 * after them, none of these rows sees a key. */
typedef struct block {
    size_t batch, head, first, rows, skipped, columns;
} block;

/* to = from + bias − slope·distance, and −inf where attending is not allowed. May be in place.
 * False where to = from. */
bool masking_apply(const plan *p, const block *at, size_t query, const void *from, void *to);

/* The block's columns whose keys the query may see, masks apart; appended rows need all. From one
 * query to the next neither end moves back. */
key_range masking_seen(const plan *p, const block *at, size_t query);

/* A key that may be attended to: then scores of nothing but −inf do not come from masks and
 * biases. */
bool masking_allows_any(const plan *p, const block *at, size_t query);

typedef struct far_key {
    size_t key; /* of the sequence */
    double slope, distance;
} far_key;

/* The first key that the query may see whose slope·distance is beyond the type's range, masks
 * apart; false where there is none. */
bool masking_find_far(const plan *p, const block *at, size_t query, far_key *far);

/* The columns [from, to) of a row become `value`. */
void masking_fill(const plan *p, void *row, size_t from, size_t to, double value);

#endif
