/* selfattn encode and decode: documents of layers in, stages of the stack out. */
#include "cli/command.h"
#include "cli/header.h"
#include "cli/stack/stack_outputs.h"
#include "cli/stack/stack_solve.h"
#include "cli/tracing.h"
#include "model/keys.h"

typedef struct stacker {
    const options *given;
    env *world;
    bool is_decoder;
    documents documents;
    stack_outputs to;
} stacker;

static bool check_names(const stack_solution *s, const text_list *names, err *e)
{
    for (size_t i = 0; i < names->count; i++) {
        if (!stack_solution_check(s, names->item[i], e))
            return false;
    }
    return true;
}

static bool compute(stacker *r, stack_solution *s, const text_list *names, stack_trace *t, err *e)
{
    if (r->to.traces)
        return tracing_run_stack(t, s, names, r->given, r->world, &r->to, e);
    return stack_solution_run(s, names, r->given, r->world, e);
}

static bool write_trace(stacker *r, const stack_solution *s, const stack_trace *t, err *e)
{
    output_file *to = &r->to.trace;
    return !r->to.traces ||
           (output_file_open(to, e) &&
            tracing_write(&t->whole, &s->at, &r->documents, r->given, r->world, to, e));
}

static bool write(stacker *r, const stack_solution *s, const document *one, err *e)
{
    text_list header = {0};
    bool done = !r->given->header || header_lines_of_stack(&s->stack, r->given, &header, e);
    done =
        done && stack_outputs_write(&r->to, &s->stages, r->given->header ? &header : NULL, one, e);
    text_list_free(&header);
    return done;
}

static bool run_document(stacker *r, const document *one, err *e)
{
    stack_solution s;
    text_list names = {0};
    stack_trace t = {0};
    bool done = stack_solution_plan(&s, one, r->is_decoder, r->given, e) &&
                stack_outputs_names(&r->to, &names, e) && check_names(&s, &names, e) &&
                compute(r, &s, &names, &t, e) && write_trace(r, &s, &t, e) && write(r, &s, one, e);
    if (!done)
        document_blame(one, e);
    stack_trace_free(&t);
    text_list_free(&names);
    stack_solution_free(&s);
    return done;
}

static bool run_all(stacker *r, err *e)
{
    for (bool is_there = true; is_there;) {
        document one;
        if (!documents_next(&r->documents, &one, &is_there, e))
            return false;
        bool done = !is_there || run_document(r, &one, e);
        document_free(&one);
        if (!done)
            return false;
    }
    return true;
}

static int run_stack(const options *o, env *world, bool is_decoder, err *e)
{
    stacker r = {.given = o, .world = world, .is_decoder = is_decoder};
    given_bundle weights = {.is_for = FOR_LAYERS};
    bool done = stack_outputs_plan(&r.to, o, &r.documents, e);
    if (done)
        tracing_say_unused(o, world);
    weights.keeps_narrow = !r.to.traces; /* which shows the weights */
    done = done && documents_open(&r.documents, o, &weights, world, DTYPE_F32, e);
    r.documents.keys = &STACK_DOCUMENT;
    done = done && run_all(&r, e);
    done = stack_outputs_close(&r.to, done, e);
    documents_close(&r.documents);
    given_bundle_close(&weights);
    return done ? EXIT_DONE : EXIT_WRONG;
}

int command_encode(const options *o, env *world, err *e)
{
    return run_stack(o, world, false, e);
}

int command_decode(const options *o, env *world, err *e)
{
    return run_stack(o, world, true, e);
}
