/* Decimal text to float32 and float64, correctly rounded straight to the target type (to nearest,
 * ties to even).
 *
 * No locale, no hexadecimal, no double rounding. A number's text is at most NUMBER_MAX_TEXT
 * bytes. */
#ifndef SELFATTN_IO_NUMBER_READ_H
#define SELFATTN_IO_NUMBER_READ_H

#include "tensor/tensor.h"

#include <stdint.h>

enum { NUMBER_MAX_TEXT = 4096 };

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The end of the digits from `at` on. */
const char *digits_end(const char *at, const char *end);

/* The end of the longest number that begins at `text`, or NULL where none does. JSON's grammar is
 * RFC 8259's; the other one also takes a leading '+', ".5" and "5.". Neither takes inf or nan. */
const char *number_end_json(const char *text, const char *end);
const char *number_end_csv(const char *text, const char *end);

/* The number that the bytes [text, end) spell, which one of the two grammars must have accepted.
 * False when it is too large for the type (its magnitude would round to infinity); too small a
 * number is a subnormal or a zero of its sign. */
bool number_read_f32(const char *text, const char *end, float *value);
bool number_read_f64(const char *text, const char *end, double *value);

/* Whether these bytes spell 0, and no number that is read as 0 since it is too small. */
bool number_is_zero(const char *text, const char *end);

/* The number that all of the bytes are in JSON's grammar; false where they are none, or one too
 * large or too small. */
bool number_read_json(const char *text, const char *end, double *value);

/* "nan", "inf", "infinity" in any case, with an optional sign: true, with the value (NaN is the
 * canonical one). */
bool number_read_nonfinite(const char *text, const char *end, double *value);

/* ---- a list ----
 *
 * Numbers that stand one after the other, "0.25, -1, 3e-4": the loop that most of the time of
 * reading a matrix is spent in.
 *
 * It knows numbers of the usual form only: by JSON's grammar, of at most 19 digits, finite in their
 * type, not at the very end of the text, and with a few spaces around at most. It stops at all
 * others, which are then for the functions above: who never asks here reads the same, slowly. */

typedef struct number_list {
    const char *at, *end; /* what is to be read */
    char delimiter;
    uint64_t spaces;  /* bit c is set: the character c may stand around a number */
    bool due;         /* a number has to follow: only a delimiter, or nothing, was read last */
    const char *last; /* where the last number that was read begins, or the spaces before it */
} number_list;

/* Reads up to `room` numbers of DTYPE_F32 or DTYPE_F64, the first of them being due, with the
 * delimiter after each, and returns how many. Where no delimiter stands after one, it is the
 * last. */
size_t number_list_read(number_list *l, dtype type, void *to, size_t room);

#endif
