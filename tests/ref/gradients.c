#include "ref/gradients.h"

#include "ref/dice.h"
#include "ref/ref_backward.h"
#include "ref/ref_random.h"
#include "ref/ref_select.h"
#include "ref/subject.h"
#include "ref/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A problem with something to go back from, computed whole by the program and by the reference. */
typedef struct trial {
    ref_problem problem;
    dice dice;
    ref_result reference;
    subject whole;
    verdict says;
} trial;

/* ---- what it goes back from ---- */

bool gradients_exist(const ref_problem *p)
{
    return p->round_decimals < 0;
}

/* As many numbers as a stage has, in its shape. */
static void add_like(trial *t, ref_input which, ref_stage_id id)
{
    const ref_stage *like = &t->reference.stage[id];
    ref_array *a = &t->problem.in[which];
    a->rank = like->rank;
    memcpy(a->size, like->size, sizeof a->size);
    a->at = ref_alloc(like->count, sizeof a->at[0]);
    for (size_t i = 0; i < like->count; i++) {
        double number = 2 * dice_fraction(&t->dice) - 1;
        a->at[i] = t->problem.is_float32 ? (double)(float)number : number;
    }
}

static void begin(trial *t)
{
    static const char *const LOSSES[] = {NULL, NULL, NULL, "sum", "mean", "square"};
    ref_problem *p = &t->problem;
    size_t choice = dice_below(&t->dice, sizeof LOSSES / sizeof LOSSES[0]);
    p->loss = LOSSES[choice];
    if (choice == 0 || choice == 1)
        add_like(t, REF_OUTPUT_GRAD, REF_STAGE_OUTPUT);
    if (choice == 1 || choice == 2 || (choice > 2 && dice_chance(&t->dice, 0.3)))
        add_like(t, REF_LOGSUMEXP_GRAD, REF_STAGE_ROW_SUM);
    if (ref_word_is(p->loss, "square"))
        add_like(t, REF_TARGET, REF_STAGE_OUTPUT);
}

/* The dice fall by what the problem is. */
static uint64_t bits_of(const ref_problem *p)
{
    uint64_t all = 0, bits;
    for (ref_input which = REF_X; which < REF_INPUTS; which++) {
        for (size_t i = 0; p->in[which].at != NULL && i < ref_count_of(&p->in[which]); i++) {
            memcpy(&bits, &p->in[which].at[i], sizeof bits);
            all = all * 31 + bits;
        }
    }
    return all;
}

static bool trial_open(trial *t, const ref_problem *p)
{
    *t = (trial){.problem = ref_problem_copy(p), .dice = {bits_of(p)}};
    ref_compute_weights(&t->problem, &t->reference);
    ref_compute_output(&t->problem, &t->reference);
    begin(t);
    ref_compute_gradients(&t->problem, &t->reference);
    return subject_run(&t->whole, &t->problem, &(subject_way){.threads = 1});
}

static void trial_close(trial *t)
{
    subject_free(&t->whole);
    ref_result_free(&t->reference);
    ref_problem_free(&t->problem);
}

static double element(const tensor *t, size_t i)
{
    return t->type == DTYPE_F32 ? (double)((const float *)t->data)[i]
                                : ((const double *)t->data)[i];
}

/* ---- stages: within the slips of the reference ---- */

static bool says(trial *t, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool says(trial *t, const char *name, const char *format, ...)
{
    char why[256];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return verdict_differs(&t->says, name, why);
}

/* NULL where it is not there in this shape. */
static const tensor *found(trial *t, const char *name, int rank, const size_t *size)
{
    const tensor *got = bundle_tensor(&t->whole.result, name);
    bool is_same = got != NULL && got->rank == rank;
    for (int axis = 0; is_same && axis < rank; axis++)
        is_same = got->size[axis] == size[axis];
    if (is_same)
        return got;
    says(t, name, got == NULL ? "is missing" : "has another shape");
    return NULL;
}

static bool stage_is_right(trial *t, const ref_stage *right)
{
    const tensor *got = found(t, right->name, right->rank, right->size);
    for (size_t i = 0; got != NULL && i < right->count; i++) {
        long double apart = fabsl((long double)element(got, i) - right->at[i].value);
        if (!(apart <= right->at[i].slip))
            return says(t, right->name,
                        "[element %zu of %zu] is %.17g, the reference's %.17Lg ± %.3Lg", i,
                        right->count, element(got, i), right->at[i].value, right->at[i].slip);
    }
    return got != NULL;
}

/* Which of a row's scores are computed depends on what is wanted; all others are +0. */
static bool has_no_negative_zero(trial *t, const ref_stage *of)
{
    const tensor *got = bundle_tensor(&t->whole.result, of->name);
    for (size_t i = 0; i < of->count; i++) {
        if (element(got, i) == 0 && signbit(element(got, i)))
            return says(t, of->name, "[element %zu of %zu] is -0", i, of->count);
    }
    return true;
}

static bool stages_are_right(trial *t)
{
    bool is_right = true;
    t->says.runs++;
    for (ref_stage_id id = REF_STAGE_LOSS; is_right && id < REF_STAGES; id++) {
        const ref_stage *right = &t->reference.stage[id];
        if (right->at == NULL || right->is_not_made)
            continue;
        is_right = stage_is_right(t, right);
        if (is_right && id >= REF_STAGE_MASKED_GRAD && id <= REF_STAGE_SCORES_GRAD)
            is_right = has_no_negative_zero(t, right);
    }
    return is_right;
}

/* ---- inputs: by differences ---- */

/* ALiBi's slopes are a setting. */
enum { SLOPES = REF_INPUTS };

static const struct {
    int which;
    const char *name;
} OF_INPUTS[] = {
    {REF_X, "x_grad"},
    {REF_XK, "xk_grad"},
    {REF_XV, "xv_grad"},
    {REF_WQ, "wq_grad"},
    {REF_WK, "wk_grad"},
    {REF_WV, "wv_grad"},
    {REF_WO, "wo_grad"},
    {REF_BQ, "bq_grad"},
    {REF_BK, "bk_grad"},
    {REF_BV, "bv_grad"},
    {REF_BO, "bo_grad"},
    {REF_PAST_K, "past_k_grad"},
    {REF_PAST_V, "past_v_grad"},
    {REF_Q_GAIN, "q_gain_grad"},
    {REF_K_GAIN, "k_gain_grad"},
    {REF_BIAS, "bias_grad"},
    {REF_KEY_BIAS, "key_bias_grad"},
    {REF_RELATIVE_BIAS, "relative_bias_grad"},
    {REF_SINKS, "sinks_grad"},
    {REF_BIAS_K, "bias_k_grad"},
    {REF_BIAS_V, "bias_v_grad"},
    {REF_WS, "ws_grad"},
    {REF_BS, "bs_grad"},
    {REF_WA, "wa_grad"},
    {REF_UA, "ua_grad"},
    {REF_VA, "va_grad"},
    {REF_BA, "ba_grad"},
    {SLOPES, "slopes_grad"},
    {REF_WQ_DOWN, "wq_down_grad"},
    {REF_BQ_DOWN, "bq_down_grad"},
    {REF_Q_LATENT_GAIN, "q_latent_gain_grad"},
    {REF_WKV_DOWN, "wkv_down_grad"},
    {REF_BKV_DOWN, "bkv_down_grad"},
    {REF_KV_LATENT_GAIN, "kv_latent_gain_grad"},
};
enum { INPUTS = sizeof OF_INPUTS / sizeof OF_INPUTS[0] };

static ref_array input_of(const trial *t, int which)
{
    if (which == SLOPES)
        return (ref_array){1, {t->reference.sizes.h}, t->problem.slopes};
    return t->problem.in[which];
}

/* No gradient is there that the definition does not have. */
static bool none_is_left(trial *t)
{
    size_t expected = 0, count = 0;
    for (ref_stage_id id = REF_STAGE_LOSS; id < REF_STAGES; id++)
        expected += t->reference.stage[id].at != NULL && !t->reference.stage[id].is_not_made;
    for (size_t i = 0; i < INPUTS; i++)
        expected += input_of(t, OF_INPUTS[i].which).at != NULL;
    for (size_t i = 0; i < t->whole.result.count; i++) {
        const char *name = t->whole.result.entry[i].name, *end = strstr(name, "_grad");
        count += end != NULL || strcmp(name, "delta") == 0 || strcmp(name, "loss") == 0;
    }
    return count == expected ||
           says(t, "stages", "there are %zu of gradients, the reference has %zu", count, expected);
}

/* The loss with one number changed. */
static long double loss_at(const trial *t, double *at, double value)
{
    double kept = *at;
    *at = value;
    long double loss = ref_loss_of(&t->problem);
    *at = kept;
    return loss;
}

/* (loss(x + e) − loss(x − e)) / 2e, by the steps that x makes in float64 */
static long double slope_at(const trial *t, double *at, double e)
{
    double more = *at + e, less = *at - e;
    long double rise = loss_at(t, at, more) - loss_at(t, at, less);
    return rise / ((long double)more - (long double)less);
}

enum { WORK = 2000, ELEMENTS = 3 };
static const double STEP = 0x1p-16;

/* How many numbers a pass through the problem makes, some tens of nanoseconds each. */
static size_t work_of(const trial *t)
{
    size_t all = 0;
    for (ref_stage_id id = REF_STAGE_X; id <= REF_STAGE_OUTPUT; id++)
        all += t->reference.stage[id].count;
    return all;
}

/* Each number that the way back went over is known that well, as a share of its stage's largest, or
 * is next to nothing. */
static bool is_known_within(const trial *t, long double share)
{
    for (ref_stage_id id = REF_STAGE_OUTPUT_GRAD; id < REF_STAGES; id++) {
        const ref_stage *one = &t->reference.stage[id];
        long double most = 0, slip = 0;
        for (size_t i = 0; one->at != NULL && i < one->count; i++) {
            most = fmaxl(most, fabsl(one->at[i].value));
            slip = fmaxl(slip, one->at[i].slip);
        }
        if (slip > fmaxl(share * most, 1e-30L))
            return false;
    }
    return true;
}

/* The step is small next to the numbers of the input, or these are all 0. Of smaller ones, which a
 * norm may make large again, it says nothing. */
static bool step_is_small(const ref_array *a)
{
    double most = 0;
    for (size_t i = 0; i < ref_count_of(a); i++)
        most = isfinite(a->at[i]) ? fmax(most, fabs(a->at[i])) : most;
    return most == 0 || most > 256 * STEP;
}

static long double largest_of(const tensor *t)
{
    long double most = 0;
    for (size_t i = 0; i < tensor_count(t); i++)
        most = fmaxl(most, fabsl((long double)element(t, i)));
    return most;
}

/* Halving the step takes three quarters of the error of a smooth function, and what that says of it
 * takes nearly all of the rest. Where it changes much, the function bends within the step, and says
 * nothing. */
static bool element_is_right(trial *t, const char *name, double *at, double got,
                             long double allowed, long double largest)
{
    long double wide = slope_at(t, at, STEP), narrow = slope_at(t, at, STEP / 2);
    long double right = narrow + (narrow - wide) / 3;
    if (fabsl(narrow - wide) > 1e-5L * largest)
        return true;
    t->says.runs++;
    return fabsl((long double)got - right) <= allowed ||
           says(t, name, "[one of them] is %.17g, by differences %.17Lg ± %.3Lg", got, right,
                allowed);
}

/* A sum of gradients of rows is known nearly as well as these are: where no stage slips by more
 * than 2⁻⁴⁰ of its largest number (in float32 2⁻¹³), the gradient of an input is within 10⁻⁹
 * (2·10⁻³) of the largest gradient of any. The differences themselves are good to some 10⁻¹². */
static bool inputs_are_right(trial *t)
{
    bool is_float32 = t->problem.is_float32;
    long double largest = 0;
    const tensor *got[INPUTS] = {0};
    for (size_t i = 0; i < INPUTS; i++) {
        ref_array a = input_of(t, OF_INPUTS[i].which);
        if (a.at == NULL)
            continue;
        got[i] = found(t, OF_INPUTS[i].name, a.rank, a.size);
        if (got[i] == NULL)
            return false;
        largest = fmaxl(largest, largest_of(got[i]));
    }
    if (!none_is_left(t))
        return false;
    if (work_of(t) > WORK || !is_known_within(t, is_float32 ? 0x1p-13L : 0x1p-40L))
        return true;
    long double allowed = (is_float32 ? 2e-3L : 1e-9L) * largest + 1e-12L;
    for (size_t i = 0; i < INPUTS; i++) {
        ref_array a = input_of(t, OF_INPUTS[i].which);
        size_t count = a.at == NULL || !step_is_small(&a) ? 0 : ref_count_of(&a);
        for (size_t turn = 0; turn < ELEMENTS && turn < count; turn++) {
            size_t n = count <= ELEMENTS ? turn : dice_below(&t->dice, count);
            if (isfinite(a.at[n]) && !element_is_right(t, OF_INPUTS[i].name, a.at + n,
                                                       element(got[i], n), allowed, largest))
                return false;
        }
    }
    return true;
}

/* ---- bits ---- */

static bool same_by(trial *t, const subject_way *way)
{
    subject s;
    bool is_same =
        subject_run(&s, &t->problem, way) || verdict_differs(&t->says, "refused", s.failure.what);
    t->says.runs++;
    for (size_t i = 0; is_same && i < s.result.count; i++) {
        const entry *one = &s.result.entry[i];
        is_same = same_bytes(bundle_tensor(&t->whole.result, one->name), &one->tensor) ||
                  verdict_differs(&t->says, one->name, "other bytes");
    }
    subject_free(&s);
    return is_same;
}

/* By threads, with gradients wanted alone, one alone, and by each instruction set. */
static bool bits_are_same(trial *t)
{
    dtype type = t->problem.is_float32 ? DTYPE_F32 : DTYPE_F64;
    kept_stages all = {0}, one = {0};
    for (stage_id id = STAGE_LOSS; id < STAGE_COUNT; id++)
        kept_stages_add(&all, id);
    do
        one.stage[0] = STAGE_LOSS + (stage_id)dice_below(&t->dice, STAGE_COUNT - STAGE_LOSS);
    while (!plan_has_stage(&t->whole.decided, one.stage[0]));
    one.count = 1;
    bool is_same = same_by(t, &(subject_way){.threads = 4}) &&
                   same_by(t, &(subject_way){.threads = 1, .wants = &all}) &&
                   same_by(t, &(subject_way){.threads = 4, .wants = &all}) &&
                   same_by(t, &(subject_way){.threads = 1, .wants = &one});
    for (size_t i = 0; is_same && i < ISAS.count; i++) {
        const isa *by = (const isa *)(const void *)named_row(&ISAS, i);
        if (by->is_here() && by != isa_best())
            is_same = same_by(t, &(subject_way){.threads = 2, .with = by->table(type)});
    }
    return is_same;
}

/* ---- what holds of any gradients, whatever made them ---- */

/* The last form of queries, keys or values, or its gradient, in the layout in which it is. */
typedef struct form {
    const tensor *rows;
    bool is_apart;
    size_t heads, n, width;
} form;

static form last_form(const trial *t, const char *const *names, const char *of, ref_input layout,
                      size_t heads, size_t width)
{
    form f = {.heads = heads, .width = width};
    for (; f.rows == NULL; names++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", *names, of);
        f.rows = bundle_tensor(&t->whole.result, name);
        f.is_apart =
            t->problem.in[strncmp(*names, "present", strlen("present")) == 0 ? REF_K : layout]
                .rank == 4;
    }
    f.n = f.rows->size[f.rows->rank - 2];
    return f;
}

static long double form_at(const form *f, size_t b, size_t head, size_t i, size_t column)
{
    size_t apart = ((b * f->heads + head) * f->n + i) * f->width + column;
    size_t side_by_side = ((b * f->n + i) * f->heads + head) * f->width + column;
    return (long double)element(f->rows, f->is_apart ? apart : side_by_side);
}

static const char *const Q_FORMS[] = {"q_rope", "q_norm", "q"};
static const char *const K_FORMS[] = {"present_k", "k_rope", "k_norm", "k"};
static const char *const V_FORMS[] = {"present_v", "v"};

static form queries(const trial *t, const char *of)
{
    const ref_sizes *s = &t->reference.sizes;
    return last_form(t, Q_FORMS, of, REF_Q, s->h, s->d_q);
}

static form keys(const trial *t, const char *of)
{
    const ref_sizes *s = &t->reference.sizes;
    return last_form(t, K_FORMS, of, REF_K, s->g, s->d_k);
}

static form values(const trial *t, const char *of)
{
    const ref_sizes *s = &t->reference.sizes;
    return last_form(t, V_FORMS, of, REF_V, s->g, s->d_v);
}

/* Σ a·b of all rows; the sum of their sizes is added to `size`. */
static long double product_of(const trial *t, const form *a, const form *b, long double *size)
{
    long double sum = 0;
    for (size_t i = 0; i < t->reference.sizes.b * a->heads * a->n * a->width; i++) {
        sum += (long double)element(a->rows, i) * (long double)element(b->rows, i);
        *size += fabsl((long double)element(a->rows, i));
    }
    return sum;
}

/* The size of all terms scores_grad·q·k. */
static long double terms_of(const trial *t, const form *q, const form *k)
{
    const ref_sizes *s = &t->reference.sizes;
    const tensor *grad = bundle_tensor(&t->whole.result, "scores_grad");
    long double terms = 0;
    for (size_t at = 0; at < s->b * s->h * s->n_q * s->n_k; at++) {
        size_t j = at % s->n_k, i = at / s->n_k % s->n_q, head = at / s->n_k / s->n_q % s->h,
               b = at / s->n_k / s->n_q / s->h;
        long double product = 0;
        for (size_t column = 0; column < s->d_k; column++)
            product += fabsl(form_at(q, b, head, i, column) *
                             form_at(k, b, head / (s->h / s->g), j, column));
        terms += product * fabsl((long double)element(grad, at));
    }
    return terms;
}

/* A product is as steep in q as in k: Σ q·q_grad = Σ k·k_grad, both Σ scores_grad·q·k. Each term
 * goes through a chain of n_k or n_q steps, and a group's sum. */
static bool roles_agree(trial *t)
{
    const ref_sizes *s = &t->reference.sizes;
    const precision *type = t->problem.is_float32 ? &FLOAT32 : &FLOAT64;
    if (ref_word_is(t->problem.score, "additive") || t->problem.in[REF_WS].at != NULL)
        return true; /* it is not one of q and k, whose widths may differ */
    form q = queries(t, ""), k = keys(t, ""), of_q = queries(t, "_grad"), of_k = keys(t, "_grad");
    long double size = 0, steps = (long double)(s->n_q + s->n_k + s->h);
    long double by_q = product_of(t, &q, &of_q, &size), by_k = product_of(t, &k, &of_k, &size);
    long double allowed = steps * (type->unit * terms_of(t, &q, &k) + type->tiny * size);
    t->says.runs++;
    return fabsl(by_q - by_k) <= allowed ||
           says(t, "sums", "q·q_grad is %.17Lg, k·k_grad %.17Lg ± %.3Lg", by_q, by_k, allowed);
}

/* As a row's weights sum to 1, its gradients sum to that of its logsumexp, or to 0. Each has been
 * through a chain of n_k steps (attended) and two of d_v (delta, weights_grad). */
static bool rows_sum(trial *t)
{
    const ref_sizes *s = &t->reference.sizes;
    const precision *type = t->problem.is_float32 ? &FLOAT32 : &FLOAT64;
    const bundle *all = &t->whole.result;
    const tensor *masked = bundle_tensor(all, "masked_grad"), *w = bundle_tensor(all, "weights"),
                 *grad = bundle_tensor(all, "attended_grad");
    const double *of_sum = t->problem.in[REF_LOGSUMEXP_GRAD].at;
    form v = values(t, "");
    for (size_t row = 0; row < s->b * s->h * s->n_q && t->problem.in[REF_SINKS].at == NULL; row++) {
        size_t head = row / s->n_q % s->h, b = row / s->n_q / s->h;
        long double sum = 0, weights = 0, given = of_sum == NULL ? 0 : (long double)of_sum[row];
        long double terms = fabsl(given), most = fabsl(given);
        for (size_t j = 0; j < s->n_k; j++) {
            long double size = 0, weight = (long double)element(w, row * s->n_k + j);
            for (size_t column = 0; column < s->d_v; column++)
                size += fabsl((long double)element(grad, row * s->d_v + column) *
                              form_at(&v, b, head / (s->h / s->g), j, column));
            sum += (long double)element(masked, row * s->n_k + j);
            weights += weight;
            terms += weight * size;
            most = fmaxl(most, size);
        }
        long double steps = (long double)(s->n_k + 2 * s->d_v + 8);
        long double allowed =
            steps * (type->unit * terms + type->normal * (1 + most) * (long double)s->n_k);
        t->says.runs++;
        if (weights > 0 && fabsl(sum - given) > allowed)
            return says(t, "masked_grad", "[row %zu] sums to %.17Lg, not %.17Lg ± %.3Lg", row, sum,
                        given, allowed);
    }
    return true;
}

static bool row_is_zero(const form *f, size_t b, size_t head, size_t i)
{
    bool is_zero = true;
    for (size_t column = 0; column < f->width; column++)
        is_zero = is_zero && form_at(f, b, head, i, column) == 0;
    return is_zero;
}

/* No query of an entry's heads sees the key; or of one head and query, where `i` is one. */
static bool unseen(const trial *t, size_t b, size_t head, size_t j)
{
    const ref_sizes *s = &t->reference.sizes;
    const ref_number *masked = t->reference.stage[REF_STAGE_MASKED].at;
    bool is_unseen = true;
    for (size_t of = head * (s->h / s->g); of < (head + 1) * (s->h / s->g); of++)
        for (size_t i = 0; i < s->n_q; i++)
            is_unseen =
                is_unseen && isinf(masked[((b * s->h + of) * s->n_q + i) * s->n_k + j].value);
    return is_unseen;
}

static bool sees_nothing(const trial *t, size_t row)
{
    size_t n = t->reference.sizes.n_k;
    const ref_number *masked = t->reference.stage[REF_STAGE_MASKED].at + row * n;
    bool is_blind = true;
    for (size_t j = 0; j < n; j++)
        is_blind = is_blind && isinf(masked[j].value);
    return is_blind;
}

/* Gradients of 0, to the bit where a key is hidden from all, or a query sees none; and no number
 * that is none. */
static bool hidden_are_zero(trial *t)
{
    const ref_sizes *s = &t->reference.sizes;
    form q = queries(t, "_grad"), k = keys(t, "_grad"), v = values(t, "_grad");
    t->says.runs++;
    for (size_t i = 0; i < t->whole.result.count; i++) {
        const entry *one = &t->whole.result.entry[i];
        bool is_gradient = strstr(one->name, "_grad") != NULL || strcmp(one->name, "delta") == 0;
        if (is_gradient && !isfinite(largest_of(&one->tensor)))
            return says(t, one->name, "is not finite");
    }
    for (size_t at = 0; at < s->b * s->g * s->n_k; at++) {
        size_t j = at % s->n_k, head = at / s->n_k % s->g, b = at / s->n_k / s->g;
        if (!unseen(t, b, head, j))
            continue;
        if (!row_is_zero(&k, b, head, j) || !row_is_zero(&v, b, head, j))
            return says(t, "hidden", "key %zu of head %zu has a gradient", j, head);
    }
    for (size_t row = 0; row < s->b * s->h * s->n_q; row++) {
        size_t i = row % s->n_q, head = row / s->n_q % s->h, b = row / s->n_q / s->h;
        if (sees_nothing(t, row) && !row_is_zero(&q, b, head, i))
            return says(t, "hidden", "query %zu of head %zu has a gradient", i, head);
    }
    return true;
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    bool (*holds)(trial *t);
} CLAIMS[] = {
    {"gradients", stages_are_right},    {"gradients of inputs", inputs_are_right},
    {"gradients' bits", bits_are_same}, {"gradients of q and k", roles_agree},
    {"gradients of a row", rows_sum},   {"gradients of what is hidden", hidden_are_zero},
};

/* Of the problems that have gradients: they take a quarter of the time of all properties. */
static const double SHARE = 0.7;

void gradients_try(const ref_problem *p, const char *where, size_t *passed, size_t *failed)
{
    trial t;
    dice throws = {bits_of(p)};
    char from[128];
    if (!dice_chance(&throws, SHARE))
        return;
    bool is_done = trial_open(&t, p);
    snprintf(from, sizeof from, "%s: loss %s", where,
             t.problem.loss == NULL ? "given" : t.problem.loss);
    if (is_done) {
        for (size_t i = 0; i < sizeof CLAIMS / sizeof CLAIMS[0]; i++) {
            t.says = (verdict){0};
            bool holds = CLAIMS[i].holds(&t);
            verdict_count(&t.says, holds, from, CLAIMS[i].name, passed, failed);
        }
    } else {
        verdict_tell(from, "gradients refused", t.whole.failure.what);
        ++*failed;
    }
    trial_close(&t);
}

bool gradients_are_right(const ref_problem *p, char *wrong, size_t size)
{
    trial t;
    bool is_right = trial_open(&t, p) ? stages_are_right(&t)
                                      : verdict_differs(&t.says, "refused", t.whole.failure.what);
    snprintf(wrong, size, "%s", t.says.wrong);
    trial_close(&t);
    return is_right;
}
