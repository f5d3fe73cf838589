/* Mistakes in which layers follow one another. */
#include "why/stack_blunders.h"

static size_t source_of(size_t index, size_t layers, int with)
{
    return with == LAYERS_REVERSED ? layers - 1 - index : with == LAYERS_FIRST ? 0 : layers - 1;
}

/* Layers that look at no memory are refused one. */
static void leave_out_memory(stack_attempt *a)
{
    bool has_cross = false;
    for (size_t i = 0; i < a->layers.count; i++)
        has_cross = has_cross || bundle_find(a->layers.entry[i].bundle, "cross") != NULL;
    if (!has_cross)
        bundle_remove(&a->document, "memory");
}

bool stack_blunder_layers(stack_attempt *a, int with, err *e)
{
    entry layers = *bundle_find(&a->document, "layers");
    const bundle *right = layers.bundle;
    if (!a->scope.is_whole || right->count < 2 || a->layers.count > 0)
        return false;
    for (size_t i = 0; i < right->count; i++) {
        const entry *from = &right->entry[source_of(i, right->count, with)];
        if (bundle_borrow(&a->layers, right->entry[i].name, from, e) == NULL)
            return false;
    }
    leave_out_memory(a);
    layers.bundle = &a->layers;
    bundle_remove(&a->document, "layers");
    return bundle_borrow(&a->document, "layers", &layers, e) != NULL;
}
