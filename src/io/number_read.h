/* Decimal text to float32 and float64, correctly rounded straight to the target type (to nearest,
 * ties to even).
 *
 * No locale, no hexadecimal, no double rounding. A number's text is at most NUMBER_MAX_TEXT
 * bytes. */
#ifndef SELFATTN_IO_NUMBER_READ_H
#define SELFATTN_IO_NUMBER_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_MAX_TEXT = 4096 };

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The end of the longest number that begins at `text`, or NULL where none does. JSON's grammar is
 * RFC 8259's; the other one also takes a leading '+', ".5" and "5.". Neither takes inf or nan. */
const char *number_end_json(const char *text, const char *end);
const char *number_end_csv(const char *text, const char *end);

/* The number that the bytes [text, end) spell, which one of the two grammars must have accepted.
 * False when it is too large for the type (its magnitude would round to infinity); too small a
 * number is a subnormal or a zero of its sign. */
bool number_read_f32(const char *text, const char *end, float *value);
bool number_read_f64(const char *text, const char *end, double *value);

/* The number that all of the bytes are in JSON's grammar; false where they are none, or too large
 * a one. */
bool number_read_json(const char *text, const char *end, double *value);

/* The bits of the value nearest to digits · 10^exponent; of infinity where it is too large. */
uint32_t number_scaled_bits_f32(uint64_t digits, int exponent);
uint64_t number_scaled_bits_f64(uint64_t digits, int exponent);

/* "nan", "inf", "infinity" in any case, with an optional sign: true, with the value (NaN is the
 * canonical one). */
bool number_read_nonfinite(const char *text, const char *end, double *value);

#endif
