#include "cli/layer_refusals.h"

#include "cli/bundle_refusal.h"

#include <stdio.h>
#include <string.h>

/* What is looked at: the attention of a layer, or its cross-attention. */
typedef struct looking {
    layer_search *in;
    const layer_sources *all;
    const options *given;
    const bundle *contents;
    size_t layer;
} looking;

/* What stands at the top is for self-attention. */
static bool is_decided(const looking *l, const refusal *row, const char *object)
{
    char way[LAYER_NAME];
    layer_path to;
    snprintf(way, sizeof way, "%s%s", object, row->key);
    layer_path_read_within(&to, l->layer, way, strlen(way));
    return layer_sources_map(l->all, &to) ||
           bundle_decides(l->given, layer_path_find(&to, l->contents),
                          *object == '\0' ? l->contents : NULL, row->key);
}

static bool check_attention(const looking *l, const convention *by, const char *way,
                            const char *object, err *e)
{
    char layer[LAYER_NAME];
    for (const refusal *row = by->refused; row != NULL && row->name != NULL; row++) {
        const char *found = layer_search_name(l->in, l->layer, way, row->name);
        snprintf(layer, sizeof layer, "layers.%zu.%s", l->layer, object);
        if (found != NULL && !is_decided(l, row, object))
            return bundle_refuse(l->in->file, found, row, layer, e);
    }
    return true;
}

bool layer_refusals_check(layer_search *s, const layer_sources *all, const options *o,
                          const bundle *contents, err *e)
{
    looking l = {s, all, o, contents, 0};
    bool done = true;
    for (; l.layer < s->count && done && s->attention != NULL; l.layer++)
        done = check_attention(&l, s->attention, s->by->attention, "", e) &&
               (s->cross == NULL || check_attention(&l, s->cross, s->by->cross, "cross.", e));
    return done && text_ok(&s->name, e);
}
