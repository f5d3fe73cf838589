/* Of blocks that fail at the same time on several threads, the first one's failure is told, whoever
 * met it and whenever. */
#include "attn/engine/run.h"
#include "unit.h"

/* Four blocks, each of which takes a thread longer than another one takes to begin. */
enum { QUERIES = 192, KEYS = 4000, WIDTH = 512, TIMES = 30 };

UNIT_OF(first_failure, "memory threads run")
{
    static float numbers[WIDTH];
    for (size_t i = 0; i < WIDTH; i++)
        numbers[i] = 3e38f; /* whose products no float32 holds */
    tensor q = {.rank = 2, .size = {QUERIES, WIDTH}, .stride = {0, 1}, .data = numbers}, k = q;
    k.size[0] = KEYS;
    bundle document = {0};
    problem asked = {.document = &document, .score = score_default(), .round_decimals = -1};
    kept_stages w = {0};
    plan p;
    err e = {0};
    asked.in[INPUT_Q] = &q;
    asked.in[INPUT_K] = asked.in[INPUT_V] = &k;
    kept_stages_add(&w, STAGE_OUTPUT);
    CHECK(u, plan_make(&p, &asked, isa_best()->table(DTYPE_F32), &e));
    for (size_t i = 0; i < TIMES; i++) {
        bundle result = {0};
        run_report report;
        err first = {0};
        CHECK(u, !run_plan(&p, &w, 2 + i % 3, &result, &report, &first));
        CHECK_TEXT(u, first.what, "scores[query 1] are beyond the range of f32");
        bundle_free(&result);
    }
    plan_free(&p);
}
