#include "cli/layer_search.h"

#include "base/mem.h"
#include "cli/bundle_unfinished.h"

#include <stdio.h>
#include <string.h>

/* ---- names of a layer ---- */

void layer_search_clear(layer_search *s)
{
    bool failed = s->name.failed;
    text_clear(&s->name);
    s->name.failed = failed;
}

static void begin_name(layer_search *s, size_t layer, const char *way)
{
    layer_search_clear(s);
    text_add_format(&s->name, "%s%zu%s%s%s", s->before, layer, s->after, way,
                    *way == '\0' ? "" : ".");
}

const char *layer_search_name(layer_search *s, size_t layer, const char *way, const char *tail)
{
    begin_name(s, layer, way);
    text_add_string(&s->name, tail);
    const indexed_name *found = name_index_find(&s->names, text_string(&s->name));
    return found == NULL ? NULL : found->name;
}

const char *layer_search_weight(layer_search *s, size_t layer, const char *way,
                                const convention *by, input which)
{
    char tail[CONVENTION_NAME];
    for (size_t n = 0; convention_name(by, which, n, tail); n++) {
        const char *found = layer_search_name(s, layer, way, tail);
        if (found != NULL)
            return found;
    }
    convention_name(by, which, 0, tail);
    layer_search_name(s, layer, way, tail);
    return NULL;
}

/* ---- how well a convention fits ---- */

static bool has_names(layer_search *s, const char *way)
{
    begin_name(s, 0, way);
    return name_index_first(&s->names, text_string(&s->name)) < s->names.count;
}

/* The convention of most of its weights, two at least; the first of several. */
static const convention *find_attention(layer_search *s, const char *way, size_t *weights)
{
    const convention *best = NULL;
    *weights = 1;
    for (size_t i = 0; i < CONVENTIONS.count && way != NULL && has_names(s, way); i++) {
        const convention *by = convention_at(i);
        size_t found = 0;
        for (input which = INPUT_WQ; which <= INPUT_WO && !convention_is_own(by); which++)
            found += layer_search_weight(s, 0, way, by, which) != NULL;
        if (found > *weights) {
            *weights = found;
            best = by;
        }
    }
    return best;
}

static bool has_any(layer_search *s, const char *names, const char *word)
{
    char name[LAYER_NAME], tail[CONVENTION_NAME + LAYER_NAME];
    for (size_t n = 0; layer_convention_name(names, n, name); n++) {
        snprintf(tail, sizeof tail, "%s.%s", name, word);
        if (layer_search_name(s, 0, "", tail) != NULL)
            return true;
    }
    return false;
}

static size_t count_rest(layer_search *s, const layer_convention *row, const convention *attention)
{
    size_t found = 0;
    for (size_t i = 0; i < NORMS_MOST; i++)
        found += has_any(s, row->norm[i], "weight") || has_any(s, row->norm[i], "gamma") ||
                 has_any(s, row->norm[i], "scale");
    for (size_t i = 0; i < LAYER_WEIGHTS; i++)
        found += has_any(s, row->weight[i], attention->weight);
    return found;
}

/* The document's own keys: as many as there are. */
static size_t count_own(layer_search *s)
{
    static const char *const KEYS_OF_LAYERS[] = {"wq", "wk", "wv", "wo", "w1", "w2"};
    size_t found = 0;
    for (size_t i = 0; i < sizeof KEYS_OF_LAYERS / sizeof KEYS_OF_LAYERS[0]; i++)
        found += layer_search_name(s, 0, "", KEYS_OF_LAYERS[i]) != NULL;
    return found;
}

/* Chooses the row of most names for the layers of s->before and s->after; false: none fits. */
static bool choose_row(layer_search *s)
{
    size_t best = count_own(s), weights;
    s->by = best > 0 ? layer_convention_at(0) : NULL;
    s->attention = s->cross = NULL;
    for (size_t i = 1; i < LAYER_CONVENTIONS.count; i++) {
        const layer_convention *row = layer_convention_at(i);
        const convention *attention = find_attention(s, row->attention, &weights);
        size_t rest = attention == NULL ? 0 : count_rest(s, row, attention);
        if (rest > 0 && rest + weights > best) {
            best = rest + weights;
            s->by = row;
            s->attention = attention;
        }
    }
    if (s->by != NULL && !layer_convention_is_own(s->by))
        s->cross = find_attention(s, s->by->cross, &weights);
    return s->by != NULL;
}

/* ---- where layers are ---- */

static bool set_place(layer_search *s, const char *before, size_t before_length, const char *after,
                      size_t after_length, err *e)
{
    bool ends = after_length > 0 && name_is_separator(after[after_length - 1]);
    mem_free(s->before);
    mem_free(s->after);
    s->before = mem_copy_text(before, before_length, e);
    text with_end = {0};
    text_add(&with_end, after, after_length);
    text_add_string(&with_end, ends ? "" : ".");
    s->after = s->before == NULL || !text_ok(&with_end, e)
                   ? NULL
                   : mem_copy_text(with_end.data, with_end.length, e);
    text_free(&with_end);
    return s->after != NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A 0 that numbers a layer: h.0. or layer_0/. */
static bool is_number_zero(const indexed_name *one, size_t at)
{
    const char *name = one->name;
    return name[at] == '0' && at + 1 < one->length && name_is_separator(name[at + 1]) &&
           (at == 0 || name_is_separator(name[at - 1]) || name[at - 1] == '_');
}

static bool is_behind(const indexed_name *one, size_t at, const char *prefix)
{
    size_t length = strlen(prefix);
    return at >= length && name_begins(one, prefix, length) &&
           (length == 0 || at == length || name_is_separator(one->name[length - 1]) ||
            name_is_separator(one->name[length]));
}

/* Places that fit are listed; the first is kept. */
typedef struct places {
    text list;
    size_t count, length; /* of the first one's `before` */
    const char *first;
} places;

static bool try_place(layer_search *s, places *found, const indexed_name *one, size_t at, err *e)
{
    enum { SHOWN = 4 };
    if (!set_place(s, one->name, at, ".", 1, e))
        return false;
    if (!choose_row(s))
        return true;
    if (found->count++ == 0) {
        found->first = one->name;
        found->length = at;
    }
    if (found->count <= SHOWN)
        text_add_format(&found->list, "%s'%s{}'", found->count == 1 ? "" : ", ", s->before);
    return true;
}

/* Names that begin alike stand together: the first of them is enough. */
static bool try_name(layer_search *s, places *found, size_t index, const char *prefix, err *e)
{
    const indexed_name *one = &s->names.item[index];
    for (size_t at = 0; at < one->length; at++) {
        bool is_known = index > 0 && name_begins(&s->names.item[index - 1], one->name, at + 2);
        if (is_number_zero(one, at) && !is_known && is_behind(one, at, prefix) &&
            !try_place(s, found, one, at, e))
            return false;
    }
    return true;
}

static bool refuse_several(const layer_search *s, const places *found, err *e)
{
    place at = {.file = s->file};
    err_at(e, &at, "%zu stacks of layers have names of weights, one is wanted: %s%s", found->count,
           text_string(&found->list), found->count > 4 ? ", …" : "");
    return err_remedy(e, "--prefix takes one: --prefix '%.*s{}'", (int)found->length, found->first);
}

static bool refuse_prefix(const layer_search *s, const char *prefix, err *e)
{
    place at = {.file = s->file};
    if (!bundle_unfinished_check_all(&s->names, s->file, "", e))
        return false;
    err_at(e, &at, "no names behind '%s' are known as those of layers", prefix);
    return err_remedy(e, "selfattn help layer-bundles lists what is known");
}

/* Without a place the layers are the document's own, and there may be none. */
static bool settle(layer_search *s, const places *found, const char *prefix, err *e)
{
    static const char OWN[] = "layers.";
    if (found->count > 1)
        return refuse_several(s, found, e);
    if (found->count == 0 && *prefix != '\0')
        return refuse_prefix(s, prefix, e);
    if (!set_place(s, found->count == 0 ? OWN : found->first,
                   found->count == 0 ? strlen(OWN) : found->length, ".", 1, e))
        return false;
    if (!choose_row(s))
        s->by = layer_convention_at(0);
    return true;
}

static bool look_everywhere(layer_search *s, const char *prefix, err *e)
{
    places found = {0};
    bool done = true;
    for (size_t i = 0; i < s->names.count && done; i++)
        done = try_name(s, &found, i, prefix, e);
    done = done && text_ok(&found.list, e) && settle(s, &found, prefix, e);
    text_free(&found.list);
    return done;
}

static bool look_there(layer_search *s, const char *prefix, const char *number, err *e)
{
    place at = {.file = s->file};
    if (!set_place(s, prefix, (size_t)(number - prefix), number + 2, strlen(number + 2), e))
        return false;
    begin_name(s, 0, "");
    if (name_index_first(&s->names, text_string(&s->name)) == s->names.count) {
        err_at(e, &at, "no name in it begins with '%s', as --prefix '%s' says",
               text_string(&s->name), prefix);
        return err_remedy(e, "its first is %s", s->names.item[0].name);
    }
    return choose_row(s) || refuse_prefix(s, prefix, e);
}

/* ---- how many ---- */

/* The number of the layer that a name belongs to; false: to none. */
static bool number_of(const layer_search *s, const indexed_name *one, size_t *number)
{
    size_t at = strlen(s->before), begin = at;
    *number = 0;
    if (!name_begins(one, s->before, at))
        return false;
    for (; at < one->length && is_digit(one->name[at]) && at - begin < 9; at++)
        *number = 10 * *number + (size_t)(one->name[at] - '0');
    bool is_number = at > begin && (one->name[begin] != '0' || at == begin + 1);
    indexed_name rest = {one->name + at, one->length - at, false};
    return is_number && name_begins(&rest, s->after, strlen(s->after));
}

/* Layers are there without a gap. */
static bool count_layers(layer_search *s, err *e)
{
    place at = {.file = s->file};
    size_t number, largest = 0;
    bool has_next = true;
    for (s->count = 0; has_next && !s->name.failed; s->count += has_next) {
        begin_name(s, s->count, "");
        has_next = name_index_first(&s->names, text_string(&s->name)) < s->names.count;
    }
    for (size_t i = name_index_first(&s->names, s->before); i < s->names.count; i++) {
        if (number_of(s, &s->names.item[i], &number) && number > largest)
            largest = number;
    }
    return s->count > largest || (s->count == 0 && largest == 0) ||
           err_at(e, &at, "there is a layer '%s%zu', and no '%s%zu'", s->before, largest, s->before,
                  s->count);
}

/* ---- the whole ---- */

bool layer_search_find(layer_search *s, const text_list *names, const char *file,
                       const char *prefix, err *e)
{
    const char *number = strstr(prefix, "{}");
    *s = (layer_search){.file = file};
    if (!name_index_make(&s->names, names, e))
        return false;
    return (number == NULL ? look_everywhere(s, prefix, e) : look_there(s, prefix, number, e)) &&
           count_layers(s, e) && text_ok(&s->name, e);
}

void layer_search_free(layer_search *s)
{
    name_index_free(&s->names);
    mem_free(s->before);
    mem_free(s->after);
    text_free(&s->name);
    *s = (layer_search){0};
}

size_t layer_search_parent(const layer_search *s)
{
    size_t length = strlen(s->before);
    while (length > 0 && name_is_separator(s->before[length - 1]))
        length--;
    while (length > 0 && !name_is_separator(s->before[length - 1]))
        length--;
    return length;
}
