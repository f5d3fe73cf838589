/* Mistakes in masks, the softmax and its weights: the reference's own numbers, changed. */
#include "why/plants.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ref_number *stage_of(const planting *of, ref_stage_id id)
{
    return of->r->stage[id].at;
}

/* Something is masked; places of queries don't go with it. */
bool plant_no_masks(planting *of)
{
    ref_problem *p = of->p;
    bool is_low = ref_word_is(p->causal, "lower-right");
    bool is_causal =
        p->causal != NULL && !ref_word_is(p->causal, "none") && !ref_word_is(p->causal, "false");
    bool is_masked =
        is_causal || p->has_window || p->key_lengths != NULL || p->in[REF_MASK].at != NULL;
    if (!is_masked || p->in[REF_SINKS].at != NULL ||
        (is_low && (p->has_alibi || p->has_rope || p->has_window)))
        return false;
    free(p->in[REF_MASK].at);
    p->in[REF_MASK] = (ref_array){0};
    free(p->key_lengths);
    p->key_lengths = NULL;
    p->causal = NULL;
    p->has_window = false;
    return true;
}

static bool is_hidden(const planting *of, size_t i)
{
    return isinf(of->right_result->stage[REF_STAGE_MASKED].at[i].value);
}

/* exp(masked − max) / Σ exp(masked − max), over groups of numbers */
static void softmax_of(planting *of, const ref_number *from, int with)
{
    const ref_sizes *s = &of->r->sizes;
    size_t count = s->b * s->h * s->n_q * s->n_k;
    ref_number *weights = stage_of(of, REF_STAGE_WEIGHTS);
    long double *most = ref_alloc(count, sizeof most[0]), *sum = ref_alloc(count, sizeof sum[0]),
                *value = ref_alloc(count, sizeof value[0]);
    size_t *group = ref_alloc(count, sizeof group[0]);
    for (size_t i = 0; i < count; i++) {
        size_t j = i % s->n_k, query = i / s->n_k % s->n_q, head = i / s->n_k / s->n_q % s->h,
               entry = i / s->n_k / s->n_q / s->h;
        group[i] = (with & 1 ? 0 : j) +
                   s->n_k * ((with & 2 ? 0 : query) +
                             s->n_q * ((with & 4 ? 0 : head) + s->h * (with & 8 ? 0 : entry)));
        value[i] = from[i].value;
        most[i] = -INFINITY;
    }
    for (size_t i = 0; i < count; i++)
        most[group[i]] = fmaxl(most[group[i]], value[i]);
    for (size_t i = 0; i < count; i++) {
        value[i] = isinf(value[i]) ? 0
                   : with & 16     ? exp2l(value[i] - most[group[i]])
                                   : expl(value[i] - most[group[i]]);
        sum[group[i]] += value[i];
    }
    for (size_t i = 0; i < count; i++)
        weights[i].value = value[i] == 0 ? 0 : value[i] / sum[group[i]];
    free(most);
    free(sum);
    free(value);
    free(group);
}

void plant_softmax_rows(planting *of)
{
    softmax_of(of, stage_of(of, REF_STAGE_MASKED), 1);
}

bool plant_add_mask(planting *of)
{
    ref_number *masked = stage_of(of, REF_STAGE_MASKED);
    for (size_t i = 0; i < of->r->stage[REF_STAGE_MASKED].count; i++)
        masked[i].value += is_hidden(of, i) == (of->with < 0) ? 1 : 0;
    plant_softmax_rows(of);
    return true;
}

bool plant_fill_scores(planting *of)
{
    long double value = of->with == LEAST_FLOAT32 ? -(long double)FLT_MAX : of->with;
    ref_number *masked = stage_of(of, REF_STAGE_MASKED);
    for (size_t i = 0; i < of->r->stage[REF_STAGE_MASKED].count; i++)
        masked[i].value = is_hidden(of, i) ? value : masked[i].value;
    plant_softmax_rows(of);
    return true;
}

bool plant_mask_weights(planting *of)
{
    for (size_t i = 0; i < of->r->stage[REF_STAGE_WEIGHTS].count; i++)
        stage_of(of, REF_STAGE_WEIGHTS)[i].value *= is_hidden(of, i) ? 0 : 1;
    return true;
}

bool plant_softmax(planting *of)
{
    const ref_sizes *s = &of->r->sizes;
    if (of->p->in[REF_SINKS].at != NULL || (of->with & 4 && !s->has_heads) ||
        (of->with & 8 && !s->has_batch))
        return false;
    softmax_of(of, stage_of(of, REF_STAGE_MASKED), of->with);
    return true;
}

bool plant_no_softmax(planting *of)
{
    const ref_number *masked = stage_of(of, REF_STAGE_MASKED);
    for (size_t i = 0; i < of->r->stage[REF_STAGE_WEIGHTS].count; i++)
        stage_of(of, REF_STAGE_WEIGHTS)[i] =
            isinf(masked[i].value) ? (ref_number){0, 0} : masked[i];
    return true;
}

bool plant_linear(planting *of)
{
    size_t n = of->r->sizes.n_k;
    ref_number *weights = stage_of(of, REF_STAGE_WEIGHTS);
    plant_no_softmax(of);
    for (size_t row = 0; row < of->r->stage[REF_STAGE_WEIGHTS].count; row += n) {
        long double sum = 0, most = 0;
        for (size_t j = row; j < row + n; j++) {
            sum += weights[j].value;
            most = fmaxl(most, fabsl(weights[j].value));
        }
        if (fabsl(sum) <= most / 100) /* which nobody divides by */
            return false;
        for (size_t j = row; j < row + n; j++)
            weights[j].value /= sum;
    }
    return true;
}

bool plant_no_sum(planting *of)
{
    const ref_number *masked = stage_of(of, REF_STAGE_MASKED), *e = stage_of(of, REF_STAGE_EXP);
    for (size_t i = 0; i < of->r->stage[REF_STAGE_WEIGHTS].count; i++) {
        long double value = of->with ? expl(masked[i].value) : e[i].value;
        if (value > 1e9L)
            return false;
        stage_of(of, REF_STAGE_WEIGHTS)[i].value = value;
    }
    return true;
}

bool plant_twice(planting *of)
{
    softmax_of(of, stage_of(of, REF_STAGE_WEIGHTS), 1);
    return true;
}

bool plant_even(planting *of)
{
    size_t n = of->r->sizes.n_k;
    if (of->p->in[REF_SINKS].at != NULL)
        return false;
    for (size_t row = 0; row < of->r->stage[REF_STAGE_WEIGHTS].count; row += n) {
        size_t hidden = 0;
        for (size_t j = row; j < row + n; j++)
            hidden += is_hidden(of, j);
        for (size_t j = row; j < row + n; j++)
            stage_of(of, REF_STAGE_WEIGHTS)[j].value =
                is_hidden(of, j) ? 0 : 1 / (long double)(n - hidden);
    }
    return true;
}

bool plant_scale_weights(planting *of)
{
    long double scale = (long double)plant_right_scale(of->right);
    for (size_t i = 0; i < of->r->stage[REF_STAGE_WEIGHTS].count; i++)
        stage_of(of, REF_STAGE_WEIGHTS)[i].value *= scale;
    return true;
}

bool plant_turn(planting *of)
{
    size_t n = of->r->sizes.n_k;
    ref_stage *weights = &of->r->stage[REF_STAGE_WEIGHTS];
    if (of->r->sizes.n_q != n)
        return false;
    ref_number *old = ref_alloc(weights->count, sizeof old[0]);
    memcpy(old, weights->at, weights->count * sizeof old[0]);
    for (size_t i = 0; i < weights->count; i++)
        weights->at[i] = old[i / (n * n) * n * n + i % n * n + i / n % n];
    free(old);
    return true;
}

bool plant_nan(planting *of)
{
    size_t n = of->r->sizes.n_k;
    bool is_any = false;
    for (size_t row = 0; row < of->r->stage[REF_STAGE_WEIGHTS].count; row += n) {
        bool is_empty = true;
        for (size_t j = row; j < row + n; j++)
            is_empty = is_empty && isinf(stage_of(of, REF_STAGE_MASKED)[j].value);
        for (size_t j = row; is_empty && j < row + n; j++)
            stage_of(of, REF_STAGE_WEIGHTS)[j].value = (long double)NAN;
        is_any = is_any || is_empty;
    }
    return is_any;
}

/* exp(score j − the maximum of all scores, or of those to the end of j's block) */
static long double term(const ref_number *row, size_t keys, size_t j, size_t block)
{
    size_t end = block == 0 ? keys : (j / block + 1) * block;
    long double most = -INFINITY;
    for (size_t k = 0; k < keys && k < end; k++)
        most = fmaxl(most, row[k].value);
    return isinf(row[j].value) ? 0 : expl(row[j].value - most);
}

bool plant_online(planting *of)
{
    const ref_sizes *s = &of->r->sizes;
    size_t rows = s->b * s->h * s->n_q, n = s->n_k, block = (size_t)of->with / 10;
    size_t of_sum = of->with % 10 & 1 ? block : 0, of_output = of->with % 10 & 2 ? block : 0;
    if (block >= n || of->p->in[REF_SINKS].at != NULL)
        return false;
    for (size_t i = 0; i < rows; i++) {
        const ref_number *masked = stage_of(of, REF_STAGE_MASKED) + i * n;
        ref_number *weights = stage_of(of, REF_STAGE_WEIGHTS) + i * n;
        long double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += term(masked, n, j, of_sum);
        for (size_t j = 0; j < n; j++)
            weights[j].value = sum == 0 ? 0 : term(masked, n, j, of_output) / sum;
    }
    return true;
}
