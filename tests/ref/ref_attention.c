/* From x to the weights. */
#include "ref/ref_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scores ---- */

size_t ref_kv_head(const ref_problem *p, const ref_sizes *s, size_t head)
{
    return ref_makes(p, "groups") ? head % s->g : head / (s->h / s->g);
}

/* Ws, Wa or Ua at [row][column]: shared by all heads when 2-D, one a head when 3-D. */
ref_number ref_transform_element(const ref_problem *p, const ref_array *w, size_t head, size_t row,
                                 size_t column)
{
    size_t rows = w->size[w->rank - 2], columns = w->size[w->rank - 1];
    size_t start = w->rank == 3 ? head * rows * columns : 0;
    bool is_out_in =
        ref_word_is(p->layout, "out-in") && !(ref_makes(p, "layout") && rows == columns);
    return number_exact(
        w->at[start + (is_out_in ? column * columns + row : row * columns + column)]);
}

/* row·W at one column, row itself where there is no W */
static ref_number transformed(const ref_problem *p, const ref_array *w, size_t head,
                              const ref_number *row, size_t width, size_t column)
{
    if (w->at == NULL)
        return row[column];
    ref_number sum = number_exact(0);
    for (size_t i = 0; i < width; i++)
        sum = number_chain(ref_precision(p), sum, row[i],
                           ref_transform_element(p, w, head, i, column));
    return sum;
}

/* va, ba or bs: `count` numbers for all heads, or as many a head; `absent` where not given. */
ref_number ref_vector_element(const ref_problem *p, ref_input which, size_t count, size_t head,
                              size_t i, long double absent)
{
    const ref_array *a = &p->in[which];
    if (a->at == NULL)
        return number_exact(absent);
    return number_exact(a->at[ref_count_of(a) == count ? i : head * count + i]);
}

/* va·tanh(q′ + k′ + ba) */
static ref_number additive_score(const ref_problem *p, const ref_sizes *s, size_t head,
                                 const ref_number *q, const ref_number *k)
{
    const precision *type = ref_precision(p);
    ref_number sum = number_exact(0);
    for (size_t i = 0; i < s->c; i++) {
        ref_number inner = number_add(type, number_add(type, q[i], k[i]),
                                      ref_vector_element(p, REF_BA, s->c, head, i, 0));
        ref_number outer = ref_makes(p, "tanh") ? inner : number_tanh(type, inner);
        sum = number_chain(type, sum, ref_vector_element(p, REF_VA, s->c, head, i, 1), outer);
    }
    return sum;
}

/* Of so many numbers that are compared. */
static ref_number chain_of(const ref_problem *p, const ref_sizes *s, const ref_number *a,
                           const ref_number *b)
{
    ref_number sum = number_exact(0);
    for (size_t i = 0; i < s->c; i++)
        sum = number_chain(ref_precision(p), sum, a[i], b[i]);
    return sum;
}

/* q′·k′, for `general` + bs */
static ref_number product_score(const ref_problem *p, const ref_sizes *s, size_t head,
                                const ref_number *q, const ref_number *k)
{
    ref_number sum = chain_of(p, s, q, k);
    if (p->in[REF_BS].at != NULL)
        sum = number_add(ref_precision(p), sum, ref_vector_element(p, REF_BS, 1, head, 0, 0));
    return sum;
}

/* q′ or k′, b × h × n × c: rows·W with the score function's W of each head, the rows themselves
 * where there is none. The stage is there only where there is a W. */
static ref_number *transform_rows(const ref_problem *p, ref_result *r, ref_stage_id id)
{
    const ref_sizes *s = &r->sizes;
    bool is_key = id == REF_STAGE_K_SCORE;
    size_t n = is_key ? s->n_k : s->n_q, width = is_key ? s->d_k : s->d_q;
    ref_input w = is_key ? REF_UA : p->in[REF_WA].at != NULL ? REF_WA : REF_WS;
    ref_number *out =
        ref_stage_new(r, id, is_key ? "k_score" : "q_score", is_key ? "bhk" : "bhq", s->c);
    ref_number *to = out;
    for (size_t b = 0; b < s->b; b++)
        for (size_t head = 0; head < s->h; head++) {
            const ref_number *rows = is_key
                                         ? r->k + (b * s->g + ref_kv_head(p, s, head)) * n * width
                                         : r->q + (b * s->h + head) * n * width;
            for (size_t i = 0; i < n; i++)
                for (size_t column = 0; column < s->c; column++)
                    *to++ = transformed(p, &p->in[w], head, rows + i * width, width, column);
        }
    r->stage[id].is_not_made = p->in[w].at == NULL;
    return out;
}

typedef ref_number made_of(const ref_problem *p, const ref_sizes *s, size_t head,
                           const ref_number *q, const ref_number *k);

/* A row for each of attn/spec/score.c, as tests/lint/registered.sh asks. */
static const struct {
    const char *name;
    made_of *of;
} SCORES_OF[] = {
    {"scaled", product_score},
    {"dot", product_score},
    {"general", product_score},
    {"additive", additive_score},
};

static made_of *made_by(const char *score)
{
    for (size_t i = 0; i < sizeof SCORES_OF / sizeof SCORES_OF[0]; i++) {
        if (score == NULL || strcmp(SCORES_OF[i].name, score) == 0)
            return SCORES_OF[i].of;
    }
    fprintf(stderr, "tests/ref/ref_attention.c: no score function %s\n", score);
    exit(2);
}

static void compute_scores(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    const ref_number *q = transform_rows(p, r, REF_STAGE_Q_SCORE);
    const ref_number *k = transform_rows(p, r, REF_STAGE_K_SCORE);
    made_of *of = made_by(p->score);
    ref_number *score = ref_stage_new(r, REF_STAGE_SCORES, "scores", "bhq", s->n_k);
    for (size_t b = 0; b < s->b; b++)
        for (size_t head = 0; head < s->h; head++)
            for (size_t i = 0; i < s->n_q; i++)
                for (size_t j = 0; j < s->n_k; j++) {
                    size_t unit = b * s->h + head;
                    *score++ = of(p, s, head, q + (unit * s->n_q + i) * s->c,
                                  k + (unit * s->n_k + j) * s->c);
                }
}

/* ---- scale, bias, mask ---- */

/* Computed in float64 (a root and a division: two roundings), rounded to the type: three. */
ref_number ref_scale_of(const ref_problem *p, const ref_sizes *s)
{
    const precision *type = ref_precision(p);
    bool is_scaled = p->score == NULL || ref_word_is(p->score, "scaled");
    const char *scale = p->scale != NULL ? p->scale : is_scaled ? "head" : "none";
    long double d_k = (long double)s->d_k;
    if (p->scale_is_number)
        return p->is_float32 ? number_rounded(type, p->scale_number, 1)
                             : number_exact(p->scale_number);
    if (ref_word_is(scale, "none"))
        return number_exact(1);
    if (ref_word_is(scale, "embed"))
        return number_rounded(type, 1 / sqrtl((long double)s->m), 3);
    return number_rounded(type, 1 / (ref_makes(p, "scale") ? d_k : sqrtl(d_k)), 3);
}

/* c·tanh(scaled / c), c as the type has it. */
static ref_number capped(const ref_problem *p, ref_number scaled)
{
    const precision *type = ref_precision(p);
    if (p->softcap == 0)
        return scaled;
    ref_number c = p->is_float32 ? number_rounded(type, p->softcap, 1) : number_exact(p->softcap);
    ref_number bent = number_tanh(type, number_divide(type, scaled, c));
    return number_multiply(type, c, ref_makes(p, "cap") ? number_divide(type, scaled, c) : bent);
}

size_t ref_met_index(const ref_problem *p, const ref_array *a, const ref_sizes *s, size_t b,
                     size_t head, size_t i, size_t j)
{
    bool by_batch = ref_word_is(p->mask_axis, "batch");
    if (ref_makes(p, "mask-axis"))
        b = 0;
    switch (a->rank) {
    case 1:
        return j;
    case 2:
        i = a->size[0] == 1 ? 0 : by_batch ? b : i;
        return i * s->own + j;
    case 3:
        head = a->size[0] == 1 ? 0 : by_batch ? b : head;
        i = a->size[1] == 1 ? 0 : i;
        return (head * a->size[1] + i) * s->own + j;
    default:
        b = a->size[0] == 1 ? 0 : b;
        head = a->size[1] == 1 ? 0 : head;
        i = a->size[2] == 1 ? 0 : i;
        return ((b * a->size[1] + head) * a->size[2] + i) * s->own + j;
    }
}

static double met_by(const ref_problem *p, const ref_array *a, const ref_sizes *s, size_t b,
                     size_t head, size_t i, size_t j)
{
    return a->at[ref_met_index(p, a, s, b, head, i, j)];
}

/* Where query i stands among the keys: at i + offset, or with lower-right so that the last query
 * stands at the last key that is there. */
static long position_of(const ref_problem *p, const ref_sizes *s, size_t b, size_t i)
{
    size_t length = p->key_lengths != NULL && !ref_makes(p, "lengths") ? p->key_lengths[b] : s->own;
    if (ref_word_is(p->causal, "lower-right") && !ref_makes(p, "alignment"))
        return (long)i + (long)length - (long)s->n_q;
    return (long)i + (long)(p->has_offset ? p->offset : s->past);
}

static bool is_causal(const ref_problem *p)
{
    return ref_word_is(p->causal, "true") || ref_word_is(p->causal, "upper-left") ||
           ref_word_is(p->causal, "lower-right");
}

/* T5's: near distances have a bucket each. Of the others the one of this number begins at
 * exact·(most/exact)^(number/rest), and so in whole numbers, without a root. */
static size_t bucket_of(const ref_problem *p, long apart)
{
    size_t count = p->in[REF_RELATIVE_BIAS].size[0], first = 0;
    if (!is_causal(p)) {
        count /= 2;
        first = apart > 0 ? count : 0;
    }
    long far = apart < 0 ? -apart : is_causal(p) ? 0 : apart;
    size_t exact = count / 2, number = 0;
    long double most = p->relative_distance > 0 ? (long double)p->relative_distance : 128;
    if ((size_t)far < exact || count < 2)
        return first + (count < 2 ? 0 : (size_t)far);
    long double reached = powl((long double)far, (long double)(count - exact)), begins;
    do {
        number++;
        begins = powl((long double)exact, (long double)(count - exact - number)) *
                 powl(most, (long double)number);
    } while (number < count - exact && reached >= begins);
    return first + exact + number - 1;
}

const ref_bias *ref_bias_of(const ref_problem *p)
{
    static const ref_bias OF[] = {
        {REF_KEY_BIAS, REF_STAGE_KEY_BIAS_GRAD, "key_bias_grad"},
        {REF_RELATIVE_BIAS, REF_STAGE_RELATIVE_BIAS_GRAD, "relative_bias_grad"},
        {REF_BIAS, REF_STAGE_BIAS_GRAD, "bias_grad"}};
    const ref_bias *of = OF;
    while (of->input != REF_BIAS && p->in[of->input].at == NULL)
        of++;
    return of;
}

size_t ref_bias_index(const ref_problem *p, const ref_sizes *s, size_t b, size_t head, size_t i,
                      size_t j)
{
    ref_input which = ref_bias_of(p)->input;
    const ref_array *bias = &p->in[which];
    if (which == REF_KEY_BIAS)
        return head * bias->size[1] + j;
    if (which == REF_RELATIVE_BIAS)
        return bucket_of(p, (long)j - position_of(p, s, b, i)) * bias->size[1] + head;
    return ref_met_index(p, bias, s, b, head, i, j);
}

/* Causality: j ≤ the query's position; a window: so many keys before and after it; and lengths. */
static bool may_see(const ref_problem *p, const ref_sizes *s, size_t b, size_t i, size_t j)
{
    long key = (long)j, at = position_of(p, s, b, i);
    if (p->key_lengths != NULL && j >= p->key_lengths[b])
        return false;
    if (is_causal(p) && key > (ref_makes(p, "causal") ? at - 1 : at))
        return false;
    if (!p->has_window)
        return true;
    bool is_early = p->window[0] >= 0 && key < at - p->window[0] + ref_makes(p, "window");
    return !is_early && !(p->window[1] >= 0 && key > at + p->window[1]);
}

static bool may_attend(const ref_problem *p, const ref_sizes *s, size_t b, size_t head, size_t i,
                       size_t j)
{
    const ref_array *mask = &p->in[REF_MASK];
    if (j >= s->own)
        return true;
    if (mask->at == NULL)
        return may_see(p, s, b, i, j);
    bool is_true = met_by(p, mask, s, b, head, i, j) != 0;
    bool true_is_masked = ref_word_is(p->mask_true, "masked") != ref_makes(p, "mask");
    return may_see(p, s, b, i, j) && is_true != true_is_masked;
}

/* Head i from 0 of n: as the paper's own code has it, the geometric sequence of a power of two of
 * heads, filled up with every second one of twice as many. */
static long double published_slope(size_t i, size_t n)
{
    size_t power = 1;
    while (2 * power <= n)
        power *= 2;
    if (power == n)
        return powl(powl(2, -8 / (long double)n), (long double)(i + 1));
    return i < power ? published_slope(i, power) : published_slope(2 * (i - power), 2 * power);
}

/* slope·|p − j|; a published slope is some ten operations of float64 away from the truth. */
static ref_number receded(const ref_problem *p, const ref_sizes *s, size_t b, size_t head, size_t i,
                          size_t j)
{
    const precision *type = ref_precision(p);
    long double distance = fabsl((long double)position_of(p, s, b, i) - (long double)j);
    ref_number slope =
        number_rounded(type, p->slopes != NULL ? p->slopes[head] : published_slope(head, s->h),
                       p->is_float32 ? 2 : 12);
    if (ref_makes(p, "alibi"))
        distance = fabsl((long double)i - (long double)j);
    return number_multiply(type, number_exact(-distance), slope);
}

/* scaled = score × scale; capped; masked = capped + bias, −inf where attending is not allowed */
typedef struct scaled_score {
    ref_number scaled, capped, masked;
} scaled_score;

static scaled_score scale_and_mask(const ref_problem *p, const ref_sizes *s, ref_number score,
                                   const ref_number *bias, const ref_number *alibi, bool allowed)
{
    const precision *type = ref_precision(p);
    ref_number scale = ref_scale_of(p, s);
    scaled_score of = {.scaled = number_multiply(type, score, scale)};
    of.capped = capped(p, of.scaled);
    of.masked = bias != NULL ? number_add(type, of.capped, *bias) : of.capped;
    if (alibi != NULL)
        of.masked = number_add(type, of.masked, *alibi);
    if (ref_makes(p, "order") && bias != NULL)
        of.masked = number_multiply(type, number_add(type, score, *bias), scale);
    if (!allowed)
        of.masked = number_exact(-INFINITY);
    return of;
}

static void compute_masked(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    const ref_number *score = r->stage[REF_STAGE_SCORES].at;
    ref_number *scaled = ref_stage_new(r, REF_STAGE_SCALED, "scaled", "bhq", s->n_k);
    ref_number *held = ref_stage_new(r, REF_STAGE_CAPPED, "capped", "bhq", s->n_k);
    ref_number *masked = ref_stage_new(r, REF_STAGE_MASKED, "masked", "bhq", s->n_k);
    const ref_array *bias = &p->in[ref_bias_of(p)->input];
    r->stage[REF_STAGE_CAPPED].is_not_made = p->softcap == 0;
    for (size_t b = 0; b < s->b; b++)
        for (size_t head = 0; head < s->h; head++)
            for (size_t i = 0; i < s->n_q; i++)
                for (size_t j = 0; j < s->n_k; j++) {
                    ref_number addend = {0, 0}, slope = receded(p, s, b, head, i, j);
                    bool has_bias = bias->at != NULL && j < s->own;
                    if (has_bias)
                        addend = number_exact(bias->at[ref_bias_index(p, s, b, head, i, j)]);
                    scaled_score of = scale_and_mask(p, s, *score++, has_bias ? &addend : NULL,
                                                     p->has_alibi && j < s->own ? &slope : NULL,
                                                     may_attend(p, s, b, head, i, j));
                    *scaled++ = of.scaled;
                    *held++ = of.capped;
                    *masked++ = of.masked;
                }
}

/* ---- softmax ---- */

/* The greatest, wherever within their slips the scores are. */
static ref_number greatest_of(const ref_number *row, size_t n)
{
    long double value = -INFINITY, least = -INFINITY, most = -INFINITY;
    for (size_t j = 0; j < n; j++) {
        value = fmaxl(value, row[j].value);
        least = fmaxl(least, row[j].value - row[j].slip);
        most = fmaxl(most, row[j].value + row[j].slip);
    }
    return isinf(value) ? number_exact(value)
                        : (ref_number){value, fmaxl(most - value, value - least)};
}

/* Of `n` terms and the sink's: summed without loss to speak of, and rounded once. */
static ref_number sum_of(const precision *type, const ref_number *row, size_t n, ref_number sink)
{
    ref_number sum = sink;
    for (size_t j = 0; j < n; j++) {
        sum.value += row[j].value;
        sum.slip += row[j].slip;
    }
    return sum.value == 0 ? sum : number_add(type, sum, number_exact(0));
}

/* One row: weights[j] = exp(masked[j] − max) / Σ exp(masked − max), 0 where all are masked. A sink
 * (NULL: none) takes part in the sum alone. */
static void softmax(const ref_problem *p, const ref_number *masked, size_t n, const double *sink,
                    ref_number *max, ref_number *e, ref_number *sum, ref_number *weight)
{
    const precision *type = ref_precision(p);
    *max = greatest_of(masked, n);
    if (sink != NULL)
        *max = greatest_of((ref_number[]){*max, number_exact(*sink)}, 2);
    for (size_t j = 0; j < n; j++) {
        e[j] = number_exp(type, masked[j], *max);
        if (ref_makes(p, "exp"))
            e[j].value *= 1 + 32 * type->unit;
    }
    bool is_summed = sink != NULL && !ref_makes(p, "sink");
    *sum = sum_of(type, e, n,
                  is_summed ? number_exp(type, number_exact(*sink), *max) : number_exact(0));
    for (size_t j = 0; j < n; j++) {
        weight[j] = number_share(type, e[j], *sum);
        if (ref_makes(p, "empty") && sum->value == 0)
            weight[j].value = 1 / (long double)n;
    }
}

static void compute_softmax(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    const ref_number *masked = r->stage[REF_STAGE_MASKED].at;
    ref_number *max = ref_stage_new(r, REF_STAGE_ROW_MAX, "row_max", "bhq", 1);
    ref_number *e = ref_stage_new(r, REF_STAGE_EXP, "exp", "bhq", s->n_k);
    ref_number *sum = ref_stage_new(r, REF_STAGE_ROW_SUM, "row_sum", "bhq", 1);
    ref_number *weight = ref_stage_new(r, REF_STAGE_WEIGHTS, "weights", "bhq", s->n_k);
    for (size_t row = 0; row < s->b * s->h * s->n_q; row++) {
        size_t at = row * s->n_k;
        const double *sinks = p->in[REF_SINKS].at;
        const double *sink = sinks == NULL ? NULL : sinks + row / s->n_q % s->h;
        softmax(p, masked + at, s->n_k, sink, max + row, e + at, sum + row, weight + at);
    }
}

void ref_compute_weights(const ref_problem *p, ref_result *r)
{
    *r = (ref_result){.sizes = ref_sizes_of(p)};
    ref_compute_projections(p, r);
    ref_compute_norms(p, r);
    ref_compute_turns(p, r);
    ref_compute_cache(p, r);
    compute_scores(p, r);
    compute_masked(p, r);
    compute_softmax(p, r);
}

double *ref_found_weights(const ref_result *r)
{
    const ref_stage *weights = &r->stage[REF_STAGE_WEIGHTS];
    double *found = ref_alloc(weights->count, sizeof found[0]);
    for (size_t i = 0; i < weights->count; i++)
        found[i] = (double)weights->at[i].value;
    return found;
}

void ref_result_free(ref_result *r)
{
    for (size_t id = 0; id < REF_STAGES; id++)
        free(r->stage[id].at);
    free(r->q);
    free(r->k);
    free(r->v);
    *r = (ref_result){0};
}
