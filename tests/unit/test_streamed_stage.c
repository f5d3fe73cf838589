/* A stage whose rows are computed as they are asked for: those of a run that keeps all of them,
 * whatever rows are asked for, in any order. */
#include "attn/engine/run.h"

#include "attn/engine/streamed_stage.h"
#include "base/mem.h"
#include "child.h"
#include "filled.h"
#include "kernels/kernels.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Some three parts a head, blocks and parts cut short at the ends of heads. */
enum { QUERIES = 650, KEYS = 301, HEADS = 2, PART = 240 * KEYS * sizeof(float) };

static void add_numbers(unit *u, bundle *document, const char *name, size_t rows)
{
    tensor t;
    err e = {0};
    uint64_t state = rows;
    if (!CHECK(u, tensor_new(&t, DTYPE_F32, 2, (size_t[]){rows, HEADS}, &e)))
        exit(2);
    for (size_t i = 0; i < rows * HEADS; i++)
        ((float *)t.data)[i] = (float)((double)(unit_random(&state) >> 40) * 0x1p-22 - 2);
    CHECK(u, bundle_add_tensor(document, name, &t, (place){0}, &e));
}

static bool read_problem(unit *u, bundle *document, problem *asked)
{
    err e = {0};
    add_numbers(u, document, "q", QUERIES);
    add_numbers(u, document, "k", KEYS);
    add_numbers(u, document, "v", KEYS);
    return bundle_add_number(document, "heads", HEADS, (place){0}, &e) &&
           bundle_add_text(document, "causal", "lower-right", 11, (place){0}, &e) &&
           problem_read(asked, document, &e);
}

/* Rows from `first` on, as many as there are of `most`. */
static size_t same_rows(unit *u, streamed_stage *s, const tensor *kept, size_t first, size_t most)
{
    err e = {0};
    size_t count = most;
    tensor whole = streamed_stage_tensor(s);
    if (!CHECK(u, streamed_stage_make(s, first, &count, &e) && count >= 1 && count <= most))
        return 1;
    const float *expected = kept->data, *got = whole.data;
    CHECK(u,
          memcmp(expected + first * KEYS, got + first * KEYS, count * KEYS * sizeof(float)) == 0);
    return count;
}

static void rows_are_the_run_s(unit *u, const plan *p, stage_id id, size_t threads)
{
    const size_t all = HEADS * QUERIES;
    kept_stages only = {0};
    bundle stages = {0};
    run_report report;
    err e = {0};
    streamed_stage *s = streamed_stage_new(p, id, PART, threads, &e);
    kept_stages_add(&only, id);
    if (!CHECK(u, s != NULL && run_plan(p, &only, threads, &stages, &report, &e)))
        exit(2);
    const tensor *kept = &stages.entry[0].tensor;
    size_t parts = 0;
    for (size_t row = 0; row < all; parts++)
        row += same_rows(u, s, kept, row, all - row);
    CHECK(u, parts >= 5 && parts <= 8);
    CHECK(u, same_rows(u, s, kept, 0, 3) == 3);
    CHECK(u, same_rows(u, s, kept, 2, 1) == 1); /* which is there already */
    CHECK(u, same_rows(u, s, kept, all - 1, 1) == 1);
    CHECK(u, same_rows(u, s, kept, QUERIES - 1, 2) >= 1);
    streamed_stage_free(s);
    bundle_free(&stages);
}

/* What the first rows don't show is told with the rows that have it. */
static void later_rows_may_fail(unit *u, const plan *p, float *last)
{
    err e = {0};
    size_t count = 1;
    float before = *last;
    *last = 3e38f;
    streamed_stage *s = streamed_stage_new(p, STAGE_WEIGHTS, PART, 1, &e);
    CHECK(u, s != NULL && streamed_stage_make(s, 0, &count, &e));
    CHECK(u, !streamed_stage_make(s, QUERIES - 1, &count, &e));
    CHECK_TEXT(u, e.what, "scores[head 1, query 650] are beyond the range of f32");
    streamed_stage_free(s);
    *last = before;
}

static void only_scores_can(unit *u, const plan *p)
{
    CHECK(u, streamed_stage_can(p, STAGE_SCORES) && streamed_stage_can(p, STAGE_ROUNDED));
    CHECK(u, !streamed_stage_can(p, STAGE_ROW_MAX) && !streamed_stage_can(p, STAGE_TOP));
    CHECK(u, !streamed_stage_can(p, STAGE_WEIGHTED) && !streamed_stage_can(p, STAGE_OUTPUT));
}

static void missing_addresses_are_reported(unit *u)
{
    err e = {0};
    CHECK(u, reserve_new((size_t)1 << 60, &e) == NULL && e.is_memory);
    reserve_free(NULL, 0);
}

/* A stage of n_q × n_k float32 that no address holds, and parts that none does with all else. */
static void what_no_address_holds_is_refused(unit *u, size_t n_q, size_t n_k, size_t part)
{
    const kernels *with = isa_best()->table(DTYPE_F32);
    tensor q = rows_in_one_place(DTYPE_F32, n_q, 1), k = rows_in_one_place(DTYPE_F32, n_k, 1);
    bundle document = {0};
    problem asked = {.document = &document, .score = score_default(), .round_decimals = -1};
    plan p = {0};
    err e = {0};
    size_t bytes;
    asked.in[INPUT_Q] = &q;
    asked.in[INPUT_K] = asked.in[INPUT_V] = &k;
    CHECK(u, plan_make(&p, &asked, with, &e));
    bool is_refused = part > 0 ? !streamed_stage_memory(&p, STAGE_WEIGHTS, part, 1, &bytes, &e)
                               : streamed_stage_new(&p, STAGE_WEIGHTS, 1 << 20, 1, &e) == NULL;
    CHECK(u, is_refused && e.is_memory);
    plan_free(&p);
}

/* Its rows' memory counts as any other. */
static void heeds_the_limit(unit *u, const plan *p)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        err e = {0};
        mem_limit(64 << 20);
        bool is_refused = streamed_stage_new(p, STAGE_WEIGHTS, 1 << 30, 1, &e) == NULL;
        _exit(is_refused && e.is_memory ? 0 : 1);
    }
    CHECK(u, child_ended_well(child));
}

UNIT_OF(streamed_stage, "rows weights softmax")
{
    bundle document = {0};
    problem asked = {0};
    plan p = {0};
    err e = {0};
    if (!CHECK(u, read_problem(u, &document, &asked)) ||
        !CHECK(u, plan_make(&p, &asked, isa_best()->table(DTYPE_F32), &e)))
        exit(2);
    rows_are_the_run_s(u, &p, STAGE_WEIGHTS, 1);
    rows_are_the_run_s(u, &p, STAGE_MASKED, 2);
    float *q = bundle_tensor(&document, "q")->data;
    later_rows_may_fail(u, &p, &q[(QUERIES - 1) * HEADS]);
    only_scores_can(u, &p);
    missing_addresses_are_reported(u);
    heeds_the_limit(u, &p);
    what_no_address_holds_is_refused(u, (size_t)1 << 31, (size_t)1 << 31, 0);
    what_no_address_holds_is_refused(u, (size_t)1 << 32, (size_t)1 << 32, 0);
    what_no_address_holds_is_refused(u, 1, 8, SIZE_MAX - 31); /* a row of the stage is 32 bytes */
    what_no_address_holds_is_refused(u, 1, 8, SIZE_MAX - 32);
    plan_free(&p);
    problem_free(&asked);
    bundle_free(&document);
}
