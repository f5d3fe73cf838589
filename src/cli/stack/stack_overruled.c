#include "cli/stack/stack_overruled.h"

#include <string.h>

static bool says_otherwise(const bundle *one, const given_key *given)
{
    const entry *own = bundle_find(one, given->row->key);
    bool is_same = own != NULL && own->kind == ENTRY_TEXT && given->value != NULL &&
                   strcmp(own->text, given->value) == 0;
    return own != NULL && !is_same;
}

/* The first layer that says something else, from 1; 0: none does. */
static size_t overruled_by(const bundle *layers, const given_key *given)
{
    for (size_t i = 0; i < layers->count; i++) {
        if (says_otherwise(layers->entry[i].bundle, given))
            return i + 1;
    }
    return 0;
}

void stack_say_overruled(const stack *s, const options *o, const env *world)
{
    const bundle *layers = bundle_find(s->document, "layers")->bundle;
    for (size_t i = 0; i < o->given_count; i++) {
        const given_key *one = &o->given[i];
        size_t number = overruled_by(layers, one);
        if (number > 0)
            note_say(world, o, NULL,
                     "--%s%s is for layers that say nothing else, and layer %zu does",
                     one->value == NULL ? "no-" : "", one->row->named.name, number);
    }
}
