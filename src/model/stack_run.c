/* Computing a stack, and what that will cost: its memory and its work. */
#include "attn/engine/multiply.h"
#include "base/mem.h"
#include "model/rows.h"
#include "model/stack.h"

#include <stdint.h>
#include <stdio.h>

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
    run_report *report;
} flow;

/* ---- rows ---- */

typedef struct sum {
    const kernels *with;
    const tensor *a, *b;
    tensor *out;
} sum;

static void add_some(const void *context, size_t first, size_t count)
{
    const sum *s = context;
    size_t n = count * s->out->size[1], at = first * s->out->size[1] * dtype_size(s->out->type);
    s->with->add((const char *)s->a->data + at, n, (const char *)s->b->data + at, 1,
                 (char *)s->out->data + at);
}

/* What a sum costs next to a multiply-add of a product: its numbers are read and written. */
static const double SUM_COST = 8;

/* ---- a part ---- */

static bool norm_checked(const flow *f, const norm *by, const tensor *x, tensor *out, err *e)
{
    return norm_rows(by, f->with, x, out, f->by) || f->stack->how.allow_nonfinite ||
           err_set(e, "the squares of a row that is normed add up to more than float64 holds");
}

static bool norm_into(const flow *f, const keeper *keep, const norm *all, size_t number,
                      const tensor *x, tensor *out, err *e)
{
    return norm_checked(f, &all[number - 1], x, out, e) &&
           keeper_keep(keep, part_norm_name(number), out, "qm", e);
}

/* rows = the part of rows, with its norms and its residual */
static bool run_part(flow *f, const layer *l, const layer_part *p, const keeper *keep, err *e)
{
    bool is_feed_forward = p->as->kind == PART_FEED_FORWARD;
    const tensor *given = p->as->is_beside ? &f->layer : &f->rows, *taken = &f->input;
    keeper within = keeper_within(keep, part_name(p->as->kind));
    tensor made = {0}, mean;
    bool done;
    /* What the part reads: an attention reads f->input. */
    if (p->as->ln_before > 0) {
        if (!norm_into(f, keep, l->norm, p->as->ln_before, given, &f->input, e))
            return false;
    } else if (is_feed_forward) {
        taken = given;
    } else {
        tensor_copy(given, &f->input);
    }
    if (is_feed_forward) {
        done = tensor_new(&made, f->rows.type, 2, f->rows.size, e) &&
               feed_forward_run(p->feed_forward, f->with, taken, &made, &within, f->by, e);
    } else {
        bool is_rolled = f->rolls_out && p->as->kind == PART_ATTENTION;
        done = attention_run(p->attention, &within, f->by, &made, is_rolled ? &mean : NULL,
                             f->report, e) &&
               (!is_rolled || rollout_add(&f->rollout, &mean, f->with, f->by, e));
    }
    if (done && p->as->adds == RESIDUAL_NONE) {
        tensor_copy(&made, &f->rows);
    } else if (done) {
        sum s = {.with = f->with,
                 .a = p->as->adds == RESIDUAL_LAYER    ? &f->layer
                      : p->as->adds == RESIDUAL_NORMED ? taken
                                                       : &f->rows,
                 .b = &made,
                 .out = &f->rows};
        rows_run(f->by, f->rows.size[0], SUM_COST * (double)f->rows.size[1], add_some, &s);
        done = keeper_keep(keep, part_sum_name(p->as->kind), &f->rows, "qm", e);
    }
    tensor_free(&made);
    return done && (p->as->ln_after == 0 ||
                    norm_into(f, keep, l->norm, p->as->ln_after, &f->rows, &f->rows, e));
}

static bool run_layer(flow *f, const layer *l, const keeper *keep, err *e)
{
    bool goes_back = false;
    for (size_t i = 0; i < l->parts; i++)
        goes_back = goes_back || l->part[i].as->is_beside || l->part[i].as->adds == RESIDUAL_LAYER;
    if (goes_back)
        tensor_copy(&f->rows, &f->layer);
    for (size_t i = 0; i < l->parts; i++) {
        if (!run_part(f, l, &l->part[i], keep, e))
            return err_within(e, "layer %zu, %s", (size_t)(l - f->stack->layer) + 1,
                              part_name(l->part[i].as->kind));
    }
    if (l->change != NULL)
        l->change(l->context, &f->rows);
    return keeper_keep(keep, "output", &f->rows, "qm", e);
}

/* ---- the stack ---- */

static bool run_norm(flow *f, const norm *by, const char *name, const keeper *keep, err *e)
{
    return norm_checked(f, by, &f->rows, &f->rows, e) && keeper_keep(keep, name, &f->rows, "qm", e);
}

/* From the embedded rows to the output. */
static bool run_all(flow *f, const keeper *keep, err *e)
{
    const stack *s = f->stack;
    tensor_copy(&s->embedded, &f->rows);
    if (!keeper_keep(keep, "embedded", &f->rows, "qm", e) ||
        (s->has_first && !run_norm(f, &s->first, "ln_e", keep, e)))
        return false;
    for (size_t i = 0; i < s->layers; i++) {
        keeper within = keeper_of_layer(keep, i);
        if (!run_layer(f, &s->layer[i], &within, e))
            return false;
    }
    if (f->rolls_out && !keeper_keep(keep, "rollout", &f->rollout, "qk", e))
        return false;
    if (s->has_end) {
        keeper within = keeper_within(keep, "ffn");
        tensor_copy(&f->rows, &f->input);
        if (!feed_forward_run(&s->end, f->with, &f->input, &f->rows, &within, f->by, e))
            return false;
    }
    if (s->has_final && !run_norm(f, &s->final, "ln_f", keep, e))
        return false;
    if (!keeper_keep(keep, "output", &f->rows, "qm", e))
        return false;
    size_t index[TENSOR_MAX_RANK];
    char batch[32] = "";
    if (s->how.allow_nonfinite || tensor_is_finite(&f->rows, index))
        return true;
    if (s->batches > 0) /* whose rows are one entry's below another's */
        snprintf(batch, sizeof batch, "batch %zu, ", index[0] / s->rows + 1);
    err_set(e, "output[%srow %zu, column %zu] is beyond the range of %s", batch,
            index[0] % s->rows + 1, index[1] + 1, dtype_name(f->rows.type));
    return err_remedy(e, f->rows.type == DTYPE_F32 ? "--dtype f64 has more range"
                                                   : "smaller weights would not be");
}

bool stack_run(const stack *s, const text_list *emit, crew *by, bundle *result, run_report *report,
               err *e)
{
    flow f = {.stack = s, .with = s->isa->table(s->type), .by = by, .report = report};
    keeper keep = keeper_of(emit);
    keep.result = result;
    keep.batches = s->batches;
    keep.one_row = s->how.one_row;
    f.rolls_out = stack_has_rollout(s) && keeper_wants(&keep, "rollout");
    const size_t *size = s->embedded.size;
    float_mode mode;
    float_mode_set(&mode);
    f.input = tensor_view_of(&s->input);
    tensor_own(&f.input, s->type, 2, size, s->input.data);
    f.input.owns = false;
    bool done =
        tensor_new(&f.rows, s->type, 2, size, e) && tensor_new(&f.layer, s->type, 2, size, e);
    done = done && run_all(&f, &keep, e);
    tensor_free(&f.rows);
    tensor_free(&f.layer);
    tensor_free(&f.rollout);
    float_mode_restore(&mode);
    return done;
}

/* ---- memory ---- */

/* What stays until the end, and the most that one part works in next to it. */
typedef struct total {
    const stack *stack;
    keeper keep;
    size_t threads, kept, largest;
    bool fits;
} total;

static void add_kept(total *t, size_t rows, size_t width)
{
    size_t count;
    t->fits = t->fits && size_mul(rows, width, &count) &&
              size_add_product(&t->kept, count, dtype_size(t->stack->type));
}

static bool add_stage(void *context, const char *name, size_t width, err *e)
{
    total *t = context;
    (void)e;
    if (keeper_wants(&t->keep, name))
        add_kept(t, t->stack->embedded.size[0], width);
    return true;
}

static void add_feed_forward(total *t, const feed_forward *f)
{
    const stack *s = t->stack;
    size_t bytes;
    t->fits = t->fits && feed_forward_memory(f, s->isa->table(s->type), s->type,
                                             s->embedded.size[0], t->threads, &bytes);
    if (t->fits)
        t->largest = size_larger(t->largest, bytes);
}

/* Of rollout: a mean and the next product; the one so far is the stage, and stays. */
static bool add_attention(total *t, const attention *a, const keeper *keep, bool is_rolled, err *e)
{
    const stack *s = t->stack;
    attention_bytes of;
    size_t rows = s->embedded.size[0], mean;
    if (!attention_memory(a, keep, is_rolled, t->threads, &of, e))
        return false;
    t->fits = t->fits && size_add(t->kept, of.kept, &t->kept);
    t->largest = size_larger(t->largest, of.working);
    t->fits = t->fits && size_mul(rows * dtype_size(s->type), a->plan.n_k, &mean);
    if (is_rolled && t->fits)
        t->largest = size_larger(t->largest,
                                 2 * mean + multiply_memory(s->isa->table(s->type), s->rows,
                                                            a->plan.n_k, a->plan.n_k, t->threads));
    return true;
}

/* The stages stay, and so do caches, where the stack goes on. */
static bool add_kept_and_parts(total *t, const text_list *emit, err *e)
{
    const stack *s = t->stack;
    t->keep = keeper_of(emit);
    t->fits = true;
    bool rolls_out = stack_has_rollout(s) && keeper_wants(&t->keep, "rollout");
    if (!stack_each_stage(s, add_stage, t, e))
        return false;
    for (size_t i = 0; i < s->layers; i++) {
        keeper of_layer = keeper_of_layer(&t->keep, i);
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            const layer_part *p = &s->layer[i].part[j];
            keeper within = keeper_within(&of_layer, part_name(p->as->kind));
            if (p->as->kind == PART_FEED_FORWARD)
                add_feed_forward(t, p->feed_forward);
            else if (!add_attention(t, p->attention, &within,
                                    rolls_out && p->as->kind == PART_ATTENTION, e))
                return false;
        }
    }
    return true;
}

bool stack_memory(const stack *s, const text_list *emit, size_t threads, size_t *bytes, err *e)
{
    enum { ROWS_AT_ONCE = 5 }; /* that go from one part to the next */
    total t = {.stack = s, .threads = threads};
    if (!add_kept_and_parts(&t, emit, e))
        return false;
    if (s->has_end)
        add_feed_forward(&t, &s->end);
    add_kept(&t, ROWS_AT_ONCE * s->embedded.size[0], s->width);
    if (!t.fits || !size_add(t.kept, t.largest, bytes))
        *bytes = SIZE_MAX;
    return true;
}

bool stack_stages_memory(const stack *s, const text_list *emit, size_t *bytes, err *e)
{
    total t = {.stack = s, .threads = 1};
    bool done = add_kept_and_parts(&t, emit, e);
    *bytes = t.fits ? t.kept : SIZE_MAX;
    return done;
}

bool stack_cache_memory(const stack *s, size_t rows, size_t *bytes, err *e)
{
    *bytes = 0;
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            const layer_part *p = &s->layer[i].part[j];
            size_t one = 0;
            if (p->as->kind == PART_ATTENTION &&
                !attention_cache_memory(p->attention, rows, &one, e))
                return false;
            if (!size_add(*bytes, one, bytes))
                *bytes = SIZE_MAX;
        }
    }
    return true;
}

/* ---- work ---- */

double stack_operations(const stack *s)
{
    double rows = (double)s->embedded.size[0], width = (double)s->width, all = 0;
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            const layer_part *p = &s->layer[i].part[j];
            if (p->as->kind == PART_FEED_FORWARD) {
                all += 2 * rows * width * (double)p->feed_forward->hidden;
            } else {
                const plan *a = &p->attention->plan;
                all += 4 * rows * width * width +
                       2 * rows * (double)a->heads * (double)a->n_k * (double)a->v.width;
            }
        }
    }
    return all;
}
