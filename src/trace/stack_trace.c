#include "trace/stack_trace.h"

#include "base/mem.h"
#include "model/stack_run.h"
#include "trace/build.h"
#include "trace/derivation.h"
#include "trace/floors.h"
#include "trace/nodes.h"

#include <stdio.h>
#include <string.h>

/* ---- an attention ---- */

/* A cache has what the same part made in the step before: `forms` are its names, the one that goes
 * on first. */
static void join_past(floors *f, const char *past_name, const char *const forms[])
{
    trace_room *room = f->b.room;
    const trace_room *before =
        floors_room(f, f->first_room, room->place.way_in_step, room->place.name);
    const trace_map *past = map_named(room, past_name), *made = NULL;
    if (past == NULL)
        return;
    while (made == NULL)
        made = map_named(before, *forms++);
    room->map[past->number]->operand[0] = (trace_origin){PART_CELL, before, made, made->name};
}

/* The first rows of a cache's keys or values, which are in the result with the new ones after: as
 * if a document had given them. */
static void find_past(const floors *f, const stage_way *way, const char *name, const plan *p,
                      tensor *given, tensor *apart)
{
    char full[STAGE_NAME];
    stage_name_in_full(way, name, full);
    tensor all = tensor_range(bundle_tensor(f->result, full), 0, 0, p->past), rows = all;
    tensor_own(&rows, all.type, 3, (size_t[]){1, p->past, all.size[1]}, all.data);
    rows.owns = false;
    *given = all;
    *apart = plan_split_heads(&rows, p->kv_heads);
}

/* What the attention's plan calls its rows, in a layer that may have others by now. */
static bool trace_attention(floors *f, trace_room *made, const attention *by, const char *name,
                            const stage_way *way)
{
    step_wish wish[STEP_COUNT];
    problem asked = by->asked;
    plan of = by->plan;
    bundle view = {0};
    tensor past_k, past_v;
    bool is_of_rows = !by->sees_memory;
    of.asked = &asked;
    /* What comes back to one attention is made by all that are after it, which is not shown. */
    problem_go_forward(&asked);
    if (asked.cache != NULL && of.past > 0) {
        find_past(f, way, "present_k", &of, &past_k, &of.past_k);
        find_past(f, way, "present_v", &of, &past_v, &of.past_v);
        asked.in[INPUT_PAST_K] = &past_k;
        asked.in[INPUT_PAST_V] = &past_v;
    }
    bool done = true;
    for (stage_id id = 0; id < STAGE_COUNT && done; id++) { /* by the attention's own names */
        char full[STAGE_NAME];
        stage_name_in_full(way, map_name_of(id), full);
        const entry *kept = bundle_find(f->result, full);
        done = kept == NULL || bundle_borrow(&view, map_name_of(id), kept, f->e) != NULL;
    }
    /* A stack's layers compute in the same rows, one after the other: what a layer's plan calls its
     * rows is what the last one was given. The stage x has this layer's. */
    tensor *const rows[] = {&of.q.rows, &of.k.rows, &of.v.rows};
    const tensor *x = asked.in[INPUT_X] = bundle_tensor(&view, "x");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && done; i++) {
        if (rows[i]->data == f->stack->input.data)
            rows[i]->data = x->data;
    }
    asked.tokens = f->labels.names;
    if (f->keys != NULL && is_of_rows)
        asked.key_tokens = f->keys;
    for (step_id id = 0; id < STEP_COUNT && f->asked != NULL; id++)
        wish[id] = floors_wish(f, way->text, name, id);
    done = done && room_make(f->out, made, &of, &view, f->focus, f->is_full,
                             f->asked == NULL ? NULL : wish, f->e);
    f->focus.is_by_default = f->focus.is_by_default && made->steps == 0; /* said once */
    bundle_free(&view);
    return done;
}

/* Of an attention's room, where several heads are meant. */
static void add_mean_weights(floors *f, const stage_way *way)
{
    builder *b = &f->b;
    trace_room *room = b->room;
    char full[STAGE_NAME];
    stage_name_in_full(way, "mean_weights", full);
    const tensor *kept = bundle_tensor(f->result, full);
    const trace_map *weights = map_named(room, "weights");
    if (room->heads == 1)
        return;
    tensor of_batch = kept->rank == 3 ? tensor_at(kept, f->focus.batch) : tensor_view_of(kept);
    trace_map *mean = map_add(b, "mean_weights", STEP_SOFTMAX, &of_batch);
    mean->rows = weights->rows;
    mean->columns = weights->columns;
    mean->is_share = mean->is_of_queries = true;
    map_say(b, mean, OP_MEAN, (map_operand[TRACE_OPERANDS]){{PART_OF_HEADS, "weights"}});
    /* They are told in the step that makes the weights, where somebody asked for them. */
    bool is_asked = f->asked != NULL && stack_words_name_more(f->asked, &room->place);
    for (size_t i = 0; is_asked && i < room->steps; i++) {
        if (room->step[i]->id != STEP_SOFTMAX)
            continue;
        b->step = room->step[i];
        build_sentence(b, "%s are these weights' mean over the heads:", mean->name);
        derivation_line(b, mean->name, f->focus.row, 0);
        derivation_matrix(b, mean->name, f->focus.row + 1);
    }
}

static void add_attention(floors *f, const layer_part *p, const floor_rows *of, floor_rows *made)
{
    static const char *const KEYS[] = {"present_k", "k_rope", "k_norm", "k"};
    static const char *const VALUES[] = {"present_v", "v"};
    builder *b = &f->b;
    const char *name = part_name(p->as->kind);
    stage_way way = stage_way_on(&f->way, name);
    trace_room *room = floors_next(f);
    b->failed = b->failed || !trace_attention(f, room, p->attention, name, &way);
    floors_enter(f, room, name, way.text);
    if (b->failed)
        return;
    for (size_t i = 0; i < room->steps; i++) /* "layer 1, attention: scores" */
        room->step[i]->name =
            build_text(b, "%s%s%s: %s", f->step, f->place, name, room->step[i]->name);
    if (room->steps > 0 && room->step[0]->id == STEP_INPUTS && strcmp(of->name, "x") != 0) {
        /* A layer calls x what the layer is given: said first, where they are not the same. */
        b->step = room->step[0];
        build_sentence(b,
                       "Here x is %s, the rows that this part is given, and not the layer's own x.",
                       of->name);
        trace_item *item = b->step->item, said = item[b->step->count - 1];
        if (!b->failed) {
            memmove(item + 1, item, (b->step->count - 1) * sizeof said);
            item[0] = said;
        }
    }
    /* Its x is what the part was given; its result, where nothing joins the heads, the context. */
    const trace_map *x = map_named(room, "x"), *context = map_named(room, "context"),
                    *output = map_named(room, "output");
    const trace_map *last = output != NULL ? output : context;
    map_say_origins(b, room->map[x->number], OP_COPY,
                    (trace_origin[TRACE_OPERANDS]){{PART_CELL, of->room, of->map, of->name}});
    made->map = room->map[last->number];
    made->room = room;
    join_past(f, "past_k", KEYS);
    join_past(f, "past_v", VALUES);
    add_mean_weights(f, &way);
}

/* ---- a layer ---- */

/* rows: what the part is given, and then what it hands on. */
static void add_part(floors *f, const layer *l, const layer_part *p, const floor_rows *of_layer,
                     floor_rows *rows)
{
    static const char *const MADE[] = {
        [PART_ATTENTION] = "attention.output", [PART_CROSS] = "cross.output"};
    floor_rows added = p->as->adds == RESIDUAL_LAYER ? *of_layer : *rows;
    part_step step[PART_STEPS_MOST];
    size_t steps = part_steps(p->as, step);
    for (size_t i = 0; i < steps; i++) {
        const part_step *s = &step[i];
        if (s->kind == PART_STEP_NORM) {
            floors_norm(f, &l->norm[s->ln - 1], s->name, rows);
        } else if (s->kind == PART_STEP_SUM) {
            floors_sum(f, &added, s->name, rows);
        } else if (p->as->kind == PART_FEED_FORWARD) {
            floors_feed_forward(f, p->feed_forward, rows);
        } else {
            floor_rows made = floors_rows(f, MADE[p->as->kind]);
            add_attention(f, p, rows, &made);
            *rows = made;
        }
    }
}

/* What the layer is given, as its own x. */
static floor_rows add_x(floors *f, size_t number, const floor_rows *below)
{
    builder *b = &f->b;
    const layer *l = &f->stack->layer[number];
    const norm_order *order = l->order;
    floor_rows x = {.name = "x", .values = below->values};
    bool tells = floors_begin(f, FLOOR_LAYER, "x");
    b->step->name = build_text(b, "%s%sits parts", f->step, f->place);
    floors_map_copy(f, below, &x);
    if (!tells)
        return x;
    /* "x + part(norm(x)): GPT-2's" is a formula and, after the colon, words. */
    const char *formula = order->named.help;
    size_t length = strcspn(formula, ":");
    build_sentence(b,
                   "Layer %zu of %zu: x are the rows that %s. Norms stand as \"%s\" has them (%s):",
                   number + 1, f->stack->layers, number == 0 ? "go in" : "the layer below gives",
                   order->named.name, formula + length + strlen(": "));
    build_formula(b, "%.*s", (int)length, formula);
    if (order->ends_with_feed_forward && l->part[0].as->adds == RESIDUAL_NONE)
        build_sentence(b, "Seed 003 leaves open what MaskedSelfAttention(x, y) is; this is a "
                          "reading of it: causal self-attention of x without a residual, and "
                          "then cross-attention over y, the same for all layers.");
    derivation_matrix(b, x.name, f->focus.row + 1);
    return x;
}

/* ---- the stack ---- */

void floors_of_stack(floors *f, floor_rows *rows)
{
    const stack *s = f->stack;
    f->first_room = f->out->rooms;
    f->floor = "ground floor";
    floors_embedded(f, rows);
    if (s->has_first)
        floors_norm(f, &s->first, "ln_e", rows);
    for (size_t i = 0; i < s->layers; i++) {
        char floor[32], here[40];
        snprintf(floor, sizeof floor, "layer %zu", i + 1);
        snprintf(here, sizeof here, "%s, ", floor);
        f->layer = &s->layer[i];
        f->way = stage_way_of_layer(i);
        f->place = here;
        f->floor = floor;
        floor_rows x = add_x(f, i, rows);
        *rows = x;
        for (size_t j = 0; j < f->layer->parts; j++)
            add_part(f, f->layer, &f->layer->part[j], &x, rows);
    }
    f->layer = NULL;
    f->way = (stage_way){0};
    f->place = "";
    f->floor = "top floor";
    if (s->has_end)
        floors_feed_forward(f, &s->end, rows);
    if (s->has_final)
        floors_norm(f, &s->final, "ln_f", rows);
    bool tells = floors_begin(f, FLOOR_OUTPUT, "output");
    floor_rows output = floors_rows(f, "output");
    floors_map_copy(f, rows, &output);
    if (tells) {
        build_sentence(&f->b, s->rows == 1 ? "This row comes out of the stack."
                                           : "These rows come out of the stack.");
        derivation_matrix(&f->b, output.name, f->focus.row + 1);
    }
    /* Rollout lies next to the way to the output, so it comes after it. */
    if (stack_has_rollout(s))
        floors_rollout(f);
}

size_t stack_trace_least(const stack *s)
{
    enum { AROUND = 2, MAPS = 4 }; /* what goes in and comes out; a layer's rooms have 19 maps */
    part_step step[PART_STEPS_MOST];
    size_t rooms = AROUND + s->layers; /* and one for each step of their parts */
    for (size_t i = 0; i < s->parts; i++)
        rooms += part_steps(s->part[i].as, step);
    return size_product(rooms, sizeof(trace_room) + MAPS * sizeof(trace_map));
}

bool stack_trace_make(trace *t, const stack *s, const bundle *result, trace_focus focus,
                      bool is_full, const text_list *asked, err *e)
{
    floors f = {.out = t,
                .stack = s,
                .result = result,
                .focus = focus,
                .is_full = is_full,
                .asked = asked,
                .e = e,
                .step = "",
                .step_way = "",
                .place = "",
                .labels = {bundle_list(s->document, "tokens"), NULL}};
    floor_rows rows;
    *t = trace_begin(s->document, focus);
    t->document = s->document;
    t->type = s->type;
    t->command = s->how.is_decoder ? "decode" : "encode";
    t->batch = s->batches > 0 ? focus.batch + 1 : 0;
    t->batches = s->batches;
    floors_of_stack(&f, &rows);
    return !f.b.failed;
}
