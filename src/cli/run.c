/* selfattn run: documents in, weights and outputs or a trace out. */
#include "cli/command.h"
#include "cli/document.h"
#include "cli/outputs.h"
#include "cli/solve.h"
#include "cli/tracing.h"

#include <string.h>

/* Everything of one document: read and checked, then computed, then written. */
static bool run_document(const document *one, const options *o, env *world, outputs *to, err *e)
{
    solution s;
    text trace = {0};
    place at = document_place(one);
    bool done = solution_plan(&s, one, o, e) && outputs_check(to, &s.plan, e);
    if (done && to->traces)
        done = tracing_run(&s, o, world, to, &trace, e);
    else if (done)
        done = solution_want(&s, to->stage, to->stages, e) && solution_run(&s, o, world, e);
    done = done && outputs_open(to, e);
    if (done && to->has_data)
        done = outputs_write(to, &s, one, e);
    if (done && to->traces)
        done = outputs_write_trace(to, &trace, e);
    text_free(&trace);
    solution_free(&s);
    return done || err_place(e, &at);
}

static bool run_all(documents *all, const options *o, env *world, outputs *to, err *e)
{
    document one;
    bool is_there;
    while (documents_next(all, &one, &is_there, e)) {
        if (!is_there)
            return true;
        bool done = run_document(&one, o, world, to, e);
        document_free(&one);
        if (!done)
            return false;
    }
    return false;
}

int command_run(const options *o, env *world, err *e)
{
    documents all = {0};
    given_bundle weights = {0};
    outputs to = {0};
    bool done = outputs_plan(&to, o, e) && documents_open(&all, o, &weights, world, DTYPE_F32, e);
    to.documents = &all;
    done = done && run_all(&all, o, world, &to, e);
    done = outputs_close(&to, done, e);
    documents_close(&all);
    given_bundle_close(&weights);
    return done ? EXIT_DONE : EXIT_WRONG;
}
