#include "weights/layer_weights.h"

#include "weights/cut.h"
#include "weights/bundle_unfinished.h"
#include "weights/layer_applying.h"
#include "weights/layer_leftovers.h"
#include "weights/layer_note.h"
#include "weights/layer_refusals.h"

#include <string.h>

/* No layer's weight is known among the names. */
static bool refuse_unknown(const layer_search *s, err *e)
{
    enum { SHOWN = 6 };
    place at = {.file = s->file};
    text list = {0};
    if (!bundle_unfinished_check_all(&s->names, s->file, "", e))
        return false;
    for (size_t i = 0; i < s->names.count && i < SHOWN; i++)
        text_add_format(&list, "%s%s", i == 0 ? "" : ", ", s->names.item[i].name);
    err_at(e, &at, "no name in it is known as that of a layer's weight: %s%s", text_string(&list),
           s->names.count > SHOWN ? ", …" : "");
    text_free(&list);
    return err_remedy(e,
                      "--prefix 'NAME.{}' says where layers are; selfattn help layer-bundles lists "
                      "what is known");
}

bool layer_weights_find(layer_weights *g, const text_list *names, const char *file, const wishes *w,
                        err *e)
{
    *g = (layer_weights){.is_document = text_list_find(names, "layers") != NULL};
    if (g->is_document)
        return true;
    return layer_search_find(&g->search, names, file, w->prefix, e) &&
           layer_sources_find(&g->sources, &g->search, &w->map, e) &&
           (g->sources.count > 0 || refuse_unknown(&g->search, e));
}

void layer_weights_free(layer_weights *g)
{
    layer_sources_free(&g->sources);
    layer_search_free(&g->search);
}

size_t layer_weights_rows(const layer_weights *g, key *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < g->sources.count; i++) {
        const layer_source *from = &g->sources.item[i];
        bool is_new =
            from->name != NULL && (count == 0 || rows[count - 1].named.name != from->name);
        if (is_new)
            rows[count++] = (key){{from->name, from->to.key->named.help}, from->to.key->kind};
    }
    return count;
}

/* ---- what there is ---- */

/* Layers are the document's, or there are some here, and as many. */
static bool check_layers(const applying *a, err *e)
{
    const entry *layers = bundle_find(a->contents, "layers");
    size_t count = a->from->search.count;
    if (layers == NULL && count == 0)
        return refuse_unknown(&a->from->search, e);
    return layers == NULL || count == 0 || layers->bundle->count == count ||
           err_at(e, &layers->at, "%zu layer%s here, and %zu in %s", layers->bundle->count,
                  layers->bundle->count == 1 ? "" : "s", count, a->at.file);
}

/* ---- applying ---- */

/* Without the rows before that of the first position. */
static bool cut_positions(const applying *a, const layer_source *from, entry *added, err *e)
{
    const layer_convention *by = a->from->search.by;
    bool is_table = strcmp(from->to.key->named.name, "position_embedding") == 0;
    size_t first = is_table && !from->is_mapped ? by->position_row : 0;
    tensor *t = &added->tensor;
    if (first == 0 || added->kind != ENTRY_TENSOR || t->rank != 2)
        return true;
    if (t->size[0] <= first)
        return err_at(e, &added->at,
                      "%s has %zu rows, and by the names of %s the first position "
                      "is row %zu, from 0",
                      from->name, t->size[0], by->named.name, first);
    *t = tensor_range(t, 0, first, t->size[0] - first);
    return true;
}

static bool apply_one(const applying *a, const layer_source *from, err *e)
{
    const entry *found = bundle_find(a->read, from->name);
    cutting how = applying_cutting(a, &from->to);
    tensor part = {0};
    if (found == NULL)
        return true;
    if (from->is_cut && !bundle_cut(&how, from->which, found, &part, e))
        return err_within(e, "layer %zu", from->to.layer + 1);
    bundle *in = layer_path_make(&from->to, a->contents, a->at, e);
    entry *added = in == NULL ? NULL : bundle_borrow(in, from->to.key->named.name, found, e);
    if (added == NULL) {
        tensor_free(&part);
        return false;
    }
    added->tensor = from->is_cut ? part : added->tensor;
    added->layout = from->layout != LAYOUT_UNSAID ? from->layout : how.layout;
    if (!cut_positions(a, from, added, e))
        return false;
    if (added->kind == ENTRY_TENSOR &&
        !narrow_weights_settle(from->to.key->named.name, a->type, &added->tensor, e))
        return false;
    added->stays = added->kind != ENTRY_TENSOR || tensor_borrows(&added->tensor);
    input which = input_of_key(added->name);
    return (bundle_heads_check(&how, from->name, which, in, a->contents, e) &&
            bundle_gain_settle(&how, from->name, from->is_mapped, which, in, a->contents, e)) ||
           err_within(e, "layer %zu", from->to.layer + 1);
}

/* In their order, which that of the names need not be. */
static bool make_layers(const applying *a, err *e)
{
    for (size_t i = 0; i < a->from->search.count; i++) {
        layer_path layer = {.is_in_layer = true, .layer = i};
        if (layer_path_make(&layer, a->contents, a->at, e) == NULL)
            return false;
    }
    return true;
}

static bool apply_sources(const applying *a, err *e)
{
    const layer_sources *all = &a->from->sources;
    for (size_t i = 0; i < all->count; i++) {
        const layer_source *from = &all->item[i];
        if (!applying_wants(a, from))
            continue;
        if (from->name == NULL)
            return layer_sources_refuse(&a->from->search, from, e);
        if (!apply_one(a, from, e))
            return false;
    }
    return true;
}

/* ---- what the names imply ---- */

static bool apply_settings(const applying *a, text *note, err *e)
{
    implied_setting implied[IMPLIED_SETTINGS];
    layer_convention_settings(a->from->search.by, implied);
    const char *join = "; ";
    for (size_t i = 0; i < IMPLIED_SETTINGS; i++) {
        const char *name = implied[i].key, *value = implied[i].value;
        if (value == NULL || bundle_find(a->contents, name) != NULL ||
            wishes_remove(a->wishes, name))
            continue;
        if (!bundle_add_text(a->contents, name, value, strlen(value), a->at, e))
            return false;
        text_add_format(note, "%s%s %s", join, name, value);
        join = ", ";
    }
    return true;
}

/* Of all norms that don't say their own. */
static bool apply_eps(const applying *a, text *note, err *e)
{
    double eps = a->from->search.by->eps;
    if (eps <= 0 || bundle_find(a->contents, "norm_eps") != NULL ||
        wishes_remove(a->wishes, "norm_eps"))
        return true;
    text_add_format(note, ", norm_eps %g", eps);
    return bundle_add_number(a->contents, "norm_eps", eps, a->at, e);
}

/* ---- a document under a document ---- */

static bool merge(const bundle *from, const wishes *w, bundle *to, err *e)
{
    for (size_t i = 0; i < from->count; i++) {
        const entry *one = &from->entry[i];
        entry *there = bundle_find(to, one->name);
        bool is_open = there == NULL && !(w != NULL && wishes_remove(w, one->name));
        bool are_objects =
            there != NULL && there->kind == ENTRY_BUNDLE && one->kind == ENTRY_BUNDLE;
        if (is_open && bundle_borrow(to, one->name, one, e) == NULL)
            return false;
        if (are_objects && !merge(one->bundle, NULL, there->bundle, e))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

bool layer_weights_apply(layer_weights *g, const wishes *w, const bundle *read, dtype type,
                         bundle *contents, text *note, err *e)
{
    applying a = {g, w, read, type, contents, {.file = g->search.file}};
    if (g->is_document)
        return merge(read, w, contents, e);
    bool is_own = layer_convention_is_own(g->search.by);
    applying_settle(&a);
    if (!check_layers(&a, e) || !layer_refusals_check(&g->search, &g->sources, w, contents, e) ||
        !make_layers(&a, e) || !apply_sources(&a, e) ||
        !layer_leftovers_check(&g->search, contents, e))
        return false;
    if (is_own)
        return true;
    layer_note_names(&a, note);
    bool done = apply_settings(&a, note, e) && apply_eps(&a, note, e);
    layer_note_normalized(&a, note);
    layer_note_hints(&a, note);
    return done;
}
