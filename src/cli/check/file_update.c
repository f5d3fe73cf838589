#include "cli/check/file_update.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "io/sink.h"

#include <stdlib.h>
#include <string.h>

bool file_update_open(file_update *u, const char *file, err *e)
{
    *u = (file_update){0};
    return old_file_open(&u->old, file, e);
}

static size_t bytes_from(const file_update *u, const char *at)
{
    return u->old.read.length - (size_t)(at - u->old.read.bytes);
}

/* Values are mostly looked for one after the other, so that lines are walked through once. False
 * where there are not so many. */
static bool find_line(file_update *u, size_t number)
{
    if (u->number == 0 || number < u->number) {
        u->line = u->old.read.bytes + utf8_mark(u->old.read.bytes, u->old.read.length);
        u->number = 1;
    }
    for (; u->number < number; u->number++) {
        const char *end = memchr(u->line, '\n', bytes_from(u, u->line));
        if (end == NULL)
            return false;
        u->line = end + 1;
    }
    return true;
}

const char *file_update_find(file_update *u, const place *at)
{
    bool is_there = find_line(u, at->line) && at->column - 1 < bytes_from(u, u->line);
    return is_there ? u->line + at->column - 1 : NULL;
}

edit *file_update_add(file_update *u, const char *at, size_t length, err *e)
{
    edit *grown = mem_grow(u->edit, u->count, &u->capacity, sizeof u->edit[0], e);
    if (grown == NULL)
        return NULL;
    u->edit = grown;
    edit *added = &u->edit[u->count++];
    *added = (edit){.at = at, .length = length};
    return added;
}

static int by_place(const void *a, const void *b)
{
    const edit *one = a, *other = b;
    return (one->at > other->at) - (one->at < other->at);
}

static void add_edited(file_update *u, text *to)
{
    const char *at = u->old.read.bytes;
    qsort(u->edit, u->count, sizeof u->edit[0], by_place);
    for (size_t i = 0; i < u->count; i++) {
        text_add(to, at, (size_t)(u->edit[i].at - at));
        text_add_string(to, u->edit[i].becomes);
        at = u->edit[i].at + u->edit[i].length;
    }
    text_add(to, at, bytes_from(u, at));
}

bool file_update_write(file_update *u, err *e)
{
    sink to;
    if (u->count == 0)
        return true;
    if (!sink_open(&to, u->old.read.file, e))
        return false;
    to.over = &u->old;
    to.syncs = true;
    add_edited(u, sink_text(&to));
    return sink_close(&to, e);
}

void file_update_free(file_update *u)
{
    old_file_close(&u->old);
    mem_free(u->edit);
    *u = (file_update){0};
}
