/* selfattn generate: a prompt in, the tokens that a decoder goes on with out, as they come. */
#include "base/mem.h"
#include "cli/command.h"
#include "cli/out/output_file.h"
#include "cli/run/stack_solve.h"
#include "cli/run/trace_command.h"
#include "io/json_write.h"
#include "model/embed.h"
#include "weights/names.h"

#include <stdint.h>
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
        tensor row = tensor_at(&g->logits, 0);
        json_member_key(out, "logits");
        json_row_write(out, &row, option_digits(w->given));
        text_add_string(out, "}\n");
    } else {
        text_add_format(out, "%s\n", name);
    }
    return sink_flush(&w->to, e);
}

/* The id of the word, or of the digits, after which --stop ends. */
static bool find_stop(const writer *w, generation *g, err *e)
{
    char digits[32];
    const char *stop = w->given->stop;
    nearest_names nearest = {.wanted = stop};
    size_t ids = g->logits.size[1];
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

/* ---- where tokens and trace go ---- */

/* The trace takes the place of tokens that go to no file. */
static bool writes_tokens(const options *o)
{
    return !output_has_trace(o) || o->trace_output != NULL || o->output != NULL;
}

static bool check_digits(const options *o, err *e)
{
    return !o->has_digits || o->logits || output_has_trace(o) ||
           err_set(e, "--digits is for the numbers of --logits and of --trace, and there are none");
}

static bool check_outputs(const options *o, err *e)
{
    if (o->picture != NULL)
        return err_set(e, "--picture draws the weights of one run, and a generation has many");
    if (!check_digits(o, e) || !generation_check_seed(o, e))
        return false;
    if (writes_tokens(o))
        return !output_has_trace(o) || output_check_apart("the trace", output_trace_file(o),
                                                          "tokens", output_data_file(o), e);
    if (!o->logits)
        return true;
    err_set(e, "the trace goes to standard output in place of the tokens, so --logits has nothing "
               "to say");
    return err_remedy(e, "-o FILE is where the tokens would go, --trace-output FILE where the "
                         "trace would");
}

static bool write_trace(const options *o, const env *world, generation_trace *t, err *e)
{
    output_file to = {.file = output_trace_file(o)};
    bool done = trace_command_write_generation(t, o, world, &to, e);
    return output_file_close(&to, done, e);
}

/* A word a line: one of two lines would be two words. */
static bool check_words(const writer *w, const generation *g, err *e)
{
    bool is_lines = writes_tokens(w->given) && !w->given->logits;
    for (size_t id = 0; is_lines && id < g->logits.size[1]; id++) {
        const char *word = stack_word_of_id(&g->stack, id);
        if (word == NULL || strchr(word, '\n') == NULL)
            continue;
        err_set(e, "the word of id %zu has a line break in it, and a word is written a line", id);
        return err_remedy(e, "--logits writes a JSON object a token");
    }
    return true;
}

/* ---- steps ---- */

static bool hear_step(void *context, const generation *g, err *e)
{
    writer *w = context;
    return !writes_tokens(w->given) || write_step(w, g, e);
}

/* Tokens alone are never many. How many logits there will be is known where no word ends them
 * earlier; each has a digit at least, and what parts it from the next. */
static bool check_disk(const options *o, const generation *g, err *e)
{
    size_t bytes;
    if (!o->logits || o->stop != NULL)
        return true;
    if (!size_mul(2 * g->how.steps, g->logits.size[1], &bytes))
        bytes = SIZE_MAX;
    return output_check_disk(output_data_file(o), "the logits", bytes, "a smaller --length", o, e);
}

static bool write_steps(writer *w, generation_solution *s, const env *world, err *e)
{
    const options *o = w->given;
    const step_listener each = {hear_step, w};
    if (!check_disk(o, &s->of, e) ||
        (writes_tokens(o) && !sink_open(&w->to, output_data_file(o), e)))
        return false;
    bool done = generation_solution_run(s, false, &each, o, world, e) &&
                (!s->is_traced || write_trace(o, world, &s->trace, e)) &&
                (!writes_tokens(o) || sink_close(&w->to, e));
    if (!done)
        sink_discard(&w->to);
    return done;
}

static bool generate(const options *o, const env *world, document_reader *all, document *one,
                     err *e)
{
    const text_list *asked = o->steps.count > 0 ? &o->steps : NULL;
    size_t steps = o->generated == 0 ? DEFAULT_LENGTH : o->generated;
    writer w = {.given = o};
    generation_solution s = {0};
    place at = document_place(one);
    bool done = generation_solution_open(&s, one, steps, output_has_trace(o), o, e) &&
                find_stop(&w, &s.of, e) && check_words(&w, &s.of, e) &&
                generation_solution_check(&s, o, world, e) && document_reader_look(all, one, e) &&
                (!s.is_traced || trace_command_begin_generation(&s.trace, &s.of, asked, o, e)) &&
                write_steps(&w, &s, world, e);
    if (!done)
        err_place(e, &at);
    generation_solution_free(&s);
    return done;
}

/* A second prompt is refused before anything is generated for the first. */
static bool check_only(document_reader *all, err *e)
{
    document other = {0};
    bool is_there = false, done = document_reader_next(all, &other, &is_there, e);
    place at = document_place(&other);
    if (done && is_there)
        done = err_at(e, &at, "generate goes on with one prompt, and this is another document");
    document_free(&other);
    return done;
}

int command_generate(const options *o, env *world, err *e)
{
    document_reader all = {0};
    document one = {0};
    weights_input weights = {.is_for = FOR_LAYERS};
    weights.keeps_narrow = !output_has_trace(o); /* which shows the weights */
    bool is_there = false,
         done = check_outputs(o, e) && document_reader_open(&all, o, &weights, world, DTYPE_F32, e);
    if (done)
        trace_command_say_unused(o, world);
    done = done && document_reader_next(&all, &one, &is_there, e) && check_only(&all, e) &&
           generate(o, world, &all, &one, e);
    document_free(&one);
    document_reader_close(&all);
    weights_input_close(&weights);
    return done ? EXIT_DONE : EXIT_WRONG;
}
