/* A string that grows: what writers and renderers write into.
 *
 * Running out of memory is remembered in it, so that a writer may append without asking each time
 * and check once at the end with `text_ok`. */
#ifndef SELFATTN_BASE_TEXT_H
#define SELFATTN_BASE_TEXT_H

#include "base/err.h"

typedef struct text {
    char *data; /* NUL after the last byte, or NULL when nothing was ever added */
    size_t length, capacity;
    size_t most; /* an append that would make it longer fails; 0: no limit */
    bool failed, is_full;
} text;

void text_add(text *t, const char *bytes, size_t length);
void text_add_string(text *t, const char *string);
void text_add_format(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_arguments(text *t, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void text_add_repeated(text *t, const char *string, size_t times);

/* Room for `length` more bytes, to be written in place and counted with `text_added`; NULL when
 * there is no memory. */
char *text_room(text *t, size_t length);
void text_added(text *t, size_t length);

/* False, with the error set, when an append found no memory. */
bool text_ok(const text *t, err *e);

/* The bytes so far as a string, never NULL; borrowed. */
const char *text_string(const text *t);

void text_clear(text *t); /* empty, memory kept; what has failed stays failed */
void text_free(text *t);
/* Frees a text that went into `whole`; if an append failed in it, `whole` has failed too. */
void text_close(text *part, text *whole);

#endif
