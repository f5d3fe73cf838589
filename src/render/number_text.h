/* Numbers as a person reads them, the same in worked lines and in matrices; and the labels of rows
 * and columns: a token's text, cut where it is long, or q[1], q[2], …, or plain numbers.
 *
 * digits < 0: at most 4 decimals, zeros at the end left away, whole numbers without a point;
 * below 0.001 and from 1e7 on five significant digits with an exponent (6.0337e-06, as seed 001
 * prints it). digits ≥ 0: exactly that many decimals. Zero has no sign. What is not a finite number
 * is nan, inf, -inf. */
#ifndef SELFATTN_RENDER_NUMBER_TEXT_H
#define SELFATTN_RENDER_NUMBER_TEXT_H

#include "io/number_write.h"
#include "trace/trace.h"

enum { NUMBER_TEXT_DECIMALS = 4 };

size_t number_text_write(double value, int digits, char out[NUMBER_FIXED_TEXT]);

/* The same without sign and point: 1.25 is 12500 where there may be 4 decimals. False for what is
 * no such number: one with an exponent, not finite, or of 2^52 and more. */
bool number_text_units(double value, int digits, uint64_t *units);

/* The number that its text says. */
double number_text_value(double value, int digits);

void number_text_add(text *out, double value, int digits);
/* The same, a negative one in parentheses: what stands after an operator. */
void number_text_add_operand(text *out, double value, int digits);

/* What a column of numbers needs: all with as many decimals as the one that needs most, so that
 * their points line up. */
typedef struct number_width {
    size_t before, decimals; /* of the point */
    size_t alone;            /* numbers with an exponent, inf and nan: they stand to the right */
} number_width;

void number_width_add(number_width *width, double value, int digits);
size_t number_width_columns(const number_width *width);
void number_text_add_aligned(text *out, double value, int digits, const number_width *width);

/* ---- labels ---- */

#define SELECTION_GAP SIZE_MAX /* the index of what is left out, whose label is … */

/* The label's bytes, whole and as they came: the name itself, or its number made in `room`, also
 * for an empty name. */
enum { LABEL_ROOM = 64 };
const char *label_whole(const trace_labels *labels, size_t index, char room[LABEL_ROOM]);

/* Appends the label of an index from 0 and returns its columns. */
size_t label_add(text *out, const trace_labels *labels, size_t index);
/* Its columns alone. */
size_t label_columns(const trace_labels *labels, size_t index);
/* Those of the widest of the first `count`. */
size_t labels_widest(const trace_labels *labels, size_t count);

/* Of `count` rows or columns; NULL where they say nothing: a number alone above or next to the only
 * column or row. */
const trace_labels *labels_that_say(const trace_labels *labels, size_t count);

#endif
