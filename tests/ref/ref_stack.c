#include "ref/ref_stack.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const REF_STACK_MISTAKES[] = {
    "norm mean", "norm divisor", "norm eps", "rms mean", "gain",   "residual",  "pre",    "seed",
    "gelu",      "gate",         "memory",   "position", "causal", "w1 layout", "segment"};
const size_t REF_STACK_MISTAKE_COUNT = sizeof REF_STACK_MISTAKES / sizeof REF_STACK_MISTAKES[0];

/* b·n rows of one width. */
typedef struct rows {
    size_t n, width;
    long double *at;
} rows;

/* What goes through the layers. */
typedef struct flow {
    const ref_stack *stack;
    ref_stack_result *result;
    size_t batches; /* 0: no axis */
    size_t n;       /* rows of an entry */
    rows x;         /* what the next part is given */
    rows rollout;   /* of the layers so far; at NULL: there is none */
    bool has_rollout;
    char way[REF_STACK_NAME];
} flow;

static bool makes(const ref_stack *s, const char *mistake)
{
    return ref_word_is(s->mistake, mistake);
}

static const char *said(const char *own, const char *of_all, const char *else_this)
{
    return own != NULL ? own : of_all != NULL ? of_all : else_this;
}

static rows rows_new(size_t n, size_t width)
{
    return (rows){n, width, ref_alloc(n * width, sizeof(long double))};
}

static rows rows_copy(const rows *of)
{
    rows copy = rows_new(of->n, of->width);
    memcpy(copy.at, of->at, of->n * of->width * sizeof copy.at[0]);
    return copy;
}

/* ---- stages ---- */

static ref_stack_stage *stage_add(const flow *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static ref_stack_stage *stage_add(const flow *f, const char *format, ...)
{
    ref_stack_result *r = f->result;
    if (r->count == r->capacity) {
        ref_stack_stage *old = r->stage;
        r->capacity = 2 * r->capacity + 64;
        r->stage = ref_alloc(r->capacity, sizeof r->stage[0]);
        if (old != NULL)
            memcpy(r->stage, old, r->count * sizeof old[0]);
        free(old);
    }
    ref_stack_stage *stage = &r->stage[r->count++];
    size_t length = (size_t)snprintf(stage->name, sizeof stage->name, "%s", f->way);
    va_list args;
    va_start(args, format);
    vsnprintf(stage->name + length, sizeof stage->name - length, format, args);
    va_end(args);
    return stage;
}

static void keep(const flow *f, const char *name, const rows *of)
{
    ref_stack_stage *stage = stage_add(f, "%s", name);
    size_t size[] = {f->batches, f->n, of->width};
    stage->rank = f->batches > 0 ? 3 : 2;
    memcpy(stage->size, f->batches > 0 ? size : size + 1, (size_t)stage->rank * sizeof size[0]);
    stage->count = of->n * of->width;
    stage->at = rows_copy(of).at;
}

static void keep_stage(const flow *f, const char *part, const ref_stage *one)
{
    if (one->at == NULL || one->is_not_made)
        return;
    ref_stack_stage *stage = stage_add(f, "%s.%s", part, one->name);
    stage->rank = one->rank;
    memcpy(stage->size, one->size, sizeof one->size);
    stage->count = one->count;
    stage->at = ref_alloc(one->count, sizeof stage->at[0]);
    for (size_t i = 0; i < one->count; i++)
        stage->at[i] = one->at[i].value;
}

/* ---- norms ---- */

/* (x − mean) / √(variance + eps) · gain + bias; RMSNorm: x / √(mean of squares + eps) · gain. Ba,
 * Kiros and Hinton 2016; Zhang and Sennrich 2019. */
static void norm_row(const flow *f, const ref_norm *by, bool is_rms, size_t width, long double *x)
{
    bool has_mean = !is_rms || makes(f->stack, "rms mean");
    long double mean = 0, squares = 0, eps = by->has_eps ? by->eps : 1e-5;
    for (size_t i = 0; i < width && has_mean; i++)
        mean += x[i] / (long double)width;
    if (makes(f->stack, "norm mean"))
        mean = 0;
    for (size_t i = 0; i < width; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    long double count = (long double)width - (makes(f->stack, "norm divisor") ? 1 : 0);
    long double root =
        makes(f->stack, "norm eps") ? sqrtl(squares / count) + eps : sqrtl(squares / count + eps);
    for (size_t i = 0; i < width; i++) {
        x[i] = root == 0 ? 0 : (x[i] - mean) / root;
        if (by->gain != NULL)
            x[i] *= by->gain[makes(f->stack, "gain") ? 0 : i];
        if (by->bias != NULL)
            x[i] += by->bias[i];
    }
}

static void norm_rows(const flow *f, const ref_norm *by, bool is_rms, rows *x)
{
    for (size_t i = 0; i < x->n; i++)
        norm_row(f, by, is_rms, x->width, x->at + i * x->width);
}

static void norm_and_keep(const flow *f, const ref_layer *l, size_t number, rows *x)
{
    char name[] = {'l', 'n', (char)('0' + number), '\0'};
    norm_rows(f, &l->norm[number - 1],
              ref_word_is(said(l->norm_kind, f->stack->norm_kind, "layer"), "rms"), x);
    keep(f, name, x);
}

/* ---- feed-forward ---- */

/* x·W + b */
static rows projected(const rows *x, const ref_array *w, const ref_array *b, bool is_out_in)
{
    size_t columns = is_out_in ? w->size[0] : w->size[1];
    rows out = rows_new(x->n, columns);
    for (size_t i = 0; i < x->n; i++)
        for (size_t column = 0; column < columns; column++) {
            long double sum = b->at == NULL ? 0 : b->at[column];
            for (size_t row = 0; row < x->width; row++)
                sum += x->at[i * x->width + row] *
                       w->at[is_out_in ? column * x->width + row : row * columns + column];
            out.at[i * columns + column] = sum;
        }
    return out;
}

/* gelu: x·Φ(x), and its approximation by tanh (Hendrycks and Gimpel 2016, section 2). */
static long double activated(const ref_stack *s, const char *by, long double x)
{
    static const long double PI = 3.14159265358979323846264338327950288L;
    bool is_gelu = ref_word_is(by, "gelu") && !makes(s, "gelu");
    if (ref_word_is(by, "relu"))
        return x > 0 ? x : 0;
    if (ref_word_is(by, "silu"))
        return x / (1 + expl(-x));
    return is_gelu ? x / 2 * erfcl(-x / sqrtl(2))
                   : x / 2 * (1 + tanhl(sqrtl(2 / PI) * (x + 0.044715L * x * x * x)));
}

/* hidden = x·w1 + b1, activated = f(hidden) (⊙ x·w3), output = activated·w2 + b2 */
static void feed_forward(flow *f, const ref_feed_forward *by, const char *activation)
{
    static const ref_array NONE = {0};
    const ref_stack *s = f->stack;
    bool is_out_in = ref_word_is(s->layout, "out-in"), has_gate = by->w3.at != NULL;
    bool is_square = by->w1.size[0] == by->w1.size[1];
    rows hidden =
        projected(&f->x, &by->w1, &by->b1, is_out_in != (makes(s, "w1 layout") && is_square));
    keep(f, "ffn.hidden", &hidden);
    for (size_t i = 0; i < hidden.n * hidden.width; i++)
        hidden.at[i] = activated(s, activation, hidden.at[i]);
    if (has_gate) {
        rows gate = projected(&f->x, &by->w3, &NONE, is_out_in);
        keep(f, "ffn.gate", &gate);
        for (size_t i = 0; i < hidden.n * hidden.width && !makes(s, "gate"); i++)
            hidden.at[i] *= gate.at[i];
        free(gate.at);
    }
    keep(f, "ffn.activated", &hidden);
    rows out = projected(&hidden, &by->w2, &by->b2, is_out_in);
    keep(f, "ffn.output", &out);
    free(hidden.at);
    free(f->x.at);
    f->x = out;
}

/* ---- attention ---- */

static void set_rows(const flow *f, ref_array *to)
{
    size_t size[] = {f->batches, f->n, f->x.width};
    *to = (ref_array){.rank = f->batches > 0 ? 3 : 2,
                      .at = ref_alloc(f->x.n * f->x.width, sizeof to->at[0])};
    memcpy(to->size, f->batches > 0 ? size : size + 1, (size_t)to->rank * sizeof size[0]);
    for (size_t i = 0; i < f->x.n * f->x.width; i++)
        to->at[i] = (double)f->x.at[i];
}

/* What the stack says for all layers, unless the layer says something else. */
static void set_settings(const ref_stack *s, ref_problem *p, bool is_cross)
{
    p->is_float32 = s->is_float32;
    p->layout = s->layout;
    p->heads = p->heads > 0 ? p->heads : s->heads;
    p->round_decimals = -1;
    if (is_cross)
        return;
    p->has_offset = s->offset > 0;
    p->offset = s->offset;
    p->causal = said(p->causal, s->causal, s->is_decoder ? "true" : NULL);
    p->mistake = makes(s, "causal") ? "causal" : NULL;
}

static void compute_statistics(const ref_problem *p, ref_result *r)
{
    double *found = ref_found_weights(r);
    ref_compute_statistics(p, found, r);
    free(found);
}

/* The weights' mean over the heads, one matrix below the other. */
static rows mean_weights(const flow *f, const ref_stage *weights)
{
    size_t keys = weights->size[weights->rank - 1], matrix = f->n * keys;
    size_t entries = f->x.n / f->n, heads = weights->count / (entries * matrix);
    rows mean = rows_new(f->x.n, keys);
    for (size_t i = 0; i < entries * matrix; i++) {
        mean.at[i] = 0;
        for (size_t head = 0; head < heads; head++)
            mean.at[i] +=
                weights->at[(i / matrix * heads + head) * matrix + i % matrix].value / heads;
    }
    return mean;
}

/* Abnar and Zuidema 2020, section 3: the next factor, half the weights and half the residual, goes
 * in front. */
static void roll_out(flow *f, const rows *mean)
{
    f->has_rollout = f->has_rollout && mean->width == f->n;
    if (!f->has_rollout)
        return;
    rows product = rows_new(mean->n, f->n);
    for (size_t i = 0; i < mean->n * f->n; i++) {
        size_t row = i / f->n, column = i % f->n, first = row / f->n * f->n;
        product.at[i] = 0;
        for (size_t k = 0; k < f->n; k++) {
            long double a = mean->at[row * f->n + k] / 2 + (k == row % f->n ? 0.5L : 0);
            bool is_first = f->rollout.at == NULL;
            product.at[i] +=
                a * (is_first ? k == column : f->rollout.at[(first + k) * f->n + column]);
        }
    }
    free(f->rollout.at);
    f->rollout = product;
}

static void keep_mean(flow *f, const char *part, const ref_stage *weights)
{
    char name[32];
    rows mean = mean_weights(f, weights);
    snprintf(name, sizeof name, "%s.mean_weights", part);
    keep(f, name, &mean);
    if (strcmp(part, "attention") == 0)
        roll_out(f, &mean);
    free(mean.at);
}

static void attend(flow *f, const ref_problem *as, const char *part)
{
    bool is_cross = strcmp(part, "cross") == 0;
    ref_problem p = *as;
    ref_result r;
    set_settings(f->stack, &p, is_cross);
    set_rows(f, &p.in[REF_X]);
    if (is_cross && !(makes(f->stack, "memory") && f->stack->memory.size[1] == f->x.width))
        p.in[REF_XK] = f->stack->memory;
    ref_compute_weights(&p, &r);
    compute_statistics(&p, &r);
    ref_compute_output(&p, &r);
    for (size_t id = 0; id < REF_STAGES; id++)
        keep_stage(f, part, &r.stage[id]);
    keep_mean(f, part, &r.stage[REF_STAGE_WEIGHTS]);
    const ref_stage *output = &r.stage[REF_STAGE_OUTPUT];
    for (size_t i = 0; i < output->count; i++)
        f->x.at[i] = output->at[i].value;
    free(p.in[REF_X].at);
    ref_result_free(&r);
}

/* ---- layers ---- */

static void run_part(flow *f, const ref_layer *l, const char *part)
{
    if (strcmp(part, "ffn") == 0)
        feed_forward(f, &l->feed_forward, said(l->activation, f->stack->activation, "relu"));
    else
        attend(f, strcmp(part, "cross") == 0 ? &l->cross : &l->attention, part);
}

/* x + part(…), under its name */
static void add_and_keep(flow *f, const char *part, rows *to)
{
    char name[32];
    snprintf(name, sizeof name, "%s_sum", part);
    for (size_t i = 0; i < to->n * to->width && !makes(f->stack, "residual"); i++)
        f->x.at[i] += to->at[i];
    keep(f, name, &f->x);
    free(to->at);
}

/* post: norm(x + part(x)); pre: x + part(norm(x)) */
static void run_usual_part(flow *f, const ref_layer *l, const char *part, size_t number,
                           bool is_pre)
{
    rows given = rows_copy(&f->x);
    if (is_pre)
        norm_and_keep(f, l, number, &f->x);
    if (is_pre && makes(f->stack, "pre"))
        memcpy(given.at, f->x.at, given.n * given.width * sizeof given.at[0]);
    run_part(f, l, part);
    add_and_keep(f, part, &given);
    if (!is_pre)
        norm_and_keep(f, l, number, &f->x);
}

/* Seed 003: LayerNorm(x + MultiHead(LayerNorm(x))), and with a memory LayerNorm(x +
 * MultiHead(LayerNorm(MaskedSelfAttention(x)))). */
static void run_seed_layer(flow *f, const ref_layer *l)
{
    rows given = rows_copy(&f->x);
    if (l->has_cross)
        run_part(f, l, "attention");
    f->has_rollout = f->has_rollout && !l->has_cross; /* without a residual there is no I */
    if (l->has_cross && makes(f->stack, "seed"))
        memcpy(given.at, f->x.at, given.n * given.width * sizeof given.at[0]);
    norm_and_keep(f, l, 1, &f->x);
    run_part(f, l, l->has_cross ? "cross" : "attention");
    add_and_keep(f, l->has_cross ? "cross" : "attention", &given);
    norm_and_keep(f, l, 2, &f->x);
}

static void run_layer(flow *f, const ref_layer *l)
{
    const char *order = said(l->order, f->stack->order, "post");
    bool is_pre = strcmp(order, "pre") == 0;
    size_t number = 1;
    if (strcmp(order, "seed") == 0) {
        run_seed_layer(f, l);
    } else {
        run_usual_part(f, l, "attention", number++, is_pre);
        if (l->has_cross)
            run_usual_part(f, l, "cross", number++, is_pre);
        if (l->feed_forward.w1.at != NULL)
            run_usual_part(f, l, "ffn", number, is_pre);
    }
    keep(f, "output", &f->x);
}

/* ---- the stack ---- */

/* PE(pos, 2i) = sin(pos / 10000^(2i/m)), PE(pos, 2i + 1) = cos of the same: Vaswani et al. 2017,
 * section 3.5. */
static long double wave(size_t position, size_t column, size_t width)
{
    long double power = (long double)(column - column % 2) / (long double)width;
    long double angle = (long double)position / powl(10000, power);
    return column % 2 == 0 ? sinl(angle) : cosl(angle);
}

static size_t segment_of(const ref_stack *s, size_t row)
{
    return s->segments == NULL || makes(s, "segment") ? 0 : s->segments[row];
}

static void embed(flow *f)
{
    const ref_stack *s = f->stack;
    const ref_array *x = &s->x;
    size_t m = x->size[x->rank - 1];
    f->batches = x->rank == 3 ? x->size[0] : 0;
    f->n = x->size[x->rank - 2];
    f->x = rows_new(ref_count_of(x) / m, m);
    for (size_t i = 0; i < f->x.n; i++)
        for (size_t column = 0; column < m; column++) {
            size_t position = s->offset + i % f->n;
            long double sum = x->at[i * m + column];
            if (makes(s, "position"))
                position = s->offset;
            if (s->segment_rows.at != NULL)
                sum += s->segment_rows.at[segment_of(s, i % f->n) * m + column];
            if (s->positions.at != NULL)
                sum += s->positions.at[position * m + column];
            f->x.at[i * m + column] = sum + (s->adds_sinusoids ? wave(position, column, m) : 0);
        }
    keep(f, "embedded", &f->x);
}

void ref_stack_compute(const ref_stack *s, ref_stack_result *r)
{
    flow f = {.stack = s, .result = r, .has_rollout = true};
    *r = (ref_stack_result){0};
    embed(&f);
    if (s->first.is_there) {
        norm_rows(&f, &s->first, ref_word_is(s->norm_kind, "rms"), &f.x);
        keep(&f, "ln_e", &f.x);
    }
    for (size_t i = 0; i < s->layers; i++) {
        snprintf(f.way, sizeof f.way, "layer.%zu.", i);
        run_layer(&f, &s->layer[i]);
    }
    f.way[0] = '\0';
    if (f.has_rollout)
        keep(&f, "rollout", &f.rollout);
    free(f.rollout.at);
    if (s->end.w1.at != NULL)
        feed_forward(&f, &s->end, said(s->activation, NULL, "relu"));
    if (s->final.is_there) {
        norm_rows(&f, &s->final, ref_word_is(s->norm_kind, "rms"), &f.x);
        keep(&f, "ln_f", &f.x);
    }
    keep(&f, "output", &f.x);
    free(f.x.at);
}

void ref_stack_result_free(ref_stack_result *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->stage[i].at);
    free(r->stage);
    *r = (ref_stack_result){0};
}
