/* Texts that are numbers as people, spreadsheets and other programs write them, but not as they are
 * read here: "0,5", "1,234.5", "−1" with U+2212, "１２" of full width, "0x10", "1d5", a no-break
 * space beside a number. Taken for labels they would be lost in silence. */
#ifndef SELFATTN_IO_SPOILED_NUMBER_H
#define SELFATTN_IO_SPOILED_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* What to do about such a text, or NULL where it is none. */
const char *spoiled_number_remedy(const char *text, size_t length);

/* "0,5" as many countries write it: one comma, and a number once it is a point. */
bool is_decimal_comma(const char *text, size_t length);

#endif
