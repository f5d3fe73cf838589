#include "weights/model_config.h"

#include "attn/plan/plan.h"
#include "attn/spec/angle.h"
#include "attn/spec/setting.h"
#include "base/mem.h"
#include "compare/ulps.h"
#include "model/parts.h"
#include "weights/conventions.h"
#include "weights/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* null, [] and {} say nothing. */
static bool says_nothing(const entry *one)
{
    return one->kind == ENTRY_TENSOR ? one->tensor.rank == 0 && one->tensor.type != DTYPE_BOOL &&
                                           tensor_is_hole(tensor_get(&one->tensor, NULL))
           : one->kind == ENTRY_LIST   ? one->list.count == 0
           : one->kind == ENTRY_BUNDLE ? one->bundle->count == 0
                                       : false;
}

static const entry *find_said(const bundle *in, const char *name)
{
    const entry *found = in == NULL ? NULL : bundle_find(in, name);
    return found == NULL || says_nothing(found) ? NULL : found;
}

static bool is_truth(const entry *one)
{
    return one->kind == ENTRY_TENSOR && one->tensor.rank == 0 && one->tensor.type == DTYPE_BOOL;
}

/* null is false. */
static bool is_true(const entry *one)
{
    return one != NULL && one->kind == ENTRY_TENSOR && one->tensor.rank == 0 &&
           !says_nothing(one) && tensor_get(&one->tensor, NULL) != 0;
}

/* As it stands there, for a message. */
static void add_value(text *out, const entry *one)
{
    double number;
    if (one->kind == ENTRY_TENSOR && says_nothing(one))
        text_add_string(out, "null");
    else if (is_truth(one))
        text_add_string(out, is_true(one) ? "true" : "false");
    else if (setting_is_number(one, &number))
        text_add_format(out, "%.17g", number);
    else if (one->kind == ENTRY_TEXT)
        text_add_format(out, "%s", one->text);
    else
        text_add_string(out, one->kind == ENTRY_BUNDLE ? "an object" : "a list");
}

static bool refuse_value(const entry *one, const char *wanted, err *e)
{
    text value = {0};
    add_value(&value, one);
    err_at(e, &one->at, "%s is %s, it must be %s", one->name, text_string(&value), wanted);
    text_free(&value);
    return false;
}

static bool read_number(const entry *one, double *number, err *e)
{
    return (setting_is_number(one, number) && !is_truth(one) && !says_nothing(one)) ||
           refuse_value(one, "a number", e);
}

/* The first of these that is said, of the object and then of config.json; or NULL. */
static const entry *first_said(const bundle *object, const char *name, const bundle *all,
                               const char *otherwise)
{
    const entry *found = find_said(object, name);
    return found != NULL ? found : find_said(all, otherwise);
}

/* ---- one key ---- */

static bool refuse_unknown(const model_config *c, const entry *one, err *e)
{
    err_at(e, &one->at,
           "'%s' is not known of models of %s, so it may change numbers in a way that is not "
           "computed here",
           one->name, c->of->named.name);
    return err_remedy(e, "where it changes none, a config.json without it says the rest");
}

static bool refuse_other(const config_key *row, const entry *one, const char *value, err *e)
{
    return err_at(e, &one->at, "%s is %s: %s, which is not computed here", one->name, value,
                  row->named.help);
}

static bool check_only(const config_key *row, const entry *one, err *e)
{
    text value = {0};
    add_value(&value, one);
    bool is_one = name_is_one_of(row->to, text_string(&value)) ||
                  refuse_other(row, one, text_string(&value), e);
    text_free(&value);
    return is_one;
}

enum { WORD_MOST = 32 };

/* What is said, where it is a word or a truth; nothing is false. */
static const char *word_of(const entry *one)
{
    return one != NULL && one->kind == ENTRY_TEXT ? one->text : is_true(one) ? "true" : "false";
}

static bool add_switch(model_config *c, const config_key *row, const entry *one, err *e)
{
    char to[WORD_MOST], value[WORD_MOST] = "", *end;
    const char *said = word_of(one), *at = row->to;
    double number;
    if (one->kind != ENTRY_TEXT && !setting_is_number(one, &number))
        return refuse_value(one, "true or false", e);
    sscanf(row->to, "%31s", to);
    while (*value == '\0' && (at = strchr(at, ' ')) != NULL) {
        size_t length = strlen(said);
        if (strncmp(++at, said, length) == 0 && at[length] == '=')
            sscanf(at + length + 1, "%31s", value);
    }
    if (*value == '\0')
        return row->named.help != NULL ? refuse_other(row, one, said, e)
                                       : refuse_value(one, "true or false", e);
    if (strcmp(value, "-") == 0)
        return true;
    number = strtod(value, &end);
    return *end == '\0' ? bundle_add_number(&c->settings, to, number, one->at, e)
                        : bundle_add_text(&c->settings, to, value, strlen(value), one->at, e);
}

static bool add_setting(model_config *c, const config_key *row, const entry *one, err *e)
{
    double number, said;
    const char *to = row->to;
    const entry *before = bundle_find(&c->settings, to);
    bool is_same = before != NULL && row->use == CONFIG_SETTING &&
                   setting_is_number(before, &said) && setting_is_number(one, &number) &&
                   number == said;
    if (is_same)
        return true;
    if (before != NULL)
        return err_at(e, &one->at, "%s says what %s is, and another key has said it already",
                      one->name, to);
    if (one->kind == ENTRY_TEXT && strcmp(to, "activation") == 0) {
        size_t length = strlen(one->text);
        if (named_find(&ACTIVATIONS, one->text, length) == NULL &&
            named_by_synonym(&ACTIVATIONS, one->text, length) == NULL)
            return err_at(e, &one->at, "%s is %s, an activation that is not computed here",
                          one->name, one->text);
        const named *known = named_by_synonym(&ACTIVATIONS, one->text, length);
        const char *word = known != NULL ? known->name : one->text;
        return bundle_add_text(&c->settings, to, word, strlen(word), one->at, e);
    }
    if (!read_number(one, &number, e))
        return false;
    if (row->use != CONFIG_SETTING && !(number > 0))
        return refuse_value(one, "above 0", e);
    return bundle_add_number(&c->settings, to,
                             row->use == CONFIG_ROOT      ? 1 / sqrt(number)
                             : row->use == CONFIG_INVERSE ? 1 / number
                                                          : number,
                             one->at, e);
}

static bool add_size(model_config *c, const config_key *row, const entry *one, err *e)
{
    const named *size = named_find(&CONFIG_SIZES, row->to, strlen(row->to));
    size_t which = (size_t)(size - CONFIG_SIZES.first);
    if (is_truth(one) || one->kind != ENTRY_TENSOR)
        return refuse_value(one, "a whole number from 1", e);
    c->size[which].by = one;
    return setting_count(one, 1, &c->size[which].is, e);
}

/* Whether a row's key is what its `where` says. */
static bool counts(const model_config *c, const config_key *row)
{
    char name[WORD_MOST];
    if (row->where == NULL)
        return true;
    size_t length = strcspn(row->where, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, row->where);
    return strcmp(word_of(find_said(&c->given, name)), row->where + length + 1) == 0;
}

static bool read_keys(model_config *c, const bundle *said, bool is_alone, err *e);

static bool read_key(model_config *c, const entry *one, bool is_alone, err *e)
{
    const config_key *row = config_key_find(c->of, one->name);
    /* Of a switch null is false, and no class has an eps that is null. */
    const bool is_asked = row != NULL && (row->use == CONFIG_SWITCH ||
                                          (row->to != NULL && strcmp(row->to, "norm_eps") == 0));
    if ((says_nothing(one) && !is_asked) || (row == NULL && config_key_is_idle(one->name)))
        return true;
    if (row == NULL)
        return refuse_unknown(c, one, e);
    if (!counts(c, row))
        return true;
    switch (row->use) {
    case CONFIG_READ:
        return true;
    case CONFIG_ROPE:
        return c->of->rope != NULL || refuse_unknown(c, one, e);
    case CONFIG_SIZE:
        return add_size(c, row, one, e);
    case CONFIG_WITHIN:
        return one->kind == ENTRY_BUNDLE ? read_keys(c, one->bundle, is_alone, e)
                                         : refuse_value(one, "an object", e);
    case CONFIG_ONLY:
        return (is_alone && row->is_of_layers) || check_only(row, one, e);
    case CONFIG_SWITCH:
        return (is_alone && row->is_of_layers) || add_switch(c, row, one, e);
    default:
        return add_setting(c, row, one, e);
    }
}

static bool read_keys(model_config *c, const bundle *said, bool is_alone, err *e)
{
    for (size_t i = 0; i < said->count; i++) {
        if (!read_key(c, &said->entry[i], is_alone, e))
            return false;
    }
    return true;
}

/* ---- rotary positions ---- */

static const double PI = 3.14159265358979323846;

/* What rope_parameters, or rope_scaling, says. */
typedef struct rope_said {
    double base, factor, low, high, original; /* of llama3; and of yarn: */
    double fast, slow, first, last;
    double of_turned; /* what cosines and sines are multiplied by */
    double of_scores; /* and the scale of scores, of families that do so */
    size_t width;     /* numbers that are turned */
} rope_said;

/* A way to make the frequency of a pair from that of its base. */
typedef struct rope_kind {
    named named;
    const char *keys; /* that the object may have for it */
    double (*frequency)(const rope_said *r, size_t pair, double of_base); /* NULL: the engine's */
} rope_kind;

static double as_it_is(const rope_said *r, size_t pair, double of_base)
{
    (void)r, (void)pair;
    return of_base;
}

static double interpolated(const rope_said *r, size_t pair, double of_base)
{
    (void)pair;
    return of_base / r->factor;
}

/* Pairs whose wave is long next to what the model had seen are slowed down, short ones are not, and
 * those between are mixed: modeling_rope_utils, _compute_llama3_parameters. */
static double of_llama3(const rope_said *r, size_t pair, double of_base)
{
    double turns = r->original / (2 * PI / of_base);
    double share = (turns - r->low) / (r->high - r->low);
    (void)pair;
    return turns < r->low    ? of_base / r->factor
           : turns > r->high ? of_base
                             : (1 - share) * of_base / r->factor + share * of_base;
}

/* Peng et al., YaRN, 2023, section 3.2: the same between two pairs. */
static double of_yarn(const rope_said *r, size_t pair, double of_base)
{
    double share = ((double)pair - r->first) / (r->last > r->first ? r->last - r->first : 0.001);
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return of_base / r->factor * share + of_base * (1 - share);
}

static const rope_kind ROPE_KINDS[] = {
    {{"default", NULL}, "", as_it_is},
    {{"linear", NULL}, "factor", interpolated},
    {{"dynamic", NULL}, "factor", NULL}, /* by the rows that there are */
    {{"llama3", NULL},
     "factor low_freq_factor high_freq_factor original_max_position_embeddings",
     of_llama3},
    {{"yarn", NULL},
     "factor original_max_position_embeddings beta_fast beta_slow attention_factor truncate mscale "
     "mscale_all_dim",
     of_yarn},
};
static const named_table ROPE_TABLE = NAMED_TABLE("rope_type", ROPE_KINDS);

/* A number of the object, which it must have unless there is another one. */
static bool read_part(const bundle *object, const char *name, const entry *otherwise,
                      const place *at, double *to, err *e)
{
    const entry *said = find_said(object, name);
    said = said != NULL ? said : otherwise;
    if (said == NULL)
        return err_at(e, at, "rotary positions of this kind have %s, and it is not there", name);
    return read_number(said, to, e) && (*to > 0 || refuse_value(said, "above 0", e));
}

/* Of a factor of lengths: modeling_rope_utils, get_mscale. */
static double mscale_of(double factor, double weight)
{
    return factor > 1 ? 0.1 * weight * angle_logarithm(factor) + 1 : 1;
}

/* The pair that turns so often in what the model had seen. */
static double pair_that_turns(const rope_said *r, double times)
{
    return (double)r->width * angle_logarithm(r->original / (times * 2 * PI)) /
           (2 * angle_logarithm(r->base));
}

/* Weights of both are 0 where they are not there: modeling_rope_utils, _compute_yarn_parameters;
 * and modeling_deepseek_v3, yarn_apply_mscale, for that of scores. */
static bool read_mscales(rope_said *r, const bundle *object, err *e)
{
    const entry *one = find_said(object, "mscale"), *all = find_said(object, "mscale_all_dim");
    double of_one = 0, of_all = 0;
    if ((one != NULL && !read_number(one, &of_one, e)) ||
        (all != NULL && !read_number(all, &of_all, e)))
        return false;
    r->of_turned = of_one != 0 && of_all != 0
                       ? mscale_of(r->factor, of_one) / mscale_of(r->factor, of_all)
                       : mscale_of(r->factor, 1);
    r->of_scores = of_all != 0 ? mscale_of(r->factor, of_all) * mscale_of(r->factor, of_all) : 1;
    return true;
}

static bool read_kind_parts(rope_said *r, const rope_kind *kind, const bundle *object,
                            const bundle *all, const place *at, err *e)
{
    const entry *most = find_said(all, "max_position_embeddings");
    const entry *truncates = find_said(object, "truncate"),
                *said = find_said(object, "attention_factor");
    if (kind->frequency == as_it_is)
        return true;
    if (!read_part(object, "factor", NULL, at, &r->factor, e) || kind->frequency == interpolated)
        return !e->is_set;
    if (kind->frequency == NULL)
        return read_part(all, "max_position_embeddings", NULL, at, &r->original, e);
    if (!read_part(object, "original_max_position_embeddings",
                   kind->frequency == of_yarn ? most : NULL, at, &r->original, e))
        return false;
    if (kind->frequency == of_llama3)
        return read_part(object, "low_freq_factor", NULL, at, &r->low, e) &&
               read_part(object, "high_freq_factor", NULL, at, &r->high, e);
    r->fast = 32;
    r->slow = 1;
    if (!read_mscales(r, object, e))
        return false;
    if ((find_said(object, "beta_fast") != NULL &&
         !read_part(object, "beta_fast", NULL, at, &r->fast, e)) ||
        (find_said(object, "beta_slow") != NULL &&
         !read_part(object, "beta_slow", NULL, at, &r->slow, e)) ||
        (said != NULL && !read_part(object, "attention_factor", NULL, at, &r->of_turned, e)))
        return false;
    r->first = pair_that_turns(r, r->fast);
    r->last = pair_that_turns(r, r->slow);
    if (truncates == NULL || is_true(truncates)) {
        r->first = floor(r->first);
        r->last = ceil(r->last);
    }
    r->first = r->first < 0 ? 0 : r->first;
    r->last = r->last > (double)r->width - 1 ? (double)r->width - 1 : r->last;
    return true;
}

/* Of what `object` has, all is known of its kind. */
static const rope_kind *find_kind(const bundle *object, const place *at, err *e)
{
    static const char ALWAYS[] = "rope_type type rope_theta partial_rotary_factor";
    const entry *said = first_said(object, "rope_type", object, "type");
    const char *word = said == NULL ? "default" : said->kind == ENTRY_TEXT ? said->text : "";
    const named *kind = named_find(&ROPE_TABLE, word, strlen(word));
    if (kind == NULL) {
        err_at(e, said == NULL ? at : &said->at,
               "rotary positions of type \"%s\" are not computed here", word);
        return NULL;
    }
    const rope_kind *row = (const rope_kind *)(const void *)kind;
    for (size_t i = 0; object != NULL && i < object->count; i++) {
        const entry *one = &object->entry[i];
        if (name_is_one_of(ALWAYS, one->name) || name_is_one_of(row->keys, one->name) ||
            says_nothing(one))
            continue;
        err_at(e, &one->at, "'%s' is not known of rotary positions of type %s", one->name, word);
        return NULL;
    }
    return row;
}

/* What layers of this type have in place of rope_theta. */
static const entry *find_own_base(const bundle *all, const char *type)
{
    bool slides = type != NULL && strcmp(type, "sliding_attention") == 0;
    return type == NULL ? NULL
           : slides     ? first_said(all, "rope_local_base_freq", all, "local_rope_theta")
                        : find_said(all, "global_rope_theta");
}

/* Rotary positions of layers of this type, or (NULL) of all. rope_scaling goes over what
 * transformers 5 writes, as configuration_utils has it, and older versions read nothing else. */
static bool add_rope(model_config *c, const char *type, bundle *to, err *e)
{
    const bundle *all = &c->given;
    const entry *given = first_said(all, "rope_scaling", all, "rope_parameters"), *found,
                *own = NULL;
    const bundle *object = given != NULL && given->kind == ENTRY_BUNDLE ? given->bundle : NULL;
    place at = given != NULL ? given->at : (place){.file = c->file};
    if (type != NULL && (found = find_said(object, type)) != NULL && found->kind == ENTRY_BUNDLE)
        object = found->bundle;
    else if ((own = find_own_base(all, type)) != NULL)
        object = NULL; /* what is said of all changes those of rope_theta alone */
    const size_t turned = c->size[SIZE_TURNED].is;
    rope_said r = {.width = turned > 0 ? turned : c->head_width, .of_turned = 1, .of_scores = 1};
    double share = 1;
    if (given == NULL && c->of->asks_how_it_turns)
        return err_at(e, &at,
                      "rope_parameters, or rope_scaling, is to say how models of %s turn: where "
                      "neither does, versions of transformers differ",
                      c->of->named.name);
    const rope_kind *kind = find_kind(object, &at, e);
    if (kind == NULL)
        return false;
    const entry *base = first_said(object, "rope_theta", all, "rope_theta");
    base = own != NULL ? own : base != NULL ? base : find_said(all, "rotary_emb_base");
    if (base == NULL)
        return err_at(e, &at, "there is no rope_theta, the base of rotary positions");
    if (!read_number(base, &r.base, e) || (r.base < 1 && !refuse_value(base, "at least 1", e)))
        return false;
    if ((found = first_said(object, "partial_rotary_factor", all, "partial_rotary_factor")) !=
            NULL ||
        (found = find_said(all, "rotary_pct")) != NULL) {
        if (!read_number(found, &share, e) ||
            (!(share > 0 && share <= 1) && !refuse_value(found, "above 0 and at most 1", e)))
            return false;
        if (!c->of->turns_part && share != 1 && turned == 0)
            return refuse_value(found, "1: models of this type turn all numbers of a head", e);
        if (turned > 0 && share != 1)
            return refuse_value(found, "1: another key says how many numbers are turned", e);
        r.width = (size_t)((double)r.width * share);
    }
    if ((found = find_said(all, "rotary_dim")) != NULL) {
        if (!setting_count(found, 2, &r.width, e))
            return false;
    }
    if (r.width < 2)
        return err_at(e, &at, "it does not say how wide a head is, which its rotary positions ask");
    c->rope = kind->named.name;
    c->rope_width = r.width;
    if (!read_kind_parts(&r, kind, object, all, &at, e))
        return false;
    if (r.width < c->head_width && !bundle_add_number(to, "rope_width", (double)r.width, at, e))
        return false;
    if (kind->frequency == as_it_is)
        return bundle_add_number(to, "rope", r.base, base->at, e);
    /* A list of frequencies, a number a pair. */
    size_t pairs = r.width / 2;
    tensor list;
    entry *rope = bundle_add(to, "rope", strlen("rope"), at, e);
    if (rope == NULL)
        return false;
    rope->kind = ENTRY_BUNDLE;
    rope->bundle = mem_alloc_zeroed(1, sizeof *rope->bundle, e);
    if (rope->bundle == NULL)
        return false;
    if (kind->frequency == NULL)
        return bundle_add_number(rope->bundle, "base", r.base, base->at, e) &&
               bundle_add_number(rope->bundle, "factor", r.factor, at, e) &&
               bundle_add_number(rope->bundle, "length", r.original, at, e);
    if (!tensor_new(&list, DTYPE_F64, 1, &pairs, e))
        return false;
    for (size_t pair = 0; pair < pairs; pair++)
        ((double *)list.data)[pair] =
            kind->frequency(&r, pair, angle_frequency(r.base, pair, r.width));
    if (!bundle_add_tensor(rope->bundle, "frequencies", &list, at, e))
        return false;
    if (r.of_turned != 1 &&
        !bundle_add_number(rope->bundle, "attention_factor", r.of_turned, at, e))
        return false;
    return !c->of->scales_by_mscale || r.of_scores == 1 ||
           bundle_add_number(to, "scale", r.of_scores / sqrt((double)c->head_width), at, e);
}

static bool turns(const model_config *c)
{
    return c->of->rope != NULL && c->alibi_times == 0;
}

/* ---- ALiBi of Falcon ---- */

/* modeling_falcon adds slope·position / √d_k to scores, as it was published; that of transformers 5
 * has it in its mask as well. Both round slope, position and their product to bfloat16, which
 * changes no number where a slope is a power of two, up to position 256. */
static bool add_table(model_config *c, size_t heads, const entry *said, err *e)
{
    const entry *most = find_said(&c->given, "max_position_embeddings");
    double each = c->alibi_times / sqrt((double)c->head_width);
    size_t size[] = {heads, 0}, at[2] = {0};
    tensor table;
    if (!setting_count(most, 1, &size[1], e) || !tensor_new(&table, DTYPE_F64, 2, size, e))
        return false;
    do {
        double slope = number_round(NUMBER_BF16, plan_slope(plan_slope_rule(at[0], heads))),
               place_of = number_round(NUMBER_BF16, (double)at[1]);
        tensor_set(&table, at, number_round(NUMBER_BF16, slope * place_of) * each);
    } while (tensor_next(&table, at));
    return bundle_add_tensor(&c->settings, "key_bias", &table, said->at, e);
}

static bool add_rounded_alibi(model_config *c, err *e)
{
    const entry *said = find_said(&c->given, "alibi"),
                *version = find_said(&c->given, "transformers_version");
    const tensor *given = bundle_tensor(&c->settings, "heads");
    size_t heads = given == NULL ? 0 : (size_t)tensor_get(given, NULL);
    tensor list;
    if (!c->of->rounds_alibi || !is_true(said))
        return true;
    bool is_twice = version != NULL && version->kind == ENTRY_TEXT && atoi(version->text) >= 5;
    c->alibi_times = is_twice ? 2 : 1;
    if (heads == 0)
        return err_at(e, &said->at,
                      "alibi is true, and its slopes need num_attention_heads, which is missing");
    if (8 % heads != 0)
        return add_table(c, heads, said, e);
    if (!tensor_new(&list, DTYPE_F64, 1, &heads, e))
        return false;
    for (size_t i = 0; i < heads; i++)
        ((double *)list.data)[i] =
            c->alibi_times * ldexp(1, -(int)(8 / heads * (i + 1))) / sqrt((double)c->head_width);
    return bundle_add_tensor(&c->settings, "alibi", &list, said->at, e);
}

/* ---- layers that differ ---- */

/* The first layers may have no experts: what says how they are chosen is of the others then. */
static bool read_plain(model_config *c, err *e)
{
    static const char *const OF_EXPERTS[] = {"top_experts", "routing_scale", "groups",
                                             "top_groups",  "top_of_group",  "renormalize",
                                             "routing"};
    const entry *plain = find_said(&c->given, "first_k_dense_replace");
    const size_t layers = c->size[SIZE_LAYERS].is;
    if (plain != NULL && !setting_count(plain, 0, &c->plain, e))
        return false;
    if (c->plain == 0 || layers == 0)
        return true;
    c->layer = c->layer != NULL ? c->layer : mem_alloc_zeroed(layers, sizeof c->layer[0], e);
    if (c->layer == NULL)
        return false;
    c->layers = layers;
    for (size_t k = 0; k < sizeof OF_EXPERTS / sizeof OF_EXPERTS[0]; k++) {
        const char *name = OF_EXPERTS[k];
        const entry *said = bundle_find(&c->settings, name);
        for (size_t i = c->plain; i < layers && said != NULL; i++) {
            bool is_text = said->kind == ENTRY_TEXT;
            if (!(is_text ? bundle_add_text(&c->layer[i], name, said->text, strlen(said->text),
                                            said->at, e)
                          : bundle_add_number(&c->layer[i], name, tensor_get(&said->tensor, NULL),
                                              said->at, e)))
                return false;
        }
        bundle_remove(&c->settings, name);
    }
    return true;
}

static bool add_window(const model_config *c, bundle *to, double window, place at, err *e)
{
    bool is_both = c->of->sees_both_sides; /* then it is of both sides together */
    size_t two = 2;
    tensor sides;
    if (!tensor_new(&sides, DTYPE_F64, 1, &two, e))
        return false;
    ((double *)sides.data)[0] = is_both ? floor(window / 2) : window - 1;
    ((double *)sides.data)[1] = is_both ? floor(window / 2) : -1;
    return bundle_add_tensor(to, "window", &sides, at, e);
}

/* A family whose layers all have the window, or none. */
static bool check_types(const model_config *c, const entry *types, bool has_window, err *e)
{
    const char *each = has_window ? "sliding_attention" : "full_attention";
    for (size_t i = 0; i < types->list.count; i++) {
        if (strcmp(types->list.item[i], each) != 0)
            return err_at(e, &types->at,
                          "layer_types has %s, and all layers of models of %s are %s",
                          types->list.item[i], c->of->named.name, each);
    }
    return true;
}

/* Which layers have a window, and what else their types say. */
static bool read_layers(model_config *c, err *e)
{
    const bundle *all = &c->given;
    const entry *types = find_said(all, "layer_types"),
                *window = first_said(all, "sliding_window", all, "local_attention"),
                *uses = bundle_find(all, "use_sliding_window"),
                *first = find_said(all, "max_window_layers"),
                *each = first_said(all, "sliding_window_pattern", all, "_sliding_window_pattern");
    const entry *rope = find_said(all, "rope_parameters");
    bool has_list = types != NULL && types->kind == ENTRY_LIST;
    double wide = 0, from = 0, full_every = (double)c->of->full_every;
    bool is_used = uses == NULL || is_true(uses);
    bool has_window = window != NULL && is_used;
    if (has_window && !c->of->has_windows)
        return refuse_unknown(c, window, e);
    if (window != NULL && !is_used && c->of->has_windows && !c->of->switches_windows)
        return refuse_value(uses, "true: models of this type have their window all the same", e);
    if (types != NULL && !has_list)
        return refuse_value(types, "a list of types", e);
    if (has_window && (!read_number(window, &wide, e) ||
                       (wide < 1 && !refuse_value(window, "a whole number from 1", e))))
        return false;
    each = each != NULL ? each : find_said(all, "global_attn_every_n_layers");
    if ((first != NULL && !read_number(first, &from, e)) ||
        (each != NULL && (!read_number(each, &full_every, e) ||
                          (full_every < 1 && !refuse_value(each, "a whole number from 1", e)))))
        return false;
    for (size_t i = 0; has_list && i < types->list.count; i++) {
        const char *type = types->list.item[i];
        if (!name_is_one_of("full_attention sliding_attention", type))
            return err_at(e, &types->at, "layer_types has %s, which is not computed here", type);
    }
    if (!c->of->has_types) {
        if (has_list && !check_types(c, types, has_window, e))
            return false;
        has_list = false;
        from = 0;
    }
    bool is_by_layer = has_list || (has_window && (full_every > 0 || from > 0));
    if (turns(c) && !is_by_layer && !add_rope(c, NULL, &c->settings, e))
        return false;
    if (!is_by_layer)
        return !has_window || add_window(c, &c->settings, wide, window->at, e);
    c->layers = has_list ? types->list.count : c->size[SIZE_LAYERS].is;
    if (c->layers != c->size[SIZE_LAYERS].is)
        return err_at(e, &types->at, "layer_types has %zu layers, and %s is %zu", c->layers,
                      c->size[SIZE_LAYERS].by == NULL ? "their number"
                                                      : c->size[SIZE_LAYERS].by->name,
                      c->size[SIZE_LAYERS].is);
    c->layer = mem_alloc_zeroed(c->layers, sizeof c->layer[0], e);
    if (c->layer == NULL)
        return false;
    /* Where types have rotary positions of their own, each layer has those of its type. */
    const entry *scaling = find_said(all, "rope_scaling");
    bool has_own_rope = find_own_base(all, "sliding_attention") != NULL ||
                        (has_list && rope != NULL && rope->kind == ENTRY_BUNDLE &&
                         (find_said(rope->bundle, "full_attention") != NULL ||
                          find_said(rope->bundle, "sliding_attention") != NULL));
    if (has_own_rope && scaling != NULL && rope != NULL)
        return err_at(
            e, &scaling->at,
            "rope_scaling is given next to rope_parameters, which are by types of layers");
    if (turns(c) && !has_own_rope && !add_rope(c, NULL, &c->settings, e))
        return false;
    for (size_t i = 0; i < c->layers; i++) {
        double place_of = (double)(c->of->begins_full ? i : i + 1);
        bool slides = has_list         ? strcmp(types->list.item[i], "sliding_attention") == 0
                      : full_every > 0 ? fmod(place_of, full_every) != 0
                                       : (double)i >= from;
        const char *type = slides ? "sliding_attention" : "full_attention";
        if (slides && !has_window)
            return err_at(e, &types->at,
                          "layer %zu is of sliding_attention, and there is no "
                          "sliding_window",
                          i);
        if ((slides && !add_window(c, &c->layer[i], wide, window->at, e)) ||
            (has_own_rope && !add_rope(c, type, &c->layer[i], e)))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

bool model_config_is(const bundle *read)
{
    return bundle_text(read, "model_type") != NULL;
}

static bool find_family(model_config *c, err *e)
{
    const entry *type = bundle_find(&c->given, "model_type");
    place at = {.file = c->file};
    if (type == NULL || type->kind != ENTRY_TEXT)
        return err_at(e, &at, "it has no model_type, which says what model it is of");
    c->of = (const model_family *)(const void *)named_find(&MODEL_FAMILIES, type->text,
                                                           strlen(type->text));
    if (c->of != NULL)
        return true;
    err_at(e, &type->at, "models of type %s are not known here", type->text);
    return err_remedy(e, "selfattn help models lists those that are");
}

/* What the class says where config.json says nothing. */
static bool add_defaults(model_config *c, err *e)
{
    place at = {.file = c->file};
    for (size_t i = 0; i < FAMILY_DEFAULTS && c->of->by_default[i].key != NULL; i++) {
        const config_default *one = &c->of->by_default[i];
        bool done = bundle_find(&c->given, one->key) != NULL ? true
                    : one->word != NULL
                        ? bundle_add_text(&c->given, one->key, one->word, strlen(one->word), at, e)
                        : bundle_add_number(&c->given, one->key, one->number, at, e);
        if (!done)
            return false;
    }
    return true;
}

bool model_config_read(model_config *c, bundle *read, const char *file, bool is_alone, err *e)
{
    *c = (model_config){.file = file, .given = *read};
    *read = (bundle){0};
    place at = {.file = file};
    if (!find_family(c, e) || !add_defaults(c, e) || !read_keys(c, &c->given, is_alone, e))
        return false;
    for (size_t i = 0; i < FAMILY_SETTINGS && c->of->setting[i].key != NULL; i++) {
        const char *name = c->of->setting[i].key, *word = c->of->setting[i].word;
        if (bundle_find(&c->settings, name) == NULL &&
            !bundle_add_text(&c->settings, name, word, strlen(word), at, e))
            return false;
    }
    const tensor *heads = bundle_tensor(&c->settings, "heads"),
                 *eps = bundle_tensor(&c->settings, "norm_eps");
    double count = heads == NULL ? 0 : tensor_get(heads, NULL);
    bool is_some = count >= 1 && count <= (double)c->size[SIZE_WIDTH].is;
    c->head_width = c->size[SIZE_TURNED].is > 0
                        ? c->size[SIZE_UNTURNED].is + c->size[SIZE_TURNED].is
                    : c->size[SIZE_HEAD].is > 0 ? c->size[SIZE_HEAD].is
                    : is_some                   ? c->size[SIZE_WIDTH].is / (size_t)count
                                                : 0;
    c->is_tied = is_true(find_said(&c->given, "tie_word_embeddings"));
    if (!add_rounded_alibi(c, e))
        return false;
    bool is_by_width = c->of->scales_rows || c->of->scales_logits ||
                       is_true(find_said(&c->given, "scale_embedding"));
    if (is_by_width && c->size[SIZE_WIDTH].is == 0)
        return err_at(e, &at, "it does not say how wide rows are, whose root scales them");
    if (c->of->norms_heads && eps != NULL &&
        !bundle_add_number(&c->settings, "qk_eps", tensor_get(eps, NULL), at, e))
        return false;
    if (c->of->scales_rows &&
        !bundle_add_number(&c->settings, "embedding_scale",
                           (double)(float)sqrt((double)c->size[SIZE_WIDTH].is), at, e))
        return false;
    const entry *scales = find_said(&c->given, "scale_decoder_outputs");
    if (c->of->scales_logits && (scales != NULL ? is_true(scales) : c->is_tied) &&
        !bundle_add_number(&c->settings, "logits_scale", 1 / sqrt((double)c->size[SIZE_WIDTH].is),
                           at, e))
        return false;
    if (is_true(find_said(&c->given, "scale_embedding")) &&
        !bundle_add_number(&c->settings, "embedding_scale", sqrt((double)c->size[SIZE_WIDTH].is),
                           at, e))
        return false;
    if (turns(c) && strcmp(c->of->rope, "half") != 0 &&
        !bundle_add_text(&c->settings, "rope_pairing", c->of->rope, strlen(c->of->rope), at, e))
        return false;
    return read_layers(c, e) && read_plain(c, e);
}

void model_config_free(model_config *c)
{
    for (size_t i = 0; c->layer != NULL && i < c->layers; i++)
        bundle_free(&c->layer[i]);
    mem_free(c->layer);
    bundle_free(&c->settings);
    bundle_free(&c->given);
    *c = (model_config){0};
}

/* ---- what it says ---- */

size_t model_config_size(const model_config *c, config_size which)
{
    for (size_t i = 0; i < c->given.count; i++) {
        const entry *one = &c->given.entry[i];
        const config_key *row = config_key_find(c->of, one->name);
        err other = {0};
        size_t is;
        if (row != NULL && row->use == CONFIG_SIZE && one->kind == ENTRY_TENSOR &&
            named_find(&CONFIG_SIZES, row->to, strlen(row->to)) == &CONFIG_SIZES.first[which] &&
            setting_count(one, 1, &is, &other))
            return is;
    }
    return 0;
}

void model_config_describe(text *out, const model_config *c, const bundle *document, bool of_order)
{
    const char *join = ": ", *order = of_order ? bundle_text(document, "norm") : NULL;
    text_add_string(out, c->of->named.name);
    if (order != NULL) {
        text_add_format(out, "%s%s", join, order);
        join = ", ";
    }
    for (size_t i = 0; i < c->settings.count; i++) {
        const entry *one = &c->settings.entry[i];
        const tensor *t = one->kind == ENTRY_TENSOR ? &one->tensor : NULL;
        const entry *taken = bundle_find(document, one->name);
        if (taken == NULL || taken->at.file != c->file) /* something goes over it */
            continue;
        if (of_order && strcmp(one->name, "norm") == 0)
            continue;
        if (strcmp(one->name, "rope_width") == 0) {
            text_add_format(out, "%spartial rotary %zu of %zu", join, c->rope_width, c->head_width);
            join = ", ";
            continue;
        }
        text_add_format(out, "%s%s", join, one->name);
        if (one->kind == ENTRY_BUNDLE)
            text_add_format(out, " %s", c->rope);
        else if (t == NULL)
            text_add_format(out, " %s", one->text);
        if (t != NULL && t->rank == 2)
            text_add_format(out, " %zu x %zu", t->size[0], t->size[1]);
        for (size_t k = 0; t != NULL && t->rank < 2 && k < tensor_count(t); k++)
            text_add_format(out, "%s%.9g", k == 0 ? " " : ",",
                            tensor_get(t, t->rank == 0 ? NULL : &k));
        join = ", ";
    }
    size_t windows = 0, turned = 0;
    for (size_t i = 0; c->layer != NULL && i < c->layers; i++) {
        windows += bundle_find(&c->layer[i], "window") != NULL;
        turned += bundle_find(&c->layer[i], "rope") != NULL;
    }
    if (windows > 0)
        text_add_format(out, "%swindow in %zu of %zu layers", join, windows, c->layers);
    if (turned > 0)
        text_add_format(out, ", rope by layer");
    if (c->alibi_times > 0)
        text_add_string(out, c->alibi_times == 1
                                 ? " (slopes over √d_k, once, as published)"
                                 : " (slopes over √d_k, twice: transformers 5 adds them to its "
                                   "mask and to its scores)");
    const named *row = c->of->names == NULL
                           ? NULL
                           : named_find(&LAYER_CONVENTIONS, c->of->names, strlen(c->of->names));
    if (row != NULL && ((const layer_convention *)(const void *)row)->is_one_for_all)
        text_add_format(out, ", one layer for all");
    if (c->of->gains_lack_one)
        text_add_string(out, ", 1 added to gains");
    if (c->of->x_of != NULL)
        text_add_format(out, ", x is given: %s", c->of->x_of);
    if (c->of->head != NULL)
        text_add_format(out, ", no logits: %s is not computed", c->of->head);
}
