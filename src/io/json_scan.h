/* JSON in memory: json_scan checks a text once; after that the other functions walk through it.
 *
 * The scan takes RFC 8259 and nothing else. Besides, it refuses bytes that are not UTF-8, half a
 * surrogate pair in escapes, a key that an object has twice, nesting deeper than JSON_MAX_DEPTH,
 * and numbers longer than NUMBER_MAX_TEXT bytes. It takes n·log n time at most. A visitor hears
 * what the scan meets, and may read lists itself, faster (json_lists).
 *
 * A value is the address of its first byte: nothing is copied, and no tree is built. The caller
 * keeps the bytes for as long as it uses the text. */
#ifndef SELFATTN_IO_JSON_SCAN_H
#define SELFATTN_IO_JSON_SCAN_H

#include "base/text.h"
#include "tensor/bundle.h"
#include "tensor/key.h"

#include <stdint.h>

enum { JSON_MAX_DEPTH = 64, JSON_MAX_LABEL = 4096 /* bytes of a name or a label */ };

typedef struct json_text {
    const char *file;        /* for messages; borrowed */
    const char *bytes, *end; /* without the byte order mark */
    size_t line;             /* of the place that json_place was asked for last: */
    const char *line_start, *seen;
    bool is_in_binary;        /* the file has no lines: a place is a byte of the file */
    size_t first_byte;        /* where in that file the text begins */
    struct json_lists *lists; /* matrices that were read during the scan, or NULL; borrowed */
    size_t names;             /* bytes of memory that its names and objects take */
    bool has_changed;         /* a walk has seen that the bytes changed after the scan */
} json_text;

/* A text that begins in this line of the file; 0 counts as 1. A byte order mark at the start is
 * skipped, as RFC 8259, section 8.1 allows. */
json_text json_text_of(const char *bytes, size_t length, const char *file, size_t first_line);
/* A text inside a binary file, which begins at its byte `first_byte`. */
json_text json_text_within(const char *bytes, size_t length, const char *file, size_t first_byte);

/* Line and column of a byte. It counts from the place that it was asked for last: places that are
 * asked for in order take linear time together, on one long line too. */
place json_place(json_text *t, const char *at);

/* What a message calls the thing at `at`: 'x', '12', "a text", or "the end of the text". */
enum { JSON_FOUND = 64 };
const char *json_found(const json_text *t, const char *at, char out[JSON_FOUND]);
/* "expected a list of texts, found 3". Returns false. */
bool json_expected(json_text *t, const char *at, const char *wanted, err *e);

/* The white space of JSON: bit c is set for the character c. */
static const uint64_t JSON_SPACES = (uint64_t)1 << ' ' | 1 << '\t' | 1 << '\n' | 1 << '\r';

/* The first byte from `at` on that is not white space, or `end`. */
static inline const char *json_space_end(const char *at, const char *end)
{
    while (at < end && (unsigned char)*at <= ' ' && (JSON_SPACES >> *at & 1) != 0)
        at++;
    return at;
}

bool json_begins_number(char first);

/* Where the letters, digits and signs end that begin at `at`: what was meant as one value. */
const char *json_word_end(const char *at, const char *end);

/* A character that stands for itself in a string of JSON, and is ASCII. */
static inline bool json_is_plain(char c)
{
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

/* Counts the memory of a name or an object at `at`. Even a short one takes some hundred bytes, so a
 * text of nothing but names would need far more memory than it has bytes. Fails once all of them
 * take more than 3 MB and more than 30 times the text. */
bool json_take_room(json_text *t, const char *at, size_t bytes, err *e);

/* ---- the scan ---- */

/* Functions that the scan calls in the order of the text; `depth` lists and objects are open then.
 * NULL: it is not called. One that returns false, with the error set, ends the scan. */
typedef struct json_visitor {
    void *to;
    /* A list or an object opens; `in_list`: inside a list. A visitor that has read all of it itself
     * sets *after, which is NULL, to the byte after it, and the scan goes on there. */
    bool (*open)(void *to, const char *at, size_t depth, bool in_list, const char **after, err *e);
    bool (*close)(void *to, const char *bracket, size_t depth, size_t entries, err *e);
    bool (*key)(void *to, const char *at, const char *end, size_t depth, err *e);
    /* A text, a number, true, false or null. */
    bool (*value)(void *to, const char *at, const char *end, size_t depth, err *e);
} json_visitor;

/* visitor: NULL for none. */
bool json_scan(json_text *t, const json_visitor *visitor, err *e);

/* ---- a text that has passed the scan ---- */

/* The bytes may be those of a mapped file that another program writes to. So every walk ends, and
 * stays inside the text. A walk that meets what the scan would have refused remembers that the text
 * has changed, and finds no more entries. */

/* Returns false and says that the text has changed since the scan. */
bool json_fail_changed(json_text *t, err *e);
/* Fails where a walk has seen a change, and replaces the error that there may be: the change is its
 * cause. */
bool json_check_unchanged(json_text *t, err *e);

/* Calls the visitor for the value at `at` and all in it. */
bool json_visit(json_text *t, const char *at, const json_visitor *visitor, err *e);

/* The value that the whole text is; NULL where the text has changed. */
const char *json_whole(json_text *t);
/* The first entry of the list or object that opens at `at`, and the entry after a value; NULL where
 * there is none. An object's entry begins with its key. */
const char *json_first(json_text *t, const char *at);
const char *json_next(json_text *t, const char *value);
/* The value of a key; the key itself where the text has changed. */
const char *json_member(json_text *t, const char *key_at);
/* The first byte after the value at `at`. */
const char *json_value_end(json_text *t, const char *at);

/* The value that a way leads to from the one at `at`; NULL where it leads to none. A way is names
 * of members and places in lists, from 0, with points between: layers.0.wq. A name may have points
 * itself: a member that has the whole name comes first. */
const char *json_way_find(json_text *t, const char *at, const char *way);

/* Whether the string at `at`, its escapes resolved, is this ASCII word, or begins with it. */
bool json_string_is(const json_text *t, const char *at, const char *word);
bool json_string_begins(const json_text *t, const char *at, const char *word);
/* Writes the characters of the string [at, end) to `to`, which has room for end - at bytes, and
 * returns how many bytes they are. A NUL becomes U+FFFD and sets *has_nul. */
size_t json_string_resolve(const char *at, const char *end, char *to, bool *has_nul);
/* The same as a new string, which the caller frees with mem_free. NULL, with the error set, where
 * it has a NUL or more than `most` bytes (0: any number). */
char *json_string_read(json_text *t, const char *at, size_t most, err *e);
/* Reads "NaN", "Infinity" or "-inf", which are texts since JSON has no such numbers. False for any
 * other text. */
bool json_nonfinite_read(json_text *t, const char *at, double *value);

#endif
