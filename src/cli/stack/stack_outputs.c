#include "cli/stack/stack_outputs.h"

#include "base/mem.h"
#include "cli/output_format.h"
#include "model/keep.h"

#include <string.h>

static bool add_name(text_list *to, const char *name, size_t length, err *e)
{
    return text_list_add(to, name, length, e);
}

/* The trace takes the place of data that go to no file. */
static bool trace_takes_stdout(const stack_outputs *to)
{
    const options *o = to->given;
    return to->traces && o->trace_output == NULL && o->output == NULL;
}

/* --emit, or the output alone; nothing where --write says it all. */
static bool plan_data(stack_outputs *to, err *e)
{
    const options *o = to->given;
    bool is_written_only = o->write.count > 0 && o->output == NULL && o->emit.count == 0;
    if (is_written_only || trace_takes_stdout(to))
        return true;
    stack_output *data = &to->output[to->count++];
    data->to.file = o->output == NULL ? "-" : o->output;
    for (size_t i = 0; i < o->emit.count; i++) {
        if (!add_name(&data->stages, o->emit.item[i], strlen(o->emit.item[i]), e))
            return false;
    }
    return o->emit.count > 0 || add_name(&data->stages, "output", strlen("output"), e);
}

static bool plan_written(stack_outputs *to, const char *pair, err *e)
{
    const char *equals = strchr(pair, '=');
    stack_output *next = &to->output[to->count++];
    next->to = output_file_written(equals + 1);
    return add_name(&next->stages, pair, (size_t)(equals - pair), e);
}

static bool check_apart(const stack_outputs *to, err *e)
{
    bool fits = true;
    for (size_t i = 0; i < to->count && fits; i++) {
        const stack_output *one = &to->output[i];
        for (size_t j = 0; j < i && fits; j++)
            fits = output_check_apart(to->output[j].stages.item[0], to->output[j].to.file,
                                      one->stages.item[0], one->to.file, e);
    }
    for (size_t i = 0; i < to->count && to->traces && fits; i++)
        fits = output_check_apart("the trace", to->trace.file, to->output[i].stages.item[0],
                                  to->output[i].to.file, e);
    return fits;
}

bool stack_outputs_check(const options *o, err *e)
{
    return o->picture == NULL ||
           err_set(e, "--picture draws the weights of one attention, and these are layers");
}

static bool plan_trace(stack_outputs *to, err *e)
{
    const options *o = to->given;
    to->traces = output_has_trace(o);
    to->trace.file = output_trace_file(o);
    if (!stack_outputs_check(o, e))
        return false;
    return !trace_takes_stdout(to) || output_check_unsaid("trace", o, e);
}

bool stack_outputs_plan(stack_outputs *to, const options *o, const documents *from, err *e)
{
    *to = (stack_outputs){.given = o, .documents = from};
    if (!plan_trace(to, e))
        return false;
    to->output = mem_alloc_zeroed(o->write.count + 1, sizeof to->output[0], e);
    if (to->output == NULL || !plan_data(to, e))
        return false;
    for (size_t i = 0; i < o->write.count; i++) {
        if (!plan_written(to, o->write.item[i], e))
            return false;
    }
    return check_apart(to, e);
}

bool stack_outputs_names(const stack_outputs *to, text_list *names, err *e)
{
    for (size_t i = 0; i < to->count; i++) {
        for (size_t j = 0; j < to->output[i].stages.count; j++) {
            const char *name = to->output[i].stages.item[j];
            if (!text_list_add(names, name, strlen(name), e))
                return false;
        }
    }
    return true;
}

/* ---- writing ---- */

static bool add_view(const entry *made, bundle *view, err *e)
{
    tensor borrowed = tensor_view_of(&made->tensor);
    if (bundle_find(view, made->name) != NULL)
        return true;
    if (!bundle_add_tensor(view, made->name, &borrowed, made->at, e))
        return false;
    bundle_find(view, made->name)->axes = made->axes;
    return true;
}

/* In the order of the names; what one of them means in the order in which it is made. */
static bool view_stages(const stack_output *of, const bundle *result, bundle *view, err *e)
{
    for (size_t i = 0; i < of->stages.count; i++) {
        for (size_t j = 0; j < result->count; j++) {
            const entry *made = &result->entry[j];
            if (stage_name_matches(of->stages.item[i], made->name) && !add_view(made, view, e))
                return false;
        }
    }
    return true;
}

static const format *format_of(const stack_outputs *to, const char *file)
{
    bool is_data = strcmp(file, "-") == 0 || file == to->given->output;
    const format *said =
        is_data ? output_format_said(to->given, file) : output_format_written(to->given, file);
    return said != NULL ? said : format_by_name("json");
}

static bool write_one(const stack_outputs *to, stack_output *one, const bundle *result,
                      const text_list *header, const document *from, err *e)
{
    const format *f = format_of(to, one->to.file);
    write_options how = output_how(to->given, to->documents, from, f);
    bundle view = {0};
    how.header = header;
    bool done = output_file_open(&one->to, e) &&
                output_file_check_holds(&one->to, f, to->documents->files, e) &&
                view_stages(one, result, &view, e) && f->write(&view, &how, &one->to.sink, e);
    bundle_free(&view);
    one->to.results++;
    return done;
}

bool stack_outputs_write(stack_outputs *to, const bundle *result, const text_list *header,
                         const document *one, err *e)
{
    for (size_t i = 0; i < to->count; i++) {
        if (!write_one(to, &to->output[i], result, header, one, e))
            return false;
    }
    return true;
}

bool stack_outputs_close(stack_outputs *to, bool done, err *e)
{
    for (size_t i = 0; i < to->count; i++) {
        done = output_file_close(&to->output[i].to, done, e);
        text_list_free(&to->output[i].stages);
    }
    done = output_file_close(&to->trace, done, e);
    mem_free(to->output);
    return done;
}
