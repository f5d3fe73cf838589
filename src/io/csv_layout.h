/* Where the labels of a matrix in a CSV are: found from its first row and the one below it. */
#ifndef SELFATTN_IO_CSV_LAYOUT_H
#define SELFATTN_IO_CSV_LAYOUT_H

#include "io/cells.h"

typedef struct csv_layout {
    bool has_header,
        has_corner;       /* a corner: the header's first field stands above a column of labels */
    bool has_labels;      /* a first column of labels */
    bool labels_are_sure; /* the header says so, not their look: they may be numbers */
} csv_layout;

/* Looks at the rows that the reader is in front of, which stays where it is. */
bool csv_layout_find(const csv_reader *r, key_kind kind, csv_layout *out, err *e);

#endif
