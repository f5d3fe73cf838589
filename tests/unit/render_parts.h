/* Pieces of traces made by hand, for the tests of the text renderer. */
#ifndef SELFATTN_TESTS_RENDER_PARTS_H
#define SELFATTN_TESTS_RENDER_PARTS_H

#include "render/renderer.h"

/* Views of the caller's numbers. */
tensor part_number(const double *value);
tensor part_vector(size_t count, const double *values);
tensor part_matrix(size_t rows, size_t columns, const double *values);

/* At most 4 decimals, 100 columns, no colour. */
render_options part_options(void);

/* The columns of the longest line of a text that holds narrow characters only. */
size_t part_longest_line(const text *out);

#endif
