#include "weights/layer_applying.h"

#include "weights/cut.h"

#include <string.h>

/* ---- conventions ---- */

/* Of conventions that share their names the sizes tell, of attention and then of the layer. */
static void settle_attention(const applying *a)
{
    layer_search *s = &a->from->search;
    const layer_source *wq = a->from->sources.item;
    const tensor *joint =
        s->attention == NULL || wq->name == NULL ? NULL : bundle_tensor(a->read, wq->name);
    if (joint == NULL || !wq->is_cut)
        return;
    const convention *by = bundle_cut_settle(s->attention, joint);
    const named *row = by == s->attention
                           ? NULL
                           : named_find(&LAYER_CONVENTIONS, by->named.name, strlen(by->named.name));
    s->attention = by;
    if (row != NULL)
        s->by = (const layer_convention *)(const void *)row;
}

static size_t rows_of(const applying *a, const char *key_name)
{
    const layer_sources *all = &a->from->sources;
    for (size_t i = 0; i < all->count; i++) {
        const layer_source *from = &all->item[i];
        const tensor *t = from->name == NULL || strcmp(from->to.key->named.name, key_name) != 0
                              ? NULL
                              : bundle_tensor(a->read, from->name);
        if (t != NULL && t->rank == 2)
            return t->size[0];
    }
    return 0;
}

/* Of layers that share their names, other names and sizes tell. */
static void settle_layers(const applying *a)
{
    layer_search *s = &a->from->search;
    s->by = layer_convention_settle(s->by, s->before, rows_of(a, "position_embedding"),
                                    rows_of(a, "segment_embedding"));
}

void applying_settle(const applying *a)
{
    if (a->wishes->layout == NULL)
        settle_attention(a);
    settle_layers(a);
}

/* ---- how it is cut ---- */

const bundle *applying_heads(const applying *a, const layer_path *of)
{
    layer_path layer = {.is_in_layer = true, .layer = of->layer};
    const bundle *own = layer_path_find(of, a->contents);
    const bundle *in_layer = layer_path_find(&layer, a->contents);
    if (own != NULL && bundle_find(own, "heads") != NULL)
        return own;
    return in_layer != NULL && bundle_find(in_layer, "heads") != NULL ? in_layer : a->contents;
}

cutting applying_cutting(const applying *a, const layer_path *of)
{
    const layer_search *s = &a->from->search;
    bool is_cross = of->object != NULL && s->cross != NULL;
    const convention *by = is_cross               ? s->cross
                           : s->attention != NULL ? s->attention
                                                  : convention_at(0);
    return bundle_cutting(by, a->wishes->layout, a->read, applying_heads(a, of));
}

/* ---- what lacks ---- */

static bool is_open(const applying *a, const layer_path *to)
{
    const char *name = to->key->named.name;
    const bundle *in = layer_path_find(to, a->contents);
    bool is_at_top = !to->is_in_layer && to->object == NULL;
    return (in == NULL || bundle_find(in, name) == NULL) &&
           !(is_at_top && wishes_remove(a->wishes, name));
}

bool applying_leaves_out(const applying *a, const layer_source *from)
{
    const layer_path *to = &from->to;
    if (from->is_mapped || layer_convention_is_own(a->from->search.by))
        return false;
    for (size_t i = 0; i < CONVENTION_BESIDE; i++) {
        const char *name = input_key(CONVENTION_INPUTS[i]);
        if (strcmp(to->key->named.name, name) == 0)
            return wishes_remove(a->wishes, name) ||
                   (bundle_is_gain(CONVENTION_INPUTS[i]) &&
                    !bundle_gains_are_wanted(a->wishes, layer_path_find(to, a->contents),
                                             a->contents));
    }
    return false;
}

/* Rows that are given have their segments, their positions and their norm already. */
bool applying_wants(const applying *a, const layer_source *from)
{
    const layer_path *to = &from->to;
    bool is_by_name = !from->is_mapped && !layer_convention_is_own(a->from->search.by);
    bool is_of_rows = strcmp(to->key->named.name, "segment_embedding") == 0 ||
                      strcmp(to->key->named.name, "position_embedding") == 0 ||
                      (to->object != NULL && strcmp(to->object->named.name, "ln_e") == 0);
    return !(is_of_rows && is_by_name && bundle_find(a->contents, "x") != NULL) &&
           !applying_leaves_out(a, from) && is_open(a, to);
}
