#include "cli/stack_outputs.h"

#include "base/mem.h"
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
    data->file = o->output == NULL ? "-" : o->output;
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
    next->file = equals + 1;
    return add_name(&next->stages, pair, (size_t)(equals - pair), e);
}

/* Devices (/dev/null) take more than one output; a file would keep the last one only. */
static bool check_apart(const stack_outputs *to, err *e)
{
    for (size_t i = 0; i < to->count; i++) {
        for (size_t j = 0; j < i; j++) {
            const char *file = to->output[i].file;
            if (strcmp(file, to->output[j].file) == 0 && strncmp(file, "/dev/", 5) != 0)
                return err_set(e, "%s and %s both go to %s", to->output[j].stages.item[0],
                               to->output[i].stages.item[0],
                               strcmp(file, "-") == 0 ? "standard output" : file);
        }
    }
    for (size_t i = 0; i < to->count && to->traces; i++) {
        const char *file = to->output[i].file;
        if (strcmp(file, to->trace_file) == 0 && strncmp(file, "/dev/", 5) != 0)
            return err_set(e, "the trace and %s both go to %s", to->output[i].stages.item[0],
                           strcmp(file, "-") == 0 ? "standard output" : file);
    }
    return true;
}

static bool plan_trace(stack_outputs *to, err *e)
{
    const options *o = to->given;
    to->traces = o->trace || o->trace_format != NULL || o->trace_output != NULL;
    to->trace_file = o->trace_output == NULL ? "-" : o->trace_output;
    if (o->picture != NULL)
        return err_set(e, "--picture draws the weights of one attention, and these are layers");
    if (!trace_takes_stdout(to) || (o->emit.count == 0 && o->format == NULL))
        return true;
    err_set(e, "the trace goes to standard output in place of the data, so --%s has nothing to say",
            o->emit.count > 0 ? "emit" : "format");
    return err_remedy(e, "-o FILE is where the data would go, --trace-output FILE where the trace "
                         "would");
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

static bool add_view(const entry *stage, bundle *view, err *e)
{
    tensor borrowed = tensor_view_of(&stage->tensor);
    if (bundle_find(view, stage->name) != NULL)
        return true;
    if (!bundle_add_tensor(view, stage->name, &borrowed, stage->at, e))
        return false;
    bundle_find(view, stage->name)->axes = stage->axes;
    return true;
}

/* In the order of the names; what one of them means in the order in which it is made. */
static bool view_stages(const stack_output *of, const bundle *result, bundle *view, err *e)
{
    for (size_t i = 0; i < of->stages.count; i++) {
        for (size_t j = 0; j < result->count; j++) {
            const entry *stage = &result->entry[j];
            if (stage_name_matches(of->stages.item[i], stage->name) && !add_view(stage, view, e))
                return false;
        }
    }
    return true;
}

static const format *format_of(const stack_outputs *to, const stack_output *one, bool is_data)
{
    const format *asked = to->given->format == NULL ? NULL : format_by_name(to->given->format);
    const format *by_ending = format_by_ending(one->file);
    const format *first = is_data ? asked : by_ending, *second = is_data ? by_ending : asked;
    return first != NULL ? first : second != NULL ? second : format_by_name("json");
}

static bool is_json(const format *f)
{
    return strcmp(f->named.name, "json") == 0 || strcmp(f->named.name, "jsonl") == 0;
}

static bool check_holds(const stack_outputs *to, const stack_output *one, const format *f, err *e)
{
    if ((one->results == 0 && to->documents->files <= 1) || is_json(f))
        return true;
    err_set(e, "%s holds the results of one document, and there are more", f->named.name);
    return err_remedy(e, "--format jsonl writes a result a line");
}

static bool write_one(const stack_outputs *to, stack_output *one, const bundle *result,
                      const document *from, err *e)
{
    const options *o = to->given;
    const format *f = format_of(to, one, strcmp(one->file, "-") == 0 || one->file == o->output);
    write_options how = {.digits = o->has_digits ? (int)o->digits : -1,
                         .name = bundle_text(&from->contents, "name"),
                         .single_line =
                             to->documents->is_many || strcmp(f->named.name, "jsonl") == 0,
                         .delimiter = o->delimiter == NULL ? '\0' : o->delimiter[0]};
    bundle view = {0};
    if (!one->is_open)
        one->is_open = sink_open(&one->sink, one->file, e);
    bool done = one->is_open && check_holds(to, one, f, e) && view_stages(one, result, &view, e) &&
                f->write(&view, &how, &one->sink, e);
    bundle_free(&view);
    one->results++;
    return done;
}

bool stack_outputs_write(stack_outputs *to, const bundle *result, const document *one, err *e)
{
    for (size_t i = 0; i < to->count; i++) {
        if (!write_one(to, &to->output[i], result, one, e))
            return false;
    }
    return true;
}

/* A line is left free between two. */
bool stack_outputs_write_trace(stack_outputs *to, const text *rendered, err *e)
{
    if (!to->trace_is_open && !sink_open(&to->trace, to->trace_file, e))
        return false;
    to->trace_is_open = true;
    if (to->trace_results++ > 0)
        text_add_string(sink_text(&to->trace), "\n");
    text_add(sink_text(&to->trace), text_string(rendered), rendered->length);
    return sink_spill(&to->trace, e);
}

bool stack_outputs_close(stack_outputs *to, bool done, err *e)
{
    for (size_t i = 0; i < to->count; i++) {
        stack_output *one = &to->output[i];
        if (one->is_open && done)
            done = sink_close(&one->sink, e);
        else if (one->is_open)
            sink_discard(&one->sink);
        text_list_free(&one->stages);
    }
    if (to->trace_is_open && done)
        done = sink_close(&to->trace, e);
    else if (to->trace_is_open)
        sink_discard(&to->trace);
    mem_free(to->output);
    return done;
}
