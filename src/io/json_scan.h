/* A JSON text: the one scanner, how to move in a text that it has passed, and what stands there.
 *
 * The scan is strict: is this JSON, by RFC 8259 and nothing else? Beyond the grammar it wants UTF-8
 * without surrogates or overlong forms, no half of a surrogate pair in escapes, no key twice in an
 * object, nesting of at most JSON_MAX_DEPTH, numbers of at most NUMBER_MAX_TEXT bytes. It takes
 * n·log n time at most. A visitor is told what the scan meets, and may read lists faster than the
 * scan itself would (json_lists).
 *
 * Values are named by the address of their first byte; nothing is copied and no tree is built. */
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
    size_t line;             /* of `seen`, which begins its line at `line_start` */
    const char *line_start, *seen;
    bool is_in_binary;        /* a part of a file without lines: places are bytes of the file */
    size_t first_byte;        /* of the file, at which the text begins there */
    struct json_lists *lists; /* that were read during the scan, or NULL; borrowed */
    size_t names;             /* bytes that names and objects of it take in memory */
    bool has_changed;         /* since the scan, as the walk has seen */
} json_text;

/* `first_line` is the line of the file in which the bytes begin; 0 counts as 1. A byte order mark
 * at the start is skipped, as RFC 8259, section 8.1 allows. */
json_text json_text_of(const char *bytes, size_t length, const char *file, size_t first_line);
/* A text inside a binary file, from its byte `first_byte` on. */
json_text json_text_within(const char *bytes, size_t length, const char *file, size_t first_byte);

/* Counts on from where it was asked last, so that asking for places in their order takes linear
 * time, on one long line too. */
place json_place(json_text *t, const char *at);

/* What stands at `at`, as a message quotes it: 'x', '12', "a text", or "the end of the text". */
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

/* The end of the letters, digits and signs of numbers from `at` on: what was meant as one value. */
const char *json_word_end(const char *at, const char *end);

/* A character that stands for itself in a string of JSON, and is ASCII. */
static inline bool json_is_plain(char c)
{
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

/* Counts what a name or an object at `at` takes in memory: some hundred bytes however short it is,
 * so that a text of nothing but names would take far more memory than it has bytes. Refused where
 * all of them are beyond 3 MB and 30 times the text. */
bool json_take_room(json_text *t, const char *at, size_t bytes, err *e);

/* ---- the scan ---- */

/* What a scan meets, in the order of the text, in lists and objects of which `depth` are open. A
 * function may be NULL, and ends the scan by returning false, with the error set. */
typedef struct json_visitor {
    void *to;
    /* A list or an object opens; inside a list where `in_list`. A visitor that has read all of it
     * says what stands after it; *after is NULL. */
    bool (*open)(void *to, const char *at, size_t depth, bool in_list, const char **after, err *e);
    bool (*close)(void *to, const char *bracket, size_t depth, size_t entries, err *e);
    bool (*key)(void *to, const char *at, const char *end, size_t depth, err *e);
    /* A text, a number, true, false or null. */
    bool (*value)(void *to, const char *at, const char *end, size_t depth, err *e);
} json_visitor;

/* visitor: NULL for none. */
bool json_scan(json_text *t, const json_visitor *visitor, err *e);

/* ---- a text that has passed the scan ---- */

/* Somebody may write to its file meanwhile: no walk goes beyond the end of the text, and all come
 * to an end. A walk that meets what the scan would have refused remembers that the text has
 * changed, and finds no more entries. */

/* False, with the error set: the text has changed since the scan. */
bool json_fail_changed(json_text *t, err *e);
/* The same, in place of what was found wrong, where a walk has seen it. */
bool json_check_unchanged(json_text *t, err *e);

/* Lets a visitor see the value at `at`. */
bool json_visit(json_text *t, const char *at, const json_visitor *visitor, err *e);

/* The value that the text is, or NULL where it has changed. */
const char *json_whole(json_text *t);
/* The first entry of the array or object that opens at `at`, and the one that follows a value;
 * NULL where there is none. An object's entry begins with its key. */
const char *json_first(json_text *t, const char *at);
const char *json_next(json_text *t, const char *value);
/* The value that belongs to the key there; the key itself where the text has changed. */
const char *json_member(json_text *t, const char *key_at);
/* The first byte after the value at `at`. */
const char *json_value_end(json_text *t, const char *at);

/* Where the value is that a way leads to from the one at `at`: names of members and places in
 * lists, counted from 0, with points between, as in layers.0.wq. A name may have points itself; a
 * member's whole name goes before a way through another. NULL where it leads to none. */
const char *json_way_find(json_text *t, const char *at, const char *way);

/* True for a string that spells this word of ASCII, with escapes or without, or begins with it. */
bool json_string_is(const json_text *t, const char *at, const char *word);
bool json_string_begins(const json_text *t, const char *at, const char *word);
/* The characters of the string [at, end), escapes resolved; `to` has room for end - at bytes. A
 * NUL becomes U+FFFD, and *has_nul true. Gives how many bytes they take. */
size_t json_string_resolve(const char *at, const char *end, char *to, bool *has_nul);
/* The same as a string that the caller frees with mem_free. NULL with the error set when it holds a
 * NUL or has more than `most` bytes (0: any number). */
char *json_string_read(json_text *t, const char *at, size_t most, err *e);
/* "NaN", "Infinity", "-inf": JSON has no numbers for them, and they are texts. False for any
 * other. */
bool json_nonfinite_read(json_text *t, const char *at, double *value);

#endif
