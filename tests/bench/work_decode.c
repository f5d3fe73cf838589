/* One token against a cache that no processor's cache holds, as --stream computes it; and reading
 * as many bytes, which is the least that it could take. */
#include "attn/engine/run.h"
#include "attn/plan/kv_cache.h"
#include "base/threads.h"
#include "bench/work.h"

#include <stdint.h>

typedef struct decoder {
    kv_cache cache;
    size_t past;
    bundle document;
    problem asked;
    plan decided;
    kept_stages wants;
    size_t threads;
} decoder;

static size_t key_heads(const words *w)
{
    return words_number(w, "kv_heads", words_number(w, "heads", 8));
}

/* 1 × heads × rows × d */
static tensor random_rows(size_t heads, size_t rows, size_t d, unsigned seed)
{
    err e = {0};
    tensor t;
    bench_must(tensor_new(&t, DTYPE_F32, 4, (size_t[]){1, heads, rows, d}, &e), &e);
    fill_random(t.data, tensor_count(&t), 1, seed);
    return t;
}

/* The keys of all but one token. */
static void fill_cache(decoder *c, const words *w, const kernels *with)
{
    size_t heads = key_heads(w), d = words_number(w, "d", 64);
    err e = {0};
    tensor rows = random_rows(heads, c->past, d, 1);
    kv_cache_begin(&c->cache, &(kv_cache){.type = DTYPE_F32,
                                          .with = with,
                                          .batches = 1,
                                          .heads = heads,
                                          .k_width = d,
                                          .v_width = d});
    bench_must(kv_cache_reserve(&c->cache, 0, c->past + 1, &e), &e);
    kv_cache_put(&c->cache, &rows, &rows);
    c->cache.rows = c->past;
    tensor_free(&rows);
}

static void write_token(bundle *to, const words *w)
{
    static const char *const NAMES[] = {"q", "k", "v"};
    size_t d = words_number(w, "d", 64);
    err e = {0};
    for (size_t i = 0; i < 3; i++) {
        tensor t =
            random_rows(i == 0 ? words_number(w, "heads", 8) : key_heads(w), 1, d, (unsigned)i + 2);
        bench_must(bundle_add_tensor(to, NAMES[i], &t, (place){0}, &e), &e);
    }
    bench_must(bundle_add_text(to, "causal", "true", 4, (place){0}, &e), &e);
}

static void *prepare_decode(const words *w)
{
    err e = {0};
    const isa *by = isa_by_name(words_value(w, "isa", "auto"), &e);
    if (by == NULL)
        return NULL;
    decoder *c = bench_alloc(1, sizeof *c);
    *c =
        (decoder){.threads = words_number(w, "threads", 1), .past = words_number(w, "n", 2048) - 1};
    fill_cache(c, w, by->table(DTYPE_F32));
    write_token(&c->document, w);
    bench_must(problem_read(&c->asked, &c->document, &e), &e);
    c->asked.cache = &c->cache;
    bench_must(plan_make(&c->decided, &c->asked, by->table(DTYPE_F32), &e), &e);
    kept_stages_add(&c->wants, STAGE_OUTPUT);
    return c;
}

static double run_decode(void *state)
{
    decoder *c = state;
    bundle result = {0};
    run_report report;
    err e = {0};
    double before = now_ms();
    bench_must(run_plan(&c->decided, &c->wants, c->threads, &result, &report, &e), &e);
    bundle_free(&result);
    c->cache.rows = c->past; /* the same token next time */
    return now_ms() - before;
}

/* ---- reading ---- */

enum { STREAMS = 4 };

/* A cache line. */
typedef uint64_t line __attribute__((vector_size(64), may_alias));

typedef struct reading {
    const line *at;
    size_t threads, lines_each; /* of a stream of a thread */
    line sums[THREADS_MOST];
} reading;

static void *prepare_read(const words *w)
{
    size_t bytes =
        2 * words_number(w, "n", 2048) * key_heads(w) * words_number(w, "d", 64) * sizeof(float);
    reading *r = bench_alloc(1, sizeof *r);
    float *numbers = bench_alloc(bytes, 1);
    fill_random(numbers, bytes / sizeof numbers[0], 1, 1);
    *r = (reading){.at = (const line *)(const void *)numbers,
                   .threads = words_number(w, "threads", 1)};
    r->lines_each = bytes / sizeof(line) / STREAMS / r->threads;
    return r;
}

/* Several streams side by side: one alone waits for its memory. */
static void read_part(void *context, size_t worker)
{
    reading *r = context;
    const line *at = r->at + worker * STREAMS * r->lines_each;
    line sum[STREAMS] = {{0}};
    for (size_t i = 0; i < r->lines_each; i++) {
        for (size_t j = 0; j < STREAMS; j++)
            sum[j] ^= at[j * r->lines_each + i];
    }
    for (size_t j = 0; j < STREAMS; j++)
        r->sums[worker] ^= sum[j];
}

static double run_read(void *state)
{
    reading *r = state;
    double before = now_ms();
    threads_run(r->threads, read_part, r);
    return now_ms() - before;
}

const work WORK_DECODE = {"decode", prepare_decode, run_decode, NULL};
const work WORK_READ = {"read", prepare_read, run_read, NULL};
