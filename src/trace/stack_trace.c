#include "trace/stack_trace.h"

#include "base/mem.h"
#include "trace/floors.h"

#include <stdio.h>
#include <string.h>

/* Steps of a layer at most: itself, and of each part a norm, the part, a sum, a norm; and those
 * below and above all layers. */
enum { PARTS_OF_A_LAYER = 1 + 4 * PARTS_MOST, PARTS_BESIDE = 5 };

/* ---- an attention ---- */

/* A stack's layers compute in the same rows, one after the other: what a layer's plan calls its
 * rows is what the last one was given. The stage x has this layer's. */
static void point_to(tensor *rows, const tensor *shared, const tensor *x)
{
    if (rows->data != NULL && rows->data == shared->data)
        rows->data = x->data;
}

/* The attention's stages, by their own names. */
static bool view_stages(const floors *f, const stage_way *way, const plan *p, bundle *view)
{
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        const char *name = stage_row(id)->key.named.name;
        char full[STAGE_NAME];
        stage_name_in_full(way, name, full);
        const tensor *kept = bundle_tensor(f->result, full);
        if (kept == NULL || !plan_has_stage(p, id))
            continue;
        tensor borrowed = tensor_view_of(kept);
        if (!bundle_add_tensor(view, name, &borrowed, (place){0}, f->e))
            return false;
    }
    return true;
}

/* "layer 1, attention: scores" */
static bool name_steps(const floors *f, trace *made, const char *part)
{
    builder b = {.trace = made, .e = f->e};
    for (size_t i = 0; i < made->steps; i++)
        made->step[i].name = build_text(&b, "%s%s: %s", f->place, part, made->step[i].name);
    return !b.failed;
}

static bool add_attention(floors *f, const layer_part *p)
{
    const char *name = part_name(p->as->kind);
    stage_way way = stage_way_on(&f->way, name);
    trace *made = &f->out->part[f->out->parts++];
    problem asked = p->attention.asked;
    plan of = p->attention.plan;
    bundle view = {0};
    of.asked = &asked;
    bool done = view_stages(f, &way, &of, &view);
    const tensor *x = done ? bundle_tensor(&view, "x") : NULL;
    if (x != NULL) {
        asked.in[INPUT_X] = x;
        point_to(&of.q.rows, &f->stack->input, x);
        point_to(&of.k.rows, &f->stack->input, x);
        point_to(&of.v.rows, &f->stack->input, x);
    }
    done = done && trace_make(made, &of, &view, f->focus, f->is_full, f->asked, f->e) &&
           name_steps(f, made, name);
    bundle_free(&view);
    return done;
}

/* ---- a layer ---- */

static bool add_norm(floors *f, const layer *l, size_t number, floor_rows *rows)
{
    static const char *const NAMES[NORMS_MOST] = {"ln1", "ln2", "ln3"};
    if (number == 0)
        return true;
    if (f->asked == NULL && !floors_norm(f, &l->norm[number - 1], rows, NAMES[number - 1]))
        return false;
    *rows = floors_rows(f, NAMES[number - 1]);
    return true;
}

static const char *const MADE[] = {[PART_ATTENTION] = "attention.output",
                                   [PART_CROSS] = "cross.output",
                                   [PART_FEED_FORWARD] = "ffn.output"};
static const char *const SUMS[] = {[PART_ATTENTION] = "attention_sum",
                                   [PART_CROSS] = "cross_sum",
                                   [PART_FEED_FORWARD] = "ffn_sum"};

static bool add_kind(floors *f, const layer_part *p, const floor_rows *rows)
{
    if (p->as->kind != PART_FEED_FORWARD)
        return add_attention(f, p);
    return f->asked != NULL || floors_feed_forward(f, &p->feed_forward, rows);
}

/* rows: what the part is given, and then what it hands on. */
static bool add_part(floors *f, const layer *l, const layer_part *p, const floor_rows *of_layer,
                     floor_rows *rows)
{
    floor_rows added = p->as->adds == RESIDUAL_LAYER ? *of_layer : *rows;
    if (!add_norm(f, l, p->as->ln_before, rows) || !add_kind(f, p, rows))
        return false;
    *rows = floors_rows(f, MADE[p->as->kind]);
    if (p->as->adds != RESIDUAL_NONE) {
        if (f->asked == NULL && !floors_sum(f, &added, rows, SUMS[p->as->kind]))
            return false;
        *rows = floors_rows(f, SUMS[p->as->kind]);
    }
    return add_norm(f, l, p->as->ln_after, rows);
}

static bool say_layer(floors *f, size_t number, const floor_rows *x)
{
    const layer *l = &f->stack->layer[number];
    const norm_order *order = l->order;
    bool is_reading = order->ends_with_feed_forward && l->part[0].as->adds == RESIDUAL_NONE;
    if (!floors_begin(f, FLOOR_LAYER, "its parts"))
        return false;
    build_sentence(
        &f->b,
        "Layer %zu of %zu: x are the rows that %s. Norms stand as \"%s\" has them:", number + 1,
        f->stack->layers, number == 0 ? "go in" : "the layer below gives", order->named.name);
    build_formula(&f->b, "%s", order->named.help);
    if (is_reading)
        build_sentence(&f->b, "Seed 003 leaves open what MaskedSelfAttention(x, y) is; this is a "
                              "reading of it: causal self-attention of x without a residual, and "
                              "then cross-attention over y, the same for all layers.");
    floors_show(f, x);
    return !f->b.failed;
}

static bool add_layer(floors *f, size_t number, const tensor *before)
{
    const layer *l = &f->stack->layer[number];
    char step[32], here[32];
    snprintf(step, sizeof step, "layer.%zu", number);
    snprintf(here, sizeof here, "layer %zu, ", number + 1);
    f->way = stage_way_on(&(stage_way){0}, step);
    f->place = here;
    floor_rows of_layer = {"x", *before}, rows = of_layer;
    bool done = f->asked != NULL || say_layer(f, number, &of_layer);
    for (size_t i = 0; i < l->parts && done; i++)
        done = add_part(f, l, &l->part[i], &of_layer, &rows);
    f->way = (stage_way){0};
    f->place = "";
    return done;
}

/* ---- the stack ---- */

static bool add_embedded(floors *f)
{
    floor_rows rows = floors_rows(f, "embedded");
    if (f->asked != NULL)
        return true;
    if (!floors_begin(f, FLOOR_EMBEDDED, "embedded"))
        return false;
    build_sentence(&f->b, "%zu row%s of %zu numbers go%s through %zu layer%s.", f->stack->rows,
                   build_plural(f->stack->rows), f->stack->width, f->stack->rows == 1 ? "es" : "",
                   f->stack->layers, build_plural(f->stack->layers));
    floors_show(f, &rows);
    return !f->b.failed;
}

static bool add_layers(floors *f)
{
    for (size_t i = 0; i < f->stack->layers; i++) {
        char before[STAGE_NAME] = "embedded";
        if (i > 0)
            snprintf(before, sizeof before, "layer.%zu.output", i - 1);
        floor_rows rows = floors_rows(f, before);
        if (!add_layer(f, i, &rows.values))
            return false;
    }
    return true;
}

static bool add_rollout(floors *f)
{
    if (!stack_has_rollout(f->stack))
        return true;
    if (!floors_begin(f, FLOOR_ROLLOUT, "rollout"))
        return false;
    floor_rows rollout = floors_rows(f, "rollout");
    build_sentence(&f->b, "How much of each row behind the layers comes from each row before them, "
                          "where a layer is half its attention and half its residual.");
    build_formula(&f->b, "rollout = %sA[1], A[l] = 0.5·mean_weights[l] + 0.5·I",
                  f->stack->layers == 1   ? ""
                  : f->stack->layers == 2 ? "A[2]·"
                                          : build_text(&f->b, "A[%zu]·…·", f->stack->layers));
    floors_show(f, &rollout);
    return !f->b.failed;
}

static bool add_end(floors *f)
{
    const stack *s = f->stack;
    char last[STAGE_NAME];
    snprintf(last, sizeof last, "layer.%zu.output", s->layers - 1);
    floor_rows rows = floors_rows(f, last);
    if (f->asked != NULL)
        return true;
    if (!add_rollout(f))
        return false;
    if (s->has_end) {
        if (!floors_feed_forward(f, &s->end, &rows))
            return false;
        rows = floors_rows(f, "ffn.output");
    }
    if (s->has_final && !floors_norm(f, &s->final, &rows, "ln_f"))
        return false;
    if (!floors_begin(f, FLOOR_OUTPUT, "output"))
        return false;
    rows = floors_rows(f, "output");
    build_sentence(&f->b, "These rows come out of the stack.");
    floors_show(f, &rows);
    return !f->b.failed;
}

/* The whole borrows the steps of its parts, one behind the other. */
static bool gather(stack_trace *t, err *e)
{
    size_t count = 0;
    for (size_t i = 0; i < t->parts; i++)
        count += t->part[i].steps;
    t->whole.step = mem_alloc_zeroed(count + 1, sizeof t->whole.step[0], e);
    if (t->whole.step == NULL)
        return false;
    for (size_t i = 0; i < t->parts; i++) {
        for (size_t j = 0; j < t->part[i].steps; j++)
            t->whole.step[t->whole.steps++] = t->part[i].step[j];
    }
    return true;
}

bool stack_trace_make(stack_trace *t, const stack *s, const bundle *result, trace_focus focus,
                      bool is_full, const bool *asked, err *e)
{
    *t = (stack_trace){.whole = {.name = bundle_text(s->document, "name"),
                                 .title = bundle_text(s->document, "title"),
                                 .notes = bundle_text(s->document, "notes"),
                                 .focus = focus}};
    floors f = {.out = t,
                .stack = s,
                .result = result,
                .focus = focus,
                .is_full = is_full,
                .asked = asked,
                .e = e,
                .place = ""};
    t->part = mem_alloc_zeroed(s->layers * PARTS_OF_A_LAYER + PARTS_BESIDE, sizeof t->part[0], e);
    return t->part != NULL && add_embedded(&f) && add_layers(&f) && add_end(&f) && gather(t, e);
}

void stack_trace_free(stack_trace *t)
{
    for (size_t i = 0; i < t->parts; i++)
        trace_free(&t->part[i]);
    mem_free(t->part);
    mem_free(t->whole.step);
    *t = (stack_trace){0};
}
