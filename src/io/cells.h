/* Cells of a CSV as numbers: what a cell looks like, by which header rows and labels are found, and
 * what it is read as.
 *
 * Spaces and tabs around a number don't count. An empty cell is a hole in an expected matrix, and
 * refused elsewhere. */
#ifndef SELFATTN_IO_CELLS_H
#define SELFATTN_IO_CELLS_H

#include "io/csv_record.h"
#include "io/format.h"
#include "io/blocks.h"

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

/* What the matrix of this name is to be read as; refused where the keys don't know it, or no matrix
 * is meant. */
bool cells_find_kind(const read_options *how, const char *name, size_t length, const place *at,
                     key_kind *kind, err *e);

cells cells_new(key_kind kind, const read_options *how);
bool cells_add(cells *to, const csv_reader *r, const csv_field *f, err *e);
/* Makes room for `more` numbers. */
bool cells_reserve(cells *to, size_t more, err *e);
/* Adds the next fields of a row, as long as they are numbers of the usual form and there is room;
 * `most` of them at most. Returns how many; `f` becomes the last one where that ends the row, else
 * it stays. */
size_t cells_add_usual(cells *to, csv_reader *r, size_t most, csv_field *f);
/* With several threads (io/rows_read.h): adds the next rows of `columns` numbers each, `most` of
 * them at most, and goes behind them: *rows of them, perhaps none. */
bool cells_read_ahead(cells *to, csv_reader *r, size_t columns, size_t most, size_t threads,
                      size_t *rows, err *e);
/* Makes them a tensor, which takes their memory: as many numbers as `size` says, in pieces of one
 * size that came in any order and belong where the finished grid says. */
bool cells_take_in_order(cells *from, const grid *g, int rank, const size_t *size, tensor *out,
                         err *e);
void cells_free(cells *c);

/* Adds to the error just made what a file whose line is separated by something else needs. Returns
 * false. */
bool cells_remedy(const csv_reader *r, const csv_field *f, err *e);
/* The same of how a number that is missing is written, where this cell has none. */
bool cells_remedy_missing(const cells *to, const csv_field *f, err *e);

#endif
