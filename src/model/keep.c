#include "model/keep.h"

#include <stdio.h>
#include <string.h>

/* Of several * only the last one has to be tried at other places: what stands before it has matched
 * as early as it can. */
bool stage_name_matches(const char *pattern, const char *name)
{
    const char *behind_star = NULL, *from = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            behind_star = ++pattern;
            from = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (behind_star != NULL) {
            pattern = behind_star;
            name = ++from;
        } else {
            return false;
        }
    }
    pattern += strspn(pattern, "*");
    return *pattern == '\0';
}

/* Names are as long as the deepest stage's, with room to spare for a layer's number. */
static void append(char to[STAGE_NAME], const char *more)
{
    size_t length = strlen(to);
    snprintf(to + length, STAGE_NAME - length, "%s", more);
}

stage_way stage_way_on(const stage_way *way, const char *step)
{
    stage_way on = *way;
    append(on.text, step);
    append(on.text, ".");
    return on;
}

stage_way stage_way_of_layer(size_t layer)
{
    stage_way way = {.text = ""};
    snprintf(way.text, sizeof way.text, "layer.%zu.", layer);
    return way;
}

void stage_name_in_full(const stage_way *way, const char *name, char out[STAGE_NAME])
{
    memcpy(out, way->text, STAGE_NAME);
    append(out, name);
}

keeper keeper_of(const text_list *names)
{
    keeper k = {.wanted = names};
    for (size_t i = 0; i < names->count && !k.has_patterns; i++)
        k.has_patterns = strchr(names->item[i], '*') != NULL;
    return k;
}

keeper keeper_within(const keeper *k, const char *step)
{
    keeper within = *k;
    within.way = stage_way_on(&k->way, step);
    return within;
}

keeper keeper_of_layer(const keeper *k, size_t layer)
{
    keeper of_layer = *k;
    of_layer.way = stage_way_of_layer(layer);
    return of_layer;
}

bool keeper_wants(const keeper *k, const char *name)
{
    char full[STAGE_NAME];
    stage_name_in_full(&k->way, name, full);
    if (!k->has_patterns)
        return text_list_find(k->wanted, full) != NULL;
    for (size_t i = 0; i < k->wanted->count; i++) {
        if (stage_name_matches(k->wanted->item[i], full))
            return true;
    }
    return false;
}

/* The axes of a stage with a batch, which a bundle borrows. */
static const char *with_batch(const char *axes)
{
    static const char *const AXES[] = {"bqm", "bqO", "bqk"};
    for (size_t i = 0; i < sizeof AXES / sizeof AXES[0]; i++) {
        if (strcmp(AXES[i] + 1, axes) == 0)
            return AXES[i];
    }
    return NULL;
}

bool keeper_keep(const keeper *k, const char *name, const tensor *rows, const char *axes, err *e)
{
    char full[STAGE_NAME];
    size_t batches = k->batches == 0 ? 1 : k->batches;
    size_t size[] = {batches, rows->size[0] / batches, rows->size[1]};
    tensor copy;
    if (!keeper_wants(k, name))
        return true;
    stage_name_in_full(&k->way, name, full);
    if (!tensor_new_copy(&copy, rows, e))
        return false;
    if (k->batches > 0)
        tensor_own(&copy, rows->type, 3, size, copy.data);
    if (!bundle_add_tensor(k->result, full, &copy, (place){0}, e))
        return false;
    bundle_find(k->result, full)->axes = k->batches > 0 ? with_batch(axes) : axes;
    return true;
}

bool keeper_take(const keeper *k, const char *name, entry *made, err *e)
{
    char full[STAGE_NAME];
    stage_name_in_full(&k->way, name, full);
    return bundle_take(k->result, full, made, e);
}
