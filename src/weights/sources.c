#include "weights/sources.h"

#include "attn/spec/keys.h"
#include "base/mem.h"
#include "base/path.h"
#include "weights/match.h"
#include "weights/refused.h"
#include "weights/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sources ---- */

/* One more: of a name, which is taken then, or of NULL, when what was looked for is in m->name:
 * then a layer can't do without it, or (may_lack) all layers have it or none. */
static bool add_source(weight_match *m, weight_source one, err *e)
{
    weight_source *larger = mem_grow(m->source, m->sources, &m->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return false;
    m->source = larger;
    if (one.name != NULL)
        name_index_find(&m->names, one.name)->is_taken = true;
    else if (!text_ok(&m->name, e) ||
             (one.wanted = mem_copy_text(text_string(&m->name), m->name.length, e)) == NULL)
        return false;
    one.which = input_of_key(one.to.key->named.name);
    m->source[m->sources++] = one;
    return true;
}

static const char *write_key(weight_match *m, const key_path *to)
{
    text_clear(&m->name);
    key_path_write(&m->name, to);
    return text_string(&m->name);
}

bool match_is_mapped(weight_match *m, const key_path *to)
{
    return m->mapped.count > 0 && text_list_find(&m->mapped, write_key(m, to)) != NULL;
}

key_path match_path(const weight_match *m, size_t layer, const char *object, const char *key_name)
{
    char way[NAME_MOST];
    key_path p = {0};
    snprintf(way, sizeof way, "%s%s%s", object, *object == '\0' ? "" : ".", key_name);
    if (m->is_alone)
        key_path_read(&p, way, strlen(way));
    else
        key_path_read_within(&p, layer, way, strlen(way));
    return p;
}

/* What no layer has is not lacking in any. All layers have the same keys, in one order. */
static void drop_absent(weight_match *m)
{
    size_t each = m->count == 0 ? 0 : m->sources / m->count, kept = 0;
    for (size_t i = 0; i < each; i++) {
        size_t has = 0;
        while (has < m->count && m->source[has * each + i].name == NULL)
            has++;
        for (size_t layer = 0; layer < m->count; layer++)
            m->source[layer * each + i].has = has;
    }
    for (size_t i = 0; i < m->sources; i++) {
        weight_source one = m->source[i];
        bool is_none = one.is_of_other || (one.may_lack && one.has == m->count);
        if (one.name == NULL && is_none)
            mem_free(one.wanted);
        else
            m->source[kept++] = one;
    }
    m->sources = kept;
}

/* ---- sources by convention ---- */

static void add_attention(weight_match *m, const convention *by, size_t layer, const char *way,
                          const char *object, err *e)
{
    enum { CUT = INPUT_BO + 1 - INPUT_WQ };
    for (size_t i = 0; i < CUT + CONVENTION_BESIDE; i++) {
        input which = i < CUT ? (input)(INPUT_WQ + i) : CONVENTION_INPUTS[i - CUT];
        weight_source one = {.to = match_path(m, layer, object, input_key(which)),
                             .name = match_weight(m, layer, way, by, which),
                             .may_lack = !convention_needs(by, which),
                             .is_cut = i < CUT};
        add_source(m, one, e);
    }
}

/* The names of one expert: {} stands for its number. */
static void name_expert(const char *names, size_t item, char out[NAME_MOST])
{
    const char *number = strstr(names, "{}");
    if (number == NULL)
        snprintf(out, NAME_MOST, "%s", names);
    else
        snprintf(out, NAME_MOST, "%.*s%zu%s", (int)(number - names), names, item, number + 2);
}

/* As many as are there of the first one's name without a gap, in the layer that has most. */
static size_t count_experts(weight_match *m)
{
    const char *names = m->by->part[EXPERT_W1], *words;
    char name[NAME_MOST];
    size_t most = 0;
    if (names == NULL)
        return 0;
    if (strstr(names, "{}") == NULL) /* only config.json says how many are in one */
        return m->config == NULL ? 0 : m->config->size[SIZE_EXPERTS].is;
    words = named_part_words(&NAMED_PARTS[EXPERT_W1], m->attention, false);
    for (size_t layer = 0; layer < m->count; layer++) {
        size_t count = 0;
        for (;; count++) {
            name_expert(names, count, name);
            if (match_ended(m, layer, name, words) == NULL)
                break;
        }
        most = count > most ? count : most;
    }
    return most;
}

/* A matrix of each expert, and its bias. */
static void add_experts(weight_match *m, size_t layer, const named_part *part, const char *names,
                        bool is_of_other, err *e)
{
    const char *const keys[] = {part->key, part->bias};
    char name[NAME_MOST], way[NAME_MOST];
    for (size_t item = 0; item < m->experts; item++) {
        name_expert(names, item, name);
        for (size_t k = 0; k < 2; k++) {
            snprintf(way, sizeof way, "experts.%zu", item);
            weight_source one = {
                .to = match_path(m, layer, way, keys[k]),
                .name = match_ended(m, layer, name, named_part_words(part, m->attention, k == 1)),
                .layout = m->by->of_experts,
                .is_stacked = strstr(names, "{}") == NULL,
                .is_of_other = is_of_other,
                .may_lack = k == 1};
            one.name = is_of_other ? NULL : one.name;
            add_source(m, one, e);
        }
    }
}

static void add_layer(weight_match *m, size_t layer, err *e)
{
    const layer_convention *row = m->by;
    size_t plain = m->config == NULL ? 0 : m->config->plain;
    bool has_plain = row->part[W1] != NULL && layer < plain;
    part_of other = row->part[W1] == NULL || row->part[EXPERT_W1] == NULL ? PART_OF_EACH
                    : has_plain                                           ? PART_OF_MIXTURE
                                                                          : PART_OF_PLAIN;
    char name[NAME_MOST];
    add_attention(m, m->attention, layer, row->attention, "", e);
    if (m->cross != NULL)
        add_attention(m, m->cross, layer, row->cross, "cross", e);
    for (size_t i = 0; i < NAMED_PART_COUNT; i++) {
        const named_part *part = &NAMED_PARTS[i];
        const char *names = row->part[i];
        /* A third norm is cross-attention's, of models that may have it. */
        bool is_of_cross = i == LN3 && row->cross != NULL;
        bool is_of_other = part->of != PART_OF_EACH && part->of == other;
        if (names == NULL || part->is_beside || (is_of_cross && m->cross == NULL))
            continue;
        if (part->is_of_expert) {
            add_experts(m, layer, part, names, is_of_other, e);
            continue;
        }
        /* Of two names the first is that of a layer with cross-attention. */
        if (m->cross != NULL || !name_alternative(names, 1, name))
            name_alternative(names, 0, name);
        const char *const keys[] = {part->key, part->bias};
        for (size_t k = 0; k < 2 && keys[k] != NULL; k++) {
            const char *words = named_part_words(part, m->attention, k == 1);
            weight_source one = {.to = match_path(m, layer, "", keys[k]),
                                 .name = match_ended(m, layer, name, words),
                                 .is_of_other = is_of_other,
                                 .may_lack = k == 1};
            one.name = is_of_other ? NULL : one.name;
            add_source(m, one, e);
        }
    }
}

/* A norm has a gain, whatever else it has; what it is called is as its bias says. What no model of
 * such a config.json is without is looked for whatever the file has. */
static void add_rest(weight_match *m, err *e)
{
    for (size_t i = 0; i < NAMED_PART_COUNT; i++) {
        const named_part *part = &NAMED_PARTS[i];
        const char *names = m->by->part[i];
        bool is_tied = i == UNEMBEDDING && m->config != NULL && m->config->is_tied;
        if (names == NULL || !part->is_beside)
            continue;
        bool climbs = part->climbs || (i == LN_F && m->by->final_climbs);
        const char *words = named_part_words(part, m->attention, false),
                   *bias_words = named_part_words(part, m->attention, true);
        const indexed_name *found = match_beside(m, names, words, climbs);
        const indexed_name *bias = match_beside(m, names, bias_words, climbs);
        if (bias != NULL) {
            size_t stem = bias->length; /* words come after a separator */
            while (!name_is_separator(bias->name[stem - 1]))
                stem--;
            text_clear(&m->name);
            text_add_format(&m->name, "%.*sweight", (int)stem, bias->name);
        }
        bool is_lacking = found == NULL && m->config != NULL && part->is_of_all;
        if (is_lacking && bias == NULL)
            match_beside(m, names, words, climbs);
        bool is_there = found != NULL || (bias != NULL && part->is_norm);
        weight_source one = {
            .name = found == NULL ? NULL : found->name, .layout = part->layout, .is_tied = is_tied};
        key_path_read(&one.to, part->key, strlen(part->key));
        if (is_there || is_lacking)
            add_source(m, one, e);
        if (bias != NULL) {
            one = (weight_source){.name = bias->name};
            key_path_read(&one.to, part->bias, strlen(part->bias));
            add_source(m, one, e);
        }
    }
    const char *relative = m->config == NULL ? NULL : m->attention->relative;
    const char *by_distance =
        relative == NULL ? NULL : match_name(m, 0, m->by->attention, relative);
    if (relative != NULL) {
        weight_source one = {.name = by_distance};
        key_path_read(&one.to, "relative_bias", strlen("relative_bias"));
        add_source(m, one, e);
    }
    const char *besides = m->by->unembedding_bias, *key_name = NAMED_PARTS[UNEMBEDDING].bias;
    const indexed_name *found = besides == NULL ? NULL : name_index_find(&m->names, besides);
    if (found != NULL && m->cross != NULL) {
        weight_source one = {.name = found->name};
        key_path_read(&one.to, key_name, strlen(key_name));
        add_source(m, one, e);
    }
}

/* ---- sources by the document's own names ---- */

/* Keys of layers and of what they are in, in the order of the names. */
static void add_own_layers(weight_match *m, err *e)
{
    size_t parent = match_parent(m), layer, within;
    for (size_t i = 0; i < m->names.count; i++) {
        const indexed_name *one = &m->names.item[i];
        key_path to;
        bool is_known = false;
        if (name_begins(one, m->before, strlen(m->before)))
            is_known = match_layer_of(m, one, &layer, &within) &&
                       key_path_read_within(&to, layer, one->name + within, one->length - within);
        else if (name_begins(one, m->before, parent))
            is_known = key_path_read(&to, one->name + parent, one->length - parent);
        if (is_known)
            add_source(m, (weight_source){.to = to, .name = one->name}, e);
    }
}

/* The same of one attention. */
static void add_own_keys(weight_match *m, err *e)
{
    for (size_t i = 0; i < KEYS.count; i++) {
        const key *row = (const key *)(const void *)named_row(&KEYS, i);
        const char *name = match_name(m, 0, "", row->named.name);
        if (name != NULL)
            add_source(m, (weight_source){.to = {.key = row}, .name = name}, e);
    }
}

/* ---- --map ---- */

/* A name taken for one key may be meant for another; `only_left` leaves the taken ones out. */
static bool suggest_nearest(const weight_match *m, const char *wanted, bool only_left,
                            const char *instead, err *e)
{
    nearest_names nearest = {.wanted = wanted};
    for (size_t i = 0; i < m->names.count; i++) {
        if (!only_left || !m->names.item[i].is_taken)
            nearest_names_look(&nearest, m->names.item[i].name);
    }
    nearest_names_suggest(&nearest, instead, e);
    return false;
}

static bool read_key(const weight_match *m, const char *pair, key_path *to, err *e)
{
    size_t length = strcspn(pair, "=");
    if (m->is_alone) {
        const named *row = named_find(&KEYS, pair, length);
        const named *near = row != NULL ? NULL : named_nearest(&KEYS, pair, length);
        *to = (key_path){.key = (const key *)(const void *)row};
        if (row != NULL)
            return true;
        err_option(e, "map", "a document has no key '%.*s'", (int)length, pair);
        return near == NULL ? err_remedy(e, "selfattn help keys lists them")
                            : err_remedy(e, "did you mean '%s'?", near->name);
    }
    if (!key_path_read(to, pair, length)) {
        err_option(e, "map", "a document of layers has no key '%.*s'", (int)length, pair);
        return err_remedy(e, "it may be layers.0.w1, layers.0.ln1.gain, layers.0.cross.wq, "
                             "embedding, ln_f.gain, …");
    }
    return !to->is_in_layer || to->layer < m->count ||
           err_option(e, "map", "'%.*s' is layer %zu's, from 0, and there are %zu", (int)length,
                      pair, to->layer, m->count);
}

/* One KEY=NAME; none=NAME leaves it out. The keys have their sources in their order. */
static bool add_mapped(weight_match *m, size_t number, const char *pair, bundle *keys, err *e)
{
    const char *wanted = strchr(pair, '=') + 1;
    key_path to;
    bool is_none = !m->is_alone && strncmp(pair, "none=", 5) == 0;
    if (!is_none && !read_key(m, pair, &to, e))
        return false;
    indexed_name *found = name_index_find(&m->names, wanted);
    if (found == NULL) {
        err_option(e, "map", "'%s' is not in %s", wanted, m->file);
        return suggest_nearest(m, wanted, false, "", e);
    }
    found->is_taken = true;
    if (is_none) {
        found->left_out = number;
        return true;
    }
    const char *name = write_key(m, &to);
    const entry *said = bundle_find(keys, name);
    size_t others = m->sources - keys->count;
    weight_source one = {
        .to = to, .name = found->name, .mapped = number, .which = input_of_key(to.key->named.name)};
    if (said == NULL)
        return bundle_add(keys, name, m->name.length, place_of_option("map"), e) != NULL &&
               add_source(m, one, e);
    m->source[others + (size_t)(said - keys->entry)] = one;
    return true;
}

/* What --map says of a key goes over the convention's, and in its place; --map none= leaves out
 * what the convention, or a --map before it, makes of the name. */
static bool add_all_mapped(weight_match *m, const text_list *map, err *e)
{
    bundle keys = {0};
    size_t others = m->sources, kept = 0;
    bool done = text_list_index(&m->mapped, e);
    for (size_t i = 0; i < map->count && done; i++)
        done = add_mapped(m, i + 1, map->item[i], &keys, e);
    for (size_t i = 0; i < others && done; i++) {
        const entry *said = bundle_find(&keys, write_key(m, &m->source[i].to));
        if (said == NULL)
            continue;
        weight_source *from = &m->source[others + (size_t)(said - keys.entry)];
        mem_free(m->source[i].wanted);
        m->source[i] = *from;
        from->name = NULL;
    }
    for (size_t i = 0; i < m->sources; i++) {
        weight_source one = m->source[i];
        const indexed_name *from = one.name == NULL ? NULL : name_index_find(&m->names, one.name);
        if (from == NULL ? one.mapped > 0 : from->left_out > one.mapped) {
            mem_free(one.wanted);
            continue;
        }
        m->source[kept++] = one;
        if (one.mapped > 0) {
            const char *name = write_key(m, &one.to);
            done = done && text_list_add(&m->mapped, name, m->name.length, e);
        }
    }
    m->sources = kept;
    bundle_free(&keys);
    return done;
}

/* A name is read once, as what its key is. */
static bool check_kinds(weight_match *m, const weight_source *mapped, err *e)
{
    for (size_t i = 0; i < m->sources; i++) {
        const weight_source *other = &m->source[i];
        if (other->name != mapped->name || other->to.key->kind == mapped->to.key->kind)
            continue;
        write_key(m, &mapped->to);
        text_add_string(&m->name, " and ");
        key_path_write(&m->name, &other->to);
        return err_option(e, "map", "'%s' can't be both %s, which are of two kinds", mapped->name,
                          text_string(&m->name));
    }
    return true;
}

bool weight_sources_find(weight_match *m, const text_list *map, err *e)
{
    bool is_own = weight_match_is_own(m);
    if (m->is_alone && is_own) {
        add_own_keys(m, e);
    } else if (m->is_alone) {
        add_attention(m, m->attention, 0, "", "", e);
    } else if (is_own) {
        add_own_layers(m, e);
    } else {
        m->experts = count_experts(m);
        for (size_t i = 0; i < m->count; i++)
            add_layer(m, i, e);
    }
    drop_absent(m);
    if (!m->is_alone && !is_own)
        add_rest(m, e);
    bool done = !e->is_set && (map->count == 0 || add_all_mapped(m, map, e));
    if (m->is_alone) {
        /* Of one attention the keys are in their order, whatever says what they are. */
        for (size_t i = 1; i < m->sources; i++) {
            weight_source one = m->source[i];
            size_t k = i;
            for (; k > 0 && m->source[k - 1].to.key > one.to.key; k--)
                m->source[k] = m->source[k - 1];
            m->source[k] = one;
        }
    }
    /* What --map names is taken as it is. */
    for (size_t i = 0; i < m->sources && done; i++) {
        const weight_source *from = &m->source[i];
        done = from->name == NULL ||
               (from->mapped > 0 ? check_kinds(m, from, e)
                                 : unfinished_check(&m->names, m->file, from->name, e));
    }
    return done && text_ok(&m->name, e);
}

/* ---- what is missing ---- */

bool weight_match_refuse(const weight_match *m, const char *prefix, err *e)
{
    enum { SHOWN = 6 };
    place at = {.file = m->file};
    bool is_after = m->is_alone && *prefix != '\0';
    text list = {0};
    if (!unfinished_check_all(&m->names, m->file, m->is_alone ? prefix : "", e))
        return false;
    for (size_t i = 0; i < m->listed->count && i < SHOWN; i++)
        text_add_format(&list, "%s%s", i == 0 ? "" : ", ",
                        m->is_alone ? m->listed->item[i] : m->names.item[i].name);
    err_at(e, &at, "no name %s%s%s is known as that of a %s: %s%s",
           is_after ? "after the prefix '" : "in it", is_after ? prefix : "", is_after ? "'" : "",
           m->is_alone ? "weight" : "layer's weight", text_string(&list),
           m->names.count > SHOWN ? ", …" : "");
    text_free(&list);
    return m->is_alone
               ? err_remedy(e, "--map wq=NAME says which is Wq; selfattn help bundles lists "
                               "what is known")
               : err_remedy(e, "--prefix 'NAME.{}' says where layers are; selfattn help "
                               "layer-bundles lists what is known");
}

bool weight_match_refuse_missing(const weight_match *m, const weight_source *missing, err *e)
{
    text path = {0}, lack = {0}, instead = {0};
    place at = {.file = m->file};
    key_path within = missing->to;
    within.is_in_layer = false;
    key_path_write(&path, &within);
    text_add_string(&instead, "--map ");
    key_path_write(&instead, &missing->to);
    text_add_string(&instead, "=NAME takes another");
    if (m->is_alone) {
        text_add_format(&instead, ", --no-%s none", text_string(&path));
        text_add_format(&lack, "the names are those of %s, but %s for %s is not there",
                        m->attention->named.name, missing->wanted, input_label(missing->which));
    } else {
        if (missing->to.is_in_layer)
            text_add_format(&lack, "layer %zu has no %s", missing->to.layer + 1,
                            text_string(&path));
        else
            text_add_format(&lack, "there is no %s", text_string(&path));
        if (missing->may_lack)
            text_add_format(&lack, ", and layer %zu has", missing->has + 1);
        text_add_format(&lack, ": by the names of %s it is %s", m->by->named.name, missing->wanted);
    }
    if (unfinished_check(&m->names, m->file, missing->wanted, e)) {
        err_at(e, &at, "%s", text_string(&lack));
        suggest_nearest(m, missing->wanted, true, text_string(&instead), e);
    }
    text_free(&path);
    text_free(&lack);
    text_free(&instead);
    return false;
}

static int compare_rows(const void *a, const void *b)
{
    return strcmp(((const key *)a)->named.name, ((const key *)b)->named.name);
}

size_t weight_match_rows(const weight_match *m, key *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < m->sources; i++) {
        const weight_source *from = &m->source[i];
        if (from->name != NULL)
            rows[count++] = (key){{from->name, from->to.key->named.help}, from->to.key->kind};
    }
    qsort(rows, count, sizeof rows[0], compare_rows);
    return count;
}

/* ---- an index of files ---- */

/* As transformers writes it: an object from each tensor's name to its file's. */
static const char MAP[] = "weight_map";

bool bundle_index_is(const text_list *names)
{
    return text_list_find(names, MAP) != NULL;
}

bool bundle_index_refuse(const bundle *read, const char *file, const bundle_options *w,
                         bool is_of_layers, err *e)
{
    enum { SHOWN = 4 };
    static const bundle NOTHING = {0};
    const entry *map = bundle_find(read, MAP);
    const bundle *all = map == NULL || map->kind != ENTRY_BUNDLE ? &NOTHING : map->bundle;
    text_list names = {0}, files = {0};
    weight_match found;
    for (size_t i = 0; i < all->count; i++)
        text_list_add(&names, all->entry[i].name, strlen(all->entry[i].name), e);
    /* The files of what is found among the names. */
    text_list_index(&files, e);
    weights_match(&found, !is_of_layers, &names, file, w, e);
    for (size_t i = 0; i < found.sources && !e->is_set; i++) {
        const char *name = found.source[i].name;
        const char *one = name == NULL ? NULL : bundle_text(all, name);
        if (one != NULL && text_list_find(&files, one) == NULL)
            text_list_add(&files, one, strlen(one), e);
    }
    weight_match_free(&found);
    if (!e->is_memory) /* several layers, or none that are known */
        err_clear(e);
    if (!e->is_set) {
        /* Files of an index are next to it. */
        const char *whose = is_of_layers ? "layers" : "layer";
        int folder = (int)path_folder(file);
        place at = {.file = file};
        text list = {0};
        for (size_t i = 0; i < files.count && i < SHOWN; i++)
            text_add_format(&list, "%s%s", i == 0 ? "" : ", ", files.item[i]);
        err_at(e, &at, "it is an index of files, and has no weights itself");
        if (files.count == 0)
            err_remedy(e, "--prefix says which %s, and so which file", whose);
        else if (files.count == 1)
            err_remedy(e, "--bundle %.*s%s has those of the %s", folder, file, files.item[0],
                       whose);
        else
            err_remedy(e, "those of the %s are in %zu files, which are to be joined first: %s%s",
                       whose, files.count, text_string(&list), files.count > SHOWN ? ", …" : "");
        text_free(&list);
    }
    text_list_free(&names);
    text_list_free(&files);
    return false;
}
