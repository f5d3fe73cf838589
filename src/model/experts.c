#include "model/experts.h"

#include "attn/engine/multiply.h"
#include "base/mem.h"
#include "model/gradient.h"
#include "model/row_job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const routing ROWS[] = {
    /* Shazeer et al., 2017, and Fedus et al., Switch Transformers, 2021, section 2.1; Mixtral's. */
    {{"softmax", "the softmax of all logits, of which the top ones count"}, ROUTED_BY_SOFTMAX},
    {{"top-softmax", "the softmax of the top logits alone"}, ROUTED_BY_LOGITS},
    /* DeepSeek-AI, DeepSeek-V3, 2024, section 2.1.2. */
    {{"sigmoid", "1/(1 + exp(−logit)), of which the top ones count"}, ROUTED_BY_SIGMOID},
};

const named_table ROUTINGS = NAMED_TABLE("routing", ROWS);

void expert_mix_free(expert_mix *m)
{
    if (m != NULL)
        mem_free(m->expert);
}

/* ---- the router ----
 *
 * Scores are made in float64 and rounded to the type; what follows of them is float64 again, and
 * rounded once. */

/* 1/(1 + exp(−x)), without an exponential that could be too large. */
static double sigmoid(const kernels *in64, double x)
{
    const double most = 0, down = -fabs(x);
    double power;
    row_total unused;
    in64->row_exponent(&down, 1, &most, &power, &unused, NULL);
    return (x < 0 ? power : 1) / (1 + power);
}

/* Of n numbers, in place. */
static void softmax(const kernels *in64, double *x, size_t n)
{
    double most;
    row_total total;
    in64->row_max(x, n, &most);
    in64->row_exponent(x, n, &most, x, &total, NULL);
    const double sum = total.sum + total.rest;
    const row_shares shares = {x, n, &sum, x};
    in64->row_divide(&shares);
}

/* The greatest of those that are not taken yet; of equal ones the first. */
static size_t find_best(const double *of, const bool *is_taken, size_t n)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++) {
        if (!is_taken[i] && (best == n || of[i] > of[best]))
            best = i;
    }
    return best;
}

/* Room for one row's choice; each has as many as there are experts. */
typedef struct choosing {
    double *score, *by, *group;
    bool *is_chosen, *is_group;
} choosing;

static bool open_choosing(choosing *c, size_t count, err *e)
{
    *c = (choosing){.score = mem_alloc(count, sizeof c->score[0], e),
                    .by = mem_alloc(count, sizeof c->by[0], e),
                    .group = mem_alloc(count, sizeof c->group[0], e),
                    .is_chosen = mem_alloc(count, sizeof c->is_chosen[0], e),
                    .is_group = mem_alloc(count, sizeof c->is_group[0], e)};
    return !e->is_set;
}

static void close_choosing(choosing *c)
{
    mem_free(c->score);
    mem_free(c->by);
    mem_free(c->group);
    mem_free(c->is_chosen);
    mem_free(c->is_group);
}

/* A group counts as its best do together: two in modeling_deepseek_v3, one in modeling_deepseek_v2.
 * What is in none of the best groups is chosen by 0, as both have it. */
static void leave_groups(const expert_mix *m, choosing *c)
{
    size_t each = m->count / m->groups;
    memset(c->is_chosen, 0, m->count * sizeof c->is_chosen[0]);
    memset(c->is_group, 0, m->groups * sizeof c->is_group[0]);
    for (size_t g = 0; g < m->groups; g++) {
        c->group[g] = 0;
        for (size_t i = 0; i < m->top_of_group; i++) {
            size_t best = find_best(&c->by[g * each], &c->is_chosen[g * each], each);
            c->is_chosen[g * each + best] = true;
            c->group[g] += c->by[g * each + best];
        }
    }
    for (size_t i = 0; i < m->top_groups; i++)
        c->is_group[find_best(c->group, c->is_group, m->groups)] = true;
    for (size_t i = 0; i < m->count; i++)
        c->by[i] = c->is_group[i / each] ? c->by[i] : 0;
}

/* Of a row of logits; of ROUTED_BY_LOGITS the same. */
static void make_scores(const expert_mix *m, const kernels *in64, choosing *c, const tensor *logits,
                        tensor *scores)
{
    for (size_t i = 0; i < m->count; i++) {
        double x = tensor_get(logits, &i);
        c->score[i] = m->by->kind == ROUTED_BY_SIGMOID ? sigmoid(in64, x) : x;
    }
    if (m->by->kind == ROUTED_BY_SOFTMAX)
        softmax(in64, c->score, m->count);
    for (size_t i = 0; i < m->count; i++)
        tensor_set(scores, &i, c->score[i]);
}

static double bias_of_choice(const expert_mix *m, size_t expert)
{
    return m->choice_bias.data == NULL ? 0 : tensor_get(&m->choice_bias, &expert);
}

/* Of a row of scores, the best first. */
static void choose(const expert_mix *m, choosing *c, const tensor *scores, tensor *choice)
{
    size_t n = m->count;
    for (size_t i = 0; i < n; i++)
        c->by[i] = tensor_get(scores, &i) + bias_of_choice(m, i);
    if (m->groups > 0)
        leave_groups(m, c);
    memset(c->is_chosen, 0, n * sizeof c->is_chosen[0]);
    for (size_t i = 0; i < m->top; i++) {
        size_t best = find_best(c->by, c->is_chosen, n);
        c->is_chosen[best] = true;
        tensor_set(choice, &i, (double)best);
    }
}

/* The scores of those that a row has chosen, in the order of their numbers, as their weights follow
 * from them: of ROUTED_BY_LOGITS the softmax; and their sum. */
static double chosen_scores(const expert_mix *m, const kernels *in64, choosing *c,
                            const tensor *scores, const tensor *choice)
{
    size_t chosen = 0;
    double sum = 0;
    memset(c->is_chosen, 0, m->count * sizeof c->is_chosen[0]);
    for (size_t i = 0; i < m->top; i++)
        c->is_chosen[(size_t)tensor_get(choice, &i)] = true;
    for (size_t i = 0; i < m->count; i++) {
        double more = m->slip == MIX_BIASED_WEIGHTS ? bias_of_choice(m, i) : 0;
        if (c->is_chosen[i])
            c->by[chosen++] = tensor_get(scores, &i) + more;
    }
    if (m->by->kind == ROUTED_BY_LOGITS)
        softmax(in64, c->by, chosen);
    for (size_t i = 0; i < chosen; i++)
        sum += c->by[i];
    return sum;
}

/* Of a row; 0 of those that it has not chosen. */
static void make_weights(const expert_mix *m, const kernels *in64, choosing *c,
                         const tensor *scores, const tensor *choice, tensor *weights)
{
    double sum = chosen_scores(m, in64, c, scores, choice);
    size_t chosen = 0;
    for (size_t i = 0; i < m->count; i++) {
        double weight = c->is_chosen[i] ? c->by[chosen++] : 0;
        weight = m->renormalizes && weight != 0 ? weight / sum : weight;
        tensor_set(weights, &i, weight * m->scale);
    }
}

bool expert_mix_shares(const expert_mix *m, const kernels *in64, const tensor *logits,
                       const tensor *chosen, tensor *shares, err *e)
{
    double *of = mem_alloc(m->count, sizeof of[0], e);
    for (size_t i = 0; i < logits->size[0] && of != NULL; i++) {
        size_t count = 0, nth = 0;
        for (size_t k = 0; k < m->count; k++) {
            if (tensor_get(chosen, (size_t[]){0, i, k}) != 0)
                of[count++] = tensor_get(logits, (size_t[]){i, k});
        }
        softmax(in64, of, count);
        for (size_t k = 0; k < m->count; k++) {
            const size_t at[] = {0, i, k};
            tensor_set(shares, at, tensor_get(chosen, at) != 0 ? of[nth++] : 0);
        }
    }
    mem_free(of);
    return of != NULL;
}

/* ---- a row through its experts ---- */

static const text_list NOTHING = {0};
static const keeper KEEPS_NOTHING = {.wanted = &NOTHING};

/* What is worked in. */
typedef struct mixing {
    tensor logits, scores, choice, weights;
    tensor taken, made; /* the rows of one expert */
    tensor beside;      /* chosen experts' outputs side by side, n × top·width */
    size_t *from;       /* the rows that go through it */
    size_t *chosen;     /* each row's experts in the order of their numbers, n × top */
    choosing of_row;
} mixing;

static void close_mixing(mixing *x)
{
    tensor *const all[] = {&x->logits, &x->scores, &x->choice, &x->weights,
                           &x->taken,  &x->made,   &x->beside};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        tensor_free(all[i]);
    mem_free(x->from);
    mem_free(x->chosen);
    close_choosing(&x->of_row);
}

static bool open_mixing(mixing *x, const expert_mix *m, const tensor *of, err *e)
{
    size_t rows = of->size[0];
    const size_t all[] = {rows, m->count}, some[] = {rows, m->top},
                 beside[] = {rows, m->top * m->width};
    *x = (mixing){.from = mem_alloc(rows, sizeof x->from[0], e),
                  .chosen = mem_alloc(rows, m->top * sizeof x->chosen[0], e)};
    return !e->is_set && open_choosing(&x->of_row, m->count, e) &&
           tensor_new(&x->logits, of->type, 2, all, e) &&
           tensor_new(&x->scores, of->type, 2, all, e) &&
           tensor_new(&x->weights, of->type, 2, all, e) &&
           tensor_new(&x->choice, of->type, 2, some, e) &&
           tensor_new(&x->taken, of->type, 2, of->size, e) &&
           tensor_new(&x->made, of->type, 2, of->size, e) &&
           tensor_new(&x->beside, of->type, 2, beside, e);
}

static bool run_router(const expert_mix *m, const kernels *with, const kernels *in64, crew *by,
                       const tensor *x, mixing *to, const keeper *keep, err *e)
{
    const linear_map map = {&m->router, &m->router_bias, m->kept};
    size_t rows = x->size[0];
    if (!linear_map_apply(&map, with, x, &to->logits, NULL, by, e) ||
        !keeper_keep(keep, "router", &to->logits, "bqO", e))
        return false;
    for (size_t i = 0; i < rows; i++) {
        const tensor logits = tensor_at(&to->logits, i);
        tensor scores = tensor_at(&to->scores, i);
        make_scores(m, in64, &to->of_row, &logits, &scores);
    }
    if (m->by->kind != ROUTED_BY_LOGITS && !keeper_keep(keep, "scores", &to->scores, "bqO", e))
        return false;
    for (size_t i = 0; i < rows; i++) {
        const tensor scores = tensor_at(&to->scores, i);
        tensor choice = tensor_at(&to->choice, i);
        choose(m, &to->of_row, &scores, &choice);
    }
    if (!keeper_keep(keep, "choice", &to->choice, "bqO", e))
        return false;
    for (size_t i = 0; i < rows; i++) {
        const tensor scores = tensor_at(&to->scores, i), choice = tensor_at(&to->choice, i);
        tensor weights = tensor_at(&to->weights, i);
        size_t *chosen = &to->chosen[i * m->top];
        make_weights(m, in64, &to->of_row, &scores, &choice, &weights);
        for (size_t k = 0; k < m->count; k++) {
            if (to->of_row.is_chosen[k])
                *chosen++ = k;
        }
    }
    return keeper_keep(keep, "routing", &to->weights, "bqO", e);
}

/* The row's nth chosen expert, in the order of their numbers. */
static size_t chosen_at(const mixing *in, size_t row, size_t nth)
{
    return in->chosen[row * in->choice.size[1] + nth];
}

/* Where the row has an expert among its chosen ones; as many as these are: nowhere. */
static size_t place_of(const mixing *in, size_t row, size_t expert)
{
    size_t nth = 0, top = in->choice.size[1];
    while (nth < top && chosen_at(in, row, nth) != expert)
        nth++;
    return nth;
}

/* The numbers of one in what lies side by side. */
static char *beside_at(const tensor *beside, const mixing *in, size_t row, size_t nth)
{
    size_t width = in->made.size[1];
    return row_at(beside, row) + nth * width * dtype_size(beside->type);
}

/* Those of x that have chosen the expert go into its rows; how many. */
static size_t take_rows_of(const expert_mix *m, size_t expert, const tensor *x, mixing *in)
{
    size_t count = 0, bytes = m->width * dtype_size(x->type);
    for (size_t i = 0; i < x->size[0]; i++) {
        if (place_of(in, i, expert) == m->top)
            continue;
        memcpy(row_at(&in->taken, count), row_at(x, i), bytes);
        in->from[count++] = i;
    }
    return count;
}

/* What each chosen expert makes of its rows. */
static bool run_experts(const expert_mix *m, const kernels *with, crew *by, const tensor *x,
                        mixing *in, const keeper *keep, err *e)
{
    size_t bytes = m->width * dtype_size(x->type);
    for (size_t expert = 0; expert < m->count; expert++) {
        size_t count = take_rows_of(m, expert, x, in);
        if (count == 0)
            continue;
        const tensor taken = tensor_range(&in->taken, 0, 0, count);
        tensor made = tensor_range(&in->made, 0, 0, count);
        for (size_t i = 0; i < count && m->slip == MIX_WEIGHS_ROWS; i++)
            with->weigh(row_at(&taken, i), 1, m->width,
                        tensor_get(&in->weights, (size_t[]){in->from[i], expert}),
                        row_at(&taken, i));
        if (!feed_forward_run(&m->expert[expert], with, by, &taken, &made, &KEEPS_NOTHING, e))
            return false;
        for (size_t i = 0; i < count; i++) {
            size_t row = in->from[i];
            memcpy(beside_at(&in->beside, in, row, place_of(in, row, expert)), row_at(&made, i),
                   bytes);
        }
    }
    return keeper_keep(keep, "experts", &in->beside, "bqO", e);
}

/* Their sum by their weights: each product is rounded, and then the sum. */
static void add_experts(const expert_mix *m, const kernels *with, const mixing *in, tensor *out)
{
    with->fill(out->data, tensor_count(out), 0);
    for (size_t i = 0; i < out->size[0]; i++) {
        for (size_t k = 0; k < m->top; k++) {
            const size_t at[] = {i, chosen_at(in, i, k)};
            char *one = row_at(&in->taken, 0), *to = row_at(out, i);
            double weight = m->slip == MIX_WEIGHS_ROWS ? 1 : tensor_get(&in->weights, at);
            with->weigh(beside_at(&in->beside, in, i, k), 1, m->width, weight, one);
            with->add(to, m->width, one, 1, to);
        }
    }
}

/* What the shared expert's rows count, n × 1. */
static bool run_shared_gate(const expert_mix *m, const kernels *with, const kernels *in64, crew *by,
                            const tensor *x, tensor *gate, err *e)
{
    const linear_map map = {&m->shared_gate, NULL, m->kept};
    if (!tensor_new(gate, x->type, 2, (size_t[]){x->size[0], 1}, e) ||
        !linear_map_apply(&map, with, x, gate, NULL, by, e))
        return false;
    for (size_t i = 0; i < x->size[0]; i++)
        tensor_set(gate, (size_t[]){i, 0}, sigmoid(in64, tensor_get(gate, (size_t[]){i, 0})));
    return true;
}

/* Each row times its number. */
static void weigh_rows(const kernels *with, const tensor *by, tensor *rows)
{
    for (size_t i = 0; i < rows->size[0]; i++)
        with->weigh(row_at(rows, i), 1, rows->size[1], tensor_get(by, (size_t[]){i, 0}),
                    row_at(rows, i));
}

/* The shared expert's rows, times their gate, after all others. */
static bool run_shared(const expert_mix *m, const kernels *with, const kernels *in64, crew *by,
                       const tensor *x, mixing *in, tensor *out, const keeper *keep, err *e)
{
    tensor gate = {0};
    bool done = feed_forward_run(&m->shared, with, by, x, &in->made, &KEEPS_NOTHING, e);
    if (done && m->shared_gate.data != NULL) {
        done = run_shared_gate(m, with, in64, by, x, &gate, e);
        if (done)
            weigh_rows(with, &gate, &in->made);
        tensor_free(&gate);
    }
    if (!done || !keeper_keep(keep, "shared", &in->made, "bqm", e))
        return false;
    with->add(out->data, tensor_count(out), in->made.data, 1, out->data);
    return true;
}

bool expert_mix_run(const expert_mix *m, const kernels *with, const kernels *in64, crew *by,
                    const tensor *x, tensor *out, const keeper *keep, err *e)
{
    mixing in;
    bool done = open_mixing(&in, m, x, e) && run_router(m, with, in64, by, x, &in, keep, e) &&
                run_experts(m, with, by, x, &in, keep, e);
    if (done)
        add_experts(m, with, &in, out);
    done = done && (!m->has_shared || run_shared(m, with, in64, by, x, &in, out, keep, e)) &&
           keeper_keep(keep, "output", out, "bqm", e);
    close_mixing(&in);
    return done;
}

/* ---- the way back ---- */

const entry *expert_given(const bundle *experts, size_t number)
{
    char name[24];
    snprintf(name, sizeof name, "%zu", number + 1);
    return bundle_find(experts, name);
}

/* Gradients that are gathered. */
typedef struct mixed_back {
    tensor beside;                  /* of chosen experts' outputs, side by side */
    tensor weights, scores, logits; /* n × count */
    tensor rows;                    /* n × width */
} mixed_back;

static void close_back(mixed_back *b)
{
    tensor_free(&b->beside);
    tensor_free(&b->weights);
    tensor_free(&b->scores);
    tensor_free(&b->logits);
    tensor_free(&b->rows);
}

static bool open_back(mixed_back *b, const way_back *g, const mixing *in, err *e)
{
    *b = (mixed_back){0};
    return gradient_open(g, &in->beside, &b->beside, e) &&
           gradient_open(g, &in->weights, &b->weights, e) &&
           gradient_open(g, &in->scores, &b->scores, e) &&
           gradient_open(g, &in->logits, &b->logits, e) &&
           gradient_open(g, &in->taken, &b->rows, e);
}

/* Σ a·b in float64, in index order. */
static double sum_of_products(const void *a, const void *b, dtype type, size_t n)
{
    const tensor x = {.type = type, .rank = 1, .size = {n}, .stride = {1}, .data = (void *)a},
                 y = {.type = type, .rank = 1, .size = {n}, .stride = {1}, .data = (void *)b};
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += tensor_get(&x, &i) * tensor_get(&y, &i);
    return sum;
}

/* To what experts made, by their weights, and to the weights, by what they made. */
static void sum_back(const expert_mix *m, const way_back *g, const mixing *in, const tensor *grad,
                     mixed_back *b)
{
    for (size_t i = 0; i < grad->size[0]; i++) {
        for (size_t k = 0; k < m->top; k++) {
            const size_t at[] = {i, chosen_at(in, i, k)};
            tensor_set(&b->weights, at,
                       sum_of_products(row_at(grad, i), beside_at(&in->beside, in, i, k), g->type,
                                       m->width));
            g->with->weigh(row_at(grad, i), 1, m->width, tensor_get(&in->weights, at),
                           beside_at(&b->beside, in, i, k));
        }
    }
}

/* Of a row: from its weights to its scores, and to its logits. Each weight is its score, divided by
 * the sum of those of the chosen where that is so, times the factor. */
static void route_back(const expert_mix *m, const kernels *in64, choosing *c, const tensor *scores,
                       const tensor *choice, const tensor *of_weights, tensor *of_scores,
                       tensor *of_logits)
{
    double sum = chosen_scores(m, in64, c, scores, choice), mean = 0, along = 0;
    size_t n = m->count, chosen = 0;
    bool is_softmax = m->by->kind != ROUTED_BY_SIGMOID;
    /* What each score is: of ROUTED_BY_LOGITS those of the chosen ones alone. */
    for (size_t i = 0; i < n; i++) {
        double of_chosen = c->is_chosen[i] ? c->by[chosen++] : 0;
        c->score[i] = m->by->kind == ROUTED_BY_LOGITS ? of_chosen : tensor_get(scores, &i);
    }
    for (size_t i = 0; i < n; i++) {
        c->by[i] = tensor_get(of_weights, &i) * m->scale;
        mean += c->is_chosen[i] && sum > 0 ? c->by[i] * (c->score[i] / sum) : 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (m->renormalizes)
            c->by[i] = c->is_chosen[i] && sum > 0 ? (c->by[i] - mean) / sum : 0;
        if (m->by->kind != ROUTED_BY_LOGITS) {
            tensor_set(of_scores, &i, c->by[i]);
            c->by[i] = tensor_get(of_scores, &i);
        }
        along += c->by[i] * c->score[i];
    }
    for (size_t i = 0; i < n; i++)
        tensor_set(of_logits, &i,
                   is_softmax ? c->score[i] * (c->by[i] - along)
                              : c->by[i] * (c->score[i] * (1 - c->score[i])));
}

/* Of the rows that parameters gain from, those among some rows. */
static row_span span_among(const row_span *of, const size_t *rows, size_t count)
{
    row_span among = {.is_some = of->is_some};
    for (size_t i = 0; i < count; i++) {
        among.first += rows[i] < of->first;
        among.count += rows[i] >= of->first && rows[i] - of->first < of->count;
    }
    return among;
}

/* a = a + b */
static void add_rows(const way_back *g, tensor *a, const tensor *b)
{
    row_job j = {.work = rows_add, .with = g->with, .a = a, .b = b, .out = a};
    rows_run(&j, SUM_COST, g->by);
}

/* Through one expert, from the rows that have chosen it to what they gain. */
static bool one_back(const expert_mix *m, size_t expert, const way_back *g, const bundle *experts,
                     const tensor *x, mixing *in, mixed_back *b, const keeper *of_layer, err *e)
{
    char name[32];
    snprintf(name, sizeof name, "experts.%zu", expert);
    const keeper own = keeper_within(of_layer, name);
    const bundle *has = expert_given(experts, expert)->bundle;
    size_t count = take_rows_of(m, expert, x, in), bytes = m->width * dtype_size(x->type);
    bool done = true;
    for (size_t i = 0; i < has->count && count == 0 && done; i++)
        done = gradient_of_unused(g, &own, has, has->entry[i].name, e);
    if (count == 0)
        return done;
    row_span gained[GAINERS];
    for (gainer of = 0; of < GAINERS; of++)
        gained[of] = span_among(&g->gained[of], in->from, count);
    way_back some = *g;
    some.gained = gained;
    const tensor taken = tensor_range(&in->taken, 0, 0, count);
    tensor made = tensor_range(&in->made, 0, 0, count);
    for (size_t i = 0; i < count; i++) {
        size_t row = in->from[i];
        memcpy(row_at(&made, i), beside_at(&b->beside, in, row, place_of(in, row, expert)), bytes);
    }
    if (!feed_forward_back(&m->expert[expert], &some, has, &taken, &made, &own, &KEEPS_NOTHING, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        char *to = row_at(&b->rows, in->from[i]);
        g->with->add(to, m->width, row_at(&made, i), 1, to);
    }
    return true;
}

/* To a matrix of x·W that rows went through next to the experts, and by it to the rows. */
static bool product_back(const way_back *g, const bundle *own, const char *of_key, const tensor *w,
                         const tensor *x, const tensor *dy, mixing *in, tensor *rows,
                         const keeper *of_layer, err *e)
{
    const tensor turned = tensor_transposed(w);
    if (!gradient_of_weight(g, of_layer, own, of_key, w, x, dy, e) ||
        !multiply(g->with, dy, &turned, NULL, &in->made, g->by, e))
        return false;
    add_rows(g, rows, &in->made);
    return true;
}

/* Through the shared expert and its gate. */
static bool shared_back(const expert_mix *m, const way_back *g, const bundle *own, const tensor *x,
                        mixing *in, mixed_back *b, const tensor *grad, const keeper *of_layer,
                        const keeper *keep, err *e)
{
    const keeper within = keeper_within(of_layer, "shared");
    const bundle *has = bundle_find(own, "shared")->bundle;
    bool is_gated = m->shared_gate.data != NULL;
    tensor gate = {0}, of_gate = {0}, of_made = {0};
    bool done = tensor_new_copy(&of_made, grad, e) &&
                (!is_gated ||
                 (feed_forward_run(&m->shared, g->with, g->by, x, &in->made, &KEEPS_NOTHING, e) &&
                  run_shared_gate(m, g->with, g->in64, g->by, x, &gate, e) &&
                  tensor_new(&of_gate, g->type, 2, gate.size, e)));
    for (size_t i = 0; i < grad->size[0] && done && is_gated; i++) {
        const size_t at[] = {i, 0};
        double open = tensor_get(&gate, at);
        tensor_set(&of_gate, at,
                   sum_of_products(row_at(grad, i), row_at(&in->made, i), g->type, m->width) *
                       (open * (1 - open)));
    }
    if (done && is_gated)
        weigh_rows(g->with, &gate, &of_made);
    done = done &&
           (!is_gated || keeper_keep(keep, gradient_of("shared_gate").text, &of_gate, "bqO", e)) &&
           feed_forward_back(&m->shared, g, has, x, &of_made, &within, &KEEPS_NOTHING, e);
    if (done)
        add_rows(g, &b->rows, &of_made);
    done = done && (!is_gated || product_back(g, own, "shared_gate", &m->shared_gate, x, &of_gate,
                                              in, &b->rows, of_layer, e));
    tensor_free(&gate);
    tensor_free(&of_gate);
    tensor_free(&of_made);
    return done;
}

bool expert_mix_back(const expert_mix *m, const way_back *g, const bundle *own, const tensor *x,
                     tensor *grad, const keeper *of_layer, const keeper *keep, err *e)
{
    const bundle *experts = bundle_find(own, "experts")->bundle;
    mixed_back b = {0};
    mixing in;
    bool done = keeper_keep(keep, "output_grad", grad, "bqm", e) && open_mixing(&in, m, x, e) &&
                open_back(&b, g, &in, e) &&
                run_router(m, g->with, g->in64, g->by, x, &in, &KEEPS_NOTHING, e) &&
                run_experts(m, g->with, g->by, x, &in, &KEEPS_NOTHING, e);
    if (done)
        sum_back(m, g, &in, grad, &b);
    done = done && keeper_keep(keep, "experts_grad", &b.beside, "bqO", e) &&
           keeper_keep(keep, "routing_grad", &b.weights, "bqO", e);
    for (size_t i = 0; i < m->count && done; i++)
        done = one_back(m, i, g, experts, x, &in, &b, of_layer, e);
    done = done && (!m->has_shared || shared_back(m, g, own, x, &in, &b, grad, of_layer, keep, e));
    for (size_t i = 0; i < x->size[0] && done; i++) {
        const tensor scores = tensor_at(&in.scores, i), choice = tensor_at(&in.choice, i),
                     of_weights = tensor_at(&b.weights, i);
        tensor of_scores = tensor_at(&b.scores, i), of_logits = tensor_at(&b.logits, i);
        route_back(m, g->in64, &in.of_row, &scores, &choice, &of_weights, &of_scores, &of_logits);
    }
    done = done &&
           (m->by->kind == ROUTED_BY_LOGITS ||
            keeper_keep(keep, "scores_grad", &b.scores, "bqO", e)) &&
           keeper_keep(keep, "router_grad", &b.logits, "bqO", e) &&
           gradient_of_bias(g, GAINER_BIAS, of_layer, own, "router_bias", &b.logits, e) &&
           product_back(g, own, "router", &m->router, x, &b.logits, &in, &b.rows, of_layer, e);
    if (done)
        tensor_copy(&b.rows, grad);
    close_back(&b);
    close_mixing(&in);
    return done && keeper_keep(keep, "x_grad", grad, "bqm", e);
}

/* ---- what it makes, and its memory ---- */

bool expert_mix_tell(const walk *w, const stage_way *way, const expert_mix *m)
{
    return walk_tell(w, way, "router", m->count) &&
           (m->by->kind == ROUTED_BY_LOGITS || walk_tell(w, way, "scores", m->count)) &&
           walk_tell(w, way, "choice", m->top) && walk_tell(w, way, "routing", m->count) &&
           walk_tell(w, way, "experts", m->top * m->width) &&
           (!m->has_shared || walk_tell(w, way, "shared", m->width)) &&
           walk_tell(w, way, "output", m->width);
}

size_t expert_mix_memory(const expert_mix *m, const kernels *with, dtype type, size_t rows,
                         size_t threads)
{
    enum { OF_EXPERTS = 3 }; /* logits, scores and weights */
    size_t largest = m->has_shared ? feed_forward_memory(&m->shared, with, type, rows, threads) : 0;
    for (size_t i = 0; i < m->count; i++)
        largest =
            size_larger(largest, feed_forward_memory(&m->expert[i], with, type, rows, threads));
    size_t columns = OF_EXPERTS * m->count + (m->top + 2) * m->width;
    return size_sum(largest, tensor_bytes(type, 2, (size_t[]){rows, columns}));
}

size_t expert_mix_back_memory(const expert_mix *m, dtype type, size_t rows)
{
    enum { OF_EXPERTS = 3, OF_ROWS = 2 }; /* of weights, scores, logits; of rows, and of shared */
    size_t largest = m->has_shared ? feed_forward_back_memory(&m->shared, type, rows) : 0;
    for (size_t i = 0; i < m->count; i++)
        largest = size_larger(largest, feed_forward_back_memory(&m->expert[i], type, rows));
    size_t columns = OF_EXPERTS * m->count + (m->top + OF_ROWS) * m->width;
    return size_sum(largest, tensor_bytes(type, 2, (size_t[]){rows, columns}));
}
