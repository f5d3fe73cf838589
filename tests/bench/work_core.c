/* The attention core with q, k and v given, and the whole layer: from plan to result, as
 * `selfattn run` computes it between reading and writing; the layer as it does a line of a stream,
 * whose weights are packed already, as its rival's are. */
#include "attn/engine/multiply.h"
#include "attn/engine/run.h"
#include "bench/work.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

typedef struct core {
    bundle document;
    problem asked;
    plan decided;
    kept_stages wants;
    packed_weights kept;
    size_t threads;
    double base_kb; /* the process's memory before the first run */
    double memory;  /* what that run added; 0 before it */
    double result;  /* bytes of what came out */
} core;

/* ---- documents ---- */

static void add_matrix(bundle *to, const char *name, size_t rows, size_t columns, float scale)
{
    err e = {0};
    tensor t;
    bench_must(tensor_new(&t, DTYPE_F32, 2, (size_t[]){rows, columns}, &e), &e);
    fill_random(t.data, rows * columns, scale, (unsigned)to->count + 1);
    bench_must(bundle_add_tensor(to, name, &t, (place){0}, &e), &e);
}

static void add_settings(bundle *to, const words *w)
{
    err e = {0};
    size_t heads = words_number(w, "heads", 1), kv_heads = words_number(w, "kv_heads", heads);
    bench_must(bundle_add_number(to, "heads", (double)heads, (place){0}, &e), &e);
    bench_must(bundle_add_number(to, "kv_heads", (double)kv_heads, (place){0}, &e), &e);
    if (words_are(w, "causal", "yes"))
        bench_must(bundle_add_text(to, "causal", "true", 4, (place){0}, &e), &e);
}

/* Each query sees so many keys, itself the first after the middle. */
static void add_window(bundle *to, size_t keys)
{
    err e = {0};
    size_t count = 2;
    tensor sides;
    bench_must(tensor_new(&sides, DTYPE_F64, 1, &count, &e), &e);
    ((double *)sides.data)[0] = (double)(keys / 2);
    ((double *)sides.data)[1] = (double)(keys - 1 - keys / 2);
    bench_must(bundle_add_tensor(to, "window", &sides, (place){0}, &e), &e);
}

/* 1 × heads × n × n, small numbers or what is mostly true. */
static void add_of_scores(bundle *to, const char *name, dtype type, const words *w)
{
    size_t n = words_number(w, "n", 2048), size[] = {1, words_number(w, "heads", 1), n, n};
    err e = {0};
    tensor t;
    bench_must(tensor_new(&t, type, 4, size, &e), &e);
    if (type == DTYPE_F32)
        fill_random(t.data, tensor_count(&t), 1, 7);
    for (size_t i = 0; type == DTYPE_BOOL && i < tensor_count(&t); i++)
        ((unsigned char *)t.data)[i] = i % 5 != 0;
    bench_must(bundle_add_tensor(to, name, &t, (place){0}, &e), &e);
}

static void add_variants(bundle *to, const words *w)
{
    err e = {0};
    size_t window = words_number(w, "window", 0);
    const char *by = words_value(w, "score", "scaled");
    if (window > 0)
        add_window(to, window);
    if (words_are(w, "bias", "yes"))
        add_of_scores(to, "bias", DTYPE_F32, w);
    if (words_are(w, "mask", "yes"))
        add_of_scores(to, "mask", DTYPE_BOOL, w);
    if (words_are(w, "rope", "yes"))
        bench_must(bundle_add_text(to, "rope", "true", 4, (place){0}, &e), &e);
    bench_must(bundle_add_text(to, "score", by, strlen(by), (place){0}, &e), &e);
}

static bool goes_back(const words *w)
{
    return words_are(w, "back", "yes");
}

/* q·kᵀ/√d of elements of variance 1 has the variance 1 too; sharp=50 makes it fifty times as
 * wide. */
static void write_core(bundle *to, const words *w)
{
    size_t n = words_number(w, "n", 2048);
    size_t heads = words_number(w, "heads", 1), d = words_number(w, "d", 64);
    size_t shared = words_number(w, "kv_heads", heads) * d;
    add_matrix(to, "q", n, heads * d, (float)words_number(w, "sharp", 1));
    add_matrix(to, "k", n, shared, 1);
    add_matrix(to, "v", n, shared, 1);
    if (goes_back(w))
        add_matrix(to, "output_grad", n, heads * d, 1);
}

/* Weights of variance 1/width keep the variance of what they project. */
static void write_layer(bundle *to, const words *w)
{
    static const char *const WEIGHTS[] = {"wq", "wk", "wv", "wo"};
    size_t width = words_number(w, "width", 512);
    add_matrix(to, "x", words_number(w, "n", 2048), width, 1);
    for (size_t i = 0; i < 4; i++)
        add_matrix(to, WEIGHTS[i], width, width, 1 / sqrtf((float)width));
    if (goes_back(w))
        add_matrix(to, "output_grad", words_number(w, "n", 2048), width, 1);
}

/* ---- preparing ---- */

static double memory_kb(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_maxrss;
}

static void *prepare(const words *w, void (*write)(bundle *to, const words *w))
{
    core *c = bench_alloc(1, sizeof *c);
    *c = (core){.threads = words_number(w, "threads", 1)};
    err e = {0};
    write(&c->document, w);
    add_settings(&c->document, w);
    add_variants(&c->document, w);
    const isa *by = isa_by_name(words_value(w, "isa", "auto"), &e);
    if (by == NULL)
        return NULL;
    bundle_set_stays(&c->document);
    bench_must(problem_read(&c->asked, &c->document, &e), &e);
    c->kept.most = SIZE_MAX;
    c->asked.packed_weights = &c->kept;
    bench_must(plan_make(&c->decided, &c->asked, by->table(DTYPE_F32), &e), &e);
    if (words_are(w, "emit", "weights"))
        kept_stages_add(&c->wants, STAGE_WEIGHTS);
    kept_stages_add(&c->wants, STAGE_OUTPUT);
    c->base_kb = memory_kb();
    return c;
}

/* The way back too, to all that was given. */
static void want_gradients(core *c, const stage_id *of, size_t count, const words *w)
{
    for (size_t i = 0; c != NULL && goes_back(w) && i < count; i++)
        kept_stages_add(&c->wants, of[i]);
}

static void *prepare_core(const words *w)
{
    static const stage_id OF[] = {STAGE_Q_GRAD, STAGE_K_GRAD, STAGE_V_GRAD};
    core *c = prepare(w, write_core);
    want_gradients(c, OF, sizeof OF / sizeof OF[0], w);
    return c;
}

static void *prepare_layer(const words *w)
{
    static const stage_id OF[] = {STAGE_X_GRAD, STAGE_WQ_GRAD, STAGE_WK_GRAD, STAGE_WV_GRAD,
                                  STAGE_WO_GRAD};
    core *c = prepare(w, write_layer);
    want_gradients(c, OF, sizeof OF / sizeof OF[0], w);
    return c;
}

/* ---- running ---- */

static double bytes_of(const bundle *result)
{
    double bytes = 0;
    for (size_t i = 0; i < result->count; i++) {
        const tensor *t = &result->entry[i].tensor;
        bytes += (double)tensor_bytes(t->type, t->rank, t->size);
    }
    return bytes;
}

/* Freeing the result is timed too: who asks for memory pays for giving it back. */
static double run(void *state)
{
    core *c = state;
    bundle result = {0};
    run_report report;
    err e = {0};
    double before = now_ms();
    bench_must(run_plan(&c->decided, &c->wants, c->threads, &result, &report, &e), &e);
    c->result = bytes_of(&result);
    bundle_free(&result);
    return now_ms() - before;
}

/* The greatest memory that the process had in its first run, less what it had with the inputs alone
 * and less the result, in MB: what a run works in. Later runs would add what the C library keeps of
 * earlier ones. */
static double run_for_memory(void *state)
{
    core *c = state;
    if (c->memory == 0) {
        run(c);
        c->memory = (memory_kb() - c->base_kb) * 1024e-6 - c->result * 1e-6;
    }
    return c->memory;
}

/* ---- multiply-adds ---- */

/* On the way back the scores come again, then a product for each gradient: of weights, q, k and v.
 * Each of a layer's projections has two. */
static double core_operations(const words *w)
{
    double n = (double)words_number(w, "n", 2048), heads = (double)words_number(w, "heads", 1);
    double pairs = words_are(w, "causal", "yes") ? n * (n + 1) / 2 : n * n;
    double products = goes_back(w) ? 7 : 2;
    return products * pairs * heads * (double)words_number(w, "d", 64);
}

static double layer_operations(const words *w)
{
    double n = (double)words_number(w, "n", 2048), width = (double)words_number(w, "width", 512);
    double products = goes_back(w) ? 7 : 2, projections = goes_back(w) ? 12 : 4;
    return products * n * n * width + projections * n * width * width;
}

const work WORK_CORE = {"core", prepare_core, run, core_operations};
const work WORK_LAYER = {"layer", prepare_layer, run, layer_operations};
const work WORK_MEMORY = {"memory", prepare_core, run_for_memory, NULL};
