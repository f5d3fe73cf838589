/* Some of the queries, which are computed alone: "3", "3:8" (3 to 8), "3:", ":8", "-16:" (the last
 * 16), and lists of these with commas between. They count from 1, as people do; each row stands
 * there once, and after those before it. */
#ifndef SELFATTN_ATTN_SPEC_ROW_CHOICE_H
#define SELFATTN_ATTN_SPEC_ROW_CHOICE_H

#include "base/text.h"
#include "tensor/bundle.h"

typedef struct row_choice {
    size_t *row; /* from 0, ascending; owned; NULL: nothing was chosen */
    size_t count, of;
} row_choice;

/* Of so many rows, those that a setting says; nothing where it is NULL. Messages call one `what`,
 * "row". */
bool row_choice_read(row_choice *c, const entry *said, const char *what, size_t of, err *e);
void row_choice_free(row_choice *c);

/* Whether no row between the first and the last is left out. */
bool row_choice_is_range(const row_choice *c);

/* "3:8,11 of 64" */
void row_choice_show(const row_choice *c, text *out);

/* These rows of an axis of a tensor: borrowed where they are a range, else a copy. */
bool row_choice_take(const row_choice *c, const tensor *from, int axis, tensor *out, err *e);

#endif
