/* Texts that are like the one before: lines of a stream often differ in nothing but the numbers of
 * their matrices, and their names. Then what stands between these need not be checked and looked up
 * once more, and they go to the places of those before.
 *
 * A text is like another if it has the same bytes outside of them, matrices of the same shape where
 * that has its own, and texts of nothing but plain characters for its texts (KEY_TEXT: what only
 * people read). So it is as well-formed, and asks the same of other numbers. */
#ifndef SELFATTN_IO_JSON_READ_H
#define SELFATTN_IO_JSON_READ_H

#include "io/json_matrix.h"
#include "io/json_scan.h"

enum { JSON_AGAIN_MOST = 16, JSON_AGAIN_TEXTS = 4, JSON_AGAIN_NAME = 16 };

/* A value that may be another: a matrix or a text, which the entry of this name has. */
typedef struct json_again_value {
    size_t end;                 /* of the bytes in front of it, in `between` */
    char name[JSON_AGAIN_NAME]; /* an entry with a longer one is not remembered */
    bool is_text;
    tensor numbers; /* of a matrix; borrowed from the entry */
} json_again_value;

/* Where the text that is being read has a value. */
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

/* Reads a text into the entries of the one that is remembered, which `to` holds. False where it is
 * not like that; then some of them may have been replaced, and nothing is remembered any more. */
bool json_again_read(json_again *a, const char *bytes, size_t length, bundle *to);

void json_again_forget(json_again *a);
void json_again_free(json_again *a);

#endif
