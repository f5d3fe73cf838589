#include "weights/told.h"

#include "model/keys.h"

#include <string.h>

/* ---- what was taken for what ---- */

/* A name within its layer. */
static const char *name_within(const weight_match *m, const weight_source *from)
{
    size_t before = strlen(m->before) + (m->is_one ? 0 : (size_t)m->digits + strlen(m->after));
    bool is_inside =
        (m->is_alone || from->to.is_in_layer) && from->mapped == 0 && strlen(from->name) > before;
    return is_inside ? from->name + before : from->name;
}

static bool is_bias(const key_path *p)
{
    const char *name = p->key->named.name;
    return strcmp(name, "bias") == 0 || (name[0] == 'b' && name[1] != '\0' && name[2] == '\0');
}

/* "wq, wk, wv from attn.c_attn.weight, wo from …, with biases": of the first layer, and next to the
 * layers. */
static void add_layer_sources(const applying *a, text *out)
{
    const weight_match *m = a->from;
    const char *last = NULL, *join = ": ";
    size_t biases = 0;
    for (size_t i = 0; i <= m->sources; i++) {
        const weight_source *from = i < m->sources ? &m->source[i] : NULL;
        bool is_said = from != NULL && from->name != NULL && from->to.layer == 0 &&
                       !applying_leaves_out(a, from);
        biases += is_said && is_bias(&from->to);
        if (from != NULL && (!is_said || is_bias(&from->to)))
            continue;
        const char *name = from == NULL ? NULL : name_within(m, from);
        if (last != NULL && (name == NULL || strcmp(name, last) != 0))
            text_add_format(out, " from %s", last);
        if (from != NULL) {
            text_add_string(out, join);
            /* "cross.wq" of the first layer, or "ln_f". */
            key_path within = from->to;
            within.is_in_layer = false;
            if (strcmp(from->to.key->named.name, "gain") == 0)
                text_add_string(out, from->to.object->named.name);
            else
                key_path_write(out, &within);
        }
        last = name;
        join = ", ";
    }
    text_add_string(out, biases > 0 ? ", with biases" : ", no biases");
}

/* "Wq, Wk, Wv from c_attn.weight, Wo from c_proj.weight, with bo, q_gain from q_norm.weight": of
 * one attention, and what is used of what may stand besides weights. */
static void add_attention_sources(const applying *a, text *out)
{
    const weight_match *m = a->from;
    const char *join = ": ";
    text biases = {0}, rest = {0};
    for (size_t i = 0; i < m->sources; i++) {
        const weight_source *from = &m->source[i];
        const char *next = i + 1 < m->sources ? from[1].name : NULL;
        input which = input_of_key(from->to.key->named.name);
        if (from->name == NULL || which == INPUT_COUNT)
            continue;
        const char *label = input_label(which), *within = name_within(m, from);
        if (which >= INPUT_WQ && which <= INPUT_WO) {
            text_add_format(out, "%s%s", join, label);
            if (from->name != next || which == INPUT_WO)
                text_add_format(out, " from %s", within);
            join = ", ";
        } else if (which >= INPUT_BQ && which <= INPUT_BO) {
            text_add_format(&biases, "%s%s", biases.length == 0 ? ", with " : ", ", label);
        } else if (convention_is_beside(which) &&
                   bundle_find(a->contents, input_key(which)) != NULL) {
            text_add_format(&rest, ", %s", label);
            if (strcmp(within, label) != 0)
                text_add_format(&rest, " from %s", within);
        }
    }
    text_add_string(out, biases.length == 0 ? ", no biases" : text_string(&biases));
    text_add_string(out, text_string(&rest));
    text_close(&biases, out);
    text_close(&rest, out);
}

void told_names(const applying *a, const cutting *how, text *note)
{
    const weight_match *m = a->from;
    text_add_format(note, "%s: names of %s%s", m->file,
                    m->is_alone ? m->attention->named.name : m->by->named.name,
                    m->is_one && *m->before == '\0' ? "" : " in ");
    match_write_place(note, m);
    if (!m->is_alone)
        text_add_format(note, ", %zu layer%s%s", m->count, m->count == 1 ? "" : "s",
                        m->is_one ? " alone" : "");
    text_add_format(note, ", %s%s", how->layout == LAYOUT_OUT_IN ? "out-in" : "in-out",
                    how->layout_is_given ? " as --layout says" : "");
    if (m->is_alone)
        add_attention_sources(a, note);
    else
        add_layer_sources(a, note);
}

/* A setting of models of these names that neither an option nor the document decides. */
static bool is_open(const applying *a, const char *setting)
{
    const key_path first = {.is_in_layer = !a->from->is_alone};
    return !bundle_options_decide(a->options, key_path_find(&first, a->contents), a->contents,
                                  setting);
}

void told_hints(const applying *a, bool says_norm, text *note)
{
    const weight_match *m = a->from;
    const layer_convention *by = m->by;
    const convention *of = m->attention;
    const key_path first = {.is_in_layer = !m->is_alone};
    const bundle *in = key_path_find(&first, a->contents);
    const char *norm = in == NULL ? NULL : bundle_text(in, "qk_norm");
    if (norm != NULL && !(m->is_alone && says_norm))
        text_add_format(note, "%s qk_norm %s", m->is_alone ? ";" : ",", norm);
    bool may_be_one = m->is_alone && cut_columns(bundle_find(a->contents, "wq"), a->contents) <= 1;
    if (bundle_find(applying_heads(a, &first), "heads") == NULL && !may_be_one)
        text_add_string(note, "; one head, unless --heads says how many");
    if (m->is_alone && of->is_causal && is_open(a, "causal"))
        text_add_format(note, "; models of %s are causal: --causal", of->named.name);
    if (m->is_alone && of->scale != NULL && is_open(a, "scale"))
        text_add_format(note, "; models of %s have another scale: --scale %s", of->named.name,
                        of->scale);
    if (by->open != NULL && is_open(a, by->open))
        text_add_format(note, "; %s", by->hint);
    /* A table that somebody gives is taken from its first row, whoever's it is. */
    key_path table;
    key_path_read(&table, "position_embedding", strlen("position_embedding"));
    bool is_by_name =
        by->position_row > 0 && by->part[POSITIONS] != NULL && !match_is_mapped(a->from, &table);
    if (by->position_row > 0 && !is_by_name &&
        bundle_find(a->contents, "position_embedding") != NULL)
        text_add_format(note,
                        "; position 0 is row 0 of position_embedding, and in models of %s it may "
                        "be row %zu of their table",
                        by->named.name, by->position_row);
}

/* ---- rows of the conventions, for help and manual ---- */

static void add_names(text *out, const convention *row, input which)
{
    char name[NAME_MOST];
    for (size_t n = 0; convention_name(row, which, n, name); n++)
        text_add_format(out, "%s%s", n == 0 ? "" : " or ", name);
}

/* "Wq, Wk, Wv: in_proj_weight", or "Wq: q_proj.weight; Wk: …". */
static void add_three(text *out, const convention *row, input first, bool is_joint)
{
    for (input which = first; which < first + 3; which++) {
        text_add_format(out, "%s%s",
                        which == first ? ""
                        : is_joint     ? ", "
                                       : "; ",
                        input_label(which));
        if (is_joint && which < first + 2)
            continue;
        text_add_string(out, ": ");
        add_names(out, row, which);
    }
}

void convention_describe(text *out, const convention *row)
{
    static const char *const CUTS[] = {
        [CUT_APART] = "",
        [CUT_HALVES] = ", Wk and Wv side by side",
        [CUT_THIRDS] = ", side by side",
        [CUT_BY_HEADS] = ", side by side, Wk and Wv as wide as --kv-heads says",
        [CUT_HEAD_BY_HEAD] = ", head by head (--heads says how many)",
    };
    add_three(out, row, INPUT_WQ, convention_is_joint(row));
    text_add_format(out, "%s; Wo: ", CUTS[row->cut]);
    add_names(out, row, INPUT_WO);
    if (row->joint_bias != NULL) {
        text_add_string(out, "; ");
        add_three(out, row, INPUT_BQ, true);
    }
    text_add_format(out, "; %sbiases with %s for %s", row->joint_bias != NULL ? "other " : "",
                    convention_word(row, true), convention_word(row, false));
    if (row->layout != LAYOUT_UNSAID)
        text_add_format(out, "; %s", row->layout == LAYOUT_OUT_IN ? "out-in" : "in-out");
    for (size_t i = 0; i < CONVENTION_BESIDE; i++) {
        char name[NAME_MOST];
        if (!convention_name(row, CONVENTION_INPUTS[i], 0, name))
            continue;
        text_add_format(out, "; %s: ", input_key(CONVENTION_INPUTS[i]));
        add_names(out, row, CONVENTION_INPUTS[i]);
    }
    for (const refusal *r = row->refused; r != NULL && r->name != NULL; r++)
        text_add_format(out, "%s %s", r == row->refused ? "; refused besides them:" : ",", r->name);
    if (row->is_causal)
        text_add_string(out, "; its models are causal");
    if (row->scale != NULL)
        text_add_format(out, "; its models have scale %s", row->scale);
}

static void add_alternatives(text *out, const char *label, const char *names)
{
    char name[NAME_MOST];
    for (size_t n = 0; name_alternative(names, n, name); n++) {
        if (n == 0)
            text_add_format(out, "; %s: %s", label, name);
        else
            text_add_format(out, " or %s", name);
    }
}

void layer_convention_describe(text *out, const layer_convention *row)
{
    implied_setting implied[IMPLIED_SETTINGS];
    bool is_own = layer_convention_is_own(row);
    text_add_format(out, "attention: %s", is_own ? "in the layer itself" : row->attention);
    add_alternatives(out, "cross-attention", row->cross);
    for (size_t i = 0; i < NAMED_PART_COUNT; i++) {
        add_alternatives(out, NAMED_PARTS[i].label, row->part[i]);
        if (i == POSITIONS && row->position_row > 0 && row->part[i] != NULL)
            text_add_format(out, " from row %zu", row->position_row);
    }
    add_alternatives(out, "refused besides them", row->uncomputed);
    add_alternatives(out, "without a part", row->buffers);
    layer_convention_settings(row, implied);
    for (size_t i = 0; i < IMPLIED_SETTINGS; i++) {
        if (implied[i].value != NULL)
            text_add_format(out, "; %s %s", implied[i].key, implied[i].value);
    }
    if (row->eps > 0)
        text_add_format(out, "; norm_eps %g", row->eps);
    if (row->hint != NULL)
        text_add_format(out, "; %s", row->hint);
}

/* ---- an index of files ---- */

/* As transformers writes it: an object from each tensor's name to its file's. */
static const char MAP[] = "weight_map";

bool bundle_index_is(const text_list *names)
{
    return text_list_find(names, MAP) != NULL;
}

/* Files of an index are next to it. */
static bool refuse_index(const text_list *files, const char *file, bool is_of_layers, err *e)
{
    enum { SHOWN = 4 };
    place at = {.file = file};
    const char *whose = is_of_layers ? "layers" : "layer", *last = strrchr(file, '/');
    int folder = last == NULL ? 0 : (int)(last + 1 - file);
    err_at(e, &at, "it is an index of files, and has no weights itself");
    if (files->count == 0)
        return err_remedy(e, "--prefix says which %s, and so which file", whose);
    if (files->count == 1)
        return err_remedy(e, "--bundle %.*s%s has those of the %s", folder, file, files->item[0],
                          whose);
    text list = {0};
    for (size_t i = 0; i < files->count && i < SHOWN; i++)
        text_add_format(&list, "%s%s", i == 0 ? "" : ", ", files->item[i]);
    err_remedy(e, "those of the %s are in %zu files, which are to be joined first: %s%s", whose,
               files->count, text_string(&list), files->count > SHOWN ? ", …" : "");
    text_free(&list);
    return false;
}

bool bundle_index_refuse(const bundle *read, const char *file, const bundle_options *w,
                         bool is_of_layers, err *e)
{
    static const bundle NOTHING = {0};
    const entry *map = bundle_find(read, MAP);
    const bundle *all = map == NULL || map->kind != ENTRY_BUNDLE ? &NOTHING : map->bundle;
    text_list names = {0}, files = {0};
    bool done = true;
    for (size_t i = 0; i < all->count && done; i++)
        done = text_list_add(&names, all->entry[i].name, strlen(all->entry[i].name), e);
    if (done) {
        /* The files of what is found among the names. */
        weight_match found;
        done =
            weights_match(&found, !is_of_layers, &names, file, w, e) && text_list_index(&files, e);
        for (size_t i = 0; i < found.sources && done; i++) {
            const char *name = found.source[i].name;
            const char *one = name == NULL ? NULL : bundle_text(all, name);
            done = one == NULL || text_list_find(&files, one) != NULL ||
                   text_list_add(&files, one, strlen(one), e);
        }
        weight_match_free(&found);
    }
    if (!done && !e->is_memory) { /* several layers, or none that are known */
        err_clear(e);
        text_list_free(&files);
    }
    if (!e->is_set)
        refuse_index(&files, file, is_of_layers, e);
    text_list_free(&names);
    text_list_free(&files);
    return false;
}
