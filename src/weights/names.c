#include "weights/names.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "base/text.h"
#include "model/stack_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- name index ---- */

bool name_is_separator(char c)
{
    return c == '.' || c == '/';
}

static int letter(char c)
{
    return c == '/' ? '.' : (unsigned char)c;
}

static int compare_letters(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (letter(a[i]) != letter(b[i]))
            return letter(a[i]) - letter(b[i]);
    }
    return 0;
}

static int compare_names(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = compare_letters(a, b, a_length < b_length ? a_length : b_length);
    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

static int compare_items(const void *a, const void *b)
{
    const indexed_name *one = a, *other = b;
    return compare_names(one->name, one->length, other->name, other->length);
}

static size_t length_without_number(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && strcmp(name + length - 2, ":0") == 0 ? length - 2 : length;
}

bool name_index_add(name_index *x, indexed_name one, err *e)
{
    indexed_name *larger = mem_grow(x->item, x->count, &x->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return false;
    x->item = larger;
    x->item[x->count++] = one;
    return true;
}

void name_index_sort(name_index *x)
{
    if (x->count > 0)
        qsort(x->item, x->count, sizeof x->item[0], compare_items);
}

bool name_index_make(name_index *x, const text_list *names, err *e)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->item[i];
        if (!name_index_add(x, (indexed_name){name, length_without_number(name), false, 0}, e))
            return false;
    }
    name_index_sort(x);
    return true;
}

void name_index_free(name_index *x)
{
    mem_free(x->item);
    *x = (name_index){0};
}

size_t name_index_first(const name_index *x, const char *beginning, size_t length)
{
    size_t from = 0, to = x->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const indexed_name *one = &x->item[middle];
        if (compare_names(one->name, one->length, beginning, length) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < x->count && name_begins(&x->item[from], beginning, length) ? from : x->count;
}

indexed_name *name_index_find(const name_index *x, const char *name)
{
    size_t length = length_without_number(name), first = name_index_first(x, name, length);
    return first < x->count && x->item[first].length == length ? &x->item[first] : NULL;
}

bool name_begins(const indexed_name *one, const char *beginning, size_t length)
{
    return one->length >= length && compare_letters(one->name, beginning, length) == 0;
}

bool name_ends(const indexed_name *one, const char *tail, size_t *layer)
{
    size_t length = strlen(tail);
    if (one->length < length)
        return false;
    *layer = one->length - length;
    return compare_letters(one->name + *layer, tail, length) == 0 &&
           (*layer == 0 || name_is_separator(one->name[*layer - 1]));
}

bool name_alternative(const char *names, size_t n, char out[NAME_MOST])
{
    const char *at = names == NULL ? "" : names;
    for (; n > 0; n--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    int length = (int)strcspn(at, " ");
    snprintf(out, NAME_MOST, "%.*s", length, at);
    return length > 0;
}

bool name_is_one_of(const char *names, const char *one)
{
    size_t length = strlen(one);
    for (const char *at = names; at != NULL && *at != '\0'; at += strspn(at, " ")) {
        size_t bytes = strcspn(at, " ");
        if (bytes == length && memcmp(at, one, bytes) == 0)
            return true;
        at += bytes;
    }
    return false;
}

/* ---- nearest names ---- */

void nearest_names_look(nearest_names *n, const char *name)
{
    size_t length = strlen(n->wanted), at = n->count;
    size_t away = spelling_distance(n->wanted, length, name, strlen(name));
    while (at > 0 && n->distance[at - 1] > away)
        at--;
    if (away > spelling_reach(length) || at == NEAREST_MOST)
        return;
    n->count += n->count < NEAREST_MOST;
    for (size_t i = n->count - 1; i > at; i--) {
        n->name[i] = n->name[i - 1];
        n->distance[i] = n->distance[i - 1];
    }
    n->name[at] = name;
    n->distance[at] = away;
}

void nearest_names_suggest(const nearest_names *n, const char *instead, err *e)
{
    text names = {0};
    for (size_t i = 0; i < n->count; i++)
        text_add_format(&names, "%s%s",
                        i == 0              ? ""
                        : i + 1 == n->count ? " and "
                                            : ", ",
                        n->name[i]);
    if (n->count > 0)
        err_remedy(e, "nearest: %s%s%s", text_string(&names), *instead == '\0' ? "" : "; ",
                   instead);
    else if (*instead != '\0')
        err_remedy(e, "%s", instead);
    text_free(&names);
}

/* ---- key path ---- */

static const char LAYERS[] = "layers";

static const key_tables *members_of(const key *row)
{
    return ((const object_key *)(const void *)row)->members;
}

/* "2." at the beginning, which is gone over. */
static bool read_number(size_t *number, const char **way, size_t *length)
{
    enum { DIGITS_MOST = 9 };
    size_t at = 0;
    for (*number = 0; at < *length && (*way)[at] >= '0' && (*way)[at] <= '9'; at++)
        *number = 10 * *number + (size_t)((*way)[at] - '0');
    if (at == 0 || at > DIGITS_MOST || at == *length || !name_is_separator((*way)[at]))
        return false;
    *way += at + 1;
    *length -= at + 1;
    return true;
}

/* Up to three steps: a key, after the objects that it is in. */
static bool read_steps(key_path *p, const key_tables *in, const char *way, size_t length)
{
    const key **const object[] = {&p->object, &p->inner};
    for (size_t depth = 0;; depth++) {
        size_t step = 0;
        while (step < length && !name_is_separator(way[step]))
            step++;
        p->key = key_find(in, way, step);
        if (p->key == NULL || step == length)
            return p->key != NULL && p->key->kind != KEY_OBJECT && p->key->kind != KEY_OBJECTS;
        bool is_list = p->key->kind == KEY_OBJECTS && p->is_in_layer;
        if ((p->key->kind != KEY_OBJECT && !is_list) || depth == sizeof object / sizeof object[0])
            return false;
        *object[depth] = p->key;
        in = members_of(p->key);
        way += step + 1;
        length -= step + 1;
        if (is_list && !read_number(&p->item, &way, &length))
            return false;
    }
}

bool key_path_read_within(key_path *p, size_t layer, const char *way, size_t length)
{
    *p = (key_path){.is_in_layer = true, .layer = layer};
    return read_steps(p, members_of(key_find(&STACK_DOCUMENT, LAYERS, strlen(LAYERS))), way,
                      length);
}

bool key_path_read(key_path *p, const char *way, size_t length)
{
    size_t begin = strlen(LAYERS) + 1, layer;
    *p = (key_path){0};
    if (length <= begin || memcmp(way, LAYERS, begin - 1) != 0 ||
        !name_is_separator(way[begin - 1]))
        return read_steps(p, &STACK_DOCUMENT, way, length);
    way += begin;
    length -= begin;
    return read_number(&layer, &way, &length) && key_path_read_within(p, layer, way, length);
}

/* The names of the objects that a key is in, the outermost first; returns how many. */
enum { NUMBER_TEXT = 24, STEPS_MOST = 5 };

typedef struct path_steps {
    char layer[NUMBER_TEXT], item[NUMBER_TEXT];
    struct {
        const char *name;
        bool is_list;
    } step[STEPS_MOST];
    size_t count;
} path_steps;

static void add_step(path_steps *to, const char *name, bool is_list)
{
    to->step[to->count].name = name;
    to->step[to->count++].is_list = is_list;
}

static void steps_to(const key_path *p, path_steps *to)
{
    const key *const object[] = {p->object, p->inner};
    to->count = 0;
    snprintf(to->layer, sizeof to->layer, "%zu", p->layer + 1);
    snprintf(to->item, sizeof to->item, "%zu", p->item + 1);
    if (p->is_in_layer) {
        add_step(to, LAYERS, true);
        add_step(to, to->layer, false);
    }
    for (size_t i = 0; i < sizeof object / sizeof object[0] && object[i] != NULL; i++) {
        bool is_list = object[i]->kind == KEY_OBJECTS;
        add_step(to, object[i]->named.name, is_list);
        if (is_list)
            add_step(to, to->item, false);
    }
}

const bundle *key_path_find(const key_path *p, const bundle *document)
{
    path_steps way;
    steps_to(p, &way);
    for (size_t i = 0; i < way.count && document != NULL; i++) {
        const entry *found = bundle_find(document, way.step[i].name);
        document = found == NULL ? NULL : found->bundle;
    }
    return document;
}

bundle *key_path_make(const key_path *p, bundle *document, place at, err *e)
{
    path_steps way;
    steps_to(p, &way);
    for (size_t i = 0; i < way.count && document != NULL; i++) {
        const char *name = way.step[i].name;
        entry *found = bundle_find(document, name);
        if (found == NULL) {
            found = bundle_add(document, name, strlen(name), at, e);
            if (found == NULL)
                return NULL;
            found->kind = ENTRY_BUNDLE;
            found->is_list = way.step[i].is_list;
            found->bundle = mem_alloc_zeroed(1, sizeof(bundle), e);
        }
        document = found->bundle;
    }
    return document;
}

void key_path_write_object(text *out, const key_path *p)
{
    const char *join = "";
    if (p->is_in_layer) {
        text_add_format(out, "%s.%zu", LAYERS, p->layer);
        join = ".";
    }
    const key *const object[] = {p->object, p->inner};
    for (size_t i = 0; i < sizeof object / sizeof object[0] && object[i] != NULL; i++) {
        text_add_format(out, "%s%s", join, object[i]->named.name);
        join = ".";
        if (object[i]->kind == KEY_OBJECTS)
            text_add_format(out, ".%zu", p->item);
    }
}

void key_path_write(text *out, const key_path *p)
{
    key_path_write_object(out, p);
    text_add_format(out, "%s%s", p->is_in_layer || p->object != NULL ? "." : "",
                    p->key->named.name);
}
