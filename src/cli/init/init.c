/* selfattn init: inputs and weights from a seed. What is to be made, its sizes, distributions and
 * order, is decided and checked before anything is drawn. */
#include "attn/spec/setting.h"

#include "base/mem.h"
#include "cli/command.h"
#include "cli/in/cli_inputs.h"
#include "cli/init/init_parts.h"
#include "cli/line/options_parse.h"
#include "cli/out/outputs.h"
#include "cli/out/said.h"
#include "io/number_read.h"
#include "io/number_write.h"
#include "model/stack_keys.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the matrices that there are ---- */

static const init_part ROWS[] = {
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
    {{"output_grad", "what comes back to the output"},
     ROLE_ROWS,
     EXTENT_TOKENS,
     EXTENT_OUTPUT,
     false},
    {{"target", "what the output should be"}, ROLE_ROWS, EXTENT_TOKENS, EXTENT_OUTPUT, false},
};

const named_table PARTS = NAMED_TABLE("part", ROWS);

static bool part_is_bias(const init_part *p)
{
    return p->role == ROLE_BIAS || p->role == ROLE_JOIN_BIAS;
}

static const init_part *part_find(const char *name, size_t length)
{
    return (const init_part *)(const void *)named_find(&PARTS, name, length);
}

/* ---- what is to be made ---- */

/* One matrix to be made. */
typedef struct making {
    const init_part *part;
    const distribution *dist;
    draw draw;
    int rank;
    size_t size[2];
} making;

typedef struct init_plan {
    bundle settings; /* owned: the document's keys that options give: heads, tokens, … */
    size_t extent[EXTENTS];
    dtype type;
    bool is_out_in;
    const generator *generator;
    making made[sizeof ROWS / sizeof ROWS[0]]; /* in the order in which they are drawn */
    size_t count;
    size_t bytes; /* of all of them */
} init_plan;

/* ---- the keys of the document that options give ---- */

/* What init's options give, in the order of the document. */
typedef struct setting {
    const char *name;
    bool decides;      /* what run computes, by more than the elements' type */
    const char *usual; /* of a word: what run takes by default; or NULL */
} setting;
static const setting SETTINGS[] = {{"tokens", false, NULL},
                                   {"heads", true, NULL},
                                   {"kv_heads", true, NULL},
                                   {"layout", true, "in-out"},
                                   {"dtype", false, NULL}};
enum { SETTING_COUNT = sizeof SETTINGS / sizeof SETTINGS[0] };

/* ---- keeping ---- */

/* Borrows for *kept the settings that the format holds. A setting that it has no place for is
 * noted. It is refused if the file has several matrices, so is a whole problem, and run would
 * compute something else from it. A single matrix is not a problem: its settings are given to
 * run. */
static bool init_settings_keep(const bundle *settings, const format *to, const options *o,
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

/* The options that turn the knobs. */
static const char *const KNOB_OPTIONS[KNOBS] = {"low", "high", "mean", "std", "gain", "value"};

static const distribution *dist_named(const char *name)
{
    return (const distribution *)(const void *)named_find(&DISTRIBUTIONS, name, strlen(name));
}

/* A mean or a spread that is given asks for gaussian numbers. */
static const distribution *common_dist(const options *o)
{
    bool is_gaussian = o->knobs.is_set[KNOB_MEAN] || o->knobs.is_set[KNOB_STD];
    return dist_named(o->dist != NULL         ? o->dist
                      : o->exercise.count > 0 ? "halves"
                      : is_gaussian           ? "gaussian"
                                              : "scaled");
}

/* The part's distribution: that of the last --dist-of NAME=DIST that names the part, else the
 * common one. */
static const distribution *dist_of(const init_part *of, const options *o)
{
    const char *name = common_dist(o)->instead[of->role];
    for (size_t i = 0; i < o->dist_of.count; i++) {
        const char *pair = o->dist_of.item[i], *equals = strchr(pair, '=');
        if (part_find(pair, (size_t)(equals - pair)) == of)
            name = equals + 1;
    }
    return name == NULL ? common_dist(o) : dist_named(name);
}

static bool is_made(const init_plan *p, const init_part *of)
{
    size_t i = 0;
    while (i < p->count && p->made[i].part != of)
        i++;
    return i < p->count;
}

/* What is drawn unless --draw says otherwise; each once. */
static void add_usual(init_plan *p, const init_part *of, const options *o)
{
    bool is_missed = of->role == ROLE_JOIN && o->exercise.count > 0; /* Wo is one product more */
    if (of->is_usual && !is_missed && (!part_is_bias(of) || o->biases) && !is_made(p, of))
        p->made[p->count++].part = of;
}

static bool choose_parts(init_plan *p, const options *o, err *e)
{
    for (size_t i = 0; i < o->draw.count; i++) {
        const init_part *of = part_find(o->draw.item[i], strlen(o->draw.item[i]));
        if (is_made(p, of))
            return err_option(e, "draw", "%s is drawn twice", of->named.name);
        p->made[p->count++].part = of;
    }
    if (o->draw.count == 0) {
        for (const char *name = common_dist(o)->first; name != NULL; name = strchr(name, ',')) {
            name += *name == ',';
            add_usual(p, part_find(name, strcspn(name, ",")), o);
        }
        for (size_t i = 0; i < PARTS.count; i++)
            add_usual(p, &ROWS[i], o);
    }
    bool joins = is_made(p, part_find("wo", 2));
    p->extent[EXTENT_OUTPUT] = p->extent[joins ? EXTENT_WIDTH : EXTENT_HEADS];
    for (size_t i = 0; i < o->dist_of.count; i++) {
        const char *pair = o->dist_of.item[i], *name = strchr(pair, '=') + 1;
        const init_part *of = part_find(pair, (size_t)(name - 1 - pair));
        if (dist_named(name) == NULL) {
            err_option(e, "dist-of", "there is no distribution '%.200s'", name);
            return err_remedy(e, "selfattn help distributions lists them");
        }
        if (!is_made(p, of))
            return err_option(e, "dist-of", "%s is not drawn", of->named.name);
    }
    return true;
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
        bool is_counted = sizes_count(m->rank, m->size, &m->draw.total);
        p->bytes = size_sum(p->bytes, size_product(m->draw.total, dtype_size(p->type)));
        if (!is_counted || p->bytes == SIZE_MAX)
            return err_set(e, "%s of %zu x %zu is larger than can be counted", m->part->named.name,
                           m->size[0], m->size[1]);
        const law *l = &m->draw.law;
        bool is_uniform = l->kind == LAW_UNIFORM || law_has_steps(l->kind);
        if (is_uniform && !(l->kind == LAW_UNIFORM ? l->a < l->b : l->a <= l->b))
            return err_at(e, &low, "%g is not below the %g where %s ends", l->a, l->b,
                          m->dist->named.name);
        bool is_known = is_uniform ? p->generator->has_f64
                                   : l->kind != LAW_NORMAL || !p->generator->normal_is_f32;
        if (!is_f32 && !is_known) {
            err_at(e, &rng, "%s's %s numbers are known to the last bit in float32 only",
                   p->generator->named.name, l->kind == LAW_NORMAL ? "normal" : "uniform");
            return err_remedy(e, "leave --dtype out here, and give it to run");
        }
        /* Numbers that may reach infinity are refused here, since run would refuse them. */
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

/* ---- sizes ---- */

/* --tokens: names of rows, or their number alone. Any other single number is a slip, not a name. */
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
    bool is_one = rows->list.count == 1;
    if (is_one && memchr(begin, ' ', (size_t)(end - begin)) != NULL) {
        err_at(e, &rows->at, "'%s' is one name", first);
        return err_remedy(e, "commas part names, not spaces: the,cat");
    }
    if (!is_one || number_end_csv(begin, end) != end)
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
    size_t heads, shared = 1;
    size_t usual = o->exercise.count > 0 ? EXERCISE_WIDTH : USUAL_WIDTH;
    size_t width = o->width > 0 ? o->width : usual;
    p->extent[EXTENT_WIDTH] = width;
    if (!count_tokens(p, o, e))
        return false;
    const entry *said = bundle_find(&p->settings, "heads");
    const entry *said_shared = bundle_find(&p->settings, "kv_heads");
    if (said_shared != NULL && !setting_count(said_shared, 1, &shared, e))
        return false;
    /* Where nothing says how many heads there are of one kind, they are as many as the others. */
    heads = shared;
    if (said != NULL && !setting_count(said, 1, &heads, e))
        return false;
    shared = said_shared == NULL ? heads : shared;
    const char *option = said != NULL ? "heads" : "kv-heads";
    if (heads % shared != 0)
        return err_option(e, option, "%zu is not a multiple of the %zu key/value heads", heads,
                          shared);
    if (o->head_width == 0 && width % heads != 0) {
        err_option(e, option, "a width of %zu can't be cut into %zu heads", width, heads);
        return err_remedy(e, "--head-width N says how wide each is");
    }
    size_t head = o->head_width > 0 ? o->head_width : width / heads;
    if (!size_mul(heads, head, &p->extent[EXTENT_HEADS]))
        return err_option(e, option, "%zu heads of %zu are more than can be counted", heads, head);
    p->extent[EXTENT_SHARED] = shared * head;
    return true;
}

static bool init_plan_make(init_plan *p, const options *o, const env *world, err *e)
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
        bundle_remove(&given, "dtype"); /* run and check decide what they compute in */
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
    const char *rng = o->rng == NULL ? "own" : o->rng;
    p->generator = (const generator *)(const void *)named_find(&GENERATORS, rng, strlen(rng));
    if (o->seed > p->generator->most_seed)
        return err_option(e, "seed", "%" PRIu64 " is above %" PRIu64 ", the greatest that %s takes",
                          o->seed, p->generator->most_seed, rng);
    input_keys_decides_type(o, &p->type);
    p->is_out_in = setting_is_out_in(bundle_find(&p->settings, "layout"));
    if (!choose_parts(p, o, e) || !describe_makings(p, o, e))
        return false;
    /* A knob must be one that some distribution drawn from takes. */
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

/* ---- the command line that makes a document again: its "source" ---- */

static void add_option(text *out, const char *name, const char *value)
{
    text_add_format(out, " --%s ", name);
    shell_word_add(out, value);
}

static void init_command_add_list(text *out, const char *name, const text_list *list)
{
    text joined = {0};
    for (size_t i = 0; i < list->count; i++)
        text_add_format(&joined, "%s%s", i == 0 ? "" : ",", list->item[i]);
    if (list->count > 0)
        add_option(out, name, text_string(&joined));
    text_close(&joined, out);
}

static void init_command_write(const init_plan *p, const options *o, const format *to, text *out)
{
    text_add_string(out, "selfattn init");
    const entry *tokens = bundle_find(&p->settings, "tokens");
    if (tokens != NULL)
        init_command_add_list(out, "tokens", &tokens->list);
    else
        text_add_format(out, " --tokens %zu", p->extent[EXTENT_TOKENS]);
    text_add_format(out, " --width %zu", p->extent[EXTENT_WIDTH]);
    if (o->head_width > 0)
        text_add_format(out, " --head-width %zu", o->head_width);
    for (size_t i = 0; i < p->settings.count; i++) {
        const entry *one = &p->settings.entry[i];
        if (one != tokens)
            add_option(out, one->at.file, input_keys_value(o, one->name));
    }
    text_add_format(out, " --rng %s --seed %" PRIu64 " --dist %s", p->generator->named.name,
                    o->seed, common_dist(o)->named.name);
    for (size_t i = 0; i < o->dist_of.count; i++)
        add_option(out, "dist-of", o->dist_of.item[i]);
    for (size_t i = 0; i < KNOBS; i++) {
        char number[NUMBER_TEXT];
        if (!o->knobs.is_set[i])
            continue;
        number_write_f64(o->knobs.value[i], number);
        add_option(out, KNOB_OPTIONS[i], number);
    }
    if (o->fan != NULL)
        add_option(out, "fan", o->fan);
    init_command_add_list(out, "draw", &o->draw);
    init_command_add_list(out, "exercise", &o->exercise);
    if (o->biases)
        text_add_string(out, " --biases");
    if (o->has_digits && to->is_json)
        text_add_format(out, " --digits %zu", o->digits);
}

/* ---- a variant of an exercise, of the same structure and other numbers ---- */

static bool init_variant_check_format(const format *to, err *e)
{
    return to->is_json ||
           err_set(e, "an exercise is a document, and %s has no place for one", to->title);
}

/* The option that says how matrices are drawn, if one is given. */
static const char *drawing(const options *o)
{
    for (size_t i = 0; i < KNOBS; i++) {
        if (o->knobs.is_set[i])
            return KNOB_OPTIONS[i];
    }
    if (o->given_count > 0)
        return o->given[0].row->named.name;
    const struct {
        bool is_set;
        const char *name;
    } others[] = {{o->dist != NULL, "dist"},   {o->dist_of.count > 0, "dist-of"},
                  {o->draw.count > 0, "draw"}, {o->biases, "biases"},
                  {o->width > 0, "width"},     {o->head_width > 0, "head-width"},
                  {o->fan != NULL, "fan"},     {o->rng != NULL, "rng"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].is_set)
            return others[i].name;
    }
    return NULL;
}

/* ---- other numbers ---- */

typedef struct shuffle {
    stream from;
    uint32_t matrices; /* so far */
} shuffle;

/* Fisher and Yates, from the end: each order is as likely. */
static bool shuffle_tensor(shuffle *s, tensor *t, err *e)
{
    size_t count = tensor_count(t), size = dtype_size(t->type);
    draw d = {
        .law = {LAW_UNIFORM, 0, 1}, .matrix = s->matrices++, .type = DTYPE_F64, .total = count};
    double *chance = mem_alloc(count, sizeof chance[0], e);
    char *all = t->data, kept[sizeof(double)];
    if (chance == NULL)
        return false;
    stream_draw(&s->from, &d, 0, count, chance);
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)(chance[i - 1] * (double)i);
        char *here = all + (i - 1) * size, *there = all + other * size;
        memcpy(kept, here, size);
        memmove(here, there, size);
        memcpy(there, kept, size);
    }
    mem_free(chance);
    return true;
}

/* All matrices of a document, of its layers, and of a vocab, words with their numbers. Masks, lists
 * and settings are structure. */
static bool shuffle_entry(shuffle *s, entry *one, key_kind kind, const key_tables *members, err *e)
{
    bool done = true;
    if (one->kind == ENTRY_TENSOR && kind == KEY_MATRIX)
        return shuffle_tensor(s, &one->tensor, e);
    for (size_t i = 0; done && one->kind == ENTRY_BUNDLE && i < one->bundle->count; i++) {
        entry *inside = &one->bundle->entry[i];
        const size_t length = strlen(inside->name);
        const key *row = kind == KEY_OBJECT ? key_find(members, inside->name, length) : NULL;
        bool has_members = row != NULL && (row->kind == KEY_OBJECT || row->kind == KEY_OBJECTS);
        const key_tables *its_own =
            has_members ? ((const object_key *)(const void *)row)->members : members;
        key_kind its_kind = row != NULL           ? row->kind
                            : kind == KEY_OBJECTS ? KEY_OBJECT
                            : kind == KEY_VOCAB   ? KEY_MATRIX
                                                  : KEY_TEXT;
        done = shuffle_entry(s, inside, its_kind, its_own, e);
    }
    return done;
}

/* ---- the document ---- */

static bool add_text(bundle *b, const char *name, const text *value, err *e)
{
    return text_ok(value, e) &&
           bundle_add_text(b, name, text_string(value), value->length, (place){0}, e);
}

/* What a document is called, where that is not empty its title, what makes it again, and what is
 * exercised in it. The first two are freed. */
static bool add_source(bundle *b, text *name, text *title, const text *made_by,
                       const text_list *exercise, err *e)
{
    bool done = text_ok(title, e) && add_text(b, "name", name, e) &&
                (title->length == 0 || add_text(b, "title", title, e)) &&
                add_text(b, "source", made_by, e) &&
                (exercise->count == 0 || bundle_add_list(b, "exercise", exercise, (place){0}, e));
    text_free(name);
    text_free(title);
    return done;
}

static bool init_variant(const options *o, err *e)
{
    static const char *const OF_RESULTS[] = {"expected", "tol", "errata"};
    const char *file = o->operand[0], *drawn = drawing(o);
    place at = {.file = descriptor_name(file)};
    const format *to = output_format_or(o, output_data_file(o), "json");
    if (drawn != NULL)
        return err_set(e, "--%s is about numbers that are drawn, and %s has its own", drawn,
                       at.file);
    if (!init_variant_check_format(to, e))
        return false;
    read_options how = read_options_of(o, file, DTYPE_F64);
    how.kind = KEY_EXPECTED;
    how.type_is_fixed = how.keeps_all = how.any_rank = how.takes_truths = how.keeps_json = true;
    const generator *own = (const generator *)(const void *)named_row(&GENERATORS, 0);
    shuffle s = {.from = stream_begin(own, o->seed)};
    bundle b = {0};
    const format *from = input_read(o, file, &how, &b, e);
    bool done = from != NULL &&
                (from->is_json || err_at(e, &at, "a variant is made of a JSON document")) &&
                shuffle_entry(&s, &(entry){.kind = ENTRY_BUNDLE, .bundle = &b}, KEY_OBJECT,
                              &STACK_DOCUMENT, e);
    if (done && s.matrices == 0)
        done = err_at(e, &at, "there is no matrix in it that could have other numbers");
    for (size_t i = 0; i < sizeof OF_RESULTS / sizeof OF_RESULTS[0]; i++)
        bundle_remove(&b, OF_RESULTS[i]);
    /* What its page is called and saves answers for, and what makes it again. */
    const char *old_name = bundle_text(&b, "name"), *old_title = bundle_text(&b, "title");
    text name = {0}, title = {0}, made_by = {0};
    bundle made = {0};
    text_add_format(&name, "%s-%" PRIu64, old_name == NULL ? "exercise" : old_name, o->seed);
    text_add_format(&title, "%s, variant %" PRIu64, old_title == NULL ? "Exercise" : old_title,
                    o->seed);
    text_add_format(&made_by, "selfattn init --seed %" PRIu64, o->seed);
    init_command_add_list(&made_by, "exercise", &o->exercise);
    text_add_string(&made_by, " ");
    shell_word_add(&made_by, file);
    done = add_source(&made, &name, &title, &made_by, &o->exercise, e) && done;
    for (size_t i = 0; i < made.count && done; i++)
        done = bundle_take(&b, made.entry[i].name, &made.entry[i], e);
    const write_options written = output_how(o, to);
    sink out;
    done = done && sink_open(&out, output_data_file(o), e) &&
           sink_end(&out, to->write(&b, &written, &out, e), e);
    text_free(&made_by);
    bundle_free(&made);
    bundle_free(&b);
    return done;
}

/* Elements that are drawn before they are written, if not all must be in memory. */
enum { WINDOW = 1 << 20 };

typedef struct maker {
    const options *o;
    const init_plan *plan;
    stream stream;
    text command;
    const format *to;
    bundle kept; /* of the settings, those that the format holds */
    sink sink;
} maker;

/* ---- a matrix of any size ---- */

/* One matrix, whose elements go out as they are drawn. */
static bool write_as_drawn(maker *m, err *e)
{
    const making *only = &m->plan->made[0];
    const draw *d = &only->draw;
    if (m->plan->count > 1) {
        err_set(e, "%s holds one matrix, and %zu are drawn", m->to->title, m->plan->count);
        return err_remedy(e, "--draw names one of them; NPZ holds all");
    }
    tensor shape;
    bool done = true;
    void *window = mem_alloc(WINDOW + DRAW_RUN, dtype_size(m->plan->type), e);
    if (window == NULL)
        return false;
    tensor_own(&shape, m->plan->type, only->rank, only->size, window);
    m->to->write_head(sink_text(&m->sink), &shape);
    /* A window is a multiple of DRAW_RUN, and the last one takes up a rest that is shorter. */
    for (size_t first = 0, count; done && first < d->total; first += count) {
        size_t left = d->total - first;
        count = left < WINDOW + DRAW_RUN ? left : WINDOW;
        fill_elements(&m->stream, d, first, count, window, m->o->threads);
        tensor drawn;
        tensor_own(&drawn, d->type, 1, &count, window);
        done = element_bytes_write(&drawn, &m->sink, e);
    }
    mem_free(window);
    return done;
}

/* ---- all of them ---- */

/* Older distributions get no title, so that their bytes stay what they were. */
static bool add_source_of(const maker *m, bundle *to, err *e)
{
    const options *o = m->o;
    text name = {0}, title = {0};
    size_t tokens = m->plan->extent[EXTENT_TOKENS];
    if (o->exercise.count > 0) {
        /* "exercise-123", which the answers to it name. */
        text_add_format(&name, "exercise-%" PRIu64, o->seed);
        text_add_format(&title, "Exercise, variant %" PRIu64, o->seed);
    } else {
        /* "own-scaled-123"; "6 tokens of width 8, drawn from seed 123" */
        text_add_format(&name, "%s-%s-%" PRIu64, m->plan->generator->named.name,
                        common_dist(o)->named.name, o->seed);
        if (strcmp(common_dist(o)->named.name, "scaled") == 0)
            text_add_format(&title, "%zu token%s of width %zu, drawn from seed %" PRIu64, tokens,
                            tokens == 1 ? "" : "s", m->plan->extent[EXTENT_WIDTH], o->seed);
    }
    return add_source(to, &name, &title, &m->command, &o->exercise, e);
}

static bool write_matrices(maker *m, err *e)
{
    bundle b = {0}, metadata = {0};
    write_options how = output_how(m->o, m->to);
    how.names_alone = true;
    bool holds_all = (m->to->holds & HOLDS_ALL) != 0, done = true;
    if (m->plan->bytes > m->o->max_memory) {
        err_set(e, "%zu bytes of memory are needed for %zu matrices, %zu may be used",
                m->plan->bytes, m->plan->count, m->o->max_memory);
        return err_remedy(e, "a matrix alone, to a .npy, needs none; or raise --max-memory");
    }
    if (m->to->holds & (HOLDS_ALL | HOLDS_METADATA))
        done = add_source_of(m, holds_all ? &b : &metadata, e);
    if (!holds_all && (m->to->holds & HOLDS_METADATA))
        how.metadata = &metadata;
    done = done && bundle_borrow_all(&b, &m->kept, e);
    for (size_t i = 0; i < m->plan->count && done; i++) {
        const making *one = &m->plan->made[i];
        tensor t;
        done = tensor_new(&t, one->draw.type, one->rank, one->size, e);
        if (!done)
            break;
        fill_elements(&m->stream, &one->draw, 0, one->draw.total, t.data, m->o->threads);
        done = bundle_add_tensor(&b, one->part->named.name, &t, (place){0}, e);
    }
    done = done && m->to->write(&b, &how, &m->sink, e);
    bundle_free(&b);
    bundle_free(&metadata);
    return done;
}

/* ---- the command ---- */

int command_init(const options *o, env *world, err *e)
{
    init_plan p = {0};
    bool has_template = o->exercise.count > 0 && o->operands > 0;
    size_t most = o->exercise.count > 0;
    if (o->operands > most) {
        err_set(e,
                most == 0 ? "init takes no file, and %s is named"
                          : "init --exercise takes one document, and %s is named too",
                o->operand[most]);
        err_remedy(e, "-o FILE says where the result goes");
        return EXIT_WRONG;
    }
    if (has_template)
        return init_variant(o, e) ? EXIT_DONE : EXIT_WRONG;
    const char *file = output_data_file(o);
    maker m = {.o = o, .plan = &p, .to = output_format_or(o, file, "json")};
    bool done = init_plan_make(&p, o, world, e);
    if (done) {
        size_t bytes = output_format_bytes(m.to, p.bytes / dtype_size(p.type), p.type);
        m.stream = stream_begin(p.generator, o->seed);
        init_command_write(&p, o, m.to, &m.command);
        done = text_ok(&m.command, e) &&
               (o->exercise.count == 0 || init_variant_check_format(m.to, e)) &&
               init_settings_keep(&p.settings, m.to, o, world, &m.kept, e) &&
               output_check_disk(file, "the data", bytes, "draw fewer or smaller matrices", o, e) &&
               sink_open(&m.sink, file, e);
    }
    if (done) {
        bool is_made = m.to->write_head != NULL ? write_as_drawn(&m, e) : write_matrices(&m, e);
        done = sink_end(&m.sink, is_made, e);
    }
    text_free(&m.command);
    bundle_free(&m.kept);
    bundle_free(&p.settings);
    return done ? EXIT_DONE : EXIT_WRONG;
}
