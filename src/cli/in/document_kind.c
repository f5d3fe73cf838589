#include "cli/in/document_kind.h"

#include "attn/spec/keys.h"

#include <string.h>

/* "layer.0.attention.weights": a way through a stack. */
static bool expects_stage_of_layer(const bundle *contents)
{
    const entry *expected = bundle_find(contents, "expected");
    for (size_t i = 0; expected != NULL && i < expected->bundle->count; i++) {
        if (strchr(expected->bundle->entry[i].name, '.') != NULL)
            return true;
    }
    return false;
}

bool document_is_of_layers(const bundle *contents)
{
    for (size_t i = 0; i < contents->count; i++) {
        const char *name = contents->entry[i].name;
        if (named_find(&KEYS, name, strlen(name)) == NULL)
            return true;
    }
    return expects_stage_of_layer(contents);
}
