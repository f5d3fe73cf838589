#include "ref/ref_random.h"

#include "attn/spec/score.h"
#include "ref/ref_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool maker_wants(maker *m)
{
    return dice_chance(&m->dice, m->eagerness);
}

/* Mostly 1 to 12; a few that leave whole vectors and panels behind. */
static size_t some_size(maker *m)
{
    static const size_t LARGE[] = {17, 33, 64, 130};
    if (m->large_left > 0 && dice_chance(&m->dice, 0.06)) {
        m->large_left--;
        return LARGE[dice_below(&m->dice, 4)];
    }
    return 1 + dice_below(&m->dice, 12);
}

/* ---- numbers ---- */

typedef enum flavour { FLAVOUR_REAL, FLAVOUR_WHOLE, FLAVOUR_SPARSE } flavour;

static double some_number(maker *m, flavour kind, double spread)
{
    double number = (2 * dice_fraction(&m->dice) - 1) * spread;
    if (kind == FLAVOUR_WHOLE)
        number = (double)dice_below(&m->dice, 7) - 3;
    if (kind == FLAVOUR_SPARSE && dice_chance(&m->dice, 0.5))
        number = dice_chance(&m->dice, 0.5) ? 0 : -0.0;
    return m->p->is_float32 ? (double)(float)number : number;
}

ref_array *maker_add_array(maker *m, ref_input which, int rank, const size_t *size)
{
    ref_array *a = &m->p->in[which];
    size_t count = 1;
    a->rank = rank;
    for (int axis = 0; axis < rank; axis++)
        count *= a->size[axis] = size[axis];
    a->at = ref_alloc(count, sizeof a->at[0]);
    return a;
}

void maker_add_numbers(maker *m, ref_input which, int rank, const size_t *size, double spread)
{
    static const flavour FLAVOURS[] = {FLAVOUR_REAL, FLAVOUR_REAL,  FLAVOUR_REAL,  FLAVOUR_REAL,
                                       FLAVOUR_REAL, FLAVOUR_WHOLE, FLAVOUR_WHOLE, FLAVOUR_SPARSE};
    ref_array *a = maker_add_array(m, which, rank, size);
    flavour kind = FLAVOURS[dice_below(&m->dice, 8)];
    for (size_t i = 0; i < ref_count_of(a); i++)
        a->at[i] = some_number(m, kind, spread);
}

/* ---- sizes ---- */

static void choose_sizes(maker *m)
{
    static const double SPREADS[] = {1, 1, 1, 1, 0.1, 8, 60, 1e-19};
    static const double EAGERNESS[] = {0.08, 0.25, 0.5, 0.75};
    m->eagerness = EAGERNESS[dice_below(&m->dice, 4)];
    m->spread = SPREADS[dice_below(&m->dice, 8)];
    m->large_left = 2;
    m->n_q = some_size(m);
    m->n_k = dice_chance(&m->dice, 0.5) ? m->n_q : some_size(m);
    size_t most = m->n_q * m->n_k > 3000 ? 2 : 4;
    m->g = maker_wants(m) ? 1 + dice_below(&m->dice, most) : 1;
    m->h = m->g * (maker_wants(m) ? 1 + dice_below(&m->dice, most) : 1);
    m->b = maker_wants(m) ? 1 + dice_below(&m->dice, most) : 0;
    m->d_q = m->d_k = m->d_v = some_size(m);
    m->d_v = dice_chance(&m->dice, 0.5) ? m->d_q : some_size(m);
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
    bool needs_x = dice_chance(&m->dice, 0.1);
    for (int role = 0; role < ROLES; role++)
        m->is_given[role] = maker_wants(m);
    for (int role = K; role < ROLES; role++)
        m->rows_n[role] = maker_wants(m) ? m->n_k : 0;
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
        m->is_weighted[role] = !m->is_given[role] && dice_chance(&m->dice, 0.7);
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
    bool has_batch = m->b > 0 && dice_chance(&m->dice, 0.7);
    size_t size[] = {m->b, n, width};
    maker_add_numbers(m, which, has_batch ? 3 : 2, has_batch ? size : size + 1, m->spread);
}

static void add_given(maker *m, int role)
{
    size_t heads = heads_of(m, role), n = n_of(m, role), width = width_of(m, role);
    size_t size[] = {m->b, heads, n, width};
    if (m->b > 0 && dice_chance(&m->dice, 0.4))
        maker_add_numbers(m, GIVEN[role], 4, size, m->spread);
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
    bool is_one_a_head = maker_wants(m);
    size_t size[] = {heads, rows, is_one_a_head ? columns : heads * columns};
    if (is_out_in(m))
        swap(&size[1], &size[2]);
    maker_add_numbers(m, which, is_one_a_head ? 3 : 2, is_one_a_head ? size : size + 1,
                      sqrt(3 / (double)rows));
}

/* n, 1 × n or heads × n/heads */
void maker_add_vector(maker *m, ref_input which, size_t heads, size_t width)
{
    const size_t sizes[][2] = {{heads * width, 0}, {1, heads * width}, {heads, width}};
    size_t form = dice_below(&m->dice, 3);
    maker_add_numbers(m, which, form == 0 ? 1 : 2, sizes[form], 1);
}

/* Latents, where weights can take them; of keys and values they are one, of the same rows. */
static void choose_latents(maker *m)
{
    bool is_one = m->is_weighted[K] && m->is_weighted[V] && m->rows_n[V] == 0;
    if (m->is_weighted[Q] && maker_wants(m) && dice_chance(&m->dice, 0.5))
        m->latent[Q] = some_size(m);
    if (!is_one || !maker_wants(m) || !dice_chance(&m->dice, 0.5))
        return;
    m->latent[K] = m->latent[V] = some_size(m);
    m->shared = m->d_k > 1 && dice_chance(&m->dice, 0.7) ? 1 + dice_below(&m->dice, m->d_k - 1) : 0;
}

/* The inputs of Wq_down, and of Wkv_down, stand one after the other. */
static void add_latent(maker *m, int role)
{
    size_t width = m->latent[role], whole = width + (role == K ? m->shared : 0);
    size_t rows = m->rows_m[source_of(m, role)], size[] = {rows, whole};
    ref_input first = role == Q ? REF_WQ_DOWN : REF_WKV_DOWN;
    if (is_out_in(m))
        swap(&size[0], &size[1]);
    maker_add_numbers(m, first, 2, size, sqrt(3 / (double)rows));
    if (maker_wants(m))
        maker_add_vector(m, first + 1, 1, whole);
    if (maker_wants(m))
        maker_add_vector(m, first + 2, 1, width);
}

static void add_role(maker *m, int role)
{
    size_t heads = heads_of(m, role), width = width_of(m, role);
    if (m->is_given[role]) {
        add_given(m, role);
        return;
    }
    size_t taken = m->latent[role] > 0 ? m->latent[role] : m->rows_m[source_of(m, role)];
    width -= role == K ? m->shared : 0;
    if (m->is_weighted[role])
        add_weight(m, WEIGHT[role], heads, taken, width);
    if (role < V && m->latent[role] > 0)
        add_latent(m, role);
    if (maker_wants(m))
        maker_add_vector(m, BIAS[role], heads, width);
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
    m->p->normalizes = maker_wants(m) && dice_chance(&m->dice, 0.5);
    m->p->has_eps = m->p->normalizes && maker_wants(m);
    m->p->eps = EPS[dice_below(&m->dice, 4)];
    bool may_be_all = m->p->in[REF_Q].rank < 4 && m->p->in[REF_K].rank < 4;
    m->p->norms_all = m->p->normalizes && may_be_all && dice_chance(&m->dice, 0.3);
    bool is_all = m->p->norms_all;
    if (m->p->normalizes && maker_wants(m))
        maker_add_vector(m, REF_Q_GAIN, is_all || dice_chance(&m->dice, 0.5) ? m->h : 1, m->d_q);
    if (m->p->normalizes && maker_wants(m))
        maker_add_vector(m, REF_K_GAIN, is_all || dice_chance(&m->dice, 0.5) ? m->g : 1, m->d_k);
}

/* After what may bring the batch. */
static void choose_rope_positions(maker *m)
{
    if (!m->p->has_rope || !maker_wants(m))
        return;
    size_t n_new = ref_sizes_of(m->p).n_new;
    size_t count = m->n_q == n_new && dice_chance(&m->dice, 0.5) ? m->n_q : m->n_q + n_new;
    bool is_of_entries = dice_chance(&m->dice, 0.5);
    size_t lists = is_of_entries ? ref_sizes_of(m->p).b : 1;
    ref_array *a = &m->p->rope_positions;
    *a = (ref_array){1, {count, 0, 0, 0}, ref_alloc(lists * count, sizeof(double))};
    if (is_of_entries)
        *a = (ref_array){2, {lists, count, 0, 0}, a->at};
    for (size_t i = 0; i < lists * count; i++)
        a->at[i] = (double)dice_below(&m->dice, dice_chance(&m->dice, 0.9) ? 5000 : 2147483648u);
}

/* A width must be even, and one is said where those of queries and keys are not. */
static void choose_rope(maker *m)
{
    static const double BASES[] = {10000, 1, 500000, 2.5};
    static const char *const PAIRINGS[] = {"half", "interleaved"};
    size_t most = m->d_q < m->d_k ? m->d_q : m->d_k;
    m->p->has_rope = most > 1 && maker_wants(m) && dice_chance(&m->dice, 0.6);
    if (!m->p->has_rope)
        return;
    m->p->has_rope_base = maker_wants(m);
    m->p->rope_base = BASES[dice_below(&m->dice, 4)];
    m->p->pairing = maker_wants(m) ? dice_word(&m->dice, 2, PAIRINGS) : NULL;
    if (m->d_k % 2 == 1 || m->shared % 2 == 1 || most < m->d_k || maker_wants(m))
        m->p->rope_width = 2 * (1 + dice_below(&m->dice, most / 2));
}

/* Rows of a cache before the new ones, which m->n_k counts alone until then. */
static void add_cache(maker *m)
{
    if (!maker_wants(m))
        return;
    m->past = some_size(m);
    for (int role = K; role < ROLES; role++) {
        size_t width = width_of(m, role), size[] = {m->b, m->g, m->past, width};
        ref_input which = role == K ? REF_PAST_K : REF_PAST_V;
        if (m->b > 0 && dice_chance(&m->dice, 0.4))
            maker_add_numbers(m, which, 4, size, m->spread);
        else
            add_rows(m, which, m->past, m->g * width);
    }
    m->n_k += m->past;
}

/* Says heads and kv_heads where the shapes leave it open, and sometimes where they don't. */
static void say_heads(maker *m)
{
    ref_sizes found = ref_sizes_of(m->p);
    if (found.h != m->h || found.g != m->g || maker_wants(m))
        m->p->heads = m->h;
    found = ref_sizes_of(m->p);
    if (found.g != m->g || maker_wants(m))
        m->p->kv_heads = m->g;
}

/* ---- scores and scale ---- */

/* A matrix of rows × columns for all heads, or one a head. */
static void add_transform(maker *m, ref_input which, size_t rows, size_t columns)
{
    bool is_one_a_head = maker_wants(m);
    size_t size[] = {m->h, rows, columns};
    if (is_out_in(m))
        swap(&size[1], &size[2]);
    maker_add_numbers(m, which, is_one_a_head ? 3 : 2, is_one_a_head ? size : size + 1,
                      sqrt(3 / (double)rows));
}

static void add_score_vector(maker *m, ref_input which, size_t count)
{
    maker_add_vector(m, which, maker_wants(m) ? m->h : 1, count);
}

/* Without a matrix on its side, a query (a key) must have the width that is compared. */
static void choose_score(maker *m)
{
    if (!dice_chance(&m->dice, 0.6))
        return;
    const char *word = m->p->score = named_row(&SCORES, dice_below(&m->dice, SCORES.count))->name;
    bool is_free = strcmp(word, "general") == 0 || strcmp(word, "additive") == 0;
    if (is_free && dice_chance(&m->dice, 0.4))
        m->d_q = some_size(m);
}

static void add_additive(maker *m)
{
    bool has_wa = maker_wants(m), has_ua = maker_wants(m);
    if (m->d_q != m->d_k && !has_wa && !has_ua)
        has_wa = has_ua = true;
    size_t c = has_wa && has_ua ? some_size(m) : has_wa ? m->d_k : m->d_q;
    if (has_wa)
        add_transform(m, REF_WA, m->d_q, c);
    if (has_ua)
        add_transform(m, REF_UA, m->d_k, c);
    if (maker_wants(m))
        add_score_vector(m, REF_VA, c);
    if (maker_wants(m))
        add_score_vector(m, REF_BA, c);
}

static void add_score(maker *m)
{
    if (ref_word_is(m->p->score, "general")) {
        if (m->d_q != m->d_k || dice_chance(&m->dice, 0.5))
            add_transform(m, REF_WS, m->d_q, m->d_k);
        if (maker_wants(m))
            add_score_vector(m, REF_BS, 1);
    }
    if (ref_word_is(m->p->score, "additive"))
        add_additive(m);
}

static void choose_scale(maker *m)
{
    static const char *const SCALES[] = {"none", "head", "embed"};
    static const double NUMBERS[] = {0.3, 0.125, 2, -0.7, -1, 0, 1};
    if (!maker_wants(m))
        return;
    m->p->scale_is_number = dice_chance(&m->dice, 0.5);
    m->p->scale_number = NUMBERS[dice_below(&m->dice, 7)];
    if (!m->p->scale_is_number)
        m->p->scale = dice_word(&m->dice, m->p->in[REF_X].at != NULL ? 3 : 2, SCALES);
}

static void choose_softcap(maker *m)
{
    static const double CAPS[] = {50, 30, 1, 0.3, 5e-3};
    if (maker_wants(m))
        m->p->softcap = CAPS[dice_below(&m->dice, 5)];
}

/* ---- the rest ---- */

/* float32 weights have some 7 decimals: to keep a sum of more is not a promise. */
static void choose_rounding(maker *m)
{
    m->p->round_decimals = -1;
    if (!maker_wants(m))
        return;
    m->p->round_keeps_sum = dice_chance(&m->dice, 0.5) && m->p->in[REF_SINKS].at == NULL;
    m->p->round_decimals = (int)dice_below(&m->dice, dice_chance(&m->dice, 0.7) ? 3
                                                     : m->p->is_float32         ? 6
                                                                                : 13);
}

static void add_output_weight(maker *m)
{
    if (maker_wants(m)) {
        size_t width = m->h * m->d_v, columns = some_size(m);
        bool is_one_a_head = !is_out_in(m) && maker_wants(m);
        size_t heads_apart[] = {m->h, m->d_v, columns}, size[] = {width, columns};
        if (is_out_in(m))
            swap(&size[0], &size[1]);
        maker_add_numbers(m, REF_WO, is_one_a_head ? 3 : 2, is_one_a_head ? heads_apart : size,
                          sqrt(3 / (double)width));
    }
    if (maker_wants(m))
        maker_add_vector(m, REF_BO, 1, ref_sizes_of(m->p).m_out);
}

/* x as words of a vocabulary: rows of x that share a word are the same. */
static void make_vocab(maker *m)
{
    ref_array *x = &m->p->in[REF_X], *vocab = &m->p->vocab;
    size_t words = 1 + dice_below(&m->dice, x->size[0]), width = x->size[1];
    *vocab = (ref_array){2, {words, width, 0, 0}, ref_alloc(words * width, sizeof(double))};
    memcpy(vocab->at, x->at, words * width * sizeof(double));
    m->p->token_word = ref_alloc(x->size[0], sizeof(size_t));
    for (size_t i = 0; i < x->size[0]; i++) {
        size_t word = m->p->token_word[i] = dice_below(&m->dice, words);
        memcpy(x->at + i * width, vocab->at + word * width, width * sizeof(double));
    }
}

static void add_tokens(maker *m)
{
    const ref_array *x = &m->p->in[REF_X];
    m->p->has_tokens = maker_wants(m);
    m->p->has_key_tokens = maker_wants(m);
    if (m->p->has_tokens && x->at != NULL && x->rank == 2 && x->size[0] == m->n_q && maker_wants(m))
        make_vocab(m);
}

/* Of what is projected alone. */
static void choose_clip(maker *m)
{
    bool may_be = true;
    for (int role = 0; role < ROLES; role++)
        may_be = may_be && !m->is_given[role] &&
                 (m->p->in[WEIGHT[role]].at != NULL || m->p->in[BIAS[role]].at != NULL);
    if (may_be && dice_chance(&m->dice, 0.2))
        m->p->clip = dice_chance(&m->dice, 0.5) ? 0.5 : 2;
}

void ref_random_problem(ref_problem *p, uint64_t seed, uint64_t number)
{
    maker m = {.p = p, .dice = {seed ^ (number * 0xd1342543de82ef95u)}};
    *p = (ref_problem){.is_float32 = dice_chance(&m.dice, 0.5)};
    choose_sizes(&m);
    if (maker_wants(&m))
        p->layout = dice_chance(&m.dice, 0.7) ? "out-in" : "in-out";
    choose_score(&m);
    choose_sources(&m);
    choose_widths(&m);
    choose_latents(&m);
    add_inputs(&m);
    bool has_latents = p->in[REF_WQ_DOWN].at != NULL || p->in[REF_WKV_DOWN].at != NULL;
    p->has_latent_eps = has_latents && maker_wants(&m);
    p->latent_eps = 0.25;
    choose_norm(&m);
    choose_rope(&m);
    p->has_positions = !m.is_given[Q] && maker_wants(&m) && dice_chance(&m.dice, 0.5);
    add_cache(&m);
    choose_rope_positions(&m);
    m.b = ref_sizes_of(p).has_batch ? m.b : 0;
    say_heads(&m);
    add_score(&m);
    choose_scale(&m);
    choose_softcap(&m);
    maker_choose_causal(&m);
    maker_choose_window(&m);
    maker_choose_key_lengths(&m);
    maker_choose_alibi(&m);
    maker_add_masks(&m);
    if (maker_wants(&m))
        maker_add_vector(&m, REF_SINKS, 1, m.h);
    if (maker_wants(&m) && p->in[REF_PAST_K].at == NULL)
        maker_choose_appended(&m);
    p->top = maker_wants(&m) ? 1 + dice_below(&m.dice, m.n_k < 4 ? m.n_k : 4) : 0;
    if (p->has_positions && p->key_lengths != NULL && ref_word_is(p->causal, "lower-right"))
        p->causal = "true"; /* refused: positions would be other ones in each batch entry */
    choose_rounding(&m);
    add_output_weight(&m);
    add_tokens(&m);
    choose_clip(&m);
    if (p->has_rope && maker_wants(&m))
        p->rope_factor = dice_chance(&m.dice, 0.5) ? 1.25 : 0.7;
    if (p->in[REF_BIAS].at == NULL && maker_wants(&m) && dice_chance(&m.dice, 0.4))
        maker_add_key_bias(&m);
    else if (p->in[REF_BIAS].at == NULL && maker_wants(&m) && dice_chance(&m.dice, 0.4))
        maker_add_relative_bias(&m);
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
