/* selfattn generate: a prompt in, the tokens that a decoder goes on with out, as they come. */
#include "base/mem.h"
#include "cli/command.h"
#include "cli/stack_solve.h"
#include "io/json_member.h"
#include "io/json_row.h"
#include "io/json_string.h"
#include "model/generation.h"
#include "model/keys.h"
#include "random/generator.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 16 };

typedef struct writer {
    const options *given;
    const bundle *vocab; /* NULL: ids are written */
    sink to;
} writer;

/* A word of the vocab, or the id in digits. */
static const char *name_of(const writer *w, size_t id, char digits[32])
{
    snprintf(digits, 32, "%zu", id);
    return w->vocab != NULL && id < w->vocab->count ? w->vocab->entry[id].name : digits;
}

static void add_logits(text *out, const tensor *logits)
{
    tensor row = tensor_at(logits, 0);
    json_member_key(out, "logits");
    json_row_write(out, &row, -1);
}

/* A whole line, handed on at once. */
static bool write_step(writer *w, const generation *g, err *e)
{
    char digits[32];
    const char *name = name_of(w, g->next, digits);
    text *out = sink_text(&w->to);
    if (w->given->logits) {
        text_add_string(out, "{");
        json_member_count(out, "id", g->next);
        if (w->vocab != NULL)
            json_member_text(out, "token", name);
        add_logits(out, &g->logits);
        text_add_string(out, "}\n");
    } else {
        text_add_format(out, "%s\n", name);
    }
    return sink_flush(&w->to, e);
}

static bool is_stop(const writer *w, size_t id)
{
    char digits[32];
    return w->given->stop != NULL && strcmp(w->given->stop, name_of(w, id, digits)) == 0;
}

/* All numbers that will be drawn, one a step. */
static double *draw_numbers(const options *o, size_t steps, err *e)
{
    const generator *own = (const generator *)(const void *)named_row(&GENERATORS, 0);
    stream s = stream_begin(own, o->seed);
    draw d = {.law = {LAW_UNIFORM, 0, 1}, .type = DTYPE_F64, .total = steps};
    double *number = mem_alloc(steps, sizeof number[0], e);
    if (number != NULL)
        stream_draw(&s, &d, 0, steps, number);
    return number;
}

static bool run_steps(writer *w, generation *g, const env *world, err *e)
{
    const options *o = w->given;
    size_t threads = stack_threads(&g->stack, o, world);
    crew by;
    size_t bytes;
    bool done = generation_memory(g, threads, &bytes, e) &&
                stack_check_memory(&g->stack, bytes, " for the prompt", o, e) &&
                sink_open(&w->to, o->output == NULL ? "-" : o->output, e);
    if (!done)
        return false;
    crew_open(&by, threads);
    while (done && g->step < g->how.steps) {
        done = generation_step(g, &by, e) && write_step(w, g, e);
        if (is_stop(w, g->next))
            break;
    }
    crew_close(&by);
    if (done) {
        stack_say_missing_threads(&by, o, world);
        return sink_close(&w->to, e);
    }
    sink_discard(&w->to);
    return false;
}

static bool generate(const options *o, const env *world, const document *one, err *e)
{
    size_t steps = o->generated == 0 ? STEPS : o->generated;
    double *number = draw_numbers(o, steps, e);
    generation_settings how = {steps, o->temperature, number};
    stack_settings of_stack = {
        .is_decoder = true, .allow_nonfinite = o->allow_nonfinite, .goes_on = true};
    const entry *vocab = bundle_find(&one->contents, "vocab");
    writer w = {.given = o, .vocab = vocab == NULL ? NULL : vocab->bundle};
    generation g = {.step = 0};
    const isa *by = isa_by_name(o->isa == NULL ? "auto" : o->isa, e);
    place at = document_place(one);
    bool done = number != NULL && by != NULL &&
                generation_open(&g, &one->contents, &of_stack, &how, by, e) &&
                run_steps(&w, &g, world, e);
    if (!done)
        err_place(e, &at);
    generation_close(&g);
    mem_free(number);
    return done;
}

int command_generate(const options *o, env *world, err *e)
{
    documents all;
    document one = {0};
    given_bundle weights = {.is_for = FOR_LAYERS, .keeps_narrow = true};
    bool is_there = false, done = documents_open(&all, o, &weights, world, DTYPE_F32, e);
    all.keys = &STACK_DOCUMENT;
    if (done && all.is_many)
        done =
            err_set(e, "generate goes on with one prompt, and there are %zu documents", all.files);
    done = done && documents_next(&all, &one, &is_there, e) && generate(o, world, &one, e);
    document_free(&one);
    documents_close(&all);
    given_bundle_close(&weights);
    return done ? EXIT_DONE : EXIT_WRONG;
}
