#include "cli/stack/stack_overruled.h"

/* The first layer that says it itself, from 1; 0: none does. */
static size_t first_that_says(const bundle *layers, const char *name)
{
    for (size_t i = 0; i < layers->count; i++) {
        if (bundle_find(layers->entry[i].bundle, name) != NULL)
            return i + 1;
    }
    return 0;
}

void stack_say_overruled(const stack *s, const options *o, const env *world)
{
    const bundle *layers = bundle_find(s->document, "layers")->bundle;
    for (size_t i = 0; i < o->given_count; i++) {
        const given_key *one = &o->given[i];
        size_t number = first_that_says(layers, one->row->key);
        if (number > 0)
            note_say(world, o, NULL,
                     "--%s%s is for layers that say nothing else, and layer %zu does",
                     one->value == NULL ? "no-" : "", one->row->named.name, number);
    }
}
