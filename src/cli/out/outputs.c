#include "cli/out/outputs.h"

#include "attn/engine/rows.h"
#include "base/mem.h"
#include "cli/line/options_parse.h"
#include "cli/line/other_words.h"
#include "io/json_write.h"
#include "model/embed.h"
#include "model/stages.h"
#include "render/heat_map.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- where one goes, and as what ---- */

bool output_check_disk(const char *file, const char *what, size_t bytes, const char *less,
                       const options *o, err *e)
{
    enum { SMALL = 16 << 20 }; /* is not worth a question to the system */
    uint64_t left;
    if (o->force || bytes <= SMALL || !free_disk(file, &left) ||
        (bytes <= left / 10 && bytes < SIZE_MAX)) /* which stands for all that are larger */
        return true;
    err_at(e, &(place){.file = strcmp(file, "-") == 0 ? "standard output" : file},
           "%s would be %zu bytes or more, over a tenth of the %" PRIu64 " that are free there",
           what, bytes, left);
    return err_remedy(e, "%s, or name a file on another disk; --force writes it all the same",
                      less);
}

static const struct picture_format {
    named named;
    const char *endings;
} PICTURES[] = {{{"svg", NULL}, ".svg"}};
static const named_table PICTURE_FORMATS = NAMED_TABLE("picture", PICTURES);
static const ending_table PICTURE_ENDINGS = {&PICTURE_FORMATS,
                                             offsetof(struct picture_format, endings)};

/* Tokens have a single format. */
static bool check_results(const char *file, const options *o, unsigned groups, err *e)
{
    const char *dot = strrchr(file, '.');
    if (o->format != NULL || ending_check(&FORMAT_ENDINGS, "results", file, e) ||
        (groups & GROUP_TRACE && other_words_trace(dot + 1, strlen(dot + 1), e)))
        return !e->is_set;
    return ((groups & GROUP_GENERATE) == 0 || o->emit.count + o->write.count > 0) &&
           err_remedy(e, "--format names the format of what ends otherwise");
}

bool output_check_endings(const options *o, unsigned groups, err *e)
{
    bool fits = o->output == NULL || check_results(o->output, o, groups, e);
    for (size_t i = 0; i < o->write.count && fits; i++)
        fits = check_results(strchr(o->write.item[i], '=') + 1, o, groups, e);
    if (fits && o->trace_output != NULL && o->trace_format == NULL)
        fits = ending_check(&RENDERER_ENDINGS, "a trace", o->trace_output, e) ||
               err_remedy(e, "--trace-format names the format of what ends otherwise; a browser "
                             "prints .html");
    if (fits && o->picture != NULL)
        fits = ending_check(&PICTURE_ENDINGS, "a picture", o->picture, e) ||
               err_remedy(e, "--picture - draws it in characters");
    return fits;
}

const char *output_data_file(const options *o)
{
    return o->output == NULL ? "-" : o->output;
}

static const char *output_trace_file(const options *o)
{
    return o->trace_output == NULL ? "-" : o->trace_output;
}

const renderer *output_renderer(const options *o)
{
    const char *name = o->trace_format;
    if (name == NULL)
        return renderer_by_ending(output_trace_file(o));
    return (const renderer *)(const void *)named_find(&RENDERERS, name, strlen(name));
}

render_binding output_binding(const options *o)
{
    if (!o->trace || output_renderer(o)->bind == NULL)
        return BOUND_NOT;
    return o->chain ? BOUND_CHAIN : o->operands > 1 ? BOUND_BESIDE : BOUND_NOT;
}

bool output_uses_color(const options *o, const env *world, const char *file)
{
    if (o->color != NULL && strcmp(o->color, "auto") != 0)
        return strcmp(o->color, "always") == 0;
    return world->stdout_is_terminal && !world->no_color && strcmp(file, "-") == 0;
}

write_options output_how(const options *o, const format *f)
{
    return (write_options){.digits = option_digits(o),
                           .single_line = (f->holds & HOLDS_STREAM) != 0,
                           .delimiter = o->delimiter == NULL ? '\0' : o->delimiter[0],
                           .csv_safe = o->csv_safe,
                           .threads = o->threads};
}

/* ---- formats ---- */

const format *output_format_said(const options *o, const char *file)
{
    return o->format != NULL ? format_by_name(o->format) : format_by_ending(file);
}

const format *output_format_or(const options *o, const char *file, const char *usual)
{
    const format *said = output_format_said(o, file);
    return said != NULL ? said : format_by_name(usual);
}

size_t output_format_bytes(const format *f, size_t count, dtype type)
{
    bool is_binary = (f->holds & HOLDS_TYPES) != 0;
    return size_product(count, is_binary ? dtype_size(type) : 2);
}

/* ---- files ---- */

/* Each of so many: the trace, the picture, and the results. */
static size_t files_of(const outputs *to)
{
    return 2 + to->count;
}

static output_file *file_at(outputs *to, size_t i)
{
    return i == 0 ? &to->trace : i == 1 ? &to->picture : &to->output[i - 2].to;
}

/* What a picture or a trace is rendered into, after a free line where it is not the first. */
static sink *next_result(output_file *to)
{
    if (to->results++ > 0)
        text_add_string(sink_text(&to->sink), "\n");
    return &to->sink;
}

/* The remedy where one result of several, or an error in its place, would not fit. */
static bool advise_lines(const output_file *to, err *e)
{
    return to->ending_decides ? err_remedy(e, "a file that ends in .jsonl gets a result a line")
                              : err_remedy(e, "--format jsonl writes a result a line");
}

/* ---- what was asked for ---- */

/* The data, of the stages that --emit names, or of no names where the document's kind says them;
 * and each --write STAGE=FILE. */
static bool plan_outputs(outputs *to, err *e)
{
    const options *o = to->given;
    /* One thing goes to standard output: a picture or trace without a file of its own takes the
     * data's place there, unless -o names a file. */
    const char *taker = o->output != NULL                           ? NULL
                        : to->draws && strcmp(o->picture, "-") == 0 ? "picture"
                        : to->traces && o->trace_output == NULL     ? "trace"
                                                                    : NULL;
    bool is_written_only = o->write.count > 0 && o->output == NULL && o->emit.count == 0;
    const char *of_data = o->emit.count > 0   ? "emit"
                          : is_written_only   ? NULL
                          : o->format != NULL ? "format"
                          : o->logits         ? "logits"
                                              : NULL;
    if (taker != NULL && of_data != NULL) {
        const char *said = o->emit.count == 0 && o->format == NULL ? "tokens" : "data";
        err_set(e, "the %s goes to standard output in place of the %s, so --%s would not be used",
                taker, said, of_data);
        return err_remedy(e, "-o FILE takes the %s, or --%s FILE the %s", said,
                          taker[0] == 'p' ? "picture" : "trace-output", taker);
    }
    to->output = mem_alloc_zeroed(o->write.count + 1, sizeof to->output[0], e);
    bool done = to->output != NULL;
    if (done && taker == NULL && !is_written_only) {
        output *data = &to->output[to->count++];
        *data = (output){.to = {.what = "the data", .file = output_data_file(o)}};
        to->tells = o->generated > 0 && o->emit.count == 0;
        if (to->tells)
            data->to.what = o->logits ? "the logits" : "tokens";
        else
            data->format = output_format_said(o, data->to.file);
        done = text_list_index(&data->stages, e);
        for (size_t i = 0; i < o->emit.count && done; i++) {
            const char *name = o->emit.item[i];
            done = text_list_find(&data->stages, name) != NULL ||
                   text_list_add(&data->stages, name, strlen(name), e);
        }
    }
    for (size_t i = 0; i < o->write.count && done; i++) {
        const char *pair = o->write.item[i], *file = strchr(pair, '=') + 1;
        const format *own = format_by_ending(file);
        output *next = &to->output[to->count++];
        *next = (output){.to = {.file = file, .ending_decides = own != NULL}};
        next->format = own != NULL ? own : output_format_said(o, output_data_file(o));
        done = text_list_add(&next->stages, pair, (size_t)(file - 1 - pair), e);
        if (done)
            next->to.what = next->stages.item[0];
    }
    return done;
}

/* With --keep-going, the result of a bad document is an object with its error. */
static bool check_holds_errors(const outputs *to, err *e)
{
    const output *of_numbers = NULL;
    for (size_t i = 0; i < to->count && of_numbers == NULL; i++) {
        if (to->output[i].format != NULL && !to->output[i].format->is_json)
            of_numbers = &to->output[i];
    }
    bool are_words = to->tells && !to->given->logits;
    const char *other = to->traces  ? "a trace"
                        : to->draws ? "a picture"
                        : are_words ? "a list of tokens"
                                    : NULL;
    if (!to->given->keep_going || (of_numbers == NULL && other == NULL))
        return true;
    err_set(e, "--keep-going puts {\"error\": ...} in place of a result, and %s can't hold that",
            other != NULL ? other : of_numbers->format->named.name);
    if (other == NULL)
        return advise_lines(&of_numbers->to, e);
    return !to->traces && !to->draws && err_remedy(e, "--logits writes a JSON object a token");
}

bool outputs_plan(outputs *to, const options *o, err *e)
{
    *to = (outputs){.given = o,
                    .threads = o->threads,
                    .traces = o->trace,
                    .draws = o->picture != NULL,
                    .trace = {.what = "the trace", .file = o->trace ? output_trace_file(o) : NULL},
                    .picture = {.what = "the picture", .file = o->picture}};
    if (!plan_outputs(to, e))
        return false;
    for (size_t i = 0; i < files_of(to); i++) {
        for (size_t j = 0; j < i; j++) {
            const char *one = file_at(to, j)->file, *other = file_at(to, i)->file;
            if (one == NULL || other == NULL || !sink_shares_file(one, other))
                continue;
            err_set(e, "%s and %s both go to %s", file_at(to, j)->what, file_at(to, i)->what,
                    strcmp(one, "-") == 0 ? "standard output" : one);
            return strcmp(one, other) != 0 && err_remedy(e, "%s is the same file", other);
        }
    }
    if (!check_holds_errors(to, e))
        return false;
    /* Of a generation: refuses options about stages if none are written, and --logits and --digits
     * if nothing that they shape is. */
    bool goes_on = o->generated > 0, has_stages = o->emit.count > 0 || o->write.count > 0;
    const char *of_stages = o->format != NULL ? "format" : o->header ? "header" : NULL;
    if (goes_on && !has_stages && of_stages != NULL)
        return err_set(e, "--%s is for stages, and neither --emit nor --write names one",
                       of_stages);
    if (goes_on && o->logits && !to->tells)
        return err_set(e, "--logits is for tokens, and stages are written in their place");
    return !goes_on || !o->has_digits || o->logits || to->traces || to->draws || has_stages ||
           err_set(e, "--digits is for the numbers of --logits and of --trace, and there are none");
}

/* ---- what is wanted of a document ---- */

/* Without --format or an ending: CSV if every matrix came from CSV or TSV and no document was
 * given, else JSON. */
static const format *format_of(const output *one, const document *from)
{
    return one->format != NULL ? one->format : format_by_name(from->is_all_tables ? "csv" : "json");
}

static const text_list *names_of(const output *one, const work *w)
{
    const text_list *usual = w->emitted.count > 0 ? &w->emitted : &w->kind->emitted;
    return one->stages.count > 0 ? &one->stages : usual;
}

/* Whether writers of text alone look at the stage, each from its first row to its last. */
static bool is_for_text(const outputs *to, const char *name, const work *w)
{
    if (to->traces || to->draws || to->given->average_heads || strchr(name, '*') != NULL)
        return false;
    for (size_t i = 0; i < to->count; i++) {
        const output *one = &to->output[i];
        bool is_text = (format_of(one, w->document)->holds & HOLDS_SUPPLIED) != 0;
        if (!is_text && keeper_wants(&one->wanted, name))
            return false;
    }
    return true;
}

/* A word a line: one of two lines would be two words, and between documents is an empty one. */
static bool check_words(const outputs *to, const generation *g, err *e)
{
    for (size_t id = 0; !to->given->logits && id < g->logits.size[1]; id++) {
        const char *word = stack_word_of_id(&g->stack, id);
        bool is_empty = word != NULL && word[0] == '\0' && to->documents->is_many;
        if (word == NULL || (strchr(word, '\n') == NULL && !is_empty))
            continue;
        err_set(e,
                is_empty
                    ? "the word of id %zu is empty, and so is the line between two documents"
                    : "the word of id %zu has a line break in it, and a word is written a line",
                id);
        return err_remedy(e, "--logits writes a JSON object a token");
    }
    return true;
}

/* A whole line, handed on at once. */
static bool hear_step(void *listener, const generation *g, err *e)
{
    outputs *to = listener;
    const options *o = to->given;
    output_file *data = &to->output[0].to;
    char digits[ID_DIGITS];
    const char *name = stack_name_of_id(&g->stack, g->next, digits);
    if (!outputs_open(to, e))
        return false;
    text *out = sink_text(g->step == 1 ? next_result(data) : &data->sink);
    to->is_telling = true;
    if (o->logits) {
        tensor row = tensor_at(&g->logits, 0);
        text_add_string(out, "{");
        json_member_count(out, "id", g->next);
        if (bundle_find(g->stack.document, "vocab") != NULL)
            json_member_text(out, "token", name);
        json_member_key(out, "logits");
        json_row_write(out, &row, option_digits(o));
        text_add_string(out, "}\n");
    } else {
        text_add_format(out, "%s\n", name);
    }
    return sink_flush(&data->sink, e);
}

static bool is_svg(const outputs *to)
{
    return strcmp(to->picture.file, "-") != 0;
}

/* Refuses what can't be rendered as options ask. */
static bool check_shown(const outputs *to, err *e)
{
    const options *o = to->given;
    const renderer *by = to->traces ? output_renderer(o) : NULL;
    if (by != NULL && o->chain && by->bind == NULL) {
        err_set(e, "--chain makes one page of several, and the trace format is %s", by->named.name);
        return err_remedy(e, "--trace-format html makes pages");
    }
    render_binding binding = output_binding(o);
    if (by != NULL && by->is_whole_file && binding == BOUND_NOT && to->trace.results > 0) {
        err_set(e, "%s holds the trace of one document, and there are more", by->named.name);
        return by->bind != NULL && err_remedy(e, "--chain makes one page of them all");
    }
    if (binding == BOUND_BESIDE && to->trace.results == MOST_BESIDE) {
        err_set(e, "%d documents stand side by side, and there are more", MOST_BESIDE);
        return err_remedy(e, "--chain shows them one after the other");
    }
    if (by != NULL && (o->blank.count > 0 || o->exam) && !by->takes_blanks) {
        err_set(e, "--%s leaves cells of a page empty, and the trace format is %s",
                o->exam ? "exam" : "blank", by->named.name);
        return err_remedy(e, "--trace-format html makes a page");
    }
    return !to->draws || !is_svg(to) || (to->picture.results == 0 && to->documents->files <= 1) ||
           err_set(e, "SVG holds the picture of one document, and there are more");
}

bool outputs_want(outputs *to, work *w, err *e)
{
    const options *o = to->given;
    for (size_t i = 0; i < to->count; i++)
        to->output[i].wanted = keeper_of(names_of(&to->output[i], w));
    for (size_t i = 0; i < to->count; i++) {
        const output *one = &to->output[i];
        const text_list *names = one->wanted.wanted;
        size_t bytes;
        bool is_default = one->stages.count == 0 && w->kind->check_emitted != NULL;
        if (is_default && !o->force && !w->kind->check_emitted(w, e))
            return false;
        for (size_t j = 0; j < names->count; j++) {
            const char *name = names->item[j];
            if (!w->kind->want(w, name, is_for_text(to, name, w), e))
                return false;
        }
        /* As text, numbers take at least about the bytes that they have in memory. Means of heads
         * and tokens alone are not counted. */
        bool are_tokens = names->count == 0, is_memory = one->to.file == NULL;
        if (o->average_heads || is_memory || (are_tokens && !o->logits))
            continue;
        if (!w->kind->bytes(w, names, &bytes, e) ||
            !output_check_disk(one->to.file, one->to.what, bytes,
                               are_tokens ? "a smaller --length" : "--emit fewer stages", o, e))
            return false;
    }
    if (to->tells) {
        w->hear = hear_step;
        w->listener = to;
        if (!check_words(to, w->kind->generation(w), e))
            return false;
    }
    bool has_heads = w->kind->has_heads(w);
    if (o->average_heads && !(has_heads && w->wants_weights))
        return err_set(e, has_heads ? "--average-heads finds no weights that are written"
                                    : "--average-heads finds no heads to average over");
    return check_shown(to, e);
}

/* ---- writing ---- */

bool outputs_open(outputs *to, err *e)
{
    for (size_t i = 0; i < files_of(to); i++) {
        output_file *one = file_at(to, i);
        if (one->file == NULL || one->is_open)
            continue;
        one->is_open = sink_open(&one->sink, one->file, e);
        if (!one->is_open)
            return false;
    }
    return true;
}

bool picture_is_of_gradients(const options *o)
{
    size_t i = 0;
    while (i < o->emit.count && !stage_is_gradient(o->emit.item[i], NULL))
        i++;
    return o->picture != NULL && i < o->emit.count;
}

/* Each gradient that --emit names has a matrix in what is shown. */
static bool check_drawn(const options *o, const trace *of, err *e)
{
    for (size_t i = 0; i < o->emit.count; i++) {
        const text_list one = {.item = &o->emit.item[i], .count = 1};
        const render_options how = {.drawn = &one};
        bool is_there = !stage_is_gradient(one.item[0], NULL);
        for (size_t r = 0; r < of->rooms && !is_there; r++) {
            const trace_room *room = of->room[r];
            for (size_t j = 0; j < room->maps; j++)
                is_there = is_there || picture_takes(&how, room, room->map[j]);
        }
        if (is_there)
            continue;
        err_option(e, "picture", "no trace shows %s, and a picture is of what one shows",
                   one.item[0]);
        return err_remedy(e, "of gradients it shows all but those of a table of rows");
    }
    return true;
}

bool outputs_draw(const outputs *to, const trace *of, const env *world, text *out, err *e)
{
    static const text_list NONE = {0};
    const options *o = to->given;
    bool has_gradients = picture_is_of_gradients(o);
    render_options how = {.width = is_svg(to) ? WIDTH_OF_FILES : world->width,
                          .digits = option_digits(o),
                          .sum_keys = &o->sum_keys,
                          .drawn = has_gradients ? &o->emit : &NONE,
                          .color = output_uses_color(o, world, to->picture.file)};
    return (!has_gradients || check_drawn(o, of, e)) && key_sums_check(&o->sum_keys, of, e) &&
           (is_svg(to) ? weights_svg(of, &how, out, e) : weights_terminal(of, &how, out, e));
}

/* Into memory, to be discarded in any case. */
static bool render_within(const options *o, const trace *t, const render_options *how, sink *whole,
                          err *e)
{
    const renderer *by = output_renderer(o);
    sink_open_memory(whole);
    sink_text(whole)->most = by->most_bytes;
    bool done = by->render(t, how, whole, e);
    if (!sink_text(whole)->is_full)
        return done;
    err_clear(e);
    err_set(e, "the trace as %s would be more than the %zu bytes that can be shown well",
            by->named.name, by->most_bytes);
    return err_remedy(e, "%s--trace=STEP shows one step; --force writes it all the same",
                      o->full ? "without --full it is smaller; " : "");
}

bool output_fits(const options *o, const trace *t, err *e)
{
    const renderer *by = output_renderer(o);
    sink whole;
    render_options how = {.width = WIDTH_OF_FILES,
                          .digits = option_digits(o),
                          .is_full = o->full,
                          .blank = &o->blank,
                          .is_exam = o->exam};
    if (!o->trace || by->most_bytes == 0 || o->force)
        return true;
    bool fits = render_within(o, t, &how, &whole, e);
    sink_discard(&whole);
    return fits;
}

static bool write_trace(outputs *to, const work *w, const env *world, err *e)
{
    const options *o = to->given;
    const renderer *by = output_renderer(o);
    const char *file = to->trace.file;
    place at = document_place(w->document);
    sink *out = next_result(&to->trace), whole;
    text from = {0};
    /* One of several documents, whose source is the heading where it has no other. */
    text_add_string(&from, at.file == NULL ? "" : at.file);
    if (at.line > 0)
        text_add_format(&from, ":%zu", at.line);
    render_options how = {.width = strcmp(file, "-") == 0 ? world->width : WIDTH_OF_FILES,
                          .digits = option_digits(o),
                          .is_full = o->full,
                          .color = output_uses_color(o, world, file),
                          .blank = &o->blank,
                          .is_exam = o->exam,
                          .binding = output_binding(o),
                          .is_first = to->trace.results == 1};
    if (to->documents->is_many && from.length > 0)
        how.source = text_string(&from);
    bool done = text_ok(&from, e);
    if (done && (by->most_bytes == 0 || o->force)) {
        done = by->render(w->shown, &how, out, e);
    } else if (done) {
        /* A page that turns out too large is not written, and rendering stops. */
        done = render_within(o, w->shown, &how, &whole, e) && sink_add(out, sink_text(&whole), e);
        sink_discard(&whole);
    }
    text_free(&from);
    return done;
}

static bool write_result(const outputs *to, output *one, const bundle *result, const work *w,
                         err *e)
{
    const options *o = to->given;
    const format *f = format_of(one, w->document);
    write_options how = output_how(o, f);
    how.name = bundle_text(&w->document->contents, "name");
    how.single_line = how.single_line || to->documents->is_many;
    how.threads = to->threads;
    how.supply = w->supply;
    text_list header = {0};
    if ((one->to.results > 0 || to->documents->files > 1) && !f->is_json) {
        err_set(e, "%s holds the results of one document, and there are more", f->named.name);
        return advise_lines(&one->to, e);
    }
    bool done = !o->header || work_header(w, &header, e);
    if (done && work_rows(w) != NULL && f->holds & HOLDS_HEADER) {
        /* join needs it, to put the parts together. */
        text line = {0};
        text_add_string(&line, "rows: ");
        row_choice_show(work_rows(w), &line);
        done = text_ok(&line, e) && text_list_add(&header, text_string(&line), line.length, e);
        text_free(&line);
    }
    if (header.count > 0)
        how.header = &header;
    done = done && f->write(result, &how, &one->to.sink, e);
    text_list_free(&header);
    one->to.results++;
    return done;
}

/* The stages as a result of their own, borrowed, in the order of their names; what one name means,
 * in the order in which it is made. */
static bool view_stages(const output *one, const work *w, bundle *view, err *e)
{
    const bundle *all = &w->stages;
    const text_list *names = one->wanted.wanted;
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->item[i];
        const entry *only = strchr(name, '*') != NULL ? NULL : bundle_find(all, name);
        const entry *first = only == NULL ? all->entry : only;
        const entry *end = only == NULL ? all->entry + all->count : only + 1;
        for (const entry *made = first; made < end; made++) {
            tensor borrowed = tensor_view_of(&made->tensor);
            if (!stage_name_matches(name, made->name) || bundle_find(view, made->name) != NULL)
                continue;
            if (!bundle_add_tensor(view, made->name, &borrowed, made->at, e))
                return false;
            bundle_find(view, made->name)->axes = made->axes;
        }
    }
    return true;
}

static bool average_heads(bundle *stages, err *e)
{
    for (size_t i = 0; i < stages->count; i++) {
        entry *one = &stages->entry[i];
        const char *last = strrchr(one->name, '.');
        const char *heads = one->axes == NULL ? NULL : strchr(one->axes, 'h');
        if (heads == NULL || strcmp(last == NULL ? one->name : last + 1, "weights") != 0)
            continue;
        bool has_batch = heads > one->axes;
        if (!tensor_average(&one->tensor, has_batch ? 1 : 0, e))
            return false;
        one->axes = has_batch ? "bqk" : "qk";
    }
    return true;
}

bool outputs_write(outputs *to, work *w, const text *drawn, const env *world, err *e)
{
    if (to->traces && !write_trace(to, w, world, e))
        return false;
    if (to->given->average_heads && !average_heads(&w->stages, e))
        return false;
    to->is_telling = false;
    for (size_t i = to->tells; i < to->count; i++) {
        output *one = &to->output[i];
        const text_list *names = one->wanted.wanted;
        bundle view = {0};
        bool are_all = names->count == w->stages.count;
        for (size_t j = 0; are_all && j < names->count; j++)
            are_all = strcmp(w->stages.entry[j].name, names->item[j]) == 0;
        bool done = are_all ? write_result(to, one, &w->stages, w, e)
                            : view_stages(one, w, &view, e) && write_result(to, one, &view, w, e);
        bundle_free(&view);
        if (!done)
            return false;
    }
    return !to->draws || sink_add(next_result(&to->picture), drawn, e);
}

bool outputs_write_error(outputs *to, const document *one, const err *bad, err *e)
{
    write_options how = {.name = bundle_text(&one->contents, "name"), .single_line = true};
    bundle result = {0};
    text said = {0};
    assert(bad->where[0] != '\0'); /* document_blame has seen to it, and it has a name */
    text_add_format(&said, "%s: %s", bad->where, bad->what);
    bool done = text_ok(&said, e) &&
                bundle_add_text(&result, "error", text_string(&said), said.length, (place){0}, e);
    if (to->tells && !to->is_telling && to->output[0].to.results > 0)
        text_add_string(sink_text(&to->output[0].to.sink), "\n");
    to->is_telling = false;
    for (size_t i = 0; i < to->count && done; i++) {
        to->output[i].to.results++;
        done = json_write(&result, &how, &to->output[i].to.sink, e);
    }
    text_free(&said);
    bundle_free(&result);
    return done;
}

bool outputs_are_text(const outputs *to)
{
    const output *only = &to->output[0];
    return !to->traces && !to->draws && to->given->write.count == 0 &&
           (only->format == NULL || only->format->is_json);
}

bool outputs_open_memory(outputs *to, const outputs *as, err *e)
{
    *to = *as;
    to->threads = 1;
    to->output = mem_alloc(1, sizeof to->output[0], e);
    if (to->output == NULL)
        return false;
    to->output[0] = as->output[0];
    to->output[0].to = (output_file){.is_open = true, .results = 1}; /* never the first */
    sink_open_memory(&to->output[0].to.sink);
    return true;
}

text *outputs_text(outputs *in_memory)
{
    return sink_text(&in_memory->output[0].to.sink);
}

void outputs_free_memory(outputs *in_memory)
{
    if (in_memory->output != NULL)
        sink_discard(&in_memory->output[0].to.sink);
    mem_free(in_memory->output);
}

bool outputs_put(outputs *to, const char *bytes, size_t length, err *e)
{
    output_file *data = &to->output[0].to;
    assert(data->is_open); /* the first document of a stream is never made in memory */
    data->results++;
    text_add(sink_text(&data->sink), bytes, length);
    return sink_spill(&data->sink, e);
}

bool outputs_flush(outputs *to, err *e)
{
    for (size_t i = 0; i < files_of(to); i++) {
        output_file *one = file_at(to, i);
        if (one->is_open && !sink_flush(&one->sink, e))
            return false;
    }
    return true;
}

bool outputs_close(outputs *to, bool done, err *e)
{
    if (done && to->trace.results > 0 && output_binding(to->given) != BOUND_NOT)
        done = output_renderer(to->given)->bind(&to->trace.sink, e);
    for (size_t i = files_of(to); i-- > 0;) {
        output_file *one = file_at(to, i);
        done = one->is_open ? sink_end(&one->sink, done, e) : done;
    }
    for (size_t i = 0; i < to->count; i++)
        text_list_free(&to->output[i].stages);
    mem_free(to->output);
    return done;
}
