#include "cli/run/work.h"

#include "base/float_bits.h"
#include "base/fnv.h"
#include "base/mem.h"
#include "base/threads.h"
#include "base/utf8.h"
#include "cli/line/options_parse.h"
#include "cli/out/outputs.h"
#include "cli/version.h"
#include "model/keys.h"
#include "trace/trace.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- --header: what made a result, so that a golden file can say where it came from ---- */

static bool add_line(text_list *lines, text *line, err *e)
{
    bool done = text_ok(line, e) && text_list_add(lines, text_string(line), line->length, e);
    text_clear(line);
    return done;
}

static bool add_input(text_list *lines, const char *name, const tensor *given, err *e)
{
    text line = {0};
    char shape[SHAPE_TEXT];
    /* FNV-1a over the elements' bits as float64, in C order: the same for any strides and either
     * type. */
    uint64_t hash = FNV_OF_NOTHING;
    size_t index[TENSOR_MAX_RANK] = {0};
    do {
        uint64_t bits = float64_bits(tensor_get(given, index));
        for (int byte = 0; byte < 8; byte++)
            hash = fnv_step(hash, (uint8_t)(bits >> (8 * byte)));
    } while (tensor_next(given, index));
    text_add_format(&line, "input: %s, %s, %s, hash %016llx", name, tensor_shape_text(given, shape),
                    dtype_name(given->type), (unsigned long long)hash);
    bool done = add_line(lines, &line, e);
    text_free(&line);
    return done;
}

/* `way`: to what these are entries of, with a point after it: "layers.0.wq". Layers count from 0,
 * as everywhere in data. Ids and segments are inputs, as matrices are; a single number is a
 * setting. */
static bool add_entries(text_list *lines, const key_tables *keys, const bundle *of, text *way,
                        err *e)
{
    size_t length = way->length;
    bool done = true;
    for (size_t i = 0; i < of->count && done; i++) {
        const entry *one = &of->entry[i];
        const key *as = key_find(keys, one->name, strlen(one->name));
        assert(as != NULL); /* documents have no other keys */
        const object_key *object = (const object_key *)(const void *)as;
        text_add_format(way, as->kind == KEY_OBJECT ? "%s." : "%s", one->name);
        size_t within = way->length, objects = as->kind == KEY_OBJECTS ? one->bundle->count : 0;
        if (as->kind == KEY_OBJECT)
            done = add_entries(lines, object->members, one->bundle, way, e);
        for (size_t j = 0; j < objects && done; j++) {
            way->length = within;
            text_add_format(way, ".%zu.", j);
            done = add_entries(lines, object->members, one->bundle->entry[j].bundle, way, e);
        }
        bool is_matrix = as->kind == KEY_MATRIX || as->kind == KEY_BIAS || as->kind == KEY_MASK;
        if (one->kind == ENTRY_TENSOR &&
            (is_matrix || (as->kind == KEY_NUMBERS && one->tensor.rank > 0)))
            done = add_input(lines, text_string(way), &one->tensor, e);
        way->length = length;
    }
    return done;
}

bool work_header(const work *w, text_list *lines, err *e)
{
    const options *o = w->given;
    const stack *s = work_stack(w);
    const solution *one = &w->of.attention;
    bool goes_on = w->kind == &WORK_GENERATION;
    const char *command = goes_on ? "generate" : w->is_decoder ? "decode" : "encode";
    text line = {0}, way = {0};
    text_add_string(&line, "made by: selfattn " SELFATTN_VERSION);
    bool done = add_line(lines, &line, e);
    text_add_string(&line, "arguments:");
    if (w->is_said)
        text_add_format(&line, " %s", command);
    for (int i = 1; i < o->argc && done; i++) {
        /* A line is a line, and a result is UTF-8 whatever a file is called: an argument is shown
         * as a message would, but quoted, so that where it ends is told. */
        char *shown = mem_copy_text(o->argv[i], strlen(o->argv[i]), e);
        done = shown != NULL;
        if (done) {
            utf8_make_printable(shown);
            text_add_string(&line, " ");
            shell_word_add(&line, shown);
        }
        mem_free(shown);
    }
    done = done && add_line(lines, &line, e);
    if (s != NULL) {
        done =
            done && add_entries(lines, &STACK_DOCUMENT, s->document, &way, e) && text_ok(&way, e);
        /* The rows that words become tell of them. */
        if (done && bundle_find(s->document, "vocab") != NULL)
            done = add_input(lines, "embedded",
                             goes_on
                                 ? bundle_tensor(&w->of.generation.kept->step[0].result, "embedded")
                                 : &s->embedded,
                             e);
    }
    for (input which = INPUT_X; s == NULL && which < INPUT_COUNT && done; which++) {
        const tensor *given = (one->rows.count > 0 ? &one->whole : &one->problem)->in[which];
        done = given == NULL || add_input(lines, input_key(which), given, e);
    }
    text_free(&line);
    text_free(&way);
    return done;
}

/* ---- what of it is shown ---- */

bool work_focus(const work *w, trace_focus *focus, err *e)
{
    const options *o = w->given;
    const stack *s = work_stack(w);
    const plan *p = &w->of.attention.plan;
    size_t rows = s == NULL ? p->n_q : s->rows, heads = s == NULL ? p->heads : SIZE_MAX;
    size_t batches = s == NULL ? p->batches : s->batches == 0 ? 1 : s->batches;
    bool sees_last = s == NULL ? plan_is_causal(p) : w->kind == &WORK_GENERATION;
    /* A head that every attention of the stack has. */
    for (size_t i = 0; s != NULL && i < s->parts; i++) {
        const attention *one = s->part[i].attention;
        if (one == NULL)
            continue;
        heads = one->plan.heads < heads ? one->plan.heads : heads;
        sees_last = sees_last || plan_is_causal(&one->plan);
    }
    /* Where no row sees a later one, the first sees itself alone, and the last the most; and
     * logits are made of the last row of a prompt. */
    *focus = (trace_focus){.row = sees_last ? rows - 1 : 0,
                           .is_by_default = o->focus.count == 0 && w->kind != &WORK_GENERATION};
    const struct {
        const char *name;
        size_t *at, count;
    } places[] = {{"row", &focus->row, rows},
                  {"head", &focus->head, heads},
                  {"batch", &focus->batch, batches}};
    for (size_t i = 0; i < o->focus.count; i++) {
        const char *pair = o->focus.item[i], *value = strchr(pair, '=') + 1;
        for (size_t j = 0; j < sizeof places / sizeof places[0]; j++) {
            size_t number = strtoul(value, NULL, 10), most = places[j].count;
            if (strncmp(pair, places[j].name, (size_t)(value - 1 - pair)) != 0)
                continue;
            if (number > most)
                return err_set(e, "--focus %s=%s is outside the matrix, there %s %zu",
                               places[j].name, value, most == 1 ? "is" : "are", most);
            *places[j].at = number - 1;
        }
    }
    return true;
}

bool work_show_entries(work *w, err *e)
{
    static const step_wish NONE[STEP_COUNT] = {STEP_UNWANTED};
    static const text_list NOTHING = {0};
    const renderer *by = output_renderer(w->given);
    const stack *s = work_stack(w);
    trace_focus focus = w->made.focus;
    trace *last = &w->made;
    if (by->takes_entries == NULL || !by->takes_entries(&w->made))
        return true;
    w->entry = mem_alloc_zeroed(w->made.batches, sizeof w->entry[0], e);
    if (w->entry == NULL)
        return false;
    for (focus.batch = 0; focus.batch < w->made.batches; focus.batch++) {
        trace *one = &w->entry[w->entries++];
        if (!(s == NULL ? trace_make(one, &w->of.attention.plan, &w->stages, focus, false, NONE, e)
                        : stack_trace_make(one, s, &w->stages, focus, false, &NOTHING, e)))
            return false;
        last->next_entry = one;
        last = one;
    }
    return true;
}

const trace_map *trace_map_of(const trace *t, const char *name)
{
    const trace_map *found = NULL;
    for (size_t i = 0; i < t->rooms && found == NULL; i++) {
        const trace_room *room = t->room[i];
        size_t length = strlen(room->place.way);
        if (strncmp(name, room->place.way, length) == 0)
            found = map_named(room, name + length);
    }
    return found;
}

/* ---- any kind ---- */

bool work_plan(work *w, const document *one, const char *as, const options *o, err *e)
{
    const bundle *contents = &one->contents;
    place at = document_place(one);
    *w = (work){.document = one, .given = o, .is_said = as != NULL};
    if (as == NULL && bundle_find(contents, "layers") == NULL) {
        if (!attention_keys_check(contents, e) || !options_check_words(o, e))
            return false;
        w->kind = &WORK_ATTENTION;
        return w->kind->plan(w, e);
    }
    /* Rows that come line by line go on with one attention. */
    if (one->cache != NULL) {
        err_at(e, &at, "--stream goes on with the rows of one attention, and these are layers");
        return err_remedy(e, "selfattn generate goes on with layers");
    }
    if (!stack_find_kind(contents, as, &w->is_decoder, e))
        return false;
    w->kind = o->generated > 0 ? &WORK_GENERATION : &WORK_STACK;
    return w->kind->plan(w, e);
}

bool work_list(work *w, err *e)
{
    return w->there.count > 0 || (text_list_index(&w->there, e) && w->kind->list(w, e));
}

const stack *work_stack(const work *w)
{
    return w->kind == &WORK_ATTENTION ? NULL
           : w->kind == &WORK_STACK   ? &w->of.stack.stack
                                      : &w->of.generation.of.stack;
}

bool work_has_heads(const work *w)
{
    const stack *s = work_stack(w);
    if (s == NULL)
        return w->of.attention.plan.has_heads;
    for (size_t i = 0; i < s->parts; i++) {
        const attention *one = s->part[i].attention;
        if (one != NULL && one->plan.has_heads)
            return true;
    }
    return false;
}

static double operations(const work *w)
{
    const stack *s = work_stack(w);
    return s == NULL ? plan_operations(&w->of.attention.plan) : stack_operations(s);
}

size_t work_threads(const work *w, const env *world)
{
    return w->given->has_threads ? w->given->threads
                                 : threads_worth(world->processors, operations(w));
}

/* Rows that are computed alone may be copies. */
bool work_is_small(const work *w)
{
    bool has_chosen = work_stack(w) == NULL && w->of.attention.rows.count > 0;
    return !has_chosen && threads_worth(2, operations(w)) == 1;
}

const row_choice *work_rows(const work *w)
{
    const row_choice *rows = w->kind == &WORK_ATTENTION ? &w->of.attention.rows
                             : w->kind == &WORK_STACK   ? &w->of.stack.rows
                                                        : NULL;
    return rows != NULL && rows->count > 0 ? rows : NULL;
}

const streamed_rows *work_supply(const work *w)
{
    const streamed_stages *made = &w->of.attention.streamed;
    return work_stack(w) == NULL && made->count > 0 ? &made->rows : NULL;
}

why_question work_question(const work *w, const env *world)
{
    const stack *s = work_stack(w);
    why_question asked = {.threads = work_threads(w, world)};
    if (s == NULL) {
        asked.problem = &w->of.attention.problem;
        asked.with = w->of.attention.plan.with;
        return asked;
    }
    asked.document = s->document;
    asked.how = s->how;
    asked.by = s->isa;
    asked.steps = w->kind == &WORK_GENERATION ? &w->of.generation.of.how : NULL;
    return asked;
}

void work_free(work *w)
{
    for (size_t i = 0; i < w->entries; i++)
        trace_free(&w->entry[i]);
    mem_free(w->entry);
    trace_free(&w->made);
    text_list_free(&w->there);
    text_list_free(&w->wanted);
    bundle_free(&w->stages);
    if (w->kind != NULL)
        w->kind->free(w);
}
