/* A matrix in brackets, `[1, 0, …, 0]` a row, the decimals of each column aligned: what
 * matrices, products and stacks are drawn with. Columns that don't fit are left out, or follow
 * in further blocks. */
#ifndef SELFATTN_RENDER_BRACKETS_H
#define SELFATTN_RENDER_BRACKETS_H

#include "render/number_text.h"
#include "render/selection.h"
#include "trace/trace.h"

/* What column widths are taken from. */
typedef struct column_source {
    tensor matrix; /* of rank 2 */
    tensor also;   /* a row with the same columns; no data: none */
    selection rows;
    const trace_labels *labels; /* that stand above the columns; NULL: none */
    int digits;
    bool has_ids; /* columns that are ids, which count from 0 */
} column_source;

enum {
    BRACKETS_MOST = 128
}; /* columns side by side, and three characters each at least: room for any screen */

typedef struct brackets {
    const column_source *from; /* borrowed */
    size_t first;              /* the column of the matrix that `columns` counts from */
    selection columns;
    number_width number[BRACKETS_MOST];
    size_t width[BRACKETS_MOST]; /* of each slot: its numbers', or its label's */
} brackets;

/* A tensor of rank 0 to 2 as one of rank 2, borrowed: a vector is one row. */
tensor matrix_of(const tensor *t);
double matrix_at(const tensor *matrix, size_t row, size_t column);

/* All numbers of a column have as many decimals as the one that needs most. */
number_width column_number_width(const column_source *from, size_t column);

void brackets_measure(brackets *b, const column_source *from, const selection *columns);

/* The next part of a matrix that fits: in full, its columns from where the last part ended; else
 * its first and its last ones, once. Starts from zeros; false when there is none left. */
bool brackets_next(brackets *b, const column_source *from, size_t budget, bool is_full);

/* "columns 1 to 6 of 64", above a part of a matrix that is drawn in parts; nothing above a whole
 * one. */
void brackets_add_part(text *out, const brackets *b, size_t indent);

size_t brackets_columns(const brackets *b);
void brackets_add_labels(text *out, const brackets *b);
void brackets_add_row(text *out, const brackets *b, const tensor *matrix, size_t row);

#endif
