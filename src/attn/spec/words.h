/* The words that a setting may be: one table a setting, for reading a document, for the command
 * line's choices, for help and for completion. Score functions are words too, but have their own
 * table, with what to do (SCORES). */
#ifndef SELFATTN_ATTN_SPEC_WORDS_H
#define SELFATTN_ATTN_SPEC_WORDS_H

#include "base/named.h"

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
extern const named_table QK_NORM_WORDS;   /* rms, none */

#endif
