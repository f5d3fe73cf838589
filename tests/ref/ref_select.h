/* Problems made of others: one batch entry, some queries, some entries of an axis. */
#ifndef SELFATTN_TESTS_REF_SELECT_H
#define SELFATTN_TESTS_REF_SELECT_H

#include "ref/ref_attention.h"

/* A copy to be freed by itself. Tokens and vocabularies are left out: they name as many rows as
 * there were. */
ref_problem ref_problem_copy(const ref_problem *p);

/* Keeps the entries index[0 … count) of one axis, in this order. */
void ref_select_entries(ref_array *a, int axis, const size_t *index, size_t count);

/* One entry of the batch, still with an axis of batches. */
void ref_select_batch(ref_problem *p, size_t batch);

/* Other queries, the same keys. */
void ref_select_queries(ref_problem *p, const size_t *index, size_t count);

/* Keys and values from row `from` of the new ones on, the same queries: what the cache has, it does
 * not get. */
void ref_select_new_keys(ref_problem *p, size_t from);

/* The query at position `query`, alone, which `offset` says from now on. False for a row before the
 * first key, which has no such position. */
bool ref_select_one_query(ref_problem *p, size_t query);

/* Each query alone has a position from 0, the same in all entries of the batch. */
bool ref_all_have_positions(const ref_problem *p);
/* Keys or values are made of x with positions added, which no document can say. */
bool ref_sums_are_keys(const ref_problem *p);
/* What a query sees, or what is added to its scores, depends on its place. */
bool ref_places_matter(const ref_problem *p);

#endif
