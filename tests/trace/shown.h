/* Which rows and columns of a matrix are on the page: all but those that the line below it says
 * are left out, and of a part ("columns 7 to 12 of 64") its own. */
#ifndef SELFATTN_TESTS_TRACE_SHOWN_H
#define SELFATTN_TESTS_TRACE_SHOWN_H

#include "checks.h"

#include <stdint.h>

#define SHOWN_GAP SIZE_MAX /* a place that holds … */
enum { SHOWN_MOST = 512 };

typedef struct shown {
    size_t place[SHOWN_MOST], count; /* indices from 0 */
} shown;

/* The rows and columns of the paragraph's matrix, of this size. The lines that say which are taken
 * off its two ends. */
void shown_find(reader *r, paragraph *p, size_t rows, size_t columns, shown *of_rows,
                shown *of_columns);

/* "[1, 0, …, 2]": the places of row `row`. */
void read_shown_row(reader *r, const tensor *matrix, size_t row, const shown *columns);

#endif
