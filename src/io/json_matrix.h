/* Matrices in JSON, nested lists of numbers or of true and false, read from the bytes into tensors.
 *
 * Nearly all of a large document is such lists, so no tree is built and nearly every list is read
 * once, during the scan: the scan hands over each list that is not inside another. If it is a
 * matrix of numbers, it is read at once, in the type that is most likely wanted, kept by its
 * address, and found again when its key asks for it. Any other list is left to the scan, and read
 * later by the rules of its key, which say what is wrong with it. */
#ifndef SELFATTN_IO_JSON_MATRIX_H
#define SELFATTN_IO_JSON_MATRIX_H

#include "io/json_scan.h"

typedef struct json_list {
    const char *at, *end;
    tensor values;    /* owned, until they are taken */
    const void *data; /* of the values, also after they were taken */
} json_list;

typedef struct json_lists {
    dtype type;      /* numbers are read as this */
    size_t threads;  /* so many may read the rows of a long list */
    const char *end; /* of the text */
    json_list *list; /* in the order of the text */
    size_t count, capacity;
    char *scratch; /* for the values of a list whose length isn't known yet */
    size_t room;   /* bytes in it */
} json_lists;

/* The `open` of a visitor whose `to` is a json_lists: reads a list that is not inside another, if
 * it is a matrix. */
bool json_lists_open(void *to, const char *at, size_t depth, bool in_list, const char **after,
                     err *e);

/* The first byte after the list that was read at this address, or NULL; `lists` may be NULL. */
const char *json_lists_end(const json_lists *lists, const char *at);

void json_lists_free(json_lists *lists);

/* Reads the list that opens at `at` in a text that ends at `end`, and sets *after to the byte after
 * it. Where the list is not a matrix of rank 1 to 4 of nothing but numbers that fit the type,
 * nothing is read and *after is NULL. False, with the error set, only where memory is missing. */
bool json_list_read(json_lists *lists, const char *at, const char *end, dtype type, tensor *values,
                    const char **after, err *e);

/* ---- from here on the text must have passed the scan ---- */

/* What the elements of a matrix may be, and what they become. */
typedef struct json_matrix_rules {
    key_kind kind; /* KEY_MATRIX, KEY_BIAS, KEY_MASK, KEY_TRUTHS or KEY_EXPECTED */
    dtype type;    /* of numbers: a mask and truths are DTYPE_BOOL */
    bool allow_nonfinite;
    bool allow_too_large; /* a number that the type does not hold */
    bool is_setting;      /* DTYPE_F64; a number too small for it is not taken for 0 */
    int most_rank;
} json_matrix_rules;

/* Reads the value at `at`: a list of rank 1 to rules->most_rank, or one number as rank 0. All lists
 * of one depth must be equally long, and none empty. */
bool json_matrix_read(json_text *t, const char *at, const json_matrix_rules *rules, tensor *out,
                      err *e);

/* Whether a value is a list of numbers (and NaN, infinities, null), whether or not they can be
 * read. */
bool json_is_numbers(json_text *t, const char *at, int most_rank);

/* The number at `at` as float64, for what is not a matrix: settings, tolerances. */
bool json_number_read(json_text *t, const char *at, double *value, err *e);

#endif
