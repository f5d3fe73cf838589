#include "weights/apply.h"

#include "weights/cut.h"
#include "weights/refused.h"
#include "weights/told.h"

#include <string.h>

/* ---- what the sizes tell ---- */

static size_t rows_of(const applying *a, const char *key_name)
{
    for (size_t i = 0; i < a->from->sources; i++) {
        const weight_source *from = &a->from->source[i];
        const tensor *t = from->name == NULL || strcmp(from->to.key->named.name, key_name) != 0
                              ? NULL
                              : bundle_tensor(a->read, from->name);
        if (t != NULL && t->rank == 2)
            return t->size[0];
    }
    return 0;
}

/* ---- how it is cut ---- */

const bundle *applying_heads(const applying *a, const key_path *of)
{
    key_path layer = {.is_in_layer = true, .layer = of->layer};
    const bundle *own = key_path_find(of, a->contents);
    const bundle *in_layer = key_path_find(&layer, a->contents);
    if (own != NULL && bundle_find(own, "heads") != NULL)
        return own;
    return in_layer != NULL && bundle_find(in_layer, "heads") != NULL ? in_layer : a->contents;
}

static cutting cutting_of(const applying *a, const key_path *of)
{
    const weight_match *m = a->from;
    bool is_cross = of->object != NULL && m->cross != NULL;
    const convention *by = is_cross ? m->cross : m->attention;
    return cut_how(by != NULL ? by : convention_at(0), a->options->layout, a->read,
                   applying_heads(a, of));
}

/* ---- what lacks ---- */

bool applying_leaves_out(const applying *a, const weight_source *from)
{
    const key_path *to = &from->to;
    input which = input_of_key(to->key->named.name);
    if (from->mapped > 0 || (to->is_in_layer && weight_match_is_own(a->from)))
        return false;
    return convention_is_beside(which) &&
           (bundle_options_remove(a->options, to->key->named.name) ||
            (input_is_gain(which) &&
             !gains_are_wanted(a->options, key_path_find(to, a->contents), a->contents)));
}

/* The document lacks it, and has a use for it. Rows that are given have their segments, their
 * positions and their norm already. */
static bool is_wanted(const applying *a, const weight_source *from)
{
    static const input INSTEAD[] = {
        [INPUT_WQ] = INPUT_Q, [INPUT_WK] = INPUT_K, [INPUT_WV] = INPUT_V};
    const key_path *to = &from->to;
    const char *name = to->key->named.name;
    const bundle *in = key_path_find(to, a->contents);
    bool is_at_top = !to->is_in_layer && to->object == NULL;
    bool is_by_name = from->mapped == 0 && !weight_match_is_own(a->from);
    bool is_of_rows = strcmp(name, "segment_embedding") == 0 ||
                      strcmp(name, "position_embedding") == 0 ||
                      (to->object != NULL && strcmp(to->object->named.name, "ln_e") == 0);
    if ((in != NULL && bundle_find(in, name) != NULL) ||
        (is_at_top && bundle_options_remove(a->options, name)) || applying_leaves_out(a, from))
        return false;
    /* q that is given makes Wq needless. */
    if (from->name == NULL && from->is_cut && from->which <= INPUT_WV && in != NULL)
        return bundle_find(in, input_key(INSTEAD[from->which])) == NULL;
    return !(is_of_rows && is_by_name && bundle_find(a->contents, "x") != NULL);
}

/* ---- applying ---- */

/* Products pack them, and what looks a row up copies it; both widen. All else is made the run's
 * type now. */
static bool is_widened_in_use(const char *key_name)
{
    static const char *const NARROW[] = {"wq", "wk", "wv",        "wo",         "w1",
                                         "w2", "w3", "embedding", "unembedding"};
    for (size_t i = 0; i < sizeof NARROW / sizeof NARROW[0]; i++) {
        if (strcmp(NARROW[i], key_name) == 0)
            return true;
    }
    return false;
}

static bool apply_one(const applying *a, const weight_source *from, err *e)
{
    const layer_convention *by = a->from->by;
    const entry *found = bundle_find(a->read, from->name);
    const char *name = from->to.key->named.name;
    cutting how = cutting_of(a, &from->to);
    input which = input_of_key(name);
    tensor part = {0};
    if (found == NULL || (from->is_cut && !cut_part(&how, from->which, found, &part, e)))
        return found == NULL;
    bundle *in = key_path_make(&from->to, a->contents, a->at, e);
    entry *added = in == NULL ? NULL : bundle_borrow(in, name, found, e);
    if (added == NULL) {
        tensor_free(&part);
        return false;
    }
    tensor *t = &added->tensor;
    *t = from->is_cut ? part : *t;
    added->layout = from->layout != LAYOUT_UNSAID ? from->layout : how.layout;
    /* A table of positions goes in without the rows before that of the first position. */
    size_t first = by->position_row;
    if (strcmp(name, "position_embedding") == 0 && from->mapped == 0 && first > 0 &&
        added->kind == ENTRY_TENSOR && t->rank == 2) {
        if (t->size[0] <= first)
            return err_at(e, &added->at,
                          "%s has %zu rows, and by the names of %s the first position "
                          "is row %zu, from 0",
                          from->name, t->size[0], by->named.name, first);
        *t = tensor_range(t, 0, first, t->size[0] - first);
    }
    if (added->kind == ENTRY_TENSOR && !is_widened_in_use(name) && !tensor_widen(t, a->type, e))
        return false;
    added->stays = added->kind != ENTRY_TENSOR || tensor_borrows(t);
    return cut_check_heads(&how, from->name, which, in, a->contents, e) &&
           gain_settle(&how, from->name, from->mapped > 0, which, in, a->contents, e);
}

/* All that is wanted is there before anything is added; layers are in their order, which that of
 * the names need not be. */
static bool apply_sources(const applying *a, err *e)
{
    const weight_match *m = a->from;
    for (size_t i = 0; i < m->sources; i++) {
        if (m->source[i].name == NULL && is_wanted(a, &m->source[i]))
            return weight_match_refuse_missing(m, &m->source[i], e);
    }
    for (size_t i = 0; i < m->count && !m->is_alone; i++) {
        key_path layer = {.is_in_layer = true, .layer = i};
        if (key_path_make(&layer, a->contents, a->at, e) == NULL)
            return false;
    }
    for (size_t i = 0; i < m->sources; i++) {
        const weight_source *from = &m->source[i];
        if (from->name == NULL || !is_wanted(a, from) || apply_one(a, from, e))
            continue;
        if (from->to.is_in_layer && !e->is_memory)
            err_within(e, "layer %zu", from->to.layer + 1);
        return false;
    }
    return true;
}

/* ---- what the names imply ---- */

/* Settings, unless they are given, and the eps of all norms that don't say their own. */
static bool apply_settings(const applying *a, text *note, err *e)
{
    implied_setting implied[IMPLIED_SETTINGS];
    layer_convention_settings(a->from->by, implied);
    const char *join = "; ";
    for (size_t i = 0; i < IMPLIED_SETTINGS; i++) {
        const char *name = implied[i].key, *value = implied[i].value;
        if (value == NULL || bundle_options_decide(a->options, a->contents, NULL, name))
            continue;
        if (!bundle_add_text(a->contents, name, value, strlen(value), a->at, e))
            return false;
        text_add_format(note, "%s%s %s", join, name, value);
        join = ", ";
    }
    double eps = a->from->by->eps;
    if (eps <= 0 || bundle_options_decide(a->options, a->contents, NULL, "norm_eps"))
        return true;
    text_add_format(note, ", norm_eps %g", eps);
    return bundle_add_number(a->contents, "norm_eps", eps, a->at, e);
}

/* ---- a document under a document ---- */

static bool merge(const bundle *from, const bundle_options *w, bundle *to, err *e)
{
    for (size_t i = 0; i < from->count; i++) {
        const entry *one = &from->entry[i];
        entry *there = bundle_find(to, one->name);
        bool is_open = there == NULL && !(w != NULL && bundle_options_remove(w, one->name));
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

bool weights_apply(weight_match *m, const bundle_options *w, const bundle *read, dtype type,
                   bundle *contents, text *note, err *e)
{
    applying a = {m, w, read, type, contents, {.file = m->file}};
    if (m->is_document)
        return merge(read, w, contents, e);
    bool says_norm = bundle_find(contents, "qk_norm") != NULL;
    /* Of conventions that share their names, whose it is: of attention, unless the layout is
     * said, and then of the layers. */
    const weight_source *wq = m->source;
    while (wq < m->source + m->sources && (!wq->is_cut || wq->name == NULL))
        wq++;
    const tensor *joint = w->layout != NULL || m->attention == NULL ||
                                  wq == m->source + m->sources || wq->which > INPUT_WV
                              ? NULL
                              : bundle_tensor(read, wq->name);
    const convention *by = joint == NULL ? m->attention : cut_settle(m->attention, joint);
    if (by != m->attention && !m->is_alone) {
        const char *name = by->named.name;
        const named *row = named_find(&LAYER_CONVENTIONS, name, strlen(name));
        m->by = row == NULL ? m->by : (const layer_convention *)(const void *)row;
    }
    m->attention = by;
    m->by = layer_convention_settle(m->by, m->before, rows_of(&a, "position_embedding"),
                                    rows_of(&a, "segment_embedding"));
    /* Layers are the document's, or there are some here, and as many. */
    const entry *layers = bundle_find(contents, "layers");
    if (!m->is_alone && layers == NULL && m->count == 0)
        return weight_match_refuse(m, "", e);
    if (!m->is_alone && layers != NULL && m->count > 0 && layers->bundle->count != m->count)
        return err_at(e, &layers->at, "%zu layer%s here, and %zu in %s", layers->bundle->count,
                      layers->bundle->count == 1 ? "" : "s", m->count, m->file);
    if (!refused_check(m, w, contents, e) || !apply_sources(&a, e) ||
        (!m->is_alone && !leftovers_check(m, contents, e)))
        return false;
    if (weight_match_is_own(m))
        return true;
    cutting how = cutting_of(&a, &(key_path){0});
    told_names(&a, &how, note);
    bool done = apply_settings(&a, note, e);
    told_hints(&a, says_norm, note);
    return done;
}
