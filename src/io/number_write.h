/* Numbers to decimal text: the shortest that reads back to the same value, or a fixed count of
 * decimals.
 *
 * The same text on every machine, in no locale. Shortest: of all decimals that round to the value,
 * one with the fewest digits, and of those the nearest to it. Plain notation for magnitudes from
 * 1e-5 to below 1e16 ("0.00001", "1500"), else an exponent ("1e-7", "1.5e21"); −0 is "-0"; nan, inf
 * and -inf are written so. */
#ifndef SELFATTN_IO_NUMBER_WRITE_H
#define SELFATTN_IO_NUMBER_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tensor;
struct text;

/* Room for any shortest number and its NUL, and for digits that are put down and don't count. */
enum { NUMBER_TEXT = 40 };

/* Each returns the length, and puts a NUL after. */
size_t number_write_f32(float value, char out[NUMBER_TEXT]);
size_t number_write_f64(double value, char out[NUMBER_TEXT]);

enum { NUMBER_MAX_DIGITS = 40, NUMBER_FIXED_TEXT = 384 };
/* Exactly `digits` (0 to NUMBER_MAX_DIGITS) decimals, the exact value rounded to nearest, ties to
 * even. A float32 is widened by the caller, which changes nothing. */
size_t number_write_fixed(double value, int digits, char out[NUMBER_FIXED_TEXT]);
/* Without its sign and its point, that is a whole number of units of the last decimal; false where
 * the quick way does not give it: above 17 decimals or 18 digits, from 2^53 on, not finite. */
bool number_fixed_units(double value, int digits, uint64_t *units);
/* `digits` (1 to 17) significant digits in exponent form, "6.0337e-06": two exponent digits at
 * least. */
size_t number_write_exponent(double value, int digits, char out[NUMBER_FIXED_TEXT]);

/* ---- a row: the loop that most of the time of writing a matrix is spent in ---- */

/* Writes a row (a tensor of rank 1, float32 or float64) from column `from` on, each number as short
 * as can be, with the separator of one or two characters in front of all but column 0's. Stops at
 * the first number that is not finite, and returns its column, or else their count. */
size_t number_row_write(struct text *out, const struct tensor *row, size_t from,
                        const char *separator);

#endif
