#include "weights/refused.h"

#include "weights/apply.h"
#include "weights/match.h"
#include "weights/sources.h"
#include "weights/weights.h"

#include <stdio.h>
#include <string.h>

/* ---- weights that are not finished ---- */

/* What stands after the name of the linear map, q_proj of q_proj.weight. */
typedef struct mark {
    const char *name;
    const char *kind;     /* of numbers; NULL: they lack an adapter */
    bool is_in_its_place; /* there is no q_proj.weight then */
} mark;

/* Sources: bitsandbytes' Linear8bitLt (SCB) and Linear4bit (absmax, quant_state); the layers of
 * AutoGPTQ and AutoAWQ; compressed-tensors (weight_packed, weight_scale); transformers' finegrained
 * FP8 (weight_scale_inv); peft's lora.Linear, whose base_layer keeps the weight. */
static const mark MARKS[] = {
    {"SCB", "8-bit integers of bitsandbytes", false},
    {"weight.absmax", "4-bit numbers of bitsandbytes", false},
    {"weight.quant_state", "4-bit numbers of bitsandbytes", false},
    {"qweight", "packed integers of GPTQ or AWQ", true},
    {"qzeros", "packed integers of GPTQ or AWQ", true},
    {"scales", "packed integers of GPTQ or AWQ", false},
    {"weight_packed", "packed integers of compressed-tensors", true},
    {"weight_scale", "integers or 8-bit floats with a scale", false},
    {"weight_scale_inv", "8-bit floats with scales", false},
    {"lora_A", NULL, true},
    {"lora_B", NULL, true},
};

enum { MARK_COUNT = sizeof MARKS / sizeof MARKS[0] };

static const mark *find_mark(const char *rest)
{
    for (size_t i = 0; i < MARK_COUNT; i++) {
        size_t length = strlen(MARKS[i].name);
        if (strncmp(rest, MARKS[i].name, length) == 0 &&
            (rest[length] == '\0' || name_is_separator(rest[length])))
            return &MARKS[i];
    }
    return NULL;
}

static bool refuse_unfinished(const char *file, const char *name, const mark *why, err *e)
{
    place at = {.file = file};
    if (why->kind == NULL) {
        err_at(e, &at, "%s belongs to an adapter (LoRA), which is not added to the weight here",
               name);
        return err_remedy(e, "merge it first, as merge_and_unload() of peft does, and save that");
    }
    err_at(e, &at, "%s shows that the weight is quantised (%s), which is not undone here", name,
           why->kind);
    return err_remedy(e,
                      "dequantise it first, as model.dequantize() of transformers does, and save "
                      "that");
}

bool unfinished_check(const name_index *names, const char *file, const char *weight, err *e)
{
    const indexed_name one = {weight, strlen(weight), false, 0};
    size_t stem;
    if (!name_ends(&one, "weight", &stem))
        return true;
    for (size_t i = name_index_first(names, weight, stem);
         i < names->count && name_begins(&names->item[i], weight, stem); i++) {
        const mark *found = find_mark(names->item[i].name + stem);
        if (found != NULL)
            return refuse_unfinished(file, names->item[i].name, found, e);
    }
    return true;
}

bool unfinished_check_all(const name_index *names, const char *file, const char *prefix, err *e)
{
    size_t length = strlen(prefix);
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->item[i].name;
        if (!name_begins(&names->item[i], prefix, length))
            continue;
        for (const char *at = name; *at != '\0'; at++) {
            const mark *found = name_is_separator(*at) ? find_mark(at + 1) : NULL;
            if (found != NULL && found->is_in_its_place)
                return refuse_unfinished(file, name, found, e);
        }
    }
    return true;
}

void unfinished_describe(text *out)
{
    for (size_t i = 0; i < MARK_COUNT; i++)
        text_add_format(out, "%s%s", i == 0 ? "" : ", ", MARKS[i].name);
}

/* ---- besides the weights of attention ---- */

/* Whose weights are looked at: the attention of a layer, or (object "cross") its cross-attention,
 * by its convention, and the way to it in the layer. */
typedef struct looking {
    weight_match *in;
    const bundle_options *options;
    const bundle *contents;
    size_t layer;
    const char *object, *way;
    const convention *by;
} looking;

/* What stands at the top is for self-attention. */
static bool is_decided(const looking *l, const key_path *to)
{
    const char *name = to->key->named.name;
    return match_is_mapped(l->in, to) ||
           bundle_options_decide(l->options, key_path_find(to, l->contents),
                                 *l->object == '\0' ? l->contents : NULL, name);
}

/* True when both names of layers are one, but for the numbers in them. */
static bool are_alike(const char *name, size_t length, const char *layer)
{
    static const char DIGITS[] = "0123456789";
    const char *end = name + length;
    while (name < end && *layer != '\0') {
        size_t digits = strspn(name, DIGITS), others = strspn(layer, DIGITS);
        if ((digits == 0) != (others == 0) || (digits == 0 && *name != *layer))
            return false;
        name += digits == 0 ? 1 : digits;
        layer += others == 0 ? 1 : others;
    }
    return name == end && *layer == '\0';
}

/* The name that is refused, of the layer or of one that it shares it with; NULL: there is none.
 * The layer's own name is in l->in->name then. */
static indexed_name *find_refused(const looking *l, const refusal *row)
{
    weight_match *m = l->in;
    const char *own = match_name(m, l->layer, l->way, row->name);
    match_name(m, l->layer, l->way, "");
    for (size_t i = 0; i < m->names.count && own == NULL && row->is_shared; i++) {
        indexed_name *one = &m->names.item[i];
        size_t at;
        if (name_ends(one, row->name, &at) && are_alike(one->name, at, text_string(&m->name)))
            return one;
    }
    return own == NULL ? NULL : name_index_find(&m->names, own);
}

/* A name of what the attention is in that says that 1 is to be added to its gains; or NULL. */
static const indexed_name *find_one_more(const looking *l)
{
    weight_match *m = l->in;
    if (l->by->one_more == NULL)
        return NULL;
    match_name(m, l->layer, l->way, "");
    m->name.length -= m->name.length > 0;
    while (m->name.length > 0 && !name_is_separator(m->name.data[m->name.length - 1]))
        m->name.length--;
    text_add_string(&m->name, l->by->one_more);
    return name_index_find(&m->names, text_string(&m->name));
}

/* Names that are refused, and gains to which 1 is to be added. What is decided is not a leftover,
 * nor what such a layer does not use. */
static bool check_attention(const looking *l, text *way, err *e)
{
    weight_match *m = l->in;
    place at = {.file = m->file};
    for (const refusal *row = l->by->refused; row != NULL && row->name != NULL; row++) {
        key_path to = match_path(m, l->layer, l->object, row->key);
        indexed_name *found = find_refused(l, row);
        if (found == NULL)
            continue;
        bool is_computed =
            m->config != NULL && !m->is_alone && l->by->relative != NULL && found->is_taken;
        found->is_taken = true;
        if (is_computed)
            continue;
        /* Layers whose names end so don't use it. */
        size_t length = m->name.length - (m->name.length > 0), stem;
        const indexed_name layer = {text_string(&m->name), length, false, 0};
        bool is_excepted = row->except != NULL && name_ends(&layer, row->except, &stem);
        if (is_excepted || is_decided(l, &to))
            continue;
        err_at(e, &at, "%s %s", found->name,
               row->why != NULL ? row->why
                                : "takes part in this layer's attention, and is not computed here");
        if (strcmp(row->key, "bias") == 0)
            return err_remedy(e,
                              "--bias FILE gives %swhat is added to each score, --no-bias leaves "
                              "it out",
                              m->is_alone ? "" : "encode and decode ");
        key_path_write(way, &to);
        return err_remedy(e,
                          "--map %s=%s takes it for the gain of an RMS norm, --no-%c-gain leaves "
                          "it out",
                          text_string(way), found->name, row->key[0]);
    }
    key_path norm = match_path(m, l->layer, l->object, "qk_norm");
    const indexed_name *beside = find_one_more(l);
    bool is_added = m->config != NULL && m->config->of->gains_lack_one;
    if (beside == NULL || is_added ||
        !gains_are_wanted(l->options, key_path_find(&norm, l->contents), l->contents))
        return true;
    for (input which = INPUT_Q_GAIN; which <= INPUT_K_GAIN; which++) {
        key_path to = match_path(m, l->layer, l->object, input_key(which));
        const char *name = match_weight(m, l->layer, l->way, l->by, which);
        if (name == NULL || is_decided(l, &to))
            continue;
        key_path_write(way, &to);
        err_at(e, &at, "%s is to have 1 added, as %s next to its layer shows: so it is in Gemma 3",
               name, beside->name);
        return err_remedy(e, "--map %s=%s takes it as it is, --no-qk-norm leaves norms out",
                          text_string(way), name);
    }
    return true;
}

bool refused_check(weight_match *m, const bundle_options *w, const bundle *contents, err *e)
{
    text way = {0};
    bool done = true;
    for (size_t i = 0; i < m->count && done && m->attention != NULL; i++) {
        looking l = {m, w, contents, i, "", m->by->attention, m->attention};
        looking cross = {m, w, contents, i, "cross", m->by->cross, m->cross};
        done =
            check_attention(&l, &way, e) && (m->cross == NULL || check_attention(&cross, &way, e));
    }
    text_free(&way);
    return done && text_ok(&m->name, e);
}

/* ---- what nothing is read from ---- */

/* Last words of buffers, which are made anew from a model's settings: the angles that --rope makes,
 * numbers of positions and of batches. */
static const char *const WITHOUT_PART[] = {"inv_freq", "cos_cached",   "sin_cached",
                                           "freqs",    "position_ids", "num_batches_tracked"};

enum { WITHOUT_PART_COUNT = sizeof WITHOUT_PART / sizeof WITHOUT_PART[0] };

/* `within` is where the name goes on after the layer's. */
static bool has_no_part(const weight_match *m, const indexed_name *one, size_t within)
{
    char name[NAME_MOST];
    size_t last = one->length;
    for (size_t i = 0; i < WITHOUT_PART_COUNT; i++) {
        if (name_ends(one, WITHOUT_PART[i], &last))
            return true;
    }
    indexed_name rest = {one->name + within, one->length - within, false, 0};
    for (size_t n = 0; name_alternative(m->by->buffers, n, name); n++) {
        if (rest.length == strlen(name) && name_begins(&rest, name, rest.length))
            return true;
    }
    for (last = one->length; last > 0 && !name_is_separator(one->name[last - 1]);)
        last--;
    /* A layer alone may be all that a file is but for inputs, which have the names of keys. */
    key_path p;
    return (one->name[last] == '_' && weight_match_is_own(m)) ||
           (m->is_one && *m->before == '\0' && key_path_read(&p, one->name, one->length));
}

bool leftovers_check(weight_match *m, err *e)
{
    size_t layer, within, length = strlen(m->before);
    place at = {.file = m->file};
    for (size_t i = name_index_first(&m->names, m->before, length);
         i < m->names.count && name_begins(&m->names.item[i], m->before, length); i++) {
        const indexed_name *one = &m->names.item[i];
        if (one->is_taken || !match_layer_of(m, one, &layer, &within) ||
            has_no_part(m, one, within))
            continue;
        err_at(e, &at, "%s is of layer %zu, and nothing here computes it", one->name, layer + 1);
        return err_remedy(e,
                          "--map none=%s leaves it out, --map layers.%zu.KEY=%s takes it for a key",
                          one->name, layer, one->name);
    }
    return text_ok(&m->name, e);
}

void leftovers_describe(text *out)
{
    for (size_t i = 0; i < WITHOUT_PART_COUNT; i++)
        text_add_format(out, "%s%s", i == 0 ? "" : ", ", WITHOUT_PART[i]);
}
