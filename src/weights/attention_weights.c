#include "weights/attention_weights.h"

#include "attn/keys.h"
#include "weights/cut.h"

#include <string.h>

/* ---- how it is read ---- */

static cutting cutting_of(const bundle_names *found, const wishes *w, const bundle *read,
                          const bundle *contents)
{
    return bundle_cutting(found->layer.by, w->layout, read, contents);
}

static void settle_convention(bundle_names *found, const wishes *w, const bundle *read)
{
    const bundle_source *from = bundle_source_of(found, INPUT_WQ);
    const tensor *joint = from->name == NULL ? NULL : bundle_tensor(read, from->name);
    if (joint != NULL && w->layout == NULL)
        found->layer.by = bundle_cut_settle(found->layer.by, joint);
}

/* ---- what is said ---- */

/* A name within its layer. */
static const char *name_within(const bundle_names *found, const bundle_source *from)
{
    return from->is_mapped ? from->name : from->name + strlen(found->layer.name);
}

/* "Wq, Wk, Wv from c_attn.weight, Wo from c_proj.weight". */
static void add_sources(const bundle_names *found, text *out)
{
    size_t said = 0;
    for (input which = INPUT_WQ; which <= INPUT_WO; which++) {
        const bundle_source *from = bundle_source_of(found, which);
        const char *next = which == INPUT_WO ? NULL : bundle_source_of(found, which + 1)->name;
        if (from->name == NULL)
            continue;
        text_add_format(out, "%s%s", said++ == 0 ? "" : ", ", input_label(which));
        if (from->name != next)
            text_add_format(out, " from %s", name_within(found, from));
    }
}

static void add_biases(const bundle_names *found, text *out)
{
    size_t biases = 0;
    for (input which = INPUT_BQ; which <= INPUT_BO; which++) {
        if (bundle_source_of(found, which)->name != NULL)
            text_add_format(out, "%s%s", biases++ == 0 ? ", with " : ", ", input_label(which));
    }
    text_add_string(out, biases == 0 ? ", no biases" : "");
}

/* ", q_gain from q_norm.weight, bias_k": what is used of what may stand beside weights. */
static void add_beside(const bundle_names *found, const bundle *contents, text *out)
{
    for (size_t i = 0; i < CONVENTION_BESIDE; i++) {
        input which = CONVENTION_INPUTS[i];
        const bundle_source *from = bundle_source_of(found, which);
        if (from->name == NULL || bundle_find(contents, input_key(which)) == NULL)
            continue;
        text_add_format(out, ", %s", input_label(which));
        if (strcmp(name_within(found, from), input_label(which)) != 0)
            text_add_format(out, " from %s", name_within(found, from));
    }
}

/* What models of these names compute, where nobody says it: the numbers of a bundle are the same by
 * whatever names, so that it is only told. */
static void add_hints(const bundle_names *found, const wishes *w, const bundle *contents, text *out)
{
    const convention *by = found->layer.by;
    size_t columns = bundle_columns(bundle_find(contents, input_key(INPUT_WQ)), contents);
    if (columns > 1 && bundle_find(contents, "heads") == NULL)
        text_add_string(out, BUNDLE_ONE_HEAD);
    if (by->is_causal && bundle_find(contents, "causal") == NULL && !wishes_remove(w, "causal"))
        text_add_format(out, "; models of %s are causal: --causal", by->named.name);
    if (by->scale != NULL && bundle_find(contents, "scale") == NULL && !wishes_remove(w, "scale"))
        text_add_format(out, "; models of %s have another scale: --scale %s", by->named.name,
                        by->scale);
}

/* Which names and which layout; where they are the document's own there is nothing to say. */
static void write_note(const bundle_names *found, const cutting *how, const bundle *contents,
                       text *line)
{
    if (convention_is_own(how->by))
        return;
    const char *layout = how->layout == LAYOUT_OUT_IN ? "out-in" : "in-out";
    text_add_format(line, "%s: names of %s%s%s, %s%s: ", found->file, how->by->named.name,
                    *found->layer.name == '\0' ? "" : " in ", found->layer.name, layout,
                    how->layout_is_given ? " as --layout says" : "");
    add_sources(found, line);
    add_biases(found, line);
    add_beside(found, contents, line);
}

/* ---- applying ---- */

static bool is_open_to(const wishes *w, const bundle *contents, const char *key_name)
{
    return bundle_find(contents, key_name) == NULL && !wishes_remove(w, key_name);
}

/* What q, k or v given directly makes needless. */
static bool is_needed(const wishes *w, const bundle *contents, input weight)
{
    static const struct {
        input weight, instead;
    } ROWS[] = {{INPUT_WQ, INPUT_Q}, {INPUT_WK, INPUT_K}, {INPUT_WV, INPUT_V}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (ROWS[i].weight == weight && bundle_find(contents, input_key(ROWS[i].instead)) != NULL)
            return false;
    }
    return is_open_to(w, contents, input_key(weight));
}

static bool check_complete(const bundle_names *found, const wishes *w, const bundle *contents,
                           err *e)
{
    if (convention_is_own(found->layer.by))
        return true;
    for (input which = INPUT_WQ; which <= INPUT_WO; which++) {
        if (bundle_source_of(found, which)->name == NULL && is_needed(w, contents, which))
            return bundle_names_refuse_missing(found, which, e);
    }
    return true;
}

static bool is_weight_or_bias(input which)
{
    return which >= INPUT_WQ && which <= INPUT_BO;
}

/* Gains that a layer has are no gains where queries and keys are to stay as they are. */
static bool is_idle(const bundle_source *from, const wishes *w, const char *key_name,
                    const bundle *contents)
{
    return !from->is_mapped && bundle_is_gain(input_of_key(key_name)) &&
           !bundle_gains_are_wanted(w, contents, NULL);
}

static bool apply_one(const bundle_source *from, const cutting *how, const bundle *read, dtype type,
                      const char *key_name, bundle *contents, err *e)
{
    const entry *found = bundle_find(read, from->name);
    input which = input_of_key(key_name);
    tensor part = {0};
    if (found == NULL)
        return true;
    bool is_cut = is_weight_or_bias(which) && !from->is_mapped && !convention_is_own(how->by);
    if (is_cut && !bundle_cut(how, which, found, &part, e))
        return false;
    entry *added = bundle_borrow(contents, key_name, found, e);
    if (added == NULL) {
        tensor_free(&part);
        return false;
    }
    added->tensor = is_cut ? part : added->tensor;
    added->layout = how->layout;
    if (added->kind == ENTRY_TENSOR && !narrow_weights_settle(key_name, type, &added->tensor, e))
        return false;
    added->stays = added->kind != ENTRY_TENSOR || tensor_borrows(&added->tensor);
    return bundle_heads_check(how, from->name, which, contents, contents, e) &&
           bundle_gain_settle(how, from->name, from->is_mapped, which, contents, contents, e);
}

size_t attention_weights_rows(const bundle_names *found, key *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < KEYS.count; i++) {
        const key *own = (const key *)(const void *)named_row(&KEYS, i);
        if (found->from[i].name != NULL)
            rows[count++] = (key){{found->from[i].name, own->named.help}, own->kind};
    }
    return count;
}

bool attention_weights_apply(bundle_names *found, const wishes *w, const bundle *read, dtype type,
                             bundle *contents, text *note, err *e)
{
    settle_convention(found, w, read);
    cutting how = cutting_of(found, w, read, contents);
    if (!bundle_names_check_refused(found, w, contents, e) ||
        !check_complete(found, w, contents, e))
        return false;
    bool says_norm = note == NULL || bundle_find(contents, "qk_norm") != NULL;
    for (size_t i = 0; i < KEYS.count; i++) {
        const char *name = named_row(&KEYS, i)->name;
        const bundle_source *from = &found->from[i];
        if (from->name != NULL && is_open_to(w, contents, name) &&
            !is_idle(from, w, name, contents) &&
            !apply_one(from, &how, read, type, name, contents, e))
            return false;
    }
    if (note != NULL)
        write_note(found, &how, contents, note);
    if (!says_norm && note->length > 0 && bundle_find(contents, "qk_norm") != NULL)
        text_add_string(note, "; qk_norm rms");
    if (note != NULL && note->length > 0)
        add_hints(found, w, contents, note);
    return true;
}
