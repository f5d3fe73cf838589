/* selfattn generate: a prompt in, the tokens that a decoder goes on with out, as they come. */
#include "base/mem.h"
#include "cli/command.h"
#include "cli/nearest_names.h"
#include "cli/output_file.h"
#include "cli/stack_outputs.h"
#include "cli/stack_solve.h"
#include "cli/tracing.h"
#include "io/json_member.h"
#include "io/json_row.h"
#include "io/json_string.h"
#include "model/embed.h"
#include "model/generation.h"
#include "model/keys.h"
#include "random/generator.h"

#include <stdio.h>
#include <string.h>

enum { DEFAULT_LENGTH = 16 };

typedef struct writer {
    const options *given;
    sink to;
} writer;

/* A word of the vocab, or the id in digits. */
static const char *name_of(const generation *g, size_t id, char digits[32])
{
    const char *word = stack_word_of_id(&g->stack, id);
    snprintf(digits, 32, "%zu", id);
    return word != NULL ? word : digits;
}

static void add_logits(text *out, const tensor *logits, const options *o)
{
    tensor row = tensor_at(logits, 0);
    json_member_key(out, "logits");
    json_row_write(out, &row, option_digits(o));
}

/* A whole line, handed on at once. */
static bool write_step(writer *w, const generation *g, err *e)
{
    char digits[32];
    const char *name = name_of(g, g->next, digits);
    text *out = sink_text(&w->to);
    if (w->given->logits) {
        text_add_string(out, "{");
        json_member_count(out, "id", g->next);
        if (bundle_find(g->stack.document, "vocab") != NULL)
            json_member_text(out, "token", name);
        add_logits(out, &g->logits, w->given);
        text_add_string(out, "}\n");
    } else {
        text_add_format(out, "%s\n", name);
    }
    return sink_flush(&w->to, e);
}

/* The id of the word, or of the digits, behind which --stop ends. */
static bool find_stop(const writer *w, generation *g, err *e)
{
    char digits[32];
    const char *stop = w->given->stop;
    nearest_names nearest = {.wanted = stop};
    size_t ids = g->logits.size[1];
    g->stop = SIZE_MAX;
    for (size_t id = 0; stop != NULL && id < ids; id++) {
        const char *name = name_of(g, id, digits);
        if (strcmp(stop, name) == 0)
            g->stop = id;
        if (name != digits)
            nearest_names_look(&nearest, name);
    }
    if (stop == NULL || g->stop != SIZE_MAX)
        return true;
    err_set(e, "--stop: none of the %zu ids is \"%s\"", ids, stop);
    nearest_names_suggest(&nearest, "", e);
    return false;
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

/* ---- where tokens and trace go ---- */

/* The trace takes the place of tokens that go to no file. */
static bool writes_tokens(const options *o)
{
    return !output_has_trace(o) || o->trace_output != NULL || o->output != NULL;
}

static const char *tokens_file(const options *o)
{
    return o->output == NULL ? "-" : o->output;
}

static bool check_digits(const options *o, err *e)
{
    return !o->has_digits || o->logits || output_has_trace(o) ||
           err_set(e, "--digits is for the numbers of --logits and of --trace, and there are none");
}

static bool check_outputs(const options *o, err *e)
{
    if (!stack_outputs_check(o, e) || !check_digits(o, e))
        return false;
    if (writes_tokens(o))
        return !output_has_trace(o) ||
               output_check_apart("the trace", output_trace_file(o), "tokens", tokens_file(o), e);
    if (!o->logits)
        return true;
    err_set(e, "the trace goes to standard output in place of the tokens, so --logits has nothing "
               "to say");
    return err_remedy(e, "-o FILE is where the tokens would go, --trace-output FILE where the "
                         "trace would");
}

static bool write_trace(const options *o, const env *world, generation_trace *t, err *e)
{
    text shown = {0};
    output_file to = {.file = output_trace_file(o)};
    bool done = tracing_render_generation(t, o, world, &shown, e) && output_file_open(&to, e) &&
                output_file_write(&to, &shown, e);
    text_free(&shown);
    return output_file_close(&to, done, e);
}

/* ---- steps ---- */

/* Of weighted, the row that a trace spells out: of the prompt the one in focus, then the only
 * one. */
typedef struct rows_in_focus {
    wanted prompt, later;
} rows_in_focus;

static rows_in_focus rows_of(const trace_focus *focus)
{
    wanted row = {.weighted_is_one_row = true, .head = focus->head, .row = focus->row};
    wanted only = row;
    only.row = 0;
    return (rows_in_focus){row, only};
}

/* For the prompt, and then for all steps, before anything is computed. */
static bool check_memory(const generation *g, size_t threads, const options *o, err *e)
{
    char steps[64];
    size_t bytes;
    snprintf(steps, sizeof steps, " for the prompt and %zu steps", g->how.steps);
    return generation_memory(g, threads, &bytes, e) &&
           stack_check_memory(&g->stack, bytes, " for the prompt", o, e) &&
           generation_memory_in_all(g, threads, &bytes, e) &&
           stack_check_memory(&g->stack, bytes, steps, o, e);
}

/* What the steps before have left in a trace stays beside what this one has. */
static bool check_trace(const generation *g, const generation_trace *t, const options *o, err *e)
{
    char steps[64];
    snprintf(steps, sizeof steps, " for a trace of %zu step%s", t->steps, t->steps == 1 ? "" : "s");
    return stack_check_memory(&g->stack, generation_trace_memory(t), steps, o, e);
}

static bool run_step(writer *w, generation *g, generation_trace *t, crew *by, err *e)
{
    return generation_step(g, by, e) &&
           (t == NULL || (generation_trace_add(t, e) && check_trace(g, t, w->given, e))) &&
           (!writes_tokens(w->given) || write_step(w, g, e));
}

static bool run_all_steps(writer *w, generation *g, generation_trace *t, crew *by, err *e)
{
    rows_in_focus rows = {0};
    if (t != NULL)
        rows = rows_of(&t->how.focus);
    while (!generation_is_done(g)) {
        if (t != NULL)
            g->stack.how.one_row = g->step == 0 ? &rows.prompt : &rows.later;
        if (!run_step(w, g, t, by, e))
            return false;
    }
    return true;
}

static bool run_steps(writer *w, generation *g, generation_trace *t, const env *world, err *e)
{
    const options *o = w->given;
    size_t threads = stack_threads(&g->stack, o, world);
    crew by;
    if (!find_stop(w, g, e) || !check_memory(g, threads, o, e) ||
        (writes_tokens(o) && !sink_open(&w->to, tokens_file(o), e)))
        return false;
    crew_open(&by, threads);
    bool done = run_all_steps(w, g, t, &by, e);
    crew_close(&by);
    done = done && (t == NULL || write_trace(o, world, t, e));
    if (done) {
        stack_say_missing_threads(&by, o, world);
        return !writes_tokens(o) || sink_close(&w->to, e);
    }
    sink_discard(&w->to);
    return false;
}

static bool run_traced(writer *w, generation *g, const env *world, err *e)
{
    generation_trace t = {0};
    bool done = tracing_begin_generation(&t, g, w->given, e) && run_steps(w, g, &t, world, e);
    generation_trace_free(&t);
    return done;
}

static bool generate(const options *o, const env *world, const document *one, err *e)
{
    static char *const EVERYTHING[] = {"*"};
    static const text_list ALL_STAGES = {.item = (char **)EVERYTHING, .count = 1};
    bool traces = output_has_trace(o);
    size_t steps = o->generated == 0 ? DEFAULT_LENGTH : o->generated;
    double *number = draw_numbers(o, steps, e);
    generation_settings how = {steps, o->temperature, number, traces ? &ALL_STAGES : NULL};
    stack_settings of_stack = {.is_decoder = true,
                               .allow_nonfinite = o->allow_nonfinite,
                               .goes_on = true,
                               .keeps_plans = traces};
    writer w = {.given = o};
    generation g = {.step = 0};
    const isa *by = isa_by_name(o->isa == NULL ? "auto" : o->isa, e);
    place at = document_place(one);
    bool done = number != NULL && by != NULL &&
                generation_open(&g, &one->contents, &of_stack, &how, by, e) &&
                (traces ? run_traced(&w, &g, world, e) : run_steps(&w, &g, NULL, world, e));
    if (!done)
        err_place(e, &at);
    generation_close(&g);
    mem_free(number);
    return done;
}

int command_generate(const options *o, env *world, err *e)
{
    documents all = {0};
    document one = {0};
    given_bundle weights = {.is_for = FOR_LAYERS};
    weights.keeps_narrow = !output_has_trace(o); /* which shows the weights */
    bool is_there = false,
         done = check_outputs(o, e) && documents_open(&all, o, &weights, world, DTYPE_F32, e);
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
