#include "weights/bundle_layer.h"

#include "base/mem.h"

#include <string.h>

/* A convention whose names of weights some layer has. */
typedef struct fit {
    const convention *by;
    const char *name; /* of one of its weights; the layer is the first `length` bytes */
    size_t length, weights;
} fit;

typedef struct search {
    const text_list *names;
    const char *file, *prefix; /* prefix: "" where none was given */
    fit *fit;
    size_t count, capacity;
} search;

/* The name in the list that is `layer` and then `tail`, or NULL. */
static const char *find_name(const text_list *names, const char *layer, size_t length,
                             const char *tail)
{
    for (size_t i = 0; i < names->count; i++) {
        size_t at;
        if (convention_name_ends(names->item[i], tail, &at) && at == length &&
            memcmp(names->item[i], layer, length) == 0)
            return names->item[i];
    }
    return NULL;
}

/* The layer's name for an input, by whichever alternative of the pattern is there. */
const char *bundle_layer_name(const text_list *names, const convention *by, const char *layer,
                              size_t length, input which)
{
    const char *found = NULL;
    char tail[CONVENTION_NAME];
    for (size_t n = 0; found == NULL && convention_name(by, which, n, tail); n++)
        found = find_name(names, layer, length, tail);
    return found;
}

static bool is_separator(char c)
{
    return c == '.' || c == '/';
}

/* h.0 is the layer h.0. and those within it, h.0.attn.; and not h.01. */
static bool is_behind_prefix(const search *s, const char *name, size_t length)
{
    size_t given = strlen(s->prefix);
    if (length < given || memcmp(name, s->prefix, given) != 0)
        return false;
    return given == 0 || length == given || is_separator(s->prefix[given - 1]) ||
           is_separator(name[given]);
}

static bool same_layer(const fit *a, const char *name, size_t length)
{
    return a->length == length && memcmp(a->name, name, length) == 0;
}

static bool has_fit(const search *s, const convention *by, const char *name, size_t length)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->fit[i].by == by && same_layer(&s->fit[i], name, length))
            return true;
    }
    return false;
}

static bool add_fit(search *s, const convention *by, const char *name, size_t length, err *e)
{
    fit *larger = mem_grow(s->fit, s->count, &s->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return false;
    s->fit = larger;
    fit *added = &s->fit[s->count++];
    *added = (fit){.by = by, .name = name, .length = length};
    for (input which = INPUT_WQ; which <= INPUT_WO; which++)
        added->weights += bundle_layer_name(s->names, by, name, length, which) != NULL;
    return true;
}

/* All layers that have this name of a weight. */
static bool find_layers(search *s, const convention *by, const char *tail, err *e)
{
    for (size_t i = 0; i < s->names->count; i++) {
        const char *name = s->names->item[i];
        size_t length;
        if (convention_name_ends(name, tail, &length) && is_behind_prefix(s, name, length) &&
            !has_fit(s, by, name, length) && !add_fit(s, by, name, length, e))
            return false;
    }
    return true;
}

static bool find_fits(search *s, const convention *by, err *e)
{
    input last = convention_is_joint(by) ? INPUT_WQ : INPUT_WV;
    char tail[CONVENTION_NAME];
    for (input which = INPUT_WQ; which <= last; which++) {
        for (size_t n = 0; convention_name(by, which, n, tail); n++) {
            if (!find_layers(s, by, tail, e))
                return false;
        }
    }
    return true;
}

/* The fit of most weights; the first of several. NULL where none has two of them. */
static const fit *best_fit(const search *s)
{
    const fit *best = NULL;
    for (size_t i = 0; i < s->count; i++) {
        const fit *one = &s->fit[i];
        if (one->weights >= 2 && (best == NULL || one->weights > best->weights))
            best = one;
    }
    return best;
}

/* As good as the best, and of a layer that no fit before it has. */
static bool is_another_layer(const search *s, const fit *one, size_t weights)
{
    for (const fit *before = s->fit; before < one; before++) {
        if (before->weights == weights && same_layer(before, one->name, one->length))
            return false;
    }
    return one->weights == weights;
}

static bool refuse_several(const search *s, const fit *best, size_t layers, err *e)
{
    enum { SHOWN = 4 };
    text list = {0};
    size_t shown = 0;
    place at = {.file = s->file};
    for (size_t i = 0; i < s->count && shown < SHOWN; i++) {
        if (is_another_layer(s, &s->fit[i], best->weights))
            text_add_format(&list, "%s'%.*s'", shown++ == 0 ? "" : ", ", (int)s->fit[i].length,
                            s->fit[i].name);
    }
    err_at(e, &at, "%zu layers have names of weights, one is wanted: %s%s", layers,
           text_string(&list), layers > shown ? ", …" : "");
    err_remedy(e, "--prefix takes one: --prefix '%.*s'", (int)best->length, best->name);
    text_free(&list);
    return false;
}

static bool check_only_one(const search *s, const fit *best, err *e)
{
    size_t layers = 0;
    for (size_t i = 0; i < s->count; i++)
        layers += is_another_layer(s, &s->fit[i], best->weights);
    return layers == 1 || refuse_several(s, best, layers, e);
}

/* The best fit decides, unless the document's own names stand where it was said. */
static bool choose(search *s, bundle_layer *found, err *e)
{
    const fit *best = best_fit(s);
    size_t length = strlen(s->prefix);
    for (size_t i = 0; i < s->count && best != NULL; i++) {
        const fit *one = &s->fit[i];
        if (convention_is_own(one->by) && one->length == length && one->weights == best->weights)
            best = NULL;
    }
    if (best != NULL && !check_only_one(s, best, e))
        return false;
    found->by = best == NULL ? convention_at(0) : best->by;
    found->name = best == NULL ? mem_copy_text(s->prefix, length, e)
                               : mem_copy_text(best->name, best->length, e);
    return found->name != NULL;
}

bool bundle_layer_find(bundle_layer *found, const text_list *names, const char *file,
                       const char *prefix, err *e)
{
    search s = {.names = names, .file = file, .prefix = prefix};
    bool done = true;
    *found = (bundle_layer){0};
    for (size_t i = 0; i < CONVENTIONS.count && done; i++)
        done = find_fits(&s, convention_at(i), e);
    done = done && choose(&s, found, e);
    mem_free(s.fit);
    return done;
}
