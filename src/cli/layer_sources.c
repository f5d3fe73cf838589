#include "cli/layer_sources.h"

#include "attn/keys.h"
#include "base/mem.h"
#include "cli/bundle_unfinished.h"
#include "cli/nearest_names.h"

#include <stdio.h>
#include <string.h>

typedef struct finder {
    layer_sources *all;
    layer_search *in;
    size_t layer;
} finder;

void layer_source_write_path(text *out, const layer_path *p)
{
    if (p->is_in_layer)
        text_add_format(out, "layers.%zu.", p->layer);
    if (p->object != NULL)
        text_add_format(out, "%s.", p->object->named.name);
    text_add_string(out, p->key->named.name);
}

/* ---- adding ---- */

static bool same_path(const layer_path *a, const layer_path *b)
{
    return a->is_in_layer == b->is_in_layer && a->layer == b->layer && a->object == b->object &&
           a->key == b->key;
}

static layer_source *add_source(finder *f, const layer_path *to, const char *name, err *e)
{
    layer_sources *all = f->all;
    layer_source *larger = mem_grow(all->item, all->count, &all->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return NULL;
    all->item = larger;
    all->item[all->count] = (layer_source){.to = *to, .name = name};
    if (name != NULL)
        name_index_find(&f->in->names, name)->is_taken = true;
    return &all->item[all->count++];
}

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
    layer_source *added = add_source(f, &p, name, e);
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
    layer_source *added = found == NULL ? NULL : add_source(f, &p, found->name, e);
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
    layer_source *added = add_source(f, &p, NULL, e);
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

/* ---- the document's own names ---- */

static bool add_own_name(finder *f, const indexed_name *one, err *e)
{
    const layer_search *s = f->in;
    size_t before = strlen(s->before), parent = layer_search_parent(s), digits = 0;
    layer_path p;
    if (!name_begins(one, s->before, parent))
        return true;
    bool is_known = false;
    if (name_begins(one, s->before, before)) {
        const char *number = one->name + before;
        digits = strspn(number, "0123456789");
        size_t begin = before + digits + strlen(s->after), layer = 0;
        for (size_t i = 0; i < digits; i++)
            layer = 10 * layer + (size_t)(number[i] - '0');
        is_known = digits > 0 && digits <= 9 && begin < one->length &&
                   layer_path_read_within(&p, layer, one->name + begin, one->length - begin);
    } else {
        is_known = layer_path_read(&p, one->name + parent, one->length - parent);
    }
    return !is_known || add_source(f, &p, one->name, e) != NULL;
}

static bool add_own(finder *f, err *e)
{
    for (size_t i = 0; i < f->in->names.count; i++) {
        if (!add_own_name(f, &f->in->names.item[i], e))
            return false;
    }
    return true;
}

/* ---- --map ---- */

static void suggest_nearest(const layer_search *s, const char *wanted, const char *instead, err *e)
{
    nearest_names nearest = {.wanted = wanted};
    for (size_t i = 0; i < s->names.count; i++) {
        if (!s->names.item[i].is_taken)
            nearest_names_look(&nearest, s->names.item[i].name);
    }
    nearest_names_suggest(&nearest, instead, e);
}

static layer_source *find_source(const layer_sources *all, const layer_path *to)
{
    for (size_t i = 0; i < all->count; i++) {
        if (same_path(&all->item[i].to, to))
            return &all->item[i];
    }
    return NULL;
}

bool layer_sources_map(const layer_sources *all, const layer_path *to)
{
    const layer_source *found = find_source(all, to);
    return found != NULL && found->is_mapped;
}

static bool read_pair(const finder *f, const char *pair, layer_path *to, err *e)
{
    place at = {.file = "map", .is_option = true};
    int length = (int)strcspn(pair, "=");
    if (!layer_path_read(to, pair, (size_t)length)) {
        err_at(e, &at, "a document of layers has no key '%.*s'", length, pair);
        return err_remedy(e, "it may be layers.0.w1, layers.0.ln1.gain, layers.0.cross.wq, "
                             "embedding, ln_f.gain, …");
    }
    return !to->is_in_layer || to->layer < f->in->count ||
           err_at(e, &at, "'%.*s' is layer %zu's, from 0, and there are %zu", length, pair,
                  to->layer, f->in->count);
}

static bool add_mapped(finder *f, const char *pair, err *e)
{
    place at = {.file = "map", .is_option = true};
    const char *wanted = strchr(pair, '=') + 1;
    layer_path to;
    bool is_none = strncmp(pair, "none=", 5) == 0;
    if (!is_none && !read_pair(f, pair, &to, e))
        return false;
    indexed_name *found = name_index_find(&f->in->names, wanted);
    if (found == NULL) {
        err_at(e, &at, "'%s' is not in %s", wanted, f->in->file);
        suggest_nearest(f->in, wanted, "", e);
        return false;
    }
    found->is_taken = true;
    if (is_none)
        return true;
    layer_source *old = find_source(f->all, &to);
    layer_source *into = old != NULL ? old : add_source(f, &to, found->name, e);
    if (into == NULL)
        return false;
    mem_free(into->wanted);
    *into = (layer_source){.to = to, .name = found->name, .is_mapped = true};
    return true;
}

/* What --map names is taken as it is. */
static bool check_finished(const finder *f, err *e)
{
    for (size_t i = 0; i < f->all->count; i++) {
        const layer_source *from = &f->all->item[i];
        if (from->name != NULL && !from->is_mapped &&
            !bundle_unfinished_check(&f->in->names, f->in->file, from->name, e))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

bool layer_sources_find(layer_sources *all, layer_search *s, const text_list *map, err *e)
{
    finder f = {.all = all, .in = s};
    bool is_own = layer_convention_is_own(s->by), done = true;
    *all = (layer_sources){0};
    for (; f.layer < s->count && done && !is_own; f.layer++)
        done = add_layer(&f, e);
    drop_absent(all);
    done = done && (is_own ? add_own(&f, e) : add_rest(&f, e));
    for (size_t i = 0; i < map->count && done; i++)
        done = add_mapped(&f, map->item[i], e);
    return done && text_ok(&s->name, e) && check_finished(&f, e);
}

void layer_sources_free(layer_sources *all)
{
    for (size_t i = 0; i < all->count; i++)
        mem_free(all->item[i].wanted);
    mem_free(all->item);
    *all = (layer_sources){0};
}

/* "layer 2 has no b1, and layer 1 has", "ln_f has a bias and no gain". */
static void add_lack(text *out, const layer_source *missing)
{
    text path = {0};
    layer_path within = missing->to;
    within.is_in_layer = false;
    layer_source_write_path(&path, &within);
    if (!missing->to.is_in_layer)
        text_add_format(out, "%s has a bias and no gain", missing->to.object->named.name);
    else
        text_add_format(out, "layer %zu has no %s", missing->to.layer + 1, text_string(&path));
    if (missing->may_lack)
        text_add_format(out, ", and layer %zu has", missing->has + 1);
    out->failed = out->failed || path.failed;
    text_free(&path);
}

bool layer_sources_refuse(const layer_search *s, const layer_source *missing, err *e)
{
    text lack = {0}, instead = {0};
    place at = {.file = s->file};
    add_lack(&lack, missing);
    text_add_string(&instead, "--map ");
    layer_source_write_path(&instead, &missing->to);
    text_add_string(&instead, "=NAME takes another");
    if (bundle_unfinished_check(&s->names, s->file, missing->wanted, e)) {
        err_at(e, &at, "%s: by the names of %s it is %s", text_string(&lack), s->by->named.name,
               missing->wanted);
        suggest_nearest(s, missing->wanted, text_string(&instead), e);
    }
    text_free(&lack);
    text_free(&instead);
    return false;
}
