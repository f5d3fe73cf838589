/* The value of one setting of a document: a number, a count, or a word of a table. The error of a
 * value that is none is at the setting, with what it is and what it must be. */
#ifndef SELFATTN_ATTN_SPEC_SETTING_H
#define SELFATTN_ATTN_SPEC_SETTING_H

#include "base/named.h"
#include "tensor/bundle.h"

bool setting_is_number(const entry *setting, double *value);

/* A number from `least`. */
bool setting_number(const entry *setting, double least, double *value, err *e);

/* The greatest count that a float64 holds with all counts below it, 2^53, or a size_t. */
extern const double SETTING_MOST_COUNT;

/* A whole number from `least` to that. */
bool setting_count(const entry *setting, double least, size_t *value, err *e);
/* " to 9007199254740992", or where a size_t ends, for a number above it; else its bound is nothing
 * to speak of. */
const char *setting_up_to(double number);

/* The row of its word; NULL with the error set where the table has none. `or_else` says what it may
 * be but for a word. */
const named *setting_word(const entry *setting, const named_table *words, const char *or_else,
                          err *e);

/* Whether `layout`, which may be NULL, is out-in; by default it is not. */
bool setting_is_out_in(const entry *layout);

/* ---- the words that one may be: for reading a document, for the command line's choices, for help
 * and for completion. Score functions have their own table (SCORES) ---- */

/* Rows of plain `named`. */
extern const named_table TRUTH_WORDS;     /* true, false */
extern const named_table CAUSAL_WORDS;    /* upper-left, lower-right, none, true, false */
extern const named_table LAYOUT_WORDS;    /* in-out, out-in */
extern const named_table SCALE_WORDS;     /* none, head, embed: a number is the other possibility */
extern const named_table MASK_TRUE_WORDS; /* attend, masked */
extern const named_table MASK_AXIS_WORDS; /* batch, head */
extern const named_table DTYPE_WORDS;     /* f32, f64 */
extern const named_table POSITIONS_WORDS; /* sinusoidal, none */
extern const named_table PAIRING_WORDS;   /* half, interleaved */
extern const named_table FILL_WORDS;      /* ones: a matrix is the other possibility */
extern const named_table LOSS_WORDS;      /* sum, mean, square, cross-entropy, none */
extern const named_table QK_NORM_WORDS;   /* rms, none */

#endif
