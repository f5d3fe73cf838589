/* Computing a stack, what that makes, and what it will cost: its memory and its work. */
#include "model/stack_run.h"

#include "attn/engine/project.h"
#include "base/mem.h"
#include "model/embed.h"
#include "model/experts.h"
#include "model/feed_forward.h"
#include "model/row_job.h"
#include "model/stack_back.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- attention rollout (Abnar and Zuidema, Quantifying attention flow in transformers, 2020,
 * section 3): how much of each row that goes out of the layers comes from each row that goes in,
 *
 *     rollout = A_L · … · A_1,  A = ½·W + ½·I,
 *
 * where W is a self-attention's mean over its heads, and I stands for the residual ---- */

/* Puts the next layer's W, b·n × n, before the product so far, which has no data before the first
 * one. Takes W. */
static bool rollout_add(tensor *rollout, tensor *w, const kernels *with, crew *by, err *e)
{
    tensor product;
    /* w = ½·w + ½·I, of each entry of the batch */
    size_t n = w->size[1];
    for (size_t i = 0; i < w->size[0]; i++) {
        for (size_t j = 0; j < n; j++) {
            size_t at[] = {i, j};
            tensor_set(w, at, 0.5 * tensor_get(w, at) + (i % n == j ? 0.5 : 0));
        }
    }
    if (rollout->data == NULL) {
        *rollout = *w;
        *w = (tensor){0};
        return true;
    }
    bool done = tensor_new(&product, w->type, 2, w->size, e);
    for (size_t first = 0; done && first < w->size[0]; first += n) {
        tensor a = tensor_range(w, 0, first, n), b = tensor_range(rollout, 0, first, n),
               c = tensor_range(&product, 0, first, n);
        done = multiply(with, &a, &b, NULL, &c, by, e);
    }
    tensor_free(w);
    tensor_free(done ? rollout : &product);
    if (done)
        *rollout = product;
    return done;
}

/* What goes from part to part: rows, b·n × m each. */
typedef struct flow {
    const stack *stack;
    const kernels *with;
    crew *by;
    tensor rows;  /* what the next part is given */
    tensor layer; /* what the layer was given, where a part goes back to it */
    tensor input; /* the stack's, as rows */
    bool rolls_out;
    tensor rollout; /* of the layers so far */
    tape *tape;     /* NULL: nothing goes back */
    run_report *report;
} flow;

/* out = the norm of each row of x, n × width, which may be the same; kept under the name. */
static bool norm_into(const flow *f, const keeper *keep, const norm *by, const char *name,
                      const tensor *x, tensor *out, err *e)
{
    return rows_norm_all(by, f->with, x, out, f->stack->how.allow_nonfinite, f->by, e) &&
           keeper_keep(keep, name, out, "bqm", e);
}

/* to = the chosen rows of each entry of the batch, which may be where all of them are. */
static void choose_rows(const row_choice *chosen, const tensor *all, tensor *to)
{
    size_t entries = all->size[0] / chosen->of;
    size_t bytes = all->size[1] * dtype_size(all->type);
    for (size_t i = 0; i < entries * chosen->count; i++) {
        size_t first = i / chosen->count * chosen->of; /* of its entry */
        memmove(row_at(to, i), row_at(all, first + chosen->row[i % chosen->count]), bytes);
    }
    to->size[0] = entries * chosen->count;
}

/* ---- a part ---- */

/* rows = the part of rows, with its norms and its residual */
static bool run_part(flow *f, const layer *l, const layer_part *p, const keeper *keep, err *e)
{
    const part_row *as = p->as;
    const tensor *given = as->is_beside ? &f->layer : &f->rows, *taken = &f->input;
    const char *made_name = part_norm_name(as->ln_made);
    keeper within = keeper_within(keep, part_name(as->kind));
    tensor made = {0}, mean;
    bool done;
    /* What the part reads: an attention reads f->input, which the one before it leaves there. */
    if (as->shares) {
        taken = &f->input;
    } else if (as->ln_before > 0) {
        if (!tape_keep(f->tape, tape_of_part(f->stack, p, TAPE_GIVEN), given, e) ||
            !norm_into(f, keep, &l->norm[as->ln_before - 1], part_norm_name(as->ln_before), given,
                       &f->input, e))
            return false;
    } else if (as->kind == PART_FEED_FORWARD) {
        taken = given;
    } else {
        tensor_copy(given, &f->input);
    }
    if (!tape_keep(f->tape, tape_of_part(f->stack, p, TAPE_READ), taken, e))
        return false;
    if (p->chooses) { /* keys and values are made of all rows, which stay where they are */
        const stack *s = f->stack;
        tensor all = f->input;
        tensor_own(&f->input, s->type, 2, all.size, s->chosen_input.data);
        f->input.owns = false;
        choose_rows(s->chosen, &all, &f->input);
        choose_rows(s->chosen, &f->rows, &f->rows);
        choose_rows(s->chosen, &f->layer, &f->layer);
    }
    if (as->kind == PART_FEED_FORWARD) {
        const kernels *in64 = f->stack->isa->table(DTYPE_F64);
        done = tensor_new(&made, f->rows.type, 2, f->rows.size, e) &&
               (p->experts != NULL
                    ? expert_mix_run(p->experts, f->with, in64, f->by, taken, &made, &within, e)
                    : feed_forward_run(p->feed_forward, f->with, f->by, taken, &made, &within, e));
    } else {
        bool is_rolled = f->rolls_out && as->kind == PART_ATTENTION;
        done = attention_run(p->attention, &within, f->by, &made, is_rolled ? &mean : NULL,
                             f->report, e) &&
               (!is_rolled || rollout_add(&f->rollout, &mean, f->with, f->by, e));
    }
    done = done && (as->ln_made == 0 ||
                    (tape_keep(f->tape, tape_of_part(f->stack, p, TAPE_MADE), &made, e) &&
                     norm_into(f, keep, &l->norm[as->ln_made - 1], made_name, &made, &made, e)));
    if (done && as->adds == RESIDUAL_NONE) {
        tensor_copy(&made, &f->rows);
    } else if (done) {
        rows_scale(f->with, &made, p->scale);
        row_job sum = {.work = rows_add,
                       .with = f->with,
                       .a = as->adds == RESIDUAL_LAYER    ? &f->layer
                            : as->adds == RESIDUAL_NORMED ? taken
                                                          : &f->rows,
                       .b = &made,
                       .out = &f->rows};
        rows_run(&sum, SUM_COST, f->by);
        done = keeper_keep(keep, part_sum_name(as->kind), &f->rows, "bqm", e);
    }
    tensor_free(&made);
    return done && (as->ln_after == 0 ||
                    (tape_keep(f->tape, tape_of_part(f->stack, p, TAPE_SUM), &f->rows, e) &&
                     norm_into(f, keep, &l->norm[as->ln_after - 1], part_norm_name(as->ln_after),
                               &f->rows, &f->rows, e)));
}

/* ---- the stack ---- */

static bool run_layer(flow *f, const layer *l, const keeper *keep, err *e)
{
    bool goes_back = false;
    for (size_t i = 0; i < l->parts; i++)
        goes_back = goes_back || l->part[i].as->is_beside || l->part[i].as->adds == RESIDUAL_LAYER;
    if (goes_back)
        tensor_copy(&f->rows, &f->layer);
    for (size_t i = 0; i < l->parts; i++) {
        if (!run_part(f, l, &l->part[i], keep, e))
            return layer_part_failed(&l->part[i], e);
    }
    return keeper_keep(keep, "output", &f->rows, "bqm", e);
}

/* Or what they are made of. */
static bool wants_logits(const stack *s, const keeper *keep)
{
    static const char *const OF_HEAD[] = {"hidden", "activated", "norm"};
    const keeper within = keeper_within(keep, HEAD);
    bool wants = keeper_wants(keep, "logits") || keeper_wants(keep, "logits.product") ||
                 keeper_wants(keep, "logits.times");
    for (size_t i = 0; s->has_head && i < sizeof OF_HEAD / sizeof OF_HEAD[0]; i++)
        wants = wants || keeper_wants(&within, OF_HEAD[i]);
    return wants;
}

static bool make_logits(const flow *f, const keeper *keep, err *e)
{
    const stack *s = f->stack;
    const size_t size[] = {f->rows.size[0], s->has_logits ? s->to_ids.weight.size[1] : 0};
    tensor logits = {0};
    head_rows of_head = {0};
    bool done = !s->has_head || head_run(&s->head, f->with, f->by, &f->rows, s->how.allow_nonfinite,
                                         &of_head, keep, e);
    if (done && s->has_logits) /* a step of a generation makes those of its last row */
        done = tensor_new(&logits, s->type, 2, size, e) &&
               unembedding_run(&s->to_ids, f->with, s->has_head ? head_made(&of_head) : &f->rows,
                               &logits, keep, f->by, e);
    head_rows_free(&of_head);
    tensor_free(&logits);
    return done;
}

/* From the embedded rows to those that go into the first layer, which may have another width. */
static bool begin(flow *f, const keeper *keep, err *e)
{
    const stack *s = f->stack;
    const embed_product *p = &s->product;
    const keeper within = keeper_within(keep, EMBED);
    const bool is_last = stack_ends_with_product(s);
    tensor embedded = {0}, *rows = is_last ? &embedded : &f->rows;
    if (is_last && !tensor_new(rows, s->type, 2, s->embedded.size, e))
        return false;
    tensor_copy(&s->embedded, rows);
    bool done = (p->made.data == NULL || keeper_keep(&within, "output", &p->made, "bqm", e)) &&
                keeper_keep(keep, "embedded", rows, "bqm", e) &&
                (!s->has_first || norm_into(f, keep, &s->first, "ln_e", rows, rows, e));
    if (done && is_last)
        done = tape_keep(f->tape, tape_of_end(s, TAPE_EMBED), rows, e) &&
               multiply(f->with, rows, &p->w, &p->b, &f->rows, f->by, e) &&
               keeper_keep(&within, "output", &f->rows, "bqm", e);
    tensor_free(&embedded);
    return done;
}

/* From the embedded rows to the output. */
static bool run_all(flow *f, const keeper *keep, err *e)
{
    const stack *s = f->stack;
    tensor *rows = &f->rows;
    bool done = begin(f, keep, e);
    for (size_t i = 0; i < s->layers && done; i++) {
        keeper within = keeper_of_layer(keep, i);
        done = run_layer(f, &s->layer[i], &within, e);
    }
    done = done && (!f->rolls_out || keeper_keep(keep, "rollout", &f->rollout, "bqk", e));
    if (done && s->has_end) {
        keeper within = keeper_within(keep, "ffn");
        tensor_copy(rows, &f->input);
        done = tape_keep(f->tape, tape_of_end(s, TAPE_END), rows, e) &&
               feed_forward_run(&s->end, f->with, f->by, &f->input, rows, &within, e);
    }
    done = done && (!s->has_final || tape_keep(f->tape, tape_of_end(s, TAPE_FINAL), rows, e));
    if (!done || (s->has_final && !norm_into(f, keep, &s->final, "ln_f", rows, rows, e)) ||
        !keeper_keep(keep, "output", rows, "bqm", e))
        return false;
    bool has_some = s->has_logits || (s->has_head && s->how.goes_on);
    if (has_some && wants_logits(s, keep) && !make_logits(f, keep, e))
        return false;
    size_t index[TENSOR_MAX_RANK];
    char batch[32] = "";
    size_t of_entry = s->chosen == NULL ? s->rows : s->chosen->count;
    if (s->how.allow_nonfinite || tensor_is_finite(rows, index))
        return true;
    if (s->batches > 0) /* whose rows are one entry's below another's */
        snprintf(batch, sizeof batch, "batch %zu, ", index[0] / of_entry + 1);
    size_t row = index[0] % of_entry;
    err_set(e, "output[%srow %zu, column %zu] is beyond the range of %s", batch,
            (s->chosen == NULL ? row : s->chosen->row[row]) + 1, index[1] + 1,
            dtype_name(rows->type));
    return err_remedy(e, rows->type == DTYPE_F32 ? "--dtype f64 has more range"
                                                 : "smaller weights would not be");
}

bool stack_run(const stack *s, const text_list *emit, crew *by, bundle *result, run_report *report,
               err *e)
{
    flow f = {.stack = s, .with = s->isa->table(s->type), .by = by, .report = report};
    tape kept = {0};
    keeper keep = keeper_of(emit);
    keep.result = result;
    keep.batches = s->batches;
    keep.one_row = s->how.one_row;
    keep.change = s->change;
    keep.context = s->changed;
    f.rolls_out = stack_has_rollout(s) && keeper_wants(&keep, "rollout");
    const size_t size[] = {s->embedded.size[0], s->width};
    float_mode mode;
    float_mode_set(&mode);
    f.input = tensor_view_of(&s->input);
    tensor_own(&f.input, s->type, 2, size, s->input.data);
    f.input.owns = false;
    bool done =
        tensor_new(&f.rows, s->type, 2, size, e) && tensor_new(&f.layer, s->type, 2, size, e);
    if (stack_goes_back(s, &keep))
        f.tape = &kept;
    done = done && (f.tape == NULL || tape_open(f.tape, s, e)) && run_all(&f, &keep, e) &&
           (f.tape == NULL || ((s->turn == NULL || s->turn(s->turned, f.tape)) &&
                               stack_go_back(s, f.tape, &f.rows, &keep, by, e)));
    tape_free(&kept);
    tensor_free(&f.rows);
    tensor_free(&f.layer);
    tensor_free(&f.rollout);
    float_mode_restore(&mode);
    return done;
}

/* ---- what it makes ---- */

bool stack_has_rollout(const stack *s)
{
    for (size_t i = 0; i < s->parts; i++) {
        const layer_part *p = &s->part[i];
        if (p->as->kind == PART_ATTENTION &&
            (p->as->adds == RESIDUAL_NONE || p->attention->plan.n_q != p->attention->plan.n_k))
            return false;
    }
    return true;
}

/* Rows, of all entries of the batch, that parts are given from the one on that chooses some. */
static size_t rows_chosen(const stack *s)
{
    return s->embedded.size[0] / s->chosen->of * s->chosen->count;
}

static bool tell_feed_forward(const walk *w, const stage_way *way, const feed_forward *f)
{
    const stage_way within = stage_way_on(way, part_name(PART_FEED_FORWARD));
    return walk_tell(w, &within, "hidden", f->hidden) &&
           (f->w3.data == NULL || walk_tell(w, &within, "gate", f->hidden)) &&
           walk_tell(w, &within, "activated", f->hidden) &&
           walk_tell(w, &within, "output", w->stack->width);
}

static bool tell_attention(const walk *w, const stage_way *way, const char *name, const plan *p)
{
    const stage_way within = stage_way_on(way, name);
    for (stage_id id = 0; !stage_is_backward(id) && id < STAGE_COUNT; id++) {
        if (plan_has_stage(p, id) && !walk_tell(w, &within, stage_row(id)->key.named.name, 0))
            return false;
    }
    return walk_tell(w, &within, "mean_weights", 0);
}

static bool tell_part(const walk *w, const stage_way *way, const char *name, const layer_part *p)
{
    const stage_way within = stage_way_on(way, name);
    return p->experts != NULL        ? expert_mix_tell(w, &within, p->experts)
           : p->feed_forward != NULL ? tell_feed_forward(w, way, p->feed_forward)
                                     : tell_attention(w, way, name, &p->attention->plan);
}

static bool tell_layer(walk *w, const layer *l, size_t number)
{
    const stage_way way = stage_way_of_layer(number);
    for (size_t i = 0; i < l->parts; i++) {
        const layer_part *p = &l->part[i];
        part_step step[PART_STEPS_MOST];
        size_t steps = part_steps(p->as, step);
        for (size_t j = 0; j < steps; j++) {
            const char *name = step[j].name;
            if (p->chooses && step[j].kind == PART_STEP_ITSELF)
                w->rows = rows_chosen(w->stack);
            bool done = step[j].kind != PART_STEP_ITSELF ? walk_tell(w, &way, name, w->stack->width)
                                                         : tell_part(w, &way, name, p);
            if (!done)
                return false;
        }
    }
    return walk_tell(w, &way, "output", w->stack->width);
}

bool stack_tell_head(const walk *w)
{
    const stage_way top = {.text = ""}, within = stage_way_on(&top, HEAD);
    const stack *s = w->stack;
    return !s->has_head ||
           (walk_tell(w, &within, "hidden", s->head.width) &&
            (s->head.by == NULL || walk_tell(w, &within, "activated", s->head.width)) &&
            (!s->head.has_norm || walk_tell(w, &within, "norm", s->head.width)));
}

static bool each_stage(const stack *s, stage_visitor *visit, void *context, err *e)
{
    walk w = {s, s->embedded.size[0], visit, context, e};
    const stage_way top = {.text = ""};
    const stage_way of_product = stage_way_on(&top, EMBED);
    const size_t embedded = s->embedded.size[1];
    bool done = (!s->product.is_of_looked_up || walk_tell(&w, &of_product, "output", s->width)) &&
                walk_tell(&w, &top, "embedded", embedded) &&
                (!s->has_first || walk_tell(&w, &top, "ln_e", embedded)) &&
                (!stack_ends_with_product(s) || walk_tell(&w, &of_product, "output", s->width));
    for (size_t i = 0; i < s->layers && done; i++)
        done = tell_layer(&w, &s->layer[i], i);
    return done && (!stack_has_rollout(s) || walk_tell(&w, &top, "rollout", s->rows)) &&
           (!s->has_end || tell_feed_forward(&w, &top, &s->end)) &&
           (!s->has_final || walk_tell(&w, &top, "ln_f", s->width)) &&
           walk_tell(&w, &top, "output", s->width) &&
           ((!s->has_logits && !s->how.goes_on) || stack_tell_head(&w)) &&
           (!s->has_logits || unembedding_tell(&s->to_ids, &w)) &&
           (!s->goal.is_there || stack_tell_back(&w));
}

static bool add_name(void *context, const char *name, size_t rows, size_t width, err *e)
{
    (void)rows;
    (void)width;
    return text_list_add(context, name, strlen(name), e);
}

bool stack_stage_names(const stack *s, text_list *names, err *e)
{
    return each_stage(s, add_name, names, e);
}

/* ---- memory ---- */

/* What stays until the end, and the most that one part works in next to it. */
typedef struct total {
    const stack *stack;
    keeper keep;
    weight_gains gains;
    bool goes_back;
    size_t threads, kept, largest; /* SIZE_MAX: more than an address can hold */
    size_t largest_back;           /* on the way back, where it goes back */
} total;

static void add_kept(total *t, size_t rows, size_t width)
{
    size_t bytes = size_product(size_product(rows, width), dtype_size(t->stack->type));
    t->kept = size_sum(t->kept, bytes);
}

static bool add_stage(void *context, const char *name, size_t rows, size_t width, err *e)
{
    total *t = context;
    (void)e;
    if (keeper_wants(&t->keep, name))
        add_kept(t, rows, width);
    return true;
}

static void add_feed_forward(total *t, const feed_forward *f, size_t rows)
{
    const kernels *with = t->stack->isa->table(t->stack->type);
    t->largest =
        size_larger(t->largest, feed_forward_memory(f, with, t->stack->type, rows, t->threads));
    if (t->goes_back)
        t->largest_back =
            size_larger(t->largest_back, feed_forward_back_memory(f, t->stack->type, rows));
}

static void add_experts(total *t, const expert_mix *m, size_t rows)
{
    const kernels *with = t->stack->isa->table(t->stack->type);
    t->largest =
        size_larger(t->largest, expert_mix_memory(m, with, t->stack->type, rows, t->threads));
    if (t->goes_back)
        t->largest_back =
            size_larger(t->largest_back, expert_mix_back_memory(m, t->stack->type, rows));
}

/* Of rollout: a mean and the next product; the one so far is the stage, and stays. */
static bool add_attention(total *t, const attention *a, const keeper *keep, bool is_rolled, err *e)
{
    const stack *s = t->stack;
    size_t n_k = a->plan.n_k, kept, working;
    if (!attention_memory(a, keep, is_rolled, t->threads, &kept, &working, e))
        return false;
    t->kept = size_sum(t->kept, kept);
    size_t mean = s->embedded.size[0] * n_k * dtype_size(s->type); /* of the weights, which fit */
    t->largest = size_larger(t->largest, working);
    if (is_rolled)
        t->largest =
            size_larger(t->largest, 2 * mean + multiply_memory(s->isa->table(s->type), s->rows, n_k,
                                                               n_k, t->threads));
    if (!t->goes_back)
        return true;
    if (!attention_back_memory(a, keep, t->threads, &kept, &working, e))
        return false;
    t->kept = size_sum(t->kept, kept);
    t->largest_back = size_larger(t->largest_back, working);
    return true;
}

/* The stages stay, and so do caches, where the stack goes on. `rows` go out of the last part. */
static bool add_kept_and_parts(total *t, const text_list *emit, size_t *rows, err *e)
{
    const stack *s = t->stack;
    *rows = s->embedded.size[0];
    t->gains.of = s;
    t->keep = keeper_of(emit);
    t->keep.gains = &t->gains;
    t->goes_back = stack_goes_back(s, &t->keep);
    bool rolls_out = stack_has_rollout(s) && keeper_wants(&t->keep, "rollout");
    each_stage(s, add_stage, t, e);
    for (size_t i = 0; i < s->parts; i++) {
        const layer_part *p = &s->part[i];
        keeper of_layer = keeper_of_layer(&t->keep, p->layer),
               within = keeper_within(&of_layer, part_name(p->as->kind));
        if (p->chooses)
            *rows = rows_chosen(s);
        if (p->experts != NULL)
            add_experts(t, p->experts, *rows);
        else if (p->as->kind == PART_FEED_FORWARD)
            add_feed_forward(t, p->feed_forward, *rows);
        else if (!add_attention(t, p->attention, &within,
                                rolls_out && p->as->kind == PART_ATTENTION, e))
            return false;
    }
    return true;
}

bool stack_memory(const stack *s, const text_list *emit, size_t threads, size_t *bytes, err *e)
{
    enum { ROWS_AT_ONCE = 5 }; /* that go from one part to the next */
    total t = {.stack = s, .threads = threads};
    size_t rows;
    if (!add_kept_and_parts(&t, emit, &rows, e))
        return false;
    if (s->has_end)
        add_feed_forward(&t, &s->end, rows);
    add_kept(&t, ROWS_AT_ONCE * s->embedded.size[0], s->width);
    if (s->product.w.data != NULL) { /* its rows, what it makes of them, and its weight */
        const size_t *size = s->product.w.size;
        add_kept(&t, 2 * s->embedded.size[0], size[0] + size[1]);
        t.kept = size_sum(t.kept, multiply_memory(s->isa->table(s->type), s->embedded.size[0],
                                                  size[0], size[1], threads));
    }
    *bytes = size_sum(size_sum(t.kept, t.largest), t.largest_back);
    if (stack_makes_head(s))
        *bytes = size_sum(*bytes, head_memory(&s->head, s->type, s->embedded.size[0]));
    if (t.goes_back)
        *bytes = size_sum(*bytes, stack_back_memory(s));
    return true;
}

bool stack_check_memory(const stack *s, size_t bytes, size_t most, const char *of_what, err *e)
{
    if (bytes <= most) {
        if (s->how.packed_weights != NULL)
            packed_weights_yield(s->how.packed_weights, mem_spare(most, bytes));
        return true;
    }
    err_set(e,
            "%zu bytes of memory are needed%s, %zu may be used: layers %zu, rows %zu, columns %zu",
            bytes, of_what, most, s->layers, s->rows, s->width);
    return err_remedy(e, "raise --max-memory");
}

bool stack_stages_memory(const stack *s, const text_list *emit, size_t *bytes, err *e)
{
    total t = {.stack = s, .threads = 1};
    size_t rows;
    bool done = add_kept_and_parts(&t, emit, &rows, e);
    *bytes = t.kept;
    return done;
}

bool stack_cache_memory(const stack *s, size_t rows, size_t *bytes, err *e)
{
    *bytes = 0;
    for (size_t i = 0; i < s->parts; i++) {
        const attention *a = s->part[i].attention;
        size_t one;
        if (a == NULL || a->asked.cache == NULL)
            continue;
        if (!cache_bytes(&a->plan, rows, &one))
            return err_no_memory(e, SIZE_MAX);
        *bytes = size_sum(*bytes, one);
    }
    return true;
}

/* ---- work ---- */

double stack_operations(const stack *s)
{
    double rows = (double)s->embedded.size[0], width = (double)s->width, all = 0;
    if (s->product.w.data != NULL)
        all += rows * (double)s->product.w.size[0] * width;
    for (size_t i = 0; i < s->parts; i++) {
        const layer_part *p = &s->part[i];
        double seen = rows; /* that keys and values are made of */
        if (p->chooses)
            rows = (double)rows_chosen(s);
        if (p->experts != NULL) {
            all += 2 * rows * width * (double)p->experts->top * (double)p->experts->expert->hidden;
        } else if (p->as->kind == PART_FEED_FORWARD) {
            all += 2 * rows * width * (double)p->feed_forward->hidden;
        } else {
            const plan *a = &p->attention->plan;
            all += 2 * (seen + rows) * width * width +
                   2 * rows * (double)a->heads * (double)a->n_k * (double)a->v.width;
        }
    }
    return all;
}
