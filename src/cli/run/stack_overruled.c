#include "cli/run/stack_overruled.h"

#include <string.h>

static bool has_same_numbers(const tensor *a, const tensor *b)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    if (!tensor_same_shape(a, b))
        return false;
    do {
        if (tensor_get(a, index) != tensor_get(b, index))
            return false;
    } while (tensor_next(a, index));
    return true;
}

static bool says_the_same(const entry *a, const entry *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == ENTRY_TEXT)
        return strcmp(a->text, b->text) == 0;
    return a->kind == ENTRY_TENSOR && has_same_numbers(&a->tensor, &b->tensor);
}

/* The first layer that says something else than the top does, or where nothing stands there
 * anything, from 1; 0: none does. */
static size_t overruled_by(const bundle *layers, const char *name, const entry *top)
{
    for (size_t i = 0; i < layers->count; i++) {
        const entry *own = bundle_find(layers->entry[i].bundle, name);
        if (own != NULL && (top == NULL || !says_the_same(own, top)))
            return i + 1;
    }
    return 0;
}

void stack_say_overruled(const stack *s, const options *o, const env *world)
{
    const bundle *layers = bundle_find(s->document, "layers")->bundle;
    for (size_t i = 0; i < o->given_count; i++) {
        const given_key *one = &o->given[i];
        size_t number =
            overruled_by(layers, one->row->key, bundle_find(s->document, one->row->key));
        if (number > 0)
            note_say(world, o, NULL,
                     "--%s%s is for layers that say nothing else, and layer %zu does",
                     one->value == NULL ? "no-" : "", one->row->named.name, number);
    }
}
