#include "cli/diff/diff_order.h"

#include "attn/stage.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const char LAYER[] = "layer.";

/* Where an entry stands: what is compared first comes first. */
typedef struct standing {
    size_t group; /* before the layers, in one, behind them; no stage */
    size_t layer;
    size_t part;  /* of a layer: parts are counted as the file has them */
    size_t made;  /* what a part makes */
    size_t index; /* in the file, which knows the rest */
} standing;

enum { BEFORE, IN_LAYER, BEHIND, NO_STAGE };

static bool is_of_layer(const char *name)
{
    return strncmp(name, LAYER, sizeof LAYER - 1) == 0;
}

static bool is_stack(const bundle *result)
{
    for (size_t i = 0; i < result->count; i++) {
        if (is_of_layer(result->entry[i].name))
            return true;
    }
    return false;
}

static size_t stage_number(const char *name)
{
    const named *row = named_find(&STAGES, name, strlen(name));
    return row == NULL ? STAGE_COUNT : (size_t)stage_of(row);
}

/* What a part makes, in its order: an attention its stages, a feed-forward part these. */
static size_t number_in_part(const char *part, const char *name)
{
    static const char *const FEED_FORWARD[] = {"hidden", "gate", "activated", "output"};
    size_t i = 0;
    if (strncmp(part, "ffn.", strlen("ffn.")) != 0)
        return stage_number(name);
    while (i < sizeof FEED_FORWARD / sizeof FEED_FORWARD[0] && strcmp(FEED_FORWARD[i], name) != 0)
        i++;
    return i;
}

/* Bytes of "layer.1.attention." in "layer.1.attention.weights", and of the whole in
 * "layer.1.output". */
static size_t part_length(const char *name)
{
    const char *layer = name + sizeof LAYER - 1, *dot = strchr(layer, '.'),
               *last = dot == NULL ? NULL : strchr(dot + 1, '.');
    return last == NULL ? strlen(name) : (size_t)(last - name) + 1;
}

/* Which of the parts so far it is, or the next one; 0 with the error set. */
static size_t number_part(bundle *parts, const char *name, size_t length, err *e)
{
    const entry *there = bundle_find_bytes(parts, name, length);
    if (there == NULL)
        there = bundle_add(parts, name, length, (place){0}, e);
    return there == NULL ? 0 : (size_t)(there - parts->entry);
}

static standing stand_in_layer(const bundle *result, size_t index, bundle *parts, err *e)
{
    const char *name = result->entry[index].name;
    const char *part = strchr(name + sizeof LAYER - 1, '.');
    size_t length = part_length(name);
    return (standing){.group = IN_LAYER,
                      .layer = strtoul(name + sizeof LAYER - 1, NULL, 10),
                      .part = number_part(parts, name, length, e),
                      .made = number_in_part(part == NULL ? name : part + 1, name + length),
                      .index = index};
}

static standing stand(const bundle *result, bool has_layers, size_t index, bundle *parts, err *e)
{
    const char *name = result->entry[index].name;
    bool is_embedded = strcmp(name, "embedded") == 0 || strcmp(name, "ln_e") == 0;
    size_t number = stage_number(name);
    if (is_of_layer(name))
        return stand_in_layer(result, index, parts, e);
    if (has_layers)
        return (standing){.group = is_embedded ? BEFORE : BEHIND, .index = index};
    return (standing){
        .group = number == STAGE_COUNT ? NO_STAGE : BEFORE, .made = number, .index = index};
}

static int compare_standings(const void *a, const void *b)
{
    const standing *x = a, *y = b;
    const size_t of_x[] = {x->group, x->layer, x->part, x->made, x->index},
                 of_y[] = {y->group, y->layer, y->part, y->made, y->index};
    size_t i = 0;
    while (i < 4 && of_x[i] == of_y[i])
        i++;
    return (of_x[i] > of_y[i]) - (of_x[i] < of_y[i]);
}

static bool stand_all(standing *all, const bundle *result, err *e)
{
    bool has_layers = is_stack(result);
    bundle parts = {0};
    for (size_t i = 0; i < result->count && !e->is_set; i++)
        all[i] = stand(result, has_layers, i, &parts, e);
    bundle_free(&parts);
    return !e->is_set;
}

size_t *diff_order(const bundle *result, err *e)
{
    standing *all = mem_alloc(result->count, sizeof all[0], e);
    bool done = all != NULL && stand_all(all, result, e);
    size_t *order = done ? mem_alloc(result->count, sizeof order[0], e) : NULL;
    if (order != NULL) {
        qsort(all, result->count, sizeof all[0], compare_standings);
        for (size_t i = 0; i < result->count; i++)
            order[i] = all[i].index;
    }
    mem_free(all);
    return order;
}
