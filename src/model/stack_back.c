#include "model/stack_back.h"

#include "attn/engine/multiply.h"
#include "base/mem.h"
#include "model/embed.h"
#include "model/experts.h"
#include "model/feed_forward.h"
#include "model/row_job.h"

#include <stdio.h>
#include <string.h>

/* ---- the tape ---- */

size_t tape_of_part(const stack *s, const layer_part *p, tape_part which)
{
    return (size_t)(p - s->part) * TAPE_PARTS + which;
}

size_t tape_of_end(const stack *s, tape_end which)
{
    return s->parts * TAPE_PARTS + which;
}

bool tape_open(tape *t, const stack *s, err *e)
{
    t->count = tape_of_end(s, TAPE_ENDS);
    t->kept = mem_alloc_zeroed(t->count, sizeof t->kept[0], e);
    return t->kept != NULL;
}

bool tape_keep(tape *t, size_t at, const tensor *rows, err *e)
{
    return t == NULL || tensor_new_copy(&t->kept[at], rows, e);
}

void tape_free(tape *t)
{
    for (size_t i = 0; t->kept != NULL && i < t->count; i++)
        tensor_free(&t->kept[i]);
    mem_free(t->kept);
}

/* ---- a part ---- */

/* Gradients of what goes from part to part, b·n × m each. */
typedef struct going_back {
    const stack *stack;
    const tape *tape;
    way_back way;
    tensor rows;      /* of what the part after made of them, or is given */
    tensor layer;     /* of what the layer was given, where a part went back to it; else zeros */
    tensor shared;    /* of what a part shared with the one before it; no data: nothing; owned */
    tensor memory;    /* of all layers so far; no data: nothing looked at it yet */
    tensor embedding; /* no data: it is not wanted */
} going_back;

static const bundle *keys_of_norm(const bundle *own, const char *name)
{
    const entry *given = bundle_find(own, name);
    return given == NULL ? NULL : given->bundle;
}

/* a = a + b */
static void add_to(const going_back *g, tensor *a, const tensor *b)
{
    row_job j = {.work = rows_add, .with = g->way.with, .a = a, .b = b, .out = a};
    rows_run(&j, SUM_COST, g->way.by);
}

/* The gradient of what the norm made becomes that of x, which it was given. */
static bool norm_of(const going_back *g, const keeper *keep, const bundle *own, const char *name,
                    const norm *by, const tensor *x, tensor *grad, err *e)
{
    const keeper within = keeper_within(keep, name);
    return keeper_keep(keep, gradient_of(name).text, grad, "bqm", e) &&
           gradient_of_norm(&g->way, &within, keys_of_norm(own, name), by, x, grad, e);
}

/* Of an attention: `grad` of what it made becomes that of the rows that it read. */
static bool attention_of(going_back *g, const layer_part *p, const keeper *within,
                         const tensor *read, tensor *grad, err *e)
{
    const stack *s = g->stack;
    tensor rows, memory, rows_in = s->input, made = s->part_grad;
    tensor_own(&rows_in, s->type, 2, read->size, s->input.data);
    tensor_own(&made, s->type, 2, grad->size, s->part_grad.data);
    rows_in.owns = made.owns = false;
    tensor_copy(read, &rows_in);
    tensor_copy(grad, &made);
    bool done = attention_run_back(p->attention, within, g->way.by, &rows, &memory, e);
    if (done)
        tensor_copy(&rows, grad);
    if (done && memory.data != NULL && g->memory.data == NULL) {
        g->memory = memory;
        memory = (tensor){0};
    } else if (done && memory.data != NULL && s->slip == STACK_OVERWRITES_MEMORY) {
        tensor_copy(&memory, &g->memory);
    } else if (done && memory.data != NULL) {
        add_to(g, &g->memory, &memory);
    }
    tensor_free(&rows);
    tensor_free(&memory);
    return done;
}

/* From the gradient of the rows after the part to that of those before it. */
static bool part_back(going_back *g, const layer *l, const layer_part *p, const keeper *keep,
                      err *e)
{
    const part_row *as = p->as;
    const tensor *kept = &g->tape->kept[tape_of_part(g->stack, p, 0)];
    const bundle *own = stack_keys_of_layer(g->stack->document, p->layer);
    keeper within = keeper_within(keep, part_name(as->kind));
    tensor grad = {0};
    if (as->ln_after > 0 && !norm_of(g, keep, own, part_norm_name(as->ln_after),
                                     &l->norm[as->ln_after - 1], &kept[TAPE_SUM], &g->rows, e))
        return false;
    if (as->adds != RESIDUAL_NONE &&
        !keeper_keep(keep, gradient_of(part_sum_name(as->kind)).text, &g->rows, "bqm", e))
        return false;
    if (!tensor_new_copy(&grad, &g->rows, e))
        return false;
    if (as->adds != RESIDUAL_NONE)
        rows_scale(g->way.with, &grad, p->scale);
    bool done =
        (as->ln_made == 0 || norm_of(g, keep, own, part_norm_name(as->ln_made),
                                     &l->norm[as->ln_made - 1], &kept[TAPE_MADE], &grad, e)) &&
        (p->experts != NULL
             ? expert_mix_back(p->experts, &g->way, own, &kept[TAPE_READ], &grad, keep, &within, e)
         : as->kind == PART_FEED_FORWARD
             ? feed_forward_back(p->feed_forward, &g->way, own, &kept[TAPE_READ], &grad, keep,
                                 &within, e)
             : attention_of(g, p, &within, &kept[TAPE_READ], &grad, e));
    if (done && p->slip == PART_STOPS)
        g->way.with->fill(grad.data, tensor_count(&grad), 0);
    /* The residual's gradient first, then the part's is added to it. */
    if (done && as->adds == RESIDUAL_LAYER)
        add_to(g, &g->layer, &g->rows);
    if (done && as->adds == RESIDUAL_NORMED)
        add_to(g, &grad, &g->rows);
    if (done && as->shares) { /* the part before it takes this back through its norm */
        g->shared = grad;
        return true;
    }
    if (done && g->shared.data != NULL) {
        add_to(g, &grad, &g->shared);
        tensor_free(&g->shared);
    }
    if (done && as->ln_before > 0)
        done = norm_of(g, keep, own, part_norm_name(as->ln_before), &l->norm[as->ln_before - 1],
                       &kept[TAPE_GIVEN], &grad, e);
    bool goes_on = as->adds == RESIDUAL_PART; /* in the rows themselves */
    if (done && p->slip == PART_ADDS_TWICE)
        add_to(g, &g->rows, &g->rows);
    if (done && as->is_beside)
        add_to(g, &g->layer, &grad);
    if (done && !goes_on)
        g->way.with->fill(g->rows.data, tensor_count(&g->rows), 0);
    if (done && !as->is_beside)
        add_to(g, &g->rows, &grad);
    tensor_free(&grad);
    return done;
}

static bool layer_back(going_back *g, const layer *l, const keeper *keep, err *e)
{
    if (!keeper_keep(keep, "output_grad", &g->rows, "bqm", e))
        return false;
    g->way.with->fill(g->layer.data, tensor_count(&g->layer), 0);
    for (size_t i = l->parts; i-- > 0;) {
        if (!part_back(g, l, &l->part[i], keep, e))
            return layer_part_failed(&l->part[i], e);
    }
    add_to(g, &g->rows, &g->layer);
    return true;
}

/* ---- what rows are looked up in ---- */

/* Whether ids, or logits that are tied to it, take rows of an embedding that is given. */
static bool takes_embedding(const stack *s)
{
    return bundle_find(s->document, "embedding") != NULL &&
           (bundle_find(s->document, "ids") != NULL || s->goal.to_ids.tied_to != NULL);
}

/* The row of a table that row i of the stack was made of. */
typedef size_t row_of_table(const stack *s, size_t i);

static size_t id_of_row(const stack *s, size_t i)
{
    return (size_t)stack_id_given(bundle_tensor(s->document, "ids"), i);
}

static size_t segment_of_row(const stack *s, size_t i)
{
    return stack_segment_of_row(s, i);
}

static size_t position_of_row(const stack *s, size_t i)
{
    return s->first_position + i % s->rows;
}

static void add_rows_of(const going_back *g, row_of_table *row, tensor *grad)
{
    const tensor from = gradient_rows(&g->way, GAINER_TABLE, &g->rows);
    for (size_t i = 0; i < from.size[0]; i++) {
        char *to = row_at(grad, row(g->stack, g->stack->gained[GAINER_TABLE].first + i));
        if (g->stack->slip == STACK_OVERWRITES_ROWS)
            g->way.with->fill(to, from.size[1], 0);
        g->way.with->add(to, from.size[1], row_at(&from, i), 1, to);
    }
}

/* Of rows that were looked up, and multiplied by embedding_scale. */
static bool add_looked_up(going_back *g, tensor *grad, err *e)
{
    const tensor rows = g->rows;
    tensor scaled = {0};
    double unused;
    if (g->stack->row_scale != 1) {
        if (!tensor_new_copy(&scaled, &rows, e))
            return false;
        for (size_t i = 0; i < rows.size[0]; i++) {
            char *row = row_at(&scaled, i);
            g->way.with->scale(row, rows.size[1], g->stack->row_scale, row, &unused);
        }
        g->rows = scaled;
    }
    add_rows_of(g, id_of_row, grad);
    g->rows = rows;
    tensor_free(&scaled);
    return true;
}

static bool table_back(const going_back *g, const keeper *keep, const char *of_key,
                       row_of_table *row, err *e)
{
    const tensor *table = bundle_tensor(g->stack->document, of_key);
    tensor grad = {0};
    if (table == NULL || !keeper_wants(keep, gradient_of(of_key).text))
        return true;
    bool done = gradient_open(&g->way, table, &grad, e);
    if (done) {
        add_rows_of(g, row, &grad);
        done = gradient_keep(&g->way, keep, of_key, &grad, e);
    }
    tensor_free(&grad);
    return done;
}

/* Through the product: of what it made become those of the rows that it was given. */
static bool product_back(const going_back *g, const tensor *given, const keeper *keep,
                         tensor *of_given, err *e)
{
    const embed_product *p = &g->stack->product;
    const bundle *own = bundle_find(g->stack->document, EMBED)->bundle;
    const keeper within = keeper_within(keep, EMBED);
    const tensor turned = tensor_transposed(&p->w);
    return keeper_keep(&within, "output_grad", &g->rows, "bqm", e) &&
           gradient_of_weight(&g->way, &within, own, "w", &p->w, given, &g->rows, e) &&
           gradient_of_bias(&g->way, GAINER_BIAS, &within, own, "b", &g->rows, e) &&
           tensor_new(of_given, g->stack->type, 2, given->size, e) &&
           multiply(g->way.with, &g->rows, &turned, NULL, of_given, g->way.by, e);
}

/* Of x, or of the rows of an embedding, with those of the rows that were looked up. */
static bool looked_up_back(going_back *g, const keeper *keep, err *e)
{
    const stack *s = g->stack;
    tensor x = {0};
    if (bundle_find(s->document, "x") != NULL && keeper_wants(keep, "x_grad")) {
        size_t size[TENSOR_MAX_RANK];
        memcpy(size, s->input.size, sizeof size);
        size[s->input.rank - 1] = s->table_width;
        bool done = tensor_new_copy(&x, &g->rows, e);
        if (done) {
            tensor_own(&x, s->type, s->input.rank, size, x.data);
            done = gradient_keep(&g->way, keep, "x", &x, e);
        }
        tensor_free(&x);
        if (!done)
            return false;
    }
    return g->embedding.data == NULL ||
           ((bundle_find(s->document, "ids") == NULL || s->slip == STACK_FORGETS_IDS ||
             add_looked_up(g, &g->embedding, e)) &&
            gradient_keep(&g->way, keep, "embedding", &g->embedding, e));
}

/* Of the memory, whose rows were one entry's below another's. */
static bool keep_memory(going_back *g, const keeper *keep, err *e)
{
    const tensor *given = bundle_tensor(g->stack->document, "memory");
    tensor_own(&g->memory, g->stack->type, given->rank, given->size, g->memory.data);
    return gradient_keep(&g->way, keep, "memory", &g->memory, e);
}

/* Of the rows that the layers were given, and of all that these were made of. */
static bool embedded_back(going_back *g, const keeper *keep, err *e)
{
    const stack *s = g->stack;
    const tensor embedded = g->rows;
    tensor given = {0};
    if (!gradient_check_range(&g->way, keep, "embedded_grad", &g->rows, e) ||
        !keeper_keep(keep, "embedded_grad", &g->rows, "bqm", e))
        return false;
    bool is_first = s->product.is_of_looked_up,
         done = !is_first || product_back(g, &s->product.given, keep, &given, e);
    g->rows = is_first ? given : embedded;
    done = done && looked_up_back(g, keep, e);
    g->rows = embedded;
    tensor_free(&given);
    return done && table_back(g, keep, "segment_embedding", segment_of_row, e) &&
           table_back(g, keep, "position_embedding", position_of_row, e) &&
           (g->memory.data == NULL || !keeper_wants(keep, "memory_grad") ||
            keep_memory(g, keep, e));
}

/* ---- where it begins ---- */

/* A loss of the output, in the output's shape. */
static void loss_of_output(going_back *g, const tensor *output, double *number)
{
    const stack *s = g->stack;
    tensor shaped = tensor_view_of(&s->part_grad), flat;
    tensor_own(&flat, s->type, 2, output->size, shaped.data);
    flat.owns = false;
    tensor_copy(output, &flat);
    *number = loss_of(&s->goal.of, &shaped);
    loss_grad(&s->goal.of, &shaped, &shaped);
    tensor_copy(&flat, &g->rows);
}

/* One of logits: their gradients, those of what made them, and the output's. */
static bool loss_of_logits(going_back *g, const tensor *output, const keeper *keep, double *number,
                           err *e)
{
    const stack *s = g->stack;
    const unembedding *u = &s->goal.to_ids;
    const size_t size[] = {output->size[0], u->weight.size[1]},
                 of_ids_size[] = {output->size[0], u->weight.size[0]};
    const tensor turned = tensor_transposed(&u->weight);
    tensor logits = {0}, apart = {0}, of_rows = {0};
    tensor *grad = u->softcap > 0 ? &apart : &logits; /* a cap goes back by what it made */
    head_rows of_head = {0};
    bool done = !s->has_head || (tensor_new(&of_rows, s->type, 2, of_ids_size, e) &&
                                 head_run(&s->head, g->way.with, g->way.by, output,
                                          s->how.allow_nonfinite, &of_head, keep, e));
    /* The rows that the unembedding takes, and where what comes back to them goes. */
    const tensor *rows = s->has_head ? head_made(&of_head) : output, *taken = rows;
    tensor *back = s->has_head ? &of_rows : &g->rows;
    if (s->slip == STACK_UNEMBEDS_GIVEN && s->has_head)
        taken = head_normed(&of_head);
    else if (s->slip == STACK_UNEMBEDS_GIVEN && s->has_final)
        taken = &g->tape->kept[tape_of_end(s, TAPE_FINAL)];
    done =
        done && tensor_new(&logits, s->type, 2, size, e) &&
        (u->softcap == 0 || tensor_new(&apart, s->type, 2, size, e)) &&
        unembedding_run(u, g->way.with, rows, &logits, keep, g->way.by, e) &&
        goal_cross_entropy(&s->goal, g->way.in64, &logits, number, e) &&
        goal_logits_grad(&s->goal, g->way.in64, &logits, grad, e) &&
        keeper_keep(keep, "logits_grad", grad, "bqO", e) &&
        unembedding_back(u, &g->way, &logits, grad, keep, e) &&
        gradient_of_weight(&g->way, keep, s->document, "unembedding", &u->weight, taken, grad, e) &&
        gradient_of_bias(&g->way, GAINER_BIAS, keep, s->document, "unembedding_bias", grad, e) &&
        multiply(g->way.with, grad, &turned, NULL, back, g->way.by, e);
    if (done && g->embedding.data != NULL && u->words.data == NULL && u->tied_to != NULL &&
        s->slip != STACK_FORGETS_TIED) {
        tensor of_ids = tensor_transposed(grad);
        done = multiply(g->way.with, &of_ids, rows, NULL, &g->embedding, g->way.by, e);
    }
    if (done && s->has_head)
        done = head_back(&s->head, &g->way, bundle_find(s->document, HEAD)->bundle, output,
                         &of_head, back, &g->rows, keep, e);
    head_rows_free(&of_head);
    tensor_free(&of_rows);
    tensor_free(&apart);
    tensor_free(&logits);
    return done;
}

static bool begin(going_back *g, const tensor *output, const keeper *keep, err *e)
{
    const goal *to = &g->stack->goal;
    tensor number = {0};
    double amount;
    if (!goal_has_logits(to))
        loss_of_output(g, output, &amount);
    else if (!loss_of_logits(g, output, keep, &amount, e))
        return false;
    if (to->of.kind != LOSS_NONE && keeper_wants(keep, "loss")) {
        if (!tensor_new(&number, g->stack->type, 0, NULL, e))
            return false;
        tensor_set(&number, NULL, amount);
        if (!keeper_take(keep, "loss", &number, NULL, e))
            return false;
    }
    return keeper_keep(keep, "output_grad", &g->rows, "bqm", e);
}

/* ---- the whole ---- */

static bool run_back(going_back *g, const tensor *output, const keeper *keep, err *e)
{
    const stack *s = g->stack;
    const tensor *ends = &g->tape->kept[tape_of_end(s, 0)];
    const bundle *top = s->document;
    if (!begin(g, output, keep, e) ||
        (s->has_final && !norm_of(g, keep, top, "ln_f", &s->final, &ends[TAPE_FINAL], &g->rows, e)))
        return false;
    if (s->has_end) {
        keeper within = keeper_within(keep, "ffn");
        if (!feed_forward_back(&s->end, &g->way, top, &ends[TAPE_END], &g->rows, keep, &within, e))
            return false;
    }
    for (size_t i = s->layers; i-- > 0;) {
        keeper within = keeper_of_layer(keep, i);
        if (!layer_back(g, &s->layer[i], &within, e))
            return false;
    }
    if (stack_ends_with_product(s)) {
        tensor given = {0};
        bool done = product_back(g, &ends[TAPE_EMBED], keep, &given, e);
        tensor_free(&g->rows);
        g->rows = given;
        if (!done)
            return false;
    }
    return (!s->has_first || norm_of(g, keep, top, "ln_e", &s->first, &s->embedded, &g->rows, e)) &&
           embedded_back(g, keep, e);
}

bool stack_go_back(const stack *s, const tape *t, const tensor *output, const keeper *keep,
                   crew *by, err *e)
{
    going_back g = {.stack = s,
                    .tape = t,
                    .way = {s->isa->table(s->type), s->isa->table(DTYPE_F64), by, s->type,
                            s->how.allow_nonfinite, s->gained}};
    weight_gains gains = {.of = s, .by = &g.way};
    keeper adding = *keep;
    adding.gains = &gains;
    bool wants_embedding = takes_embedding(s) && keeper_wants(keep, "embedding_grad");
    bool done = tensor_new(&g.rows, s->type, 2, output->size, e) &&
                tensor_new(&g.layer, s->type, 2, output->size, e) &&
                (!wants_embedding ||
                 gradient_open(&g.way, bundle_tensor(s->document, "embedding"), &g.embedding, e)) &&
                run_back(&g, output, &adding, e);
    bundle_free(&gains.sum);
    tensor_free(&g.rows);
    tensor_free(&g.layer);
    tensor_free(&g.shared);
    tensor_free(&g.memory);
    tensor_free(&g.embedding);
    return done;
}

/* ---- its stages ---- */

/* A number that has the shape of what `own` has under the key. */
static bool tell_of_key(const walk *w, const stage_way *way, const bundle *own, const char *of_key)
{
    const tensor *given = own == NULL ? NULL : bundle_tensor(own, of_key);
    return given == NULL || walk_tell_of(w, way, gradient_of(of_key).text, 1, tensor_count(given));
}

static bool tell_norm(const walk *w, const stage_way *way, const bundle *own, const char *name,
                      size_t width)
{
    const stage_way within = stage_way_on(way, name);
    const bundle *keys = keys_of_norm(own, name);
    return walk_tell(w, way, gradient_of(name).text, width) &&
           tell_of_key(w, &within, keys, "gain") && tell_of_key(w, &within, keys, "bias");
}

static bool tell_feed_forward(const walk *w, const stage_way *way, const bundle *own,
                              const feed_forward *f)
{
    const stage_way within = stage_way_on(way, part_name(PART_FEED_FORWARD));
    return walk_tell(w, &within, "output_grad", w->stack->width) &&
           tell_of_key(w, way, own, "b2") && tell_of_key(w, way, own, "w2") &&
           walk_tell(w, &within, "activated_grad", f->hidden) &&
           (f->w3.data == NULL ||
            (walk_tell(w, &within, "gate_grad", f->hidden) && tell_of_key(w, way, own, "w3") &&
             tell_of_key(w, way, own, "b3"))) &&
           walk_tell(w, &within, "hidden_grad", f->hidden) && tell_of_key(w, way, own, "w1") &&
           tell_of_key(w, way, own, "b1");
}

static bool tell_all_keys(const walk *w, const stage_way *way, const char *name, const bundle *keys)
{
    const stage_way within = stage_way_on(way, name);
    bool done = true;
    for (size_t i = 0; done && i < keys->count; i++)
        done = tell_of_key(w, &within, keys, keys->entry[i].name);
    return done;
}

static bool tell_experts(const walk *w, const stage_way *way, const bundle *own,
                         const expert_mix *m)
{
    const stage_way within = stage_way_on(way, part_name(PART_FEED_FORWARD));
    const entry *list = bundle_find(own, "experts"), *shared = bundle_find(own, "shared");
    bool done = walk_tell(w, &within, "output_grad", m->width) &&
                walk_tell(w, &within, "experts_grad", m->top * m->width) &&
                walk_tell(w, &within, "routing_grad", m->count);
    for (size_t i = 0; done && i < m->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "experts.%zu", i);
        done = tell_all_keys(w, way, name, expert_given(list->bundle, i)->bundle);
    }
    return done && (m->shared_gate.data == NULL || walk_tell(w, &within, "shared_gate_grad", 1)) &&
           (shared == NULL || tell_all_keys(w, way, shared->name, shared->bundle)) &&
           tell_of_key(w, way, own, "shared_gate") &&
           (m->by->kind == ROUTED_BY_LOGITS || walk_tell(w, &within, "scores_grad", m->count)) &&
           walk_tell(w, &within, "router_grad", m->count) &&
           tell_of_key(w, way, own, "router_bias") && tell_of_key(w, way, own, "router") &&
           walk_tell(w, &within, "x_grad", m->width);
}

static bool tell_head(const walk *w)
{
    const stage_way top = {.text = ""}, within = stage_way_on(&top, HEAD);
    const bundle *own = bundle_find(w->stack->document, HEAD)->bundle;
    const logits_head *h = &w->stack->head;
    return (!h->has_norm || tell_norm(w, &within, own, "norm", h->width)) &&
           (h->by == NULL || walk_tell(w, &within, "activated_grad", h->width)) &&
           walk_tell(w, &within, "hidden_grad", h->width) && tell_of_key(w, &within, own, "w") &&
           tell_of_key(w, &within, own, "b");
}

static bool tell_product(const walk *w)
{
    const stage_way top = {.text = ""}, within = stage_way_on(&top, EMBED);
    const bundle *own = bundle_find(w->stack->document, EMBED)->bundle;
    return walk_tell(w, &within, "output_grad", w->stack->width) &&
           tell_of_key(w, &within, own, "w") && tell_of_key(w, &within, own, "b");
}

static bool tell_attention(const walk *w, const stage_way *way, const char *name, const plan *p)
{
    const stage_way within = stage_way_on(way, name);
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (stage_is_backward(id) && plan_has_stage(p, id) &&
            !walk_tell(w, &within, stage_row(id)->key.named.name, 0))
            return false;
    }
    return true;
}

static bool tell_layer(const walk *w, const layer *l, size_t number)
{
    const stage_way way = stage_way_of_layer(number);
    const bundle *own = stack_keys_of_layer(w->stack->document, number);
    bool done = walk_tell(w, &way, "output_grad", w->stack->width);
    for (size_t i = l->parts; done && i-- > 0;) {
        const layer_part *p = &l->part[i];
        part_step step[PART_STEPS_MOST];
        for (size_t j = part_steps(p->as, step); done && j-- > 0;) {
            if (step[j].kind == PART_STEP_NORM)
                done = tell_norm(w, &way, own, step[j].name, w->stack->width);
            else if (step[j].kind == PART_STEP_SUM)
                done = walk_tell(w, &way, gradient_of(step[j].name).text, w->stack->width);
            else if (p->experts != NULL)
                done = tell_experts(w, &way, own, p->experts);
            else if (p->as->kind == PART_FEED_FORWARD)
                done = tell_feed_forward(w, &way, own, p->feed_forward);
            else
                done = tell_attention(w, &way, step[j].name, &p->attention->plan);
        }
    }
    return done;
}

bool stack_tell_back(const walk *w)
{
    const stack *s = w->stack;
    const stage_way top = {.text = ""};
    const bundle *own = s->document;
    size_t ids = goal_has_logits(&s->goal) ? s->goal.to_ids.weight.size[1] : 0;
    const unembedding *u = &s->goal.to_ids;
    bool done =
        (ids == 0 || (stack_tell_head(w) && unembedding_tell(u, w))) &&
        (s->goal.of.kind == LOSS_NONE || walk_tell_of(w, &top, "loss", 1, 1)) &&
        (ids == 0 ||
         (unembedding_tell_back(u, w) && tell_of_key(w, &top, own, "unembedding") &&
          tell_of_key(w, &top, own, "unembedding_bias") && (!s->has_head || tell_head(w)))) &&
        walk_tell(w, &top, "output_grad", s->width) &&
        (!s->has_final || tell_norm(w, &top, own, "ln_f", s->width)) &&
        (!s->has_end || tell_feed_forward(w, &top, own, &s->end));
    for (size_t i = s->layers; done && i-- > 0;)
        done = tell_layer(w, &s->layer[i], i);
    const size_t embedded = s->embedded.size[1];
    const bool is_first = s->product.is_of_looked_up;
    return done && (!stack_ends_with_product(s) || tell_product(w)) &&
           (!s->has_first || tell_norm(w, &top, own, "ln_e", embedded)) &&
           walk_tell(w, &top, "embedded_grad", embedded) && (!is_first || tell_product(w)) &&
           tell_of_key(w, &top, own, "x") &&
           (!takes_embedding(s) || tell_of_key(w, &top, own, "embedding")) &&
           tell_of_key(w, &top, own, "segment_embedding") &&
           tell_of_key(w, &top, own, "position_embedding") &&
           (!stack_has_cross(s) || tell_of_key(w, &top, own, "memory"));
}

/* ---- what is wanted, and its memory ---- */

typedef struct asked {
    const keeper *keep;
    bool is_wanted;
} asked;

static bool ask(void *context, const char *name, size_t rows, size_t width, err *e)
{
    asked *of = context;
    (void)rows, (void)width, (void)e;
    of->is_wanted = of->is_wanted || keeper_wants(of->keep, name);
    return true;
}

bool stack_goes_back(const stack *s, const keeper *keep)
{
    asked of = {.keep = keep};
    const walk w = {s, s->embedded.size[0], ask, &of, NULL};
    if (s->goal.is_there)
        stack_tell_back(&w);
    return of.is_wanted;
}

size_t stack_back_memory(const stack *s)
{
    enum { AT_ONCE = 6 }; /* gradients of rows, of a layer, of a memory, and what a part makes */
    size_t rows = s->embedded.size[0], at_once = tape_of_end(s, TAPE_ENDS) + AT_ONCE;
    size_t ids = goal_has_logits(&s->goal) ? s->goal.to_ids.weight.size[1] : 0;
    size_t width = size_larger(s->width, s->table_width);
    size_t of_logits = s->goal.to_ids.softcap > 0 ? 2 : 1;
    return size_sum(tensor_bytes(s->type, 3, (size_t[]){at_once, rows, width}),
                    tensor_bytes(s->type, 3, (size_t[]){of_logits, rows, ids}));
}
