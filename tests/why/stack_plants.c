#include "why/stack_plants.h"

#include "why/plants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const ORDERS[] = {"pre", "post"}, *const KINDS[] = {"layer", "rms"},
                         *const ACTIVATIONS[] = {"relu", "gelu", "gelu_tanh", "silu"};

/* ---- conditions ---- */

static bool whole(stack_planting *of)
{
    return of->is_whole;
}

static bool several_layers(stack_planting *of)
{
    return of->is_whole && of->s->layers > 1;
}

static bool one_layer(stack_planting *of)
{
    return !of->is_whole;
}

static bool not_seed(stack_planting *of)
{
    return !ref_word_is(of->s->order, "seed");
}

static bool has_positions(stack_planting *of)
{
    return of->is_whole && (of->s->adds_sinusoids || of->s->positions.at != NULL);
}

static bool has_next_position(stack_planting *of)
{
    const ref_stack *s = of->s;
    size_t n = s->x.size[s->x.rank - 2];
    return has_positions(of) && (s->positions.at == NULL || s->positions.size[0] > s->offset + n);
}

static bool no_memory(stack_planting *of)
{
    return of->is_whole && of->s->memory.at == NULL;
}

static bool only_sinusoids(stack_planting *of)
{
    const ref_array *x = &of->s->x;
    return of->is_whole && of->s->adds_sinusoids && of->s->positions.at == NULL &&
           x->size[x->rank - 1] % 2 == 0;
}

/* ---- norms ---- */

static bool order(stack_planting *of)
{
    ref_stack *s = of->s;
    if (!not_seed(of))
        return false;
    for (size_t i = of->first; i < of->end; i++)
        s->layer[i].order = ORDERS[of->with];
    return true;
}

static bool drop_final(stack_planting *of)
{
    bool is_there = of->s->final.is_there;
    of->s->final.is_there = false;
    return is_there && of->is_whole;
}

static bool add_final(stack_planting *of)
{
    bool is_there = of->s->final.is_there;
    of->s->final.is_there = true;
    return !is_there && of->is_whole;
}

static bool drop_first(stack_planting *of)
{
    bool is_there = of->s->first.is_there;
    of->s->first.is_there = false;
    return is_there && of->is_whole;
}

static size_t norms_of(const ref_stack *s, const ref_layer *l)
{
    if (ref_word_is(s->order, "seed"))
        return 2;
    return 1u + (l->has_cross ? 1u : 0u) + (l->feed_forward.w1.at != NULL ? 1u : 0u);
}

static bool swap_norms(stack_planting *of)
{
    size_t one = (size_t)of->with / 10, other = (size_t)of->with % 10;
    for (size_t i = of->first; i < of->end; i++) {
        ref_layer *l = &of->s->layer[i];
        ref_norm kept = l->norm[one - 1];
        if (norms_of(of->s, l) < other)
            continue;
        l->norm[one - 1] = l->norm[other - 1];
        l->norm[other - 1] = kept;
    }
    return true;
}

static void drop(double **at)
{
    free(*at);
    *at = NULL;
}

typedef void (*norm_change)(ref_norm *n, int with);

static void each_norm(stack_planting *of, norm_change change)
{
    for (size_t i = of->first; i < of->end; i++) {
        for (size_t j = 0; j < REF_NORMS; j++)
            change(&of->s->layer[i].norm[j], of->with);
    }
    if (of->is_whole) {
        change(&of->s->first, of->with);
        change(&of->s->final, of->with);
    }
}

static void drop_bias(ref_norm *n, int with)
{
    (void)with;
    drop(&n->bias);
}

/* An RMSNorm has no bias. */
static bool kind(stack_planting *of)
{
    const char *word = KINDS[of->with];
    for (size_t i = of->first; i < of->end; i++)
        of->s->layer[i].norm_kind = word;
    if (of->is_whole)
        of->s->norm_kind = word;
    if (of->with == 1)
        each_norm(of, drop_bias);
    return true;
}

static void set_eps(ref_norm *n, int with)
{
    n->has_eps = true;
    n->eps = with == 0 ? 0 : pow(10, -with);
}

static bool eps(stack_planting *of)
{
    each_norm(of, set_eps);
    return true;
}

static void drop_affine(ref_norm *n, int with)
{
    if (with & 1)
        drop(&n->gain);
    if (with & 2)
        drop(&n->bias);
}

static bool affine(stack_planting *of)
{
    each_norm(of, drop_affine);
    return true;
}

/* ---- parts ---- */

static bool same_sizes(const ref_array *a, const ref_array *b)
{
    return a->rank == b->rank && memcmp(a->size, b->size, sizeof a->size) == 0;
}

static bool same_weights(stack_planting *of)
{
    for (size_t i = of->first; i < of->end; i++) {
        const ref_layer *l = &of->s->layer[i];
        for (ref_input w = REF_WQ; w <= REF_WO && l->has_cross; w++) {
            if (!same_sizes(&l->attention.in[w], &l->cross.in[w]))
                return false;
        }
    }
    return true;
}

/* ---- feed-forward parts ---- */

typedef void (*feed_forward_change)(stack_planting *of, ref_feed_forward *f);

static bool each_feed_forward(stack_planting *of, feed_forward_change change)
{
    for (size_t i = of->first; i < of->end; i++) {
        ref_experts *e = &of->s->layer[i].experts;
        if (of->s->layer[i].feed_forward.w1.at != NULL)
            change(of, &of->s->layer[i].feed_forward);
        for (size_t j = 0; j + 1 < e->count; j++)
            change(of, &e->after[j]);
        if (e->shared.w1.at != NULL)
            change(of, &e->shared);
    }
    if (of->is_whole && of->s->end.w1.at != NULL)
        change(of, &of->s->end);
    return true;
}

static bool activation(stack_planting *of)
{
    for (size_t i = of->first; i < of->end; i++)
        of->s->layer[i].activation = ACTIVATIONS[of->with];
    if (of->is_whole)
        of->s->activation = ACTIVATIONS[of->with];
    return true;
}

static void drop_array(ref_array *a)
{
    free(a->at);
    *a = (ref_array){0};
}

static void drop_biases(stack_planting *of, ref_feed_forward *f)
{
    if (of->with & 1)
        drop_array(&f->b1);
    if (of->with & 2)
        drop_array(&f->b2);
}

static bool biases(stack_planting *of)
{
    return each_feed_forward(of, drop_biases);
}

static void exchange_gate(stack_planting *of, ref_feed_forward *f)
{
    ref_array kept = f->w1;
    (void)of;
    if (f->w3.at == NULL)
        return;
    f->w1 = f->w3;
    f->w3 = kept;
}

static bool gate(stack_planting *of)
{
    return each_feed_forward(of, exchange_gate);
}

/* The file's numbers are read in the other layout. */
static void turn(ref_array *w)
{
    size_t rows = w->size[0], columns = w->size[1];
    double *old = w->at;
    if (old == NULL)
        return;
    w->at = ref_alloc(rows * columns, sizeof old[0]);
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++)
            w->at[row * columns + column] = old[column * rows + row];
    free(old);
}

static void turn_weights(stack_planting *of, ref_feed_forward *f)
{
    if (of->with & 1)
        turn(&f->w1);
    if (of->with & 2)
        turn(&f->w2);
    if (of->with == 3)
        turn(&f->w3);
}

static bool transpose(stack_planting *of)
{
    return each_feed_forward(of, turn_weights);
}

/* ---- experts ---- */

/* Of a layer that has some; false: it can't be made there. */
typedef bool (*experts_change)(ref_experts *e, int with);

static bool each_experts(stack_planting *of, experts_change change)
{
    bool is_any = false;
    for (size_t i = of->first; i < of->end; i++) {
        ref_experts *e = &of->s->layer[i].experts;
        is_any = (e->count > 0 && change(e, of->with)) || is_any;
    }
    return is_any;
}

static bool is_of_top(const ref_experts *e)
{
    return ref_word_is(e->routing, "top-softmax");
}

static bool divide_weights(ref_experts *e, int with)
{
    bool did = e->divides || is_of_top(e);
    e->routing = is_of_top(e) ? "softmax" : e->routing;
    e->divides = with == 1;
    return did != e->divides;
}

static bool divided(stack_planting *of)
{
    return each_experts(of, divide_weights);
}

static bool take_scores(ref_experts *e, int with)
{
    bool had_sigmoid = ref_word_is(e->routing, "sigmoid");
    if (had_sigmoid == (with == 1))
        return false;
    e->divides = e->divides || is_of_top(e);
    e->routing = with == 1 ? "sigmoid" : "softmax";
    return true;
}

static bool other_scores(stack_planting *of)
{
    return each_experts(of, take_scores);
}

/* with: 2 one more, 0 one less */
static bool take_more(ref_experts *e, int with)
{
    size_t most = e->groups > 0 ? e->count / e->groups * e->top_groups : e->count,
           top = e->top + (size_t)with - 1;
    if (top < 1 || top > most)
        return false;
    e->top = top;
    return true;
}

static bool more_experts(stack_planting *of)
{
    return each_experts(of, take_more);
}

enum { NO_SCALE, NO_SHARED, NO_SHARED_GATE, NO_ROUTER_BIAS, NO_CHOICE_BIAS, NO_GROUPS };

static bool drop_some(ref_experts *e, int with)
{
    ref_array *const of[] = {[NO_SHARED] = &e->shared.w1,
                             [NO_SHARED_GATE] = &e->shared_gate,
                             [NO_ROUTER_BIAS] = &e->router_bias,
                             [NO_CHOICE_BIAS] = &e->choice_bias};
    bool had = with == NO_SCALE    ? e->scale != 1
               : with == NO_GROUPS ? e->groups > 0
                                   : of[with]->at != NULL;
    if (with == NO_SCALE)
        e->scale = 1;
    else if (with == NO_GROUPS)
        e->groups = 0;
    else
        drop_array(of[with]);
    return had;
}

static bool without(stack_planting *of)
{
    return each_experts(of, drop_some);
}

static bool count_of_group(ref_experts *e, int with)
{
    bool differs = e->groups > 0 && e->top_of_group != (size_t)with;
    e->top_of_group = (size_t)with;
    return differs;
}

static bool group_counts(stack_planting *of)
{
    return each_experts(of, count_of_group);
}

static bool has_experts(ref_experts *e, int with)
{
    return with == 0 || e->choice_bias.at != NULL;
}

static bool of_experts(stack_planting *of)
{
    return each_experts(of, has_experts);
}

/* Number `row` of output `column`, of a matrix in either layout, or of a bias. */
static double *at_output(const ref_stack *s, ref_array *w, size_t row, size_t column)
{
    bool is_out_in = w->rank == 2 && ref_word_is(s->layout, "out-in");
    return w->rank == 1 ? &w->at[column]
                        : &w->at[is_out_in ? column * w->size[1] + row : row * w->size[1] + column];
}

/* Outputs of both in one are written one way and read the other: 1: by turns, read as halves. */
static void exchange_outputs(const ref_stack *s, ref_array *one, ref_array *other, size_t hidden,
                             int with)
{
    size_t rows = one->rank == 1 ? 1 : ref_count_of(one) / hidden;
    double *both = ref_alloc(2 * hidden, sizeof both[0]);
    for (size_t row = 0; row < rows; row++) {
        for (size_t k = 0; k < hidden; k++) {
            both[with == 1 ? 2 * k : k] = *at_output(s, one, row, k);
            both[with == 1 ? 2 * k + 1 : hidden + k] = *at_output(s, other, row, k);
        }
        for (size_t k = 0; k < hidden; k++) {
            *at_output(s, one, row, k) = both[with == 1 ? k : 2 * k];
            *at_output(s, other, row, k) = both[with == 1 ? hidden + k : 2 * k + 1];
        }
    }
    free(both);
}

static void read_in_one(stack_planting *of, ref_feed_forward *f)
{
    if (f->w3.at == NULL)
        return;
    exchange_outputs(of->s, &f->w1, &f->w3, f->hidden, of->with);
    if (f->b1.at != NULL && f->b3.at != NULL)
        exchange_outputs(of->s, &f->b1, &f->b3, f->hidden, of->with);
}

static bool gate_in_one(stack_planting *of)
{
    return each_feed_forward(of, read_in_one);
}

/* ---- the stack ---- */

static bool reverse(stack_planting *of)
{
    ref_stack *s = of->s;
    for (size_t i = 0; i < s->layers / 2; i++) {
        ref_layer kept = s->layer[i];
        s->layer[i] = s->layer[s->layers - 1 - i];
        s->layer[s->layers - 1 - i] = kept;
    }
    return of->is_whole;
}

static bool no_positions(stack_planting *of)
{
    bool has = has_positions(of);
    of->s->adds_sinusoids = false;
    drop_array(&of->s->positions);
    return has;
}

static bool add_positions(stack_planting *of)
{
    bool has = has_positions(of);
    of->s->adds_sinusoids = true;
    return !has && of->is_whole;
}

static bool no_segments(stack_planting *of)
{
    drop_array(&of->s->segment_rows);
    return of->is_whole;
}

static bool no_row_scale(stack_planting *of)
{
    bool had = of->s->row_scale != 0;
    of->s->row_scale = 0;
    return had && of->is_whole;
}

/* ---- digits ---- */

static bool keep_layers(stack_planting *of)
{
    of->s->keep = plant_kept;
    of->s->keep_as = of->with;
    return true;
}

static bool keep_results(stack_planting *of)
{
    of->s->keeps_results = true;
    return keep_layers(of) && of->is_whole;
}

/* clang-format off */
const stack_plant STACK_PLANTS[] = {
    {"norm-pre", NULL, order, 0},
    {"norm-post", NULL, order, 1},
    {"norm-both", "norm both", not_seed, 0},
    {"ln_f-missing", NULL, drop_final, 0},
    {"ln_f-added", NULL, add_final, 0},
    {"ln_e-missing", NULL, drop_first, 0},
    {"ln1-missing", "no ln1", NULL, 0},
    {"ln2-missing", "no ln2", NULL, 0},
    {"ln3-missing", "no ln3", NULL, 0},
    {"norms-missing", "no ln", NULL, 0},
    {"ln1-ln2-swapped", NULL, swap_norms, 12},
    {"ln2-ln3-swapped", NULL, swap_norms, 23},
    {"ln1-ln3-swapped", NULL, swap_norms, 13},
    {"ln1-shared", "ln1", NULL, 0},
    {"norm-rms", NULL, kind, 1},
    {"norm-layer", NULL, kind, 0},
    {"norm-variance", "norm divisor", NULL, 0},
    {"norm-deviation", "norm deviation", NULL, 0},
    {"norm-eps-outside", "norm eps", NULL, 0},
    {"norm-eps-1e-5", NULL, eps, 5},
    {"norm-eps-1e-6", NULL, eps, 6},
    {"norm-eps-1e-12", NULL, eps, 12},
    {"norm-eps-1e-8", NULL, eps, 8},
    {"norm-eps-1e-3", NULL, eps, 3},
    {"norm-eps-missing", NULL, eps, 0},
    {"norm-affine-missing", NULL, affine, 3},
    {"norm-gain-missing", NULL, affine, 1},
    {"norm-bias-missing", NULL, affine, 2},
    {"norm-gain-plus-one", "gain one", NULL, 0},
    {"norm-gain-less-one", "gain less one", NULL, 0},
    {"residual-attention-missing", "attention residual", NULL, 0},
    {"residual-cross-missing", "cross residual", NULL, 0},
    {"residual-ffn-missing", "ffn residual", NULL, 0},
    {"residuals-missing", "residual", NULL, 0},
    {"residual-normed", "pre", NULL, 0},
    {"residual-of-layer", "layer residual", NULL, 0},
    {"ffn-parallel", "parallel", not_seed, 0},
    {"self-missing", "no attention", NULL, 0},
    {"cross-missing", "no cross", NULL, 0},
    {"ffn-missing", "no ffn", NULL, 0},
    {"cross-self", "memory", NULL, 0},
    {"cross-weights", "cross weights", same_weights, 0},
    {"activation-relu", NULL, activation, 0},
    {"activation-gelu", NULL, activation, 1},
    {"activation-gelu_tanh", NULL, activation, 2},
    {"activation-silu", NULL, activation, 3},
    {"activation-missing", "no activation", NULL, 0},
    {"ffn-biases-missing", NULL, biases, 3},
    {"b1-missing", NULL, biases, 1},
    {"b2-missing", NULL, biases, 2},
    {"gate-swapped", NULL, gate, 0},
    {"gate-missing", "gate", NULL, 0},
    {"w1-transposed", NULL, transpose, 1},
    {"w2-transposed", NULL, transpose, 2},
    {"ffn-transposed", NULL, transpose, 3},
    {"routing-not-divided", NULL, divided, 0},
    {"routing-divided", NULL, divided, 1},
    {"routing-softmax", NULL, other_scores, 0},
    {"routing-sigmoid", NULL, other_scores, 1},
    {"top-experts-more", NULL, more_experts, 2},
    {"top-experts-less", NULL, more_experts, 0},
    {"choice-bias-in-weights", "choice bias in weights", of_experts, 1},
    {"choice-bias-missing", NULL, without, NO_CHOICE_BIAS},
    {"router-bias-missing", NULL, without, NO_ROUTER_BIAS},
    {"routing-scale-missing", NULL, without, NO_SCALE},
    {"shared-missing", NULL, without, NO_SHARED},
    {"shared-gate-missing", NULL, without, NO_SHARED_GATE},
    {"groups-missing", NULL, without, NO_GROUPS},
    {"groups-by-two", NULL, group_counts, 2},
    {"groups-by-one", NULL, group_counts, 1},
    {"expert-weighs-rows", "weights on rows", of_experts, 0},
    {"gate-by-turns", NULL, gate_in_one, 1},
    {"gate-as-halves", NULL, gate_in_one, 0},
    {"layers-reversed", NULL, reverse, 0},
    {"layers-first", "first layer", several_layers, 0},
    {"layers-last", "last layer", several_layers, 0},
    {"layer-missing", "no layer", one_layer, 0},
    {"positions-missing", NULL, no_positions, 0},
    {"positions-twice", "positions twice", has_positions, 0},
    {"positions-late", "late positions", has_next_position, 0},
    {"positions-added", NULL, add_positions, 0},
    {"positions-halves", "positions halves", only_sinusoids, 0},
    {"positions-swapped", "positions swapped", only_sinusoids, 0},
    {"segments-missing", NULL, no_segments, 0},
    {"segments-first", "segment", whole, 0},
    {"embedding-scale-missing", NULL, no_row_scale, 0},
    {"embedding-scaled", "rows scaled", whole, 0},
    {"embedding-divided", "rows divided", whole, 0},
    {"batch-turned", "batch first", no_memory, 0},
    {"embedding-scaled-late", "rows scaled late", whole, 0},
    {"float16-layers", NULL, keep_layers, TO_FLOAT16},
    {"float16-results", NULL, keep_results, TO_FLOAT16},
    {"bfloat16-layers", NULL, keep_layers, TO_BFLOAT16},
    {"bfloat16-results", NULL, keep_results, TO_BFLOAT16},
    {"layers-rounded-1", NULL, keep_layers, 1},
    {"layers-rounded-2", NULL, keep_layers, 2},
    {"layers-rounded-3", NULL, keep_layers, 3},
    {"layers-rounded-4", NULL, keep_layers, 4},
};
/* clang-format on */

const size_t STACK_PLANT_COUNT = sizeof STACK_PLANTS / sizeof STACK_PLANTS[0];
