/* Lists of numbers that are read while the strict scan goes over them, so that each is looked at
 * once.
 *
 * Nearly all of a large document is matrices: lists of lists of numbers, as long as each other. The
 * scan hands over each list that a key, or nothing, stands before. What is such a matrix is then
 * read, in the type that is most likely wanted, and found again under its address; whatever is
 * anything else is left to the scan, and to the reader that says what is wrong with it. */
#ifndef SELFATTN_IO_JSON_LISTS_H
#define SELFATTN_IO_JSON_LISTS_H

#include "tensor/tensor.h"

typedef struct json_list {
    const char *at, *end;
    tensor values;    /* until somebody takes them, */
    const void *data; /* and where they are also then */
} json_list;

typedef struct json_lists {
    dtype type;      /* that numbers are read as */
    size_t threads;  /* that may read long lists of rows */
    json_list *list; /* in the order of the text */
    size_t count, capacity;
    char *scratch; /* for the values of a list whose length isn't known yet */
    size_t room;   /* bytes in it */
} json_lists;

/* The numbers of the list that opens at `at` in a text that ends at `end`, and the first byte
 * behind it. Where it is no matrix of rank 1 to 4 that fits the type, or is beyond `depth` lists in
 * each other, NULL is behind it and nothing is read. False, with the error set, where there is no
 * memory. */
bool json_list_read(json_lists *lists, const char *at, const char *end, dtype type, tensor *values,
                    const char **behind, err *e);

/* The same in the lists' own type, and remembers the values. */
bool json_lists_add(json_lists *lists, const char *at, const char *end, const char **behind,
                    err *e);

/* The list at this address, or NULL; `lists` may be NULL. */
json_list *json_lists_find(const json_lists *lists, const char *at);

void json_lists_free(json_lists *lists);

#endif
