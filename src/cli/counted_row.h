/* A first row of 0, 1, 2, … in a table, which pandas writes above columns that have no names. It
 * may be data as well, and is read as such; but not without a word. */
#ifndef SELFATTN_CLI_COUNTED_ROW_H
#define SELFATTN_CLI_COUNTED_ROW_H

#include "cli/note.h"
#include "tensor/bundle.h"

/* Says so where the rows below are numbers with fractions. */
void counted_row_note(const env *world, const options *o, const entry *matrix);

#endif
