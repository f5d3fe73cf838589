#include "cli/info/facts.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <string.h>

const char *fact_kind_name(fact_kind kind)
{
    static const char *const NAMES[] = {
        [FACT_NULL] = "null",   [FACT_TRUTH] = "truth",   [FACT_NUMBER] = "number",
        [FACT_TEXT] = "text",   [FACT_MATRIX] = "matrix", [FACT_LIST] = "list",
        [FACT_ARRAY] = "array", [FACT_OBJECT] = "object", [FACT_UNREAD] = "unread"};
    return NAMES[kind];
}

fact *fact_add(fact *to, const char *name, size_t length, err *e)
{
    fact *larger = mem_grow(to->inside, to->insides, &to->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return NULL;
    to->inside = larger;
    fact *added = &to->inside[to->insides++];
    *added = (fact){.lines = 1};
    text_add(&added->name, name, length);
    return text_ok(&added->name, e) ? added : NULL;
}

fact *fact_inside(const fact *in, const char *name)
{
    for (size_t i = 0; i < in->insides; i++) {
        if (strcmp(text_string(&in->inside[i].name), name) == 0)
            return &in->inside[i];
    }
    return NULL;
}

void fact_free(fact *f)
{
    for (size_t i = 0; i < f->insides; i++)
        fact_free(&f->inside[i]);
    mem_free(f->inside);
    text_free(&f->name);
    text_free(&f->shown);
    *f = (fact){0};
}

/* ---- what is shown ---- */

enum { SHOWN_MOST = 60 }; /* bytes: a line of the table has no more room */

bool fact_has_room(const fact *to)
{
    static const char END[] = ", …";
    size_t length = to->shown.length, end = sizeof END - 1;
    return length < end || strcmp(to->shown.data + length - end, END) != 0;
}

void fact_show_item(fact *to, const char *words, size_t length)
{
    if (!fact_has_room(to))
        return;
    text_add_string(&to->shown, to->shown.length == 0 ? "" : ", ");
    if (to->shown.length > SHOWN_MOST) {
        text_add_string(&to->shown, "…");
        return;
    }
    size_t shown = utf8_cut(words, length, SHOWN_MOST);
    text_add_string(&to->shown, "\"");
    text_add(&to->shown, words, shown);
    text_add_string(&to->shown, shown == length ? "\"" : "…\"");
}

/* ---- of several documents ---- */

static bool same_shape(const fact *a, const fact *b)
{
    return a->rank == b->rank && memcmp(a->size, b->size, sizeof a->size) == 0;
}

static fact *find_named(const fact *in, const bundle *names, const text *name)
{
    const entry *found = bundle_find_bytes(names, text_string(name), name->length);
    return found == NULL ? NULL : &in->inside[found - names->entry];
}

static bool copy_without_inside(fact *to, const fact *from, err *e)
{
    text name = to->name;
    *to = *from;
    to->name = name;
    to->shown = (text){0};
    to->inside = NULL;
    to->insides = to->capacity = 0;
    text_add(&to->shown, text_string(&from->shown), from->shown.length);
    return text_ok(&to->shown, e);
}

/* A shape, a text or a number that is not the same in all documents is not said. */
static void join_values(fact *to, const fact *after)
{
    bool is_same = to->kind == after->kind && same_shape(to, after) && to->count == after->count &&
                   strcmp(text_string(&to->shown), text_string(&after->shown)) == 0;
    to->varies = to->varies || after->varies || !is_same;
    if (to->kind == after->kind)
        statistics_join(&to->numbers, &after->numbers);
    else
        to->numbers = (statistics){0};
    to->lines += after->lines;
}

static bool add_named(fact *to, bundle *names, const fact *from, err *e)
{
    const char *name = text_string(&from->name);
    fact *added = fact_add(to, name, from->name.length, e);
    return added != NULL && copy_without_inside(added, from, e) &&
           bundle_add(names, name, from->name.length, (place){0}, e) != NULL;
}

bool facts_join(fact *to, bundle *names, const fact *after, err *e)
{
    for (size_t i = 0; i < after->insides; i++) {
        const fact *from = &after->inside[i];
        fact *known = find_named(to, names, &from->name);
        if (known != NULL)
            join_values(known, from);
        else if (!add_named(to, names, from, e))
            return false;
    }
    to->count = to->insides;
    return true;
}
