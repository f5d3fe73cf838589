/* What went wrong, and where in the user's own file.
 *
 * The message is made once, where the facts are, and travels unchanged to src/cli, the only place
 * that prints. A function that can fail returns bool (or a pointer), takes `err *` last, and leaves
 * the first error in it. Nothing here allocates, so running out of memory can be reported like
 * everything else. */
#ifndef SELFATTN_BASE_ERR_H
#define SELFATTN_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* A place in an input: line and column count from 1 (bytes); line 0 means the file as a whole, and
 * then `byte` counts (from 0) where `has_byte` says that it is known: binary files have no lines.
 * `file` is borrowed, and names a file, or with `is_option` an option of the command line
 * ("heads"). */
typedef struct place {
    const char *file;
    size_t line, column, byte;
    bool has_byte, is_option;
} place;

/* The place of what an option says; `name` is the option's, without dashes, and is borrowed. */
place place_of_option(const char *name);

/* "weights.csv:3:17", "w.npy: byte 8", "--heads", or "" for no place. */
enum { PLACE_TEXT = 512 };
const char *place_text(const place *at, char out[PLACE_TEXT]);

typedef struct err {
    bool is_set;
    bool is_memory;         /* memory was missing: the input may be well */
    char where[PLACE_TEXT]; /* "weights.csv:3:17", or empty */
    char what[2048];        /* one line, both values in it */
    char remedy[512];       /* what to do about it, or empty */
} err;

/* Both lines as a person reads them, "selfattn: WHERE: WHAT" and the remedy below. */
enum { ERR_TEXT = sizeof(err) + 32 };
const char *err_text(const err *e, char out[ERR_TEXT]);

/* No error yet. Sets what is read without one and no more: an err is large, and cleared often. */
void err_clear(err *e);

/* All of these return false, so that a failing check is `return err_at(e, &p, …)`. Where an error
 * is set already, it stays. Text of the user's that a terminal would obey becomes a '?'. */
bool err_at(err *e, const place *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool err_set(err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool err_option(err *e, const char *option, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool err_no_memory(err *e, size_t bytes);
/* `own` of the `most` bytes that may be used are the program's own, on top of the user's limit. */
bool err_memory_limit(err *e, size_t wanted, size_t used, size_t most, size_t own);

/* Gives a place to an error that has none. Returns false. */
bool err_place(err *e, const place *at);

/* Adds to the message which of several alike it is about: "layer 2, cross". Returns false. */
bool err_within(err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the second line, "what to do about it", to the error just made. Returns false. */
bool err_remedy(err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
