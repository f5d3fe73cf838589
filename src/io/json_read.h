/* A JSON text that is like the one before it is read faster (json_read itself is in io/format.h).
 *
 * Lines of a stream often differ only in the numbers of their matrices and in their names. Then the
 * bytes between these need not be checked and looked up again: the numbers and names go into the
 * entries of the text before.
 *
 * A text is like another if the bytes between are the same, its matrices have the same shapes, and
 * its texts (KEY_TEXT: what only people read) have plain characters alone. So it is as well-formed
 * as the other, and asks the same of other numbers. */
#ifndef SELFATTN_IO_JSON_READ_H
#define SELFATTN_IO_JSON_READ_H

#include "io/json_matrix.h"
#include "io/json_scan.h"

enum { JSON_AGAIN_MOST = 16, JSON_AGAIN_TEXTS = 4, JSON_AGAIN_NAME = 16 };

/* A value that may change from text to text: the matrix or the text of the entry of this name. */
typedef struct json_again_value {
    size_t end;                 /* where in `between` the bytes in front of it end */
    char name[JSON_AGAIN_NAME]; /* an entry with a longer one is not remembered */
    bool is_text;
    tensor numbers; /* of a matrix; borrowed from the entry */
} json_again_value;

/* Where such a value stands in the text that is being read. */
typedef struct json_again_place {
    const char *at, *end;
    json_again_value value;
} json_again_place;

typedef struct json_again {
    bool is_set; /* a text is remembered */
    text between;
    json_again_value value[JSON_AGAIN_MOST];
    size_t values;
    json_again_place text[JSON_AGAIN_TEXTS]; /* while it is read */
    size_t texts;
    json_lists lists;
} json_again;

/* Reads a text into `to`, which holds the entries of the text that is remembered. False where the
 * two are not alike: then some entries may have changed already, and nothing is remembered any
 * more. */
bool json_again_read(json_again *a, const char *bytes, size_t length, bundle *to);

void json_again_forget(json_again *a);
void json_again_free(json_again *a);

#endif
