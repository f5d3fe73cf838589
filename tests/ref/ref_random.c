#include "ref/ref_random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A problem in the making. */
typedef struct maker {
    ref_problem *p;
    uint64_t state;
    double eagerness; /* how likely an option is taken: problems of few options and of many */
    double spread;    /* of the rows' numbers: flat to sharp weights */
    int large_left;   /* how many more sizes may be large */
    size_t b, h, g, n_q, n_k, past, d_q, d_k, d_v;
    bool is_given[3], is_weighted[3]; /* q, k, v */
    size_t rows_n[3], rows_m[3];      /* of x, xk, xv; 0: not there */
} maker;

uint64_t ref_random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t below(maker *m, size_t n)
{
    return (size_t)(ref_random_bits(&m->state) % n);
}

/* In [0, 1) */
static double fraction(maker *m)
{
    return (double)(ref_random_bits(&m->state) >> 11) * 0x1p-53;
}

static bool chance(maker *m, double probability)
{
    return fraction(m) < probability;
}

static bool wants(maker *m)
{
    return chance(m, m->eagerness);
}

static const char *one_of(maker *m, size_t count, const char *const *words)
{
    return words[below(m, count)];
}

/* Mostly 1 to 12; a few that leave whole vectors and panels behind. */
static size_t some_size(maker *m)
{
    static const size_t LARGE[] = {17, 33, 64, 130};
    if (m->large_left > 0 && chance(m, 0.06)) {
        m->large_left--;
        return LARGE[below(m, 4)];
    }
    return 1 + below(m, 12);
}

/* ---- numbers ---- */

typedef enum flavour { FLAVOUR_REAL, FLAVOUR_WHOLE, FLAVOUR_SPARSE } flavour;

static double some_number(maker *m, flavour kind, double spread)
{
    double number = (2 * fraction(m) - 1) * spread;
    if (kind == FLAVOUR_WHOLE)
        number = (double)below(m, 7) - 3;
    if (kind == FLAVOUR_SPARSE && chance(m, 0.5))
        number = chance(m, 0.5) ? 0 : -0.0;
    return m->p->is_float32 ? (double)(float)number : number;
}

static ref_array *add_array(maker *m, ref_input which, int rank, const size_t *size)
{
    ref_array *a = &m->p->in[which];
    size_t count = 1;
    a->rank = rank;
    for (int axis = 0; axis < rank; axis++)
        count *= a->size[axis] = size[axis];
    a->at = ref_alloc(count, sizeof a->at[0]);
    return a;
}

static void add_numbers(maker *m, ref_input which, int rank, const size_t *size, double spread)
{
    static const flavour FLAVOURS[] = {FLAVOUR_REAL, FLAVOUR_REAL,  FLAVOUR_REAL,  FLAVOUR_REAL,
                                       FLAVOUR_REAL, FLAVOUR_WHOLE, FLAVOUR_WHOLE, FLAVOUR_SPARSE};
    ref_array *a = add_array(m, which, rank, size);
    flavour kind = FLAVOURS[below(m, 8)];
    for (size_t i = 0; i < ref_count_of(a); i++)
        a->at[i] = some_number(m, kind, spread);
}

/* ---- sizes ---- */

static void choose_sizes(maker *m)
{
    static const double SPREADS[] = {1, 1, 1, 1, 0.1, 8, 60, 1e-19};
    static const double EAGERNESS[] = {0.08, 0.25, 0.5, 0.75};
    m->eagerness = EAGERNESS[below(m, 4)];
    m->spread = SPREADS[below(m, 8)];
    m->large_left = 2;
    m->n_q = some_size(m);
    m->n_k = chance(m, 0.5) ? m->n_q : some_size(m);
    size_t most = m->n_q * m->n_k > 3000 ? 2 : 4;
    m->g = wants(m) ? 1 + below(m, most) : 1;
    m->h = m->g * (wants(m) ? 1 + below(m, most) : 1);
    m->b = wants(m) ? 1 + below(m, most) : 0;
    m->d_q = m->d_k = m->d_v = some_size(m);
    m->d_v = chance(m, 0.5) ? m->d_q : some_size(m);
}

/* ---- rows and projections ---- */

enum { Q, K, V, ROLES };
static const ref_input GIVEN[ROLES] = {REF_Q, REF_K, REF_V};
static const ref_input ROWS[ROLES] = {REF_X, REF_XK, REF_XV};
static const ref_input WEIGHT[ROLES] = {REF_WQ, REF_WK, REF_WV};
static const ref_input BIAS[ROLES] = {REF_BQ, REF_BK, REF_BV};

static size_t heads_of(const maker *m, int role)
{
    return role == Q ? m->h : m->g;
}

static size_t n_of(const maker *m, int role)
{
    return role == Q ? m->n_q : m->n_k;
}

static size_t width_of(const maker *m, int role)
{
    return role == Q ? m->d_q : role == K ? m->d_k : m->d_v;
}

/* Which of x, xk, xv a role is projected from: the nearest that is there. */
static int source_of(const maker *m, int role)
{
    while (role > 0 && m->rows_n[role] == 0)
        role--;
    return role;
}

/* Which of x, xk, xv there are; x where one of the three is left without, and sometimes where
 * nobody needs it. */
static void choose_sources(maker *m)
{
    bool needs_x = chance(m, 0.1);
    for (int role = 0; role < ROLES; role++)
        m->is_given[role] = wants(m);
    for (int role = K; role < ROLES; role++)
        m->rows_n[role] = wants(m) ? m->n_k : 0;
    for (int role = 0; role < ROLES; role++)
        needs_x = needs_x || (!m->is_given[role] && source_of(m, role) == 0);
    if (!needs_x)
        return;
    bool is_of_keys = false;
    for (int role = K; role < ROLES; role++)
        is_of_keys = is_of_keys || (!m->is_given[role] && source_of(m, role) == 0);
    if (is_of_keys && !m->is_given[Q])
        m->n_k = m->n_q;
    for (int role = K; role < ROLES; role++)
        m->rows_n[role] = m->rows_n[role] > 0 ? m->n_k : 0;
    m->rows_n[0] = m->is_given[Q] && is_of_keys ? m->n_k : m->n_q;
}

/* Rows that serve a role without a weight are as wide as its heads; a role that wants another width
 * gets a weight. */
static void choose_widths(maker *m)
{
    for (int role = 0; role < ROLES; role++) {
        size_t width = heads_of(m, role) * width_of(m, role);
        size_t *m_of_rows = &m->rows_m[source_of(m, role)];
        m->is_weighted[role] = !m->is_given[role] && chance(m, 0.7);
        if (m->is_given[role] || m->is_weighted[role])
            continue;
        m->is_weighted[role] = *m_of_rows != 0 && *m_of_rows != width;
        *m_of_rows = m->is_weighted[role] ? *m_of_rows : width;
    }
    for (int role = 0; role < ROLES; role++)
        m->rows_m[role] = m->rows_m[role] == 0 ? some_size(m) : m->rows_m[role];
}

/* n × m, or b × n × m where there is a batch and the input takes part in it. */
static void add_rows(maker *m, ref_input which, size_t n, size_t width)
{
    bool has_batch = m->b > 0 && chance(m, 0.7);
    size_t size[] = {m->b, n, width};
    add_numbers(m, which, has_batch ? 3 : 2, has_batch ? size : size + 1, m->spread);
}

static void add_given(maker *m, int role)
{
    size_t heads = heads_of(m, role), n = n_of(m, role), width = width_of(m, role);
    size_t size[] = {m->b, heads, n, width};
    if (m->b > 0 && chance(m, 0.4))
        add_numbers(m, GIVEN[role], 4, size, m->spread);
    else
        add_rows(m, GIVEN[role], n, heads * width);
}

static bool is_out_in(const maker *m)
{
    return ref_word_is(m->p->layout, "out-in");
}

static void swap(size_t *a, size_t *b)
{
    size_t kept = *a;
    *a = *b;
    *b = kept;
}

/* rows × columns for all heads side by side, or heads × rows × columns; turned round where the
 * layout says so. */
static void add_weight(maker *m, ref_input which, size_t heads, size_t rows, size_t columns)
{
    bool is_one_a_head = wants(m);
    size_t size[] = {heads, rows, is_one_a_head ? columns : heads * columns};
    if (is_out_in(m))
        swap(&size[1], &size[2]);
    add_numbers(m, which, is_one_a_head ? 3 : 2, is_one_a_head ? size : size + 1,
                sqrt(3 / (double)rows));
}

/* n, 1 × n or heads × n/heads */
static void add_vector(maker *m, ref_input which, size_t heads, size_t width)
{
    const size_t sizes[][2] = {{heads * width, 0}, {1, heads * width}, {heads, width}};
    size_t form = below(m, 3);
    add_numbers(m, which, form == 0 ? 1 : 2, sizes[form], 1);
}

static void add_role(maker *m, int role)
{
    size_t heads = heads_of(m, role), width = width_of(m, role);
    if (m->is_given[role]) {
        add_given(m, role);
        return;
    }
    if (m->is_weighted[role])
        add_weight(m, WEIGHT[role], heads, m->rows_m[source_of(m, role)], width);
    if (wants(m))
        add_vector(m, BIAS[role], heads, width);
}

static void add_inputs(maker *m)
{
    for (int role = 0; role < ROLES; role++) {
        if (m->rows_n[role] > 0)
            add_rows(m, ROWS[role], m->rows_n[role], m->rows_m[role]);
    }
    for (int role = 0; role < ROLES; role++)
        add_role(m, role);
}

static void choose_norm(maker *m)
{
    static const double EPS[] = {0, 1e-6, 1e-5, 0.25};
    m->p->normalizes = wants(m) && chance(m, 0.5);
    m->p->has_eps = m->p->normalizes && wants(m);
    m->p->eps = EPS[below(m, 4)];
    if (m->p->normalizes && wants(m))
        add_vector(m, REF_Q_GAIN, chance(m, 0.5) ? m->h : 1, m->d_q);
    if (m->p->normalizes && wants(m))
        add_vector(m, REF_K_GAIN, chance(m, 0.5) ? m->g : 1, m->d_k);
}

static void add_positions(maker *m)
{
    size_t n_new = ref_sizes_of(m->p).n_new;
    size_t count = m->n_q == n_new && chance(m, 0.5) ? m->n_q : m->n_q + n_new;
    ref_array *a = &m->p->rope_positions;
    *a = (ref_array){1, {count, 0, 0, 0}, ref_alloc(count, sizeof(double))};
    for (size_t i = 0; i < count; i++)
        a->at[i] = (double)below(m, chance(m, 0.9) ? 5000 : 2147483648u);
}

/* A width must be even, and one is said where those of queries and keys are not. */
static void choose_rope(maker *m)
{
    static const double BASES[] = {10000, 1, 500000, 2.5};
    static const char *const PAIRINGS[] = {"half", "interleaved"};
    size_t most = m->d_q < m->d_k ? m->d_q : m->d_k;
    m->p->has_rope = most > 1 && wants(m) && chance(m, 0.6);
    if (!m->p->has_rope)
        return;
    m->p->has_rope_base = wants(m);
    m->p->rope_base = BASES[below(m, 4)];
    m->p->pairing = wants(m) ? one_of(m, 2, PAIRINGS) : NULL;
    if (m->d_k % 2 == 1 || most < m->d_k || wants(m))
        m->p->rope_width = 2 * (1 + below(m, most / 2));
    if (wants(m))
        add_positions(m);
}

/* Rows of a cache before the new ones, which m->n_k counts alone until then. */
static void add_cache(maker *m)
{
    if (!wants(m))
        return;
    m->past = some_size(m);
    for (int role = K; role < ROLES; role++) {
        size_t width = width_of(m, role), size[] = {m->b, m->g, m->past, width};
        ref_input which = role == K ? REF_PAST_K : REF_PAST_V;
        if (m->b > 0 && chance(m, 0.4))
            add_numbers(m, which, 4, size, m->spread);
        else
            add_rows(m, which, m->past, m->g * width);
    }
    m->n_k += m->past;
}

/* Says heads and kv_heads where the shapes leave it open, and sometimes where they don't. */
static void say_heads(maker *m)
{
    ref_sizes found = ref_sizes_of(m->p);
    if (found.h != m->h || found.g != m->g || wants(m))
        m->p->heads = m->h;
    found = ref_sizes_of(m->p);
    if (found.g != m->g || wants(m))
        m->p->kv_heads = m->g;
}

/* ---- scores and scale ---- */

/* A matrix of rows × columns for all heads, or one a head. */
static void add_transform(maker *m, ref_input which, size_t rows, size_t columns)
{
    bool is_one_a_head = wants(m);
    size_t size[] = {m->h, rows, columns};
    if (is_out_in(m))
        swap(&size[1], &size[2]);
    add_numbers(m, which, is_one_a_head ? 3 : 2, is_one_a_head ? size : size + 1,
                sqrt(3 / (double)rows));
}

static void add_score_vector(maker *m, ref_input which, size_t count)
{
    add_vector(m, which, wants(m) ? m->h : 1, count);
}

/* Without a matrix on its side, a query (a key) must have the width that is compared. */
static void choose_score(maker *m)
{
    static const char *const SCORES[] = {"scaled", "dot", "general", "additive"};
    if (!chance(m, 0.6))
        return;
    const char *score = m->p->score = one_of(m, 4, SCORES);
    bool is_free = strcmp(score, "general") == 0 || strcmp(score, "additive") == 0;
    if (is_free && chance(m, 0.4))
        m->d_q = some_size(m);
}

static void add_additive(maker *m)
{
    bool has_wa = wants(m), has_ua = wants(m);
    if (m->d_q != m->d_k && !has_wa && !has_ua)
        has_wa = has_ua = true;
    size_t c = has_wa && has_ua ? some_size(m) : has_wa ? m->d_k : m->d_q;
    if (has_wa)
        add_transform(m, REF_WA, m->d_q, c);
    if (has_ua)
        add_transform(m, REF_UA, m->d_k, c);
    if (wants(m))
        add_score_vector(m, REF_VA, c);
    if (wants(m))
        add_score_vector(m, REF_BA, c);
}

static void add_score(maker *m)
{
    if (ref_word_is(m->p->score, "general")) {
        if (m->d_q != m->d_k || chance(m, 0.5))
            add_transform(m, REF_WS, m->d_q, m->d_k);
        if (wants(m))
            add_score_vector(m, REF_BS, 1);
    }
    if (ref_word_is(m->p->score, "additive"))
        add_additive(m);
}

static void choose_scale(maker *m)
{
    static const char *const SCALES[] = {"none", "head", "embed"};
    static const double NUMBERS[] = {0.3, 0.125, 2, -0.7, -1, 0, 1};
    if (!wants(m))
        return;
    m->p->scale_is_number = chance(m, 0.5);
    m->p->scale_number = NUMBERS[below(m, 7)];
    if (!m->p->scale_is_number)
        m->p->scale = one_of(m, m->p->in[REF_X].at != NULL ? 3 : 2, SCALES);
}

static void choose_softcap(maker *m)
{
    static const double CAPS[] = {50, 30, 1, 0.3, 5e-3};
    if (wants(m))
        m->p->softcap = CAPS[below(m, 5)];
}

/* ---- who may attend to whom ---- */

static void choose_causal(maker *m)
{
    static const char *const WORDS[] = {"true", "upper-left", "lower-right", "none", "false"};
    if (wants(m))
        m->p->causal = one_of(m, 5, WORDS);
    m->p->has_offset = !ref_word_is(m->p->causal, "lower-right") && wants(m);
    m->p->offset = below(m, m->n_k + 3);
}

static void choose_window(maker *m)
{
    m->p->has_window = wants(m);
    for (int side = 0; m->p->has_window && side < 2; side++)
        m->p->window[side] = (long)below(m, chance(m, 0.5) ? 3 : m->n_k + 2) - 1;
}

static void choose_key_lengths(maker *m)
{
    size_t batches = m->b > 0 ? m->b : 1;
    if (!wants(m))
        return;
    m->p->key_lengths = ref_alloc(batches, sizeof m->p->key_lengths[0]);
    for (size_t i = 0; i < batches; i++)
        m->p->key_lengths[i] = chance(m, 0.8) ? 1 + below(m, m->n_k) : below(m, m->n_k + 1);
}

static void choose_appended(maker *m)
{
    if (chance(m, 0.5)) {
        add_vector(m, REF_BIAS_K, m->g, m->d_k);
        add_vector(m, REF_BIAS_V, m->g, m->d_v);
    }
    m->p->adds_zero = m->p->in[REF_BIAS_K].at == NULL || chance(m, 0.5);
}

static void choose_alibi(maker *m)
{
    m->p->has_alibi = wants(m);
    if (!m->p->has_alibi || chance(m, 0.5))
        return;
    m->p->slopes = ref_alloc(m->h, sizeof m->p->slopes[0]);
    for (size_t i = 0; i < m->h; i++)
        m->p->slopes[i] = chance(m, 0.2) ? -0.25 : fraction(m);
}

/* The rank of the shape, whose axes fit m->p->mask_axis. */
static int choose_mask_shape(maker *m, size_t size[4])
{
    bool by_batch = ref_word_is(m->p->mask_axis, "batch"), is_said = m->p->mask_axis != NULL;
    size_t batches = m->b > 0 ? m->b : 1, whole[] = {batches, m->h, m->n_q, m->n_k};
    int rank = 1 + (int)below(m, 4);
    if (rank == 3 && !is_said)
        rank = 4;
    for (int axis = 0; axis < rank; axis++)
        size[axis] = whole[4 - rank + axis];
    if (by_batch && (rank == 2 || rank == 3))
        size[0] = batches;
    for (int axis = 0; rank == 4 && axis < 3; axis++)
        size[axis] = chance(m, 0.4) ? 1 : size[axis];
    return rank;
}

static void add_mask(maker *m)
{
    static const char *const WORDS[] = {"attend", "masked"};
    static const double SHARES[] = {0.1, 0.3, 0.5, 0.8, 0.95};
    size_t size[4];
    int rank = choose_mask_shape(m, size);
    ref_array *mask = add_array(m, REF_MASK, rank, size);
    double share = SHARES[below(m, 5)];
    for (size_t i = 0; i < ref_count_of(mask); i++)
        mask->at[i] = chance(m, share) ? 1 : 0;
    if (wants(m))
        m->p->mask_true = one_of(m, 2, WORDS);
    /* A row (or all) of nothing but one value: a query that may attend to nothing, or to
     * everything. */
    double value = chance(m, 0.5) ? 1 : 0;
    size_t n_k = size[rank - 1], row = below(m, ref_count_of(mask) / n_k);
    for (size_t j = 0; j < n_k && chance(m, 0.9); j++)
        mask->at[row * n_k + j] = value;
}

static void add_bias(maker *m)
{
    size_t size[4];
    int rank = choose_mask_shape(m, size);
    add_numbers(m, REF_BIAS, rank, size, 2);
    ref_array *bias = &m->p->in[REF_BIAS];
    double share = chance(m, 0.5) ? 0 : chance(m, 0.9) ? 0.3 : 0.9;
    for (size_t i = 0; i < ref_count_of(bias); i++)
        bias->at[i] = chance(m, share) ? -INFINITY : bias->at[i];
}

static void add_masks(maker *m)
{
    static const char *const AXES[] = {"batch", "head"};
    if (wants(m))
        m->p->mask_axis = one_of(m, 2, AXES);
    if (wants(m))
        add_mask(m);
    if (wants(m))
        add_bias(m);
}

/* ---- the rest ---- */

/* float32 weights have some 7 decimals: to keep a sum of more is no promise. */
static void choose_rounding(maker *m)
{
    m->p->round_decimals = -1;
    if (!wants(m))
        return;
    m->p->round_keeps_sum = chance(m, 0.5) && m->p->in[REF_SINKS].at == NULL;
    m->p->round_decimals = (int)below(m, chance(m, 0.7) ? 3 : m->p->is_float32 ? 6 : 13);
}

static void add_output_weight(maker *m)
{
    if (wants(m)) {
        size_t width = m->h * m->d_v, columns = some_size(m);
        bool is_one_a_head = !is_out_in(m) && wants(m);
        size_t heads_apart[] = {m->h, m->d_v, columns}, size[] = {width, columns};
        if (is_out_in(m))
            swap(&size[0], &size[1]);
        add_numbers(m, REF_WO, is_one_a_head ? 3 : 2, is_one_a_head ? heads_apart : size,
                    sqrt(3 / (double)width));
    }
    if (wants(m))
        add_vector(m, REF_BO, 1, ref_sizes_of(m->p).m_out);
}

/* x as words of a vocabulary: rows of x that share a word are the same. */
static void make_vocab(maker *m)
{
    ref_array *x = &m->p->in[REF_X], *vocab = &m->p->vocab;
    size_t words = 1 + below(m, x->size[0]), width = x->size[1];
    *vocab = (ref_array){2, {words, width, 0, 0}, ref_alloc(words * width, sizeof(double))};
    memcpy(vocab->at, x->at, words * width * sizeof(double));
    m->p->token_word = ref_alloc(x->size[0], sizeof(size_t));
    for (size_t i = 0; i < x->size[0]; i++) {
        size_t word = m->p->token_word[i] = below(m, words);
        memcpy(x->at + i * width, vocab->at + word * width, width * sizeof(double));
    }
}

static void add_tokens(maker *m)
{
    const ref_array *x = &m->p->in[REF_X];
    m->p->has_tokens = wants(m);
    m->p->has_key_tokens = wants(m);
    if (m->p->has_tokens && x->at != NULL && x->rank == 2 && x->size[0] == m->n_q && wants(m))
        make_vocab(m);
}

void ref_random_problem(ref_problem *p, uint64_t seed, uint64_t number)
{
    maker m = {.p = p, .state = seed ^ (number * 0xd1342543de82ef95u)};
    *p = (ref_problem){.is_float32 = chance(&m, 0.5)};
    choose_sizes(&m);
    if (wants(&m))
        p->layout = chance(&m, 0.7) ? "out-in" : "in-out";
    choose_score(&m);
    choose_sources(&m);
    choose_widths(&m);
    add_inputs(&m);
    choose_norm(&m);
    choose_rope(&m);
    p->has_positions = !m.is_given[Q] && wants(&m) && chance(&m, 0.5);
    add_cache(&m);
    m.b = ref_sizes_of(p).has_batch ? m.b : 0;
    say_heads(&m);
    add_score(&m);
    choose_scale(&m);
    choose_softcap(&m);
    choose_causal(&m);
    choose_window(&m);
    choose_key_lengths(&m);
    choose_alibi(&m);
    add_masks(&m);
    if (wants(&m))
        add_vector(&m, REF_SINKS, 1, m.h);
    if (wants(&m) && p->in[REF_PAST_K].at == NULL && !p->has_rope && !p->normalizes)
        choose_appended(&m);
    p->top = wants(&m) ? 1 + below(&m, m.n_k < 4 ? m.n_k : 4) : 0;
    if ((p->has_rope || p->has_positions) && p->key_lengths != NULL &&
        ref_word_is(p->causal, "lower-right"))
        p->causal = "true"; /* refused: positions would be other ones in each batch entry */
    choose_rounding(&m);
    add_output_weight(&m);
    add_tokens(&m);
}

void ref_problem_free(ref_problem *p)
{
    for (ref_input which = REF_X; which < REF_INPUTS; which++)
        free(p->in[which].at);
    free(p->rope_positions.at);
    free(p->vocab.at);
    free(p->token_word);
    free(p->key_lengths);
    free(p->slopes);
    *p = (ref_problem){0};
}
