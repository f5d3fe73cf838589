#include "weights/layer_leftovers.h"

#include "weights/names.h"

#include <stdio.h>
#include <string.h>

/* Last words of buffers, which are made anew from a model's settings: the angles that --rope makes,
 * numbers of positions and of batches. */
static const char *const WITHOUT_PART[] = {"inv_freq", "cos_cached",   "sin_cached",
                                           "freqs",    "position_ids", "num_batches_tracked"};

enum { WITHOUT_PART_COUNT = sizeof WITHOUT_PART / sizeof WITHOUT_PART[0] };

static bool is_word(const indexed_name *one, size_t from, const char *word)
{
    size_t length = strlen(word);
    return one->length - from == length && memcmp(one->name + from, word, length) == 0;
}

/* Where its last word begins. */
static size_t last_word(const indexed_name *one)
{
    size_t at = one->length;
    while (at > 0 && !name_is_separator(one->name[at - 1]))
        at--;
    return at;
}

/* `within` is where the name goes on behind the layer's. */
static bool has_no_part(const layer_search *s, const indexed_name *one, size_t within)
{
    char name[LAYER_NAME];
    size_t last = last_word(one);
    for (size_t i = 0; i < WITHOUT_PART_COUNT; i++) {
        if (is_word(one, last, WITHOUT_PART[i]))
            return true;
    }
    indexed_name rest = {one->name + within, one->length - within, false};
    for (size_t n = 0; layer_convention_name(s->by->buffers, n, name); n++) {
        if (rest.length == strlen(name) && name_begins(&rest, name, rest.length))
            return true;
    }
    return one->name[last] == '_' && layer_convention_is_own(s->by);
}

/* A layer alone may be all that a file is but for inputs, which have the names of keys. */
static bool is_input(const layer_search *s, const indexed_name *one)
{
    layer_path p;
    return s->is_one && *s->before == '\0' && layer_path_read(&p, one->name, one->length);
}

/* Whether it is a layer's, which one, and where it goes on. */
static bool is_in_layer(const layer_search *s, const indexed_name *one, size_t *layer,
                        size_t *within)
{
    *layer = 0;
    *within = strlen(s->before);
    if (s->is_one)
        return name_begins(one, s->before, *within);
    if (!layer_search_number(s, one, layer))
        return false;
    *within += strspn(one->name + *within, "0123456789") + strlen(s->after);
    return true;
}

static bool refuse(const layer_search *s, const char *name, size_t layer, err *e)
{
    place at = {.file = s->file};
    err_at(e, &at, "%s is of layer %zu, and nothing here computes it", name, layer + 1);
    return err_remedy(e, "--map none=%s leaves it out, --map layers.%zu.KEY=%s takes it for a key",
                      name, layer, name);
}

static bool check_within(const layer_search *s, err *e)
{
    size_t layer, within;
    for (size_t i = name_index_first(&s->names, s->before); i < s->names.count; i++) {
        const indexed_name *one = &s->names.item[i];
        if (!name_begins(one, s->before, strlen(s->before)))
            break;
        if (!one->is_taken && is_in_layer(s, one, &layer, &within) &&
            !has_no_part(s, one, within) && !is_input(s, one))
            return refuse(s, one->name, layer, e);
    }
    return true;
}

/* What stands between the rows that are looked up and the layers. */
static bool check_beside(layer_search *s, err *e)
{
    char name[LAYER_NAME];
    place at = {.file = s->file};
    for (size_t n = 0; layer_convention_name(s->by->uncomputed, n, name); n++) {
        const indexed_name *found = layer_search_beside(s, name, "weight", true);
        if (found == NULL || found->is_taken)
            continue;
        err_at(e, &at,
               "%s stands between the embedding and the layers, and nothing here computes it",
               found->name);
        return err_remedy(e,
                          "-x FILE gives rows that have been through it, --map none=%s leaves it "
                          "out",
                          found->name);
    }
    return true;
}

bool layer_leftovers_check(layer_search *s, const bundle *contents, err *e)
{
    return check_within(s, e) && (bundle_find(contents, "x") != NULL || check_beside(s, e)) &&
           text_ok(&s->name, e);
}

void layer_leftovers_describe(text *out)
{
    for (size_t i = 0; i < WITHOUT_PART_COUNT; i++)
        text_add_format(out, "%s%s", i == 0 ? "" : ", ", WITHOUT_PART[i]);
}
