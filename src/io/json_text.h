/* A JSON text, and how to move in it: the place of a byte, what a message says was found there,
 * and the steps from value to value that are safe once json_scan has passed the text.
 *
 * Values are named by the address of their first byte; nothing is copied and no tree is built. */
#ifndef SELFATTN_IO_JSON_TEXT_H
#define SELFATTN_IO_JSON_TEXT_H

#include "base/err.h"

#include <stdint.h>

typedef struct json_text {
    const char *file;        /* for messages; borrowed */
    const char *bytes, *end; /* without the byte order mark */
    size_t line;             /* of `seen`, which begins its line at `line_start` */
    const char *line_start, *seen;
    bool is_in_binary;        /* a part of a file without lines: places are bytes of the file */
    size_t first_byte;        /* of the file, at which the text begins there */
    struct json_lists *lists; /* what the scan reads at once (io/json_lists.h), or NULL; borrowed */
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

const char *json_skip_space(const json_text *t, const char *at);

/* What stands at `at`, as a message quotes it: 'x', '12', "a text", or "the end of the text". */
enum { JSON_FOUND = 64 };
const char *json_found(const json_text *t, const char *at, char out[JSON_FOUND]);

/* The end of the letters, digits and signs of numbers from `at` on: what was meant as one value. */
const char *json_word_end(const json_text *t, const char *at);

/* The value of four hexadecimal digits, or -1. */
int json_hex4(const char *at, const char *end);

/* From here on the text must have passed the scan. It may lie in a file that somebody writes to
 * meanwhile: no walk goes beyond the end of the text, and all come to an end. What no text has that
 * passed the scan is remembered, and there is no entry any more. */

/* False, with the error set: the text has changed since the scan. */
bool json_fail_changed(json_text *t, err *e);
/* The same, in place of what was found wrong, where a walk has seen it. */
bool json_check_unchanged(json_text *t, err *e);

/* The value that the text is, or NULL where it has changed. */
const char *json_whole(json_text *t);
/* The first entry of the array or object that opens at `at`, and the one that follows a value's
 * end; NULL where there is none. An object's entry begins with its key. */
const char *json_first(json_text *t, const char *at);
const char *json_next(json_text *t, const char *value_end);
/* The value that belongs to the key at `at`; the key itself where the text has changed. */
const char *json_member(json_text *t, const char *key);
/* The first byte behind the value at `at`. */
const char *json_value_end(json_text *t, const char *at);
/* The same of a list or an object, of which the last value ends there. */
const char *json_close(json_text *t, const char *value_end);

/* True for a string that spells this word of ASCII, with escapes or without. */
bool json_string_is(const json_text *t, const char *at, const char *word);

/* The next character of a string, escapes resolved, as a code point; JSON_STRING_END at the
 * closing quote, and where the text ends. `at` starts behind the opening one. */
enum { JSON_STRING_END = 0x110000 };
uint32_t json_next_character(const char **at, const char *end);

#endif
