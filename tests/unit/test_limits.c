/* What a command line can't bring about on this machine: sizes beyond any address, and an
 * instruction set that is not here. */
#include "attn/engine/run.h"
#include "said.h"
#include "unit.h"

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

static void refuses_an_instruction_set_that_is_not_here(unit *u)
{
    err e = {0};
    CHECK(u, isa_by_name("z80", &e) == NULL);
    CHECK_TEXT(u, said(&e),
               "--isa: this machine does not have z80 | --isa auto takes the best that is here");
}

UNIT(limits)
{
    refuses_stages_beyond_an_address(u);
    refuses_an_instruction_set_that_is_not_here(u);
}
