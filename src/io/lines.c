#include "io/lines.h"

#include "base/utf8.h"
#include "io/format.h"
#include "io/json_scan.h"
#include "io/source.h"

#include <string.h>
#include <unistd.h>

static void forget(line_source *l)
{
    text_clear(&l->read);
    l->next = 0;
}

/* What is to come stays, in front; then as much is read as there is room for. Where that fails the
 * line that was begun is lost: for want of memory alone, or with all that follows. */
static bool read_more(line_source *l, err *e)
{
    size_t left = l->read.length - l->next;
    if (l->next > 0)
        memmove(l->read.data, l->read.data + l->next, left);
    l->read.length = left;
    l->next = 0;
    if (l->from != NULL) {
        text_add(&l->read, l->from->bytes, l->from->length);
        l->ends = true;
        return text_ok(&l->read, e);
    }
    size_t room = l->read.capacity > left + READ_BLOCK ? l->read.capacity - left - 1 : READ_BLOCK;
    bool done = descriptor_read(l->descriptor, l->file, room, &l->read, &l->ends, e);
    if (done && !l->is_checked && l->read.length >= READ_BLOCK) { /* of what may never end */
        l->is_checked = true;
        done = descriptor_is_file(l->descriptor) ||
               format_check_block(l->read.data, l->read.length, descriptor_name(l->file), e);
    }
    if (done)
        return true;
    l->skips = l->read.failed;
    l->ends = !l->skips;
    forget(l);
    return false;
}

/* Goes after the newline of a line of which the beginning was given up. */
static bool skip_rest(line_source *l, err *e)
{
    const char *newline = NULL;
    while (newline == NULL) {
        if (l->read.length > l->next)
            newline = memchr(l->read.data + l->next, '\n', l->read.length - l->next);
        if (newline != NULL) {
            l->next = (size_t)(newline - l->read.data) + 1;
            break;
        }
        forget(l);
        if (l->ends)
            break;
        if (!read_more(l, e))
            return false;
    }
    l->skips = false;
    return true;
}

static const char *hand_out(line_source *l, size_t *length, bool ends)
{
    const char *line = l->read.data + l->next;
    l->next += *length + !ends;
    size_t mark = l->number == 1 ? utf8_mark(line, *length) : 0;
    *length -= mark;
    return line + mark;
}

const char *lines_next(line_source *l, size_t *length, err *e)
{
    if (l->skips && !skip_rest(l, e))
        return NULL;
    l->number++;
    place at = {.file = descriptor_name(l->file), .line = l->number, .column = 1};
    for (size_t seen = 0;;) { /* until all of it is in memory, or there is no more */
        size_t left = l->read.length - l->next;
        const char *start = left == 0 ? NULL : l->read.data + l->next;
        const char *newline = left == seen ? NULL : memchr(start + seen, '\n', left - seen);
        *length = newline == NULL ? left : (size_t)(newline - start);
        if (*length > l->most) {
            l->skips = true;
            err_at(e, &at, "the line is longer than the %zu bytes of memory that may be used",
                   l->most);
            err_remedy(e, "raise --max-memory");
            return NULL;
        }
        if (newline != NULL || l->ends)
            return newline == NULL && *length == 0 ? NULL : hand_out(l, length, newline == NULL);
        seen = left;
        if (!read_more(l, e)) {
            err_place(e, &at);
            return NULL;
        }
    }
}

const char *lines_take(line_source *l, size_t *length)
{
    size_t left = l->read.length - l->next;
    const char *start = left == 0 ? NULL : l->read.data + l->next;
    const char *newline = left == 0 || l->skips ? NULL : memchr(start, '\n', left);
    if (newline == NULL || (size_t)(newline - start) > l->most)
        return NULL;
    *length = (size_t)(newline - start);
    l->number++;
    return hand_out(l, length, false);
}

bool lines_has_next(const line_source *l)
{
    size_t left = l->read.length - l->next;
    return l->ends || (left > 0 && memchr(l->read.data + l->next, '\n', left) != NULL);
}

bool lines_peek(line_source *l, err *e)
{
    return read_more(l, e) && (l->from != NULL || descriptor_is_file(l->descriptor) ||
                               source_check_length(l->file, l->read.length, l->most, e));
}

bool lines_can_restart(const line_source *l)
{
    return descriptor_is_file(l->descriptor) &&
           lseek(l->descriptor, 0, SEEK_CUR) == (off_t)l->read.length;
}

void lines_restart(line_source *l)
{
    lseek(l->descriptor, 0, SEEK_SET);
    forget(l);
    l->ends = false;
}

bool lines_become_source(line_source *l, source *whole, err *e)
{
    const char *file = l->file;
    if (!l->ends && lines_can_restart(l)) {
        lines_restart(l); /* standard input stays open, and is read from here */
        lines_close(l);
        return source_open(whole, file, e);
    }
    while (!l->ends) {
        if (!lines_peek(l, e))
            return false;
    }
    *whole = (source){
        .file = file, .bytes = l->read.data, .read = l->read.data, .length = l->read.length};
    l->read = (text){0};
    lines_close(l);
    return true;
}

bool lines_open(line_source *l, const char *file, size_t most, err *e)
{
    *l = (line_source){.most = most};
    l->descriptor = descriptor_open(file, e);
    if (l->descriptor < 0)
        return false;
    l->file = file;
    return true;
}

void lines_open_read(line_source *l, const source *from, size_t most)
{
    *l = (line_source){.file = from->file, .descriptor = -1, .from = from, .most = most};
}

void lines_close(line_source *l)
{
    if (l->file != NULL && l->from == NULL)
        descriptor_close(l->descriptor, l->file);
    text_free(&l->read);
    *l = (line_source){0};
}

/* ---- JSON Lines ---- */

jsonl_look jsonl_look_at(const char *bytes, size_t length)
{
    json_text t = json_text_of(bytes, length, "", 0);
    const char *first = json_skip_space(&t, t.bytes);
    bool is_half_a_mark = length < 3 && memcmp(bytes, "\xef\xbb", length) == 0;
    if (first == t.end || is_half_a_mark)
        return JSONL_MAY_BE;
    if (*first != '{')
        return JSONL_IS_NOT;
    const char *newline = memchr(first, '\n', (size_t)(t.end - first));
    if (newline == NULL)
        return JSONL_MAY_BE;
    const char *last = newline;
    while (last > first && (last[-1] == ' ' || last[-1] == '\r' || last[-1] == '\t'))
        last--;
    const char *below = json_skip_space(&t, newline);
    if (last[-1] == '}' && below == t.end)
        return JSONL_MAY_BE;
    return last[-1] == '}' && *below == '{' ? JSONL_IS : JSONL_IS_NOT;
}

bool jsonl_probe(const char *bytes, size_t length)
{
    return jsonl_look_at(bytes, length) == JSONL_IS;
}

jsonl_lines jsonl_lines_of(const char *bytes, size_t length)
{
    json_text t = json_text_of(bytes, length, "", 0);
    return (jsonl_lines){.next = t.bytes, .end = t.end};
}

bool jsonl_is_blank(const char *line, size_t length)
{
    size_t i = 0;
    while (i < length && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r'))
        i++;
    return i == length;
}

bool jsonl_next(jsonl_lines *l)
{
    while (l->next < l->end) {
        const char *newline = memchr(l->next, '\n', (size_t)(l->end - l->next));
        const char *stop = newline == NULL ? l->end : newline;
        l->line = l->next;
        l->length = (size_t)(stop - l->line);
        l->number++;
        l->next = newline == NULL ? l->end : newline + 1;
        if (!jsonl_is_blank(l->line, l->length))
            return true;
    }
    return false;
}
