#include "ref/ref_stack_back.h"

#include "ref/ref_flow.h"
#include "ref/ref_parameters.h"
#include "ref/ref_backward.h"
#include "ref/ref_parts.h"
#include "ref/ref_random.h"
#include "ref/ref_select.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what it begins with ---- */

static void fill(const ref_stack *s, dice *d, ref_array *a, int rank, const size_t *size)
{
    *a = (ref_array){.rank = rank};
    memcpy(a->size, size, (size_t)rank * sizeof size[0]);
    a->at = ref_alloc(ref_count_of(a), sizeof a->at[0]);
    for (size_t i = 0; i < ref_count_of(a); i++) {
        double number = 2 * dice_fraction(d) - 1;
        a->at[i] = s->is_float32 ? (double)(float)number : number;
    }
}

static double *vector(const ref_stack *s, dice *d, size_t width)
{
    ref_array made;
    fill(s, d, &made, 1, &width);
    return made.at;
}

/* To so many numbers a row. */
static void random_head(ref_stack *s, dice *d, size_t width)
{
    static const char *const ACTIVATIONS[] = {NULL, "gelu", "gelu_tanh", "silu"};
    size_t m = s->x.size[s->x.rank - 1];
    const size_t size[] = {m, width}, turned[] = {width, m};
    ref_head *h = &s->head;
    fill(s, d, &h->w, 2, ref_word_is(s->layout, "out-in") ? turned : size);
    if (dice_chance(d, 0.7))
        fill(s, d, &h->b, 1, &width);
    h->activation = ACTIVATIONS[dice_below(d, sizeof ACTIVATIONS / sizeof ACTIVATIONS[0])];
    h->norm.is_there = dice_chance(d, 0.8);
    if (h->norm.is_there && dice_chance(d, 0.7))
        h->norm.gain = vector(s, d, width);
    if (h->norm.is_there && !ref_word_is(s->norm_kind, "rms") && dice_chance(d, 0.5))
        h->norm.bias = vector(s, d, width);
}

void ref_random_goal(ref_stack *s, dice *d)
{
    static const char *const LOSSES[] = {NULL,     "sum",           "mean",
                                         "square", "cross-entropy", "cross-entropy"};
    size_t width = s->x.size[s->x.rank - 1], ids = 5;
    s->loss = LOSSES[dice_below(d, sizeof LOSSES / sizeof LOSSES[0])];
    if (s->loss == NULL)
        fill(s, d, &s->output_grad, s->x.rank, s->x.size);
    if (ref_word_is(s->loss, "square"))
        fill(s, d, &s->target, s->x.rank, s->x.size);
    if (!ref_word_is(s->loss, "cross-entropy"))
        return;
    bool has_head = dice_chance(d, 0.4), is_tied = s->ids != NULL && dice_chance(d, 0.5);
    if (has_head && !is_tied)
        width += dice_below(d, 3);
    if (has_head)
        random_head(s, d, width);
    if (is_tied) {
        ids = s->embedding.size[0];
    } else {
        const size_t size[] = {width, ids}, turned[] = {ids, width};
        fill(s, d, &s->unembedding, 2, ref_word_is(s->layout, "out-in") ? turned : size);
    }
    if (dice_chance(d, 0.5))
        fill(s, d, &s->unembedding_bias, 1, &ids);
    s->logits_scale = dice_chance(d, 0.3) ? 0.5 : 0;
    s->logits_softcap = dice_chance(d, 0.3) ? 1.5 : 0;
    fill(s, d, &s->labels, s->x.rank - 1, s->x.size);
    for (size_t i = 0; i < ref_count_of(&s->labels); i++)
        s->labels.at[i] =
            i > 0 && dice_chance(d, 0.3) ? REF_NOT_COUNTED : (double)dice_below(d, ids);
}

void ref_goal_free(ref_stack *s)
{
    ref_array *all[] = {&s->output_grad,      &s->target, &s->labels, &s->unembedding,
                        &s->unembedding_bias, &s->head.w, &s->head.b};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]->at);
        *all[i] = (ref_array){0};
    }
    free(s->head.norm.gain);
    free(s->head.norm.bias);
    s->head = (ref_head){0};
}

/* ---- logits ---- */

static size_t ids_of(const ref_stack *s)
{
    if (s->unembedding.at == NULL)
        return s->embedding.size[0];
    return s->unembedding.size[ref_word_is(s->layout, "out-in") ? 0 : 1];
}

/* How wide the rows are that logits are made of. */
static size_t width_of_taken(const ref_stack *s)
{
    return s->head.w.at == NULL ? s->x.size[s->x.rank - 1]
                                : s->head.w.size[ref_word_is(s->layout, "out-in") ? 0 : 1];
}

/* Where W[row][id] stands: in the unembedding, or in the embedding that logits are tied to. */
static size_t place_of(const ref_stack *s, size_t row, size_t id)
{
    bool is_by_id = s->unembedding.at == NULL || ref_word_is(s->layout, "out-in");
    return is_by_id ? id * width_of_taken(s) + row : row * ids_of(s) + id;
}

static long double unembedding_at(const ref_stack *s, size_t row, size_t id)
{
    const ref_array *w = s->unembedding.at == NULL ? &s->embedding : &s->unembedding;
    return w->at[place_of(s, row, id)];
}

static long double logit(const ref_stack *s, const long double *row, size_t id)
{
    long double sum = s->unembedding_bias.at == NULL ? 0 : s->unembedding_bias.at[id];
    for (size_t j = 0; j < width_of_taken(s); j++)
        sum += row[j] * unembedding_at(s, j, id);
    if (s->logits_scale != 0)
        sum *= s->logits_scale;
    return s->logits_softcap > 0 ? s->logits_softcap * tanhl(sum / s->logits_softcap) : sum;
}

/* Of rows that logits are made of. */
static long double cross_entropy(const ref_stack *s, const long double *taken)
{
    size_t width = width_of_taken(s), counted = 0;
    long double sum = 0;
    for (size_t row = 0; row < ref_count_of(&s->labels); row++) {
        long double exponentials = 0;
        if (s->labels.at[row] == REF_NOT_COUNTED)
            continue;
        for (size_t id = 0; id < ids_of(s); id++)
            exponentials += expl(logit(s, taken + row * width, id));
        sum += logl(exponentials) - logit(s, taken + row * width, (size_t)s->labels.at[row]);
        counted++;
    }
    return sum / (long double)counted;
}

/* ---- what goes back ---- */

enum { SELF, CROSS, ATTENTIONS, DEPTH_MOST = REF_TIMES_MOST * REF_LAYERS_MOST };

typedef struct back {
    flow f; /* f.x: the gradient of the rows after what is next; f.given: of what the layer was
               given, where a part went back to it */
    bool has_problem[DEPTH_MOST][ATTENTIONS];
    ref_problem asked[DEPTH_MOST][ATTENTIONS]; /* on the way forward */
    rows memory;                               /* at NULL: nothing looked at it yet */
    rows tied;                                 /* of logits, ids × m; at NULL: none */
} back;

static bool makes(const back *b, const char *mistake)
{
    char word[96];
    snprintf(word, sizeof word, "back %s", mistake);
    return flow_makes(&b->f, word);
}

static bool makes_of(const back *b, const char *before, const char *after)
{
    char word[64];
    snprintf(word, sizeof word, "%s %s", before, after);
    return makes(b, word);
}

/* NULL: there is none. */
static ref_stack_stage *find_stage(const back *b, const char *name)
{
    const ref_stack_result *r = b->f.result;
    size_t i = 0;
    while (i < r->count && strcmp(r->stage[i].name, name) != 0)
        i++;
    return i == r->count ? NULL : &r->stage[i];
}

/* The rows of a stage of the way forward; owned by the caller. */
static rows stage_rows(const back *b, const char *name)
{
    const ref_stack_stage *one = find_stage(b, name);
    if (one == NULL) {
        fprintf(stderr, "the reference has no stage %s\n", name);
        abort();
    }
    size_t width = one->size[one->rank - 1];
    rows made = rows_new(one->count / width, width);
    memcpy(made.at, one->at, one->count * sizeof made.at[0]);
    return made;
}

static rows rows_here(const back *b, const char *name)
{
    char full[2 * REF_STACK_NAME];
    snprintf(full, sizeof full, "%s%s", b->f.way, name);
    return stage_rows(b, full);
}

static void add(rows *to, const rows *more)
{
    for (size_t i = 0; i < to->n * to->width; i++)
        to->at[i] += more->at[i];
}

/* Parameters of a kind gain from these rows, times `by`. */
typedef struct gained {
    size_t first, end;
    long double by;
} gained;

static gained rows_gained(const back *b, const char *kind)
{
    size_t all = b->f.batches > 0 ? b->f.batches * b->f.n : b->f.n;
    if (makes_of(b, kind, "last row"))
        return (gained){all - 1, all, 1};
    if (makes_of(b, kind, "first entry"))
        return (gained){0, b->f.n, 1};
    if (makes_of(b, kind, "last entry"))
        return (gained){all - b->f.n, all, 1};
    if (makes_of(b, kind, "mean"))
        return (gained){0, all, 1 / (long double)all};
    return (gained){0, all, makes_of(b, kind, "nothing") ? 0 : 1};
}

/* A weight of a layer that comes several times has one gradient, named after the first time: the
 * sum of what each time gives, of which the last is here first. */
static void keep_sum_of_times(const back *b, const char *name, int rank, const size_t *size,
                              const long double *at)
{
    flow first = b->f;
    char full[2 * REF_STACK_NAME];
    if (b->f.layer > 0)
        snprintf(first.way, sizeof first.way, "layer.%zu.", (b->f.layer - 1) % b->f.stack->layers);
    snprintf(full, sizeof full, "%s%s", first.way, name);
    ref_stack_stage *sum = find_stage(b, full);
    if (sum == NULL)
        flow_keep_array(&first, name, rank, size, at);
    for (size_t i = 0; sum != NULL && i < sum->count; i++) {
        long double so_far = makes(b, "first time") ? 0 : sum->at[i];
        sum->at[i] = so_far + (makes(b, "last time") ? 0 : at[i]);
    }
}

static void keep_named(const back *b, const char *of_key, const char *kind, int rank,
                       const size_t *size, long double *at)
{
    char name[REF_STACK_NAME + 8];
    size_t count = 1;
    gained from = rows_gained(b, kind);
    for (int i = 0; i < rank; i++)
        count *= size[i];
    for (size_t i = 0; i < count; i++)
        at[i] *= from.by;
    snprintf(name, sizeof name, "%s_grad", of_key);
    keep_sum_of_times(b, name, rank, size, at);
    free(at);
}

/* Of what is added to rows. */
static void keep_bias(const back *b, const char *of_key, const ref_array *bias, const char *kind,
                      const rows *dy)
{
    if (bias->at == NULL)
        return;
    gained from = rows_gained(b, kind);
    long double *sum = ref_alloc(dy->width, sizeof sum[0]);
    for (size_t i = from.first; i < from.end; i++)
        for (size_t column = 0; column < dy->width; column++)
            sum[column] += dy->at[i * dy->width + column];
    keep_named(b, of_key, kind, bias->rank, bias->size, sum);
}

static size_t weight_place(const rows *x, const rows *dy, bool is_out_in, size_t row, size_t column)
{
    return is_out_in ? column * x->width + row : row * dy->width + column;
}

static void keep_weight(const back *b, const char *of_key, const ref_array *w, const rows *x,
                        const rows *dy)
{
    bool is_out_in = ref_word_is(b->f.stack->layout, "out-in");
    gained from = rows_gained(b, "weights");
    long double *sum = ref_alloc(x->width * dy->width, sizeof sum[0]);
    for (size_t i = from.first; i < from.end; i++)
        for (size_t row = 0; row < x->width; row++)
            for (size_t column = 0; column < dy->width; column++)
                sum[weight_place(x, dy, is_out_in, row, column)] +=
                    x->at[i * x->width + row] * dy->at[i * dy->width + column];
    keep_named(b, of_key, "weights", w->rank, w->size, sum);
}

/* dy·Wᵀ */
static rows through(const back *b, const rows *dy, const ref_array *w, size_t width)
{
    bool is_out_in = ref_word_is(b->f.stack->layout, "out-in");
    rows dx = rows_new(dy->n, width);
    for (size_t i = 0; i < dy->n; i++)
        for (size_t row = 0; row < width; row++)
            for (size_t column = 0; column < dy->width; column++)
                dx.at[i * width + row] += dy->at[i * dy->width + column] *
                                          w->at[weight_place(&dx, dy, is_out_in, row, column)];
    return dx;
}

/* ---- norms ---- */

/* With x̂ = (x − mean)/root and u = gain·dy: dx = (u − mean(u) − x̂·mean(u·x̂)) / root, and of an
 * RMSNorm, which takes off no mean, the same without mean(u). */
static void norm_row_back(const back *b, const ref_norm *by, bool is_rms, size_t m,
                          const long double *x, long double *dy, long double *of_gain)
{
    long double mean = 0, squares = 0, eps = by->has_eps ? by->eps : 1e-5, of_u = 0, of_product = 0;
    long double *u = ref_alloc(m, sizeof u[0]), *made = ref_alloc(m, sizeof made[0]);
    bool is_late = makes(b, "norm gain late"), is_constant = makes(b, "norm constant");
    for (size_t i = 0; i < m && !is_rms; i++)
        mean += x[i] / (long double)m;
    for (size_t i = 0; i < m; i++)
        squares += (x[i] - mean) * (x[i] - mean) / (long double)m;
    long double root = sqrtl(squares + (makes(b, "norm eps") ? 0 : eps));
    for (size_t i = 0; i < m; i++) {
        bool has_gain = by->gain != NULL && !is_late && !makes(b, "norm gain");
        made[i] = root == 0 ? 0 : (x[i] - mean) / root;
        u[i] = dy[i] * (has_gain ? by->gain[i] : 1);
        of_u += u[i] / (long double)m;
        of_product += u[i] * made[i] / (long double)m;
        long double shown = makes(b, "gain x")   ? x[i]
                            : makes(b, "gain y") ? made[i] * (by->gain == NULL ? 1 : by->gain[i]) +
                                                       (by->bias == NULL ? 0 : by->bias[i])
                                                 : made[i];
        if (of_gain != NULL)
            of_gain[i] += dy[i] * shown;
    }
    bool has_mean = !is_rms && !is_constant && !makes(b, "norm mean"),
         has_row = !is_constant && !makes(b, "norm row"), is_passed = makes(b, "norm passed");
    for (size_t i = 0; i < m && !is_passed; i++) {
        long double from = u[i] - (has_mean ? of_u : 0) - (has_row ? made[i] * of_product : 0);
        dy[i] = root == 0 ? 0 : makes(b, "norm times") ? from * root : from / root;
        if (is_late && by->gain != NULL)
            dy[i] *= by->gain[i];
    }
    free(u);
    free(made);
}

/* The gradient of what the norm made of x becomes that of x. */
static void norm_back(const back *b, const ref_norm *by, const char *kind, const char *name,
                      const rows *x, rows *dy)
{
    char full[REF_STACK_NAME];
    bool is_rms = (ref_word_is(kind, "rms") || makes(b, "norm rms")) && !makes(b, "norm layer");
    size_t m = x->width;
    const ref_array bias = {1, {m}, by->bias};
    gained from = rows_gained(b, "norms");
    long double *of_gain = ref_alloc(m, sizeof of_gain[0]);
    snprintf(full, sizeof full, "%s_grad", name);
    flow_keep(&b->f, full, dy);
    snprintf(full, sizeof full, "%s.bias", name);
    keep_bias(b, full, &bias, "norms", dy);
    for (size_t i = 0; i < x->n; i++)
        norm_row_back(b, by, is_rms, m, x->at + i * m, dy->at + i * m,
                      i >= from.first && i < from.end ? of_gain : NULL);
    snprintf(full, sizeof full, "%s.gain", name);
    if (by->gain != NULL)
        keep_named(b, full, "norms", 1, &m, of_gain);
    else
        free(of_gain);
}

static void layer_norm_back(const back *b, const ref_layer *l, size_t number, const rows *x,
                            rows *dy)
{
    const char *kind = l->norm_kind != NULL ? l->norm_kind : b->f.stack->norm_kind;
    char name[] = {'l', 'n', (char)('0' + number), '\0'};
    norm_back(b, &l->norm[number - 1], kind, name, x, dy);
}

/* ---- feed-forward parts ---- */

static long double activated(const char *by, long double x)
{
    static const long double PI = 3.14159265358979323846264338327950288L;
    if (ref_word_is(by, "relu"))
        return x > 0 ? x : 0;
    if (ref_word_is(by, "relu2"))
        return x > 0 ? x * x : 0;
    if (ref_word_is(by, "silu"))
        return x / (1 + expl(-x));
    if (ref_word_is(by, "gelu"))
        return x * erfcl(-x / sqrtl(2)) / 2;
    return x / 2 * (1 + tanhl(sqrtl(2 / PI) * (x + 0.044715L * x * x * x)));
}

static long double slope(const char *by, long double x)
{
    static const long double PI = 3.14159265358979323846264338327950288L;
    if (ref_word_is(by, "none"))
        return 1;
    if (ref_word_is(by, "relu"))
        return x > 0 ? 1 : 0;
    if (ref_word_is(by, "relu2"))
        return x > 0 ? 2 * x : 0;
    long double logistic = 1 / (1 + expl(-x));
    if (ref_word_is(by, "silu"))
        return logistic * (1 + x * (1 - logistic));
    if (ref_word_is(by, "gelu"))
        return erfcl(-x / sqrtl(2)) / 2 + x * expl(-x * x / 2) / sqrtl(2 * PI);
    long double bent = tanhl(sqrtl(2 / PI) * (x + 0.044715L * x * x * x));
    return (1 + bent) / 2 + x / 2 * (1 - bent * bent) * sqrtl(2 / PI) * (1 + 3 * 0.044715L * x * x);
}

/* x·W + b */
static rows projected(const back *b, const rows *x, const ref_array *w, const ref_array *bias)
{
    bool is_out_in = ref_word_is(b->f.stack->layout, "out-in");
    rows out = rows_new(x->n, w->size[is_out_in ? 0 : 1]);
    for (size_t i = 0; i < x->n; i++)
        for (size_t column = 0; column < out.width; column++) {
            long double sum = bias->at == NULL ? 0 : bias->at[column];
            for (size_t row = 0; row < x->width; row++)
                sum += x->at[i * x->width + row] *
                       w->at[weight_place(x, &out, is_out_in, row, column)];
            out.at[i * out.width + column] = sum;
        }
    return out;
}

/* The gradient of what it made of x becomes that of x. */
static void feed_forward_back(const back *b, const ref_feed_forward *as_given, const char *by,
                              const rows *x, rows *dy)
{
    static const char *const WORDS[] = {"none", "relu", "gelu", "gelu_tanh", "silu", "relu2"};
    ref_feed_forward f = *as_given;
    bool has_gate = f.w3.at != NULL;
    if (has_gate && makes(b, "gate swapped")) {
        f.w1 = as_given->w3;
        f.w3 = as_given->w1;
    }
    const char *sloped = by;
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        sloped = makes_of(b, "slope", WORDS[i]) ? WORDS[i] : sloped;
    rows hidden = projected(b, x, &f.w1, &f.b1), made = rows_copy(&hidden), gate = {0};
    if (has_gate)
        gate = projected(b, x, &f.w3, &f.b3);
    for (size_t i = 0; i < made.n * made.width; i++)
        made.at[i] = activated(by, hidden.at[i]) * (has_gate ? gate.at[i] : 1);
    flow_keep(&b->f, "ffn.output_grad", dy);
    keep_bias(b, "b2", &f.b2, "biases", dy);
    keep_weight(b, "w2", &f.w2, makes(b, "w2 of hidden") ? &hidden : &made, dy);
    rows grad = through(b, dy, &f.w2, hidden.width), of_gate = rows_copy(&grad);
    flow_keep(&b->f, "ffn.activated_grad", &grad);
    for (size_t i = 0; i < grad.n * grad.width; i++) {
        long double h = hidden.at[i];
        of_gate.at[i] *= makes(b, "gate of hidden") ? h : activated(by, h);
        grad.at[i] *= has_gate && !makes(b, "ungated") ? gate.at[i] : 1;
        long double at = makes(b, "slope at activated") ? made.at[i]
                         : makes(b, "slope at grad")    ? grad.at[i]
                                                        : h;
        grad.at[i] *= slope(sloped, at);
    }
    if (has_gate) {
        flow_keep(&b->f, "ffn.gate_grad", &of_gate);
        keep_weight(b, "w3", &f.w3, x, &of_gate);
        keep_bias(b, "b3", &f.b3, "biases", &of_gate);
    }
    flow_keep(&b->f, "ffn.hidden_grad", &grad);
    keep_weight(b, "w1", &f.w1, x, &grad);
    keep_bias(b, "b1", &f.b1, "biases", &grad);
    rows by_hidden = through(b, &grad, &f.w1, x->width);
    memset(dy->at, 0, dy->n * dy->width * sizeof dy->at[0]);
    if (!has_gate || !makes(b, "x of gate"))
        add(dy, &by_hidden);
    if (has_gate && !makes(b, "x without gate")) {
        rows by_gate = through(b, &of_gate, &f.w3, x->width);
        add(dy, &by_gate);
        free(by_gate.at);
    }
    free(by_hidden.at);
    free(hidden.at);
    free(made.at);
    free(gate.at);
    free(grad.at);
    free(of_gate.at);
}

/* ---- attention ---- */

/* What queries, keys or values give back to the rows that W made them of. */
static void side_back(const ref_problem *p, const ref_result *r, ref_input weight, rows *to)
{
    static const ref_stage_id MADE[] = {REF_STAGE_Q_GRAD, REF_STAGE_K_GRAD, REF_STAGE_V_GRAD};
    const ref_sizes *s = &r->sizes;
    const ref_number *grad = r->stage[MADE[weight - REF_WQ]].at;
    size_t heads = weight == REF_WQ ? s->h : s->g, width = weight == REF_WQ   ? s->d_q
                                                           : weight == REF_WK ? s->d_k
                                                                              : s->d_v;
    for (size_t row = 0; row < to->n; row++)
        for (size_t i = 0; i < to->width; i++)
            for (size_t c = 0; c < heads * width; c++)
                to->at[row * to->width + i] +=
                    grad[row * heads * width + c].value *
                    p->in[weight]
                        .at[ref_weight_index(p, &p->in[weight], c / width, width, i, c % width)];
}

/* Of rows each time has its own, of parameters all have one. */
static void keep_attention(const back *b, const char *part, const ref_result *r)
{
    for (ref_stage_id id = REF_STAGE_OUTPUT_GRAD; id < REF_STAGE_WQ_GRAD; id++)
        flow_keep_stage(&b->f, part, &r->stage[id]);
    for (ref_stage_id id = REF_STAGE_WQ_GRAD; id < REF_STAGES; id++) {
        const ref_stage *one = &r->stage[id];
        char name[REF_STACK_NAME];
        if (one->at == NULL)
            continue;
        long double *at = ref_alloc(one->count, sizeof at[0]);
        for (size_t i = 0; i < one->count; i++)
            at[i] = one->at[i].value;
        snprintf(name, sizeof name, "%s.%s", part, one->name);
        keep_sum_of_times(b, name, one->rank, one->size, at);
        free(at);
    }
}

static void attention_back(back *b, int which, rows *dy)
{
    ref_problem p = ref_problem_copy(&b->asked[b->f.layer - 1][which]);
    const ref_array *x = &p.in[REF_X], *memory = &p.in[REF_XK];
    ref_result r = {0};
    p.in[REF_OUTPUT_GRAD] = *x;
    double *given = p.in[REF_OUTPUT_GRAD].at = ref_alloc(ref_count_of(x), sizeof given[0]);
    for (size_t i = 0; i < ref_count_of(x); i++)
        given[i] = (double)dy->at[i];
    ref_compute_weights(&p, &r);
    ref_compute_output(&p, &r);
    ref_compute_gradients(&p, &r);
    ref_compute_parameters(&p, &r);
    keep_attention(b, which == SELF ? "attention" : "cross", &r);
    memset(dy->at, 0, dy->n * dy->width * sizeof dy->at[0]);
    side_back(&p, &r, REF_WQ, dy);
    if (memory->at == NULL) {
        side_back(&p, &r, REF_WK, dy);
        side_back(&p, &r, REF_WV, dy);
    } else {
        size_t width = memory->size[memory->rank - 1];
        rows of = rows_new(ref_count_of(memory) / width, width);
        side_back(&p, &r, REF_WK, &of);
        side_back(&p, &r, REF_WV, &of);
        bool is_first = b->memory.at == NULL;
        if (!is_first && !makes(b, "memory overwritten"))
            add(&of, &b->memory);
        free(b->memory.at);
        b->memory = of;
    }
    ref_result_free(&r);
    ref_problem_free(&p);
}

/* ---- layers ---- */

static void part_itself(back *b, const ref_layer *l, const char *part, const rows *read, rows *dy)
{
    const char *said = l->activation != NULL ? l->activation : b->f.stack->activation;
    if (strcmp(part, "ffn") == 0)
        feed_forward_back(b, &l->feed_forward, said == NULL ? "relu" : said, read, dy);
    else
        attention_back(b, strcmp(part, "cross") == 0 ? CROSS : SELF, dy);
    if (makes_of(b, "stops", part))
        memset(dy->at, 0, dy->n * dy->width * sizeof dy->at[0]);
}

/* What the part gains is added to what goes around it. */
static void add_to_residual(back *b, const char *part, const rows *grad)
{
    if (makes(b, "residual") || makes_of(b, "residual", part))
        memset(b->f.x.at, 0, grad->n * grad->width * sizeof grad->at[0]);
    if (makes(b, "residual twice"))
        add(&b->f.x, &b->f.x);
    add(&b->f.x, grad);
}

static void keep_sum(back *b, const char *part)
{
    char sum[32];
    snprintf(sum, sizeof sum, "%s_sum_grad", part);
    flow_keep(&b->f, sum, &b->f.x);
}

/* The gradient of what a part made, of that of its sum. */
static rows what_is_added(const back *b)
{
    rows grad = rows_copy(&b->f.x);
    for (size_t i = 0; i < grad.n * grad.width; i++)
        grad.at[i] *= flow_residual_scale(&b->f);
    return grad;
}

/* pre: x + part(norm(x)); post: norm(x + part(x)) */
static void usual_part_back(back *b, const ref_layer *l, const char *part, size_t number,
                            bool is_pre, const rows *given)
{
    char sum[32], norm[] = {'l', 'n', (char)('0' + number), '\0'};
    snprintf(sum, sizeof sum, "%s_sum", part);
    rows summed = rows_here(b, sum), normed = rows_here(b, norm);
    const rows *read = is_pre ? &normed : given, *norm_of = is_pre ? given : &summed;
    bool goes_pre = is_pre ? !makes(b, "post") : makes(b, "pre");
    if (!goes_pre)
        layer_norm_back(b, l, number, norm_of, &b->f.x);
    keep_sum(b, part);
    rows grad = what_is_added(b);
    part_itself(b, l, part, read, &grad);
    if (makes(b, "residual normed") && goes_pre) {
        add(&grad, &b->f.x);
        memset(b->f.x.at, 0, grad.n * grad.width * sizeof grad.at[0]);
    }
    if (goes_pre)
        layer_norm_back(b, l, number, norm_of, &grad);
    add_to_residual(b, part, &grad);
    free(grad.at);
    free(summed.at);
    free(normed.at);
}

/* x + attention(ln1(x)) + ffn(ln1(x)), or apart ffn(ln2(x)) */
static void parallel_layer_back(back *b, const ref_layer *l, const rows *given, bool is_apart)
{
    bool has_ffn = l->feed_forward.w1.at != NULL;
    rows normed = rows_here(b, "ln1"), of_ffn = rows_new(given->n, given->width);
    if (has_ffn) {
        rows read = rows_here(b, is_apart ? "ln2" : "ln1");
        keep_sum(b, "ffn");
        free(of_ffn.at);
        of_ffn = what_is_added(b);
        part_itself(b, l, "ffn", &read, &of_ffn);
        if (is_apart)
            layer_norm_back(b, l, 2, given, &of_ffn);
        free(read.at);
    }
    keep_sum(b, "attention");
    rows grad = what_is_added(b);
    part_itself(b, l, "attention", &normed, &grad);
    if (!is_apart)
        add(&grad, &of_ffn);
    layer_norm_back(b, l, 1, given, &grad);
    add_to_residual(b, "attention", &grad);
    if (is_apart)
        add(&b->f.x, &of_ffn);
    free(grad.at);
    free(of_ffn.at);
    free(normed.at);
}

/* x + norm(part(norm(x))), or without the inner one x + norm(part(x)). `number` is of its last
 * norm. */
static void made_part_back(back *b, const ref_layer *l, const char *part, size_t number,
                           bool is_sandwich, const rows *given)
{
    char output[32], norm[] = {'l', 'n', (char)('0' + number - 1), '\0'};
    snprintf(output, sizeof output, "%s.output", part);
    rows made = rows_here(b, output), read = is_sandwich ? rows_here(b, norm) : rows_copy(given);
    keep_sum(b, part);
    rows grad = what_is_added(b);
    layer_norm_back(b, l, number, &made, &grad);
    part_itself(b, l, part, &read, &grad);
    if (is_sandwich)
        layer_norm_back(b, l, number - 1, given, &grad);
    add_to_residual(b, part, &grad);
    free(grad.at);
    free(read.at);
    free(made.at);
}

static void made_layer_back(back *b, const ref_layer *l, const rows *given, bool is_sandwich)
{
    if (l->feed_forward.w1.at != NULL) {
        rows between = rows_here(b, "attention_sum");
        made_part_back(b, l, "ffn", is_sandwich ? 4 : 2, is_sandwich, &between);
        free(between.at);
    }
    made_part_back(b, l, "attention", is_sandwich ? 2 : 1, is_sandwich, given);
}

/* ln2(input + attention(ln1(input))); with a memory ln2(input + cross(ln1(attention(input)))) */
static void seed_layer_back(back *b, const ref_layer *l, const rows *input)
{
    const char *main = l->has_cross ? "cross" : "attention";
    char sum[32];
    snprintf(sum, sizeof sum, "%s_sum", main);
    rows summed = rows_here(b, sum), normed = rows_here(b, "ln1"),
         before = l->has_cross ? rows_here(b, "attention.output") : rows_copy(input);
    layer_norm_back(b, l, 2, &summed, &b->f.x);
    keep_sum(b, main);
    rows grad = what_is_added(b);
    part_itself(b, l, main, &normed, &grad);
    layer_norm_back(b, l, 1, &before, &grad);
    if (l->has_cross)
        part_itself(b, l, "attention", input, &grad);
    if (makes(b, "residual") || makes_of(b, "residual", main))
        memset(b->f.x.at, 0, grad.n * grad.width * sizeof grad.at[0]);
    add(&b->f.x, &grad);
    free(grad.at);
    free(before.at);
    free(summed.at);
    free(normed.at);
}

/* Parts one after the other. */
static void usual_layer_back(back *b, const ref_layer *l, const rows *first, bool is_pre)
{
    const char *parts[3];
    size_t count = 0;
    rows given[3] = {rows_copy(first)};
    parts[count++] = "attention";
    if (l->has_cross)
        parts[count++] = "cross";
    if (l->feed_forward.w1.at != NULL)
        parts[count++] = "ffn";
    for (size_t i = 0; i + 1 < count; i++) {
        char name[32];
        if (is_pre)
            snprintf(name, sizeof name, "%s_sum", parts[i]);
        else
            snprintf(name, sizeof name, "ln%zu", i + 1);
        given[i + 1] = rows_here(b, name);
    }
    for (size_t i = count; i-- > 0;)
        usual_part_back(b, l, parts[i], i + 1, is_pre, &given[i]);
    for (size_t i = 0; i < count; i++)
        free(given[i].at);
}

/* x + attention(x), then x + ffn(ln2(x)) */
static void bare_layer_back(back *b, const ref_layer *l, const rows *given)
{
    if (l->feed_forward.w1.at != NULL) {
        rows between = rows_here(b, "attention_sum");
        usual_part_back(b, l, "ffn", 2, true, &between);
        free(between.at);
    }
    keep_sum(b, "attention");
    rows grad = what_is_added(b);
    part_itself(b, l, "attention", given, &grad);
    add_to_residual(b, "attention", &grad);
    free(grad.at);
}

static void layer_back(back *b, size_t index)
{
    const ref_stack *s = b->f.stack;
    const ref_layer *l = ref_stack_layer(s, index);
    const char *order = l->order != NULL ? l->order : s->order;
    char before[REF_STACK_NAME];
    snprintf(before, sizeof before, "layer.%zu.output", index - 1);
    rows given = index > 0           ? stage_rows(b, before)
                 : s->first.is_there ? stage_rows(b, "ln_e")
                                     : stage_rows(b, "embedded");
    snprintf(b->f.way, sizeof b->f.way, "layer.%zu.", index);
    b->f.layer = index + 1;
    flow_keep(&b->f, "output_grad", &b->f.x);
    bool is_apart = ref_word_is(order, "parallel-apart"),
         is_sandwich = ref_word_is(order, "sandwich");
    if (ref_word_is(order, "seed"))
        seed_layer_back(b, l, &given);
    else if (is_apart || ref_word_is(order, "parallel"))
        parallel_layer_back(b, l, &given, is_apart);
    else if (is_sandwich || ref_word_is(order, "inner"))
        made_layer_back(b, l, &given, is_sandwich);
    else if (ref_word_is(order, "pre-ffn"))
        bare_layer_back(b, l, &given);
    else
        usual_layer_back(b, l, &given, ref_word_is(order, "pre"));
    free(given.at);
}

/* ---- the head ---- */

/* What it makes of rows; none where there is no head, or no norm of it. */
typedef struct head_rows {
    rows hidden, activated, normed;
} head_rows;

static const char *head_activation(const ref_stack *s)
{
    const char *own = s->head.activation;
    return own != NULL ? own : s->activation != NULL ? s->activation : "relu";
}

static head_rows head_of(const back *b, const rows *x)
{
    const ref_stack *s = b->f.stack;
    const ref_norm *by = &s->head.norm;
    head_rows made = {0};
    if (s->head.w.at == NULL)
        return made;
    made.hidden = projected(b, x, &s->head.w, &s->head.b);
    made.activated = rows_copy(&made.hidden);
    size_t width = made.hidden.width;
    for (size_t i = 0; i < x->n * width; i++)
        made.activated.at[i] = activated(head_activation(s), made.hidden.at[i]);
    if (!by->is_there)
        return made;
    made.normed = rows_copy(&made.activated);
    for (size_t i = 0; i < x->n; i++) {
        long double *row = made.normed.at + i * width, mean = 0, squares = 0;
        for (size_t j = 0; j < width && !ref_word_is(s->norm_kind, "rms"); j++)
            mean += row[j] / (long double)width;
        for (size_t j = 0; j < width; j++)
            squares += (row[j] - mean) * (row[j] - mean) / (long double)width;
        for (size_t j = 0; j < width; j++)
            row[j] =
                (row[j] - mean) / sqrtl(squares + 1e-5) * (by->gain == NULL ? 1 : by->gain[j]) +
                (by->bias == NULL ? 0 : by->bias[j]);
    }
    return made;
}

/* The rows that logits are made of. */
static const rows *taken_of(const head_rows *h, const rows *output)
{
    return h->normed.at != NULL ? &h->normed : h->activated.at != NULL ? &h->activated : output;
}

static void head_free(head_rows *h)
{
    free(h->hidden.at);
    free(h->activated.at);
    free(h->normed.at);
}

/* From what comes back to its rows to what does to those that it was given. */
static rows head_back(const back *b, const rows *x, const head_rows *h, rows *dy)
{
    const ref_stack *s = b->f.stack;
    if (s->head.norm.is_there)
        norm_back(b, &s->head.norm, s->norm_kind, "head.norm", &h->activated, dy);
    flow_keep(&b->f, "head.activated_grad", dy);
    for (size_t i = 0; i < dy->n * dy->width; i++)
        dy->at[i] *= slope(head_activation(s), h->hidden.at[i]);
    flow_keep(&b->f, "head.hidden_grad", dy);
    keep_weight(b, "head.w", &s->head.w, x, dy);
    keep_bias(b, "head.b", &s->head.b, "biases", dy);
    return through(b, dy, &s->head.w, x->width);
}

static void keep_head(const back *b, const head_rows *h)
{
    if (h->hidden.at != NULL)
        flow_keep(&b->f, "head.hidden", &h->hidden);
    if (h->activated.at != NULL)
        flow_keep(&b->f, "head.activated", &h->activated);
    if (h->normed.at != NULL)
        flow_keep(&b->f, "head.norm", &h->normed);
}

/* ---- the ends ---- */

long double ref_stack_loss(const ref_stack *s, const ref_stack_stage *output)
{
    long double sum = 0;
    if (s->labels.at != NULL) {
        back b = {.f = {.stack = s}};
        rows of = {output->count / s->x.size[s->x.rank - 1], s->x.size[s->x.rank - 1], output->at};
        head_rows head = head_of(&b, &of);
        sum = cross_entropy(s, taken_of(&head, &of)->at);
        head_free(&head);
        return sum;
    }
    for (size_t i = 0; i < output->count; i++) {
        long double y = output->at[i];
        sum += s->output_grad.at != NULL ? y * s->output_grad.at[i]
               : s->target.at != NULL    ? (y - s->target.at[i]) * (y - s->target.at[i]) / 2
                                         : y;
    }
    return ref_word_is(s->loss, "mean") ? sum / (long double)output->count : sum;
}

/* Of each row's logits: (softmax − 1 at the label) / rows with one. */
static void logits_back(back *b, const rows *output)
{
    const ref_stack *s = b->f.stack;
    head_rows head = head_of(b, output);
    const rows *taken = taken_of(&head, output);
    size_t ids = ids_of(s), n = b->f.n, all = output->n, counted = 0, m = taken->width;
    rows of_taken = rows_new(all, m);
    keep_head(b, &head);
    rows grad = rows_new(all, ids);
    double *labels = ref_alloc(all, sizeof labels[0]);
    for (size_t i = 0; i < all; i++) {
        bool is_next = makes(b, "labels next"), is_before = makes(b, "labels before");
        bool has_none = (is_next && i % n + 1 == n) || (is_before && i % n == 0);
        labels[i] = has_none ? REF_NOT_COUNTED
                             : s->labels.at[is_next     ? i + 1
                                            : is_before ? i - 1
                                                        : i];
        counted += labels[i] != REF_NOT_COUNTED;
    }
    long double by = makes(b, "labels sum")     ? 1
                     : makes(b, "labels rows")  ? (long double)all
                     : makes(b, "labels batch") ? (long double)(all / n)
                                                : (long double)counted;
    for (size_t i = 0; i < all; i++) {
        long double sum = 0;
        bool is_counted = labels[i] != REF_NOT_COUNTED || makes(b, "all rows");
        for (size_t id = 0; id < ids; id++)
            sum += grad.at[i * ids + id] = expl(logit(s, taken->at + i * m, id));
        for (size_t id = 0; id < ids; id++) {
            bool is_label = (double)id == labels[i] && !makes(b, "no label");
            grad.at[i * ids + id] =
                is_counted ? (grad.at[i * ids + id] / sum - (is_label ? 1 : 0)) / by : 0;
        }
    }
    flow_keep(&b->f, "logits_grad", &grad);
    for (size_t i = 0; i < all * ids && s->logits_softcap > 0 && !makes(b, "cap of logits"); i++) {
        long double part = logit(s, taken->at + i / ids * m, i % ids) / s->logits_softcap;
        grad.at[i] *= 1 - part * part;
    }
    if (s->logits_softcap > 0)
        flow_keep(&b->f, s->logits_scale != 0 ? "logits.times_grad" : "logits.product_grad", &grad);
    for (size_t i = 0; i < all * ids && s->logits_scale != 0 && !makes(b, "factor of logits"); i++)
        grad.at[i] *= s->logits_scale;
    if (s->logits_scale != 0)
        flow_keep(&b->f, "logits.product_grad", &grad);
    keep_bias(b, "unembedding_bias", &s->unembedding_bias, "biases", &grad);
    if (s->unembedding.at != NULL) {
        char before[REF_STACK_NAME];
        snprintf(before, sizeof before, "layer.%zu.output", ref_stack_depth(s) - 1);
        rows given = stage_rows(b, s->end.w1.at != NULL ? "ffn.output" : before);
        const rows *unnormed = head.hidden.at != NULL ? &head.activated
                               : s->final.is_there    ? &given
                                                      : output;
        keep_weight(b, "unembedding", &s->unembedding, makes(b, "unnormed") ? unnormed : taken,
                    &grad);
        free(given.at);
    } else {
        b->tied = rows_new(ids, m);
    }
    for (size_t i = 0; i < all; i++)
        for (size_t id = 0; id < ids; id++)
            for (size_t j = 0; j < m; j++) {
                of_taken.at[i * m + j] += grad.at[i * ids + id] * unembedding_at(s, j, id);
                if (b->tied.at != NULL && !makes(b, "embedding of ids"))
                    b->tied.at[id * m + j] += grad.at[i * ids + id] * taken->at[i * m + j];
            }
    rows back_to =
        head.hidden.at == NULL ? rows_copy(&of_taken) : head_back(b, output, &head, &of_taken);
    add(&b->f.x, &back_to);
    free(back_to.at);
    free(of_taken.at);
    head_free(&head);
    free(labels);
    free(grad.at);
}

static void output_back(back *b, const rows *output)
{
    const ref_stack *s = b->f.stack;
    size_t count = output->n * output->width;
    bool is_mean = (ref_word_is(s->loss, "mean") || makes(b, "mean")) && !makes(b, "sum");
    for (size_t i = 0; i < count; i++)
        b->f.x.at[i] = s->output_grad.at != NULL ? s->output_grad.at[i]
                       : s->target.at != NULL    ? output->at[i] - s->target.at[i]
                       : is_mean                 ? 1 / (long double)count
                                                 : 1;
}

/* A table of which row i of the stack takes the row `row_of(i)`. */
typedef size_t table_row(const back *b, size_t i);

static size_t id_of(const back *b, size_t i)
{
    return b->f.stack->ids[i];
}

static size_t position_of(const back *b, size_t i)
{
    return b->f.stack->offset + i % b->f.n;
}

static size_t segment_of(const back *b, size_t i)
{
    return b->f.stack->segments == NULL ? 0 : b->f.stack->segments[i % b->f.n];
}

static void table_back(const back *b, const char *of_key, const ref_array *table, table_row *row_of,
                       const rows *more)
{
    size_t m = b->f.x.width;
    gained from = rows_gained(b, "tables");
    if (table->at == NULL)
        return;
    long double *sum = ref_alloc(ref_count_of(table), sizeof sum[0]);
    bool is_of_ids = row_of == id_of, is_left_out = is_of_ids && makes(b, "embedding of logits");
    double times = is_of_ids && b->f.stack->row_scale != 0 ? b->f.stack->row_scale : 1;
    for (size_t i = 0; i < ref_count_of(table) && more->at != NULL; i++)
        sum[i] = more->at[i];
    for (size_t i = from.first; i < from.end && !is_left_out; i++)
        for (size_t j = 0; j < m; j++) {
            long double *to = &sum[row_of(b, i) * m + j];
            *to = b->f.x.at[i * m + j] * times + (makes(b, "overwritten") ? 0 : *to);
        }
    keep_named(b, of_key, "tables", 2, table->size, sum);
}

/* ---- the whole ---- */

static bool keep_problem(void *context, const ref_problem *p, size_t layer, bool is_cross,
                         ref_result *r)
{
    back *b = context;
    (void)r;
    b->asked[layer - 1][is_cross ? CROSS : SELF] = ref_problem_copy(p);
    b->has_problem[layer - 1][is_cross ? CROSS : SELF] = true;
    return false;
}

void ref_stack_compute_back(const ref_stack *s, ref_stack_result *r)
{
    static const rows NONE = {0};
    back b = {.f = {.stack = s, .result = r}};
    ref_stack forward = *s;
    forward.attend = keep_problem;
    forward.context = &b;
    ref_stack_compute(&forward, r);
    b.f.batches = s->x.rank == 3 ? s->x.size[0] : 0;
    b.f.n = s->x.size[s->x.rank - 2];
    rows output = stage_rows(&b, "output");
    rows embedded = stage_rows(&b, "embedded");
    b.f.x = rows_new(output.n, output.width);
    if (s->labels.at != NULL)
        logits_back(&b, &output);
    else
        output_back(&b, &output);
    flow_keep(&b.f, "output_grad", &b.f.x);
    char before[REF_STACK_NAME];
    snprintf(before, sizeof before, "layer.%zu.output", ref_stack_depth(s) - 1);
    rows last = stage_rows(&b, before);
    if (s->final.is_there) {
        rows given = stage_rows(&b, s->end.w1.at != NULL ? "ffn.output" : before);
        norm_back(&b, &s->final, s->norm_kind, "ln_f", &given, &b.f.x);
        free(given.at);
    }
    if (s->end.w1.at != NULL)
        feed_forward_back(&b, &s->end, s->activation == NULL ? "relu" : s->activation, &last,
                          &b.f.x);
    for (size_t i = ref_stack_depth(s); i-- > 0;)
        layer_back(&b, i);
    b.f.layer = 0;
    b.f.way[0] = '\0';
    if (s->first.is_there)
        norm_back(&b, &s->first, s->norm_kind, "ln_e", &embedded, &b.f.x);
    flow_keep(&b.f, "embedded_grad", &b.f.x);
    if (s->ids == NULL)
        flow_keep(&b.f, "x_grad", &b.f.x);
    else
        table_back(&b, "embedding", &s->embedding, id_of, &b.tied);
    table_back(&b, "segment_embedding", &s->segment_rows, segment_of, &NONE);
    table_back(&b, "position_embedding", &s->positions, position_of, &NONE);
    if (b.memory.at != NULL) {
        long double *at = b.memory.at;
        flow_keep_array(&b.f, "memory_grad", s->memory.rank, s->memory.size, at);
    }
    for (size_t i = 0; i < ref_stack_depth(s); i++)
        for (int which = 0; which < ATTENTIONS; which++)
            if (b.has_problem[i][which])
                ref_problem_free(&b.asked[i][which]);
    free(b.memory.at);
    free(b.tied.at);
    free(b.f.x.at);
    free(last.at);
    free(embedded.at);
    free(output.at);
}
