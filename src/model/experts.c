#include "model/experts.h"

#include "base/mem.h"
#include "model/row_job.h"

#include <math.h>
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

/* A group counts as its two best do together; what is in none of the best groups is chosen by 0, as
 * modeling_deepseek_v3 has it. */
static void leave_groups(const expert_mix *m, choosing *c)
{
    size_t each = m->count / m->groups;
    memset(c->is_chosen, 0, m->count * sizeof c->is_chosen[0]);
    memset(c->is_group, 0, m->groups * sizeof c->is_group[0]);
    for (size_t g = 0; g < m->groups; g++) {
        const double *of = &c->by[g * each];
        size_t first = find_best(of, &c->is_chosen[g * each], each);
        c->is_chosen[g * each + first] = true;
        c->group[g] = of[first] + of[find_best(of, &c->is_chosen[g * each], each)];
    }
    for (size_t i = 0; i < m->top_groups; i++)
        c->is_group[find_best(c->group, c->is_group, m->groups)] = true;
    for (size_t i = 0; i < m->count; i++)
        c->by[i] = c->is_group[i / each] ? c->by[i] : 0;
}

/* From the logits of a row to its scores, the choice and the weights, each a row of its matrix. */
static void route(const expert_mix *m, const kernels *in64, choosing *c, const tensor *logits,
                  tensor *scores, tensor *choice, tensor *weights)
{
    size_t n = m->count;
    for (size_t i = 0; i < n; i++)
        c->score[i] = tensor_get(logits, &i);
    if (m->by->kind == ROUTED_BY_SOFTMAX)
        softmax(in64, c->score, n);
    for (size_t i = 0; i < n; i++) {
        if (m->by->kind == ROUTED_BY_SIGMOID)
            c->score[i] = sigmoid(in64, c->score[i]);
        tensor_set(scores, &i, c->score[i]);
        c->score[i] = tensor_get(scores, &i);
        c->by[i] =
            c->score[i] + (m->choice_bias.data == NULL ? 0 : tensor_get(&m->choice_bias, &i));
    }
    if (m->groups > 0)
        leave_groups(m, c);
    memset(c->is_chosen, 0, n * sizeof c->is_chosen[0]);
    for (size_t i = 0; i < m->top; i++) {
        size_t best = find_best(c->by, c->is_chosen, n);
        c->is_chosen[best] = true;
        tensor_set(choice, &i, (double)best);
    }
    size_t chosen = 0;
    for (size_t i = 0; i < n; i++) {
        if (c->is_chosen[i])
            c->by[chosen++] = c->score[i];
    }
    double sum = 0;
    if (m->by->kind == ROUTED_BY_LOGITS)
        softmax(in64, c->by, chosen);
    else
        for (size_t i = 0; i < chosen; i++)
            sum += c->by[i];
    chosen = 0;
    for (size_t i = 0; i < n; i++) {
        double weight = c->is_chosen[i] ? c->by[chosen++] : 0;
        weight = m->renormalizes && weight != 0 ? weight / sum : weight;
        tensor_set(weights, &i, weight * m->scale);
    }
}

/* ---- a row through its experts ---- */

/* What is worked in. */
typedef struct mixing {
    tensor logits, scores, choice, weights;
    tensor taken, made; /* the rows of one expert */
    tensor beside; /* chosen experts' outputs side by side, n × top·width; no data: not kept */
    size_t *from;  /* the rows that go through it */
    choosing of_row;
} mixing;

static void close_mixing(mixing *x)
{
    tensor *const all[] = {&x->logits, &x->scores, &x->choice, &x->weights,
                           &x->taken,  &x->made,   &x->beside};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        tensor_free(all[i]);
    mem_free(x->from);
    close_choosing(&x->of_row);
}

static bool open_mixing(mixing *x, const expert_mix *m, const tensor *of, const keeper *keep,
                        err *e)
{
    size_t rows = of->size[0];
    const size_t all[] = {rows, m->count}, some[] = {rows, m->top},
                 beside[] = {rows, m->top * m->width};
    *x = (mixing){.from = mem_alloc(rows, sizeof x->from[0], e)};
    return x->from != NULL && open_choosing(&x->of_row, m->count, e) &&
           tensor_new(&x->logits, of->type, 2, all, e) &&
           tensor_new(&x->scores, of->type, 2, all, e) &&
           tensor_new(&x->weights, of->type, 2, all, e) &&
           tensor_new(&x->choice, of->type, 2, some, e) &&
           tensor_new(&x->taken, of->type, 2, of->size, e) &&
           tensor_new(&x->made, of->type, 2, of->size, e) &&
           (!keeper_wants(keep, "experts") || tensor_new(&x->beside, of->type, 2, beside, e));
}

static bool run_router(const expert_mix *m, const kernels *with, const kernels *in64, crew *by,
                       const tensor *x, mixing *to, const keeper *keep, err *e)
{
    const linear_map map = {&m->router, &m->router_bias, m->kept};
    if (!linear_map_apply(&map, with, x, &to->logits, NULL, by, e) ||
        !keeper_keep(keep, "router", &to->logits, "bqO", e))
        return false;
    for (size_t i = 0; i < x->size[0]; i++) {
        const tensor logits = tensor_at(&to->logits, i);
        tensor scores = tensor_at(&to->scores, i), choice = tensor_at(&to->choice, i),
               weights = tensor_at(&to->weights, i);
        route(m, in64, &to->of_row, &logits, &scores, &choice, &weights);
    }
    return (m->by->kind == ROUTED_BY_LOGITS ||
            keeper_keep(keep, "scores", &to->scores, "bqO", e)) &&
           keeper_keep(keep, "choice", &to->choice, "bqO", e) &&
           keeper_keep(keep, "routing", &to->weights, "bqO", e);
}

/* Where the row's e-th expert stands among its chosen ones, in the order of their numbers. */
static size_t place_among(const tensor *choice, size_t row, size_t expert)
{
    size_t before = 0;
    for (size_t i = 0; i < choice->size[1]; i++)
        before += tensor_get(choice, (size_t[]){row, i}) < (double)expert;
    return before;
}

/* Adds to the rows that have chosen the expert what it makes of them, by its weight: the product is
 * rounded, and then the sum. */
static bool run_expert(const expert_mix *m, size_t expert, const kernels *with, crew *by,
                       const tensor *x, mixing *in, tensor *out, err *e)
{
    static const text_list NOTHING = {0};
    const keeper none = {.wanted = &NOTHING};
    size_t count = 0, width = m->width, bytes = width * dtype_size(x->type);
    for (size_t i = 0; i < x->size[0]; i++) {
        bool is_chosen = false;
        for (size_t k = 0; k < m->top; k++)
            is_chosen = is_chosen || tensor_get(&in->choice, (size_t[]){i, k}) == (double)expert;
        if (is_chosen)
            in->from[count++] = i;
    }
    if (count == 0)
        return true;
    tensor taken = tensor_range(&in->taken, 0, 0, count),
           made = tensor_range(&in->made, 0, 0, count);
    for (size_t i = 0; i < count; i++)
        memcpy(row_at(&taken, i), row_at(x, in->from[i]), bytes);
    if (!feed_forward_run(&m->expert[expert], with, by, &taken, &made, &none, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t row = in->from[i], at = place_among(&in->choice, row, expert);
        char *one = row_at(&made, i);
        if (in->beside.data != NULL)
            memcpy(row_at(&in->beside, row) + at * bytes, one, bytes);
        with->weigh(one, 1, width, tensor_get(&in->weights, (size_t[]){row, expert}), one);
        with->add(row_at(out, row), width, one, 1, row_at(out, row));
    }
    return true;
}

/* The shared expert's rows, times their gate, after all others. */
static bool run_shared(const expert_mix *m, const kernels *with, const kernels *in64, crew *by,
                       const tensor *x, mixing *in, tensor *out, const keeper *keep, err *e)
{
    static const text_list NOTHING = {0};
    const keeper none = {.wanted = &NOTHING};
    const linear_map map = {&m->shared_gate, NULL, m->kept};
    size_t rows = x->size[0];
    tensor gate = {0};
    bool done = feed_forward_run(&m->shared, with, by, x, &in->made, &none, e);
    if (done && m->shared_gate.data != NULL) {
        done = tensor_new(&gate, x->type, 2, (size_t[]){rows, 1}, e) &&
               linear_map_apply(&map, with, x, &gate, NULL, by, e);
        for (size_t i = 0; done && i < rows; i++) {
            size_t at[] = {i, 0};
            tensor_set(&gate, at, sigmoid(in64, tensor_get(&gate, at)));
            with->weigh(row_at(&in->made, i), 1, m->width, tensor_get(&gate, at),
                        row_at(&in->made, i));
        }
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
    bool done = open_mixing(&in, m, x, keep, e) && run_router(m, with, in64, by, x, &in, keep, e);
    with->fill(out->data, tensor_count(out), 0);
    for (size_t i = 0; done && i < m->count; i++)
        done = run_expert(m, i, with, by, x, &in, out, e);
    done = done && (in.beside.data == NULL || keeper_keep(keep, "experts", &in.beside, "bqO", e)) &&
           (!m->has_shared || run_shared(m, with, in64, by, x, &in, out, keep, e)) &&
           keeper_keep(keep, "output", out, "bqm", e);
    close_mixing(&in);
    return done;
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
