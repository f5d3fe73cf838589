/* The labels of a CSV's first block, on their way into the bundle. */
#ifndef SELFATTN_IO_CSV_LABELS_H
#define SELFATTN_IO_CSV_LABELS_H

#include "base/text.h"
#include "tensor/bundle.h"

typedef struct csv_labels {
    text_list columns, rows;
    text corner;      /* the cell above a column of labels */
    bool are_counted; /* under a header that counts: what counts on is no label */
} csv_labels;

/* Adds the lists "columns" and "rows", and where it is asked for the text "corner": those that say
 * something, and whose name is no matrix's. */
bool csv_labels_keep(csv_labels *l, bool keeps_corner, const char *file, bundle *out, err *e);

void csv_labels_free(csv_labels *l);

#endif
