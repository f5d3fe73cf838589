#include "ref/ref_flow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *said(const char *own, const char *of_all, const char *else_this)
{
    return own != NULL ? own : of_all != NULL ? of_all : else_this;
}

/* ---- norms ---- */

/* (x − mean) / √(variance + eps) · gain + bias; RMSNorm: x / √(mean of squares + eps) · gain. Ba,
 * Kiros and Hinton 2016; Zhang and Sennrich 2019. */
static void norm_row(const flow *f, const ref_norm *by, bool is_rms, size_t width, long double *x)
{
    bool has_mean = !is_rms || flow_makes(f, "rms mean");
    long double mean = 0, squares = 0, eps = by->has_eps ? by->eps : 1e-5;
    for (size_t i = 0; i < width && has_mean; i++)
        mean += x[i] / (long double)width;
    if (flow_makes(f, "norm mean"))
        mean = 0;
    for (size_t i = 0; i < width; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    bool is_deviation = flow_makes(f, "norm deviation");
    long double count =
        (long double)width - (is_deviation || flow_makes(f, "norm divisor") ? 1 : 0);
    long double root = is_deviation || flow_makes(f, "norm eps") ? sqrtl(squares / count) + eps
                                                                 : sqrtl(squares / count + eps);
    for (size_t i = 0; i < width; i++) {
        x[i] = root == 0 ? 0 : (x[i] - mean) / root;
        if (by->gain != NULL)
            x[i] *= by->gain[flow_makes(f, "gain") ? 0 : i] + (flow_makes(f, "gain one") ? 1 : 0) -
                    (flow_makes(f, "gain less one") ? 1 : 0);
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
    size_t used = flow_makes(f, "ln1") ? 1 : number;
    if (flow_makes(f, "no ln") || flow_makes_of(f, "no ", name, ""))
        return;
    norm_rows(f, &l->norm[used - 1],
              ref_word_is(said(l->norm_kind, f->stack->norm_kind, "layer"), "rms"), x);
    flow_keep(f, name, x);
}

/* ---- feed-forward ---- */

rows flow_product(const rows *x, const ref_array *w, const ref_array *b, bool is_out_in)
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
static long double activated(const flow *f, const char *by, long double x)
{
    static const long double PI = 3.14159265358979323846264338327950288L;
    bool is_gelu = ref_word_is(by, "gelu") && !flow_makes(f, "gelu");
    if (flow_makes(f, "no activation"))
        return x;
    if (ref_word_is(by, "relu"))
        return x > 0 ? x : 0;
    if (ref_word_is(by, "relu2"))
        return x > 0 ? x * x : 0;
    if (ref_word_is(by, "silu"))
        return x / (1 + expl(-x));
    return is_gelu ? x / 2 * erfcl(-x / sqrtl(2))
                   : x / 2 * (1 + tanhl(sqrtl(2 / PI) * (x + 0.044715L * x * x * x)));
}

/* hidden = x·w1 + b1, activated = f(hidden) (⊙ (x·w3 + b3)), output = activated·w2 + b2 */
rows flow_through(flow *f, const ref_feed_forward *by, const char *activation, const rows *x,
                  bool keeps)
{
    const ref_stack *s = f->stack;
    bool is_out_in = ref_word_is(s->layout, "out-in"),
         has_gate = by->w3.at != NULL && !flow_makes(f, "gate");
    bool is_square = by->w1.size[0] == by->w1.size[1];
    rows hidden =
        flow_product(x, &by->w1, &by->b1, is_out_in != (flow_makes(f, "w1 layout") && is_square));
    if (keeps)
        flow_keep(f, "ffn.hidden", &hidden);
    for (size_t i = 0; i < hidden.n * hidden.width; i++)
        hidden.at[i] = activated(f, activation, hidden.at[i]);
    if (has_gate) {
        rows gate = flow_product(x, &by->w3, &by->b3, is_out_in);
        if (keeps)
            flow_keep(f, "ffn.gate", &gate);
        for (size_t i = 0; i < hidden.n * hidden.width; i++)
            hidden.at[i] *= gate.at[i];
        free(gate.at);
    }
    if (keeps)
        flow_keep(f, "ffn.activated", &hidden);
    rows out = flow_product(&hidden, &by->w2, &by->b2, is_out_in);
    free(hidden.at);
    return out;
}

static void feed_forward(flow *f, const ref_feed_forward *by, const char *activation)
{
    rows out = flow_through(f, by, activation, &f->x, true);
    flow_keep(f, "ffn.output", &out);
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

/* What cross-attention does not say, and its layer says for both. */
static void set_settings_of_layer(ref_problem *p, const ref_problem *layer)
{
    p->heads = p->heads > 0 ? p->heads : layer->heads;
    p->kv_heads = p->kv_heads > 0 ? p->kv_heads : layer->kv_heads;
    p->softcap = p->softcap > 0 ? p->softcap : layer->softcap;
    p->norms_all = p->norms_all || (!p->normalizes && layer->norms_all);
    p->normalizes = p->normalizes || layer->normalizes;
}

/* What the stack says for all layers, unless the layer says something else. */
static void set_settings(const flow *f, ref_problem *p, bool is_cross)
{
    const ref_stack *s = f->stack;
    p->is_float32 = s->is_float32;
    p->layout = s->layout;
    p->heads = p->heads > 0 ? p->heads : s->heads;
    p->round_decimals = -1;
    if (is_cross)
        return;
    p->has_offset = s->offset > 0;
    p->offset = s->offset;
    p->causal = said(p->causal, s->causal, s->is_decoder ? "true" : NULL);
    p->mistake = flow_makes(f, "causal") ? "causal" : NULL;
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
    flow_keep(f, name, &mean);
    if (strcmp(part, "attention") == 0)
        roll_out(f, &mean);
    free(mean.at);
}

static void compute_attention(const flow *f, const ref_problem *p, bool is_cross, ref_result *r)
{
    const ref_stack *s = f->stack;
    if (s->attend != NULL && s->attend(s->context, p, f->layer, is_cross, r))
        return;
    ref_compute_weights(p, r);
    compute_statistics(p, r);
    ref_compute_output(p, r);
}

/* Where row i of the rows of all entries lies when entries are taken for rows, and rows for
 * entries. */
static size_t turned(const flow *f, size_t i)
{
    size_t batches = f->batches > 0 ? f->batches : 1;
    return i % f->n * batches + i / f->n;
}

/* Self-attention with that mistake. */
static void attend_turned(flow *f, ref_problem *p)
{
    size_t width = f->x.width, size[] = {f->n, f->batches > 0 ? f->batches : 1, width};
    double *x = ref_alloc(f->x.n * width, sizeof x[0]);
    ref_result r;
    p->in[REF_X] = (ref_array){.rank = 3, .size = {size[0], size[1], size[2]}, .at = x};
    for (size_t i = 0; i < f->x.n * width; i++)
        x[turned(f, i / width) * width + i % width] = (double)f->x.at[i];
    ref_compute_weights(p, &r);
    ref_compute_output(p, &r);
    for (size_t i = 0; i < f->x.n * width; i++)
        f->x.at[i] = r.stage[REF_STAGE_OUTPUT].at[turned(f, i / width) * width + i % width].value;
    free(x);
    ref_result_free(&r);
}

static void attend(flow *f, const ref_layer *l, const char *part)
{
    bool is_cross = strcmp(part, "cross") == 0;
    ref_problem p = is_cross ? l->cross : l->attention;
    ref_result r;
    for (ref_input i = REF_WQ; i <= REF_BO && is_cross && flow_makes(f, "cross weights"); i++)
        p.in[i] = l->attention.in[i];
    if (is_cross)
        set_settings_of_layer(&p, &l->attention);
    set_settings(f, &p, is_cross);
    if (!is_cross && flow_makes(f, "batch first")) {
        attend_turned(f, &p);
        return;
    }
    const ref_array *memory = &f->stack->memory;
    set_rows(f, &p.in[REF_X]);
    if (is_cross && !(flow_makes(f, "memory") && memory->size[memory->rank - 1] == f->x.width))
        p.in[REF_XK] = *memory;
    compute_attention(f, &p, is_cross, &r);
    for (size_t id = 0; id < REF_STAGES; id++)
        flow_keep_stage(f, part, &r.stage[id]);
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
    if (strcmp(part, "ffn") == 0 && l->experts.count > 0)
        flow_mix(f, l, said(l->activation, f->stack->activation, "relu"));
    else if (strcmp(part, "ffn") == 0)
        feed_forward(f, &l->feed_forward, said(l->activation, f->stack->activation, "relu"));
    else
        attend(f, l, part);
}

/* x + part(…), under its name */
static void add_and_keep(flow *f, const char *part, rows *to)
{
    char name[32];
    snprintf(name, sizeof name, "%s_sum", part);
    bool is_sum = !flow_makes(f, "residual") && !flow_makes_of(f, "", part, " residual");
    for (size_t i = 0; i < to->n * to->width; i++)
        f->x.at[i] = f->x.at[i] * flow_residual_scale(f) + (is_sum ? to->at[i] : 0);
    flow_keep(f, name, &f->x);
    free(to->at);
}

/* post: norm(x + part(x)); pre: x + part(norm(x)) */
static void run_usual_part(flow *f, const ref_layer *l, const char *part, size_t number,
                           bool is_pre)
{
    bool is_both = flow_makes(f, "norm both");
    if (flow_makes_of(f, "no ", part, ""))
        return;
    rows given = rows_copy(flow_makes(f, "layer residual") ? &f->given : &f->x);
    if (flow_makes(f, "parallel") && strcmp(part, "ffn") == 0)
        memcpy(f->x.at, f->given.at, f->x.n * f->x.width * sizeof f->x.at[0]);
    if (is_pre || is_both)
        norm_and_keep(f, l, number, &f->x);
    if (is_pre && flow_makes(f, "pre"))
        memcpy(given.at, f->x.at, given.n * given.width * sizeof given.at[0]);
    run_part(f, l, part);
    add_and_keep(f, part, &given);
    if (!is_pre || is_both)
        norm_and_keep(f, l, number, &f->x);
}

/* Seed 003: LayerNorm(x + MultiHead(LayerNorm(x))), and with a memory LayerNorm(x +
 * MultiHead(LayerNorm(MaskedSelfAttention(x)))). */
static void run_seed_layer(flow *f, const ref_layer *l)
{
    const char *main = l->has_cross ? "cross" : "attention";
    if (l->has_cross && !flow_makes(f, "no attention"))
        run_part(f, l, "attention");
    f->has_rollout = f->has_rollout && !l->has_cross; /* without a residual there is no I */
    if (flow_makes_of(f, "no ", main, ""))
        return;
    rows given = rows_copy(l->has_cross && flow_makes(f, "seed") ? &f->x : &f->given);
    norm_and_keep(f, l, 1, &f->x);
    if (!l->has_cross && flow_makes(f, "pre"))
        memcpy(given.at, f->x.at, given.n * given.width * sizeof given.at[0]);
    run_part(f, l, main);
    add_and_keep(f, main, &given);
    norm_and_keep(f, l, 2, &f->x);
}

/* x + attention(ln1(x)) + ffn(ln1(x)), or apart ffn(ln2(x)): Wang and Komatsuzaki 2021; Black et
 * al. 2022, section 2.1. */
static void run_parallel_layer(flow *f, const ref_layer *l, bool is_apart)
{
    rows before = rows_copy(&f->given), sum, normed;
    norm_and_keep(f, l, 1, &f->x);
    normed = rows_copy(&f->x);
    run_part(f, l, "attention");
    add_and_keep(f, "attention", &before);
    if (l->feed_forward.w1.at == NULL) {
        free(normed.at);
        return;
    }
    sum = f->x;
    f->x = is_apart ? rows_copy(&f->given) : rows_copy(&normed);
    free(normed.at);
    if (is_apart)
        norm_and_keep(f, l, 2, &f->x);
    run_part(f, l, "ffn");
    add_and_keep(f, "ffn", &sum);
}

/* x + norm(part(norm(x))), or without the inner one x + norm(part(x)): Gemma team 2024, section 2;
 * OLMo team 2025, section 2.1. `number` is of its first norm. */
static void run_made_part(flow *f, const ref_layer *l, const char *part, size_t number,
                          bool is_sandwich)
{
    rows before = rows_copy(&f->x);
    if (is_sandwich)
        norm_and_keep(f, l, number++, &f->x);
    run_part(f, l, part);
    norm_and_keep(f, l, number, &f->x);
    add_and_keep(f, part, &before);
}

static void run_made_layer(flow *f, const ref_layer *l, bool is_sandwich)
{
    run_made_part(f, l, "attention", 1, is_sandwich);
    if (l->feed_forward.w1.at != NULL)
        run_made_part(f, l, "ffn", is_sandwich ? 3 : 2, is_sandwich);
}

static void lose_digits(flow *f)
{
    const ref_stack *s = f->stack;
    bool is_meant = s->mistake_in == 0 || s->mistake_in == f->layer;
    for (size_t i = 0; s->keep != NULL && is_meant && !s->keeps_results && i < f->x.n * f->x.width;
         i++)
        f->x.at[i] = s->keep((double)f->x.at[i], s->keep_as);
}

static void run_layer(flow *f, const ref_layer *l)
{
    const char *order = said(l->order, f->stack->order, "post");
    bool is_pre = strcmp(order, "pre") == 0;
    size_t number = 1;
    f->given = rows_copy(&f->x);
    if (strcmp(order, "seed") == 0 && !flow_makes(f, "no layer")) {
        run_seed_layer(f, l);
    } else if (strncmp(order, "parallel", strlen("parallel")) == 0) {
        run_parallel_layer(f, l, strcmp(order, "parallel-apart") == 0);
    } else if (strcmp(order, "sandwich") == 0 || strcmp(order, "inner") == 0) {
        run_made_layer(f, l, strcmp(order, "sandwich") == 0);
    } else if (strcmp(order, "pre-ffn") == 0) { /* Warner et al. 2024, section 2.1 */
        rows before = rows_copy(&f->x);
        run_part(f, l, "attention");
        add_and_keep(f, "attention", &before);
        if (l->feed_forward.w1.at != NULL)
            run_usual_part(f, l, "ffn", 2, true);
    } else if (!flow_makes(f, "no layer")) {
        run_usual_part(f, l, "attention", number++, is_pre);
        if (l->has_cross)
            run_usual_part(f, l, "cross", number++, is_pre);
        if (l->feed_forward.w1.at != NULL)
            run_usual_part(f, l, "ffn", number, is_pre);
    }
    free(f->given.at);
    lose_digits(f);
    flow_keep(f, "output", &f->x);
}

/* ---- the stack ---- */

static void keep_results(const ref_stack *s, ref_stack_result *r)
{
    for (size_t i = 0; i < r->count; i++) {
        for (size_t j = 0; j < r->stage[i].count; j++)
            r->stage[i].at[j] = s->keep((double)r->stage[i].at[j], s->keep_as);
    }
}

size_t ref_stack_depth(const ref_stack *s)
{
    return s->times > 1 ? s->times * s->layers : s->layers;
}

const ref_layer *ref_stack_layer(const ref_stack *s, size_t number)
{
    return &s->layer[number % s->layers];
}

void ref_stack_compute(const ref_stack *s, ref_stack_result *r)
{
    flow f = {.stack = s, .result = r, .has_rollout = true};
    *r = (ref_stack_result){0};
    flow_embed(&f);
    if (s->first.is_there) {
        norm_rows(&f, &s->first, ref_word_is(s->norm_kind, "rms"), &f.x);
        flow_keep(&f, "ln_e", &f.x);
    }
    for (size_t i = 0; i < ref_stack_depth(s); i++) {
        snprintf(f.way, sizeof f.way, "layer.%zu.", i);
        f.layer = i + 1;
        run_layer(&f, ref_stack_layer(s, flow_makes(&f, "first layer")  ? 0
                                         : flow_makes(&f, "last layer") ? s->layers - 1
                                                                        : i));
    }
    f.layer = 0;
    f.way[0] = '\0';
    if (f.has_rollout && f.rollout.at != NULL)
        flow_keep(&f, "rollout", &f.rollout);
    free(f.rollout.at);
    if (s->end.w1.at != NULL && !flow_makes(&f, "no ffn"))
        feed_forward(&f, &s->end, said(s->activation, NULL, "relu"));
    if (s->final.is_there) {
        norm_rows(&f, &s->final, ref_word_is(s->norm_kind, "rms"), &f.x);
        flow_keep(&f, "ln_f", &f.x);
    }
    flow_keep(&f, "output", &f.x);
    free(f.x.at);
    if (s->keeps_results)
        keep_results(s, r);
}

void ref_stack_result_free(ref_stack_result *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->stage[i].at);
    free(r->stage);
    *r = (ref_stack_result){0};
}
