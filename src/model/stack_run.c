#include "attn/engine/multiply.h"
#include "model/rows.h"
#include "model/stack.h"

#include <stdio.h>

/* ---- attention rollout (Abnar and Zuidema, Quantifying attention flow in transformers, 2020,
 * section 3): how much of each row that goes out of the layers comes from each row that goes in,
 *
 *     rollout = A_L · … · A_1,  A = ½·W + ½·I,
 *
 * where W is a self-attention's mean over its heads, and I stands for the residual ---- */

static bool multiply_entries(const tensor *a, const tensor *b, tensor *c, const kernels *with,
                             crew *by, err *e)
{
    size_t n = a->size[1];
    for (size_t first = 0; first < a->size[0]; first += n) {
        tensor of_a = tensor_range(a, 0, first, n), of_b = tensor_range(b, 0, first, n),
               of_c = tensor_range(c, 0, first, n);
        if (!multiply(with, &of_a, &of_b, NULL, &of_c, by, e))
            return false;
    }
    return true;
}

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
    bool done = tensor_new(&product, w->type, 2, w->size, e) &&
                multiply_entries(w, rollout, &product, with, by, e);
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

static bool run_kind(flow *f, const layer_part *p, const tensor *taken, const keeper *keep,
                     tensor *made, err *e)
{
    keeper within = keeper_within(keep, part_name(p->as->kind));
    if (p->as->kind != PART_FEED_FORWARD) {
        bool is_rolled = f->rolls_out && p->as->kind == PART_ATTENTION;
        tensor mean;
        return attention_run(p->attention, &within, f->by, made, is_rolled ? &mean : NULL,
                             f->report, e) &&
               (!is_rolled || rollout_add(&f->rollout, &mean, f->with, f->by, e));
    }
    return tensor_new(made, f->rows.type, 2, f->rows.size, e) &&
           feed_forward_run(p->feed_forward, f->with, taken, made, &within, f->by, e);
}

/* What the part reads: an attention reads f->input. NULL after a failure. */
static const tensor *taken_by(flow *f, const layer *l, const layer_part *p, const keeper *keep,
                              err *e)
{
    const tensor *given = p->as->is_beside ? &f->layer : &f->rows;
    if (p->as->ln_before > 0)
        return norm_into(f, keep, l->norm, p->as->ln_before, given, &f->input, e) ? &f->input
                                                                                  : NULL;
    if (p->as->kind == PART_FEED_FORWARD)
        return given;
    tensor_copy(given, &f->input);
    return &f->input;
}

/* rows = the part of rows, with its norms and its residual */
static bool run_part(flow *f, const layer *l, const layer_part *p, const keeper *keep, err *e)
{
    tensor made = {0};
    const tensor *taken = taken_by(f, l, p, keep, e);
    bool done = taken != NULL && run_kind(f, p, taken, keep, &made, e);
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

static bool goes_back(const layer *l)
{
    bool does = false;
    for (size_t i = 0; i < l->parts; i++)
        does = does || l->part[i].as->is_beside || l->part[i].as->adds == RESIDUAL_LAYER;
    return does;
}

static bool run_layer(flow *f, const layer *l, const keeper *keep, err *e)
{
    if (goes_back(l))
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

static bool run_layers(flow *f, const keeper *keep, err *e)
{
    for (size_t i = 0; i < f->stack->layers; i++) {
        keeper within = keeper_of_layer(keep, i);
        if (!run_layer(f, &f->stack->layer[i], &within, e))
            return false;
    }
    return !f->rolls_out || keeper_keep(keep, "rollout", &f->rollout, "qk", e);
}

static bool run_norm(flow *f, const norm *by, const char *name, const keeper *keep, err *e)
{
    return norm_checked(f, by, &f->rows, &f->rows, e) && keeper_keep(keep, name, &f->rows, "qm", e);
}

static bool run_begin(flow *f, const keeper *keep, err *e)
{
    const stack *s = f->stack;
    tensor_copy(&s->embedded, &f->rows);
    return keeper_keep(keep, "embedded", &f->rows, "qm", e) &&
           (!s->has_first || run_norm(f, &s->first, "ln_e", keep, e));
}

static bool run_end(flow *f, const keeper *keep, err *e)
{
    const stack *s = f->stack;
    if (s->has_end) {
        keeper within = keeper_within(keep, "ffn");
        tensor_copy(&f->rows, &f->input);
        if (!feed_forward_run(&s->end, f->with, &f->input, &f->rows, &within, f->by, e))
            return false;
    }
    if (s->has_final && !run_norm(f, &s->final, "ln_f", keep, e))
        return false;
    return keeper_keep(keep, "output", &f->rows, "qm", e);
}

/* The rows of all entries of a batch are one below another. */
static bool check_range(const flow *f, err *e)
{
    size_t index[TENSOR_MAX_RANK], rows = f->stack->rows;
    char batch[32] = "";
    if (f->stack->how.allow_nonfinite || tensor_is_finite(&f->rows, index))
        return true;
    if (f->stack->batches > 0)
        snprintf(batch, sizeof batch, "batch %zu, ", index[0] / rows + 1);
    err_set(e, "output[%srow %zu, column %zu] is beyond the range of %s", batch,
            index[0] % rows + 1, index[1] + 1, dtype_name(f->rows.type));
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
    done = done && run_begin(&f, &keep, e) && run_layers(&f, &keep, e) && run_end(&f, &keep, e) &&
           check_range(&f, e);
    tensor_free(&f.rows);
    tensor_free(&f.layer);
    tensor_free(&f.rollout);
    float_mode_restore(&mode);
    return done;
}
