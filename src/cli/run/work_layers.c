#include "cli/run/work.h"

#include "base/mem.h"
#include "cli/out/outputs.h"
#include "cli/out/said.h"
#include "cli/out/stage_names.h"
#include "model/embed.h"
#include "model/stack_keys.h"
#include "model/stack_run.h"
#include "random/generator.h"
#include "weights/names.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *EVERYTHING[] = {"*"};
static const text_list ALL_STAGES = {.item = EVERYTHING, .count = 1}, NOTHING = {0};

/* ---- options that a layer overrules ---- */

static bool says_the_same(const entry *a, const entry *b)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    if (a->kind != b->kind)
        return false;
    if (a->kind == ENTRY_TEXT)
        return strcmp(a->text, b->text) == 0;
    assert(a->kind == ENTRY_TENSOR); /* a layer has no list, and no option is an object */
    bool is_same = tensor_same_shape(&a->tensor, &b->tensor);
    while (is_same && tensor_get(&a->tensor, index) == tensor_get(&b->tensor, index)) {
        if (!tensor_next(&a->tensor, index))
            return true;
    }
    return false;
}

/* The document that notes name: one of several. */
static const place *place_in_notes(const work *w, place *at)
{
    *at = document_place(w->document);
    return w->document->is_of_many ? at : NULL;
}

/* An option stands at the top, for layers that say nothing else: a note names the first one that
 * does, or where nothing stands there, says anything. */
static void say_overruled(const stack *s, const options *o, const place *at, const env *world)
{
    const bundle *layers = bundle_find(s->document, "layers")->bundle;
    for (size_t i = 0; i < o->given_count; i++) {
        const given_key *one = &o->given[i];
        const entry *top = bundle_find(s->document, one->row->key);
        for (size_t j = 0; j < layers->count; j++) {
            const entry *own = bundle_find(layers->entry[j].bundle, one->row->key);
            if (own == NULL || (top != NULL && says_the_same(own, top)))
                continue;
            note_say(world, o, at, "--%s%s is for layers that say nothing else, and layer %zu does",
                     one->value == NULL ? "no-" : "", one->row->named.name, j + 1);
            break;
        }
    }
}

/* ---- what layers and steps of a generation have in common ---- */

static double operations_of_layers(const work *w)
{
    return stack_operations(w->kind->layers(w));
}

static bool layers_have_heads(const work *w)
{
    const stack *s = w->kind->layers(w);
    bool has_heads = false;
    for (size_t i = 0; i < s->parts; i++)
        has_heads =
            has_heads || (s->part[i].attention != NULL && s->part[i].attention->plan.has_heads);
    return has_heads;
}

/* A head is one that every attention has. */
static work_limits limits_of_layers(const work *w)
{
    const stack *s = w->kind->layers(w);
    work_limits to = {s->rows, SIZE_MAX, s->batches == 0 ? 1 : s->batches, false, true};
    for (size_t i = 0; i < s->parts; i++) {
        const attention *one = s->part[i].attention;
        if (one == NULL)
            continue;
        to.heads = one->plan.heads < to.heads ? one->plan.heads : to.heads;
        to.sees_last = to.sees_last || plan_is_causal(&one->plan);
    }
    return to;
}

/* `embedded`: the rows that words became, where they did. */
static bool add_inputs(const stack *s, const tensor *embedded, text_list *lines, err *e)
{
    text way = {0};
    bool done = header_add_entries(lines, &STACK_DOCUMENT, s->document, &way, e) &&
                text_ok(&way, e) &&
                (bundle_find(s->document, "vocab") == NULL ||
                 header_add_input(lines, "embedded", embedded, e));
    text_free(&way);
    return done;
}

static why_question question_of_layers(const work *w)
{
    const stack *s = w->kind->layers(w);
    return (why_question){.document = s->document, .how = s->how, .by = s->isa};
}

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), last = strlen(end);
    return length > last && strcmp(name + length - last, end) == 0;
}

static bool want_of_layers(work *w, const char *name, bool by_rows, err *e)
{
    bool is_pattern = strchr(name, '*') != NULL;
    (void)by_rows; /* a stack's rows are those of the next layer */
    if (!work_list(w, e))
        return false;
    bool is_there = text_list_find(&w->there, name) != NULL;
    w->wants_weights = w->wants_weights || ends_in(name, ".weights");
    for (size_t i = 0; i < w->there.count && is_pattern; i++) {
        const char *one = w->there.item[i];
        bool are_weights = ends_in(one, ".weights");
        bool is_meant = (!is_there || are_weights) && stage_name_matches(name, one);
        is_there = is_there || is_meant;
        w->wants_weights = w->wants_weights || (is_meant && are_weights);
    }
    if (is_there)
        return text_list_index(&w->wanted, e) && text_list_add(&w->wanted, name, strlen(name), e);
    err_set(e, "there is no stage \"%s\" in this stack", name);
    return stage_names_suggest(&w->there, name, "; --emit '*' is all", e);
}

/* Whether the names that are wanted mean `weighted` of all rows, which a trace alone does not
 * need. */
static bool wants_weighted(const work *w)
{
    keeper by = keeper_of(&w->wanted);
    for (size_t i = 0; i < w->there.count; i++) {
        if (ends_in(w->there.item[i], ".weighted") && keeper_wants(&by, w->there.item[i]))
            return true;
    }
    return false;
}

/* Of so many bytes and those of a house. */
static bool check_memory(const work *w, size_t bytes, size_t house, const char *of_what, err *e)
{
    return stack_check_memory(w->kind->layers(w), size_sum(bytes, house), w->given->max_memory,
                              of_what, e);
}

/* The words of --trace and of --blank; of a generation in so many steps, else 0. */
static bool check_steps(const work *w, size_t steps, err *e)
{
    const stack *s = w->kind->layers(w);
    return stack_steps_check(s, steps, &w->given->steps, e) &&
           stack_steps_check(s, steps, &w->given->blank, e);
}

/* The steps that are made; NULL: all that do something. */
static const text_list *asked_steps(const work *w, shown_for use)
{
    const text_list *said = &w->given->steps;
    return use != FOR_STEPS ? &NOTHING : said->count > 0 ? said : NULL;
}

/* ---- layers ---- */

/* Not what rows are made of, nor what is added to scores, which no layer has learnt. */
static bool learns(const stack *s, const char *name)
{
    const entry *of = stack_parameter(s->document, name);
    const char *last = strrchr(name, '.');
    input which = input_of_key(last == NULL ? name : last + 1);
    bool is_of_attention = strstr(name, ".attention.") != NULL || strstr(name, ".cross.") != NULL;
    return of != NULL && of->kind == ENTRY_TENSOR && strcmp(name, "x") != 0 &&
           strcmp(name, "memory") != 0 && (!is_of_attention || input_learns(which));
}

static bool parameters_of_stack(const work *w, text_list *names, err *e)
{
    const stack *s = &w->of.stack.stack;
    char name[STAGE_NAME];
    text_list all = {0};
    bool done = stack_stage_names(s, &all, e);
    for (size_t i = 0; i < all.count && done; i++) {
        bool is_learnt = stage_is_gradient(all.item[i], name) && learns(s, name);
        done = !is_learnt || text_list_add(names, name, strlen(name), e);
    }
    text_list_free(&all);
    return done;
}

static bool plan_stack(work *w, err *e)
{
    stack_solution *s = &w->of.stack;
    const bundle *contents = &w->document->contents;
    stack_settings how = {.is_decoder = w->is_decoder,
                          .allow_nonfinite = w->given->allow_nonfinite,
                          .packed_weights = w->document->packed_weights};
    const isa *by = isa_by_name(w->given->isa, e);
    if (by == NULL || !stack_read(&s->stack, contents, &how, by, e) ||
        !row_choice_read(&w->rows, bundle_find(contents, "rows"), "row", s->stack.rows, e))
        return false;
    const goal *to = &s->stack.goal;
    text_list learn = {0};
    bool done = !to->is_there || (parameters_of_stack(w, &learn, e) &&
                                  work_emit_gradients(w, &learn, to->of.kind != LOSS_NONE, e));
    text_list_free(&learn);
    return done;
}

static bool list_stack(work *w, err *e)
{
    return stack_stage_names(&w->of.stack.stack, &w->there, e);
}

static bool bytes_of_stack(const work *w, const text_list *names, size_t *bytes, err *e)
{
    return stack_stages_memory(&w->of.stack.stack, names, bytes, e);
}

/* Rows of the stack have its own sizes, and stages of an attention those of its plan. */
static bool shape_of_stack(const work *w, const char *name, tensor *like)
{
    const stack *s = &w->of.stack.stack;
    const row_choice *rows = work_rows(w);
    const char *axes = stack_axes_of(name), *queries = strchr(axes, 'q');
    stage_id id;
    const plan *p = stack_plan_of(s, name, &id);
    const bool may_be_narrow =
        s->embedded.size[1] != s->width && !stack_stage_layer(name, &(size_t){0});
    *like = (tensor){.type = s->type};
    if (p != NULL) {
        plan_stage_shape(p, id, &like->rank, like->size);
    } else if (strcmp(axes, "bqm") == 0 && !may_be_narrow) {
        const size_t size[] = {s->batches, s->rows, s->width};
        bool has_batch = s->batches > 0;
        like->rank = has_batch ? 3 : 2;
        memcpy(like->size, size + !has_batch, (size_t)like->rank * sizeof size[0]);
    } else {
        return false;
    }
    if (rows != NULL && queries != NULL)
        like->size[like->rank - (int)strlen(queries)] = rows->count;
    return true;
}

/* What is shown is made of all stages. */
static bool run_stack(work *w, env *world, err *e)
{
    const options *o = w->given;
    const text_list *emit = w->shown != NULL ? &ALL_STAGES : &w->wanted;
    stack_solution *s = &w->of.stack;
    size_t threads = work_threads(w, world), bytes;
    run_report report = {0};
    place at;
    const place *of = place_in_notes(w, &at);
    crew by;
    if ((work_rows(w) != NULL && !stack_narrow(&s->stack, &w->rows, emit, e)) ||
        !stack_memory(&s->stack, emit, threads, &bytes, e) ||
        !check_memory(w, bytes, s->house, "", e))
        return false;
    for (size_t i = 0; i < s->stack.parts; i++) {
        const layer_part *part = &s->stack.part[i];
        const text_list *notes = part->attention == NULL ? &NOTHING : &part->attention->plan.notes;
        for (size_t j = 0; j < notes->count; j++)
            note_say(world, o, of, "layer %zu: %s", part->layer + 1, notes->item[j]);
    }
    say_overruled(&s->stack, o, of, world);
    crew_open(&by, threads);
    bool done = stack_run(&s->stack, emit, &by, &w->stages, &report, e);
    crew_close(&by);
    if (done && work_rows(w) != NULL) {
        s->all = w->stages;
        w->stages = (bundle){0};
        done = stack_choose_rows(&w->rows, &s->all, &w->stages, e);
    }
    if (!done)
        return false;
    note_missing_threads(world, o, of, by.ran, by.wanted);
    note_empty_rows(world, o, of, &report, "query rows of the layers");
    return true;
}

static bool says_heads(const bundle *of)
{
    return bundle_find(of, "heads") != NULL || bundle_find(of, "kv_heads") != NULL;
}

/* Where the document says once for all layers how many heads they have: of each attention it is
 * that many, and of as many columns. */
static bool has_heads_alike(const work *w, size_t *heads, size_t *columns)
{
    const stack *of = &w->of.stack.stack;
    *heads = 0;
    for (size_t i = 0; i < of->parts; i++) {
        if (of->part[i].attention == NULL)
            continue;
        const plan *p = &of->part[i].attention->plan;
        const projection *q = plan_role(p, STAGE_Q);
        if (*heads > 0 && (*heads != p->heads || *columns != q->heads * q->width))
            return false;
        *heads = p->heads;
        *columns = q->heads * q->width;
    }
    const entry *layers = bundle_find(&w->document->contents, "layers");
    for (size_t i = 0; layers != NULL && i < layers->bundle->count; i++) {
        const bundle *one = layers->bundle->entry[i].bundle;
        const entry *cross = bundle_find(one, "cross");
        if (says_heads(one) || (cross != NULL && says_heads(cross->bundle)))
            return false;
    }
    return *heads > 0;
}

static bool show_stack(work *w, shown_for use, env *world, err *e)
{
    const options *o = w->given;
    stack_solution *s = &w->of.stack;
    stack *of = &s->stack;
    trace_focus focus;
    if (work_rows(w) != NULL) {
        err_at(e, &bundle_find(&w->document->contents, "rows")->at,
               "rows are chosen, and what is shown of layers is shown of all rows");
        return err_remedy(e, "--focus row=I spells out one of them");
    }
    w->shown = w->drawn = &w->made;
    if ((use == FOR_STEPS && !check_steps(w, 0, e)) || !work_focus(w, &focus, e))
        return false;
    const kept_stages one_row = {.weighted_is_one_row = true,
                                 .few = focus.is_by_default ? TRACE_FEW : 0,
                                 .batch = focus.batch,
                                 .head = focus.head,
                                 .row = focus.row};
    of->how.one_row = wants_weighted(w) ? NULL : &one_row;
    /* With a house for each entry of a batch, where the renderer may take them all. */
    bool has_others = o->trace && output_renderer(o)->takes_entries != NULL && of->batches > 1 &&
                      of->batches <= MOST_ENTRIES;
    s->house = size_product(stack_trace_least(of), has_others ? 1 + of->batches : 1);
    bool done = run_stack(w, world, e) &&
                stack_trace_make(&w->made, of, &w->stages, focus, o->full, asked_steps(w, use), e);
    of->how.one_row = NULL;
    size_t heads, columns;
    if (!done || use != FOR_STEPS)
        return done;
    if (!work_show_entries(w, e))
        return false;
    return !has_heads_alike(w, &heads, &columns) || work_show_cuts(w, heads, columns, world, e);
}

static bool trace_stack_entry(const work *w, trace_focus of, trace *to, err *e)
{
    return stack_trace_make(to, &w->of.stack.stack, &w->stages, of, false, &NOTHING, e);
}

static bool inputs_of_stack(const work *w, text_list *lines, err *e)
{
    return add_inputs(&w->of.stack.stack, &w->of.stack.stack.embedded, lines, e);
}

static void free_stack(work *w)
{
    stack_solution *s = &w->of.stack;
    bundle_free(&s->all);
    stack_free(&s->stack);
}

static char *EMITTED[] = {"output"};

static const stack *layers_of_stack(const work *w)
{
    return &w->of.stack.stack;
}

const work_kind WORK_STACK = {.emitted = {.item = EMITTED, .count = 1},
                              .said = {"encode", "decode"},
                              .plan = plan_stack,
                              .parameters = parameters_of_stack,
                              .list = list_stack,
                              .want = want_of_layers,
                              .bytes = bytes_of_stack,
                              .shape = shape_of_stack,
                              .operations = operations_of_layers,
                              .has_heads = layers_have_heads,
                              .limits = limits_of_layers,
                              .inputs = inputs_of_stack,
                              .question = question_of_layers,
                              .layers = layers_of_stack,
                              .run = run_stack,
                              .show = show_stack,
                              .trace_entry = trace_stack_entry,
                              .free = free_stack};

/* ---- a generation: before its first step ---- */

/* A temperature of 0 that is given may be one of several, all with one seed. */
bool generation_check_seed(const options *o, err *e)
{
    return !o->has_seed || o->has_temperature ||
           err_set(e, "--seed is for the numbers that --temperature draws, and it is not given");
}

/* For --length steps, drawn as --temperature and --seed say. */
static bool plan_generation(work *w, err *e)
{
    const options *o = w->given;
    generation_solution *s = &w->of.generation;
    const stack_settings of_stack = {
        .is_decoder = true, .allow_nonfinite = o->allow_nonfinite, .goes_on = true};
    /* All numbers that will be drawn, one a step. */
    stream numbers =
        stream_begin((const generator *)(const void *)named_row(&GENERATORS, 0), o->seed);
    draw each = {.law = {LAW_UNIFORM, 0, 1}, .type = DTYPE_F64, .total = o->generated};
    s->number = mem_alloc(o->generated, sizeof s->number[0], e);
    if (s->number == NULL)
        return false;
    stream_draw(&numbers, &each, 0, o->generated, s->number);
    const generation_settings how = {o->generated, o->temperature, s->number};
    const isa *by = isa_by_name(o->isa, e);
    if (by == NULL || !generation_open(&s->of, &w->document->contents, &of_stack, &how, by, e))
        return false;
    /* The id of the word, or of the digits, after which --stop ends. */
    char digits[ID_DIGITS];
    nearest_names nearest = {.wanted = o->stop};
    size_t ids = s->of.logits.size[1];
    for (size_t id = 0; o->stop != NULL && id < ids; id++) {
        const char *name = stack_name_of_id(&s->of.stack, id, digits);
        if (strcmp(o->stop, name) == 0)
            s->of.stop = id;
        if (name != digits)
            nearest_names_look(&nearest, name);
    }
    if (o->stop == NULL || s->of.stop != SIZE_MAX)
        return true;
    err_set(e, "--stop: none of the %zu ids is \"%s\"", ids, o->stop);
    nearest_names_suggest(&nearest, "", e);
    return false;
}

/* ---- which steps are named ---- */

static const char PREFIX[] = "step.";

static bool is_of_step(const char *name)
{
    return strncmp(name, PREFIX, sizeof PREFIX - 1) == 0;
}

/* Names that begin with _ are of no stage. */
bool named_steps(const bundle *names, size_t *steps, err *e)
{
    size_t most = (size_t)option_by_name("length", strlen("length"))->most;
    bool are_some = false;
    for (size_t i = 0; i < names->count; i++)
        are_some = are_some || is_of_step(names->entry[i].name);
    *steps = 0;
    for (size_t i = 0; are_some && i < names->count; i++) {
        const entry *one = &names->entry[i];
        char *end = NULL;
        if (one->name[0] == '_')
            continue;
        if (!is_of_step(one->name)) {
            err_at(e, &one->at, "%s is of no step, and others are", one->name);
            return err_remedy(e, "step.0.%s is of the prompt's", one->name);
        }
        const char *digits = one->name + sizeof PREFIX - 1; /* the 3 of "step.3.logits" */
        size_t step = strtoul(digits, &end, 10);
        if (*digits < '0' || *digits > '9' || *end != '.' || step >= most)
            return err_at(e, &one->at,
                          "there is no step in %s: step.0. is the first, and %zu are the most",
                          one->name, most);
        *steps = size_larger(*steps, step + 1);
    }
    return true;
}

/* ---- their stages ---- */

static bool add_name(text_list *there, size_t step, const char *name, err *e)
{
    char full[2 * STAGE_NAME];
    int length = snprintf(full, sizeof full, "%s%zu.%s", PREFIX, step, name);
    return text_list_add(there, full, (size_t)length, e);
}

/* What a step finds in its cache, and leaves there, is known before its scores. */
static bool add_cached(text_list *there, size_t step, const char *scores, err *e)
{
    static const char *const CACHED[] = {"present_k", "present_v"};
    bool done = true;
    if (step == 0 || !ends_in(scores, ".attention.scores"))
        return true;
    for (size_t i = 0; done && i < sizeof CACHED / sizeof CACHED[0]; i++) {
        char name[STAGE_NAME];
        snprintf(name, sizeof name, "%.*s%s", (int)(strlen(scores) - strlen("scores")), scores,
                 CACHED[i]);
        done = add_name(there, step, name, e);
    }
    return done;
}

/* Of each step those of the layers, though rollout is of all rows, and after them what chooses an
 * id. */
static bool list_generation(work *w, err *e)
{
    static const struct {
        const char *name;
        bool is_drawn;
    } CHOICE[] = {{"logits", false},
                  {"tempered", true},
                  {"exponentials", true},
                  {"probabilities", true},
                  {"choice", false}};
    const generation *g = &w->of.generation.of;
    text_list once = {0};
    bool done = stack_stage_names(&g->stack, &once, e);
    for (size_t step = 0; step < g->how.steps && done; step++) {
        for (size_t i = 0; i < once.count && done; i++) {
            const char *name = once.item[i];
            done = (step > 0 && strcmp(name, "rollout") == 0) ||
                   (add_cached(&w->there, step, name, e) && add_name(&w->there, step, name, e));
        }
        for (size_t i = 0; i < sizeof CHOICE / sizeof CHOICE[0] && done; i++)
            done = (CHOICE[i].is_drawn && !(g->how.temperature > 0)) ||
                   add_name(&w->there, step, CHOICE[i].name, e);
    }
    text_list_free(&once);
    return done;
}

/* Stages are kept for the trace, and their memory is checked with its own. Tokens alone are never
 * many. How many logits there will be is known where no word ends them earlier; each has a digit at
 * least, and what parts it from the next. */
static bool bytes_of_generation(const work *w, const text_list *names, size_t *bytes, err *e)
{
    const generation *g = &w->of.generation.of;
    (void)e;
    *bytes = 0;
    if (names->count == 0 && g->stop == SIZE_MAX)
        *bytes = size_product(2 * g->how.steps, g->logits.size[1]);
    return true;
}

/* Out of what each step has left, or of a number or a row that only the trace has. Steps after
 * --stop's word, which were not made, may be meant by a name with *. */
static bool keep_one(work *w, const char *name, err *e)
{
    const kept_generation *t = w->of.generation.kept;
    char *rest;
    size_t step = strtoul(name + sizeof PREFIX - 1, &rest, 10);
    if (step >= t->steps)
        return text_list_find(&w->wanted, name) == NULL ||
               err_set(e, "there is no %s: the generation ended with step %zu", name, t->steps - 1);
    const entry *kept = bundle_find(&t->step[step].result, rest + 1);
    if (kept != NULL)
        return bundle_borrow(&w->stages, name, kept, e) != NULL;
    const trace_map *map = trace_map_of(&w->made, name);
    assert(map != NULL); /* what list_generation names is made */
    tensor view = tensor_at(&map->values, 0);
    while (map->is_number && view.rank > 0)
        view = tensor_at(&view, 0);
    return bundle_add_tensor(&w->stages, name, &view, (place){0}, e);
}

/* ---- its steps ---- */

enum { FIRST_LOOK = 32 }; /* whose page is written in a tenth of a second */

/* Checks the memory for the prompt, and then for all steps with the house of their trace. */
static bool check_steps_memory(const work *w, size_t house, const env *world, err *e)
{
    const generation *g = &w->of.generation.of;
    size_t threads = work_threads(w, world), bytes;
    char steps[64];
    snprintf(steps, sizeof steps, " for the prompt and %zu steps", g->how.steps);
    return stack_memory(&g->stack, g->emit, threads, &bytes, e) &&
           check_memory(w, bytes, 0, " for the prompt", e) &&
           generation_memory_in_all(g, &bytes, e) && check_memory(w, bytes, house, steps, e);
}

/* A trace that will be refused for its size is not made to its end: more steps never make it
 * smaller, and looked at after twice as many each time, it is rendered twice at most. */
static bool fits_so_far(const work *w, err *e)
{
    size_t steps = w->of.generation.kept->steps;
    bool is_time = steps >= FIRST_LOOK && (steps & (steps - 1)) == 0;
    return !is_time || output_fits(w->given, &w->made, e);
}

/* `prompt`: of weighted, the row that a trace spells out of it, as that of later steps is their
 * only one; NULL: all rows. */
static bool run_steps(work *w, const kept_stages *prompt, const env *world, err *e)
{
    generation_solution *s = &w->of.generation;
    generation *g = &s->of;
    kept_stages later = {0};
    place at;
    const place *of = place_in_notes(w, &at);
    crew by;
    if (prompt != NULL)
        later = *prompt;
    later.row = 0;
    say_overruled(&g->stack, w->given, of, world);
    crew_open(&by, work_threads(w, world));
    bool done = true;
    while (done && !generation_is_done(g)) {
        g->stack.how.one_row = prompt == NULL || g->step == 0 ? prompt : &later;
        done = generation_step(g, &by, e) &&
               (s->kept == NULL || (generation_trace_add(s->kept, e) && fits_so_far(w, e))) &&
               (w->hear == NULL || w->hear(w->listener, g, e));
    }
    g->stack.how.one_row = NULL;
    crew_close(&by);
    if (done)
        note_missing_threads(world, w->given, of, by.ran, by.wanted);
    return done;
}

/* With a trace, whose default row is the prompt's last one; keeps what is wanted. */
static bool show_steps(work *w, const text_list *asked, const env *world, err *e)
{
    generation_solution *s = &w->of.generation;
    generation *g = &s->of;
    generation_trace_settings how = {.is_full = w->given->full, .asked = asked};
    s->kept = mem_alloc_zeroed(1, sizeof *s->kept, e);
    if (s->kept == NULL)
        return false;
    w->shown = &w->made;
    g->stack.how.keeps_plans = true;
    g->emit = &ALL_STAGES;
    if (!check_steps_memory(w, generation_trace_least(g), world, e) ||
        !check_steps(w, g->how.steps, e) || !work_focus(w, &how.focus, e))
        return false;
    const kept_stages row = {
        .weighted_is_one_row = true, .head = how.focus.head, .row = how.focus.row};
    if (!generation_trace_begin(s->kept, &w->made, g, &how, e) ||
        !run_steps(w, wants_weighted(w) ? NULL : &row, world, e))
        return false;
    keeper by = keeper_of(&w->wanted);
    for (size_t i = 0; i < w->there.count; i++) {
        if (keeper_wants(&by, w->there.item[i]) && !keep_one(w, w->there.item[i], e))
            return false;
    }
    return true;
}

static bool run_generation(work *w, env *world, err *e)
{
    return w->wanted.count > 0 ? show_steps(w, &NOTHING, world, e)
                               : check_steps_memory(w, 0, world, e) && run_steps(w, NULL, world, e);
}

/* What there is to be noted was noted of the steps. */
typedef struct decoded_whole {
    document of;
    options quiet;
    work once;
} decoded_whole;

/* The picture is of the whole sequence, as that of a decoder's layers. */
static bool show_generation(work *w, shown_for use, env *world, err *e)
{
    generation_solution *s = &w->of.generation;
    if (use == FOR_PICTURE ? !run_generation(w, world, e)
                           : !show_steps(w, asked_steps(w, use), world, e))
        return false;
    if (w->given->picture == NULL)
        return true;
    decoded_whole *whole = s->decoded = mem_alloc_zeroed(1, sizeof *whole, e);
    if (whole == NULL)
        return false;
    whole->of = (document){.file = w->document->file, .line = w->document->line};
    whole->quiet = *w->given;
    whole->quiet.quiet = true;
    whole->quiet.generated = 0;
    bool done = generation_document(&s->of, &whole->of.contents, e) &&
                work_plan(&whole->once, &whole->of, "decoder", &whole->quiet, e) &&
                show_stack(&whole->once, FOR_PICTURE, world, e);
    w->drawn = whole->once.drawn;
    return done;
}

/* Logits are made of the prompt's last row, so no note has to say which row is taken. */
static work_limits limits_of_generation(const work *w)
{
    work_limits to = limits_of_layers(w);
    to.sees_last = true;
    to.has_default = false;
    return to;
}

static bool inputs_of_generation(const work *w, text_list *lines, err *e)
{
    const kept_step *prompt = &w->of.generation.kept->step[0];
    return add_inputs(&w->of.generation.of.stack, bundle_tensor(&prompt->result, "embedded"), lines,
                      e);
}

static why_question question_of_generation(const work *w)
{
    why_question asked = question_of_layers(w);
    asked.steps = &w->of.generation.of.how;
    return asked;
}

static const stack *layers_of_generation(const work *w)
{
    return &w->of.generation.of.stack;
}

static const generation *generation_of(const work *w)
{
    return &w->of.generation.of;
}

static void free_generation(work *w)
{
    generation_solution *s = &w->of.generation;
    if (s->decoded != NULL) {
        work_free(&s->decoded->once);
        document_free(&s->decoded->of);
        mem_free(s->decoded);
    }
    if (s->kept != NULL)
        kept_generation_free(s->kept);
    mem_free(s->kept);
    generation_close(&s->of);
    mem_free(s->number);
}

const work_kind WORK_GENERATION = {.said = {"generate", "generate"},
                                   .plan = plan_generation,
                                   .list = list_generation,
                                   .want = want_of_layers,
                                   .bytes = bytes_of_generation,
                                   .operations = operations_of_layers,
                                   .has_heads = layers_have_heads,
                                   .limits = limits_of_generation,
                                   .inputs = inputs_of_generation,
                                   .question = question_of_generation,
                                   .layers = layers_of_generation,
                                   .generation = generation_of,
                                   .run = run_generation,
                                   .show = show_generation,
                                   .free = free_generation};
