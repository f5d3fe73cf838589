/* Where the labels of a matrix in a CSV are: found from its first row and the one below it.
 *
 * Labels are not numbers, or stand in quotes. pandas counts columns and rows that have no names,
 * and writes these numbers without: a first row of nothing, 0, 1, 2, … is its header, when a label
 * or the row's number 0 stands below the nothing. */
#ifndef SELFATTN_IO_CSV_LAYOUT_H
#define SELFATTN_IO_CSV_LAYOUT_H

#include "io/cells.h"

typedef struct csv_layout {
    bool has_header,
        has_corner;       /* a corner: the header's first field stands above a column of labels */
    bool has_labels;      /* a first column of labels */
    bool labels_are_sure; /* the header says so, not their look: they may be numbers */
    bool header_counts;   /* the header is pandas's, and says nothing */
} csv_layout;

/* Looks at the rows that the reader is in front of, which stays where it is. `columns` are those
 * that the block's comment says, or SIZE_MAX. */
bool csv_layout_find(const csv_reader *r, key_kind kind, size_t columns, csv_layout *out, err *e);

/* A row of numbers and holes that could be taken for such a header. */
bool csv_row_counts(const char *row, size_t length, char delimiter);
/* The decimal of `number`, and nothing else. */
bool csv_is_count(const char *bytes, size_t length, size_t number);

#endif
