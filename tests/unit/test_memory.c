/* What run_memory says is what run_plan then takes: no more, so that --max-memory holds, and not
 * much less, so that nothing is refused that would fit. */
#include "attn/engine/run.h"
#include "filled.h"
#include "heap.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* Next to tensors there are names, places, and what the allocator adds to each block. */
enum { ALLOWANCE = 64 * 1024 };

/* A problem: x is n × m with weights m × heads·d, or where m is 0 q, k and v are given, heads side
 * by side, or apart. */
typedef struct shape {
    const char *score; /* NULL: scaled */
    dtype type;
    size_t n, m, heads, kv_heads, d;
    bool has_wo, is_apart, keeps_sum;
} shape;

static const struct row {
    const char *name;
    shape of;
    size_t threads, wanted;
    stage_id stage[4];
} ROWS[] = {
    {"output only", {.n = 300, .heads = 8, .kv_heads = 8, .d = 64}, 1, 1, {STAGE_OUTPUT}},
    {"threads", {.n = 300, .heads = 8, .kv_heads = 8, .d = 64}, 7, 1, {STAGE_OUTPUT}},
    {"nothing kept", {.n = 300, .heads = 4, .kv_heads = 4, .d = 64}, 2, 0, {0}},
    {"weights",
     {.n = 300, .heads = 4, .kv_heads = 4, .d = 64},
     2,
     2,
     {STAGE_WEIGHTS, STAGE_OUTPUT}},
    {"stages",
     {.n = 300, .heads = 2, .kv_heads = 2, .d = 64},
     3,
     4,
     {STAGE_SCALED, STAGE_EXP, STAGE_CONTEXT, STAGE_ATTENDED}},
    {"a layer",
     {.n = 300, .m = 256, .heads = 4, .kv_heads = 4, .d = 64, .has_wo = true},
     2,
     1,
     {STAGE_OUTPUT}},
    {"a layer's q",
     {.n = 300, .m = 256, .heads = 4, .kv_heads = 4, .d = 64},
     2,
     2,
     {STAGE_Q, STAGE_CONTEXT}},
    {"shared keys", {.n = 400, .m = 128, .heads = 8, .kv_heads = 2, .d = 32}, 3, 1, {STAGE_OUTPUT}},
    {"wide weights",
     {.n = 3, .m = 1500, .heads = 4, .kv_heads = 4, .d = 300, .has_wo = true},
     1,
     1,
     {STAGE_OUTPUT}},
    {"narrow values", {.n = 2000, .heads = 1, .kv_heads = 1, .d = 3}, 1, 1, {STAGE_OUTPUT}},
    {"heads apart",
     {.n = 300, .heads = 4, .kv_heads = 4, .d = 64, .is_apart = true},
     2,
     1,
     {STAGE_OUTPUT}},
    {"float64",
     {.type = DTYPE_F64, .n = 300, .m = 128, .heads = 4, .kv_heads = 4, .d = 32},
     3,
     1,
     {STAGE_WEIGHTS}},
    {"general",
     {.score = "general", .n = 300, .heads = 4, .kv_heads = 4, .d = 64},
     2,
     1,
     {STAGE_OUTPUT}},
    {"additive",
     {.score = "additive", .n = 200, .heads = 2, .kv_heads = 2, .d = 8},
     2,
     1,
     {STAGE_OUTPUT}},
    {"shares",
     {.n = 800, .heads = 1, .kv_heads = 1, .d = 8, .keeps_sum = true},
     5,
     1,
     {STAGE_OUTPUT}},
};

/* ---- problems ---- */

static void give(problem *p, tensor *t, input which, const shape *s, int rank, const size_t *size)
{
    err e = {0};
    if (!tensor_new(t, s->type, rank, size, &e))
        abort();
    memset(t->data, 0, tensor_count(t) * dtype_size(s->type));
    p->in[which] = t;
}

static void give_rows(problem *p, tensor *in, const shape *s)
{
    static const input GIVEN[] = {INPUT_Q, INPUT_K, INPUT_V};
    for (size_t i = 0; i < 3; i++) {
        size_t heads = i == 0 ? s->heads : s->kv_heads;
        size_t beside[] = {s->n, heads * s->d}, apart[] = {1, heads, s->n, s->d};
        give(p, &in[GIVEN[i]], GIVEN[i], s, s->is_apart ? 4 : 2, s->is_apart ? apart : beside);
    }
}

static void give_weights(problem *p, tensor *in, const shape *s)
{
    const size_t x[] = {s->n, s->m}, wq[] = {s->m, s->heads * s->d},
                 wkv[] = {s->m, s->kv_heads * s->d}, wo[] = {s->heads * s->d, s->m};
    give(p, &in[INPUT_X], INPUT_X, s, 2, x);
    give(p, &in[INPUT_WQ], INPUT_WQ, s, 2, wq);
    give(p, &in[INPUT_WK], INPUT_WK, s, 2, wkv);
    give(p, &in[INPUT_WV], INPUT_WV, s, 2, wkv);
    if (s->has_wo)
        give(p, &in[INPUT_WO], INPUT_WO, s, 2, wo);
}

static problem make_problem(const shape *s, tensor *in, const bundle *document)
{
    problem p = {.document = document,
                 .type = s->type,
                 .score = score_default(),
                 .heads = s->heads,
                 .kv_heads = s->kv_heads,
                 .round_decimals = s->keeps_sum ? 2 : -1,
                 .round_keeps_sum = s->keeps_sum};
    const size_t square[] = {s->d, s->d};
    if (s->score != NULL)
        p.score = (const score *)(const void *)named_find(&SCORES, s->score, strlen(s->score));
    if (s->m == 0)
        give_rows(&p, in, s);
    else
        give_weights(&p, in, s);
    if (p.score->for_query != NULL)
        give(&p, &in[INPUT_WS], s->score[0] == 'g' ? INPUT_WS : INPUT_WA, s, 2, square);
    if (p.score->for_key != NULL)
        give(&p, &in[INPUT_UA], INPUT_UA, s, 2, square);
    return p;
}

/* ---- the measure ---- */

static void measure(unit *u, const struct row *one)
{
    tensor in[INPUT_COUNT] = {{0}};
    bundle document = {0}, result = {0};
    err e = {0};
    plan p;
    run_report report;
    kept_stages w = {0};
    size_t said = 0, most = 0;
    problem asked = make_problem(&one->of, in, &document);
    for (size_t i = 0; i < one->wanted; i++)
        kept_stages_add(&w, one->stage[i]);
    bool done = plan_make(&p, &asked, isa_best()->table(one->of.type), &e) &&
                run_memory(&p, &w, one->threads, &said, &e);
    if (done) {
        heap_watch();
        done = run_plan(&p, &w, one->threads, &result, &report, &e);
        most = heap_peak();
    }
    CHECK(u, done);
    bool is_enough = CHECK(u, most <= said + ALLOWANCE), is_near = CHECK(u, said <= most * 4 / 3);
    if (!done || !is_enough || !is_near)
        printf("  %s: %zu bytes said, %zu taken%s%s\n", one->name, said, most, e.is_set ? ": " : "",
               e.what);
    bundle_free(&result);
    plan_free(&p);
    for (size_t i = 0; i < INPUT_COUNT; i++)
        tensor_free(&in[i]);
}

/* ---- more than there are addresses ---- */

typedef struct vast {
    dtype type;
    size_t n_q, n_k, d, threads;
    bool keeps_weights, keeps_sum;
    bool is_projected; /* all of one x, whose rows are as many as keys */
} vast;

/* Rows that are made, a row of scores and what is kept are always taken: the least that may be
 * said; and by how much blocks, panels and threads are more, the most. */
static bool check_vast(unit *u, const vast *v)
{
    const long double addresses = 18446744073709551616.0L, most_by_least = 16384;
    bundle document = {0};
    err e = {0};
    plan p;
    kept_stages w = {0};
    size_t said = 0;
    tensor q = rows_in_one_place(v->type, v->n_q, v->d),
           k = rows_in_one_place(v->type, v->n_k, v->d),
           weight = rows_in_one_place(v->type, v->d, v->d);
    problem asked = {.document = &document,
                     .type = v->type,
                     .score = score_default(),
                     .round_decimals = v->keeps_sum ? 2 : -1,
                     .round_keeps_sum = v->keeps_sum};
    if (v->is_projected) {
        asked.in[INPUT_X] = &k;
        asked.in[INPUT_WQ] = asked.in[INPUT_WK] = asked.in[INPUT_WV] = &weight;
    } else {
        asked.in[INPUT_Q] = &q;
        asked.in[INPUT_K] = asked.in[INPUT_V] = &k;
    }
    kept_stages_add(&w, v->keeps_weights ? STAGE_WEIGHTS : STAGE_OUTPUT);
    CHECK(u, plan_make(&p, &asked, isa_best()->table(v->type), &e));
    long double rows = v->is_projected ? v->n_k : v->n_q, keys = v->n_k,
                kept = rows * (v->keeps_weights ? v->n_k : v->d),
                made = v->is_projected ? 3 * rows * v->d : 0,
                least = dtype_size(v->type) * (keys + kept + made);
    bool fits = run_memory(&p, &w, v->threads, &said, &e);
    bool is_right = fits ? said >= least : least * most_by_least >= addresses;
    if (!CHECK(u, is_right && fits == !e.is_set))
        printf("  %zu queries, %zu keys, %zu wide, %zu threads: %s %zu\n", v->n_q, v->n_k, v->d,
               v->threads, fits ? "said" : e.what, said);
    plan_free(&p);
    return fits;
}

/* The most keys that are not refused. */
static size_t most_keys(unit *u, vast v)
{
    size_t fitting = 1, refused = SIZE_MAX / 4;
    while (refused - fitting > 1) {
        v.n_k = fitting + (refused - fitting) / 2;
        *(check_vast(u, &v) ? &fitting : &refused) = v.n_k;
    }
    return fitting;
}

static void check_near(unit *u, vast v, size_t n_k)
{
    for (size_t less = 0; less < 8; less += 1 + less / 2) {
        v.n_k = n_k - less;
        check_vast(u, &v);
    }
}

UNIT(memory_past_all_addresses)
{
    static const size_t QUERIES[] = {1, 6, 100, (size_t)1 << 20, (size_t)1 << 31};
    static const struct {
        size_t d, bits; /* of n_k: of the numbers of a tensor there is a count */
    } WIDTHS[] = {{1, 64}, {64, 58}, {4096, 52}};
    for (size_t i = 0; i < 5 * 3 * 32; i++) {
        size_t width = i / 32 % 3;
        const vast v = {.type = i & 1 ? DTYPE_F64 : DTYPE_F32,
                        .n_q = QUERIES[i / 96],
                        .d = WIDTHS[width].d,
                        .threads = i & 2 ? 5 : 1,
                        .keeps_weights = i & 4,
                        .keeps_sum = i & 8,
                        .is_projected = i & 16};
        for (size_t bits = 10; bits < WIDTHS[width].bits; bits++)
            check_near(u, v, (size_t)1 << bits);
        if (v.d == 1)
            check_near(u, v, most_keys(u, v) + 4);
    }
}

UNIT(memory)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        measure(u, &ROWS[i]);
}
