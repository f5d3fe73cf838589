#include "attn/spec/row_choice.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A whole number, from the end where it is negative; `absent` where nothing stands there. False
 * where it is something else. *from is set after it. */
static bool read_bound(const char **from, size_t of, int64_t absent, int64_t *row)
{
    const char *at = *from;
    bool is_from_end = *at == '-';
    int64_t number = 0;
    at += is_from_end;
    const char *digits = at;
    for (; *at >= '0' && *at <= '9' && number <= INT32_MAX; at++)
        number = 10 * number + (*at - '0');
    *from = at;
    *row = digits == at ? absent : is_from_end ? (int64_t)of + 1 - number : number;
    return digits < at ? number > 0 || !is_from_end : !is_from_end;
}

/* One item of the list; *after is set to what follows it. */
static bool read_item(row_choice *c, const entry *said, const char *what, const char *list,
                      const char **after, err *e)
{
    const char *item = *after, *at = item;
    int64_t first, last, past = c->count == 0 ? 0 : (int64_t)c->row[c->count - 1] + 1;
    char why[128];
    bool is_read = *at != ',' && *at != '\0' && read_bound(&at, c->of, 1, &first);
    last = is_read ? first : 0;
    if (is_read && *at == ':') {
        at++;
        is_read = read_bound(&at, c->of, (int64_t)c->of, &last);
    }
    if (!is_read || (*at != ',' && *at != '\0'))
        snprintf(why, sizeof why, "is not a %s, and not a range of %ss", what, what);
    else if (first < 1 || first > (int64_t)c->of || last < 1 || last > (int64_t)c->of)
        snprintf(why, sizeof why, "is outside the %ss, which are 1 to %zu", what, c->of);
    else if (last < first)
        snprintf(why, sizeof why, "ends at %s %lld, before it begins", what, (long long)last);
    else if (first <= past)
        snprintf(why, sizeof why, "begins at %s %lld, and %s %lld stands before it", what,
                 (long long)first, what, (long long)past);
    else
        why[0] = '\0';
    if (why[0] != '\0') {
        int length = (int)strcspn(item, ",");
        if (list[length] == '\0')
            err_at(e, &said->at, "%ss \"%s\" %s", what, list, why);
        else
            err_at(e, &said->at, "\"%.*s\" of %ss \"%s\" %s", length, item, what, list, why);
        return err_remedy(e, "%ss are written as 3, 3:8, 3:, :8 or -16:, with commas between them",
                          what);
    }
    for (int64_t row = first; row <= last; row++)
        c->row[c->count++] = (size_t)(row - 1);
    *after = at;
    return true;
}

bool row_choice_read(row_choice *c, const entry *said, const char *what, size_t of, err *e)
{
    char number[32];
    const char *list = number;
    *c = (row_choice){.of = of};
    if (said == NULL)
        return true;
    if (said->kind == ENTRY_TEXT)
        list = said->text;
    else
        snprintf(number, sizeof number, "%.17g", tensor_get(&said->tensor, NULL));
    c->row = mem_alloc(of, sizeof c->row[0], e);
    if (c->row == NULL)
        return false;
    const char *at = list;
    bool done = read_item(c, said, what, list, &at, e);
    while (done && *at++ == ',')
        done = read_item(c, said, what, list, &at, e);
    return done;
}

void row_choice_free(row_choice *c)
{
    mem_free(c->row);
    *c = (row_choice){0};
}

bool row_choice_is_range(const row_choice *c)
{
    return c->row[c->count - 1] - c->row[0] == c->count - 1;
}

void row_choice_show(const row_choice *c, text *out)
{
    for (size_t i = 0, end; i < c->count; i = end) {
        for (end = i + 1; end < c->count && c->row[end] == c->row[end - 1] + 1;)
            end++;
        text_add_format(out, "%s%zu", i == 0 ? "" : ",", c->row[i] + 1);
        if (end > i + 1)
            text_add_format(out, ":%zu", c->row[end - 1] + 1);
    }
    text_add_format(out, " of %zu", c->of);
}

bool row_choice_take(const row_choice *c, const tensor *from, int axis, tensor *out, err *e)
{
    size_t size[TENSOR_MAX_RANK];
    if (row_choice_is_range(c)) {
        *out = tensor_range(from, axis, c->row[0], c->count);
        return true;
    }
    memcpy(size, from->size, sizeof size);
    size[axis] = c->count;
    if (!tensor_new(out, from->type, from->rank, size, e))
        return false;
    for (size_t i = 0; i < c->count; i++) {
        tensor row = tensor_range(from, axis, c->row[i], 1), to = tensor_range(out, axis, i, 1);
        tensor_copy(&row, &to);
    }
    return true;
}
