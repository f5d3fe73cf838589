#include "cli/given_layers.h"

#include "attn/keys.h"
#include "base/mem.h"
#include "cli/bundle_cut.h"
#include "cli/bundle_gains.h"
#include "cli/bundle_heads.h"
#include "cli/bundle_refusal.h"
#include "cli/bundle_unfinished.h"
#include "cli/given.h"
#include "cli/layer_leftovers.h"
#include "cli/layer_refusals.h"
#include "cli/narrow_weights.h"
#include "model/keys.h"

#include <string.h>

/* What is under way: a document that gets what it lacks. */
typedef struct applying {
    given_layers *from;
    const options *given;
    const bundle *read;
    dtype type;
    bundle *contents;
    place at; /* the bundle as a whole */
} applying;

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

bool given_layers_find(given_layers *g, const text_list *names, const char *file, const options *o,
                       err *e)
{
    *g = (given_layers){.is_document = text_list_find(names, "layers") != NULL};
    if (g->is_document)
        return true;
    return layer_search_find(&g->search, names, file, o->prefix == NULL ? "" : o->prefix, e) &&
           layer_sources_find(&g->sources, &g->search, &o->map, e) &&
           (g->sources.count > 0 || refuse_unknown(&g->search, e));
}

void given_layers_free(given_layers *g)
{
    layer_sources_free(&g->sources);
    layer_search_free(&g->search);
}

size_t given_layers_rows(const given_layers *g, key *rows)
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

/* ---- conventions ---- */

/* Of conventions that share their names the sizes tell, of attention and then of the layer. */
static void settle(const applying *a)
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

/* The object that says how many heads there are, or the document. */
static const bundle *with_heads(const applying *a, const layer_path *of)
{
    layer_path layer = {.is_in_layer = true, .layer = of->layer};
    const bundle *own = layer_path_find(of, a->contents);
    const bundle *in_layer = layer_path_find(&layer, a->contents);
    if (own != NULL && bundle_find(own, "heads") != NULL)
        return own;
    return in_layer != NULL && bundle_find(in_layer, "heads") != NULL ? in_layer : a->contents;
}

static cutting cutting_of(const applying *a, const layer_path *of)
{
    const layer_search *s = &a->from->search;
    bool is_cross = of->object != NULL && s->cross != NULL;
    const convention *by = is_cross               ? s->cross
                           : s->attention != NULL ? s->attention
                                                  : convention_at(0);
    return bundle_cutting(by, given_value(a->given, "layout"), a->read, with_heads(a, of));
}

/* ---- what lacks ---- */

static bool is_open(const applying *a, const layer_path *to)
{
    const char *name = to->key->named.name;
    const bundle *in = layer_path_find(to, a->contents);
    bool is_at_top = !to->is_in_layer && to->object == NULL;
    return (in == NULL || bundle_find(in, name) == NULL) &&
           !(is_at_top && given_removes(a->given, name));
}

/* --no-bias-k is of all layers, where it is a convention that found it; and gains are none where
 * queries and keys are to stay as they are. */
static bool is_left_out(const applying *a, const layer_source *from)
{
    const layer_path *to = &from->to;
    if (from->is_mapped || layer_convention_is_own(a->from->search.by))
        return false;
    for (size_t i = 0; i < CONVENTION_BESIDE; i++) {
        const char *name = input_key(CONVENTION_INPUTS[i]);
        if (strcmp(to->key->named.name, name) == 0)
            return given_removes(a->given, name) ||
                   (bundle_is_gain(CONVENTION_INPUTS[i]) &&
                    !bundle_gains_are_wanted(a->given, layer_path_find(to, a->contents),
                                             a->contents));
    }
    return false;
}

/* Rows that are given have their segments, their positions and their norm already. */
static bool is_wanted(const applying *a, const layer_source *from)
{
    const layer_path *to = &from->to;
    bool is_by_name = !from->is_mapped && !layer_convention_is_own(a->from->search.by);
    bool is_of_rows = strcmp(to->key->named.name, "segment_embedding") == 0 ||
                      strcmp(to->key->named.name, "position_embedding") == 0 ||
                      (to->object != NULL && strcmp(to->object->named.name, "ln_e") == 0);
    return !(is_of_rows && is_by_name && bundle_find(a->contents, "x") != NULL) &&
           !is_left_out(a, from) && is_open(a, to);
}

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
    cutting how = cutting_of(a, &from->to);
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
        if (!is_wanted(a, from))
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
            given_removes(a->given, name))
            continue;
        if (!bundle_add_text(a->contents, name, value, strlen(value), a->at, e))
            return false;
        text_add_format(note, "%s%s %s", join, name, value);
        join = ", ";
    }
    return true;
}

/* What the gains of the first layer imply. */
static void add_normalized(const applying *a, text *note)
{
    const layer_path first = {.is_in_layer = true};
    const bundle *layer = layer_path_find(&first, a->contents);
    const char *word = layer == NULL ? NULL : bundle_text(layer, "qk_norm");
    if (word != NULL)
        text_add_format(note, ", qk_norm %s", word);
}

/* Of all norms that don't say their own. */
static bool apply_eps(const applying *a, text *note, err *e)
{
    double eps = a->from->search.by->eps;
    if (eps <= 0 || bundle_find(a->contents, "norm_eps") != NULL ||
        given_removes(a->given, "norm_eps"))
        return true;
    text_add_format(note, ", norm_eps %g", eps);
    return bundle_add_number(a->contents, "norm_eps", eps, a->at, e);
}

/* ---- what is said ---- */

static bool is_bias(const layer_path *p)
{
    const char *name = p->key->named.name;
    return strcmp(name, "bias") == 0 || (name[0] == 'b' && name[1] != '\0' && name[2] == '\0');
}

/* "cross.wq" of the first layer, or "ln_f". */
static void add_key(text *out, const layer_path *p)
{
    layer_path within = *p;
    within.is_in_layer = false;
    if (strcmp(p->key->named.name, "gain") == 0)
        text_add_string(out, p->object->named.name);
    else
        layer_source_write_path(out, &within);
}

/* A name within its layer. */
static const char *name_within(const layer_search *s, const layer_source *from)
{
    size_t before = strlen(s->before) + (s->is_one ? 0 : 1 + strlen(s->after));
    bool is_inside = from->to.is_in_layer && !from->is_mapped && strlen(from->name) > before;
    return is_inside ? from->name + before : from->name;
}

/* "wq, wk, wv from attn.c_attn.weight, wo from …": of the first layer, and beside the layers. */
static void add_sources(const applying *a, text *out)
{
    const layer_sources *all = &a->from->sources;
    const char *last = NULL, *join = ": ";
    size_t biases = 0;
    for (size_t i = 0; i <= all->count; i++) {
        const layer_source *from = i < all->count ? &all->item[i] : NULL;
        bool is_said =
            from != NULL && from->name != NULL && from->to.layer == 0 && !is_left_out(a, from);
        biases += is_said && is_bias(&from->to);
        if (from != NULL && (!is_said || is_bias(&from->to)))
            continue;
        const char *name = from == NULL ? NULL : name_within(&a->from->search, from);
        if (last != NULL && (name == NULL || strcmp(name, last) != 0))
            text_add_format(out, " from %s", last);
        if (from != NULL) {
            text_add_string(out, join);
            add_key(out, &from->to);
        }
        last = name;
        join = ", ";
    }
    text_add_string(out, biases > 0 ? ", with biases" : ", no biases");
}

static void add_note(const applying *a, text *note)
{
    const layer_search *s = &a->from->search;
    cutting how = cutting_of(a, &(layer_path){0});
    text_add_format(note, "%s: names of %s%s", s->file, s->by->named.name,
                    s->is_one && *s->before == '\0' ? "" : " in ");
    layer_search_write_place(note, s);
    text_add_format(note, ", %zu layer%s%s, %s%s", s->count, s->count == 1 ? "" : "s",
                    s->is_one ? " alone" : "", how.layout == LAYOUT_OUT_IN ? "out-in" : "in-out",
                    how.layout_is_given ? " as --layout says" : "");
    add_sources(a, note);
}

/* A table that somebody gives is taken from its first row, whoever's it is. */
static bool has_own_positions(const applying *a)
{
    const layer_path to = {.key = key_find(&STACK_DOCUMENT, "position_embedding", 18)};
    bool is_by_name =
        a->from->search.by->positions != NULL && !layer_sources_map(&a->from->sources, &to);
    return !is_by_name && bundle_find(a->contents, "position_embedding") != NULL;
}

/* What files of names and numbers don't have, and a result depends on. */
static void add_hints(const applying *a, text *note)
{
    const layer_convention *by = a->from->search.by;
    const layer_path first = {.is_in_layer = true};
    if (bundle_find(with_heads(a, &first), "heads") == NULL)
        text_add_string(note, "; one head, unless --heads says how many");
    if (by->open != NULL &&
        !bundle_decides(a->given, layer_path_find(&first, a->contents), a->contents, by->open))
        text_add_format(note, "; %s", by->hint);
    if (by->position_row > 0 && has_own_positions(a))
        text_add_format(note,
                        "; position 0 is row 0 of position_embedding, and in models of %s it may "
                        "be row %zu of their table",
                        by->named.name, by->position_row);
}

/* ---- a document under a document ---- */

static bool merge(const bundle *from, const options *o, bundle *to, err *e)
{
    for (size_t i = 0; i < from->count; i++) {
        const entry *one = &from->entry[i];
        entry *there = bundle_find(to, one->name);
        bool is_open = there == NULL && !(o != NULL && given_removes(o, one->name));
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

bool given_layers_apply(given_layers *g, const options *o, const bundle *read, dtype type,
                        bundle *contents, text *note, err *e)
{
    applying a = {g, o, read, type, contents, {.file = g->search.file}};
    if (g->is_document)
        return merge(read, o, contents, e);
    bool is_own = layer_convention_is_own(g->search.by);
    if (given_value(o, "layout") == NULL)
        settle(&a);
    settle_layers(&a);
    if (!check_layers(&a, e) || !layer_refusals_check(&g->search, &g->sources, o, contents, e) ||
        !make_layers(&a, e) || !apply_sources(&a, e) ||
        !layer_leftovers_check(&g->search, contents, e))
        return false;
    if (is_own)
        return true;
    add_note(&a, note);
    bool done = apply_settings(&a, note, e) && apply_eps(&a, note, e);
    add_normalized(&a, note);
    add_hints(&a, note);
    return done;
}
