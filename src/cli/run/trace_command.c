#include "cli/run/trace_command.h"

#include "cli/out/note.h"
#include "io/number_read.h"
#include "render/renderer.h"
#include "trace/nodes.h"
#include "trace/stack_steps.h"
#include "trace/stack_trace.h"

#include <stdint.h>
#include <string.h>

/* ---- --trace=STEP,… ---- */

/* The option table has refused what is neither a step nor a stage. */
void trace_command_find_wishes(const text_list *words, step_wish wish[STEP_COUNT])
{
    for (step_id id = 0; id < STEP_COUNT; id++)
        wish[id] = STEP_UNWANTED;
    for (size_t i = 0; words != NULL && i < words->count; i++) {
        const step_row *found = step_find(words->item[i], strlen(words->item[i]));
        wish[found - (const step_row *)(const void *)named_row(&STEPS, 0)] = STEP_WANTED;
    }
}

/* ---- --focus row=I,head=H,batch=B ---- */

typedef struct focus_place {
    const char *name;
    size_t *at, count;
} focus_place;

static bool set_focus(const focus_place *in, const char *value, err *e)
{
    const char *end = value + strlen(value);
    double number = 0;
    if (!number_read_json(value, end, &number) || !(number >= 1 && number <= (double)in->count))
        return err_set(e, "--focus %s=%s is outside the matrix, there %s %zu", in->name, value,
                       in->count == 1 ? "is" : "are", in->count);
    *in->at = (size_t)number - 1;
    return true;
}

/* most: how many rows, heads and batches there are. `focus` is what it is unless it is said. */
static bool find_focus(const trace_focus *most, const options *o, trace_focus *focus, err *e)
{
    const focus_place places[] = {{"row", &focus->row, most->row},
                                  {"head", &focus->head, most->head},
                                  {"batch", &focus->batch, most->batch}};
    for (size_t i = 0; i < o->focus.count; i++) {
        const char *pair = o->focus.item[i], *equals = strchr(pair, '=');
        for (size_t j = 0; j < sizeof places / sizeof places[0]; j++) {
            bool is_it = strncmp(pair, places[j].name, (size_t)(equals - pair)) == 0;
            if (is_it && !set_focus(&places[j], equals + 1, e))
                return false;
        }
    }
    return true;
}

/* Where no row sees a later one, the first sees itself alone, and the last the most. */
bool trace_command_find_focus(const solution *s, const options *o, trace_focus *focus, err *e)
{
    const plan *p = &s->plan;
    const trace_focus most = {.batch = p->batches, .head = p->heads, .row = p->n_q};
    *focus = (trace_focus){.row = plan_is_causal(p) ? p->n_q - 1 : 0};
    return find_focus(&most, o, focus, e);
}

/* A head that every attention of the stack has. */
static bool find_stack_focus(const stack *s, const options *o, trace_focus *focus, err *e)
{
    trace_focus most = {
        .batch = s->batches == 0 ? 1 : s->batches, .head = SIZE_MAX, .row = s->rows};
    *focus = (trace_focus){0};
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            const layer_part *p = &s->layer[i].part[j];
            if (p->as->kind == PART_FEED_FORWARD)
                continue;
            if (p->attention->plan.heads < most.head)
                most.head = p->attention->plan.heads;
            if (plan_is_causal(&p->attention->plan))
                focus->row = s->rows - 1;
        }
    }
    return find_focus(&most, o, focus, e);
}

/* A picture is of the batch in focus. */
void trace_command_say_unused(const options *o, const env *world)
{
    if (o->sum_keys.count > 0 && o->picture == NULL)
        note_say(world, o, NULL,
                 "no picture is drawn without --picture, so --sum-keys has nothing to say");
    if (output_has_trace(o))
        return;
    bool has_focus = o->focus.count > 0 && o->picture == NULL;
    if (has_focus || o->full)
        note_say(world, o, NULL, "no trace is made without --trace, so %s nothing to say",
                 !o->full     ? "--focus has"
                 : !has_focus ? "--full has"
                              : "--focus and --full have");
}

/* ---- rendering ---- */

static const renderer *find_renderer(const options *o)
{
    const char *name = o->trace_format;
    if (name == NULL)
        return renderer_by_ending(output_trace_file(o));
    return (const renderer *)(const void *)named_find(&RENDERERS, name, strlen(name));
}

bool trace_command_takes_entries(const trace *t, const options *o)
{
    const renderer *by = find_renderer(o);
    return by->takes_entries != NULL && by->takes_entries(t);
}

bool trace_command_check(const options *o, size_t results, err *e)
{
    const renderer *by = find_renderer(o);
    if (by->is_whole_file && results > 0)
        return err_set(e, "%s holds the trace of one document, and there are more", by->named.name);
    if ((o->blank.count == 0 && !o->exam) || by->takes_blanks)
        return true;
    err_set(e, "--%s leaves cells of a page empty, and the trace format is %s",
            o->exam ? "exam" : "blank", by->named.name);
    return err_remedy(e, "--trace-format html makes a page");
}

static bool refuse_size(const renderer *by, const options *o, err *e)
{
    err_set(e, "the trace as %s would be more than the %zu bytes that can be shown well",
            by->named.name, by->most_bytes);
    return err_remedy(e, "%s--trace=STEP shows one step; --force writes it all the same",
                      o->full ? "without --full it is smaller; " : "");
}

/* Nothing is written of one that turns out to be too large, and no more is made. */
static bool render_limited(const renderer *by, const trace *t, const render_options *how,
                           const options *o, sink *to, err *e)
{
    sink whole;
    sink_open_memory(&whole);
    text *out = sink_text(&whole);
    out->most = by->most_bytes;
    bool done = by->render(t, how, &whole, e) && sink_add(to, out, e);
    if (out->is_full) {
        err_clear(e);
        refuse_size(by, o, e);
    }
    sink_discard(&whole);
    return done;
}

static bool render(const trace *t, const options *o, const env *world, const char *from,
                   output_file *file, err *e)
{
    const renderer *by = find_renderer(o);
    sink *to = output_file_next(file);
    bool is_stdout = strcmp(file->file, "-") == 0;
    render_options how = {.width = is_stdout ? world->width : WIDTH_OF_FILES,
                          .digits = option_digits(o),
                          .is_full = o->full,
                          .color = output_uses_color(o, world, file->file),
                          .blank = &o->blank,
                          .is_exam = o->exam,
                          .source = from};
    bool is_limited = by->most_bytes > 0 && !o->force;
    return is_limited ? render_limited(by, t, &how, o, to, e) : by->render(t, &how, to, e);
}

/* One of several documents, whose source is the heading where it has no other. */
bool trace_command_write(const trace *t, const document *of, const document_reader *all,
                         const options *o, const env *world, output_file *to, err *e)
{
    place at = document_place(of);
    text from = {0};
    text_add_string(&from, at.file == NULL ? "" : at.file);
    if (at.line > 0)
        text_add_format(&from, ":%zu", at.line);
    bool is_named = all->is_many && from.length > 0;
    bool done =
        text_ok(&from, e) && render(t, o, world, is_named ? text_string(&from) : NULL, to, e);
    text_free(&from);
    return done;
}

const trace_map *trace_command_map_of(const trace *t, const char *name)
{
    const trace_map *found = NULL;
    for (size_t i = 0; i < trace_rooms(t) && found == NULL; i++) {
        const trace *room = trace_room(t, i);
        size_t length = strlen(room->place.way);
        if (strncmp(name, room->place.way, length) == 0)
            found = map_named(room, name + length);
    }
    return found;
}

/* ---- stacks ---- */

bool trace_command_wants_weighted(const text_list *there, const text_list *names)
{
    static const char LAST[] = ".weighted";
    for (size_t i = 0; i < there->count; i++) {
        const char *name = there->item[i];
        size_t length = strlen(name);
        if (length < sizeof LAST || strcmp(name + length + 1 - sizeof LAST, LAST) != 0)
            continue;
        for (size_t j = 0; j < names->count; j++) {
            if (stage_name_matches(names->item[j], name))
                return true;
        }
    }
    return false;
}

bool trace_command_check_steps(const stack *s, size_t steps, const options *o, err *e)
{
    return stack_steps_check(s, steps, &o->steps, e) && stack_steps_check(s, steps, &o->blank, e);
}

/* With a house for each entry of a batch, where it may take them all. */
static size_t memory_of_house(const stack *s, const options *o)
{
    size_t rooms = stack_trace_rooms(s);
    bool has_others = output_has_trace(o) && find_renderer(o)->takes_entries != NULL &&
                      s->batches > 1 && s->batches <= MOST_ENTRIES;
    return stack_trace_memory(has_others ? rooms * (1 + s->batches) : rooms);
}

bool trace_command_make_stack(stack_trace *t, stack_solution *s, const text_list *names,
                              const text_list *asked, const options *o, const env *world, err *e)
{
    text_list all = {0};
    trace_focus focus;
    *t = (stack_trace){0};
    if (!find_stack_focus(&s->stack, o, &focus, e))
        return false;
    focus.is_by_default = o->focus.count == 0;
    const kept_stages one_row = {.weighted_is_one_row = true,
                                 .few = focus.is_by_default ? TRACE_FEW : 0,
                                 .batch = focus.batch,
                                 .head = focus.head,
                                 .row = focus.row};
    s->stack.how.one_row = trace_command_wants_weighted(&s->there, names) ? NULL : &one_row;
    s->house = memory_of_house(&s->stack, o);
    bool done = text_list_add(&all, "*", 1, e) && stack_solution_run(s, &all, o, world, e) &&
                stack_trace_make(t, &s->stack, &s->stages, focus, o->full, asked, e);
    s->stack.how.one_row = NULL;
    text_list_free(&all);
    return done;
}

/* ---- generations ---- */

static bool says_row(const options *o)
{
    for (size_t i = 0; i < o->focus.count; i++) {
        if (strncmp(o->focus.item[i], "row=", strlen("row=")) == 0)
            return true;
    }
    return false;
}

/* The last row of the prompt is the one that logits are made of. */
bool trace_command_begin_generation(generation_trace *t, generation *g, const text_list *asked,
                                    const options *o, err *e)
{
    generation_trace_settings how = {.is_full = o->full, .asked = asked};
    if (!trace_command_check_steps(&g->stack, g->how.steps, o, e) ||
        !find_stack_focus(&g->stack, o, &how.focus, e))
        return false;
    if (!says_row(o))
        how.focus.row = g->stack.rows - 1;
    return generation_trace_begin(t, g, &how, e);
}
