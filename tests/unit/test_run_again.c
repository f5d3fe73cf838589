/* A plan that is run again, with other numbers in its inputs, gives what a plan of those would. */
#include "attn/engine/run.h"

#include "attn/spec/problem.h"
#include "kernels/kernels.h"
#include "unit.h"

#include <string.h>

enum { ROWS = 7, WIDTH = 4 };

static void fill(const bundle *document, uint64_t seed)
{
    static const char *const NAMES[] = {"x", "wq", "wk", "wo", "bias"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        const tensor *t = bundle_tensor(document, NAMES[i]);
        float *to = t->data;
        for (size_t j = 0; j < tensor_count(t); j++)
            to[j] = (float)(unit_random(&seed) >> 40) / (1 << 23) - 1;
    }
}

static void add_matrix(unit *u, bundle *to, const char *name, size_t rows, size_t columns)
{
    const size_t size[] = {rows, columns};
    tensor t;
    err e = {0};
    CHECK(u, tensor_new(&t, DTYPE_F32, 2, size, &e) &&
                 bundle_add_tensor(to, name, &t, (place){0}, &e));
}

static void make_document(unit *u, bundle *to, size_t rows)
{
    err e = {0};
    add_matrix(u, to, "x", rows, WIDTH);
    add_matrix(u, to, "wq", WIDTH, WIDTH);
    add_matrix(u, to, "wk", WIDTH, WIDTH);
    add_matrix(u, to, "wo", WIDTH, WIDTH);
    add_matrix(u, to, "bias", rows, rows);
    CHECK(u, bundle_add_number(to, "heads", 2, (place){0}, &e) &&
                 bundle_add_text(to, "rope", "true", 4, (place){0}, &e) &&
                 bundle_add_text(to, "score", "general", 7, (place){0}, &e));
}

static bool make_plan(problem *asked, plan *p, const bundle *document, err *e)
{
    return problem_read(asked, document, e) &&
           plan_make(p, asked, isa_by_name("auto", e)->table(asked->type), e);
}

static bool same_stages(const bundle *a, const bundle *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const tensor *s = &a->entry[i].tensor, *t = &b->entry[i].tensor;
        same = tensor_same_shape(s, t) &&
               memcmp(s->data, t->data, tensor_count(s) * sizeof(float)) == 0;
    }
    return same;
}

/* Against a plan that knows these numbers alone. */
static void check_numbers(unit *u, uint64_t seed, const bundle *document, const kept_stages *w,
                          const bundle *stages)
{
    problem asked;
    plan fresh;
    bundle alone = {0};
    run_report report;
    err e = {0};
    fill(document, seed);
    CHECK(u, make_plan(&asked, &fresh, document, &e) &&
                 run_plan(&fresh, w, 1, &alone, &report, &e) && same_stages(stages, &alone));
    bundle_free(&alone);
    plan_free(&fresh);
    problem_free(&asked);
}

/* An output beyond the range is told, and the run after it is as any other. */
static void goes_on_after_failure(unit *u, run_room *room, crew *by, const bundle *document,
                                  bundle *stages)
{
    run_report report;
    err e = {0};
    float *wo = bundle_tensor(document, "wo")->data;
    wo[0] = 3e38f;
    for (size_t i = 0; i < ROWS * WIDTH; i++)
        ((float *)bundle_tensor(document, "x")->data)[i] = 4;
    CHECK(u, !run_again(room, by, stages, &report, &e));
    CHECK_TEXT(u, e.what, "output[row 1, column 1] is beyond the range of f32");
}

UNIT_OF(run_again, "engine stream")
{
    enum { FEWER = 5 };
    static const size_t ROWS_OF[] = {ROWS, FEWER};
    bundle stages = {0};
    kept_stages w = {0};
    run_report report;
    crew alone;
    err e = {0};
    run_room *room = run_room_new(&e);
    crew_open(&alone, 1);
    kept_stages_add(&w, STAGE_WEIGHTS);
    kept_stages_add(&w, STAGE_Q_ROPE);
    kept_stages_add(&w, STAGE_OUTPUT);
    /* Stages of another shape take the place of those that are there. */
    for (size_t i = 0; i < 2; i++) {
        bundle document = {0};
        problem asked;
        plan p;
        make_document(u, &document, ROWS_OF[i]);
        fill(&document, 1);
        CHECK(u, make_plan(&asked, &p, &document, &e));
        run_room_set(room, &p, &w, alone.most);
        for (uint64_t seed = 1; seed <= 3; seed++) {
            fill(&document, seed);
            CHECK(u, run_again(room, &alone, &stages, &report, &e) && report.empty_rows == 0);
            check_numbers(u, seed, &document, &w, &stages);
            if (i == 0 && seed == 2)
                goes_on_after_failure(u, room, &alone, &document, &stages);
        }
        run_room_clear(room);
        plan_free(&p);
        problem_free(&asked);
        bundle_free(&document);
    }
    run_room_free(room);
    crew_close(&alone);
    bundle_free(&stages);
}
