#include "io/jsonl.h"

#include "io/json_scan.h"

#include <string.h>

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
