/* Rows of short words in aligned columns: numbers to the right, names to the left. */
#ifndef SELFATTN_CLI_DIFF_COLUMNS_H
#define SELFATTN_CLI_DIFF_COLUMNS_H

#include "base/text.h"
#include "tensor/bundle.h"

typedef struct columns {
    const char *alignment; /* a letter a column, l or r; static */
    text_list cells;       /* row by row */
    text cell;             /* that is being made */
} columns;

/* Where the next cell is written; columns_next ends it. */
text *columns_cell(columns *c);
bool columns_next(columns *c, err *e);
/* A cell of these words. */
bool columns_add(columns *c, const char *words, err *e);

void columns_write(const columns *c, text *out);
void columns_free(columns *c);

#endif
