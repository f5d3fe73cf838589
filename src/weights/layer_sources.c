#include "weights/layer_sources.h"

#include "base/mem.h"
#include "weights/bundle_unfinished.h"
#include "weights/layer_named.h"
#include "weights/layer_search.h"
#include "weights/names.h"

#include <string.h>

typedef struct finder {
    layer_sources *all;
    layer_search *in;
} finder;

/* ---- the document's own names ---- */

static bool add_own_name(finder *f, const indexed_name *one, err *e)
{
    const layer_search *s = f->in;
    size_t before = strlen(s->before), parent = layer_search_parent(s), layer;
    layer_path p;
    if (!name_begins(one, s->before, parent))
        return true;
    bool is_known = false;
    if (name_begins(one, s->before, before)) {
        size_t begin = before + strspn(one->name + before, "0123456789") + strlen(s->after);
        is_known = layer_search_number(s, one, &layer) &&
                   layer_path_read_within(&p, layer, one->name + begin, one->length - begin);
    } else {
        is_known = layer_path_read(&p, one->name + parent, one->length - parent);
    }
    return !is_known || layer_sources_add(f->all, f->in, &p, one->name, e) != NULL;
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

/* A name taken for one key may be meant for another; `only_left` leaves the taken ones out. */
static void suggest_nearest(const layer_search *s, const char *wanted, bool only_left,
                            const char *instead, err *e)
{
    nearest_names nearest = {.wanted = wanted};
    for (size_t i = 0; i < s->names.count; i++) {
        if (!only_left || !s->names.item[i].is_taken)
            nearest_names_look(&nearest, s->names.item[i].name);
    }
    nearest_names_suggest(&nearest, instead, e);
}

static bool same_path(const layer_path *a, const layer_path *b)
{
    return a->is_in_layer == b->is_in_layer && a->layer == b->layer && a->object == b->object &&
           a->key == b->key;
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

/* What the convention, or a --map before, makes of the name. */
static void leave_out(layer_sources *all, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (all->item[i].name != name)
            all->item[kept++] = all->item[i];
        else
            mem_free(all->item[i].wanted);
    }
    all->count = kept;
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
        suggest_nearest(f->in, wanted, false, "", e);
        return false;
    }
    found->is_taken = true;
    if (is_none) {
        leave_out(f->all, found->name);
        return true;
    }
    layer_source *old = find_source(f->all, &to);
    layer_source *into = old != NULL ? old : layer_sources_add(f->all, f->in, &to, found->name, e);
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
    *all = (layer_sources){0};
    bool done = layer_convention_is_own(s->by) ? add_own(&f, e) : layer_named_find(all, s, e);
    for (size_t i = 0; i < map->count && done; i++)
        done = add_mapped(&f, map->item[i], e);
    return done && text_ok(&s->name, e) && check_finished(&f, e);
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
        suggest_nearest(s, missing->wanted, true, text_string(&instead), e);
    }
    text_free(&lack);
    text_free(&instead);
    return false;
}
