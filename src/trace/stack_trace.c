#include "trace/stack_trace.h"

#include "base/mem.h"
#include "model/embed.h"
#include "model/gradient.h"
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

/* An attention of the stack as one that stands alone: what it was asked and planned, and its stages
 * by its own names. */
typedef struct alone {
    problem asked;
    plan plan;
    bundle stages; /* borrowed */
    tensor past_k, past_v;
    shared_gains shared;
} alone;

/* What the attention's plan calls its rows, in a layer that may have others by now. */
static bool view_alone(floors *f, const attention *by, const stage_way *way, alone *a)
{
    bool is_of_rows = !by->sees_memory, done = true;
    *a = (alone){.asked = by->asked, .plan = by->plan, .shared = floors_shared(f)};
    a->plan.asked = &a->asked;
    if (a->asked.cache != NULL && a->plan.past > 0) {
        find_past(f, way, "present_k", &a->plan, &a->past_k, &a->plan.past_k);
        find_past(f, way, "present_v", &a->plan, &a->past_v, &a->plan.past_v);
        a->asked.in[INPUT_PAST_K] = &a->past_k;
        a->asked.in[INPUT_PAST_V] = &a->past_v;
    }
    for (stage_id id = 0; id < STAGE_COUNT && done; id++) { /* by the attention's own names */
        char full[STAGE_NAME];
        stage_name_in_full(way, map_name_of(id), full);
        a->shared.is_shared[id] = stack_shares_gradient(f->stack, full);
        const entry *kept = bundle_find(f->result, full);
        done = kept == NULL || bundle_borrow(&a->stages, map_name_of(id), kept, f->e) != NULL;
    }
    /* A stack's layers compute in the same rows, one after the other: what a layer's plan calls its
     * rows is what the last one was given. The stage x has this layer's. */
    tensor *const rows[] = {&a->plan.q.rows, &a->plan.k.rows, &a->plan.v.rows};
    const tensor *x = a->asked.in[INPUT_X] = bundle_tensor(&a->stages, "x");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && done; i++) {
        if (rows[i]->data == f->stack->input.data)
            rows[i]->data = x->data;
    }
    a->asked.tokens = f->labels.names;
    if (f->keys != NULL && is_of_rows)
        a->asked.key_tokens = f->keys;
    return done;
}

/* "layer 1, attention: scores" */
static void name_steps(floors *f, trace_room *room, const char *name)
{
    for (size_t i = 0; i < room->steps; i++) {
        trace_step *step = room->step[i];
        step->name =
            build_text(&f->b, "%s%s%s: %s", f->step, f->place, name,
                       step->id == STEP_LOSS ? map_name_of(STAGE_OUTPUT_GRAD) : step->name);
    }
}

/* The room of an attention's way there, or, where `comes` says what comes to its output, back. */
static bool trace_attention(floors *f, trace_room *made, const attention *by, const char *name,
                            const stage_way *way, const coming *comes)
{
    step_wish wish[STEP_COUNT];
    alone a;
    bool done = view_alone(f, by, way, &a), is_back = comes != NULL;
    for (step_id id = 0; id < STEP_COUNT && f->asked != NULL; id++)
        wish[id] = is_back == (id >= STEP_LOSS) || !f->stack->goal.is_there
                       ? floors_wish(f, way->text, name, id)
                       : STEP_UNWANTED;
    const step_wish *of_step = f->asked == NULL ? NULL : wish;
    if (done && is_back) {
        coming through = *comes;
        through.shared = &a.shared;
        done = room_make_back(f->out, made, &a.plan, &a.stages, f->focus, f->is_full, of_step,
                              &through, f->e);
    } else if (done) {
        problem_go_forward(&a.asked); /* what comes back has a room of its own */
        done = room_make(f->out, made, &a.plan, &a.stages, f->focus, f->is_full, of_step, f->e);
    }
    f->focus.is_by_default = f->focus.is_by_default && made->steps == 0; /* said once */
    bundle_free(&a.stages);
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
    b->failed = b->failed || !trace_attention(f, room, p->attention, name, &way, NULL);
    floors_enter(f, room, name, way.text);
    if (b->failed)
        return;
    name_steps(f, room, name);
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

/* rows: what the part is given, and then what it hands on; read: what the part before it read, and
 * then what it reads itself. */
static void add_part(floors *f, const layer *l, const layer_part *p, const floor_rows *of_layer,
                     floor_rows *read, floor_rows *rows)
{
    static const char *const MADE[] = {
        [PART_ATTENTION] = "attention.output", [PART_CROSS] = "cross.output"};
    floor_rows added = p->as->adds == RESIDUAL_LAYER ? *of_layer : *rows;
    part_step step[PART_STEPS_MOST];
    size_t steps = part_steps(p->as, step);
    if (p->as->is_beside)
        *rows = p->as->shares ? *read : *of_layer;
    for (size_t i = 0; i < steps; i++) {
        const part_step *s = &step[i];
        if (s->kind == PART_STEP_ITSELF)
            *read = *rows;
        if (s->kind == PART_STEP_NORM) {
            floors_norm(f, &l->norm[s->ln - 1], s->name, rows);
        } else if (s->kind == PART_STEP_SUM) {
            floors_sum(f, &added, p->scale, s->name, rows);
        } else if (p->experts != NULL) {
            floors_experts(f, p->experts, rows);
        } else if (p->as->kind == PART_FEED_FORWARD) {
            floors_feed_forward(f, p->feed_forward, rows);
        } else {
            floor_rows made = floors_rows(f, MADE[p->as->kind]);
            add_attention(f, p, rows, &made);
            *rows = made;
        }
    }
}

/* ---- the way back: model/stack_back.c says it in the same order ---- */

/* What comes back to a memory: of the layer, and of all layers after it. */
static void gather_memory(floors *f, coming *memory)
{
    static const char GRAD[] = "memory_grad";
    builder *b = &f->b;
    trace_room *room = b->room;
    const trace_map *own = map_named(room, map_name_of(STAGE_XK_GRAD));
    const trace_origin above = memory->of[0];
    *memory = coming_of(room, own);
    if (above.map == NULL)
        return;
    tensor numbers = build_numbers_new(b, GRAD, f->stack->type, 2, &own->values.size[1]);
    trace_map *sum = map_add(b, GRAD, STEP_PROJECTIONS_BACK, &numbers);
    sum->rows = own->rows;
    map_say_origins(b, sum, OP_ADD_THREE, (trace_origin[TRACE_OPERANDS]){above, memory->of[0]});
    derivation_fill(b, sum);
    *memory = coming_of(room, sum);
    if (b->failed || room->steps == 0 || room->step[room->steps - 1]->id != STEP_PROJECTIONS_BACK)
        return;
    b->step = room->step[room->steps - 1];
    build_sentence(b, "The memory gains of every layer that looks at it: of those above and of "
                      "this one together.");
    derivation_formula(b, GRAD, "");
    derivation_line(b, GRAD, 0, 0);
    derivation_matrix(b, GRAD, 0);
}

/* What an attention made gains becomes what the rows gain that it read, and a memory. */
static void add_attention_back(floors *f, const layer_part *p, coming *back, coming *memory)
{
    builder *b = &f->b;
    const char *name = part_name(p->as->kind);
    stage_way way = stage_way_on(&f->way, name);
    const trace_room *there = floors_room(f, f->out->rooms, way.text, name);
    trace_room *room = floors_next(f);
    room->there = there;
    b->failed = b->failed || !trace_attention(f, room, p->attention, name, &way, back);
    floors_enter(f, room, gradient_of(name).text, way.text);
    if (b->failed)
        return;
    name_steps(f, room, name);
    *back = coming_of(room, map_named(room, map_name_of(STAGE_X_GRAD)));
    if (p->attention->sees_memory)
        gather_memory(f, memory);
}

/* What waits for a part further down: what the layer gains, what the part gains with which the one
 * before it shares its norm, and what a memory does. */
typedef struct waiting {
    coming of_layer, shared, memory;
} waiting;

static void add_part_back(floors *f, const layer *l, const layer_part *p, coming *back, waiting *w)
{
    const bundle *own = stack_keys_of_layer(f->stack->document, p->layer);
    part_step step[PART_STEPS_MOST];
    coming around = {0};
    for (size_t i = part_steps(p->as, step); i-- > 0;) {
        const part_step *s = &step[i];
        if (s->kind == PART_STEP_NORM) {
            floors_norm_back(f, &l->norm[s->ln - 1], s->name, back);
        } else if (s->kind == PART_STEP_SUM) {
            around = floors_sum_back(f, p->scale, s->name, back);
        } else if (p->experts != NULL) {
            floors_experts_back(f, p->experts, own, back);
        } else if (p->as->kind == PART_FEED_FORWARD) {
            floors_feed_forward_back(f, p->feed_forward, own, back);
        } else {
            add_attention_back(f, p, back, &w->memory);
        }
        if (s->kind == PART_STEP_ITSELF && p->as->adds == RESIDUAL_NORMED)
            *back = (coming){.op = OP_ADD_THREE, .of = {back->of[0], around.of[0]}};
        if (s->kind == PART_STEP_ITSELF && !p->as->shares && w->shared.of[0].map != NULL) {
            *back = (coming){.op = OP_ADD_THREE, .of = {back->of[0], w->shared.of[0]}};
            w->shared = (coming){0};
        }
    }
    if (p->as->adds == RESIDUAL_LAYER)
        w->of_layer = around;
    if (p->as->shares)
        w->shared = *back;
    else if (p->as->is_beside)
        w->of_layer = *back;
    if (p->as->is_beside)
        *back = around;
    else if (p->as->adds == RESIDUAL_PART)
        *back = (coming){.op = OP_ADD_THREE, .of = {around.of[0], back->of[0]}};
    else
        back->op = OP_GATHER;
}

static void add_layer_back(floors *f, const layer *l, size_t number, coming *back, waiting *w)
{
    size_t ways = 0;
    floors_layer_output_back(f, number, back);
    for (size_t i = l->parts; i-- > 0;)
        add_part_back(f, l, &l->part[i], back, w);
    while (ways < TRACE_OPERANDS && back->of[ways].map != NULL)
        ways++;
    if (w->of_layer.of[0].map != NULL)
        back->of[ways] = w->of_layer.of[0];
    w->of_layer = (coming){0};
    back->op = OP_GATHER;
    floors_layer_x_back(f, back);
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

/* Where a floor is, and what is before the names of its steps; NULL: it is of no layer. */
static void enter_floor(floors *f, const layer *of, size_t number, const char *floor,
                        const char *before)
{
    f->layer = of;
    f->way = of == NULL ? (stage_way){0} : stage_way_of_layer(number);
    f->floor = floor;
    f->place = before;
}

static void go_back(floors *f)
{
    const stack *s = f->stack;
    coming back;
    waiting w = {0};
    enter_floor(f, NULL, 0, "back from the top", "");
    floors_loss(f, &back);
    if (s->has_head && goal_has_logits(&s->goal)) {
        if (s->head.has_norm)
            floors_norm_back(f, &s->head.norm, HEAD_NORM_NAME, &back);
        floors_head_back(f, &s->head, bundle_find(s->document, HEAD)->bundle, &back);
    }
    if (s->has_final)
        floors_norm_back(f, &s->final, "ln_f", &back);
    if (s->has_end)
        floors_feed_forward_back(f, &s->end, s->document, &back);
    for (size_t i = s->layers; i-- > 0;) {
        char floor[48], here[40];
        snprintf(here, sizeof here, "layer %zu, ", i + 1);
        snprintf(floor, sizeof floor, "back, layer %zu", i + 1);
        enter_floor(f, &s->layer[i], i, floor, here);
        add_layer_back(f, f->layer, i, &back, &w);
    }
    enter_floor(f, NULL, 0, "back at the ground", "");
    if (stack_ends_with_product(s))
        floors_embed_back(f, &back);
    if (s->has_first)
        floors_norm_back(f, &s->first, "ln_e", &back);
    floors_embedded_back(f, &back, &w.memory);
}

void floors_of_stack(floors *f, floor_rows *rows)
{
    const stack *s = f->stack;
    f->first_room = f->out->rooms;
    f->floor = "ground floor";
    floors_embedded(f, rows);
    if (s->has_first)
        floors_norm(f, &s->first, "ln_e", rows);
    if (stack_ends_with_product(s))
        floors_embed(f, rows);
    for (size_t i = 0; i < s->layers; i++) {
        char floor[32], here[40];
        snprintf(floor, sizeof floor, "layer %zu", i + 1);
        snprintf(here, sizeof here, "%s, ", floor);
        enter_floor(f, &s->layer[i], i, floor, here);
        floor_rows x = add_x(f, i, rows), read = x;
        *rows = x;
        for (size_t j = 0; j < f->layer->parts; j++)
            add_part(f, f->layer, &f->layer->part[j], &x, &read, rows);
    }
    enter_floor(f, NULL, 0, "top floor", "");
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
    if (stack_makes_head(s)) {
        floors_head(f, &s->head, &output);
        if (s->head.has_norm)
            floors_norm(f, &s->head.norm, HEAD_NORM_NAME, &output);
    }
    if (s->goal.is_there)
        go_back(f);
}

size_t stack_trace_least(const stack *s)
{
    enum { AROUND = 2, MAPS = 4 }; /* what goes in and comes out; a layer's rooms have 19 maps */
    part_step step[PART_STEPS_MOST];
    size_t rooms = AROUND + s->layers; /* and one for each step of their parts */
    rooms += stack_ends_with_product(s);
    rooms += stack_makes_head(s) ? 1 + (size_t)s->head.has_norm : 0;
    for (size_t i = 0; i < s->parts; i++)
        rooms += part_steps(s->part[i].as, step);
    if (s->goal.is_there) /* and one back through each */
        rooms *= 2;
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
