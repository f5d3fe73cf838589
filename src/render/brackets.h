/* What of a matrix is shown: the first rows and columns, the last ones, and the row in focus; … for
 * the rest.
 *
 * And a matrix in brackets, `[1, 0, …, 0]` a row, the decimals of each column aligned: what
 * matrices, products and stacks are drawn with. Columns that don't fit are left out, or follow in
 * further blocks. */
#ifndef SELFATTN_RENDER_BRACKETS_H
#define SELFATTN_RENDER_BRACKETS_H

#include "render/number_text.h"
#include "render/renderer.h"

/* ---- which rows and columns ---- */

typedef struct selection {
    size_t total;
    size_t front, back; /* how many of the first and of the last; front + back ≤ total */
    size_t focus;       /* from 1; 0: none. Counts where it is neither */
    bool has_ids;       /* columns that are ids, which count from 0 */
} selection;

selection selection_all(size_t total);
/* All of a few; of many the first, the last and the focus. */
selection selection_of_rows(size_t total, size_t focus, bool is_full);

/* `shown` of them, a quarter of these at the end: the beginning is read, the end says that there is
 * one. */
selection selection_of_ends(size_t total, size_t shown);

/* How many places are shown, those of … included, and what index (from 0) each has. */
size_t selection_count(const selection *s);
size_t selection_at(const selection *s, size_t slot);

/* "columns 1 to 6 of 64", or "ids 0 to 5 of 64": those from `first` to before `end`. */
void selection_add_part(text *out, bool has_ids, size_t first, size_t end, size_t total);

/* "rows 9 to 29 and 31 to 61 of 64 and column 5 of 9 are left out; --full shows them"; nothing
 * where all are shown. */
void selection_add_left_out(text *out, const selection *rows, const selection *columns);

/* ---- in brackets ---- */

/* A matrix that is drawn: what column widths are taken from. */
typedef struct column_source {
    tensor matrix; /* of rank 2 */
    tensor also;   /* a row with the same columns; no data: none */
    selection rows;
    const trace_labels *labels, *row_labels; /* above the columns, and before rows; NULL: none */
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

/* That of a TRACE_MATRIX, or a TRACE_STACK with its sum, with the labels that say anything; of many
 * rows some. */
column_source column_source_of(const trace_item *item, const render_options *how);

/* " (3 × 4)", " (4 long)", and nothing of a number. */
void matrix_add_shape(text *out, const tensor *t);

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
