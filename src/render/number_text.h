/* Numbers as a trace shows them to a person, the same in worked lines and in matrices; and labels
 * of rows and columns: a token's text, cut where it is long, or q[1], q[2], …, or plain numbers.
 *
 * digits < 0: at most 4 decimals, zeros at the end left away, whole numbers without a point; below
 * 0.001 and from 1e7 on five significant digits with an exponent (6.0337e-06, as seed 001 prints
 * it); NUMBER_TEXT_KEEPS, of a page, leaves zeros away only where the text is the whole number:
 * 0.5, but 0.1400 where digits follow. digits ≥ 0: exactly that many decimals. Zero has no sign.
 * What is not a finite number is nan, inf, -inf. */
#ifndef SELFATTN_RENDER_NUMBER_TEXT_H
#define SELFATTN_RENDER_NUMBER_TEXT_H

#include "io/number_write.h"
#include "trace/trace.h"

enum { NUMBER_TEXT_DECIMALS = 4, NUMBER_TEXT_KEEPS = -2 };

size_t number_text_write(double value, int digits, char out[NUMBER_FIXED_TEXT]);

/* The digits of that text as a whole number of units of the last decimal, without the sign: 12500
 * for 1.25 with up to 4 decimals. False for a number with an exponent, one that is not finite, and
 * from 2^51 on. */
bool number_text_units(double value, int digits, uint64_t *units);

/* The number that reads back from that text, and whether that is the number itself, in float64 or
 * as a float32. */
double number_text_value(double value, int digits);
bool number_text_is_exact(double value, int digits);

void number_text_add(text *out, double value, int digits);
/* The same for a place after an operator: a negative number is in parentheses. */
void number_text_add_operand(text *out, double value, int digits);

/* What a column of numbers needs: all with as many decimals as the one that needs most, so that
 * their points line up. */
typedef struct number_width {
    size_t before, decimals; /* of the point */
    size_t alone;            /* of the widest that is not aligned: an exponent, inf, nan */
} number_width;

void number_width_add(number_width *width, double value, int digits);
size_t number_width_columns(const number_width *width);
void number_text_add_aligned(text *out, double value, int digits, const number_width *width);

/* ---- labels ---- */

#define SELECTION_GAP SIZE_MAX /* the index of rows that are left out; its label is … */

/* The whole label: the name as it came, or, where it is empty or missing, a number that is made in
 * `room`. */
enum { LABEL_ROOM = 64 };
const char *label_whole(const trace_labels *labels, size_t index, char room[LABEL_ROOM]);

/* Appends the label of an index from 0 and returns its columns. */
size_t label_add(text *out, const trace_labels *labels, size_t index);
/* Its columns alone. */
size_t label_columns(const trace_labels *labels, size_t index);
/* Those of the widest of the first `count`. */
size_t labels_widest(const trace_labels *labels, size_t count);

/* The labels of `count` rows or columns, or NULL where they would say nothing: a mere number at the
 * only row or column. */
const trace_labels *labels_that_say(const trace_labels *labels, size_t count);

#endif
