#include "cli/run/work.h"

#include "base/float_bits.h"
#include "base/fnv.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/line/options.h"
#include "cli/line/shell_word.h"
#include "cli/run/trace_command.h"
#include "cli/version.h"
#include "model/stages.h"
#include "model/keys.h"

#include <stdint.h>
#include <string.h>

/* ---- --header: what made a result, so that a golden file can say where it came from ---- */

/* FNV-1a over the elements' bits as float64, in C order: the same for any strides and either
 * type. */
static uint64_t hash_of(const tensor *t)
{
    uint64_t hash = FNV_OF_NOTHING;
    size_t index[TENSOR_MAX_RANK] = {0};
    do {
        uint64_t bits = float64_bits(tensor_get(t, index));
        for (int byte = 0; byte < 8; byte++)
            hash = fnv_step(hash, (uint8_t)(bits >> (8 * byte)));
    } while (tensor_next(t, index));
    return hash;
}

static bool add_line(text_list *lines, text *line, err *e)
{
    bool done = text_ok(line, e) && text_list_add(lines, text_string(line), line->length, e);
    text_clear(line);
    return done;
}

/* A line is a line, and a result is UTF-8 whatever a file is called: an argument is shown as a
 * message would, but quoted, so that where it ends is told. */
static bool add_argument(text *line, const char *argument, err *e)
{
    char *shown = mem_copy_text(argument, strlen(argument), e);
    if (shown == NULL)
        return false;
    utf8_make_printable(shown);
    text_add_string(line, " ");
    shell_word_add(line, shown);
    mem_free(shown);
    return true;
}

/* command: what a reader would have to type, or NULL for the default one. */
static bool add_maker(text_list *lines, const char *command, const options *o, err *e)
{
    text line = {0};
    text_add_string(&line, "made by: selfattn " SELFATTN_VERSION);
    bool done = add_line(lines, &line, e);
    text_add_string(&line, "arguments:");
    if (command != NULL)
        text_add_format(&line, " %s", command);
    for (int i = 1; i < o->argc && done; i++)
        done = add_argument(&line, o->argv[i], e);
    done = done && add_line(lines, &line, e);
    text_free(&line);
    return done;
}

static bool add_input(text_list *lines, const char *name, const tensor *given, err *e)
{
    text line = {0};
    char shape[SHAPE_TEXT];
    text_add_format(&line, "input: %s, %s, %s, hash %016llx", name, tensor_shape_text(given, shape),
                    dtype_name(given->type), (unsigned long long)hash_of(given));
    bool done = add_line(lines, &line, e);
    text_free(&line);
    return done;
}

/* A line each: the version, the arguments, every input with its shape and a hash of its numbers. */
static bool header_lines(const solution *s, const options *o, text_list *lines, err *e)
{
    const problem *asked = s->rows.count > 0 ? &s->whole : &s->problem;
    bool done = add_maker(lines, NULL, o, e);
    for (input which = INPUT_X; which < INPUT_COUNT && done; which++) {
        const tensor *given = asked->in[which];
        done = given == NULL || add_input(lines, input_key(which), given, e);
    }
    return done;
}

/* Ids and segments are inputs, as matrices are; a single number is a setting. */
static bool is_input(const key *as, const entry *one)
{
    bool is_matrix = as->kind == KEY_MATRIX || as->kind == KEY_BIAS || as->kind == KEY_MASK;
    return one->kind == ENTRY_TENSOR &&
           (is_matrix || (as->kind == KEY_NUMBERS && one->tensor.rank > 0));
}

/* `way`: to what these are entries of, with a point after it. Layers count from 0, as everywhere in
 * data. */
static bool add_entries(text_list *lines, const key_tables *keys, const bundle *of, text *way,
                        err *e)
{
    size_t length = way->length;
    bool done = true;
    for (size_t i = 0; i < of->count && done; i++) {
        const entry *one = &of->entry[i];
        const key *as = key_find(keys, one->name, strlen(one->name));
        if (as == NULL)
            continue;
        bool is_object = as->kind == KEY_OBJECT || as->kind == KEY_OBJECTS;
        const key_tables *members =
            is_object ? ((const object_key *)(const void *)as)->members : NULL;
        size_t objects = as->kind == KEY_OBJECTS ? one->bundle->count : 0;
        text_add_format(way, as->kind == KEY_OBJECT ? "%s." : "%s", one->name);
        size_t within = way->length;
        if (as->kind == KEY_OBJECT)
            done = add_entries(lines, members, one->bundle, way, e);
        for (size_t j = 0; j < objects && done; j++) {
            way->length = within;
            text_add_format(way, ".%zu.", j);
            done = add_entries(lines, members, one->bundle->entry[j].bundle, way, e);
        }
        if (is_input(as, one))
            done = text_ok(way, e) && add_input(lines, text_string(way), &one->tensor, e);
        way->length = length;
    }
    return done && text_ok(way, e);
}

/* Inputs are named by the way to them: "layers.0.wq". command: its name, which stood before the
 * arguments, or NULL; embedded: the rows that words become, which tell of them. */
static bool header_lines_of_stack(const stack *s, const char *command, const tensor *embedded,
                                  const options *o, text_list *lines, err *e)
{
    bool has_words = bundle_find(s->document, "vocab") != NULL;
    text way = {0};
    bool done = add_maker(lines, command, o, e) &&
                add_entries(lines, &STACK_DOCUMENT, s->document, &way, e) &&
                (!has_words || add_input(lines, "embedded", embedded, e));
    text_free(&way);
    return done;
}

static const text_list NO_STEPS = {0};

/* ---- the entries of a batch ---- */

/* Where all of them are shown, their traces are chained to the one in focus. */
static bool make_entries(work *w, trace *shown, const options *o, err *e)
{
    bool is_attention = work_is_attention(w), done = true;
    step_wish none[STEP_COUNT];
    trace_focus focus = shown->focus;
    trace *last = shown;
    if (!trace_command_takes_entries(shown, o))
        return true;
    trace_command_find_wishes(NULL, none);
    w->entry = mem_alloc_zeroed(shown->batches, sizeof w->entry[0], e);
    for (size_t i = 0; w->entry != NULL && i < shown->batches && done; i++) {
        work_trace *one = &w->entry[w->entries++];
        focus.batch = i;
        done = is_attention ? trace_make(&one->attention, &w->of.attention.plan, w->stages, focus,
                                         false, none, e)
                            : stack_trace_make(&one->stack, &w->of.stack.stack, w->stages, focus,
                                               false, &NO_STEPS, e);
        trace *made = is_attention ? &one->attention : &one->stack.whole;
        last->next_entry = made;
        last = made;
    }
    return done && w->entry != NULL;
}

static void free_entries(work *w)
{
    for (size_t i = 0; i < w->entries; i++) {
        if (work_is_attention(w))
            trace_free(&w->entry[i].attention);
        else
            stack_trace_free(&w->entry[i].stack);
    }
    mem_free(w->entry);
}

/* ---- one attention ---- */

static char *OF_ATTENTION[] = {"weights", "output"};

static bool plan_attention(work *w, const options *o, err *e)
{
    w->stages = &w->of.attention.stages;
    return solution_plan(&w->of.attention, w->document, o, e);
}

static bool add_name(text_list *names, const char *name, err *e)
{
    return text_list_add(names, name, strlen(name), e);
}

static bool names_of_attention(work *w, text_list *names, err *e)
{
    (void)w;
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        if (!add_name(names, stage_row(id)->key.named.name, e))
            return false;
    }
    return true;
}

static bool want_stage(work *w, stage_id id, bool by_rows, err *e)
{
    solution *s = &w->of.attention;
    w->wants_weights = w->wants_weights || id == STAGE_WEIGHTS;
    return (by_rows && solution_want_rows(s, id)) || solution_want(s, &id, 1, e);
}

/* options_check_words has refused a name that no stage has. */
static bool want_of_attention(work *w, const char *name, bool by_rows, err *e)
{
    const named *found = named_find(&STAGES, name, strlen(name));
    if (found != NULL)
        return want_stage(w, stage_of(found), by_rows, e);
    bool is_any = false;
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        if (plan_has_stage(&w->of.attention.plan, id) &&
            stage_name_matches(name, stage_row(id)->key.named.name))
            is_any = want_stage(w, id, by_rows, e);
    }
    if (is_any)
        return true;
    err_set(e, "there is no stage \"%s\" here", name);
    return err_remedy(e, "selfattn help stages lists them; --emit '*' is all");
}

static bool attention_has_heads(const work *w)
{
    return w->of.attention.plan.has_heads;
}

static bool is_meant(const text_list *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (stage_name_matches(names->item[i], name))
            return true;
    }
    return false;
}

static bool bytes_of_attention(const work *w, const text_list *names, size_t *bytes, err *e)
{
    const plan *p = &w->of.attention.plan;
    size_t size[TENSOR_MAX_RANK], count;
    int rank;
    (void)e;
    *bytes = 0;
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        if (!plan_has_stage(p, id) || !is_meant(names, stage_row(id)->key.named.name))
            continue;
        plan_stage_shape(p, id, &rank, size);
        if (!sizes_count(rank, size, &count) ||
            !size_add_product(bytes, count, dtype_size(p->type)))
            *bytes = SIZE_MAX;
    }
    return true;
}

static bool run_attention(work *w, const options *o, env *world, err *e)
{
    return solution_run(&w->of.attention, o, world, e);
}

static bool show_attention(work *w, shown_for use, const options *o, env *world, err *e)
{
    solution *s = &w->of.attention;
    trace *t = &w->made.attention;
    step_wish wish[STEP_COUNT];
    trace_focus focus;
    *t = (trace){0};
    w->shown = w->drawn = t;
    trace_command_find_wishes(use == FOR_STEPS ? &o->steps : NULL, wish);
    if (!trace_command_find_focus(s, o, &focus, e))
        return false;
    focus.is_by_default = o->focus.count == 0;
    if (use != FOR_PICTURE)
        trace_wants(&s->plan, focus, &s->wanted);
    bool is_all = use == FOR_STEPS && o->steps.count == 0;
    return (use != FOR_PICTURE ||
            (want_stage(w, STAGE_WEIGHTS, false, e) &&
             (!plan_masks(&s->plan) || want_stage(w, STAGE_MASKED, false, e)))) &&
           solution_run(s, o, world, e) &&
           trace_make(t, &s->plan, &s->stages, focus, o->full, is_all ? NULL : wish, e) &&
           (use != FOR_STEPS || make_entries(w, t, o, e));
}

static bool header_of_attention(const work *w, const options *o, text_list *lines, err *e)
{
    return header_lines(&w->of.attention, o, lines, e);
}

static why_question question_of_attention(const work *w, const options *o, const env *world)
{
    const solution *s = &w->of.attention;
    return (why_question){
        .problem = &s->problem, .with = s->plan.with, .threads = solution_threads(s, o, world)};
}

static void free_attention(work *w)
{
    free_entries(w);
    if (w->shown != NULL)
        trace_free(&w->made.attention);
    solution_free(&w->of.attention);
}

/* ---- layers ---- */

static char *OF_STACK[] = {"output"};

static bool plan_stack(work *w, const options *o, err *e)
{
    w->stages = &w->of.stack.stages;
    return stack_solution_plan(&w->of.stack, w->document, w->is_decoder, o, e);
}

static bool add_names(text_list *to, const text_list *from, err *e)
{
    for (size_t i = 0; i < from->count; i++) {
        if (!add_name(to, from->item[i], e))
            return false;
    }
    return true;
}

static bool names_of_stack(work *w, text_list *names, err *e)
{
    return add_names(names, &w->of.stack.there, e);
}

static bool is_weights(const char *name)
{
    const char *last = strrchr(name, '.');
    return last != NULL && strcmp(last, ".weights") == 0;
}

/* A name of those that are there, or several. */
static bool want_there(work *w, const text_list *there, text_list *wanted, const char *name, err *e)
{
    if (!stack_check_name(there, name, e))
        return false;
    w->wants_weights = w->wants_weights || is_weights(name);
    for (size_t i = 0; i < there->count && strchr(name, '*') != NULL; i++)
        w->wants_weights = w->wants_weights ||
                           (is_weights(there->item[i]) && stage_name_matches(name, there->item[i]));
    return text_list_index(wanted, e) && add_name(wanted, name, e);
}

static bool want_of_stack(work *w, const char *name, bool by_rows, err *e)
{
    (void)by_rows; /* a stack's rows are those of the next layer */
    return want_there(w, &w->of.stack.there, &w->of.stack.wanted, name, e);
}

static bool have_heads(const stack *s)
{
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            const layer_part *p = &s->layer[i].part[j];
            if (p->as->kind != PART_FEED_FORWARD && p->attention->plan.has_heads)
                return true;
        }
    }
    return false;
}

static bool stack_has_heads(const work *w)
{
    return have_heads(&w->of.stack.stack);
}

static bool bytes_of_stack(const work *w, const text_list *names, size_t *bytes, err *e)
{
    return stack_stages_memory(&w->of.stack.stack, names, bytes, e);
}

static bool run_stack(work *w, const options *o, env *world, err *e)
{
    stack_solution *s = &w->of.stack;
    return stack_solution_run(s, &s->wanted, o, world, e);
}

static bool show_stack(work *w, shown_for use, const options *o, env *world, err *e)
{
    stack_solution *s = &w->of.stack;
    stack_trace *t = &w->made.stack;
    const text_list *asked = use != FOR_STEPS ? &NO_STEPS : o->steps.count > 0 ? &o->steps : NULL;
    *t = (stack_trace){0};
    if (s->rows.count > 0) {
        err_at(e, &bundle_find(&w->document->contents, "rows")->at,
               "rows are chosen, and what is shown of layers is shown of all rows");
        return err_remedy(e, "--focus row=I spells out one of them");
    }
    w->shown = w->drawn = &t->whole;
    return (use != FOR_STEPS || trace_command_check_steps(&s->stack, 0, o, e)) &&
           trace_command_make_stack(t, s, &s->wanted, asked, o, world, e) &&
           (use != FOR_STEPS || make_entries(w, &t->whole, o, e));
}

static bool header_of_stack(const work *w, const options *o, text_list *lines, err *e)
{
    const char *command = !w->is_said ? NULL : w->is_decoder ? "decode" : "encode";
    const stack *s = &w->of.stack.stack;
    return header_lines_of_stack(s, command, &s->embedded, o, lines, e);
}

static why_question question_of_layers(const stack *s, const generation_settings *steps,
                                       const options *o, const env *world)
{
    return (why_question){.document = s->document,
                          .how = s->how,
                          .steps = steps,
                          .by = s->isa,
                          .threads = stack_threads(s, o, world)};
}

static why_question question_of_stack(const work *w, const options *o, const env *world)
{
    return question_of_layers(&w->of.stack.stack, NULL, o, world);
}

static void free_stack(work *w)
{
    free_entries(w);
    if (w->shown != NULL)
        stack_trace_free(&w->made.stack);
    stack_solution_free(&w->of.stack);
}

/* ---- steps of a generation ---- */

static bool plan_generation(work *w, const options *o, err *e)
{
    w->stages = &w->of.generation.stages;
    return generation_solution_plan(&w->of.generation, w->document, o, e);
}

static bool names_of_steps(work *w, text_list *names, err *e)
{
    generation_solution *s = &w->of.generation;
    return generation_solution_list(s, e) && add_names(names, &s->there, e);
}

static bool want_of_steps(work *w, const char *name, bool by_rows, err *e)
{
    generation_solution *s = &w->of.generation;
    (void)by_rows;
    return generation_solution_list(s, e) && want_there(w, &s->there, &s->wanted, name, e);
}

static bool steps_have_heads(const work *w)
{
    return have_heads(&w->of.generation.of.stack);
}

/* Stages are kept for the trace, and their memory is checked with its own. Tokens alone are never
 * many. How many logits there will be is known where no word ends them earlier; each has a digit at
 * least, and what parts it from the next. */
static bool bytes_of_steps(const work *w, const text_list *names, size_t *bytes, err *e)
{
    const generation *g = &w->of.generation.of;
    (void)e;
    *bytes = 0;
    if (names->count == 0 && g->stop == SIZE_MAX &&
        !size_mul(2 * g->how.steps, g->logits.size[1], bytes))
        *bytes = SIZE_MAX;
    return true;
}

static bool run_steps(work *w, const options *o, env *world, err *e)
{
    generation_solution *s = &w->of.generation;
    return s->wanted.count > 0 ? generation_solution_show(s, &NO_STEPS, o, world, e)
                               : generation_solution_run(s, o, world, e);
}

/* The picture is of the whole sequence, as that of a decoder's layers. */
static bool show_steps(work *w, shown_for use, const options *o, env *world, err *e)
{
    generation_solution *s = &w->of.generation;
    const text_list *asked = use != FOR_STEPS ? &NO_STEPS : o->steps.count > 0 ? &o->steps : NULL;
    w->shown = &s->trace.made.whole;
    w->drawn = &s->drawn.whole;
    return (use == FOR_PICTURE ? run_steps(w, o, world, e)
                               : generation_solution_show(s, asked, o, world, e)) &&
           (o->picture == NULL || generation_solution_decode(s, w->document, o, world, e));
}

static bool header_of_steps(const work *w, const options *o, text_list *lines, err *e)
{
    const generation_solution *s = &w->of.generation;
    return header_lines_of_stack(&s->of.stack, "generate",
                                 bundle_tensor(&s->trace.step[0].result, "embedded"), o, lines, e);
}

static why_question question_of_steps(const work *w, const options *o, const env *world)
{
    const generation *g = &w->of.generation.of;
    return question_of_layers(&g->stack, &g->how, o, world);
}

static void free_steps(work *w)
{
    generation_solution_free(&w->of.generation);
}

/* ---- the kinds ---- */

static const work_kind ATTENTION = {.emitted = {.item = OF_ATTENTION, .count = 2},
                                    .plan = plan_attention,
                                    .names = names_of_attention,
                                    .want = want_of_attention,
                                    .has_heads = attention_has_heads,
                                    .bytes = bytes_of_attention,
                                    .run = run_attention,
                                    .show = show_attention,
                                    .header = header_of_attention,
                                    .question = question_of_attention,
                                    .free = free_attention};

static const work_kind STACK = {.emitted = {.item = OF_STACK, .count = 1},
                                .plan = plan_stack,
                                .names = names_of_stack,
                                .want = want_of_stack,
                                .has_heads = stack_has_heads,
                                .bytes = bytes_of_stack,
                                .run = run_stack,
                                .show = show_stack,
                                .header = header_of_stack,
                                .question = question_of_stack,
                                .free = free_stack};

static const work_kind GENERATION = {.plan = plan_generation,
                                     .names = names_of_steps,
                                     .want = want_of_steps,
                                     .has_heads = steps_have_heads,
                                     .bytes = bytes_of_steps,
                                     .run = run_steps,
                                     .show = show_steps,
                                     .header = header_of_steps,
                                     .question = question_of_steps,
                                     .free = free_steps};

/* Rows that come line by line go on with one attention. */
static bool check_stream(const document *one, err *e)
{
    place at = document_place(one);
    if (one->cache == NULL)
        return true;
    err_at(e, &at, "--stream goes on with the rows of one attention, and these are layers");
    return err_remedy(e, "selfattn generate goes on with layers");
}

bool work_plan(work *w, const document *one, const char *as, const options *o, err *e)
{
    const bundle *contents = &one->contents;
    bool is_attention = as == NULL && bundle_find(contents, "layers") == NULL;
    w->kind = NULL;
    w->document = one;
    w->is_said = as != NULL;
    w->wants_weights = false;
    w->shown = NULL;
    w->entry = NULL;
    w->entries = 0;
    if (is_attention ? !attention_keys_check(contents, e) || !options_check_words(o, e)
                     : !check_stream(one, e) || !stack_find_kind(contents, as, &w->is_decoder, e))
        return false;
    w->kind = is_attention ? &ATTENTION : o->generated > 0 ? &GENERATION : &STACK;
    return w->kind->plan(w, o, e);
}

bool work_is_attention(const work *w)
{
    return w->kind == &ATTENTION;
}

/* Rows that are computed alone may be copies. */
bool work_is_small(const work *w)
{
    const stack *s = w->kind == &STACK ? &w->of.stack.stack : &w->of.generation.of.stack;
    return work_is_attention(w)
               ? w->of.attention.rows.count == 0 && solution_is_small(&w->of.attention)
               : threads_worth(2, stack_operations(s)) == 1;
}

const row_choice *work_rows(const work *w)
{
    const row_choice *rows = work_is_attention(w) ? &w->of.attention.rows : &w->of.stack.rows;
    bool has_some = w->kind == &ATTENTION || w->kind == &STACK;
    return has_some && rows->count > 0 ? rows : NULL;
}

const streamed_rows *work_supply(const work *w)
{
    const streamed_stages *made = &w->of.attention.streamed;
    return work_is_attention(w) && made->count > 0 ? &made->rows : NULL;
}

void work_free(work *w)
{
    if (w->kind != NULL)
        w->kind->free(w);
}
