#include "why/plants.h"

#include "ref/ref_backward.h"
#include "ref/ref_parameters.h"
#include "ref/ref_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEEPS_FIRST, KEEPS_LAST, KEEPS_MEAN, KEEPS_NONE };

static const ref_stage_id WEIGHTS[] = {REF_STAGE_WQ_GRAD, REF_STAGE_WK_GRAD, REF_STAGE_WV_GRAD,
                                       REF_STAGE_WO_GRAD},
                          BIASES[] = {REF_STAGE_BQ_GRAD, REF_STAGE_BK_GRAD, REF_STAGE_BV_GRAD,
                                      REF_STAGE_BO_GRAD};
enum { SIDES = 4 };

static void take(ref_result *to, const ref_result *from, ref_stage_id id)
{
    memcpy(to->stage[id].at, from->stage[id].at, from->stage[id].count * sizeof(ref_number));
}

static void multiply(ref_stage *one, long double by)
{
    for (size_t i = 0; one->at != NULL && i < one->count; i++)
        one->at[i] = (ref_number){one->at[i].value * by, one->at[i].slip * fabsl(by)};
}

static bool compute(planting *of)
{
    ref_compute_gradients(of->p, of->r);
    ref_compute_parameters(of->p, of->r);
    return true;
}

static bool multiply_all(planting *of, long double by)
{
    compute(of);
    for (ref_stage_id id = REF_STAGE_WQ_GRAD; id < REF_STAGES; id++)
        multiply(&of->r->stage[id], by);
    return true;
}

static bool without_clip(planting *of)
{
    of->p->mistake = "unclipped";
    return of->right->clip > 0 && compute(of);
}

/* ---- latents ---- */

enum { PASSES_KV, PASSES_Q, OF_FIRST, OF_LAST, OF_MEAN, BY_KEYS, BY_VALUES };

static bool change_latents(planting *of)
{
    static const char *const MISTAKES_OF_REF[] = {
        [PASSES_KV] = "kv norm passed",  [PASSES_Q] = "q norm passed", [OF_FIRST] = "shared first",
        [OF_LAST] = "shared last",       [OF_MEAN] = "shared mean",    [BY_KEYS] = "latent of keys",
        [BY_VALUES] = "latent of values"};
    const ref_problem *p = of->right;
    const ref_sizes *s = &of->right_result->sizes;
    bool has_kv = p->in[REF_WKV_DOWN].at != NULL, is_of_shared = of->with >= OF_FIRST,
         is_of_takers = of->with >= BY_KEYS,
         may = of->with == PASSES_Q    ? p->in[REF_Q_LATENT_GAIN].at != NULL
               : of->with == PASSES_KV ? p->in[REF_KV_LATENT_GAIN].at != NULL
               : is_of_takers          ? has_kv
                                       : is_of_shared && s->shared > 0 && s->g > 1;
    of->p->mistake = MISTAKES_OF_REF[of->with];
    return may && compute(of);
}

/* ---- the batch ---- */

/* Nothing comes back to the others; what is next to it is right. */
static bool change_batch(planting *of)
{
    static const ref_stage_id FROM[] = {
        REF_STAGE_OUTPUT_GRAD, REF_STAGE_MASKED_GRAD, REF_STAGE_DELTA,
        REF_STAGE_Q_GRAD,      REF_STAGE_K_GRAD,      REF_STAGE_V_GRAD,
        REF_STAGE_Q_SUM_GRAD,  REF_STAGE_K_SUM_GRAD,  REF_STAGE_V_SUM_GRAD};
    size_t b = of->right_result->sizes.b, kept = of->with == KEEPS_FIRST ? 0 : b - 1;
    if (b == 1 || of->with == KEEPS_MEAN)
        return b > 1 && multiply_all(of, 1 / (long double)b);
    ref_compute_gradients(of->p, of->r);
    for (size_t i = 0; i < sizeof FROM / sizeof FROM[0]; i++) {
        ref_stage *one = &of->r->stage[FROM[i]];
        for (size_t at = 0; at < one->count; at++) {
            if (at / (one->count / b) != kept)
                one->at[at] = number_exact(0);
        }
    }
    ref_compute_parameters(of->p, of->r);
    for (size_t i = 0; i < sizeof FROM / sizeof FROM[0]; i++)
        take(of->r, of->right_result, FROM[i]);
    return true;
}

static bool double_all(planting *of)
{
    return multiply_all(of, 2);
}

/* ---- projections ---- */

/* Of each projection, q, k, v and the output, how many rows it made. */
static size_t rows_of(const planting *of, int side)
{
    const ref_sizes *s = &of->r->sizes;
    return s->b * (side == 1 || side == 2 ? s->n_new : s->n_q);
}

static bool average_weights(planting *of)
{
    compute(of);
    for (int i = 0; i < SIDES; i++)
        multiply(&of->r->stage[WEIGHTS[i]], 1 / (long double)rows_of(of, i));
    return true;
}

static bool turn_weights(planting *of)
{
    compute(of);
    for (int i = 0; i < SIDES; i++) {
        ref_stage *one = &of->r->stage[WEIGHTS[i]];
        const ref_number *right = of->right_result->stage[WEIGHTS[i]].at;
        size_t n = one->at == NULL ? 0 : one->size[one->rank - 1];
        if (n == 0 || one->size[one->rank - 2] != n)
            continue;
        for (size_t at = 0; at < one->count; at++)
            one->at[at] = right[at / (n * n) * n * n + at % n * n + at / n % n];
    }
    return true;
}

/* Nothing comes back to rows before the last one, where q, k and v were made of rows. */
static bool take_last_row(planting *of)
{
    static const ref_stage_id FROM[SIDES] = {REF_STAGE_Q_GRAD, REF_STAGE_K_GRAD, REF_STAGE_V_GRAD,
                                             REF_STAGE_OUTPUT_GRAD},
                              CLIPPED[SIDES] = {REF_STAGE_Q_SUM_GRAD, REF_STAGE_K_SUM_GRAD,
                                                REF_STAGE_V_SUM_GRAD, REF_STAGE_OUTPUT_GRAD};
    const ref_sizes *s = &of->right_result->sizes;
    bool is_apart = of->p->in[REF_Q].at != NULL && of->p->in[REF_Q].rank == 4;
    if (is_apart) /* whose bo is not a row's */
        return false;
    ref_compute_gradients(of->p, of->r);
    for (int i = 0; i < SIDES; i++) {
        bool is_clipped = of->p->clip > 0;
        ref_stage *one = &of->r->stage[(is_clipped ? CLIPPED : FROM)[i]];
        size_t own = rows_of(of, i) / s->b, all = is_clipped         ? own
                                                  : i == 1 || i == 2 ? s->n_k - s->past
                                                                     : s->n_q;
        size_t width = one->count / s->b / all, last = ((s->b - 1) * all + own - 1) * width;
        for (size_t at = 0; at < one->count; at++) {
            if (at < last || at >= last + width)
                one->at[at] = number_exact(0);
        }
    }
    ref_compute_parameters(of->p, of->r);
    for (ref_stage_id id = REF_STAGE_WQ_GRAD; id < REF_STAGES; id++) {
        bool is_bias = id >= REF_STAGE_BQ_GRAD && id <= REF_STAGE_BO_GRAD;
        if (!is_bias && of->r->stage[id].at != NULL)
            take(of->r, of->right_result, id);
    }
    return true;
}

static bool change_biases(planting *of)
{
    if (of->with == KEEPS_LAST)
        return take_last_row(of);
    compute(of);
    for (int i = 0; i < SIDES; i++)
        multiply(&of->r->stage[BIASES[i]],
                 of->with == KEEPS_MEAN ? 1 / (long double)rows_of(of, i) : 0);
    return true;
}

/* with: the stage of rows; the one before it is what they are taken for. */
static bool take_rows(planting *of)
{
    bool is_xk = of->with == REF_STAGE_XK;
    const ref_problem *p = of->right;
    const ref_array *own = &p->in[is_xk ? REF_XK : REF_XV], *other = &p->in[is_xk ? REF_X : REF_XK];
    ref_stage *to = &of->r->stage[of->with], *from = &of->r->stage[of->with - 1];
    bool are_alike = own->at != NULL && other->at != NULL && to->at != NULL && from->at != NULL &&
                     own->rank == other->rank &&
                     memcmp(own->size, other->size, sizeof own->size) == 0;
    if (!are_alike)
        return false;
    memcpy(to->at, from->at, to->count * sizeof to->at[0]);
    /* Values are of xk, too, unless they have rows of their own. */
    ref_stage *values = &of->r->stage[REF_STAGE_XV];
    if (is_xk && p->in[REF_XV].at == NULL && values->at != NULL)
        memcpy(values->at, from->at, values->count * sizeof values->at[0]);
    return compute(of);
}

static bool forget_positions(planting *of)
{
    ref_stage *placed = &of->r->stage[REF_STAGE_X_POS], *x = &of->r->stage[REF_STAGE_X];
    if (placed->at == NULL || x->at == NULL)
        return false;
    memcpy(placed->at, x->at, placed->count * sizeof placed->at[0]);
    return compute(of);
}

static bool exchange(planting *of)
{
    compute(of);
    ref_stage *one = &of->r->stage[WEIGHTS[of->with]],
              *other = &of->r->stage[WEIGHTS[of->with + 1]];
    bool are_alike = one->at != NULL && other->at != NULL && one->rank == other->rank &&
                     memcmp(one->size, other->size, sizeof one->size) == 0;
    if (are_alike) {
        ref_number *at = one->at;
        one->at = other->at;
        other->at = at;
    }
    return are_alike;
}

/* ---- scores, sinks and slopes ---- */

/* What gathers the gradient of what is added to scores may be that of a table. */
static ref_stage *meant_by(const planting *of, int with)
{
    return &of->r->stage[with == REF_STAGE_BIAS_GRAD ? (int)ref_bias_of(of->right)->grad : with];
}

/* Of the scores that share a number, in index order, one counts, or all and are divided by how many
 * they are. What is appended has no number, and counts. */
static bool change_spread(planting *of)
{
    const ref_array *bias = &of->right->in[ref_bias_of(of->right)->input];
    const ref_sizes *s = &of->right_result->sizes;
    if (bias->at == NULL)
        return false;
    size_t count = ref_count_of(bias), pairs = s->n_q * s->n_k, all = s->b * s->h * pairs, most = 0;
    size_t *number = ref_alloc(all, sizeof number[0]), *shared = ref_alloc(count, sizeof shared[0]),
           *met = ref_alloc(count, sizeof met[0]);
    for (size_t n = 0; n < all; n++) {
        size_t b = n / pairs / s->h, head = n / pairs % s->h, i = n / s->n_k % s->n_q,
               j = n % s->n_k;
        number[n] = j < s->own ? ref_bias_index(of->right, s, b, head, i, j) : count;
        if (number[n] < count && ++shared[number[n]] > most)
            most = shared[number[n]];
    }
    ref_compute_gradients(of->p, of->r);
    for (size_t n = 0; of->with != KEEPS_MEAN && n < all; n++) {
        if (number[n] == count)
            continue;
        size_t nth = ++met[number[n]];
        if (nth != (of->with == KEEPS_FIRST ? 1 : shared[number[n]]))
            of->r->stage[REF_STAGE_MASKED_GRAD].at[n] = number_exact(0);
    }
    ref_compute_parameters(of->p, of->r);
    take(of->r, of->right_result, REF_STAGE_MASKED_GRAD);
    if (of->r->stage[REF_STAGE_SLOPES_GRAD].at != NULL)
        take(of->r, of->right_result, REF_STAGE_SLOPES_GRAD);
    ref_number *grad = meant_by(of, REF_STAGE_BIAS_GRAD)->at;
    for (size_t i = 0; of->with == KEEPS_MEAN && i < count; i++)
        if (shared[i] > 1)
            grad[i] = (ref_number){grad[i].value / shared[i], grad[i].slip / shared[i]};
    free(number);
    free(shared);
    free(met);
    return most > 1;
}

/* with: the stage */
static bool scale_one(planting *of)
{
    compute(of);
    multiply(meant_by(of, of->with), plant_right_scale(of->right));
    return meant_by(of, of->with)->at != NULL;
}

static bool negate_one(planting *of)
{
    compute(of);
    multiply(meant_by(of, of->with), -1);
    return meant_by(of, of->with)->at != NULL;
}

static bool clear_one(planting *of)
{
    compute(of);
    multiply(meant_by(of, of->with), 0);
    return meant_by(of, of->with)->at != NULL;
}

static bool forget_logsumexp(planting *of)
{
    const ref_array *less = &of->right->in[REF_LOGSUMEXP_GRAD];
    ref_stage *delta = &of->r->stage[REF_STAGE_DELTA];
    if (less->at == NULL || of->right->in[REF_SINKS].at == NULL)
        return false;
    ref_compute_gradients(of->p, of->r);
    for (size_t i = 0; i < delta->count; i++)
        delta->at[i] = number_add(&FLOAT64, delta->at[i], number_exact(less->at[i]));
    ref_compute_parameters(of->p, of->r);
    take(of->r, of->right_result, REF_STAGE_DELTA);
    return true;
}

/* clang-format off */
const back_plant PARAMETER_PLANTS[] = {
    {"back-clip-missing", without_clip, 0},
    {"batch-grads-first", change_batch, KEEPS_FIRST},
    {"batch-grads-last", change_batch, KEEPS_LAST},
    {"batch-grads-averaged", change_batch, KEEPS_MEAN},
    {"parameter-grads-twice", double_all, 0},
    {"weight-grads-transposed", turn_weights, 0},
    {"weight-grads-averaged", average_weights, 0},
    {"bias-grads-averaged", change_biases, KEEPS_MEAN},
    {"bias-grads-last", change_biases, KEEPS_LAST},
    {"bias-grads-missing", change_biases, KEEPS_NONE},
    {"key-weight-grads-of-x", take_rows, REF_STAGE_XK},
    {"value-weight-grads-of-xk", take_rows, REF_STAGE_XV},
    {"weight-grads-unplaced", forget_positions, 0},
    {"qk-weight-grads-exchanged", exchange, 0},
    {"kv-weight-grads-exchanged", exchange, 1},
    {"kv-latent-norm-not-gone-back", change_latents, PASSES_KV},
    {"q-latent-norm-not-gone-back", change_latents, PASSES_Q},
    {"shared-grad-first", change_latents, OF_FIRST},
    {"shared-grad-last", change_latents, OF_LAST},
    {"shared-grad-averaged", change_latents, OF_MEAN},
    {"latent-grad-of-keys", change_latents, BY_KEYS},
    {"latent-grad-of-values", change_latents, BY_VALUES},
    {"score-bias-grad-first", change_spread, KEEPS_FIRST},
    {"score-bias-grad-last", change_spread, KEEPS_LAST},
    {"score-bias-grad-averaged", change_spread, KEEPS_MEAN},
    {"score-bias-grad-scaled", scale_one, REF_STAGE_BIAS_GRAD},
    {"score-bias-grad-missing", clear_one, REF_STAGE_BIAS_GRAD},
    {"sinks-grad-missing", clear_one, REF_STAGE_SINKS_GRAD},
    {"sinks-grad-negated", negate_one, REF_STAGE_SINKS_GRAD},
    {"sinks-grad-of-output", forget_logsumexp, 0},
    {"slopes-grad-missing", clear_one, REF_STAGE_SLOPES_GRAD},
    {"slopes-grad-negated", negate_one, REF_STAGE_SLOPES_GRAD},
    {"slopes-grad-scaled", scale_one, REF_STAGE_SLOPES_GRAD},
};
/* clang-format on */

const size_t PARAMETER_PLANT_COUNT = sizeof PARAMETER_PLANTS / sizeof PARAMETER_PLANTS[0];

bool plant_is_of_latents(const back_plant *p)
{
    return p->make == change_latents;
}
