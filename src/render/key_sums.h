/* Keys whose weights a picture adds up in a last column: what a query gives to them together. */
#ifndef SELFATTN_RENDER_KEY_SUMS_H
#define SELFATTN_RENDER_KEY_SUMS_H

#include "render/heat_map.h"
#include "trace/trace.h"

typedef struct key_sums {
    bool *is_chosen; /* a key each, owned; NULL: none of this attention's is */
    size_t keys;
} key_sums;

/* Each word is a key's name, which means every key of that name, or its number from 1, or a range,
 * as of --rows, and is one in some attention of the trace. */
bool key_sums_check(const text_list *words, const trace *t, err *e);

/* Those of one attention's weights. False where memory is missing. */
bool key_sums_find(key_sums *s, const text_list *words, const trace_map *weights, err *e);
void key_sums_free(key_sums *s);

/* The greatest sum of the rows that are one row of squares. */
double key_sums_at(const key_sums *s, const sampling *by, const tensor *head, size_t row);

/* "Σ is the sum of these keys: cat, 3:8", or nothing where there are no words. */
void key_sums_explain(const text_list *words, text *out);

#endif
