/* A run that begins at stages that are given: what comes after them has the bytes of the whole run,
 * and nothing that is before them is looked at. */
#include "attn/engine/run.h"

#include "filled.h"
#include "kernels/kernels.h"
#include "unit.h"

#include <math.h>
#include <string.h>

enum { SIZES = 4 };

typedef struct input_row {
    const char *name;
    size_t size[SIZES]; /* as many as are not 0 */
} input_row;

typedef struct setting_row {
    const char *name, *text; /* NULL: a number */
    double number;
} setting_row;

/* Several blocks, parts of them cut short; masks of all kinds; forms of q, k and v. */
static const struct row {
    const char *name;
    dtype type;
    input_row in[12];
    setting_row set[8];
    double window[2]; /* before and after; none where both are 0 */
} ROWS[] = {
    {.name = "a layer",
     .type = DTYPE_F32,
     .in = {{"x", {130, 12}},
            {"wq", {12, 16}},
            {"wk", {12, 8}},
            {"wv", {12, 8}},
            {"wo", {16, 12}},
            {"bo", {12}},
            {"bias", {130, 130}},
            {"sinks", {4}}},
     .set = {{"heads", NULL, 4},
             {"kv_heads", NULL, 2},
             {"causal", "true", 0},
             {"rope", "true", 0},
             {"qk_norm", "rms", 0},
             {"softcap", NULL, 0.5},
             {"top", NULL, 3}}},
    {.name = "heads apart, appended rows",
     .type = DTYPE_F64,
     .in = {{"q", {2, 2, 7, 4}},
            {"k", {2, 2, 9, 4}},
            {"v", {2, 2, 9, 3}},
            {"wo", {6, 5}},
            {"bias_k", {8}},
            {"bias_v", {6}},
            {"bias", {7, 9}}},
     .set = {{"add_zero", "true", 0}, {"round", NULL, 2}, {"alibi", "true", 0}},
     .window = {3, -1}},
    {.name = "heads apart without Wo",
     .type = DTYPE_F32,
     .in = {{"q", {1, 3, 60, 4}}, {"k", {1, 1, 50, 4}}, {"v", {1, 1, 50, 4}}, {"bo", {12}}},
     .set = {{"causal", "lower-right", 0}, {"round", NULL, 2}, {"round_sum", "keep", 0}}},
    {.name = "additive with a cache",
     .type = DTYPE_F32,
     .in = {{"x", {2, 5, 6}},
            {"wq", {6, 6}},
            {"wk", {6, 6}},
            {"past_k", {2, 4, 6}},
            {"past_v", {2, 4, 6}},
            {"wa", {3, 5}},
            {"ua", {3, 5}}},
     .set = {{"score", "additive", 0}, {"heads", NULL, 2}, {"positions", "sinusoidal", 0}}},
    {.name = "one head",
     .type = DTYPE_F64,
     .in = {{"q", {70, 8}}, {"k", {300, 8}}, {"v", {300, 5}}},
     .set = {{"causal", "true", 0}, {"offset", NULL, 100}},
     .window = {20, 0}},
};

static void fill(tensor *t, uint64_t seed)
{
    for (size_t i = 0; i < tensor_count(t); i++) {
        double number = (double)(unit_random(&seed) >> 40) * 0x1p-23 - 1;
        if (t->type == DTYPE_F32)
            ((float *)t->data)[i] = (float)number;
        else
            ((double *)t->data)[i] = number;
    }
}

static bool make_document(bundle *to, const struct row *one, err *e)
{
    for (const input_row *in = one->in; in->name != NULL; in++) {
        tensor t;
        int rank = 0;
        while (rank < SIZES && in->size[rank] != 0)
            rank++;
        if (!tensor_new(&t, one->type, rank, in->size, e))
            return false;
        fill(&t, (uint64_t)(in - one->in) + 1);
        if (!bundle_add_tensor(to, in->name, &t, (place){0}, e))
            return false;
    }
    for (const setting_row *set = one->set; set->name != NULL; set++) {
        const char *given = set->text;
        if (given != NULL ? !bundle_add_text(to, set->name, given, strlen(given), (place){0}, e)
                          : !bundle_add_number(to, set->name, set->number, (place){0}, e))
            return false;
    }
    if (one->window[0] != 0)
        bundle_add_filled(to, "window", DTYPE_F64, 1, (size_t[]){2}, one->window);
    return true;
}

/* What rows are made of: numbers that would show. */
static void spoil_rows(bundle *document)
{
    static const char *const OF_ROWS[] = {"x", "wq",     "wk",     "wv",     "q",     "k",
                                          "v", "past_k", "past_v", "bias_k", "bias_v"};
    for (size_t i = 0; i < sizeof OF_ROWS / sizeof OF_ROWS[0]; i++) {
        entry *one = bundle_find(document, OF_ROWS[i]);
        if (one != NULL)
            memset(one->tensor.data, 0xff,
                   tensor_count(&one->tensor) * dtype_size(one->tensor.type));
    }
}

static void check_begun(unit *u, const plan *p, const bundle *whole, const stage_id *at,
                        size_t count, size_t threads)
{
    tensor given[STAGE_COUNT] = {{0}};
    kept_stages after = {.given = given};
    bundle made = {0};
    run_report report;
    err e = {0};
    for (size_t i = 0; i < count; i++)
        given[at[i]] = *bundle_tensor(whole, stage_row(at[i])->key.named.name);
    stage_id last = at[count - 1];
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (id == last || (plan_has_stage(p, id) && plan_is_made_of(p, id, last)))
            kept_stages_add(&after, id);
    }
    size_t said = 0;
    CHECK(u, run_memory(p, &after, threads, &said, &e));
    if (!CHECK(u, run_plan(p, &after, threads, &made, &report, &e)))
        printf("  %s\n", e.what);
    for (size_t i = 0; i < made.count; i++) {
        const tensor *got = &made.entry[i].tensor,
                     *right = bundle_tensor(whole, made.entry[i].name);
        size_t bytes = tensor_count(got) * dtype_size(got->type);
        if (!CHECK(u, tensor_same_shape(got, right) && memcmp(got->data, right->data, bytes) == 0))
            printf("  %s, begun at %s\n", made.entry[i].name, stage_row(last)->key.named.name);
    }
    CHECK(u, made.count == after.count);
    bundle_free(&made);
}

static void check_row(unit *u, const struct row *one, size_t threads)
{
    static const stage_id BLOCKS[] = {STAGE_SCORES, STAGE_MASKED, STAGE_WEIGHTS, STAGE_ATTENDED,
                                      STAGE_CONTEXT};
    bundle document = {0}, whole = {0};
    problem asked;
    plan p;
    kept_stages all = {0};
    run_report report;
    err e = {0};
    CHECK(u, make_document(&document, one, &e) && problem_read(&asked, &document, &e));
    asked.type = one->type;
    if (!CHECK(u, plan_make(&p, &asked, isa_best()->table(one->type), &e))) {
        printf("  %s: %s\n", one->name, e.what);
        return;
    }
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (plan_has_stage(&p, id))
            kept_stages_add(&all, id);
    }
    CHECK(u, run_plan(&p, &all, 1, &whole, &report, &e));
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (plan_has_stage(&p, id) && stage_row(id)->by == STAGE_BY_PROJECTION)
            check_begun(u, &p, &whole, &id, 1, threads);
    }
    spoil_rows(&document);
    for (size_t i = 0; i < sizeof BLOCKS / sizeof BLOCKS[0]; i++) {
        const stage_id at[] = {plan_stand_in(&p, STAGE_PRESENT_V), BLOCKS[i]};
        check_begun(u, &p, &whole, at, 2, threads);
    }
    bundle_free(&whole);
    plan_free(&p);
    problem_free(&asked);
    bundle_free(&document);
}

UNIT_OF(begin, "engine run given stages softmax")
{
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        check_row(u, &ROWS[i], 1);
        check_row(u, &ROWS[i], 3);
    }
}

/* Rows that are given as masked are as they are: nothing but −inf is no overflow, and what the
 * plan's own masks hide may be seen. */
UNIT(begin_masked)
{
    const float masked[] = {-INFINITY, 0, -INFINITY, -INFINITY}, v[] = {2, 4};
    tensor given[STAGE_COUNT] = {{0}};
    kept_stages w = {.given = given};
    bundle document = {0}, made = {0};
    problem asked;
    plan p;
    run_report report;
    err e = {0};
    const struct row one = {
        "", DTYPE_F32, {{"q", {2, 1}}, {"k", {2, 1}}, {"v", {2, 1}}}, {{0}}, {0, 0}};
    CHECK(u, make_document(&document, &one, &e) &&
                 bundle_add_text(&document, "causal", "true", 4, (place){0}, &e) &&
                 problem_read(&asked, &document, &e) &&
                 plan_make(&p, &asked, isa_best()->table(DTYPE_F32), &e));
    memcpy(bundle_find(&document, "v")->tensor.data, v, sizeof v);
    tensor_own(&given[STAGE_MASKED], DTYPE_F32, 2, (size_t[]){2, 2}, (void *)masked);
    kept_stages_add(&w, STAGE_WEIGHTS);
    kept_stages_add(&w, STAGE_OUTPUT);
    CHECK(u, run_plan(&p, &w, 1, &made, &report, &e) && report.empty_rows == 1);
    const float *weights = bundle_tensor(&made, "weights")->data,
                *output = bundle_tensor(&made, "output")->data;
    CHECK(u, weights[0] == 0 && weights[1] == 1 && weights[2] == 0 && weights[3] == 0);
    CHECK(u, output[0] == 4 && output[1] == 0);
    bundle_free(&made);
    plan_free(&p);
    problem_free(&asked);
    bundle_free(&document);
}
