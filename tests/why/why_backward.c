#include "why/why_backward.h"

#include "ref/dice.h"
#include "ref/gradients.h"
#include "ref/ref_backward.h"
#include "ref/ref_parameters.h"
#include "ref/ref_random.h"
#include "ref/ref_select.h"
#include "why/why_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS_MOST = 20000 };

/* ---- the reference, forward and back ---- */

static void go_forward(const ref_problem *p, ref_result *r)
{
    ref_compute_weights(p, r);
    plant_compute_rest(p, r);
}

/* As many numbers as a stage has, in its shape. */
static double *give_like(ref_problem *p, ref_input which, const ref_result *r, ref_stage_id id)
{
    const ref_stage *like = &r->stage[id];
    ref_array *a = &p->in[which];
    free(a->at);
    a->rank = like->rank;
    memcpy(a->size, like->size, sizeof a->size);
    a->at = ref_alloc(like->count, sizeof a->at[0]);
    return a->at;
}

static void give_random(ref_problem *p, ref_input which, const ref_result *r, ref_stage_id id,
                        dice *d)
{
    double *at = give_like(p, which, r, id);
    for (size_t i = 0; i < r->stage[id].count; i++) {
        double number = 2 * dice_fraction(d) - 1;
        at[i] = p->is_float32 ? (double)(float)number : number;
    }
}

static void multiply(ref_result *r, ref_stage_id id, long double by)
{
    ref_stage *one = &r->stage[id];
    for (size_t i = 0; i < one->count; i++)
        one->at[i] = (ref_number){one->at[i].value * by, one->at[i].slip * fabsl(by)};
}

static void take(ref_result *to, const ref_result *from, ref_stage_id id)
{
    memcpy(to->stage[id].at, from->stage[id].at, from->stage[id].count * sizeof(ref_number));
}

/* ---- mistakes: each goes back, in its own way ---- */

static bool go_back(planting *of)
{
    ref_compute_gradients(of->p, of->r);
    return true;
}

enum { IS_ZERO, IS_OF_HEADS, IS_UNDIVIDED, IS_MEAN };

/* delta is what is wanted where so much more comes back to logsumexp. */
static bool change_delta(planting *of)
{
    const ref_result *right = of->right_result;
    const ref_sizes *s = &right->sizes;
    const ref_stage *delta = &right->stage[REF_STAGE_DELTA],
                    *sum = &right->stage[REF_STAGE_ROW_SUM];
    const double *had = of->right->in[REF_LOGSUMEXP_GRAD].at;
    double *less = give_like(of->p, REF_LOGSUMEXP_GRAD, right, REF_STAGE_ROW_SUM);
    for (size_t row = 0; row < delta->count; row++) {
        size_t i = row % s->n_q, b = row / s->n_q / s->h;
        long double own = delta->at[row].value, all = 0;
        for (size_t head = 0; head < s->h; head++)
            all += delta->at[(b * s->h + head) * s->n_q + i].value;
        const long double as[] = {
            [IS_ZERO] = 0,
            [IS_OF_HEADS] = all,
            [IS_UNDIVIDED] = own * sum->at[row].value,
            [IS_MEAN] = own / (long double)s->d_v,
        };
        less[row] = (double)((had == NULL ? 0 : had[row]) + own - as[of->with]);
    }
    return go_back(of) && (of->with != IS_OF_HEADS || s->h > 1);
}

static bool skip_softmax(planting *of)
{
    ref_stage *weights = &of->r->stage[REF_STAGE_WEIGHTS];
    of->with = IS_ZERO;
    for (size_t i = 0; i < weights->count; i++)
        weights->at[i] = number_exact(weights->at[i].value != 0);
    bool done = change_delta(of);
    take(of->r, of->right_result, REF_STAGE_V_GRAD);
    return done;
}

static bool change_logsumexp_grad(planting *of)
{
    ref_array *a = &of->p->in[REF_LOGSUMEXP_GRAD];
    for (size_t i = 0; a->at != NULL && i < ref_count_of(a); i++)
        a->at[i] *= of->with;
    return a->at != NULL && go_back(of);
}

static bool change_scale(planting *of)
{
    double right = plant_right_scale(of->right);
    of->p->scale = NULL;
    of->p->scale_is_number = true;
    of->p->scale_number = of->with == 0 ? 1 : right * right;
    return right != 1 && go_back(of);
}

/* with: 10·the role + twice or not at all */
static bool change_role(planting *of)
{
    double right = plant_right_scale(of->right);
    go_back(of);
    multiply(of->r, of->with / 10 == 0 ? REF_STAGE_Q_GRAD : REF_STAGE_K_GRAD,
             of->with % 10 == 0 ? 1 / (long double)right : (long double)right);
    return right != 1 && right != 0;
}

/* Heads that are left out have weights of 0. with: which of a group is kept; −1: the mean */
static bool change_group(planting *of)
{
    const ref_sizes *s = &of->r->sizes;
    size_t group = s->h / s->g, kept = of->with == 0 ? 0 : group - 1;
    ref_stage *weights = &of->r->stage[REF_STAGE_WEIGHTS];
    for (size_t i = 0; of->with >= 0 && i < weights->count; i++) {
        if (i / s->n_k / s->n_q % s->h % group != kept)
            weights->at[i] = number_exact(0);
    }
    go_back(of);
    for (int i = 0; of->with < 0 && i < 2; i++)
        multiply(of->r, i == 0 ? REF_STAGE_K_GRAD : REF_STAGE_V_GRAD, 1 / (long double)group);
    take(of->r, of->right_result, REF_STAGE_Q_GRAD);
    return group > 1;
}

/* What is asked of the way back: its scores, less the logarithm of the right sum. */
static bool again(planting *of, bool (*change)(planting *of))
{
    ref_problem other = ref_problem_copy(of->right);
    ref_result wrong = {0};
    planting asked = {of->right, of->right_result, &other, &wrong, of->with};
    bool done = change(&asked);
    if (done) {
        ref_compute_weights(&other, &wrong);
        ref_stage *to = &of->r->stage[REF_STAGE_WEIGHTS];
        const ref_sizes *s = &of->r->sizes;
        for (size_t i = 0; i < to->count; i++) {
            size_t row = i / s->n_k;
            ref_number masked = wrong.stage[REF_STAGE_MASKED].at[i],
                       greatest = of->r->stage[REF_STAGE_ROW_MAX].at[row],
                       sum = of->r->stage[REF_STAGE_ROW_SUM].at[row];
            long double value = sum.value > 0 ? expl(masked.value - greatest.value) / sum.value : 0;
            to->at[i] = (ref_number){value, value * (masked.slip + 1e-12L)};
        }
        go_back(of);
    }
    ref_result_free(&wrong);
    ref_problem_free(&other);
    return done;
}

static bool other_causality(planting *of)
{
    return again(of, plant_causal);
}

static bool other_input(planting *of)
{
    return again(of, plant_leave_out);
}

static bool other_setting(planting *of)
{
    return again(of, plant_forget) && (of->with != NO_WINDOW || of->right->has_window) &&
           (of->with != NO_LENGTHS || of->right->key_lengths != NULL) &&
           (of->with != NO_ALIBI || of->right->has_alibi);
}

static bool without_sinks(planting *of)
{
    ref_problem other = ref_problem_copy(of->right);
    ref_result wrong = {0};
    planting asked = {of->right, of->right_result, &other, &wrong, REF_SINKS};
    bool done = plant_leave_out(&asked);
    ref_compute_weights(&other, &wrong);
    take(of->r, &wrong, REF_STAGE_WEIGHTS);
    ref_result_free(&wrong);
    ref_problem_free(&other);
    return done && go_back(of);
}

static bool without_cap(planting *of)
{
    of->p->mistake = "uncapped";
    return of->right->softcap > 0 && go_back(of);
}

static bool without_form(planting *of)
{
    bool is_there = of->with == NO_ROPE          ? of->right->has_rope
                    : of->with == NO_ROPE_FACTOR ? of->right->rope_factor > 0
                                                 : of->right->normalizes;
    return is_there && plant_forget(of) && go_back(of);
}

static bool turn_on(planting *of)
{
    of->p->mistake = "turned";
    bool has_appended = of->r->sizes.own < of->r->sizes.n_k; /* rows that stand nowhere */
    return of->right->has_rope && !of->right->normalizes && !has_appended && go_back(of);
}

/* with: the last of a block's; 1: the last; 0: each query's own */
static bool drop_keys(planting *of)
{
    const ref_problem *p = of->right;
    const ref_sizes *s = &of->r->sizes;
    size_t block = (size_t)of->with, tail = block == 1 ? 1 : block > 1 ? s->own % block : 0;
    bool is_causal = p->causal != NULL && !ref_word_is(p->causal, "none") &&
                     !ref_word_is(p->causal, "false") && !ref_word_is(p->causal, "lower-right");
    ref_stage *weights = &of->r->stage[REF_STAGE_WEIGHTS];
    for (size_t n = 0; n < weights->count; n++) {
        size_t j = n % s->n_k, at = n / s->n_k % s->n_q + (p->has_offset ? p->offset : s->past);
        if (block == 0 ? j == at && j < s->own : j >= s->own - tail && j < s->own)
            weights->at[n] = number_exact(0);
    }
    return (block == 0 ? is_causal : tail > 0 && tail < s->own) && go_back(of);
}

static bool all_undivided(planting *of)
{
    take(of->r, of->right_result, REF_STAGE_EXP);
    memcpy(of->r->stage[REF_STAGE_WEIGHTS].at, of->r->stage[REF_STAGE_EXP].at,
           of->r->stage[REF_STAGE_EXP].count * sizeof(ref_number));
    return go_back(of);
}

/* Only the values' gradient is of other weights. */
static bool change_values(planting *of)
{
    const ref_sizes *s = &of->r->sizes;
    const ref_number *right = of->right_result->stage[REF_STAGE_WEIGHTS].at;
    ref_number *to = of->r->stage[REF_STAGE_WEIGHTS].at;
    size_t n = s->n_q * s->n_k;
    if (of->with == 0 && s->n_q != s->n_k)
        return false;
    for (size_t i = 0; of->with == 0 && i < s->b * s->h * n; i++)
        to[i] = right[i / n * n + i % n % s->n_k * s->n_k + i % n / s->n_k];
    if (of->with == 1)
        all_undivided(of);
    else
        go_back(of);
    take(of->r, of->right_result, REF_STAGE_Q_GRAD);
    take(of->r, of->right_result, REF_STAGE_K_GRAD);
    return true;
}

/* with: in thousandths; 0: divided by how many there are */
static bool change_output_grad(planting *of)
{
    ref_array *a = &of->p->in[REF_OUTPUT_GRAD];
    size_t count = a->at == NULL ? 0 : ref_count_of(a);
    for (size_t i = 0; i < count; i++)
        a->at[i] *= of->with == 0 ? 1 / (double)count : of->with / 1000.0;
    return count > 0 && go_back(of);
}

static bool sum_loss(planting *of)
{
    of->p->loss = "sum";
    return ref_word_is(of->right->loss, "mean") && go_back(of);
}

static bool turn_wo(planting *of)
{
    of->with = REF_WO;
    return plant_transpose(of) && go_back(of);
}

static bool exchange(planting *of)
{
    ref_stage *q = &of->r->stage[REF_STAGE_Q_GRAD], *k = &of->r->stage[REF_STAGE_K_GRAD],
              *v = &of->r->stage[REF_STAGE_V_GRAD];
    go_back(of);
    ref_stage *one = of->with == 0 ? q : v;
    bool is_alike = one->rank == k->rank && memcmp(one->size, k->size, sizeof k->size) == 0;
    if (is_alike) {
        ref_number *at = one->at;
        one->at = k->at;
        k->at = at;
    }
    return is_alike;
}

static bool keep_weights(planting *of)
{
    ref_stage *weights = &of->r->stage[REF_STAGE_WEIGHTS];
    for (size_t i = 0; i < weights->count; i++)
        weights->at[i].value = plant_kept((double)weights->at[i].value, of->with);
    return go_back(of);
}

static bool keep_gradients(planting *of)
{
    static const ref_stage_id OF[] = {REF_STAGE_Q_GRAD, REF_STAGE_K_GRAD, REF_STAGE_V_GRAD};
    go_back(of);
    for (size_t i = 0; i < sizeof OF / sizeof OF[0]; i++) {
        ref_stage *one = &of->r->stage[OF[i]];
        for (size_t j = 0; j < one->count; j++)
            one->at[j].value = plant_kept((double)one->at[j].value, of->with);
    }
    return true;
}

/* clang-format off */
static const back_plant BACK_PLANTS[] = {
    {"delta-missing", change_delta, IS_ZERO},
    {"delta-of-all-heads", change_delta, IS_OF_HEADS},
    {"delta-undivided", change_delta, IS_UNDIVIDED},
    {"delta-averaged", change_delta, IS_MEAN},
    {"softmax-not-gone-back", skip_softmax, 0},
    {"logsumexp-grad-missing", change_logsumexp_grad, 0},
    {"logsumexp-grad-added", change_logsumexp_grad, -1},
    {"back-scale-missing", change_scale, 0},
    {"back-scale-twice", change_scale, 1},
    {"q-grad-scale-missing", change_role, 0},
    {"k-grad-scale-missing", change_role, 10},
    {"q-grad-scale-twice", change_role, 1},
    {"k-grad-scale-twice", change_role, 11},
    {"group-grad-first", change_group, 0},
    {"group-grad-last", change_group, 1},
    {"group-grad-averaged", change_group, -1},
    {"back-causal-missing", other_causality, CAUSAL_GONE},
    {"back-causal-upper-left", other_causality, CAUSAL_UP},
    {"back-causal-lower-right", other_causality, CAUSAL_LOW},
    {"back-causal-strict", drop_keys, 0},
    {"back-offset-missing", other_setting, NO_OFFSET},
    {"back-mask-missing", other_input, REF_MASK},
    {"back-bias-missing", other_input, REF_BIAS},
    {"back-window-missing", other_setting, NO_WINDOW},
    {"back-key-lengths-missing", other_setting, NO_LENGTHS},
    {"back-alibi-missing", other_setting, NO_ALIBI},
    {"back-softcap-missing", without_cap, 0},
    {"back-sinks-missing", without_sinks, 0},
    {"back-rope-missing", without_form, NO_ROPE},
    {"back-rope-turned-on", turn_on, 0},
    {"back-rope-attention-factor-missing", without_form, NO_ROPE_FACTOR},
    {"back-norm-missing", without_form, NO_NORM},
    {"v-grad-transposed", change_values, 0},
    {"v-grad-undivided", change_values, 1},
    {"back-weights-undivided", all_undivided, 0},
    {"back-last-key-missing", drop_keys, 1},
    {"back-tail-missing-16", drop_keys, 16},
    {"back-tail-missing-32", drop_keys, 32},
    {"back-tail-missing-64", drop_keys, 64},
    {"output-grad-negated", change_output_grad, -1000},
    {"output-grad-twice", change_output_grad, 2000},
    {"output-grad-half", change_output_grad, 500},
    {"output-grad-averaged", change_output_grad, 0},
    {"loss-summed", sum_loss, 0},
    {"back-wo-transposed", turn_wo, 0},
    {"qk-grads-exchanged", exchange, 0},
    {"kv-grads-exchanged", exchange, 1},
    {"float16-back-weights", keep_weights, TO_FLOAT16},
    {"bfloat16-back-weights", keep_weights, TO_BFLOAT16},
    {"float16-gradients", keep_gradients, TO_FLOAT16},
    {"bfloat16-gradients", keep_gradients, TO_BFLOAT16},
};
/* clang-format on */

enum { BACK_COUNT = sizeof BACK_PLANTS / sizeof BACK_PLANTS[0] };

/* After these, those of parameters. */
static size_t back_count(void)
{
    return BACK_COUNT + PARAMETER_PLANT_COUNT;
}

static const back_plant *back_plant_at(size_t index)
{
    return index < BACK_COUNT ? &BACK_PLANTS[index] : &PARAMETER_PLANTS[index - BACK_COUNT];
}

bool why_backward_plants(const char *name)
{
    size_t i = 0;
    while (i < back_count() && strcmp(back_plant_at(i)->name, name) != 0)
        i++;
    return i < back_count();
}

/* ---- random problems ---- */

/* After those of the way back, those of the way forward that change what is asked: what comes back
 * through them is to be known, too. */
static size_t plant_count(void)
{
    return back_count() + PLANT_COUNT;
}

static const plant *forward_plant(size_t index)
{
    return index < back_count() ? NULL : &PLANTS[index - back_count()];
}

static const char *plant_name(size_t index)
{
    return index < back_count() ? back_plant_at(index)->name : forward_plant(index)->name;
}

static bool make(size_t index, planting *of)
{
    if (index < back_count()) {
        of->with = back_plant_at(index)->with;
        go_forward(of->p, of->r);
        return back_plant_at(index)->make(of);
    }
    return plant_make(forward_plant(index), of) && gradients_exist(of->p) && go_back(of);
}

/* Of rows in another order than the projections' it is not clear what their gradients are of. */
static bool is_of_ask(size_t index)
{
    static const plant_step OF_ROWS[] = {plant_interleave, plant_view, plant_role, plant_kept_rows,
                                         plant_read_layout};
    const plant *forward = forward_plant(index);
    bool is_of_rows = false;
    for (size_t i = 0; forward != NULL && i < sizeof OF_ROWS / sizeof OF_ROWS[0]; i++)
        is_of_rows = is_of_rows || forward->change == OF_ROWS[i];
    return forward == NULL || (forward->change != NULL && forward->weights == NULL && !is_of_rows &&
                               forward->last == NULL && forward->mistake == NULL);
}

static void try_plant(size_t index, const ref_problem *right, const ref_result *right_result,
                      uint64_t number, bool says, tally *t)
{
    ref_problem p = ref_problem_copy(right);
    ref_result r = {0};
    planting of = {right, right_result, &p, &r, 0};
    bool is_of_parameters = index >= BACK_COUNT && index < back_count();
    if (make(index, &of))
        why_judge(plant_name(index), is_of_parameters ? SHOWS_PARAMETERS : SHOWS_GRADIENTS, &of,
                  number, says, t);
    ref_result_free(&r);
    ref_problem_free(&p);
}

static bool is_of_latents(size_t index)
{
    return index < back_count() && plant_is_of_latents(back_plant_at(index));
}

static bool is_left(size_t index, size_t count, const char *only, const tally *of_plant)
{
    bool is_asked_for = why_asks_for(plant_name(index), only);
    size_t wanted = index < back_count() ? count : (count + 1) / 2;
    size_t most = is_seldom(&of_plant[index]) ? 8 * wanted : wanted;
    return is_asked_for && is_of_ask(index) && of_plant[index].tried < most;
}

/* Goes back from an output_grad, and every other time from logsumexp, too; or from a mean. */
static void try_problem(uint64_t number, size_t count, const char *only, tally *of_plant)
{
    ref_problem p;
    ref_result right = {0};
    dice d = {number};
    ref_random_problem(&p, 9, number);
    bool has_latents = p.in[REF_WQ_DOWN].at != NULL || p.in[REF_WKV_DOWN].at != NULL;
    if (why_is_small(&p) && gradients_exist(&p)) {
        go_forward(&p, &right);
        if (number % 4 == 3)
            p.loss = "mean";
        else
            give_random(&p, REF_OUTPUT_GRAD, &right, REF_STAGE_OUTPUT, &d);
        if (number % 2 == 0)
            give_random(&p, REF_LOGSUMEXP_GRAD, &right, REF_STAGE_ROW_SUM, &d);
        ref_compute_gradients(&p, &right);
        ref_compute_parameters(&p, &right);
        for (size_t i = 0; i < plant_count(); i++) {
            if (is_of_latents(i) == has_latents && is_left(i, count, only, of_plant))
                try_plant(i, &p, &right, number, only != NULL, &of_plant[i]);
        }
    }
    ref_result_free(&right);
    ref_problem_free(&p);
}

void why_backward(size_t count, const char *only, tally *to)
{
    tally *of_plant = ref_alloc(plant_count(), sizeof of_plant[0]);
    bool is_any_left = true;
    for (uint64_t number = 0; number < PROBLEMS_MOST && is_any_left; number++) {
        try_problem(number, count, only, of_plant);
        /* Some of the way forward change shapes, and are never asked about. */
        is_any_left = false;
        for (size_t i = 0; i < (only == NULL ? back_count() : plant_count()); i++)
            is_any_left = is_any_left || is_left(i, count, only, of_plant);
    }
    for (size_t i = 0; i < plant_count(); i++) {
        const tally *one = &of_plant[i];
        if (!is_of_ask(i) || !why_asks_for(plant_name(i), only))
            continue;
        if (only != NULL || one->found < one->tried || one->claimed > 0 || one->tried == 0)
            printf("%s, in gradients: %zu of %zu found, %zu claimed of right numbers\n",
                   plant_name(i), one->found, one->tried, one->claimed);
        to->tried += one->tried;
        to->found += one->found;
        to->claimed += one->claimed;
        to->never += i < back_count() && one->tried == 0;
        to->seldom += is_seldom(one);
    }
    free(of_plant);
}
