#include "cli/run/work.h"

#include "base/float_bits.h"
#include "base/fnv.h"
#include "base/mem.h"
#include "base/threads.h"
#include "base/utf8.h"
#include "cli/line/options_parse.h"
#include "cli/out/outputs.h"
#include "cli/version.h"
#include "model/gradient.h"
#include "model/stack_keys.h"
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

bool header_add_input(text_list *lines, const char *name, const tensor *given, err *e)
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

bool header_add_entries(text_list *lines, const key_tables *keys, const bundle *of, text *way,
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
            done = header_add_entries(lines, object->members, one->bundle, way, e);
        for (size_t j = 0; j < objects && done; j++) {
            way->length = within;
            text_add_format(way, ".%zu.", j);
            done = header_add_entries(lines, object->members, one->bundle->entry[j].bundle, way, e);
        }
        bool is_matrix = as->kind == KEY_MATRIX || as->kind == KEY_FILLED || as->kind == KEY_BIAS ||
                         as->kind == KEY_MASK;
        if (one->kind == ENTRY_TENSOR &&
            (is_matrix || (as->kind == KEY_NUMBERS && one->tensor.rank > 0)))
            done = header_add_input(lines, text_string(way), &one->tensor, e);
        way->length = length;
    }
    return done;
}

bool work_header(const work *w, text_list *lines, err *e)
{
    const options *o = w->given;
    text line = {0};
    text_add_string(&line, "made by: selfattn " SELFATTN_VERSION);
    bool done = add_line(lines, &line, e);
    text_add_string(&line, "arguments:");
    if (w->is_said)
        text_add_format(&line, " %s", w->kind->said[w->is_decoder]);
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
    done = done && w->kind->inputs(w, lines, e);
    text_free(&line);
    return done;
}

/* ---- what of it is shown ---- */

bool work_focus(const work *w, trace_focus *focus, err *e)
{
    const options *o = w->given;
    const work_limits limits = w->kind->limits(w);
    /* Where no row sees a later one, the first sees itself alone, and the last the most; and
     * logits are made of the last row of a prompt. Documents side by side have the same row. */
    bool is_last = limits.sees_last || output_binding(o) == BOUND_BESIDE;
    *focus = (trace_focus){.row = is_last ? limits.rows - 1 : 0,
                           .is_by_default = o->focus.count == 0 && limits.has_default};
    const struct {
        const char *name;
        size_t *at, count;
    } places[] = {{"row", &focus->row, limits.rows},
                  {"head", &focus->head, limits.heads},
                  {"batch", &focus->batch, limits.batches}};
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
    const renderer *by = output_renderer(w->given);
    trace_focus focus = w->made.focus;
    trace *last = &w->made;
    if (by->takes_entries == NULL || !by->takes_entries(&w->made))
        return true;
    w->entry = mem_alloc_zeroed(w->made.batches, sizeof w->entry[0], e);
    if (w->entry == NULL)
        return false;
    for (focus.batch = 0; focus.batch < w->made.batches; focus.batch++) {
        trace *one = &w->entry[w->entries++];
        if (!w->kind->trace_entry(w, focus, one, e))
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

size_t work_threads(const work *w, const env *world)
{
    return w->given->has_threads ? w->given->threads
                                 : threads_worth(world->processors, w->kind->operations(w));
}

/* Rows that are computed alone may be copies. */
bool work_is_small(const work *w)
{
    return work_rows(w) == NULL && threads_worth(2, w->kind->operations(w)) == 1;
}

const row_choice *work_rows(const work *w)
{
    return w->rows.count > 0 ? &w->rows : NULL;
}

why_question work_question(const work *w, const env *world)
{
    why_question asked = w->kind->question(w);
    asked.threads = work_threads(w, world);
    return asked;
}

bool work_emit_gradients(work *w, const text_list *of, bool has_loss, err *e)
{
    static const char LOSS[] = "loss";
    bool done = text_list_index(&w->emitted, e) &&
                text_list_add_all(&w->emitted, &w->kind->emitted, e) &&
                (!has_loss || text_list_add(&w->emitted, LOSS, strlen(LOSS), e));
    for (size_t i = 0; i < of->count && done; i++) {
        const gradient_name one = gradient_of(of->item[i]);
        done = text_list_add(&w->emitted, one.text, strlen(one.text), e);
    }
    return done;
}

void work_free(work *w)
{
    for (size_t i = 0; i < w->entries; i++)
        trace_free(&w->entry[i]);
    mem_free(w->entry);
    work_free_cuts(w);
    trace_free(&w->made);
    text_list_free(&w->emitted);
    text_list_free(&w->there);
    text_list_free(&w->wanted);
    bundle_free(&w->stages);
    row_choice_free(&w->rows);
    if (w->kind != NULL)
        w->kind->free(w);
}
