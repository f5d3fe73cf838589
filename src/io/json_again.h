/* Texts that are like the one before: lines of a stream often differ in nothing but the numbers of
 * their matrices. Then what stands between the matrices need not be checked and looked up once
 * more, and the numbers go to the places of those before.
 *
 * A text is like another if it has the same bytes outside of the matrices, and matrices of the same
 * shape where that has its own. So it is as well-formed, and says the same of other numbers. */
#ifndef SELFATTN_IO_JSON_AGAIN_H
#define SELFATTN_IO_JSON_AGAIN_H

#include "base/text.h"
#include "io/json_lists.h"
#include "tensor/bundle.h"

enum { JSON_AGAIN_MOST = 16, JSON_AGAIN_NAME = 16 };

/* A matrix of the text: its numbers are those of the entry of this name. */
typedef struct json_again_matrix {
    size_t end;                 /* of the bytes in front of it, in `between` */
    char name[JSON_AGAIN_NAME]; /* an entry with a longer one is not remembered */
    tensor numbers;             /* borrowed from the entry */
} json_again_matrix;

typedef struct json_again {
    bool is_set; /* a text is remembered */
    text between;
    json_again_matrix matrix[JSON_AGAIN_MOST];
    size_t matrices;
    json_lists lists;
} json_again;

/* Remembers a text that was read, with the lists in it of which entries of the bundle took the
 * numbers: json_read does it where it is asked to. Where memory is missing nothing is
 * remembered. */
void json_again_set(json_again *a, const char *bytes, const char *end, const json_lists *lists,
                    const bundle *read);

/* Reads a text into the entries of the one that is remembered. False where it is not like that;
 * then some of the numbers may have been replaced, and nothing is remembered any more. */
bool json_again_read(json_again *a, const char *bytes, size_t length);

void json_again_forget(json_again *a);
void json_again_free(json_again *a);

#endif
