/* What the end of a file's name says of its format. */
#ifndef SELFATTN_IO_ENDING_H
#define SELFATTN_IO_ENDING_H

#include "base/named.h"

/* A table whose rows say how their files end: ".csv .txt" stands `at` bytes into a row. */
typedef struct ending_table {
    const named_table *rows;
    size_t at;
} ending_table;

/* The row that the file's name ends as, capitals or not, with something before it; NULL: none. */
const named *ending_find(const ending_table *table, const char *file);

/* Refuses a file that is to hold `what` and ends as a type of file does that the table has not:
 * ".docx". A name may end in nothing, and in what says nothing of the content: ".tmp". */
bool ending_check(const ending_table *table, const char *what, const char *file, err *e);

#endif
