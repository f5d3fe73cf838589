#include "cli/init/init_plan.h"

#include "attn/spec/setting.h"
#include "base/mem.h"
#include "cli/in/cli_inputs.h"
#include "cli/out/note.h"
#include "io/number_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the matrices that there are ---- */

static const part ROWS[] = {
    {{"x", "input rows"}, ROLE_ROWS, EXTENT_TOKENS, EXTENT_WIDTH, true},
    {{"wq", "weights of the queries"}, ROLE_WEIGHT, EXTENT_WIDTH, EXTENT_HEADS, true},
    {{"wk", "weights of the keys"}, ROLE_WEIGHT, EXTENT_WIDTH, EXTENT_SHARED, true},
    {{"wv", "weights of the values"}, ROLE_WEIGHT, EXTENT_WIDTH, EXTENT_SHARED, true},
    {{"wo", "weights that join the heads"}, ROLE_JOIN, EXTENT_HEADS, EXTENT_WIDTH, true},
    {{"bq", "bias of the queries"}, ROLE_BIAS, EXTENT_WIDTH, EXTENT_HEADS, true},
    {{"bk", "bias of the keys"}, ROLE_BIAS, EXTENT_WIDTH, EXTENT_SHARED, true},
    {{"bv", "bias of the values"}, ROLE_BIAS, EXTENT_WIDTH, EXTENT_SHARED, true},
    {{"bo", "bias of the output"}, ROLE_JOIN_BIAS, EXTENT_HEADS, EXTENT_WIDTH, true},
    {{"q", "queries"}, ROLE_ROWS, EXTENT_TOKENS, EXTENT_HEADS, false},
    {{"k", "keys"}, ROLE_ROWS, EXTENT_TOKENS, EXTENT_SHARED, false},
    {{"v", "values"}, ROLE_ROWS, EXTENT_TOKENS, EXTENT_SHARED, false},
};

const named_table PARTS = NAMED_TABLE("part", ROWS);

static bool part_is_bias(const part *p)
{
    return p->role == ROLE_BIAS || p->role == ROLE_JOIN_BIAS;
}

static const part *part_find(const char *name, size_t length)
{
    return (const part *)(const void *)named_find(&PARTS, name, length);
}

/* ---- the keys of the document that options give ---- */

/* What init's options give, in the order of the document. */
typedef struct setting {
    const char *name;
    bool decides;      /* what run computes, by more than the elements' type */
    const char *usual; /* of a word: what run takes where none is said; or NULL */
} setting;
static const setting SETTINGS[] = {{"tokens", false, NULL},
                                   {"heads", true, NULL},
                                   {"kv_heads", true, NULL},
                                   {"layout", true, "in-out"},
                                   {"dtype", false, NULL}};
enum { SETTING_COUNT = sizeof SETTINGS / sizeof SETTINGS[0] };

/* ---- keeping ---- */

bool init_settings_keep(const bundle *settings, const format *to, const options *o,
                        const env *world, bundle *kept, err *e)
{
    bool holds_matrices = (to->holds & HOLDS_MATRICES) != 0;
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const setting *s = &SETTINGS[i];
        const entry *one = bundle_find(settings, s->name);
        /* The elements' type is in a binary file by itself. */
        if (one == NULL || (to->holds & HOLDS_TYPES && strcmp(one->name, "dtype") == 0))
            continue;
        /* A format of one matrix has a place for nothing else. */
        if (holds_matrices && format_lacks(to, settings, one) == NULL) {
            if (bundle_borrow(kept, one->name, one, e) == NULL)
                return false;
            continue;
        }
        if (holds_matrices && s->decides &&
            (s->usual == NULL || strcmp(one->text, s->usual) != 0)) {
            err_at(e, &one->at, "%s has no place for it, without which run computes something else",
                   to->title);
            return err_remedy(e, "JSON has one; convert --force takes the matrices from there");
        }
        note_say(world, o, NULL, "%s is left out: %s has no place for it", one->name, to->title);
    }
    return true;
}

/* ---- which matrices, in which order, and the law of each ---- */

const char *const KNOB_OPTIONS[KNOBS] = {"low", "high", "mean", "std", "gain", "value"};

/* Where somebody says how far gaussian numbers spread, that is what is meant. */
const char *init_dist(const options *o)
{
    bool is_gaussian = o->knobs.is_set[KNOB_MEAN] || o->knobs.is_set[KNOB_STD];
    return o->dist != NULL         ? o->dist
           : o->exercise.count > 0 ? "halves"
           : is_gaussian           ? "gaussian"
                                   : "scaled";
}

static const distribution *dist_named(const char *name, size_t length)
{
    return (const distribution *)(const void *)named_find(&DISTRIBUTIONS, name, length);
}

static const distribution *common_dist(const options *o)
{
    const char *name = init_dist(o);
    return dist_named(name, strlen(name));
}

/* By --dist-of NAME=DIST, of which the last one that names the part counts; else as the common one
 * says. */
static const distribution *dist_of(const part *of, const options *o)
{
    const char *name = common_dist(o)->instead[of->role];
    size_t length = strlen(of->named.name);
    for (size_t i = 0; i < o->dist_of.count; i++) {
        const char *pair = o->dist_of.item[i];
        if (strncmp(pair, of->named.name, length) == 0 && pair[length] == '=')
            name = pair + length + 1;
    }
    return name == NULL ? common_dist(o) : dist_named(name, strlen(name));
}

static bool is_made(const init_plan *p, const part *of)
{
    size_t i = 0;
    while (i < p->count && p->made[i].part != of)
        i++;
    return i < p->count;
}

/* What is drawn unless --draw says otherwise; each once. */
static void add_usual(init_plan *p, const part *of, const options *o)
{
    bool is_missed = of->role == ROLE_JOIN && o->exercise.count > 0; /* Wo is one product more */
    if (of->is_usual && !is_missed && (!part_is_bias(of) || o->biases) && !is_made(p, of))
        p->made[p->count++].part = of;
}

static bool choose_parts(init_plan *p, const options *o, err *e)
{
    for (size_t i = 0; i < o->draw.count; i++) {
        const part *of = part_find(o->draw.item[i], strlen(o->draw.item[i]));
        if (is_made(p, of))
            return err_option(e, "draw", "%s is drawn twice", of->named.name);
        p->made[p->count++].part = of;
    }
    if (o->draw.count == 0) {
        for (const char *name = common_dist(o)->first; name != NULL; name = strchr(name, ',')) {
            name += *name == ',';
            add_usual(p, part_find(name, strcspn(name, ",")), o);
        }
    }
    for (size_t i = 0; i < PARTS.count && o->draw.count == 0; i++)
        add_usual(p, (const part *)(const void *)named_row(&PARTS, i), o);
    for (size_t i = 0; i < o->dist_of.count; i++) {
        const char *pair = o->dist_of.item[i], *name = strchr(pair, '=') + 1;
        const part *of = part_find(pair, (size_t)(name - 1 - pair));
        if (dist_named(name, strlen(name)) == NULL) {
            err_option(e, "dist-of", "there is no distribution '%.200s'", name);
            return err_remedy(e, "selfattn help distributions lists them");
        }
        if (!is_made(p, of))
            return err_option(e, "dist-of", "%s is not drawn", of->named.name);
    }
    return true;
}

static bool is_known_in_f64(const generator *g, law_kind kind)
{
    bool is_uniform = kind == LAW_UNIFORM || law_has_steps(kind);
    return !(is_uniform && !g->has_f64) && !(kind == LAW_NORMAL && g->normal_is_f32);
}

static bool describe_makings(init_plan *p, const options *o, err *e)
{
    const place low = place_of_option("low"), rng = place_of_option("rng");
    bool is_f32 = p->type == DTYPE_F32;
    knobs told = o->knobs;
    told.by_fan_out = o->fan != NULL && strcmp(o->fan, "out") == 0;
    for (size_t i = 0; i < p->count; i++) {
        making *m = &p->made[i];
        size_t in = p->extent[m->part->in], out = p->extent[m->part->out];
        m->dist = dist_of(m->part, o);
        m->draw = (draw){.matrix = (uint32_t)(m->part - ROWS), .type = p->type};
        m->draw.law = distribution_law(m->dist, &(fan){in, out}, &told);
        /* A matrix of weights is in × out, or with out-in as nn.Linear has it; a bias is one row of
         * out. */
        bool is_turned = p->is_out_in && m->part->role != ROLE_ROWS;
        m->rank = part_is_bias(m->part) ? 1 : 2;
        m->size[0] = is_turned || m->rank == 1 ? out : in;
        m->size[1] = is_turned ? in : out;
        if (!sizes_count(m->rank, m->size, &m->draw.total) ||
            !size_add_product(&p->bytes, m->draw.total, dtype_size(p->type)))
            return err_set(e, "%s of %zu x %zu is larger than can be counted", m->part->named.name,
                           m->size[0], m->size[1]);
        const law *l = &m->draw.law;
        bool is_ordered = l->kind == LAW_UNIFORM ? l->a < l->b : l->a <= l->b;
        if ((l->kind == LAW_UNIFORM || law_has_steps(l->kind)) && !is_ordered)
            return err_at(e, &low, "%g is not below the %g where %s ends", l->a, l->b,
                          m->dist->named.name);
        bool is_known = is_known_in_f64(p->generator, l->kind);
        if (!is_f32 && !is_known) {
            err_at(e, &rng, "%s's %s numbers are known to the last bit in float32 only",
                   p->generator->named.name, l->kind == LAW_NORMAL ? "normal" : "uniform");
            return err_remedy(e, "leave --dtype out here, and give it to run");
        }
        /* An infinity among the numbers is what run refuses. */
        double reach = law_reach(l);
        if (isfinite(is_f32 ? (float)reach : reach))
            continue;
        err_set(e, "%s may reach %g as %s, beyond the range of %s", m->part->named.name, reach,
                m->dist->named.name, is_f32 ? "float32" : "float64");
        return is_f32 && is_known && err_remedy(e, "--dtype f64 has more range");
    }
    return true;
}

enum { USUAL_TOKENS = 6, USUAL_WIDTH = 8, MOST_EXTENT = 1 << 30 };
enum { EXERCISE_TOKENS = 3, EXERCISE_WIDTH = 4 }; /* as many products as fit a page by hand */
static const char USUAL_GENERATOR[] = "own";

/* ---- sizes ---- */

/* A count among the settings, or `otherwise`. */
static bool read_count(const init_plan *p, const char *name, size_t otherwise, size_t *count,
                       err *e)
{
    const entry *found = bundle_find(&p->settings, name);
    *count = otherwise;
    if (found == NULL)
        return true;
    double value = found->kind == ENTRY_TENSOR ? tensor_get(&found->tensor, NULL) : 0;
    if (!(value >= 1 && value <= MOST_EXTENT && value == floor(value)))
        return err_at(e, &found->at, "is not a whole number from 1 to %d", MOST_EXTENT);
    *count = (size_t)value;
    return true;
}

/* --tokens: names of rows, or their number alone. What is another number alone is a slip, and no
 * name. */
static bool count_tokens(init_plan *p, const options *o, err *e)
{
    entry *rows = bundle_find(&p->settings, "tokens");
    p->extent[EXTENT_TOKENS] = o->exercise.count > 0 ? EXERCISE_TOKENS : USUAL_TOKENS;
    if (rows == NULL)
        return true;
    if (rows->list.count == 0)
        return err_at(e, &rows->at, "names no row");
    p->extent[EXTENT_TOKENS] = rows->list.count;
    const char *first = rows->list.item[0]; /* of a number, perhaps with spaces around it */
    const char *begin = first + strspn(first, " "), *end = begin + strlen(begin);
    while (end > begin && end[-1] == ' ')
        end--;
    if (rows->list.count != 1 || number_end_csv(begin, end) != end)
        return true;
    bool is_whole = first[strspn(first, "0123456789")] == '\0';
    unsigned long long count = is_whole ? strtoull(first, NULL, 10) : 0;
    if (count < 1 || count > MOST_EXTENT)
        return err_at(e, &rows->at, "'%s' is not a number of rows from 1 to %d", first,
                      MOST_EXTENT);
    p->extent[EXTENT_TOKENS] = (size_t)count;
    return bundle_remove(&p->settings, "tokens");
}

static bool find_extents(init_plan *p, const options *o, err *e)
{
    bool has_heads = bundle_find(&p->settings, "heads") != NULL;
    size_t heads, shared;
    size_t usual = o->exercise.count > 0 ? EXERCISE_WIDTH : USUAL_WIDTH;
    size_t width = o->width > 0 ? o->width : usual;
    p->extent[EXTENT_WIDTH] = width;
    /* Where nothing says how many query heads there are, they are as many as key/value heads. */
    if (!count_tokens(p, o, e) || !read_count(p, has_heads ? "heads" : "kv_heads", 1, &heads, e) ||
        !read_count(p, "kv_heads", heads, &shared, e))
        return false;
    const char *said = has_heads ? "heads" : "kv-heads";
    if (heads % shared != 0)
        return err_option(e, said, "%zu is not a multiple of the %zu key/value heads", heads,
                          shared);
    if (o->head_width == 0 && width % heads != 0) {
        err_option(e, said, "a width of %zu can't be cut into %zu heads", width, heads);
        return err_remedy(e, "--head-width N says how wide each is");
    }
    size_t head = o->head_width > 0 ? o->head_width : width / heads;
    p->extent[EXTENT_HEADS] = heads * head; /* each at most 2³⁰ */
    p->extent[EXTENT_SHARED] = shared * head;
    return true;
}

bool init_plan_make(init_plan *p, const options *o, const env *world, err *e)
{
    *p = (init_plan){.type = DTYPE_F32};
    if (!input_keys_check_type(o, e))
        return false;
    bundle given = {0};
    cli_inputs files;
    weights_input none = {0};
    bool is_all_tables;
    bool done = cli_inputs_open(&files, o, world, e) &&
                cli_inputs_apply(&files, &none, DTYPE_F32, &given, &is_all_tables, e);
    cli_inputs_close(&files);
    if (done && input_keys_value(o, "dtype") == NULL)
        bundle_remove(&given, "dtype"); /* what run and check compute in is theirs to say */
    for (size_t i = 0; i < SETTING_COUNT && done; i++) {
        entry *one = bundle_find(&given, SETTINGS[i].name);
        done = one == NULL || bundle_take(&p->settings, SETTINGS[i].name, one, e);
    }
    bundle_free(&given);
    /* No document is read here, which would judge it. */
    const entry *layout = done ? bundle_find(&p->settings, "layout") : NULL;
    if (!done || (layout != NULL && setting_word(layout, &LAYOUT_WORDS, "", e) == NULL) ||
        !find_extents(p, o, e))
        return false;
    const char *rng = o->rng == NULL ? USUAL_GENERATOR : o->rng;
    p->generator = (const generator *)(const void *)named_find(&GENERATORS, rng, strlen(rng));
    if (o->seed > p->generator->most_seed)
        return err_option(e, "seed", "%zu is above %zu, the greatest that %s takes", o->seed,
                          (size_t)p->generator->most_seed, rng);
    const char *turned = input_keys_value(o, "layout");
    input_keys_decides_type(o, &p->type);
    p->is_out_in = turned != NULL && strcmp(turned, "out-in") == 0;
    if (!choose_parts(p, o, e) || !describe_makings(p, o, e))
        return false;
    /* What is said of the distribution has to mean something to one that is drawn from. */
    unsigned taken = 0;
    bool takes_fan = false;
    for (size_t i = 0; i < p->count; i++) {
        taken |= p->made[i].dist->takes;
        takes_fan = takes_fan || p->made[i].dist->takes_fan;
    }
    for (size_t i = 0; i < KNOBS; i++) {
        if (o->knobs.is_set[i] && (taken >> i & 1) == 0)
            return err_option(e, KNOB_OPTIONS[i], "%s takes none", p->made[0].dist->named.name);
    }
    return o->fan == NULL || takes_fan ||
           err_option(e, "fan", "only kaiming distributions take it");
}
