#include "weights/layer_named.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

typedef struct finder {
    layer_sources *all;
    layer_search *in;
    size_t layer;
} finder;

static layer_path path_in_layer(const finder *f, const char *way)
{
    layer_path p;
    layer_path_read_within(&p, f->layer, way, strlen(way));
    return p;
}

/* What is looked for first stands in f->in->name, for where it is not there. */
static layer_source *add_looked_for(finder *f, const char *way, const char *name, err *e)
{
    layer_path p = path_in_layer(f, way);
    layer_source *added = layer_sources_add(f->all, f->in, &p, name, e);
    if (added == NULL || name != NULL)
        return added;
    added->wanted = mem_copy_text(text_string(&f->in->name), f->in->name.length, e);
    return added->wanted == NULL ? NULL : added;
}

/* Something that a layer can't do without. */
static bool add_needed(finder *f, const char *way, const char *name, err *e)
{
    return add_looked_for(f, way, name, e) != NULL;
}

/* Something that all layers have, or none. */
static bool add_found(finder *f, const char *way, const char *name, err *e)
{
    layer_source *added = add_looked_for(f, way, name, e);
    if (added != NULL)
        added->may_lack = true;
    return added != NULL;
}

/* Some layer that has what this one lacks; NULL: none has. */
static const layer_source *find_elsewhere(const layer_sources *all, const layer_source *lacking)
{
    for (size_t i = 0; i < all->count; i++) {
        const layer_source *one = &all->item[i];
        if (one->name != NULL && one->to.is_in_layer && one->to.key == lacking->to.key &&
            one->to.object == lacking->to.object)
            return one;
    }
    return NULL;
}

/* What no layer has is not lacking in any. */
static void drop_absent(layer_sources *all)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        layer_source *one = &all->item[i];
        bool is_absent = one->name == NULL && one->may_lack;
        const layer_source *elsewhere = is_absent ? find_elsewhere(all, one) : NULL;
        if (is_absent && elsewhere == NULL) {
            mem_free(one->wanted);
            continue;
        }
        one->has = elsewhere == NULL ? 0 : elsewhere->to.layer;
        all->item[kept++] = *one;
    }
    all->count = kept;
}

/* ---- attention ---- */

static bool add_beside(finder *f, const convention *by, const char *way, const char *object, err *e)
{
    for (size_t i = 0; i < CONVENTION_BESIDE; i++) {
        char key_way[LAYER_NAME];
        input which = CONVENTION_INPUTS[i];
        snprintf(key_way, sizeof key_way, "%s%s", object, input_key(which));
        if (!add_found(f, key_way, layer_search_weight(f->in, f->layer, way, by, which), e))
            return false;
    }
    return true;
}

static bool add_attention(finder *f, const convention *by, const char *way, const char *object,
                          err *e)
{
    for (input which = INPUT_WQ; which <= INPUT_BO; which++) {
        char key_way[LAYER_NAME];
        snprintf(key_way, sizeof key_way, "%s%s", object, input_key(which));
        const char *name = layer_search_weight(f->in, f->layer, way, by, which);
        size_t before = f->all->count;
        bool done =
            which <= INPUT_WO ? add_needed(f, key_way, name, e) : add_found(f, key_way, name, e);
        if (!done)
            return false;
        if (f->all->count > before) {
            f->all->item[before].is_cut = true;
            f->all->item[before].which = which;
        }
    }
    return add_beside(f, by, way, object, e);
}

/* ---- norms and feed-forward parts ---- */

/* Of two names the first is that of a layer with cross-attention. */
static void pick_name(const finder *f, const char *names, char out[LAYER_NAME])
{
    if (f->in->cross != NULL || !layer_convention_name(names, 1, out))
        layer_convention_name(names, 0, out);
}

/* The first that is there of the name's, ended with one of the words, "weight gamma". */
static const char *find_any(finder *f, const char *names, const char *words)
{
    char name[LAYER_NAME], word[LAYER_NAME], tail[2 * LAYER_NAME];
    pick_name(f, names, name);
    for (size_t i = 0; layer_convention_name(words, i, word); i++) {
        snprintf(tail, sizeof tail, "%s.%s", name, word);
        const char *found = layer_search_name(f->in, f->layer, "", tail);
        if (found != NULL)
            return found;
    }
    layer_convention_name(words, 0, word);
    snprintf(tail, sizeof tail, "%s.%s", name, word);
    layer_search_name(f->in, f->layer, "", tail);
    return NULL;
}

static const char GAINS[] = "weight gamma scale", SHIFTS[] = "bias beta";

static bool add_norms(finder *f, const layer_convention *row, err *e)
{
    static const char *const NORMS[NORMS_MOST][2] = {
        {"ln1.gain", "ln1.bias"}, {"ln2.gain", "ln2.bias"}, {"ln3.gain", "ln3.bias"}};
    size_t count = f->in->cross != NULL ? NORMS_MOST : 2;
    for (size_t i = 0; i < count; i++) {
        const char *names = row->norm[i];
        if (names != NULL && (!add_needed(f, NORMS[i][0], find_any(f, names, GAINS), e) ||
                              !add_found(f, NORMS[i][1], find_any(f, names, SHIFTS), e)))
            return false;
    }
    return true;
}

static bool add_weights(finder *f, const layer_convention *row, err *e)
{
    static const char *const WEIGHTS[LAYER_WEIGHTS] = {"w1", "w2", "w3"};
    static const char *const BIASES[LAYER_WEIGHTS] = {"b1", "b2", NULL};
    const convention *by = f->in->attention;
    for (size_t i = 0; i < LAYER_WEIGHTS; i++) {
        const char *names = row->weight[i];
        if (names != NULL && !add_needed(f, WEIGHTS[i], find_any(f, names, by->weight), e))
            return false;
        if (names != NULL && BIASES[i] != NULL &&
            !add_found(f, BIASES[i], find_any(f, names, by->bias), e))
            return false;
    }
    return true;
}

static bool add_layer(finder *f, err *e)
{
    const layer_search *s = f->in;
    return add_attention(f, s->attention, s->by->attention, "", e) &&
           (s->cross == NULL || add_attention(f, s->cross, s->by->cross, "cross.", e)) &&
           add_norms(f, s->by, e) && add_weights(f, s->by, e);
}

/* ---- beside the layers ---- */

static bool add_at_top(finder *f, const char *way, const indexed_name *found, weight_layout layout,
                       err *e)
{
    layer_path p;
    layer_path_read(&p, way, strlen(way));
    layer_source *added =
        found == NULL ? NULL : layer_sources_add(f->all, f->in, &p, found->name, e);
    if (added != NULL)
        added->layout = layout;
    return found == NULL || added != NULL;
}

/* A norm has a gain, whatever else it has; what it is called is as its bias says. */
static bool add_missing_gain(finder *f, const char *way, const char *shift, err *e)
{
    layer_path p;
    size_t stem = strlen(shift);
    layer_path_read(&p, way, strlen(way));
    while (stem > 0 && !name_is_separator(shift[stem - 1]))
        stem--;
    layer_search_clear(f->in);
    text_add_format(&f->in->name, "%.*sweight", (int)stem, shift);
    layer_source *added = layer_sources_add(f->all, f->in, &p, NULL, e);
    if (added != NULL)
        added->wanted = mem_copy_text(text_string(&f->in->name), f->in->name.length, e);
    return added != NULL && added->wanted != NULL;
}

static bool add_norm_at_top(finder *f, const char *gain_way, const char *bias_way,
                            const char *names, bool climbs, err *e)
{
    const indexed_name *gain = layer_search_beside(f->in, names, GAINS, climbs);
    const indexed_name *shift = layer_search_beside(f->in, names, SHIFTS, climbs);
    bool done = gain == NULL && shift != NULL ? add_missing_gain(f, gain_way, shift->name, e)
                                              : add_at_top(f, gain_way, gain, LAYOUT_UNSAID, e);
    return done && add_at_top(f, bias_way, shift, LAYOUT_UNSAID, e);
}

static bool add_rest(finder *f, err *e)
{
    const layer_convention *row = f->in->by;
    const char *weight = "weight embedding";
    return add_norm_at_top(f, "ln_e.gain", "ln_e.bias", row->first, true, e) &&
           add_norm_at_top(f, "ln_f.gain", "ln_f.bias", row->final, false, e) &&
           add_at_top(f, "embedding", layer_search_beside(f->in, row->embedding, weight, true),
                      LAYOUT_UNSAID, e) &&
           add_at_top(f, "segment_embedding", layer_search_beside(f->in, row->types, weight, true),
                      LAYOUT_UNSAID, e) &&
           add_at_top(f, "position_embedding",
                      layer_search_beside(f->in, row->positions, weight, true), LAYOUT_UNSAID, e) &&
           add_at_top(f, "unembedding",
                      layer_search_beside(f->in, row->unembedding, "weight", true), LAYOUT_OUT_IN,
                      e) &&
           add_at_top(f, "unembedding_bias",
                      layer_search_beside(f->in, row->unembedding, "bias", true), LAYOUT_UNSAID, e);
}

bool layer_named_find(layer_sources *all, layer_search *s, err *e)
{
    finder f = {.all = all, .in = s};
    bool done = true;
    for (; f.layer < s->count && done; f.layer++)
        done = add_layer(&f, e);
    drop_absent(all);
    return done && add_rest(&f, e);
}
