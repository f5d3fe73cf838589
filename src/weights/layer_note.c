#include "weights/layer_note.h"

#include "model/keys.h"
#include "weights/cut.h"
#include "weights/bundle_refusal.h"
#include "weights/layer_search.h"

#include <string.h>

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
    size_t before = strlen(s->before) + (s->is_one ? 0 : (size_t)s->digits + strlen(s->after));
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
        bool is_said = from != NULL && from->name != NULL && from->to.layer == 0 &&
                       !applying_leaves_out(a, from);
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

void layer_note_names(const applying *a, text *note)
{
    const layer_search *s = &a->from->search;
    cutting how = applying_cutting(a, &(layer_path){0});
    text_add_format(note, "%s: names of %s%s", s->file, s->by->named.name,
                    s->is_one && *s->before == '\0' ? "" : " in ");
    layer_search_write_place(note, s);
    text_add_format(note, ", %zu layer%s%s, %s%s", s->count, s->count == 1 ? "" : "s",
                    s->is_one ? " alone" : "", how.layout == LAYOUT_OUT_IN ? "out-in" : "in-out",
                    how.layout_is_given ? " as --layout says" : "");
    add_sources(a, note);
}

void layer_note_normalized(const applying *a, text *note)
{
    const layer_path first = {.is_in_layer = true};
    const bundle *layer = layer_path_find(&first, a->contents);
    const char *word = layer == NULL ? NULL : bundle_text(layer, "qk_norm");
    if (word != NULL)
        text_add_format(note, ", qk_norm %s", word);
}

/* A table that somebody gives is taken from its first row, whoever's it is. */
static bool has_own_positions(const applying *a)
{
    const layer_path to = {.key = key_find(&STACK_DOCUMENT, "position_embedding", 18)};
    bool is_by_name =
        a->from->search.by->positions != NULL && !layer_sources_map(&a->from->sources, &to);
    return !is_by_name && bundle_find(a->contents, "position_embedding") != NULL;
}

void layer_note_hints(const applying *a, text *note)
{
    const layer_convention *by = a->from->search.by;
    const layer_path first = {.is_in_layer = true};
    if (bundle_find(applying_heads(a, &first), "heads") == NULL)
        text_add_string(note, BUNDLE_ONE_HEAD);
    if (by->open != NULL &&
        !bundle_decides(a->wishes, layer_path_find(&first, a->contents), a->contents, by->open))
        text_add_format(note, "; %s", by->hint);
    if (by->position_row > 0 && has_own_positions(a))
        text_add_format(note,
                        "; position 0 is row 0 of position_embedding, and in models of %s it may "
                        "be row %zu of their table",
                        by->named.name, by->position_row);
}
