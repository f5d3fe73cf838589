/* A row of a table with a name and a one-line help. Options, commands, formats, stages, score
 * functions, renderers and terms are tables of structures that begin with a `named`, so that
 * looking up, "did you mean" and `selfattn help` work on each of them. */
#ifndef SELFATTN_BASE_NAMED_H
#define SELFATTN_BASE_NAMED_H

#include "base/text.h"

#include <stddef.h>

typedef struct named {
    const char *name;
    const char *help;
} named;

/* What others call a row: "query" is q. A table of them ends with a `name` of NULL. */
typedef struct synonym {
    const char *name, *means;
} synonym;

/* A table of any such structure: `first` is its first row, `row` the size of a row. A table made of
 * `parts` has no rows of its own, but theirs, one table after the other. */
typedef struct named_table {
    const char *what; /* what a row is, in a message: "stage" */
    const named *first;
    size_t count, row;
    const synonym *synonyms;                /* or NULL */
    const struct named_table *const *parts; /* which end with a NULL; or NULL */
    bool is_sorted;                         /* by strcmp: a row is then found by halving */
} named_table;

#define NAMED_TABLE(what, rows) NAMED_TABLE_ALSO(what, rows, NULL)
#define NAMED_TABLE_ALSO(what, rows, synonyms)                                                     \
    {                                                                                              \
        (what), (const named *)(const void *)(rows), sizeof(rows) / sizeof((rows)[0]),             \
            sizeof((rows)[0]), (synonyms), NULL, false                                             \
    }

size_t named_count(const named_table *table);
const named *named_row(const named_table *table, size_t index);

/* The row of exactly this name, or NULL. */
const named *named_find(const named_table *table, const char *name, size_t length);

/* The row whose synonym this name is, or NULL. */
const named *named_by_synonym(const named_table *table, const char *name, size_t length);

/* What "did you mean" offers: the row whose synonym this name is, or else the row nearest in
 * spelling; NULL where none is near. */
const named *named_nearest(const named_table *table, const char *name, size_t length);

/* The nearer in spelling of two rows, `a` if both are equally near; either may be NULL. */
const named *named_nearer(const named *a, const named *b, const char *name, size_t length);

/* "a, b or c": all names, for a message. */
void named_list(const named_table *table, text *out);

/* ---- what the end of a file's name says of its format ---- */

/* A table whose rows say how their files end: the text ".csv .txt" is `at` bytes into a row. */
typedef struct ending_table {
    const named_table *rows;
    size_t at;
} ending_table;

/* The row that the file's name ends as, capitals or not, with something before it; NULL: none. */
const named *ending_find(const ending_table *table, const char *file);

/* Refuses a file that is to hold `what` if its ending is that of a file type that the table lacks:
 * ".docx". A name without an ending is allowed, and so is one whose ending says nothing of the
 * content: ".tmp". */
bool ending_check(const ending_table *table, const char *what, const char *file, err *e);

#endif
