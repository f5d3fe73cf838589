/* Values of JSON in which there are no names: matrices, numbers, texts, words and lists of texts,
 * each read into an entry as what it is to be. Objects are json_read.c's, whose reader this is. The
 * text must have passed json_scan. */
#ifndef SELFATTN_IO_JSON_VALUE_H
#define SELFATTN_IO_JSON_VALUE_H

#include "io/format.h"
#include "io/json_room.h"

typedef struct json_reader {
    json_text text;
    const read_options *how;
    dtype type; /* of matrices: the document's own, or the caller's */
    json_room room;
    size_t depth;        /* of the objects that are open */
    const bundle *whole; /* what the text becomes */
} json_reader;

/* "expected a list of texts, found 3". Returns false. */
bool json_value_refuse(json_reader *r, const char *at, const char *wanted, err *e);

bool json_value_is_truth(const char *at);
/* Whether a list has nothing but texts in it. */
bool json_value_is_texts(json_reader *r, const char *list);

/* What an element makes of a matrix of this kind: true and false are that, but in a mask, which
 * takes 1 and 0 with them. NULL: there is none. */
key_kind json_value_kind(const char *element, key_kind kind);
/* What a list is, by its first element: KEY_LIST, KEY_RECORDS, or a matrix's kind. One list of
 * nothing but texts is that, be they "NaN"; deeper ones, and those with a number in them, are
 * matrices. */
int json_value_kind_of_list(json_reader *r, const char *list);

bool json_value_read_matrix(json_reader *r, key_kind kind, const char *at, entry *to, err *e);
bool json_value_read_number(json_reader *r, const char *at, entry *to, err *e);
bool json_value_read_text(json_reader *r, const char *at, entry *to, err *e);
bool json_value_read_setting(json_reader *r, const char *at, entry *to, err *e);
/* A setting, or a list of numbers; one of none is too few for whoever wants some, who says how
 * many. */
bool json_value_read_numbers(json_reader *r, const char *at, entry *to, err *e);
/* A list of texts. */
bool json_value_read_list(json_reader *r, const char *at, entry *to, err *e);

#endif
