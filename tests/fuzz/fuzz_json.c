/* Any bytes as a JSON document: the scan against cJSON, every kind of matrix there and back, and a
 * whole problem, or a stack of layers, read, planned and, when it is small, run. */
#include "attn/spec/keys.h"
#include "attn/engine/run.h"
#include "fuzz/claims.h"
#include "fuzz/grown.h"
#include "io/format.h"
#include "io/json_scan.h"
#include "io/source.h"
#include "model/stack_keys.h"
#include "model/stack.h"
#include "model/stack_run.h"

#include <cjson/cJSON.h>
#include <math.h>

/* ---- the grammar ---- */

/* cJSON 1.7.15 cuts a number after 63 characters. */
static bool has_long_number(const char *bytes, size_t length)
{
    size_t run = 0;
    for (size_t i = 0; i < length && run < 60; i++)
        run = memchr("+-.0123456789eE", bytes[i], 15) != NULL ? run + 1 : 0;
    return run >= 60;
}

/* cJSON accepts more than JSON, but all of it. */
static void check_scan(const char *bytes, size_t length)
{
    err e = {0};
    json_text t = json_text_of(bytes, length, "fuzz", 1);
    const char *first = t.bytes; /* cJSON wants more than one byte after a byte order mark */
    bool done = json_scan(&t, NULL, &e);
    claim_error_fits(done, &e);
    if (!done || has_long_number(bytes, length))
        return;
    cJSON *tree = cJSON_ParseWithLength(first, (size_t)(t.end - first));
    claim(tree != NULL, "what the strict scan accepts, cJSON accepts");
    cJSON_Delete(tree);
}

/* ---- there and back ---- */

/* Results have no bundles in them; and a list of truths without a name is written bare, which is
 * read back where masks are asked for, and refused as a matrix. */
static void remove_what_no_result_has(bundle *b)
{
    for (size_t i = b->count; i-- > 0;) {
        const entry *one = &b->entry[i];
        bool is_bare_truths =
            one->name[0] == '\0' && one->kind == ENTRY_TENSOR && one->tensor.type == DTYPE_BOOL;
        if (one->kind == ENTRY_BUNDLE || is_bare_truths)
            bundle_remove(b, one->name);
    }
}

static void check_there_and_back(const char *bytes, size_t length, const read_options *how)
{
    const format *json = format_by_name("json");
    bundle first = {0};
    (void)read_any(json, bytes, length, how, &first);
    remove_what_no_result_has(&first);
    if (first.count > 0) {
        text written = written_as(json, &first, '\0');
        bundle second = read_again(json, &written, how);
        claim_same(&first, &second);
        text_free(&written);
        bundle_free(&second);
    }
    bundle_free(&first);
}

/* ---- a problem ---- */

enum { FEW_BYTES = 1 << 20 };

static bool is_small(const plan *p)
{
    double pairs = (double)p->batches * (double)p->heads * (double)p->n_q * (double)p->n_k;
    return pairs * (double)(p->compared_width + p->v.width) < 1e6;
}

/* A row of weights sums to 1, or to 0 where a query may attend to nothing; a sink takes a part. */
static void check_weights(const tensor *weights, bool has_sinks)
{
    size_t n_k = weights->size[weights->rank - 1];
    size_t rows = tensor_count(weights) / n_k;
    for (size_t row = 0; row < rows; row++) {
        double sum = 0;
        for (size_t j = 0; j < n_k; j++) {
            size_t at = row * n_k + j;
            double one = weights->type == DTYPE_F32 ? (double)((const float *)weights->data)[at]
                                                    : ((const double *)weights->data)[at];
            claim(one >= 0 && one <= 1, "a weight is from 0 to 1");
            sum += one;
        }
        claim(sum < 1 + 1e-5 && (sum == 0 || has_sinks || sum > 1 - 1e-5),
              "a row of weights sums to 1");
    }
}

static bool run(const plan *p, const kept_stages *w, size_t threads, bundle *result)
{
    err e = {0};
    run_report report = {0};
    bool done = run_plan(p, w, threads, result, &report, &e);
    claim_error_fits(done, &e);
    return done;
}

static void check_run(const plan *p)
{
    kept_stages all = {0};
    bundle once = {0}, again = {0};
    err e = {0};
    size_t bytes;
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        if (plan_has_stage(p, id))
            kept_stages_add(&all, id);
    }
    if (!is_small(p) || !run_memory(p, &all, 1, &bytes, &e) || bytes > FEW_BYTES)
        return;
    bool done = run(p, &all, 1, &once);
    claim(done == run(p, &all, 3, &again), "threads decide nothing");
    if (done) {
        claim_same(&once, &again);
        check_weights(bundle_tensor(&once, "weights"), p->sinks.data != NULL);
    }
    bundle_free(&once);
    bundle_free(&again);
}

static void check_problem(const bundle *document, dtype type)
{
    problem asked;
    plan p;
    err e = {0};
    bool done = problem_read(&asked, document, &e);
    claim_error_fits(done, &e);
    if (done) {
        done = plan_make(&p, &asked, isa_best()->table(asked.type), &e);
        claim_error_fits(done, &e);
        if (done && asked.type == type)
            check_run(&p);
        plan_free(&p);
    }
    problem_free(&asked);
}

static void check_document(const char *bytes, size_t length, dtype type)
{
    read_options how = {.file = "fuzz", .keys = &KEYS, .kind = KEY_MATRIX, .type = type};
    bundle document = {0};
    if (read_any(format_by_name("json"), bytes, length, &how, &document))
        check_problem(&document, type);
    bundle_free(&document);
}

/* ---- layers ---- */

/* Every stage of a small stack takes less than this many multiply-adds, and numbers. */
static const double FEW_OPERATIONS = 1e5;

static bool run_layers(const stack *s, const text_list *names, size_t threads, bundle *result)
{
    err e = {0};
    run_report report = {0};
    crew by;
    crew_open(&by, threads);
    bool done = stack_run(s, names, &by, result, &report, &e);
    crew_close(&by);
    claim_error_fits(done, &e);
    return done;
}

static void check_layers_run(const stack *s)
{
    text_list names = {0};
    bundle once = {0}, again = {0};
    err e = {0};
    claim(stack_stage_names(s, &names, &e), "a stack that is planned names its stages");
    bool done = run_layers(s, &names, 1, &once);
    claim(done == run_layers(s, &names, 3, &again), "threads decide nothing");
    if (done) {
        claim(once.count == names.count, "all stages that are named are made");
        claim_same(&once, &again);
    }
    text_list_free(&names);
    bundle_free(&once);
    bundle_free(&again);
}

static void check_layers(const char *bytes, size_t length, bool is_decoder)
{
    read_options how = {.file = "fuzz",
                        .keys = &KEYS,
                        .document_keys = &STACK_DOCUMENT,
                        .kind = KEY_MATRIX,
                        .type = DTYPE_F32};
    static char *const ANY[] = {"*"};
    static const text_list ALL = {.item = (char **)ANY, .count = 1};
    stack_settings of_stack = {.is_decoder = is_decoder};
    bundle document = {0};
    stack s;
    err e = {0};
    size_t needed;
    if (read_any(format_by_name("json"), bytes, length, &how, &document)) {
        bool done = stack_read(&s, &document, &of_stack, isa_best(), &e);
        claim_error_fits(done, &e);
        if (done && stack_operations(&s) < FEW_OPERATIONS &&
            stack_memory(&s, &ALL, 1, &needed, &e) && needed < FEW_BYTES)
            check_layers_run(&s);
        stack_free(&s);
    }
    bundle_free(&document);
}

/* ---- inputs ---- */

static void add_member(grown *g)
{
    static const named_table *const TABLES[] = {&KEYS, &KEYS, &LAYER_KEYS, &STACK_KEYS, &NORM_KEYS};
    static const char *const VALUES[] = {"[[1, 2], [3, 4]]",
                                         "[[0.5, 0], [0, -1]]",
                                         "[1, 2]",
                                         "2",
                                         "0",
                                         "-1",
                                         "0.5",
                                         "true",
                                         "null",
                                         "[[[1, 2], [3, 4]]]",
                                         "{}",
                                         "[{}]",
                                         "{\"gain\": [1, 2]}",
                                         "\"NaN\"",
                                         "1e39",
                                         "[]",
                                         "{\"a\": [1, 2], \"b\": [3, 4]}",
                                         "[\"a\", \"b\"]",
                                         "[true, false]"};
    char member[192];
    size_t at = grown_after(g, '{', false);
    if (at == SIZE_MAX) {
        grown_put_text(g, 0, "{}");
        return;
    }
    const char *heading = grown_word(g, GROWN_ONE_OF(g, TABLES)), *word = NULL;
    const option_row *option = option_by_key(heading, strlen(heading));
    if (option != NULL)
        word = grown_word(g, option->choices);
    bool is_last = at < g->size && g->data[at] == '}', is_word = word != NULL && grown_pick(g, 4);
    const char *value = is_word ? word : GROWN_ONE_OF(g, VALUES);
    snprintf(member, sizeof member, is_word ? "\"%s\": \"%s\"%s" : "\"%s\": %s%s", heading, value,
             is_last ? "" : ", ");
    grown_put_text(g, at, member);
}

/* A list once more, or no longer. */
static void copy_list(grown *g)
{
    size_t at = grown_after(g, '[', false), end = at, depth = 1;
    char copy[256];
    if (at == SIZE_MAX)
        return;
    for (; depth > 0 && end < g->size; end++)
        depth += (g->data[end] == '[') - (size_t)(g->data[end] == ']');
    size_t length = end - --at;
    if (depth > 0 || length + 2 > sizeof copy)
        return;
    memcpy(copy, ", ", 2);
    memcpy(copy + 2, g->data + at, length);
    if (grown_pick(g, 2) == 0)
        grown_put(g, end, 0, copy, length + 2);
    else if (end + 2 <= g->size && g->data[end] == ',')
        grown_put(g, at, length + 2, "", 0);
}

static void edit(grown *g)
{
    if (grown_pick(g, 3) == 0)
        copy_list(g);
    else
        add_member(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const char *bytes = (const char *)data;
    read_options f32 = {.file = "fuzz", .kind = KEY_MATRIX, .type = DTYPE_F32};
    read_options f64 = {
        .file = "fuzz", .kind = KEY_EXPECTED, .type = DTYPE_F64, .allow_nonfinite = true};
    read_options all = f64;
    all.keeps_all = all.any_rank = all.keeps_json = true;
    check_scan(bytes, length);
    check_there_and_back(bytes, length, &f32);
    check_there_and_back(bytes, length, &f64);
    check_there_and_back(bytes, length, &all);
    check_read_alike(format_by_name("json"), bytes, length, "", &f32);
    check_read_alike(format_by_name("json"), bytes, length, "", &f64);
    check_document(bytes, length, DTYPE_F32);
    check_layers(bytes, length, false);
    check_layers(bytes, length, true);
    (void)json_probe(bytes, length);
    (void)jsonl_probe(bytes, length);
    return 0;
}
