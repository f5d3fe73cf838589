#include "cli/info/facts.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "io/number_write.h"

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

/* ---- of a bundle ---- */

/* NPY's "<f4" counts bytes, safetensors' "BF16" bits; BOOL is a byte. */
static size_t element_bytes(const char *stored)
{
    size_t number = 0;
    bool counts_bytes = strchr("<>|=", stored[0]) != NULL;
    for (const char *p = stored; *p != '\0'; p++) {
        if (*p >= '0' && *p <= '9')
            number = number * 10 + (size_t)(*p - '0');
    }
    return number == 0 ? 1 : counts_bytes ? number : number / 8;
}

size_t fact_stored_bytes(const fact *of)
{
    size_t count;
    if (of->stored == NULL || !sizes_count(of->rank, of->size, &count))
        return 0;
    return count * element_bytes(of->stored);
}

static void add_tensor(fact *out, const entry *one)
{
    const tensor *t = &one->tensor;
    out->kind = FACT_MATRIX;
    out->stored = one->stored;
    out->type = t->type;
    out->rank = t->rank;
    memcpy(out->size, t->size, sizeof out->size);
    statistics_add_tensor(&out->numbers, t);
    if (t->rank == 0) {
        char digits[NUMBER_TEXT];
        double value = tensor_get(t, NULL);
        out->kind = tensor_is_hole(value) ? FACT_NULL : FACT_NUMBER;
        if (t->type == DTYPE_BOOL) {
            out->kind = FACT_TRUTH;
            text_add_string(&out->shown, value != 0 ? "true" : "false");
        } else if (t->type == DTYPE_F32) {
            text_add(&out->shown, digits, number_write_f32((float)value, digits));
        } else {
            text_add(&out->shown, digits, number_write_f64(value, digits));
        }
    }
}

static void add_list(fact *out, const text_list *list)
{
    out->kind = FACT_LIST;
    out->count = list->count;
    for (size_t i = 0; i < list->count; i++)
        fact_show_item(out, list->item[i], strlen(list->item[i]));
}

static bool add_entry(fact *to, const entry *one, err *e)
{
    fact *added = fact_add(to, one->name, strlen(one->name), e);
    if (added == NULL)
        return false;
    switch (one->kind) {
    case ENTRY_TENSOR:
        add_tensor(added, one);
        break;
    case ENTRY_LIST:
        add_list(added, &one->list);
        break;
    case ENTRY_TEXT:
    case ENTRY_UNREAD:
        added->kind = one->kind == ENTRY_TEXT ? FACT_TEXT : FACT_UNREAD;
        text_add_string(&added->shown, one->text);
        break;
    default:
        return facts_of_bundle(added, one->bundle, e);
    }
    return text_ok(&added->shown, e);
}

bool facts_of_bundle(fact *out, const bundle *of, err *e)
{
    out->kind = FACT_OBJECT;
    out->count = of->count;
    for (size_t i = 0; i < of->count; i++) {
        if (!add_entry(out, &of->entry[i], e))
            return false;
    }
    return true;
}

/* ---- of several documents ---- */

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
        const entry *found = bundle_find_bytes(names, text_string(&from->name), from->name.length);
        fact *known = found == NULL ? NULL : &to->inside[found - names->entry];
        if (known != NULL) {
            /* A shape, a text or a number that is not the same in all documents is not said. */
            bool is_same = known->kind == from->kind && known->rank == from->rank &&
                           memcmp(known->size, from->size, sizeof known->size) == 0 &&
                           known->count == from->count &&
                           strcmp(text_string(&known->shown), text_string(&from->shown)) == 0;
            known->varies = known->varies || from->varies || !is_same;
            if (known->kind == from->kind)
                statistics_join(&known->numbers, &from->numbers);
            else
                known->numbers = (statistics){0};
            known->lines += from->lines;
        } else if (!add_named(to, names, from, e)) {
            return false;
        }
    }
    to->count = to->insides;
    return true;
}
