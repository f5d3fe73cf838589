/* Which keys a query may see, masks apart: causality, a window and the keys' lengths leave a range
 * of keys, and neither end of it moves back from one query to the next. */
#ifndef SELFATTN_ATTN_PLAN_VISIBLE_H
#define SELFATTN_ATTN_PLAN_VISIBLE_H

#include "attn/plan/plan.h"

#include <stdint.h>

/* Where a query stands among the keys, offset or alignment counted: below 0 before the first. */
int64_t visible_position(const plan *p, size_t batch, size_t query);

/* How many keys of a batch entry are there. */
size_t visible_length(const plan *p, size_t batch);

key_range visible_keys(const plan *p, size_t batch, size_t query);

/* What some of `rows` queries from `first` on see, begun at a multiple of PACKED_PART; appended
 * rows are seen by all. */
key_range visible_to_rows(const plan *p, size_t batch, size_t first, size_t rows);
/* The most keys that such a range has. */
size_t visible_span(const plan *p, size_t rows);

#endif
