/* The arithmetic of worked lines: terms, as they are spelled out and left out, and results,
 * computed again out of the unrounded operands. */
#ifndef SELFATTN_TESTS_TRACE_TERMS_H
#define SELFATTN_TESTS_TRACE_TERMS_H

#include "reader.h"

/* The distance of 1 to the next number of the type. */
double rounding_unit(const reader *r);

/* Fails where the stage's result is not what its operands make. `size` is what was added up,
 * without signs: errors of rounding are in proportion to it. */
void recomputed(reader *r, double result, double again, double size);

/* An operand that no stage holds, as the type has it: within a few units of its last place. */
void read_operand_near(reader *r, double value);

/* The term to be read after this one; … is passed over. */
size_t next_term(reader *r, size_t term, size_t count, const char *between);
/* "  (40 terms)", behind a result of which some are left out. */
void read_terms_counted(reader *r, size_t count, const char *what);

/* [2, 8, 0] */
void read_vector(reader *r, const tensor *v);
/* a_1·b_1 − a_2·b_2 = result, recomputed. */
void read_difference(reader *r, const double a[2], const double b[2], double result);
/* a_1·b_1 + a_2·b_2 + … + shift = result, recomputed. */
void read_dot(reader *r, const tensor *a, const tensor *b, const double *shift, double result);

tensor row_of(const tensor *matrix, size_t row);
tensor column_of(const tensor *matrix, size_t column);

#endif
