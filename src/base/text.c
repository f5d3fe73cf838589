#include "base/text.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Makes room for `length` more bytes. */
static char *grow(text *t, size_t length)
{
    size_t needed;
    if (t->failed || !size_add(t->length, length, &needed) || !size_add(needed, 1, &needed)) {
        t->failed = true;
        return NULL;
    }
    size_t most = t->most == 0 ? SIZE_MAX : t->most + 1, doubled = t->capacity * 2;
    if (needed > most) {
        t->failed = t->is_full = true;
        return NULL;
    }
    size_t capacity = needed > doubled ? needed : doubled < most ? doubled : most;
    err ignored = {0}; /* text_ok reports it */
    char *larger = mem_resize(t->data, capacity, 1, &ignored);
    if (larger == NULL) {
        t->failed = true;
        return NULL;
    }
    t->data = larger;
    t->capacity = capacity;
    return t->data + t->length;
}

char *text_room(text *t, size_t length)
{
    bool fits = t->capacity - t->length > length && !t->failed;
    return fits ? t->data + t->length : grow(t, length);
}

void text_added(text *t, size_t length)
{
    t->length += length;
    t->data[t->length] = '\0';
}

void text_add(text *t, const char *bytes, size_t length)
{
    char *room = text_room(t, length);
    if (room == NULL)
        return;
    if (length > 0)
        memcpy(room, bytes, length);
    text_added(t, length);
}

void text_add_string(text *t, const char *string)
{
    text_add(t, string, strlen(string));
}

void text_add_arguments(text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *room = text_room(t, length < 0 ? SIZE_MAX : (size_t)length);
    if (room != NULL) {
        vsnprintf(room, (size_t)length + 1, format, again);
        text_added(t, (size_t)length);
    }
    va_end(again);
}

void text_add_format(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_add_arguments(t, format, args);
    va_end(args);
}

void text_add_repeated(text *t, const char *string, size_t times)
{
    while (times-- > 0)
        text_add_string(t, string);
}

bool text_ok(const text *t, err *e)
{
    return !t->failed || mem_fail(e, t->length);
}

const char *text_string(const text *t)
{
    return t->data == NULL ? "" : t->data;
}

void text_clear(text *t)
{
    t->length = 0;
    if (t->data != NULL)
        t->data[0] = '\0';
}

void text_free(text *t)
{
    mem_free(t->data);
    *t = (text){0};
}

void text_close(text *part, text *whole)
{
    whole->failed = whole->failed || part->failed;
    text_free(part);
}
