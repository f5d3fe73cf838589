/* Mixtures of experts, as selfattn-document(5) has them: scores of a router, the best of them, and
 * the sum of what these make by their weights (Shazeer et al. 2017; DeepSeek-AI 2024, section
 * 2.1.2). */
#include "ref/ref_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void softmax(long double *x, size_t n)
{
    long double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmaxl(most, x[i]);
    for (size_t i = 0; i < n; i++)
        sum += x[i] = expl(x[i] - most);
    for (size_t i = 0; i < n; i++)
        x[i] /= sum;
}

/* The greatest, whose place is taken out; of equal ones the first. */
static size_t take_best(long double *by, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = by[i] > by[best] ? i : best;
    by[best] = -INFINITY;
    return best;
}

/* Those of groups that are not among the best become 0. */
static void leave_groups(const ref_experts *e, long double *by)
{
    long double group[REF_EXPERTS_MOST];
    bool stays[REF_EXPERTS_MOST] = {false};
    size_t each = e->count / e->groups;
    for (size_t g = 0; g < e->groups; g++) {
        long double of[REF_EXPERTS_MOST];
        memcpy(of, by + g * each, each * sizeof of[0]);
        group[g] = 0;
        for (size_t i = 0; i < e->top_of_group; i++) {
            size_t best = take_best(of, each);
            group[g] += by[g * each + best];
        }
    }
    for (size_t i = 0; i < e->top_groups; i++)
        stays[take_best(group, e->groups)] = true;
    for (size_t i = 0; i < e->count; i++)
        by[i] = stays[i / each] ? by[i] : 0;
}

/* Of a row of scores: the numbers of its experts, the best first, and the weights of all. */
static void choose(const flow *f, const ref_experts *e, const long double *score,
                   long double *choice, long double *weight)
{
    long double by[REF_EXPERTS_MOST], some[REF_EXPERTS_MOST], sum = 0;
    size_t nth = 0, chosen[REF_EXPERTS_MOST];
    for (size_t i = 0; i < e->count; i++) {
        by[i] = score[i] + (e->choice_bias.at == NULL ? 0 : (long double)e->choice_bias.at[i]);
        some[i] = flow_makes(f, "choice bias in weights") ? by[i] : score[i];
        weight[i] = 0;
    }
    if (e->groups > 0)
        leave_groups(e, by);
    for (size_t i = 0; i < e->top; i++) {
        chosen[i] = take_best(by, e->count);
        choice[i] = (long double)chosen[i];
    }
    for (nth = 0; nth < e->top; nth++)
        weight[nth] = some[chosen[nth]];
    for (nth = 0; nth < e->top; nth++)
        some[nth] = weight[nth];
    if (ref_word_is(e->routing, "top-softmax"))
        softmax(some, e->top);
    for (nth = 0; nth < e->top; nth++)
        sum += some[nth];
    for (size_t i = 0; i < e->count; i++)
        weight[i] = 0;
    for (nth = 0; nth < e->top; nth++)
        weight[chosen[nth]] = some[nth] / (e->divides ? sum : 1) * e->scale;
}

static void make_scores(const ref_experts *e, rows *logits)
{
    bool is_sigmoid = ref_word_is(e->routing, "sigmoid");
    for (size_t i = 0; i < logits->n * logits->width && is_sigmoid; i++)
        logits->at[i] = 1 / (1 + expl(-logits->at[i]));
    for (size_t i = 0; i < logits->n && !is_sigmoid; i++)
        softmax(logits->at + i * logits->width, logits->width);
}

/* One row through one expert. */
static rows one_through(flow *f, const ref_layer *l, size_t expert, const char *activation,
                        const long double *x, long double factor)
{
    rows one = rows_new(1, f->x.width);
    for (size_t k = 0; k < one.width; k++)
        one.at[k] = x[k] * factor;
    rows made = flow_through(f, expert == 0 ? &l->feed_forward : &l->experts.after[expert - 1],
                             activation, &one, false);
    free(one.at);
    return made;
}

void flow_mix(flow *f, const ref_layer *l, const char *activation)
{
    const ref_experts *e = &l->experts;
    bool is_out_in = ref_word_is(f->stack->layout, "out-in"),
         is_early = flow_makes(f, "weights on rows");
    size_t n = f->x.n, width = f->x.width;
    rows scores = flow_product(&f->x, &e->router, &e->router_bias, is_out_in),
         choice = rows_new(n, e->top), weights = rows_new(n, e->count),
         beside = rows_new(n, e->top * width), out = rows_new(n, width);
    flow_keep(f, "ffn.router", &scores);
    if (!ref_word_is(e->routing, "top-softmax")) {
        make_scores(e, &scores);
        flow_keep(f, "ffn.scores", &scores);
    }
    for (size_t i = 0; i < n; i++) {
        long double *weight = weights.at + i * e->count;
        size_t nth = 0;
        choose(f, e, scores.at + i * e->count, choice.at + i * e->top, weight);
        for (size_t k = 0; k < width; k++)
            out.at[i * width + k] = 0;
        for (size_t expert = 0; expert < e->count; expert++) {
            bool is_chosen = false;
            for (size_t k = 0; k < e->top; k++)
                is_chosen = is_chosen || choice.at[i * e->top + k] == (long double)expert;
            if (!is_chosen)
                continue;
            rows made = one_through(f, l, expert, activation, f->x.at + i * width,
                                    is_early ? weight[expert] : 1);
            for (size_t k = 0; k < width; k++) {
                beside.at[(i * e->top + nth) * width + k] = made.at[k];
                out.at[i * width + k] += made.at[k] * (is_early ? 1 : weight[expert]);
            }
            nth++;
            free(made.at);
        }
    }
    flow_keep(f, "ffn.choice", &choice);
    flow_keep(f, "ffn.routing", &weights);
    flow_keep(f, "ffn.experts", &beside);
    if (e->shared.w1.at != NULL) {
        static const ref_array NONE = {0};
        rows shared = flow_through(f, &e->shared, activation, &f->x, false);
        if (e->shared_gate.at != NULL) {
            rows gate = flow_product(&f->x, &e->shared_gate, &NONE, is_out_in);
            for (size_t i = 0; i < n * width; i++)
                shared.at[i] /= 1 + expl(-gate.at[i / width]);
            free(gate.at);
        }
        flow_keep(f, "ffn.shared", &shared);
        for (size_t i = 0; i < n * width; i++)
            out.at[i] += shared.at[i];
        free(shared.at);
    }
    flow_keep(f, "ffn.output", &out);
    free(scores.at);
    free(choice.at);
    free(weights.at);
    free(beside.at);
    free(f->x.at);
    f->x = out;
}
