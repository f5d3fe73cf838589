#include "weights/layer_source.h"

#include "base/mem.h"

void layer_source_write_path(text *out, const layer_path *p)
{
    if (p->is_in_layer)
        text_add_format(out, "layers.%zu.", p->layer);
    if (p->object != NULL)
        text_add_format(out, "%s.", p->object->named.name);
    text_add_string(out, p->key->named.name);
}

layer_source *layer_sources_add(layer_sources *all, layer_search *s, const layer_path *to,
                                const char *name, err *e)
{
    layer_source *larger = mem_grow(all->item, all->count, &all->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return NULL;
    all->item = larger;
    all->item[all->count] = (layer_source){.to = *to, .name = name};
    if (name != NULL)
        name_index_find(&s->names, name)->is_taken = true;
    return &all->item[all->count++];
}

void layer_sources_free(layer_sources *all)
{
    for (size_t i = 0; i < all->count; i++)
        mem_free(all->item[i].wanted);
    mem_free(all->item);
    *all = (layer_sources){0};
}
