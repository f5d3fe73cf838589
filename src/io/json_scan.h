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

/* ---- matrices in it ----
 *
 * Nested lists of numbers (or of true and false) straight from the bytes of JSON into a tensor: no
 * tree is built, and nearly every list is looked at once.
 *
 * Nearly all of a large document is matrices: lists of lists of numbers, all equally long. The scan
 * hands over each list that is not inside another. If it is such a matrix, it is read at once, in
 * the type that is most likely wanted, and found again by its address. Any other list is left to
 * the scan; it is read later by the rules of its key, which say what is wrong with it. */

typedef struct json_list {
    const char *at, *end;
    tensor values;    /* until somebody takes them, */
    const void *data; /* and where they are also then */
} json_list;

typedef struct json_lists {
    dtype type;      /* that numbers are read as */
    size_t threads;  /* that may read long lists of rows */
    const char *end; /* of the text */
    json_list *list; /* in the order of the text */
    size_t count, capacity;
    char *scratch; /* for the values of a list whose length isn't known yet */
    size_t room;   /* bytes in it */
} json_lists;

/* The visitor's `open`, to json_lists: of a list that is not inside another, if it is a matrix,
 * reads it in the lists' own type. */
bool json_lists_open(void *to, const char *at, size_t depth, bool in_list, const char **after,
                     err *e);

/* The first byte after the list that was read at this address, or NULL; `lists` may be NULL. */
const char *json_lists_end(const json_lists *lists, const char *at);

void json_lists_free(json_lists *lists);

/* The numbers of the list that opens at `at` in a text that ends at `end`, and the first byte
 * after it. Where it is not a matrix of rank 1 to 4 of nothing but numbers that fit the type, NULL
 * is after it and nothing is read. False, with the error set, where there is no memory. */
bool json_list_read(json_lists *lists, const char *at, const char *end, dtype type, tensor *values,
                    const char **after, err *e);

/* What the elements of a matrix may be, and what they become. From here on the text must have
 * passed the scan. */
typedef struct json_matrix_rules {
    key_kind kind; /* KEY_MATRIX, KEY_BIAS, KEY_MASK, KEY_TRUTHS or KEY_EXPECTED */
    dtype type;    /* of numbers: a mask and truths are DTYPE_BOOL */
    bool allow_nonfinite;
    bool allow_too_large; /* a number that the type does not hold */
    bool is_setting;      /* of DTYPE_F64: what is not 0 is not taken for 0 */
    int most_rank;
} json_matrix_rules;

/* Reads the value at `at`: a list of rank 1 to rules->most_rank, or one number as rank 0. All lists
 * of one depth must be equally long, and none empty. */
bool json_matrix_read(json_text *t, const char *at, const json_matrix_rules *rules, tensor *out,
                      err *e);

/* Whether a value is a list of numbers (and NaN, infinities, null), be they such as can be read or
 * not. */
bool json_is_numbers(json_text *t, const char *at, int most_rank);

/* The number at `at` as float64, for what is not a matrix: settings, tolerances. */
bool json_number_read(json_text *t, const char *at, double *value, err *e);

/* ---- texts that are like the one before ----
 *
 * Lines of a stream often differ in nothing but the numbers of
 * their matrices, and their names. Then what stands between these need not be checked and looked up
 * once more, and they go to the places of those before.
 *
 * A text is like another if it has the same bytes outside of them, matrices of the same shape where
 * that has its own, and texts of nothing but plain characters for its texts (KEY_TEXT: what only
 * people read). So it is as well-formed, and asks the same of other numbers. */

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
