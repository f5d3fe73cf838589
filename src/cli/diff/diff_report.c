/* Which matrices of two results belong together, what differs between them, and what diff says of
 * it: to a machine all of it, to a person the first element that differs and a line a stage.
 * Indices of JSON count from 0. */
#include "cli/diff/diff_report.h"

#include "attn/spec/stage.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "cli/in/map_patterns.h"
#include "cli/out/said.h"
#include "cli/out/stage_names.h"
#include "io/number_read.h"
#include "io/number_write.h"
#include "model/dump_names.h"
#include "render/display.h"
#include "render/heat_map.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order of stages ---- */

static const char LAYER[] = "layer.";

/* Where an entry stands, by these in turn: its group (before the layers, in one, after them), its
 * layer, its part, its stage in that part (what is not a stage comes last), and its index in the
 * file. Of our own names parts stand in the order of the file, which is that of computing. */
enum { STANDING = 5 };
typedef struct standing {
    size_t by[STANDING];
} standing;

enum { BEFORE, IN_LAYER, BEHIND };

static bool is_of_layer(const char *name)
{
    return strncmp(name, LAYER, sizeof LAYER - 1) == 0;
}

static int compare_standings(const void *a, const void *b)
{
    const size_t *x = ((const standing *)a)->by, *y = ((const standing *)b)->by;
    size_t i = 0;
    while (i < STANDING - 1 && x[i] == y[i])
        i++;
    return (x[i] > y[i]) - (x[i] < y[i]);
}

/* Of another program's name, whose file may have all attentions before all rows, the stage that it
 * means, as far as a shape says it: what has a number for each query and key is a square of each
 * head. False: it means none. */
static bool find_meaning(const dump_index *names, size_t layers, const entry *one,
                         char out[STAGE_NAME])
{
    dump_name read;
    dump_meaning said;
    const tensor *t = &one->tensor;
    if (one->kind != ENTRY_TENSOR || t->rank < 2 || stage_stands(one->name).is_known)
        return false;
    int from = 0;
    while (from < t->rank && t->size[from] == 1)
        from++;
    const bool is_square = t->rank - from > 2 && t->size[t->rank - 1] == t->size[t->rank - 2];
    dump_name_read(&read, names, layers, one->name);
    while (dump_name_next(&read, &said)) {
        const stage_way way =
            said.is_of_layer ? stage_way_of_layer(said.layer) : (stage_way){.text = ""};
        const bool is_begin = strcmp(said.stage, "begin") == 0;
        if (stage_is_of_pairs(said.stage) != is_square || (!said.is_of_layer && said.is_by_shape))
            continue;
        stage_name_in_full(&way, is_begin ? "embedded" : said.stage, out);
        return true;
    }
    return false;
}

typedef struct stage_text {
    char name[STAGE_NAME]; /* empty: its own */
} stage_text;

/* All entries in the order in which they were made, not in that of their file: an attention's in
 * the pipeline's order, layers' floor by floor, and those that are not stages last. NULL with the
 * error set; to be freed by mem_free. */
static standing *made_order(const bundle *result, err *e)
{
    dump_index names;
    const size_t layers = dump_index_open(&names, result, e) ? dump_count_layers(&names) : 0;
    bool has_layers = false;
    bundle parts = {0};
    standing *all = mem_alloc(result->count, sizeof all[0], e);
    stage_text *meant = all == NULL ? NULL : mem_alloc_zeroed(result->count, sizeof meant[0], e);
    for (size_t i = 0; meant != NULL && i < result->count; i++) {
        const entry *one = &result->entry[i];
        if (layers > 0 && !find_meaning(&names, layers, one, meant[i].name))
            meant[i].name[0] = '\0';
        has_layers = has_layers || is_of_layer(one->name) || is_of_layer(meant[i].name);
    }
    for (size_t i = 0; meant != NULL && i < result->count; i++) {
        const bool is_own = meant[i].name[0] == '\0';
        const char *name = is_own ? result->entry[i].name : meant[i].name;
        const stage_standing by = stage_stands(name);
        if (is_of_layer(name) && is_own) {
            /* In "layer.1.attention.weights" the part is "layer.1.attention.", in "layer.1.output"
             * all of it; `parts` are those that were met. */
            const char *digits = name + sizeof LAYER - 1, *part = digits + strcspn(digits, ".");
            part += *part == '.';
            size_t length = (size_t)(part - name) + strcspn(part, ".");
            length += name[length] == '.';
            const entry *met = bundle_find_bytes(&parts, name, length);
            size_t at = met == NULL ? parts.count : (size_t)(met - parts.entry);
            if (met == NULL)
                bundle_add(&parts, name, length, (place){0}, e);
            size_t made = stage_number_in(part, name + length);
            all[i] = (standing){{IN_LAYER, by.layer, at, made, i}};
        } else if (is_of_layer(name)) {
            all[i] = (standing){{IN_LAYER, by.layer, by.part, by.made, i}};
        } else if (has_layers) {
            const bool is_embedded = by.is_known && by.group == 0;
            all[i] = (standing){{is_embedded ? BEFORE : BEHIND, 0, 0, by.made, i}};
        } else {
            all[i] = (standing){{BEFORE, 0, 0, stage_number(name), i}};
        }
    }
    dump_index_close(&names);
    bundle_free(&parts);
    mem_free(meant);
    if (e->is_set) {
        mem_free(all);
        return NULL;
    }
    qsort(all, result->count, sizeof all[0], compare_standings);
    return all;
}

/* ---- who belongs to whom ---- */

typedef struct matcher {
    const bundle *a, *b;
    const options *o;
    diff_result *to;
    bool *has_partner; /* of B's entries: one of A is compared with it */
    text_list pairs;   /* --map, with its patterns written out */
    bundle map;        /* A's names: a text, what --map says each is called in B */
    text_list given;   /* B's names that --map gives to others: not compared under themselves */
    err *e;
} matcher;

static bool is_matrix(const entry *one)
{
    return one->kind == ENTRY_TENSOR && one->tensor.rank > 0;
}

/* A matrix without a name has one here. */
static const char UNNAMED[] = "matrix";

static const char *called(const entry *one)
{
    return write_name(one, UNNAMED);
}

const char *diff_called(const char *name)
{
    return name[0] == '\0' ? UNNAMED : name;
}

static const entry *find_called(const bundle *in, const char *name, size_t length)
{
    const entry *found = bundle_find_bytes(in, name, length);
    bool is_unnamed = length == strlen(UNNAMED) && memcmp(name, UNNAMED, length) == 0;
    return found == NULL && is_unnamed ? bundle_find(in, "") : found;
}

static bool is_ignored(const options *o, const entry *one)
{
    return text_list_find(&o->ignore, called(one)) != NULL;
}

static bool refuse_name(const bundle *in, const char *file, const char *name, size_t length, err *e)
{
    nearest near = nearest_to(name, length, spelling_reach(length));
    for (size_t i = 0; i < in->count; i++) {
        if (is_matrix(&in->entry[i]))
            nearest_is_nearer(&near, in->entry[i].name);
    }
    err_option(e, "map", "%s has no \"%.*s\"", file, (int)length, name);
    return near.found == NULL ? err_remedy(e, "selfattn info %s lists what it has", file)
                              : err_remedy(e, "did you mean \"%s\"?", near.found);
}

static bool list_matrices(const bundle *of, text_list *to, err *e)
{
    bool done = true;
    for (size_t i = 0; i < of->count && done; i++) {
        const char *name = of->entry[i].name;
        done = !is_matrix(&of->entry[i]) || text_list_add(to, name, strlen(name), e);
    }
    return done;
}

static bool read_map(matcher *m)
{
    place at = place_of_option("map");
    text_list names[2] = {{0}, {0}};
    bool done = text_list_index(&m->given, m->e) && list_matrices(m->a, &names[0], m->e) &&
                list_matrices(m->b, &names[1], m->e) &&
                map_write_out(&m->o->map, &names[0], &names[1], &m->pairs, m->e);
    text_list_free(&names[0]);
    text_list_free(&names[1]);
    for (size_t i = 0; i < m->pairs.count && done; i++) {
        const char *pair = m->pairs.item[i], *equals = strchr(pair, '=');
        size_t length = (size_t)(equals - pair);
        const char *other = equals + 1;
        const entry *there = bundle_find_bytes(&m->map, pair, length);
        if (there != NULL)
            return err_at(m->e, &at, "%s is called %s, and %s as well", there->name, there->text,
                          other);
        if (find_called(m->a, pair, length) == NULL)
            return refuse_name(m->a, m->to->file[0], pair, length, m->e);
        if (find_called(m->b, other, strlen(other)) == NULL)
            return refuse_name(m->b, m->to->file[1], other, strlen(other), m->e);
        if (!text_list_add(&m->given, other, strlen(other), m->e))
            return false;
        entry *said = bundle_add(&m->map, pair, length, at, m->e);
        if (said == NULL || (said->text = mem_copy_text(other, strlen(other), m->e)) == NULL)
            return false;
        said->kind = ENTRY_TEXT;
    }
    return done;
}

/* An ignored name must be a stage or be in a file: else it was misspelt. */
static bool check_ignored(const matcher *m)
{
    const text_list *ignored = &m->o->ignore;
    for (size_t i = 0; i < ignored->count; i++) {
        const char *name = ignored->item[i];
        size_t length = strlen(name);
        if (find_called(m->a, name, length) != NULL || find_called(m->b, name, length) != NULL ||
            named_find(&STAGES, name, length) != NULL)
            continue;
        const named *near = named_nearest(&STAGES, name, length);
        err_option(m->e, "ignore", "neither %s nor %s has \"%s\", and it is not a stage",
                   m->to->file[0], m->to->file[1], name);
        return near != NULL && err_remedy(m->e, "did you mean \"%s\"?", near->name);
    }
    return true;
}

/* ---- one pair ---- */

/* The type that a file stores; integers, truths and text are exact, so they are never the coarser
 * one. */
number_type diff_type_of(const entry *one)
{
    static const struct {
        const char *name;
        number_type type;
    } STORED[] = {{"f4", NUMBER_F32},
                  {"F32", NUMBER_F32},
                  {"f2", NUMBER_F16},
                  {"F16", NUMBER_F16},
                  {"BF16", NUMBER_BF16}};
    const char *name = one->stored == NULL ? "" : one->stored + strspn(one->stored, "<>|=");
    for (size_t i = 0; i < sizeof STORED / sizeof STORED[0]; i++) {
        if (strcmp(STORED[i].name, name) == 0)
            return STORED[i].type;
    }
    return NUMBER_F64;
}

static bool add_pair(matcher *m, const entry *a, const entry *b)
{
    diff_result *d = m->to;
    diff_pair *pair = mem_grow(d->pair, d->count, &d->capacity, sizeof pair[0], m->e);
    if (pair == NULL)
        return false;
    d->pair = pair;
    diff_pair *p = &pair[d->count++];
    number_type type_a = diff_type_of(a), type_b = diff_type_of(b);
    *p = (diff_pair){.name = called(a->name[0] != '\0' ? a : b),
                     .of = {a, b},
                     .type = type_a > type_b ? type_a : type_b,
                     .within = {.atol = m->o->has_atol ? m->o->atol : m->o->tol,
                                .rtol = m->o->rtol,
                                .ulps = m->o->ulps,
                                .has_ulps = m->o->has_ulps,
                                .equal_nan = m->o->equal_nan}};
    tolerance_given(m->o, p->name, &p->within.atol);
    if (!measure_align(&a->tensor, &b->tensor, &p->view[0], &p->view[1])) {
        char shape_a[SHAPE_TEXT], shape_b[SHAPE_TEXT];
        err_at(m->e, &a->at, "%s is %s here, and %s in %s", p->name,
               tensor_shape_text(&a->tensor, shape_a), tensor_shape_text(&b->tensor, shape_b),
               d->file[1]);
        return tensor_count(&a->tensor) == tensor_count(&b->tensor) &&
               err_remedy(m->e, "shapes may differ by leading axes of 1 only");
    }
    p->axes = entry_last_axes(a->axes != NULL ? a : b, p->view[0].rank);
    m->has_partner[b - m->b->entry] = true;
    return true;
}

/* ---- all pairs ---- */

static bool match_all(matcher *m)
{
    standing *order = made_order(m->a, m->e);
    bool done = order != NULL;
    for (size_t i = 0; i < m->a->count && done; i++) {
        const entry *a = &m->a->entry[order[i].by[STANDING - 1]];
        if (a->kind != ENTRY_TENSOR || is_ignored(m->o, a))
            continue;
        /* A name that --map gives to another is not compared under itself. */
        const char *mapped = bundle_text(&m->map, called(a));
        const char *wanted = mapped == NULL ? a->name : mapped;
        bool is_given = mapped == NULL && text_list_find(&m->given, called(a)) != NULL;
        const entry *b = is_given ? NULL : find_called(m->b, wanted, strlen(wanted));
        if (b != NULL && b->kind == ENTRY_TENSOR)
            done = add_pair(m, a, b);
        else if (is_matrix(a))
            done = text_list_add(&m->to->only[0], a->name, strlen(a->name), m->e);
    }
    for (size_t i = 0; i < m->b->count && done; i++) {
        const entry *b = &m->b->entry[i];
        if (is_matrix(b) && !is_ignored(m->o, b) && !m->has_partner[i])
            done = text_list_add(&m->to->only[1], b->name, strlen(b->name), m->e);
    }
    mem_free(order);
    return done;
}

/* The only matrix of a file, ignored ones apart, or NULL. */
static const entry *only_matrix(const bundle *b, const options *o)
{
    const entry *found = NULL;
    for (size_t i = 0; i < b->count; i++) {
        if (!is_matrix(&b->entry[i]) || is_ignored(o, &b->entry[i]))
            continue;
        if (found != NULL)
            return NULL;
        found = &b->entry[i];
    }
    return found;
}

/* Text has no stored type. */
static measured_side diff_side(const diff_pair *p, int side)
{
    return (measured_side){&p->view[side], p->of[side]->stored == NULL, p->of[side]->has_unprinted};
}

bool diff_match(diff_result *d, const diff_file file[2], const options *o, err *e)
{
    *d = (diff_result){.file = {file[0].in.name, file[1].in.name}};
    matcher m = {.a = &file[0].contents, .b = &file[1].contents, .o = o, .to = d, .e = e};
    text_list names = {0};
    m.has_partner = mem_alloc_zeroed(m.b->count, sizeof m.has_partner[0], e);
    bool done = m.has_partner != NULL && read_map(&m) && check_ignored(&m);
    if (done) {
        /* A matrix without a name, or one picked by FILE:NAME, is compared with the other file's
         * only matrix, also if the names differ. */
        const entry *a = only_matrix(m.a, o), *b = only_matrix(m.b, o);
        bool is_chosen = a != NULL && b != NULL &&
                         (file[0].in.matrix != NULL || file[1].in.matrix != NULL ||
                          a->name[0] == '\0' || b->name[0] == '\0');
        done = (is_chosen ? add_pair(&m, a, b) : match_all(&m)) && text_list_index(&names, e);
    }
    for (size_t i = 0; i < d->count && done; i++)
        done = text_list_add(&names, d->pair[i].name, strlen(d->pair[i].name), e);
    done = done && tolerances_check(o, &names, e);
    for (size_t i = 0; i < d->count && done; i++) {
        diff_pair *p = &d->pair[i];
        p->found = measure(diff_side(p, 0), diff_side(p, 1), p->type, &p->within);
        d->numbers += p->found.count;
        d->different += p->found.different;
        d->different_pairs += p->found.different > 0;
        if (d->first == NULL && p->found.different > 0)
            d->first = p;
    }
    text_list_free(&names);
    mem_free(m.has_partner);
    bundle_free(&m.map);
    text_list_free(&m.given);
    text_list_free(&m.pairs);
    return done;
}

void diff_free(diff_result *d)
{
    mem_free(d->pair);
    text_list_free(&d->only[0]);
    text_list_free(&d->only[1]);
    *d = (diff_result){0};
}

/* The first element that differs, where one does. */
static element diff_first(const diff_pair *p)
{
    element one = {.stage = p->name,
                   .axes = p->axes,
                   .rank = p->view[0].rank,
                   .wanted = p->found.first_a,
                   .got = p->found.first_b,
                   .tol = p->within.atol};
    size_t number = p->found.first;
    for (int axis = one.rank - 1; axis >= 0; axis--) {
        one.index[axis] = number % p->view[0].size[axis];
        number /= p->view[0].size[axis];
    }
    return one;
}

/* ---- numbers ---- */

/* Three digits, never below the value, so that a tolerance copied from here passes. */
static void add_rough_above(text *out, double value)
{
    char digits[NUMBER_FIXED_TEXT];
    double shown;
    if (value == 0 || !isfinite(value)) {
        text_add_string(out, value == 0 ? "0" : "none");
        return;
    }
    size_t length = number_write_exponent(value, 3, digits);
    if (number_read_f64(digits, digits + length, &shown) && shown < value) {
        int exponent = (int)floor(log10(shown) + 1e-9);
        number_write_exponent(shown + pow(10, exponent - 2), 3, digits);
    }
    text_add_string(out, digits);
}

static void add_cosine(text *out, double value)
{
    char digits[NUMBER_FIXED_TEXT];
    number_write_fixed(value, 8, digits);
    text_add_string(out, isnan(value) ? "-" : value == 1 ? "1" : digits);
}

/* Millions of ulps are not counted exactly. */
static void add_ulps(text *out, uint64_t ulps)
{
    if (ulps < 1000000)
        text_add_format(out, "%" PRIu64, ulps);
    else
        report_rough(out, ulps == ULPS_INFINITE ? (double)INFINITY : (double)ulps);
}

static void tell_ulps(teller *t, const char *name, uint64_t ulps)
{
    if (ulps == ULPS_INFINITE)
        tell_number(t, name, DTYPE_F64, (double)INFINITY);
    else
        tell_count(t, name, NULL, ulps);
}

/* ---- a stage ---- */

static const char TITLES[] =
    "stage\tdiffer\tof\tmax abs\tmax rel\tulps\tcosine\t--atol\t--rtol\tfirst row\n";

static void tell_stage(teller *t, const diff_pair *p)
{
    const measurement *m = &p->found;
    tell_open(t, NULL, "{");
    tell_text(t, "stage", NULL, p->name);
    if (!t->is_json)
        display_add_string(t->out, p->name);
    tell_words(t, "\t");
    tell_sizes(t, "shape", p->view[0].rank, p->view[0].size);
    tell_text(t, "type", NULL, number_type_name(p->type));
    tell_open(t, "tolerance", "{");
    tell_number(t, "atol", DTYPE_F64, p->within.atol);
    tell_number(t, "rtol", DTYPE_F64, p->within.rtol);
    if (p->within.has_ulps)
        tell_count(t, "ulps", NULL, p->within.ulps);
    tell_close(t, "}");
    tell_count(t, "numbers", NULL, m->count);
    tell_count(t, "unequal", NULL, m->unequal);
    tell_count(t, "differ", "%zu\t", m->different);
    tell_count(t, NULL, "%zu\t", m->count);
    tell_cell(t, "max_abs", DTYPE_F64, m->most_absolute, report_rough);
    tell_cell(t, "max_rel", DTYPE_F64, m->most_relative, report_rough);
    tell_ulps(t, "max_ulps", m->most_ulps);
    if (!t->is_json)
        add_ulps(t->out, m->most_ulps);
    tell_words(t, "\t");
    tell_cell(t, "cosine", DTYPE_F64, m->cosine, add_cosine);
    tell_cell(t, "least_atol", DTYPE_F64, m->least_atol, add_rough_above);
    tell_cell(t, "least_rtol", DTYPE_F64, m->least_rtol, add_rough_above);
    if (m->different > 0) {
        /* In words which row it is in. */
        const element one = diff_first(p);
        double apart = fabs(one.wanted - one.got);
        tell_open(t, "first", "{");
        if (!t->is_json && one.rank > 1)
            element_write_indices(&one, one.rank - 1, t->out);
        tell_sizes(t, "index", one.rank, one.index);
        tell_number(t, "a", DTYPE_F64, one.wanted);
        tell_number(t, "b", DTYPE_F64, one.got);
        tell_number(t, "difference", DTYPE_F64, isnan(apart) ? (double)NAN : apart);
        tell_ulps(t, "ulps", ulps_between(p->type, one.wanted, one.got));
        tell_close(t, "}");
    }
    tell_words(t, "\n");
    tell_close(t, "}");
}

/* ---- all of it ---- */

static void write_table(const diff_result *d, text *out)
{
    text rows = {0};
    for (size_t i = 0; i < d->count; i++)
        tell_stage(&(teller){.out = &rows}, &d->pair[i]);
    tell_table(out, TITLES, &rows, "lrrrrrrrr", 0);
    text_free(&rows);
}

void diff_write_text(const diff_result *d, text *out)
{
    if (d->first == NULL)
        return;
    const diff_pair *p = d->first;
    const tolerance *by = &p->within;
    const element one = diff_first(p);
    const double a = p->found.first_a, b = p->found.first_b;
    element_write_name(&one, out);
    for (int side = 0; side < 2; side++) {
        /* As the shortest decimal of the type in which it is compared. */
        measured_side from = diff_side(p, side);
        bool is_f32 = from.of->type == DTYPE_F32 || (from.is_text && p->type != NUMBER_F64);
        text_add_format(out, "%s %s ", side == 0 ? ":" : ",", d->file[side]);
        report_number_as(out, side == 0 ? a : b, is_f32);
    }
    if (isfinite(a) && isfinite(b)) {
        uint64_t ulps = ulps_between(p->type, a, b);
        text_add_string(out, ", apart by ");
        report_rough(out, fabs(a - b));
        if (ulps != ULPS_INFINITE) {
            text_add_string(out, " or ");
            add_ulps(out, ulps);
            text_add_format(out, " ulp%s of %s", ulps == 1 ? "" : "s", number_type_name(p->type));
        }
    }
    /* " (atol 1e-06, rtol 0.001)": what was asked for, or nothing. */
    size_t start = out->length;
    if (by->atol > 0) {
        text_add_string(out, " (atol ");
        report_number(out, by->atol);
    }
    if (by->rtol > 0) {
        text_add_string(out, out->length == start ? " (rtol " : ", rtol ");
        report_number(out, by->rtol);
    }
    if (by->has_ulps)
        text_add_format(out, "%s %" PRIu64, out->length == start ? " (ulps" : ", ulps", by->ulps);
    text_add_string(out, out->length == start ? "\n\n" : ")\n\n");
    write_table(d, out);
}

void diff_write_summary(const diff_result *d, text *out)
{
    const char *stages = d->count == 1 ? "" : "s";
    write_table(d, out);
    if (d->different == 0)
        text_add_format(out, "no number differs, of %zu in %zu stage%s\n", d->numbers, d->count,
                        stages);
    else
        text_add_format(out, "%zu of %zu numbers differ, in %zu of %zu stage%s\n", d->different,
                        d->numbers, d->different_pairs, d->count, stages);
}

void diff_write_json(const diff_result *d, const diff_origins *from, const diff_mistakes *missed,
                     text *out)
{
    teller t = {.out = out, .is_json = true};
    tell_open(&t, NULL, "{");
    tell_text(&t, "a", NULL, d->file[0]);
    tell_text(&t, "b", NULL, d->file[1]);
    tell_truth(&t, "equal", d->first == NULL);
    if (d->first != NULL)
        tell_text(&t, "first_stage", NULL, d->first->name);
    tell_open(&t, "stages", "[");
    for (size_t i = 0; i < d->count; i++)
        tell_stage(&t, &d->pair[i]);
    tell_close(&t, "]");
    tell_list(&t, "only_a", &d->only[0]);
    tell_list(&t, "only_b", &d->only[1]);
    diff_origins_tell(from, &t);
    diff_mistakes_tell(missed, &t);
    tell_close(&t, "}\n");
}

/* ---- where a stage differs, as a heat map of the matrix that holds the first difference ---- */

/* As many rows of cells as fit on a screen in colour, where a character shows two; or of SVG. */
enum { MOST_ROWS = 40, SVG_MOST = 64 };

bool diff_draw(const diff_pair *p, size_t width, bool color, text *out, err *e)
{
    enum { FRAME = 2 };
    const bool is_svg = width == 0;
    element one = diff_first(p);
    const int rank = one.rank;
    size_t rows = rank < 2 ? 1 : p->view[0].size[rank - 2]; /* a vector is a matrix of one */
    size_t columns = rank < 1 ? 1 : p->view[0].size[rank - 1];
    const sampling by = sampling_of(rows, columns, is_svg ? SVG_MOST : MOST_ROWS,
                                    is_svg ? SVG_MOST : width - FRAME);
    const measured_side side_a = diff_side(p, 0), side_b = diff_side(p, 1);
    text title = {0};
    double *cell = mem_alloc_zeroed(by.rows * by.columns, sizeof cell[0], e);
    if (cell == NULL)
        return false;
    text_add_format(&title, "|a-b| of %s", one.stage);
    if (rank > 2) {
        text_add_string(&title, "[");
        element_write_indices(&one, rank - 2, &title);
        text_add_string(&title, "]");
    }
    text_add_format(&title, ", %zu x %zu", rows, columns);
    if (by.tall > 1 || by.wide > 1)
        text_add_format(&title, ", the greatest of %zu x %zu numbers in a cell", by.tall, by.wide);
    /* A cell is as hot as the hottest of its elements. */
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < columns; column++) {
            double *at = cell + row / by.tall * by.columns + column / by.wide;
            if (rank > 1)
                one.index[rank - 2] = row;
            if (rank > 0)
                one.index[rank - 1] = column;
            double a = measure_value(side_a, p->type, one.index);
            double b = measure_value(side_b, p->type, one.index);
            if (!measure_is_same(side_a, side_b, &p->within, a, b))
                *at = fmax(*at, isnan(a - b) ? (double)INFINITY : fabs(a - b));
        }
    }
    heat_map map = {.rows = by.rows, .columns = by.columns, .magnitude = cell};
    for (size_t i = 0; i < by.rows * by.columns; i++)
        heat_scale_add(&map.scale, cell[i]);
    bool done = text_ok(&title, e);
    if (done && is_svg) {
        heat_map_add_svg(out, &map, text_string(&title));
    } else if (done) {
        text_add_format(out, "\n%s:\n", text_string(&title));
        heat_map_add(out, &map, color);
    }
    text_free(&title);
    mem_free(cell);
    return done;
}
