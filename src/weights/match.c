#include "weights/match.h"

#include "base/mem.h"
#include "weights/refused.h"
#include "weights/sources.h"
#include "weights/weights.h"

#include <stdint.h>
#include <string.h>

/* ---- names that are looked for ---- */

/* The layer's own name, and what it is of it. */
static void begin_name(weight_match *m, size_t layer, const char *way)
{
    text_clear(&m->name);
    text_add_string(&m->name, m->before);
    if (!m->is_one)
        text_add_format(&m->name, "%0*zu%s", m->digits, layer, m->after);
    text_add_format(&m->name, "%s%s", way, *way == '\0' ? "" : ".");
}

const char *match_name(weight_match *m, size_t layer, const char *way, const char *tail)
{
    begin_name(m, layer, way);
    text_add_string(&m->name, tail);
    const indexed_name *found = name_index_find(&m->names, text_string(&m->name));
    return found == NULL ? NULL : found->name;
}

/* A name and how it ends: "fc1.weight"; and of a whole one, "down_proj*", "down_proj" and its bias
 * "down_proj_bias". */
static void add_ended(text *to, const char *name, const char *word)
{
    size_t stem = strcspn(name, "*");
    bool is_bias = strcmp(word, "bias") == 0;
    if (name[stem] == '\0')
        text_add_format(to, "%s.%s", name, word);
    else
        text_add_format(to, "%.*s%s", (int)stem, name, is_bias ? "_bias" : "");
}

/* One of the names, ended with one of the words, after what m->name has; NULL: there is none, and
 * m->name is the first. */
static indexed_name *find_ended(weight_match *m, const char *names, const char *words)
{
    char name[NAME_MOST], word[NAME_MOST];
    size_t begin = m->name.length;
    for (size_t n = 0; name_alternative(names, n, name); n++) {
        for (size_t i = 0; name_alternative(words, i, word); i++) {
            m->name.length = begin;
            add_ended(&m->name, name, word);
            indexed_name *found = name_index_find(&m->names, text_string(&m->name));
            if (found != NULL)
                return found;
        }
    }
    name_alternative(names, 0, name);
    name_alternative(words, 0, word);
    m->name.length = begin;
    add_ended(&m->name, name, word);
    return NULL;
}

const char *match_ended(weight_match *m, size_t layer, const char *names, const char *words)
{
    begin_name(m, layer, "");
    const indexed_name *found = find_ended(m, names, words);
    return found == NULL ? NULL : found->name;
}

const char *match_weight(weight_match *m, size_t layer, const char *way, const convention *by,
                         input which)
{
    char tail[NAME_MOST];
    for (size_t n = 0; convention_name(by, which, n, tail); n++) {
        const char *found = match_name(m, layer, way, tail);
        if (found != NULL)
            return found;
    }
    convention_name(by, which, 0, tail);
    match_name(m, layer, way, tail);
    return NULL;
}

size_t match_parent(const weight_match *m)
{
    size_t length = strlen(m->before);
    while (length > 0 && name_is_separator(m->before[length - 1]))
        length--;
    while (length > 0 && !name_is_separator(m->before[length - 1]))
        length--;
    return length;
}

indexed_name *match_beside(weight_match *m, const char *names, const char *words, bool climbs)
{
    for (size_t up = match_parent(m);; up--) {
        bool is_parent = up == 0 || name_is_separator(m->before[up - 1]);
        text_clear(&m->name);
        text_add(&m->name, m->before, up);
        indexed_name *found = is_parent ? find_ended(m, names, words) : NULL;
        if (found != NULL || up == 0 || !climbs)
            return found;
    }
}

void match_write_place(text *out, const weight_match *m)
{
    int before = (int)strlen(m->before), after = (int)strlen(m->after) - 1;
    if (m->is_alone)
        text_add_string(out, m->before);
    else if (m->is_one)
        text_add_format(out, "%.*s", before > 0 ? before - 1 : 0, m->before);
    else
        text_add_format(out, "%s{}%.*s", m->before, after, m->after);
}

bool weight_match_is_own(const weight_match *m)
{
    return m->by == layer_convention_at(0);
}

/* ---- numbers of layers ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits after `before` that number a layer, of a name that begins so; 0: there are none. */
static int digits_of(const weight_match *m, const indexed_name *one)
{
    enum { DIGITS_MOST = 9 };
    size_t begin = strlen(m->before), at = begin;
    while (at < one->length && is_digit(one->name[at]) && at - begin < DIGITS_MOST)
        at++;
    indexed_name rest = {one->name + at, one->length - at, false, 0};
    return name_begins(&rest, m->after, strlen(m->after)) ? (int)(at - begin) : 0;
}

/* The next name that begins as layers do, from `at` on: its index, or the count of names. */
static size_t next_numbered(const weight_match *m, size_t at)
{
    size_t length = strlen(m->before);
    for (; at < m->names.count && name_begins(&m->names.item[at], m->before, length); at++) {
        if (digits_of(m, &m->names.item[at]) > 0)
            return at;
    }
    return m->names.count;
}

static size_t first_numbered(const weight_match *m)
{
    return next_numbered(m, name_index_first(&m->names, m->before, strlen(m->before)));
}

/* False where there are no such digits, or other zeros stand before them than the layer's. */
static bool read_number(const weight_match *m, const indexed_name *one, size_t *number)
{
    const char *at = one->name + strlen(m->before);
    int digits = digits_of(m, one);
    *number = 0;
    for (int i = 0; i < digits; i++)
        *number = 10 * *number + (size_t)(at[i] - '0');
    return digits >= m->digits && (digits == m->digits || *at != '0');
}

bool match_layer_of(const weight_match *m, const indexed_name *one, size_t *layer, size_t *within)
{
    *layer = 0;
    *within = strlen(m->before);
    if (m->is_one)
        return true;
    *within += (size_t)digits_of(m, one) + strlen(m->after);
    return read_number(m, one, layer);
}

/* Where layers are. How many digits a number has the first layer's tell, which stand before all
 * others. */
static bool set_place(weight_match *m, const char *before, size_t before_length, const char *after,
                      err *e)
{
    size_t length = strlen(after);
    bool ends = length > 0 && name_is_separator(after[length - 1]);
    mem_free(m->before);
    mem_free(m->after);
    m->before = mem_copy_text(before, before_length, e);
    text_clear(&m->name);
    text_add_format(&m->name, "%s%s", after, ends ? "" : ".");
    m->after = m->before == NULL || !text_ok(&m->name, e)
                   ? NULL
                   : mem_copy_text(text_string(&m->name), m->name.length, e);
    if (m->after == NULL)
        return false;
    size_t first = first_numbered(m);
    const indexed_name *one = first < m->names.count ? &m->names.item[first] : NULL;
    m->digits = one != NULL && one->name[before_length] == '0' ? digits_of(m, one) : 1;
    return true;
}

/* ---- attentions ---- */

/* Some name's first `length` bytes, after which a convention finds weights. */
typedef struct sighting {
    const convention *by;
    indexed_name of;
    unsigned has; /* a bit each of Wq, Wk, Wv, Wo */
} sighting;

typedef struct sightings {
    sighting *item;
    size_t count, capacity;
} sightings;

static size_t weights_of(const sighting *one)
{
    return (size_t)__builtin_popcount(one->has);
}

static bool is_same_place(const indexed_name *a, const indexed_name *b)
{
    return a->length == b->length && name_begins(a, b->name, b->length);
}

/* `first` is the convention's own first. */
static bool add_sighting(sightings *all, size_t first, const convention *by, input which,
                         const indexed_name *of, err *e)
{
    size_t i = first;
    while (i < all->count && !is_same_place(&all->item[i].of, of))
        i++;
    if (i == all->count) {
        sighting *larger = mem_grow(all->item, all->count, &all->capacity, sizeof larger[0], e);
        if (larger == NULL)
            return false;
        all->item = larger;
        all->item[all->count++] = (sighting){.by = by, .of = *of};
    }
    all->item[i].has |= 1U << (which - INPUT_WQ);
    return true;
}

/* In the order of the conventions. */
static bool see_attentions(sightings *all, const name_index *names, err *e)
{
    char tail[NAME_MOST];
    for (size_t row = 0; row < CONVENTIONS.count; row++) {
        const convention *by = convention_at(row);
        size_t first = all->count;
        for (input which = INPUT_WQ; which <= INPUT_WO; which++) {
            for (size_t n = 0; convention_name(by, which, n, tail); n++) {
                for (size_t i = 0; i < names->count; i++) {
                    indexed_name of = names->item[i];
                    if (name_ends(&names->item[i], tail, &of.length) &&
                        !add_sighting(all, first, by, which, &of, e))
                        return false;
                }
            }
        }
    }
    return true;
}

/* h.0 is what begins with h.0. and with h.0.attn.; and not with h.01. */
static bool is_behind(const indexed_name *one, const char *prefix)
{
    size_t length = strlen(prefix);
    return name_begins(one, prefix, length) &&
           (length == 0 || one->length == length || name_is_separator(one->name[length - 1]) ||
            name_is_separator(one->name[length]));
}

/* ---- the prefix ---- */

/* As the names spell it, with as many zeros before a number as some name has there: h.3 is h.03
 * where they have that, and no h.3. */
static bool spell_prefix(const name_index *names, const char *prefix, text *to, err *e)
{
    static const char ZEROS[] = "00000000"; /* no more than a layer's number has digits */
    const int most = (int)sizeof ZEROS - 1;
    text one = {0};
    for (const char *at = prefix; *at != '\0';) {
        size_t digits = strspn(at, "0123456789"), length = digits == 0 ? 1 : digits;
        bool begins = at == prefix || name_is_separator(at[-1]) || at[-1] == '_',
             ends = at[length] == '\0' || name_is_separator(at[length]);
        int zeros = digits > 0 && begins && ends ? 0 : most + 1;
        for (; zeros <= most; zeros++) {
            text_clear(&one);
            text_add_format(&one, "%s%.*s%.*s.", text_string(to), zeros, ZEROS, (int)digits, at);
            if (name_index_first(names, text_string(&one), one.length) < names->count)
                break;
        }
        text_add_format(to, "%.*s%.*s", zeros <= most ? zeros : 0, ZEROS, (int)length, at);
        at += length;
    }
    text_free(&one);
    return text_ok(to, e);
}

/* ---- the conventions of a layer ---- */

/* One attention has its own names, and a layer's are none of them. */
static const layer_convention ALONE = {.named = {"attention", ""}, .attention = ""};

/* How much of its attention a layer must have to be known. */
typedef enum fit_need {
    NEED_WEIGHTS, /* two of its weights, and something besides it */
    NEED_ANY      /* one of them, and two things besides it: what is missing is to be named */
} fit_need;

/* The convention of most weights; the first of several. What GPT-2's attention has without c_attn,
 * its cross-attention has as well; each layer has the former. */
static const convention *find_attention(weight_match *m, const sightings *all, size_t layer,
                                        const char *way, fit_need least, size_t *weights)
{
    const convention *best = NULL;
    *weights = least == NEED_WEIGHTS ? 1 : 0;
    if (way == NULL)
        return NULL;
    begin_name(m, layer, way);
    indexed_name of = {text_string(&m->name), m->name.length, false, 0};
    for (size_t i = 0; i < all->count; i++) {
        const sighting *one = &all->item[i];
        bool may_be = (m->is_alone || !convention_is_own(one->by)) &&
                      (least == NEED_WEIGHTS || one->by->cut != CUT_HALVES);
        if (may_be && is_same_place(&one->of, &of) && weights_of(one) > *weights) {
            *weights = weights_of(one);
            best = one->by;
        }
    }
    return best;
}

/* Those of most names in the layer; false: none fits. */
static bool fit_layer(weight_match *m, const sightings *all, size_t layer, fit_need least)
{
    static const char *const OWN[] = {"wq", "wk", "wv", "wo", "w1", "w2"};
    size_t best = 0, weights;
    if (m->is_alone) {
        m->attention = find_attention(m, all, 0, "", least, &weights);
        m->by = convention_is_own(m->attention) ? layer_convention_at(0) : &ALONE;
        return true;
    }
    /* The document's own keys: as many as there are. Without a number they are those of a document
     * of one attention. */
    for (size_t i = 0; i < sizeof OWN / sizeof OWN[0] && !m->is_one; i++)
        best += match_name(m, layer, "", OWN[i]) != NULL;
    m->by = best > 0 ? layer_convention_at(0) : NULL;
    m->attention = m->cross = NULL;
    for (size_t i = 1; i < LAYER_CONVENTIONS.count; i++) {
        const layer_convention *row = layer_convention_at(i);
        if (!layer_convention_may_be(row, m->config))
            continue;
        const convention *attention =
            find_attention(m, all, layer, row->attention, least, &weights);
        size_t rest = 0;
        for (size_t k = 0; k < NAMED_PART_COUNT && attention != NULL; k++) {
            const named_part *part = &NAMED_PARTS[k];
            rest += !part->is_beside &&
                    match_ended(m, layer, row->part[k], named_part_words(part, attention, false)) !=
                        NULL;
        }
        if (rest >= (least == NEED_WEIGHTS ? 1 : 2) && rest + weights > best) {
            best = rest + weights;
            m->by = row;
            m->attention = attention;
        }
    }
    if (m->by != NULL && !weight_match_is_own(m))
        m->cross = find_attention(m, all, layer, m->by->cross, NEED_WEIGHTS, &weights);
    return m->by != NULL;
}

/* By the first layer that fits, in the order of the names: any may lack what tells. */
static bool fit_layers(weight_match *m, const sightings *all, fit_need least)
{
    size_t number, last = SIZE_MAX;
    if (m->is_one)
        return fit_layer(m, all, 0, least);
    for (size_t i = first_numbered(m); i < m->names.count; i = next_numbered(m, i + 1)) {
        read_number(m, &m->names.item[i], &number);
        if (number != last && fit_layer(m, all, number, least))
            return true;
        last = number;
    }
    return false;
}

/* ---- where layers are ---- */

/* What is before the number of a layer, or the layer that has none. `of` is its name. */
static void add_place(name_index *places, const weight_match *m, indexed_name of,
                      const char *prefix, err *e)
{
    size_t end = of.length - (of.length > 0), begin = end;
    while (begin > 0 && is_digit(of.name[begin - 1]))
        begin--;
    bool begins = begin == 0 || name_is_separator(of.name[begin - 1]) || of.name[begin - 1] == '_';
    if (!m->is_one && (begin == end || !begins))
        return;
    of.length = m->is_one ? of.length : begin;
    for (size_t i = 0; i < places->count; i++) {
        if (is_same_place(&places->item[i], &of))
            return;
    }
    if (is_behind(&of, prefix))
        name_index_add(places, of, e);
}

/* A layer's experts are numbered as layers are: "layers.0.experts.3." */
static bool is_an_expert(const indexed_name *of)
{
    indexed_name list = *of;
    size_t end;
    list.length -= list.length > 0;
    while (list.length > 0 && is_digit(list.name[list.length - 1]))
        list.length--;
    list.length -= list.length > 0;
    return name_ends(&list, "experts", &end);
}

/* What stands before the way to an attention in a layer, and before the document's own names; in
 * order. */
static void find_places_of_layers(name_index *places, const weight_match *m, const sightings *all,
                                  const char *prefix, err *e)
{
    static const char *const OWN_PARTS[] = {"w1", "w2"};
    places->count = 0;
    for (size_t i = 0; i < all->count; i++) {
        indexed_name of = all->item[i].of, attention = of;
        attention.length -= of.length > 0;
        if (convention_is_own(all->item[i].by))
            add_place(places, m, of, prefix, e);
        for (size_t row = 1; row < LAYER_CONVENTIONS.count; row++) {
            const char *way = layer_convention_at(row)->attention;
            if (name_ends(&attention, way, &of.length))
                add_place(places, m, of, prefix, e);
        }
    }
    for (size_t i = 0; i < m->names.count; i++) {
        for (size_t k = 0; k < 2; k++) {
            indexed_name of = m->names.item[i];
            if (name_ends(&m->names.item[i], OWN_PARTS[k], &of.length) && !is_an_expert(&of))
                add_place(places, m, of, prefix, e);
        }
    }
    name_index_sort(places);
}

/* Those of most weights, two at least. Where the document's own names stand after exactly the
 * prefix and are as many, it is they. */
static void find_places_of_attention(name_index *places, const weight_match *m,
                                     const sightings *all, const char *prefix, err *e)
{
    size_t most = 2;
    places->count = 0;
    for (size_t i = 0; i < all->count; i++) {
        size_t weights = is_behind(&all->item[i].of, prefix) ? weights_of(&all->item[i]) : 0;
        most = weights > most ? weights : most;
    }
    for (size_t i = 0; i < all->count; i++) {
        const sighting *one = &all->item[i];
        if (weights_of(one) < most)
            continue;
        bool is_it = convention_is_own(one->by) && is_behind(&one->of, prefix) &&
                     one->of.length == strlen(prefix);
        places->count = is_it ? 0 : places->count;
        add_place(places, m, one->of, prefix, e);
        if (is_it)
            return;
    }
}

static bool refuse_prefix(const weight_match *m, const char *prefix, err *e)
{
    place at = {.file = m->file};
    if (!unfinished_check_all(&m->names, m->file, "", e))
        return false;
    err_at(e, &at, "no names after '%s' are known as those of layers", prefix);
    return err_remedy(e, "selfattn help layer-bundles lists what is known");
}

/* Without a place the names are the document's own: whatever stands after exactly the prefix, or
 * layers, of which there may be none. */
static bool take_own_attention(weight_match *m, const char *prefix, err *e)
{
    m->by = layer_convention_at(0);
    return set_place(m, prefix, strlen(prefix), "", e);
}

static bool take_own_layers(weight_match *m, const char *prefix, err *e)
{
    static const char OWN[] = "layers.";
    m->by = layer_convention_at(0);
    m->is_one = false;
    return *prefix == '\0' ? set_place(m, OWN, strlen(OWN), ".", e) : refuse_prefix(m, prefix, e);
}

/* How one attention, or layers, are looked for where no {} says where they are. */
typedef struct search {
    const char *what;  /* as an error calls several of them */
    const char *after; /* what goes on after a place */
    void (*find_places)(name_index *places, const weight_match *m, const sightings *all,
                        const char *prefix, err *e);
    /* One pass after the other, until places fit. */
    struct {
        bool is_one; /* a layer without a number */
        fit_need least;
    } pass[4];
    size_t passes;
    bool has_two_kinds; /* encoders and decoders, which are told apart */
    bool (*take_own)(weight_match *m, const char *prefix, err *e); /* where none fits */
} search;

/* Numbered layers go before a layer without a number, and whole ones before those that lack
 * weights. */
static const search OF_ATTENTION = {.what = "layers",
                                    .after = "",
                                    .find_places = find_places_of_attention,
                                    .pass = {{true, NEED_WEIGHTS}},
                                    .passes = 1,
                                    .take_own = take_own_attention},
                    OF_LAYERS = {.what = "stacks of layers",
                                 .after = ".",
                                 .find_places = find_places_of_layers,
                                 .pass = {{false, NEED_WEIGHTS},
                                          {false, NEED_ANY},
                                          {true, NEED_WEIGHTS},
                                          {true, NEED_ANY}},
                                 .passes = 4,
                                 .has_two_kinds = true,
                                 .take_own = take_own_layers};

/* Of one kind: of encoders, or of decoders. */
typedef struct places_alike {
    size_t count;
    indexed_name first;
    text shown; /* the first, for an error */
} places_alike;

/* Places that fit. */
typedef struct places_found {
    places_alike encoders, decoders; /* of one kind all are encoders */
    fit_need least;                  /* by which they fit */
    text shown;                      /* some of them, for an error */
} places_found;

enum { PLACES_SHOWN = 4 };

static size_t count_found(const places_found *f)
{
    return f->encoders.count + f->decoders.count;
}

static void add_found(places_found *to, const search *by, const weight_match *m,
                      const indexed_name *at)
{
    bool is_named_so = m->cross != NULL || strstr(m->before, "decoder") != NULL;
    places_alike *alike = by->has_two_kinds && is_named_so ? &to->decoders : &to->encoders;
    size_t count = count_found(to);
    if (alike->count++ == 0) {
        alike->first = *at;
        match_write_place(&alike->shown, m);
    }
    if (count < PLACES_SHOWN) {
        text_add_string(&to->shown, count == 0 ? "" : "', '");
        match_write_place(&to->shown, m);
    }
}

static void find_all(places_found *to, const search *by, weight_match *m, const sightings *all,
                     const char *prefix, err *e)
{
    name_index places = {0};
    for (size_t pass = 0; pass < by->passes && count_found(to) == 0; pass++) {
        m->is_one = by->pass[pass].is_one;
        to->least = by->pass[pass].least;
        by->find_places(&places, m, all, prefix, e);
        for (size_t i = 0; i < places.count; i++) {
            const indexed_name *one = &places.item[i];
            if (!set_place(m, one->name, one->length, by->after, e))
                continue;
            if (fit_layers(m, all, to->least))
                add_found(to, by, m, one);
        }
    }
    name_index_free(&places);
}

static bool refuse_several(const places_found *found, const search *by, const weight_match *m,
                           err *e)
{
    place at = {.file = m->file};
    const places_alike *encoders = &found->encoders, *decoders = &found->decoders;
    size_t count = count_found(found);
    err_at(e, &at, "%zu %s have names of weights, one is wanted: '%s'%s", count, by->what,
           text_string(&found->shown), count > PLACES_SHOWN ? ", …" : "");
    if (encoders->count > 0 && decoders->count > 0)
        return err_remedy(e, "for encode --prefix '%s', for decode and generate --prefix '%s'",
                          text_string(&encoders->shown), text_string(&decoders->shown));
    const places_alike *alike = encoders->count > 0 ? encoders : decoders;
    return err_remedy(e, "--prefix takes one: --prefix '%s'", text_string(&alike->shown));
}

/* The only place, or the only one of the kind that is wanted; NULL: there is no such. */
static const indexed_name *find_the_one(const places_found *f, const char *as)
{
    const places_alike *alike = f->decoders.count > 0 ? &f->decoders : &f->encoders;
    if (as != NULL && count_found(f) > 1)
        alike = strcmp(as, "decoder") == 0 ? &f->decoders : &f->encoders;
    bool is_wanted = as != NULL || count_found(f) == 1;
    return is_wanted && alike->count == 1 ? &alike->first : NULL;
}

/* The place after the prefix that fits. */
static bool look_everywhere(weight_match *m, const sightings *all, const char *prefix,
                            const char *as, err *e)
{
    const search *by = m->is_alone ? &OF_ATTENTION : &OF_LAYERS;
    places_found found = {0};
    find_all(&found, by, m, all, prefix, e);
    bool done = !e->is_set && text_ok(&found.shown, e) && text_ok(&found.encoders.shown, e) &&
                text_ok(&found.decoders.shown, e);
    const indexed_name *one = find_the_one(&found, as);
    if (done && one != NULL) {
        done = set_place(m, one->name, one->length, by->after, e);
        if (done)
            fit_layers(m, all, found.least);
    } else if (done && count_found(&found) > 0) {
        done = refuse_several(&found, by, m, e);
    } else if (done) {
        done = by->take_own(m, prefix, e);
    }
    text_free(&found.shown);
    text_free(&found.encoders.shown);
    text_free(&found.decoders.shown);
    return done;
}

/* Where --prefix says, with {} for the number. */
static bool look_there(weight_match *m, const sightings *all, const char *prefix,
                       const char *number, err *e)
{
    place at = {.file = m->file};
    if (!set_place(m, prefix, (size_t)(number - prefix), number + 2, e))
        return false;
    if (first_numbered(m) == m->names.count) {
        err_at(e, &at, "no name in it begins with '%s0%s', as --prefix '%s' says", m->before,
               m->after, prefix);
        return err_remedy(e, "its first is %s", m->names.item[0].name);
    }
    return fit_layers(m, all, NEED_WEIGHTS) || fit_layers(m, all, NEED_ANY) ||
           refuse_prefix(m, prefix, e);
}

/* Layers are there without a gap, and as many zeros before each number. */
static bool count_layers(weight_match *m, err *e)
{
    size_t number, largest = 0, first = first_numbered(m);
    place at = {.file = m->file};
    if (m->is_one) {
        m->count = 1;
        return true;
    }
    for (;; m->count++) {
        begin_name(m, m->count, "");
        if (m->name.failed ||
            name_index_first(&m->names, text_string(&m->name), m->name.length) == m->names.count)
            break;
    }
    for (size_t i = first; i < m->names.count; i = next_numbered(m, i + 1)) {
        if (!read_number(m, &m->names.item[i], &number))
            return err_at(e, &at,
                          "%s is of no layer: it would be named '%s%0*zu', as the others are",
                          m->names.item[i].name, m->before, m->digits, number);
        largest = number > largest ? number : largest;
    }
    if (m->count > largest || first == m->names.count)
        return true;
    err_at(e, &at, "there is a layer '%s%0*zu', and no '%s%0*zu'", m->before, m->digits, largest,
           m->before, m->digits, m->count);
    return err_remedy(e, "layers are counted from 0; those of a model in several files are to be "
                         "joined first");
}

/* ---- the whole ---- */

bool weights_match(weight_match *m, bool is_alone, const text_list *names, const char *file,
                   const bundle_options *w, err *e)
{
    const char *number = strstr(w->prefix, "{}");
    sightings all = {0};
    text spelled = {0};
    *m = (weight_match){.is_alone = is_alone,
                        .is_document = !is_alone && text_list_find(names, "layers") != NULL,
                        .listed = names,
                        .config = w->config,
                        .file = file};
    if (m->is_document)
        return true;
    bool done = name_index_make(&m->names, names, e) && see_attentions(&all, &m->names, e);
    done = done && (!is_alone || spell_prefix(&m->names, w->prefix, &spelled, e));
    const char *prefix = is_alone ? text_string(&spelled) : w->prefix;
    done = done &&
           (number != NULL ? look_there(m, &all, prefix, number, e)
                           : look_everywhere(m, &all, prefix, w->as, e)) &&
           count_layers(m, e) && text_ok(&m->name, e) && weight_sources_find(m, &w->map, e) &&
           (m->sources > 0 || weight_match_refuse(m, prefix, e));
    mem_free(all.item);
    text_free(&spelled);
    return text_ok(&m->name, e) && done; /* a name without memory to spell it is nowhere */
}

void weight_match_free(weight_match *m)
{
    for (size_t i = 0; i < m->sources; i++)
        mem_free(m->source[i].wanted);
    mem_free(m->source);
    name_index_free(&m->names);
    mem_free(m->before);
    mem_free(m->after);
    text_list_free(&m->mapped);
    text_free(&m->name);
    *m = (weight_match){0};
}
