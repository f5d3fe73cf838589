/* Random stacks: every setting of the manual's LAYERS, alone and in company. */
#include "ref/dice.h"
#include "ref/ref_random.h"
#include "ref/ref_stack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A stack in the making. */
typedef struct maker {
    ref_stack *s;
    dice dice;
    size_t batches, n, width;
    const char *order; /* which is asked for; NULL: any of those that others have */
    bool is_large; /* its feed-forward parts are worth threads: a batch of 320 rows, 1000 wide */
} maker;

/* ---- numbers ---- */

static double some_number(maker *m, double spread)
{
    double number = (2 * dice_fraction(&m->dice) - 1) * spread;
    return m->s->is_float32 ? (double)(float)number : number;
}

static void fill(maker *m, ref_array *a, int rank, const size_t *size, double spread)
{
    *a = (ref_array){.rank = rank};
    memcpy(a->size, size, (size_t)rank * sizeof size[0]);
    a->at = ref_alloc(ref_count_of(a), sizeof a->at[0]);
    for (size_t i = 0; i < ref_count_of(a); i++)
        a->at[i] = some_number(m, spread);
}

static void fill_rows(maker *m, ref_array *a, size_t batches, size_t n, size_t width)
{
    size_t size[] = {batches, n, width};
    fill(m, a, batches > 0 ? 3 : 2, batches > 0 ? size : size + 1, 2);
}

/* Its products keep the rows' size, whatever its own is. */
static void fill_weight(maker *m, ref_array *w, size_t rows, size_t columns)
{
    size_t size[] = {rows, columns}, turned[] = {columns, rows};
    fill(m, w, 2, ref_word_is(m->s->layout, "out-in") ? turned : size, sqrt(3 / (double)rows));
}

static void perhaps_fill_vector(maker *m, ref_array *b, size_t width)
{
    if (dice_chance(&m->dice, 0.5))
        fill(m, b, 1, &width, 1);
}

/* ---- parts ---- */

static double *some_factors(maker *m, double around)
{
    double *at = ref_alloc(m->width, sizeof at[0]);
    for (size_t i = 0; i < m->width; i++) {
        double number = around + some_number(m, 1);
        at[i] = m->s->is_float32 ? (double)(float)number : number;
    }
    return at;
}

static void make_norm(maker *m, ref_norm *norm, bool is_rms)
{
    static const double EPS[] = {0, 1e-6, 1e-3, 1};
    norm->is_there = true;
    if (dice_chance(&m->dice, 0.5))
        norm->gain = some_factors(m, 1);
    if (!is_rms && dice_chance(&m->dice, 0.5))
        norm->bias = some_factors(m, 0);
    norm->has_eps = dice_chance(&m->dice, 0.5);
    norm->eps = EPS[dice_below(&m->dice, 4)];
}

static void make_feed_forward(maker *m, ref_feed_forward *f)
{
    f->hidden = m->is_large                  ? 1000
                : dice_chance(&m->dice, 0.2) ? m->width
                                             : 1 + dice_below(&m->dice, 20);
    fill_weight(m, &f->w1, m->width, f->hidden);
    fill_weight(m, &f->w2, f->hidden, m->width);
    if (dice_chance(&m->dice, 0.4)) {
        fill_weight(m, &f->w3, m->width, f->hidden);
        perhaps_fill_vector(m, &f->b3, f->hidden);
    }
    perhaps_fill_vector(m, &f->b1, f->hidden);
    perhaps_fill_vector(m, &f->b2, m->width);
}

/* A bias only where there is a weight. */
static void make_projections(maker *m, ref_problem *p, size_t heads, size_t groups, size_t rows_k,
                             size_t d_least)
{
    size_t d = d_least + dice_below(&m->dice, 6),
           d_v = dice_chance(&m->dice, 0.5) ? d : 1 + dice_below(&m->dice, 6);
    bool needs_wo = heads * d_v != m->width;
    fill_weight(m, &p->in[REF_WQ], m->width, heads * d);
    fill_weight(m, &p->in[REF_WK], rows_k, groups * d);
    fill_weight(m, &p->in[REF_WV], rows_k, groups * d_v);
    perhaps_fill_vector(m, &p->in[REF_BQ], heads * d);
    perhaps_fill_vector(m, &p->in[REF_BK], groups * d);
    perhaps_fill_vector(m, &p->in[REF_BV], groups * d_v);
    if (needs_wo || dice_chance(&m->dice, 0.5))
        fill_weight(m, &p->in[REF_WO], heads * d_v, m->width);
    perhaps_fill_vector(m, &p->in[REF_BO], m->width);
}

/* Positions of queries and keys; pairs of numbers are turned, so an odd width says how many. */
static void make_places(maker *m, ref_problem *p, size_t heads)
{
    static const char *const PAIRINGS[] = {"half", "interleaved"};
    size_t out = ref_word_is(m->s->layout, "out-in") ? 0 : 1;
    size_t width = p->in[REF_WQ].size[out] / heads;
    p->has_alibi = dice_chance(&m->dice, 0.15);
    p->has_rope = width > 1 && dice_chance(&m->dice, 0.2);
    if (!p->has_rope)
        return;
    p->pairing = dice_chance(&m->dice, 0.5) ? dice_word(&m->dice, 2, PAIRINGS) : NULL;
    if (width % 2 == 1 || dice_chance(&m->dice, 0.3))
        p->rope_width = 2 * (1 + dice_below(&m->dice, width / 2));
    p->rope_factor = p->pairing != NULL ? 1.25 : 0;
}

/* Heads are the part's own, else its layer's (`around`, of cross-attention), else the stack's. */
static size_t make_heads(maker *m, ref_problem *p, const ref_problem *around)
{
    static const size_t HEADS[] = {1, 2, 3, 4, 6};
    size_t heads = around->heads > 0 ? around->heads : m->s->heads;
    if (heads == 0 || dice_chance(&m->dice, 0.3))
        p->heads = heads = HEADS[dice_below(&m->dice, 5)];
    return heads;
}

static size_t make_groups(maker *m, ref_problem *p, const ref_problem *around, size_t heads)
{
    size_t groups = around->kv_heads > 0 ? around->kv_heads : heads;
    if (heads % groups != 0 || dice_chance(&m->dice, 0.4)) {
        do
            groups = 1 + dice_below(&m->dice, heads);
        while (heads % groups != 0);
        p->kv_heads = groups;
    }
    return groups;
}

static void make_attention(maker *m, ref_problem *p, const ref_problem *around, size_t rows_k)
{
    size_t heads = make_heads(m, p, around), groups = make_groups(m, p, around, heads);
    make_projections(m, p, heads, groups, rows_k, around->normalizes ? 2 : 1);
    p->softcap = dice_chance(&m->dice, 0.2) ? 3 : 0;
    /* A head of one number becomes its sign, and near 0 that is a thousand times as wrong as it. */
    p->normalizes = dice_chance(&m->dice, 0.2) && p->in[REF_WQ].size[1] > heads;
    p->norms_all = p->normalizes && dice_chance(&m->dice, 0.4);
    p->round_decimals = -1;
    make_places(m, p, heads);
}

const char *const REF_STACK_ORDERS[REF_STACK_ORDER_COUNT] = {"parallel", "parallel-apart",
                                                             "sandwich", "inner", "pre-ffn"};

static void make_own_words(maker *m, ref_layer *l)
{
    static const char *const KINDS[] = {"layer", "rms"}, *const ORDERS[] = {"post", "pre"},
                             *const ACTIVATIONS[] = {"relu", "gelu", "gelu_tanh", "silu", "relu2"};
    l->residual_scale = dice_chance(&m->dice, 0.1) ? 0.75 : 0;
    l->norm_kind = dice_chance(&m->dice, 0.2) ? dice_word(&m->dice, 2, KINDS) : NULL;
    l->activation = dice_chance(&m->dice, 0.2) ? dice_word(&m->dice, 5, ACTIVATIONS) : NULL;
    l->order = dice_chance(&m->dice, 0.2) && !ref_word_is(m->s->order, "seed") && m->order == NULL
                   ? dice_word(&m->dice, 2, ORDERS)
                   : NULL;
}

static void make_layer(maker *m, ref_layer *l)
{
    static const ref_problem nobody;
    bool is_seed = ref_word_is(m->s->order, "seed");
    make_own_words(m, l);
    make_attention(m, &l->attention, &nobody, m->width);
    if (dice_chance(&m->dice, 0.3))
        l->attention.causal = dice_chance(&m->dice, 0.5) ? "true" : "none";
    l->has_cross = m->s->memory.at != NULL && m->order == NULL && dice_chance(&m->dice, 0.7);
    if (l->has_cross)
        make_attention(m, &l->cross, &l->attention, m->s->memory.size[m->s->memory.rank - 1]);
    if (!is_seed && dice_chance(&m->dice, 0.8))
        make_feed_forward(m, &l->feed_forward);
    const char *kind = l->norm_kind != NULL ? l->norm_kind : m->s->norm_kind;
    size_t norms = is_seed ? 2 : 1;
    if (!is_seed)
        norms += (l->has_cross ? 1u : 0u) + (l->feed_forward.w1.at != NULL ? 1u : 0u);
    if (ref_word_is(m->order, "parallel"))
        norms = 1;
    else if (ref_word_is(m->order, "sandwich"))
        norms *= 2;
    for (size_t i = ref_word_is(m->order, "pre-ffn") ? 1 : 0; i < norms; i++) {
        if (dice_chance(&m->dice, 0.6))
            make_norm(m, &l->norm[i], ref_word_is(kind, "rms"));
    }
}

/* ---- the stack ---- */

static void choose_words(maker *m)
{
    static const char *const ORDERS[] = {"post", "pre", "seed"}, *const KINDS[] = {"layer", "rms"},
                             *const ACTIVATIONS[] = {"relu", "gelu", "gelu_tanh", "silu", "relu2"},
                             *const LAYOUTS[] = {"in-out", "out-in"};
    ref_stack *s = m->s;
    s->is_decoder = dice_chance(&m->dice, 0.5);
    s->order = dice_chance(&m->dice, 0.8) ? dice_word(&m->dice, 3, ORDERS) : NULL;
    s->norm_kind = dice_chance(&m->dice, 0.5) ? dice_word(&m->dice, 2, KINDS) : NULL;
    s->activation = dice_chance(&m->dice, 0.7) ? dice_word(&m->dice, 5, ACTIVATIONS) : NULL;
    s->layout = dice_chance(&m->dice, 0.3) ? dice_word(&m->dice, 2, LAYOUTS) : NULL;
    s->causal = dice_chance(&m->dice, 0.2) ? "true" : NULL;
    s->heads = dice_chance(&m->dice, 0.5) ? 1 + dice_below(&m->dice, 4) : 0;
    s->residual_scale = dice_chance(&m->dice, 0.1) ? -0.3 : 0;
    s->offset = dice_chance(&m->dice, 0.2) ? dice_below(&m->dice, 4) : 0;
}

static void make_ids(maker *m)
{
    size_t size[] = {1 + dice_below(&m->dice, 9), m->width}, rows[] = {m->n, m->width};
    ref_stack *s = m->s;
    fill(m, &s->embedding, 2, size, 2);
    fill(m, &s->x, 2, rows, 1);
    s->ids = ref_alloc(m->n, sizeof s->ids[0]);
    for (size_t i = 0; i < m->n; i++) {
        s->ids[i] = dice_below(&m->dice, size[0]);
        memcpy(s->x.at + i * m->width, s->embedding.at + s->ids[i] * m->width,
               m->width * sizeof s->x.at[0]);
    }
    s->row_scale = dice_chance(&m->dice, 0.4) ? 1.75 : 0;
}

/* A norm of rows 1 wide is its bias, and one of 2 a sign: what is normed has more, so that errors
 * are not made larger without measure. */
static void make_rows(maker *m)
{
    m->is_large = dice_chance(&m->dice, 0.01);
    bool has_ids = dice_chance(&m->dice, 0.4) && !m->is_large,
         has_batch = dice_chance(&m->dice, 0.4) && !has_ids;
    m->batches = m->is_large ? 40 : has_batch ? 1 + dice_below(&m->dice, 3) : 0;
    m->n = m->is_large ? 8 : 1 + dice_below(&m->dice, 9);
    m->width = dice_chance(&m->dice, 0.1) && !m->is_large ? 33 : 4 + dice_below(&m->dice, 12);
    size_t size[] = {m->n + m->s->offset + dice_below(&m->dice, 3), m->width};
    if (has_ids)
        make_ids(m);
    else
        fill_rows(m, &m->s->x, m->batches, m->n, m->width);
    if (dice_chance(&m->dice, 0.3))
        fill(m, &m->s->positions, 2, size, 1);
    m->s->adds_sinusoids = dice_chance(&m->dice, 0.3);
}

static void make_segments(maker *m)
{
    ref_stack *s = m->s;
    size_t size[] = {1 + dice_below(&m->dice, 3), m->width};
    fill(m, &s->segment_rows, 2, size, 1);
    if (dice_chance(&m->dice, 0.3))
        return;
    s->segments = ref_alloc(m->n, sizeof s->segments[0]);
    for (size_t i = 0; i < m->n; i++)
        s->segments[i] = dice_below(&m->dice, size[0]);
}

/* One that nothing looks at would be refused. */
static void leave_out_memory(ref_stack *s)
{
    bool is_used = false;
    for (size_t i = 0; i < s->layers; i++)
        is_used = is_used || s->layer[i].has_cross;
    if (is_used)
        return;
    free(s->memory.at);
    s->memory = (ref_array){0};
}

void ref_random_stack(ref_stack *s, uint64_t seed, uint64_t number)
{
    ref_random_stack_in(s, seed, number, NULL);
}

void ref_random_stack_in(ref_stack *s, uint64_t seed, uint64_t number, const char *order)
{
    maker m = {.s = s, .dice = {~seed ^ (number * 0xd1342543de82ef95u)}, .order = order};
    *s = (ref_stack){.is_float32 = dice_chance(&m.dice, 0.5)};
    choose_words(&m);
    s->order = order != NULL ? order : s->order;
    make_rows(&m);
    if (dice_chance(&m.dice, 0.5))
        fill_rows(&m, &s->memory, dice_chance(&m.dice, 0.5) ? m.batches : 0,
                  1 + dice_below(&m.dice, 7),
                  dice_chance(&m.dice, 0.5) ? m.width : 1 + dice_below(&m.dice, 9));
    for (s->layers = 0;
         s->layers == 0 || (s->layers < REF_LAYERS_MOST && dice_chance(&m.dice, 0.6));)
        make_layer(&m, &s->layer[s->layers++]);
    leave_out_memory(s);
    if (ref_word_is(s->order, "seed") && dice_chance(&m.dice, 0.7))
        make_feed_forward(&m, &s->end);
    if (dice_chance(&m.dice, 0.4))
        make_norm(&m, &s->final, ref_word_is(s->norm_kind, "rms"));
    if (dice_chance(&m.dice, 0.3))
        make_norm(&m, &s->first, ref_word_is(s->norm_kind, "rms"));
    if (dice_chance(&m.dice, 0.3))
        make_segments(&m);
}

/* What experts are chosen by is above 0, which stands for those of other groups. */
static void make_experts(maker *m, ref_layer *l)
{
    static const char *const ROUTINGS[] = {"softmax", "top-softmax", "sigmoid"};
    ref_experts *e = &l->experts;
    size_t count = 2 + dice_below(&m->dice, REF_EXPERTS_MOST - 1);
    *e = (ref_experts){.count = count,
                       .routing = dice_word(&m->dice, 3, ROUTINGS),
                       .top = 1 + dice_below(&m->dice, count),
                       .scale = dice_chance(&m->dice, 0.3) ? 1.75 : 1};
    bool has_scores = !ref_word_is(e->routing, "top-softmax");
    e->divides = has_scores && dice_chance(&m->dice, 0.5);
    if (has_scores && count % 2 == 0 && count > 2 && dice_chance(&m->dice, 0.5)) {
        e->groups = 2;
        e->top_groups = 1;
        e->top_of_group = 1 + dice_below(&m->dice, 2);
        e->top = 1 + dice_below(&m->dice, count / 2);
    }
    fill_weight(m, &e->router, m->width, count);
    perhaps_fill_vector(m, &e->router_bias, count);
    if (has_scores && dice_chance(&m->dice, 0.5))
        fill(m, &e->choice_bias, 1, &count, 0.4);
    for (size_t i = 0; e->choice_bias.at != NULL && i < count; i++)
        e->choice_bias.at[i] = fabs(e->choice_bias.at[i]);
    for (size_t i = 0; i + 1 < count; i++)
        make_feed_forward(m, &e->after[i]);
    if (dice_chance(&m->dice, 0.5))
        make_feed_forward(m, &e->shared);
    if (e->shared.w1.at != NULL && dice_chance(&m->dice, 0.5))
        fill_weight(m, &e->shared_gate, m->width, 1);
}

void ref_stack_mix(ref_stack *s, uint64_t seed, uint64_t number)
{
    maker m = {
        .s = s, .dice = {seed ^ (number * 0xd1342543de82ef95u)}, .width = s->x.size[s->x.rank - 1]};
    for (size_t i = 0; i < s->layers; i++) {
        if (s->layer[i].feed_forward.w1.at != NULL)
            make_experts(&m, &s->layer[i]);
    }
}

static void free_norm(ref_norm *norm)
{
    free(norm->gain);
    free(norm->bias);
}

static void free_feed_forward(ref_feed_forward *f)
{
    ref_array *all[] = {&f->w1, &f->b1, &f->w2, &f->b2, &f->w3, &f->b3};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]->at);
}

static void free_experts(ref_experts *e)
{
    ref_array *all[] = {&e->router, &e->router_bias, &e->choice_bias, &e->shared_gate};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]->at);
    for (size_t i = 0; i + 1 < REF_EXPERTS_MOST; i++)
        free_feed_forward(&e->after[i]);
    free_feed_forward(&e->shared);
}

void ref_stack_free(ref_stack *s)
{
    ref_array *all[] = {&s->x, &s->memory, &s->embedding, &s->positions, &s->segment_rows};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]->at);
    for (size_t i = 0; i < s->layers; i++) {
        ref_problem_free(&s->layer[i].attention);
        ref_problem_free(&s->layer[i].cross);
        free_feed_forward(&s->layer[i].feed_forward);
        free_experts(&s->layer[i].experts);
        for (size_t j = 0; j < REF_NORMS; j++)
            free_norm(&s->layer[i].norm[j]);
    }
    free_feed_forward(&s->end);
    free_norm(&s->first);
    free_norm(&s->final);
    free(s->ids);
    free(s->segments);
}
