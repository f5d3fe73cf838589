#include "weights/layer_search.h"

#include "base/mem.h"
#include "weights/bundle_unfinished.h"
#include "weights/layer_fit.h"

#include <stdint.h>
#include <string.h>

/* ---- numbers ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits here that number a layer, in h.0. or layer_0/; 0: there are none. */
static size_t number_length(const indexed_name *one, size_t at)
{
    const char *name = one->name;
    bool begins = at == 0 || name_is_separator(name[at - 1]) || name[at - 1] == '_';
    size_t end = at;
    while (begins && end < one->length && is_digit(name[end]))
        end++;
    return end < one->length && name_is_separator(name[end]) ? end - at : 0;
}

/* The digits behind `before` that number a layer, of a name that begins so; 0: there are none. */
static int digits_of(const layer_search *s, const indexed_name *one)
{
    enum { DIGITS_MOST = 9 };
    size_t begin = strlen(s->before), at = begin;
    while (at < one->length && is_digit(one->name[at]) && at - begin < DIGITS_MOST)
        at++;
    indexed_name rest = {one->name + at, one->length - at, false};
    return name_begins(&rest, s->after, strlen(s->after)) ? (int)(at - begin) : 0;
}

/* The first layer's tell, which stand before all others. */
static int least_digits(const layer_search *s)
{
    size_t at = strlen(s->before);
    for (size_t i = name_index_first(&s->names, s->before);
         i < s->names.count && name_begins(&s->names.item[i], s->before, at); i++) {
        int digits = digits_of(s, &s->names.item[i]);
        if (digits > 0)
            return s->names.item[i].name[at] == '0' ? digits : 1;
    }
    return 1;
}

/* The number of the layer that a name belongs to, also one that has other zeros before it. */
static bool read_number(const layer_search *s, const indexed_name *one, size_t *number,
                        bool *has_other_zeros)
{
    size_t begin = strlen(s->before);
    *number = 0;
    if (s->is_one || !name_begins(one, s->before, begin))
        return false;
    int digits = digits_of(s, one);
    for (int i = 0; i < digits; i++)
        *number = 10 * *number + (size_t)(one->name[begin + (size_t)i] - '0');
    *has_other_zeros = digits < s->digits || (digits > s->digits && one->name[begin] == '0');
    return digits > 0;
}

bool layer_search_number(const layer_search *s, const indexed_name *one, size_t *number)
{
    bool has_other_zeros = false;
    return read_number(s, one, number, &has_other_zeros) && !has_other_zeros;
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
    s->digits = s->after == NULL ? 1 : least_digits(s);
    return s->after != NULL;
}

/* By the first layer that fits, in the order of the names: any may lack what tells. */
static bool choose_row(layer_search *s, fit_need need)
{
    size_t number, last = SIZE_MAX;
    if (s->is_one)
        return layer_fit_choose(s, 0, need);
    for (size_t i = name_index_first(&s->names, s->before);
         i < s->names.count && name_begins(&s->names.item[i], s->before, strlen(s->before)); i++) {
        if (!layer_search_number(s, &s->names.item[i], &number) || number == last)
            continue;
        if (layer_fit_choose(s, number, need))
            return true;
        last = number;
    }
    return false;
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
    fit_need need;
    text list;
    size_t count, length; /* of the first one's `before` */
    const char *first;
    text encoder, decoder; /* the first of each, where they are told apart */
} places;

void layer_search_write_place(text *out, const layer_search *s)
{
    int before = (int)strlen(s->before), after = (int)strlen(s->after) - 1;
    if (s->is_one)
        text_add_format(out, "%.*s", before > 0 ? before - 1 : 0, s->before);
    else
        text_add_format(out, "%s{}%.*s", s->before, after, s->after);
}

static void list_place(layer_search *s, places *found)
{
    enum { SHOWN = 4 };
    bool is_decoder = s->cross != NULL || strstr(s->before, "decoder") != NULL;
    text *kind = is_decoder ? &found->decoder : &found->encoder;
    if (kind->length == 0)
        layer_search_write_place(kind, s);
    if (found->count > SHOWN)
        return;
    text_add_string(&found->list, found->count == 1 ? "'" : ", '");
    layer_search_write_place(&found->list, s);
    text_add_string(&found->list, "'");
}

static bool try_place(layer_search *s, places *found, const indexed_name *one, size_t at, err *e)
{
    if (!set_place(s, one->name, at, ".", 1, e))
        return false;
    bool is_first = found->count > 0 && found->length == at && name_begins(one, found->first, at);
    if (is_first || !choose_row(s, found->need))
        return true;
    if (found->count++ == 0) {
        found->first = one->name;
        found->length = at;
    }
    list_place(s, found);
    return true;
}

/* Here a layer's own names may begin, or its number. */
static bool is_place(const layer_search *s, const indexed_name *one, size_t at)
{
    return s->is_one ? at == 0 || name_is_separator(one->name[at - 1]) : number_length(one, at) > 0;
}

/* Names that begin alike stand together: the first of them is enough. */
static bool try_name(layer_search *s, places *found, size_t index, const char *prefix, err *e)
{
    const indexed_name *one = &s->names.item[index], *last = index == 0 ? NULL : one - 1;
    for (size_t at = 0; at < one->length; at++) {
        bool is_known = last != NULL && name_begins(last, one->name, at) && is_place(s, last, at);
        if (is_place(s, one, at) && !is_known && is_behind(one, at, prefix) &&
            !try_place(s, found, one, at, e))
            return false;
    }
    return true;
}

static bool refuse_several(const layer_search *s, const places *found, err *e)
{
    place at = {.file = s->file};
    const char *encoder = text_string(&found->encoder), *decoder = text_string(&found->decoder);
    err_at(e, &at, "%zu stacks of layers have names of weights, one is wanted: %s%s", found->count,
           text_string(&found->list), found->count > 4 ? ", …" : "");
    if (*encoder != '\0' && *decoder != '\0')
        return err_remedy(e, "for encode --prefix '%s', for decode and generate --prefix '%s'",
                          encoder, decoder);
    return err_remedy(e, "--prefix takes one: --prefix '%s'", *encoder != '\0' ? encoder : decoder);
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
    if (found->count == 0)
        s->by = layer_convention_at(0);
    return found->count == 0
               ? set_place(s, OWN, strlen(OWN), ".", 1, e)
               : set_place(s, found->first, found->length, ".", 1, e) && choose_row(s, found->need);
}

/* Numbered layers go before a layer without a number, and whole ones before those that lack
 * weights. */
static bool look_everywhere(layer_search *s, const char *prefix, err *e)
{
    places found = {0};
    bool done = true;
    for (size_t pass = 0; pass < 4 && done && found.count == 0; pass++) {
        s->is_one = pass >= 2;
        found.need = pass % 2 == 0 ? FIT_WEIGHTS : FIT_ANY;
        for (size_t i = 0; i < s->names.count && done; i++)
            done = try_name(s, &found, i, prefix, e);
    }
    s->is_one = s->is_one && found.count > 0;
    done = done && text_ok(&found.list, e) && text_ok(&found.encoder, e) &&
           text_ok(&found.decoder, e) && settle(s, &found, prefix, e);
    text_free(&found.list);
    text_free(&found.encoder);
    text_free(&found.decoder);
    return done;
}

/* Some layer is there. */
static bool has_layers(const layer_search *s)
{
    size_t number;
    for (size_t i = name_index_first(&s->names, s->before);
         i < s->names.count && name_begins(&s->names.item[i], s->before, strlen(s->before)); i++) {
        if (layer_search_number(s, &s->names.item[i], &number))
            return true;
    }
    return false;
}

static bool look_there(layer_search *s, const char *prefix, const char *number, err *e)
{
    place at = {.file = s->file};
    if (!set_place(s, prefix, (size_t)(number - prefix), number + 2, strlen(number + 2), e))
        return false;
    if (!has_layers(s)) {
        err_at(e, &at, "no name in it begins with '%s0%s', as --prefix '%s' says", s->before,
               s->after, prefix);
        return err_remedy(e, "its first is %s", s->names.item[0].name);
    }
    return choose_row(s, FIT_WEIGHTS) || choose_row(s, FIT_ANY) || refuse_prefix(s, prefix, e);
}

/* ---- how many ---- */

static bool refuse_zeros(const layer_search *s, const indexed_name *one, size_t number, err *e)
{
    place at = {.file = s->file};
    return err_at(e, &at, "%s is of no layer: it would be named '%s%0*zu', as the others are",
                  one->name, s->before, s->digits, number);
}

static bool refuse_gap(const layer_search *s, size_t largest, err *e)
{
    place at = {.file = s->file};
    err_at(e, &at, "there is a layer '%s%0*zu', and no '%s%0*zu'", s->before, s->digits, largest,
           s->before, s->digits, s->count);
    return err_remedy(e, "layers are counted from 0; those of a model in several files are to be "
                         "joined first");
}

/* Layers are there without a gap. */
static bool count_layers(layer_search *s, err *e)
{
    size_t number, largest = 0;
    bool has_other_zeros = false, has_any = false;
    for (s->count = 0; layer_search_has(s, s->count, "") && !s->is_one && !s->name.failed;)
        s->count++;
    for (size_t i = name_index_first(&s->names, s->before); i < s->names.count; i++) {
        const indexed_name *one = &s->names.item[i];
        if (!read_number(s, one, &number, &has_other_zeros))
            continue;
        if (has_other_zeros)
            return refuse_zeros(s, one, number, e);
        has_any = true;
        largest = number > largest ? number : largest;
    }
    if (s->is_one)
        s->count = 1;
    return s->count > largest || !has_any || refuse_gap(s, largest, e);
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
