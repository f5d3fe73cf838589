/* Cells of a CSV as numbers: what a cell looks like, by which header rows and labels are found, and
 * what it is read as.
 *
 * Spaces and tabs around a number don't count. An empty cell is a hole in an expected matrix, and
 * refused elsewhere. */
#ifndef SELFATTN_IO_CELLS_H
#define SELFATTN_IO_CELLS_H

#include "io/blocks.h"
#include "io/csv_record.h"
#include "io/format.h"

typedef enum cell_look { CELL_NUMBER, CELL_QUOTED_NUMBER, CELL_EMPTY, CELL_LABEL } cell_look;

cell_look cell_look_of(const csv_field *f, key_kind kind);

/* True for what others write where no number is, such as NA. */
bool cell_is_missing(const csv_field *f);
/* True for a text that would be numbers with another delimiter ("1;2") or with a decimal point for
 * a comma. */
bool cell_is_misread(const char *cell, size_t length, char delimiter);
/* True for a label that is taken for a number, or for misread ones, unless it is quoted. */
bool label_looks_like_number(const char *label, size_t length, char delimiter);
/* What to do about a label that is a number as others write it (io/slips.h), or NULL. One
 * in quotes is meant as a label, unless the quotes had to be: "0,5" where commas separate. */
const char *label_spoiled_remedy(const csv_field *f, char delimiter);

/* Numbers of one matrix in the making, in the type that its kind asks for. */
typedef struct cells {
    key_kind kind;
    dtype type;
    bool allow_nonfinite;
    void *data;
    size_t count, capacity;
} cells;

bool cells_add(cells *to, const csv_reader *r, const csv_field *f, err *e);
/* Makes room for `more` numbers. */
bool cells_reserve(cells *to, size_t more, err *e);
/* Adds the next fields of a row, as long as they are numbers of the usual form and there is room;
 * `most` of them at most. Returns how many; `f` becomes the last one where that ends the row, else
 * it stays. */
size_t cells_add_usual(cells *to, csv_reader *r, size_t most, csv_field *f);
/* With several threads (io/in_order.h): adds the next rows of `columns` numbers each, `most` of
 * them at most, and goes after them: *rows of them, perhaps none. */
bool cells_read_ahead(cells *to, csv_reader *r, size_t columns, size_t most, size_t threads,
                      size_t *rows, err *e);

/* One name's numbers, in pieces of one size that come in any order: blocks of a CSV, numbers of a
 * tidy table. */
typedef struct csv_matrix {
    cells cells;
    size_t rows, columns; /* of each block */
    grid grid;
} csv_matrix;

/* A file half read. one[i] becomes the tensor of out->entry[i]. */
typedef struct csv_matrices {
    const read_options *how;
    bundle *out;
    csv_matrix *one;
    size_t count, capacity;
} csv_matrices;

/* The matrix of this name, without a piece where it is new; SIZE_MAX with the error set where the
 * keys don't know it, or no matrix is meant. */
size_t csv_matrices_find(csv_matrices *all, const char *name, size_t length, const place *at,
                         err *e);
bool csv_matrices_finish(csv_matrices *all, err *e);
void csv_matrices_free(csv_matrices *all);

/* Adds to the error just made what a file whose line is separated by something else needs. Returns
 * false. */
bool cells_remedy(const csv_reader *r, const csv_field *f, err *e);
/* The same of how a number that is missing is written, where this cell has none. */
bool cells_remedy_missing(const cells *to, const csv_field *f, err *e);

#endif
