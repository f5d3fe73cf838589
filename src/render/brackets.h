/* A matrix in brackets, a row as `[1, 0, …, 0]`, with the points of each column aligned: matrices,
 * products and stacks are drawn so in text.
 *
 * Of a large matrix a selection is shown: the first rows and columns, the last ones, and the row in
 * focus, with … for the rest. Columns that do not fit are left out, or follow in further blocks. */
#ifndef SELFATTN_RENDER_BRACKETS_H
#define SELFATTN_RENDER_BRACKETS_H

#include "render/number_text.h"
#include "render/renderer.h"

/* ---- which rows and columns ---- */

typedef struct selection {
    size_t total;
    size_t front, back; /* how many of the first and of the last; front + back ≤ total */
    size_t focus;       /* from 1, shown too where it is in neither; 0: none */
    bool has_ids;       /* these are ids of a vocabulary: texts count them from 0 */
} selection;

selection selection_all(size_t total);
/* All rows if they are few; else the first, the last and the focus. */
selection selection_of_rows(size_t total, size_t focus, bool is_full);

/* `shown` of them, a quarter of these at the end: people read the beginning, and the end only shows
 * that there is one. */
selection selection_of_ends(size_t total, size_t shown);

/* How many slots are drawn, one for each … included; and the index, from 0, of the row or column in
 * a slot, SELECTION_GAP for …. */
size_t selection_count(const selection *s);
size_t selection_at(const selection *s, size_t slot);

/* "columns 1 to 6 of 64", or "ids 0 to 5 of 64": those from `first` to before `end`. */
void selection_add_part(text *out, bool has_ids, size_t first, size_t end, size_t total);

/* "rows 9 to 29 and 31 to 61 of 64 and column 5 of 9 are left out; --full shows them"; nothing
 * where all are shown. */
void selection_add_left_out(text *out, const selection *rows, const selection *columns);

/* ---- in brackets ---- */

/* A matrix that is drawn, with all that the widths of its columns depend on. Borrowed. */
typedef struct column_source {
    tensor matrix; /* of rank 2 */
    tensor also;   /* one more row with the same columns, a sum; no data: none */
    selection rows;
    const trace_labels *labels, *row_labels; /* above the columns, and before rows; NULL: none */
    int digits;
    bool has_ids; /* as in selection */
} column_source;

/* So many columns may stand side by side; each takes three characters or more. */
enum { BRACKETS_MOST = 128 };

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

/* The source of a TRACE_MATRIX, or of a TRACE_STACK with its sum, with a selection of its rows and
 * the labels that say something. */
column_source column_source_of(const trace_item *item, const render_options *how);

/* " (3 × 4)" of a matrix, " (4 long)" of a vector, nothing of a number. */
void matrix_add_shape(text *out, const tensor *t);

/* All numbers of a column have as many decimals as the one that needs most. */
number_width column_number_width(const column_source *from, size_t column);

void brackets_measure(brackets *b, const column_source *from, const selection *columns);

/* The next part of a matrix that fits into `budget` columns of text. In full, the matrix follows
 * part by part; else there is one part, its first and last columns. Begins with a zeroed `b`; false
 * when no part is left. */
bool brackets_next(brackets *b, const column_source *from, size_t budget, bool is_full);

/* "columns 1 to 6 of 64", above a part; nothing above a matrix that is drawn whole. */
void brackets_add_part(text *out, const brackets *b, size_t indent);

size_t brackets_columns(const brackets *b);
void brackets_add_labels(text *out, const brackets *b);
void brackets_add_row(text *out, const brackets *b, const tensor *matrix, size_t row);

#endif
