#include "weights/layer_path.h"

#include "base/mem.h"
#include "model/keys.h"
#include "weights/name_index.h"

#include <stdio.h>
#include <string.h>

static const key_tables *members_of(const key *row)
{
    return ((const object_key *)(const void *)row)->members;
}

static size_t step_length(const char *way, size_t length)
{
    size_t i = 0;
    while (i < length && !name_is_separator(way[i]))
        i++;
    return i;
}

/* One step or two: a key, or an object and its key. */
static bool read_steps(layer_path *p, const key_tables *in, const char *way, size_t length)
{
    size_t step = step_length(way, length);
    p->key = key_find(in, way, step);
    if (p->key == NULL || step == length)
        return p->key != NULL && p->key->kind != KEY_OBJECT && p->key->kind != KEY_OBJECTS;
    if (p->key->kind != KEY_OBJECT)
        return false;
    p->object = p->key;
    p->key = key_find(members_of(p->object), way + step + 1, length - step - 1);
    return p->key != NULL;
}

bool layer_path_read_within(layer_path *p, size_t layer, const char *way, size_t length)
{
    *p = (layer_path){.is_in_layer = true, .layer = layer};
    return read_steps(p, members_of(key_find(&STACK_DOCUMENT, "layers", strlen("layers"))), way,
                      length);
}

bool layer_path_read(layer_path *p, const char *way, size_t length)
{
    enum { DIGITS_MOST = 9 };
    static const char LAYERS[] = "layers";
    size_t at = strlen(LAYERS), begin = at + 1, layer = 0;
    *p = (layer_path){0};
    if (length <= begin || memcmp(way, LAYERS, at) != 0 || !name_is_separator(way[at]))
        return read_steps(p, &STACK_DOCUMENT, way, length);
    for (at = begin; at < length && way[at] >= '0' && way[at] <= '9'; at++)
        layer = 10 * layer + (size_t)(way[at] - '0');
    return at > begin && at - begin <= DIGITS_MOST && at < length && name_is_separator(way[at]) &&
           layer_path_read_within(p, layer, way + at + 1, length - at - 1);
}

static const bundle *object_of(const bundle *in, const char *name)
{
    const entry *found = in == NULL ? NULL : bundle_find(in, name);
    return found == NULL || found->kind != ENTRY_BUNDLE ? NULL : found->bundle;
}

enum { LAYER_NUMBER = 24 };

const bundle *layer_path_find(const layer_path *p, const bundle *document)
{
    const bundle *in = document;
    char number[LAYER_NUMBER];
    snprintf(number, sizeof number, "%zu", p->layer + 1);
    if (p->is_in_layer)
        in = object_of(object_of(in, "layers"), number);
    if (p->object != NULL)
        in = object_of(in, p->object->named.name);
    return in;
}

static bundle *make_object(bundle *in, const char *name, bool is_list, place at, err *e)
{
    entry *found = bundle_find(in, name);
    if (found != NULL)
        return found->bundle;
    found = bundle_add(in, name, strlen(name), at, e);
    if (found == NULL)
        return NULL;
    found->kind = ENTRY_BUNDLE;
    found->is_list = is_list;
    found->bundle = mem_alloc_zeroed(1, sizeof(bundle), e);
    return found->bundle;
}

bundle *layer_path_make(const layer_path *p, bundle *document, place at, err *e)
{
    bundle *in = document;
    char number[LAYER_NUMBER];
    snprintf(number, sizeof number, "%zu", p->layer + 1);
    if (p->is_in_layer) {
        in = make_object(in, "layers", true, at, e);
        in = in == NULL ? NULL : make_object(in, number, false, at, e);
    }
    if (p->object != NULL && in != NULL)
        in = make_object(in, p->object->named.name, false, at, e);
    return in;
}
