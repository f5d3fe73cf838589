#include "cli/outputs.h"

#include "attn/average.h"
#include "base/mem.h"
#include "cli/header.h"
#include "cli/output_format.h"
#include "io/json.h"

#include <assert.h>
#include <string.h>

/* ---- what was asked for ---- */

/* The option table has refused every other name. */
static stage_id find_stage(const char *name, size_t length)
{
    const named *found = named_find(&STAGES, name, length);
    assert(found != NULL);
    return stage_of(found);
}

static void add_stage(stage_id *list, size_t *count, stage_id id)
{
    for (size_t i = 0; i < *count; i++) {
        if (list[i] == id)
            return;
    }
    list[(*count)++] = id;
}

/* What is emitted does not depend on the format: weights and output, unless --emit says
 * otherwise. */
static void plan_emitted(outputs *to)
{
    const text_list *asked = &to->given->emit;
    if (asked->count == 0) {
        add_stage(to->emitted, &to->emitted_count, STAGE_WEIGHTS);
        add_stage(to->emitted, &to->emitted_count, STAGE_OUTPUT);
    }
    for (size_t i = 0; i < asked->count; i++)
        add_stage(to->emitted, &to->emitted_count,
                  find_stage(asked->item[i], strlen(asked->item[i])));
}

/* --write STAGE=FILE */
static bool plan_written(outputs *to, err *e)
{
    const text_list *pairs = &to->given->write;
    to->written = mem_alloc_zeroed(pairs->count, sizeof to->written[0], e);
    to->written_stage = mem_alloc(pairs->count, sizeof to->written_stage[0], e);
    if (to->written == NULL || to->written_stage == NULL)
        return false;
    for (size_t i = 0; i < pairs->count; i++) {
        const char *pair = pairs->item[i], *equals = strchr(pair, '=');
        to->written_stage[i] = find_stage(pair, (size_t)(equals - pair));
        to->written[i] = output_file_written(equals + 1);
        to->written_count++;
    }
    return true;
}

static bool check_places(const outputs *to, err *e)
{
    bool has_data = to->emitted_count > 0, fits = true;
    if (to->traces && has_data)
        fits = output_check_apart("the trace", to->trace.file, "the data", to->data.file, e);
    if (to->draws && to->traces && fits)
        fits = output_check_apart("the trace", to->trace.file, "the picture", to->picture.file, e);
    if (to->draws && has_data && fits)
        fits = output_check_apart("the picture", to->picture.file, "the data", to->data.file, e);
    for (size_t i = 0; i < to->written_count && fits; i++) {
        const char *file = to->written[i].file;
        const char *name = stage_row(to->written_stage[i])->key.named.name;
        fits = (!to->traces || output_check_apart("the trace", to->trace.file, name, file, e)) &&
               (!to->draws || output_check_apart("the picture", to->picture.file, name, file, e)) &&
               (!has_data || output_check_apart("the data", to->data.file, name, file, e));
        for (size_t j = 0; j < i && fits; j++)
            fits = output_check_apart(stage_row(to->written_stage[j])->key.named.name,
                                      to->written[j].file, name, file, e);
    }
    return fits;
}

/* What takes standard output from the data (DESIGN §3): "trace", "picture", or NULL. */
static const char *what_takes_stdout(const outputs *to)
{
    const options *o = to->given;
    bool data_are_elsewhere = o->output != NULL || o->write.count > 0;
    if (data_are_elsewhere)
        return NULL;
    if (to->draws && strcmp(o->picture, "-") == 0)
        return "picture";
    return to->traces && o->trace_output == NULL ? "trace" : NULL;
}

static bool plan_places(outputs *to, err *e)
{
    const options *o = to->given;
    to->traces = output_has_trace(o);
    to->draws = o->picture != NULL;
    const char *taker = what_takes_stdout(to);
    if (taker != NULL && !output_check_unsaid(taker, o, e))
        return false;
    to->has_data = taker == NULL;
    to->data.file = o->output == NULL ? "-" : o->output;
    to->trace.file = output_trace_file(o);
    to->picture.file = o->picture;
    bool is_written_only =
        o->write.count > 0 && o->output == NULL && (o->emit.count == 0 || to->traces);
    if (is_written_only || !to->has_data)
        to->emitted_count = 0;
    return (!to->draws || output_check_picture(o->picture, e)) && check_places(to, e);
}

static bool is_of_numbers(const format *f)
{
    return f != NULL && !output_is_json(f);
}

/* The output whose format holds numbers only; NULL: none is so. */
static const output_file *without_errors(const outputs *to, const format **f)
{
    *f = to->format;
    if (to->emitted_count > 0 && is_of_numbers(*f))
        return &to->data;
    for (size_t i = 0; i < to->written_count; i++) {
        *f = output_format_written(to->given, to->written[i].file);
        if (is_of_numbers(*f))
            return &to->written[i];
    }
    return NULL;
}

/* A bad document's result is an object with its error. */
static bool check_holds_errors(const outputs *to, err *e)
{
    const format *f;
    const output_file *without = without_errors(to, &f);
    if (!to->given->keep_going || (without == NULL && !to->traces && !to->draws))
        return true;
    err_set(e,
            "--keep-going puts {\"error\": ...} in the place of a result, where %s can't hold it",
            to->traces  ? "a trace"
            : to->draws ? "a picture"
                        : f->named.name);
    return to->traces || to->draws ? false : output_file_advise_lines(without, e);
}

bool outputs_plan(outputs *to, const options *o, err *e)
{
    *to = (outputs){.given = o, .threads = o->threads};
    plan_emitted(to);
    if (!plan_written(to, e) || !plan_places(to, e))
        return false;
    for (size_t i = 0; i < to->emitted_count; i++)
        add_stage(to->stage, &to->stages, to->emitted[i]);
    for (size_t i = 0; i < to->written_count; i++)
        add_stage(to->stage, &to->stages, to->written_stage[i]);
    to->format = output_format_said(o, to->data.file);
    return check_holds_errors(to, e);
}

/* ---- writing ---- */

bool outputs_open(outputs *to, err *e)
{
    if ((to->emitted_count > 0 && !output_file_open(&to->data, e)) ||
        (to->traces && !output_file_open(&to->trace, e)) ||
        (to->draws && !output_file_open(&to->picture, e)))
        return false;
    for (size_t i = 0; i < to->written_count; i++) {
        if (!output_file_open(&to->written[i], e))
            return false;
    }
    return true;
}

static bool write_result(const outputs *to, output_file *file, const format *f,
                         const bundle *result, const solution *s, const document *one, err *e)
{
    const options *o = to->given;
    write_options how = output_how(o, to->documents, one, f);
    how.threads = to->threads;
    how.supply = s->supplied.count > 0 ? &s->supplied.rows : NULL;
    text_list header = {0};
    bool done = output_file_check_holds(file, f, to->documents->files, e);
    if (done && o->header) {
        done = header_lines(s, o, &header, e);
        how.header = &header;
    }
    done = done && f->write(result, &how, &file->sink, e);
    text_list_free(&header);
    file->results++;
    return done;
}

/* The stages as a result of their own, borrowed, in the order asked for. */
static bool view_stages(const bundle *all, const stage_id *ids, size_t stages, bundle *view, err *e)
{
    for (size_t i = 0; i < stages; i++) {
        const char *name = stage_row(ids[i])->key.named.name;
        const entry *found = bundle_find(all, name);
        tensor borrowed = tensor_view_of(&found->tensor);
        if (!bundle_add_tensor(view, name, &borrowed, found->at, e))
            return false;
        bundle_find(view, name)->axes = found->axes;
    }
    return true;
}

static bool are_all(const bundle *all, const stage_id *ids, size_t stages)
{
    bool same = all->count == stages;
    for (size_t i = 0; same && i < stages; i++)
        same = strcmp(all->entry[i].name, stage_row(ids[i])->key.named.name) == 0;
    return same;
}

static bool write_stages(const outputs *to, output_file *file, const format *f, const solution *s,
                         const stage_id *ids, size_t stages, const document *one, err *e)
{
    bundle view = {0};
    if (are_all(&s->stages, ids, stages))
        return write_result(to, file, f, &s->stages, s, one, e);
    bool done = view_stages(&s->stages, ids, stages, &view, e) &&
                write_result(to, file, f, &view, s, one, e);
    bundle_free(&view);
    return done;
}

/* Where nobody says a format: CSV when every matrix came from CSV or TSV and no document was given,
 * else JSON. */
static const format *or_usual(const format *said, const document *one)
{
    return said != NULL ? said : format_by_name(one->is_all_tables ? "csv" : "json");
}

static const format *data_format(const outputs *to, const document *one)
{
    return or_usual(to->format, one);
}

static const format *written_format(const outputs *to, const char *file, const document *one)
{
    return or_usual(output_format_written(to->given, file), one);
}

/* Whether nobody but writers of text looks at the stage, each from its first row to its last. */
static bool is_for_text(const outputs *to, stage_id id, const document *one)
{
    unsigned holds = data_format(to, one)->holds;
    bool is_emitted = false;
    for (size_t i = 0; i < to->emitted_count; i++)
        is_emitted = is_emitted || to->emitted[i] == id;
    bool is_text = !is_emitted || holds & HOLDS_SUPPLIED;
    for (size_t i = 0; i < to->written_count; i++) {
        if (to->written_stage[i] == id)
            is_text =
                is_text && written_format(to, to->written[i].file, one)->holds & HOLDS_SUPPLIED;
    }
    return is_text && !to->traces && !to->draws && !to->given->average_heads;
}

bool outputs_want(const outputs *to, solution *s, const document *one, err *e)
{
    for (size_t i = 0; i < to->stages; i++) {
        stage_id id = to->stage[i];
        if (!(is_for_text(to, id, one) && solution_want_rows(s, id)) &&
            !solution_want(s, &id, 1, e))
            return false;
    }
    return true;
}

bool outputs_check(const outputs *to, const plan *p, err *e)
{
    bool writes_weights = false;
    for (size_t i = 0; i < to->stages; i++)
        writes_weights = writes_weights || to->stage[i] == STAGE_WEIGHTS;
    if (!to->given->average_heads || (p->has_heads && writes_weights))
        return true;
    return err_set(e, p->has_heads ? "--average-heads finds no weights that are written"
                                   : "--average-heads finds no heads to average over");
}

static bool average_heads(solution *s, err *e)
{
    entry *weights = bundle_find(&s->stages, "weights");
    if (!tensor_average(&weights->tensor, s->plan.has_batch ? 1 : 0, e))
        return false;
    weights->axes = s->plan.has_batch ? "bqk" : "qk";
    return true;
}

bool outputs_write(outputs *to, solution *s, const document *one, err *e)
{
    if (to->given->average_heads && !average_heads(s, e))
        return false;
    if (to->emitted_count > 0 && !write_stages(to, &to->data, data_format(to, one), s, to->emitted,
                                               to->emitted_count, one, e))
        return false;
    for (size_t i = 0; i < to->written_count; i++) {
        output_file *file = &to->written[i];
        if (!write_stages(to, file, written_format(to, file->file, one), s, &to->written_stage[i],
                          1, one, e))
            return false;
    }
    return true;
}

bool outputs_write_picture(outputs *to, const text *drawn, err *e)
{
    return output_file_write(&to->picture, drawn, e);
}

static bool write_error(output_file *file, const bundle *result, const document *one, err *e)
{
    write_options how = {.name = bundle_text(&one->contents, "name"), .single_line = true};
    file->results++;
    return json_write(result, &how, &file->sink, e);
}

bool outputs_write_error(outputs *to, const document *one, const err *bad, err *e)
{
    bundle result = {0};
    text said = {0};
    text_add_format(&said, "%s%s%s", bad->where, bad->where[0] == '\0' ? "" : ": ", bad->what);
    bool done = text_ok(&said, e) &&
                bundle_add_text(&result, "error", text_string(&said), said.length, (place){0}, e);
    if (done && to->emitted_count > 0)
        done = write_error(&to->data, &result, one, e);
    for (size_t i = 0; i < to->written_count && done; i++)
        done = write_error(&to->written[i], &result, one, e);
    text_free(&said);
    bundle_free(&result);
    return done;
}

bool outputs_are_text(const outputs *to)
{
    return !to->traces && !to->draws && to->written_count == 0 &&
           (to->format == NULL || output_is_json(to->format));
}

outputs outputs_in_memory(const outputs *to)
{
    outputs in_memory = *to;
    in_memory.data = (output_file){.is_open = true};
    in_memory.threads = 1;
    sink_open_memory(&in_memory.data.sink);
    return in_memory;
}

text *outputs_text(outputs *in_memory)
{
    return sink_text(&in_memory->data.sink);
}

void outputs_free_memory(outputs *in_memory)
{
    sink_discard(&in_memory->data.sink);
}

bool outputs_put(outputs *to, const char *bytes, size_t length, err *e)
{
    if (!outputs_open(to, e))
        return false;
    to->data.results++;
    text_add(sink_text(&to->data.sink), bytes, length);
    return sink_spill(&to->data.sink, e);
}

bool outputs_flush(outputs *to, err *e)
{
    bool done = output_file_flush(&to->data, e) && output_file_flush(&to->trace, e) &&
                output_file_flush(&to->picture, e);
    for (size_t i = 0; i < to->written_count && done; i++)
        done = output_file_flush(&to->written[i], e);
    return done;
}

bool outputs_close(outputs *to, bool done, err *e)
{
    done = output_file_close(&to->data, done, e);
    done = output_file_close(&to->trace, done, e);
    done = output_file_close(&to->picture, done, e);
    for (size_t i = 0; i < to->written_count; i++)
        done = output_file_close(&to->written[i], done, e);
    mem_free(to->written);
    mem_free(to->written_stage);
    return done;
}
