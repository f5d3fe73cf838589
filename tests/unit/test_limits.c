/* What a command line can't bring about on this machine: sizes beyond any address, and an
 * instruction set that is not here. */
#include "attn/engine/run.h"
#include "attn/engine/streamed_stage.h"
#include "attn/plan/kv_cache.h"
#include "said.h"
#include "unit.h"

#include <string.h>

/* Rows that are all the same number: as many as one likes. */
static tensor many_rows(float *one, size_t rows)
{
    return (tensor){.type = DTYPE_F32, .rank = 2, .size = {rows, 1}, .data = one};
}

static void refuses_stages_beyond_an_address(unit *u)
{
    float one = 1;
    err e = {0};
    plan p;
    kept_stages w = {0};
    size_t bytes;
    tensor x = many_rows(&one, (size_t)1 << 40);
    bundle document = {0};
    problem asked = {.score = score_default(), .round_decimals = -1, .document = &document};
    asked.in[INPUT_X] = &x;
    kept_stages_add(&w, STAGE_WEIGHTS); /* 2⁴⁰ × 2⁴⁰ */
    CHECK(u, plan_make(&p, &asked, isa_best()->table(DTYPE_F32), &e));
    CHECK(u, !run_memory(&p, &w, 1, &bytes, &e));
    CHECK_TEXT(u, said(&e),
               "more memory is needed than an address can hold: batches 1, heads 1, queries "
               "1099511627776, keys 1099511627776");
    plan_free(&p);
}

/* What is compared additively, 16 numbers for each of so many rows: more than can be counted, or
 * than have bytes; and when the rows themselves are projected to as many. */
static void refuses_compared_rows_beyond_an_address(unit *u)
{
    static const size_t ROWS[] = {(size_t)1 << 60, (size_t)1 << 58};
    float one = 1;
    tensor wide = many_rows(&one, 1), square = many_rows(&one, 16);
    bundle document = {0};
    wide.size[1] = square.size[1] = 16;
    for (size_t i = 0; i < 4; i++) {
        err e = {0};
        plan p;
        kept_stages none = {0};
        size_t bytes;
        tensor x = many_rows(&one, ROWS[i % 2]);
        const named *additive = named_find(&SCORES, "additive", strlen("additive"));
        problem asked = {.score = (const score *)(const void *)additive,
                         .round_decimals = -1,
                         .document = &document};
        asked.in[INPUT_X] = &x;
        if (i >= 2)
            asked.in[INPUT_WQ] = asked.in[INPUT_WK] = &wide;
        asked.in[INPUT_WA] = asked.in[INPUT_UA] = i >= 2 ? &square : &wide;
        CHECK(u, plan_make(&p, &asked, isa_best()->table(DTYPE_F32), &e));
        CHECK(u, !run_memory(&p, &none, 1, &bytes, &e));
        CHECK(u, strstr(said(&e), "more memory is needed than an address can hold") != NULL);
        plan_free(&p);
    }
}

/* The rows of a projection, and a stream's cache. */
static void refuses_memory_beyond_an_address(unit *u)
{
    float one = 1;
    tensor x = many_rows(&one, (size_t)1 << 40), wide = many_rows(&one, 1);
    wide.size[1] = (size_t)1 << 24;
    kv_cache cache = {0};
    bundle document = {0};
    for (int i = 0; i < 2; i++) {
        err e = {0};
        plan p;
        kept_stages none = {0};
        size_t bytes;
        problem asked = {.score = score_default(), .round_decimals = -1, .document = &document};
        asked.in[INPUT_X] = &x;
        if (i == 0)
            asked.in[INPUT_WQ] = asked.in[INPUT_WK] = &wide;
        else
            asked.cache = &cache, asked.causal = CAUSAL_UPPER_LEFT;
        x.size[0] = (size_t)1 << (i == 0 ? 40 : 60);
        CHECK(u, plan_make(&p, &asked, isa_best()->table(DTYPE_F32), &e));
        CHECK(u, !run_memory(&p, &none, 1, &bytes, &e));
        CHECK(u, strstr(said(&e), "more memory is needed than an address can hold") != NULL);
        CHECK(u, !streamed_stage_memory(&p, STAGE_WEIGHTS, 1, 1, &bytes, &e));
        plan_free(&p);
    }
}

/* A stage whose rows are computed as they are asked for has no place, or a part of it has none. */
static void refuses_streamed_stages_beyond_an_address(unit *u)
{
    static const size_t ROWS[] = {(size_t)1 << 32, (size_t)1 << 60};
    float one = 1;
    for (size_t i = 0; i < 2; i++) {
        err e = {0};
        plan p;
        size_t bytes;
        tensor x = many_rows(&one, ROWS[i]);
        bundle document = {0};
        problem asked = {.score = score_default(), .round_decimals = -1, .document = &document};
        asked.in[INPUT_X] = &x;
        CHECK(u, plan_make(&p, &asked, isa_best()->table(DTYPE_F32), &e));
        CHECK(u, streamed_stage_new(&p, STAGE_WEIGHTS, 1 << 20, 1, &e) == NULL && e.is_memory);
        CHECK_TEXT(u, said(&e), "out of memory: 18446744073709551615 bytes could not be had");
        e = (err){0};
        CHECK(u, streamed_stage_memory(&p, STAGE_WEIGHTS, 1 << 20, 1, &bytes, &e) == (i == 0));
        plan_free(&p);
    }
    err e = {0};
    plan p;
    size_t bytes;
    tensor q = many_rows(&one, 1), k = many_rows(&one, (size_t)1 << 61);
    bundle document = {0};
    problem asked = {.score = score_default(), .round_decimals = -1, .document = &document};
    asked.in[INPUT_Q] = &q;
    asked.in[INPUT_K] = asked.in[INPUT_V] = &k;
    CHECK(u, plan_make(&p, &asked, isa_best()->table(DTYPE_F32), &e));
    CHECK(u, !streamed_stage_memory(&p, STAGE_WEIGHTS, 1 << 20, 1, &bytes, &e));
    CHECK_TEXT(u, said(&e), "out of memory: 18446744073709551615 bytes could not be had");
    plan_free(&p);
}

static void refuses_a_problem_without_inputs(unit *u)
{
    err e = {0};
    plan p;
    bundle document = {0};
    problem asked = {.score = score_default(), .round_decimals = -1, .document = &document};
    CHECK(u, !plan_make(&p, &asked, isa_best()->table(DTYPE_F32), &e));
    CHECK_TEXT(u, said(&e), "there is no q, and no x to make it of");
    plan_free(&p);
}

static void refuses_an_instruction_set_that_is_not_here(unit *u)
{
    err e = {0};
    CHECK(u, isa_by_name("z80", &e) == NULL);
    CHECK_TEXT(u, said(&e),
               "--isa: this machine does not have z80 | --isa auto takes the best that is here");
}

UNIT_OF(limits, "sizes offset positions")
{
    refuses_stages_beyond_an_address(u);
    refuses_compared_rows_beyond_an_address(u);
    refuses_memory_beyond_an_address(u);
    refuses_streamed_stages_beyond_an_address(u);
    refuses_a_problem_without_inputs(u);
    refuses_an_instruction_set_that_is_not_here(u);
}
