/* Mistakes in where norms stand, and in what they compute. */
#include "why/stack_attempt.h"

#include <math.h>

enum { ORDER_PRE, ORDER_POST, ORDER_BOTH };
enum { FIRST_MISSING, FINAL_MISSING, FINAL_ADDED };
enum { AFFINE_GAIN = 1, AFFINE_BIAS = 2 };

/* ---- where they stand ---- */

static bool set_order(stack_attempt *a, layer_part *p, part_row *row, int with, err *e)
{
    part_row old = *row;
    (void)a, (void)p, (void)e;
    size_t before = old.ln_before > 0 ? old.ln_before : old.ln_after,
           after = old.ln_after > 0 ? old.ln_after : old.ln_before;
    row->ln_before = with == ORDER_POST ? 0 : before;
    row->ln_after = with == ORDER_PRE ? 0 : after;
    return old.ln_before != row->ln_before || old.ln_after != row->ln_after;
}

static bool drop_norm(stack_attempt *a, layer_part *p, part_row *row, int with, err *e)
{
    size_t number = (size_t)with;
    bool is_before = row->ln_before > 0 && (number == 0 || row->ln_before == number),
         is_after = row->ln_after > 0 && (number == 0 || row->ln_after == number);
    (void)a, (void)p, (void)e;
    row->ln_before = is_before ? 0 : row->ln_before;
    row->ln_after = is_after ? 0 : row->ln_after;
    return is_before || is_after;
}

/* Of one that is added, gain 1 and bias 0 are what reading it has left there. */
static bool set_end(stack_attempt *a, int with, err *e)
{
    bool *has = with == FIRST_MISSING ? &a->stack->has_first : &a->stack->has_final, had = *has;
    (void)e;
    *has = with == FINAL_ADDED;
    return *has != had && a->scope.is_whole;
}

static bool uses_norm(const layer *l, size_t number)
{
    for (size_t i = 0; i < l->parts; i++) {
        if (l->part[i].as->ln_before == number || l->part[i].as->ln_after == number)
            return true;
    }
    return false;
}

static bool swap_norms(stack_attempt *a, int with, err *e)
{
    size_t one = (size_t)with / 10, other = (size_t)with % 10;
    bool is_any = false;
    (void)e;
    for (size_t i = a->scope.first; i < a->scope.end; i++) {
        layer *l = &a->stack->layer[i];
        norm kept = l->norm[one - 1];
        if (!uses_norm(l, one) || !uses_norm(l, other))
            continue;
        l->norm[one - 1] = l->norm[other - 1];
        l->norm[other - 1] = kept;
        is_any = true;
    }
    return is_any;
}

static bool share_norm(stack_attempt *a, int with, err *e)
{
    bool is_any = false;
    (void)with, (void)e;
    for (size_t i = a->scope.first; i < a->scope.end; i++) {
        layer *l = &a->stack->layer[i];
        is_any = is_any || uses_norm(l, 2);
        l->norm[1] = l->norm[2] = l->norm[0];
    }
    return is_any;
}

/* ---- what they compute ---- */

bool stack_change_norms(stack_attempt *a, norm_change change, int with, err *e)
{
    bool is_any = false;
    for (size_t i = a->scope.first; i < a->scope.end; i++) {
        layer *l = &a->stack->layer[i];
        for (size_t number = 1; number <= NORMS_MOST; number++)
            is_any = (uses_norm(l, number) && change(a, &l->norm[number - 1], with, e)) || is_any;
    }
    if (a->scope.is_whole && a->stack->has_first)
        is_any = change(a, &a->stack->first, with, e) || is_any;
    if (a->scope.is_whole && a->stack->has_final)
        is_any = change(a, &a->stack->final, with, e) || is_any;
    return is_any && !e->is_set;
}

static bool set_kind(stack_attempt *a, norm *one, int with, err *e)
{
    bool was_rms = one->is_rms;
    (void)a, (void)e;
    one->is_rms = with == 1;
    return was_rms != one->is_rms;
}

static bool set_eps(stack_attempt *a, norm *one, int with, err *e)
{
    (void)a, (void)e;
    one->eps = with == 0 ? 0 : pow(10, -with);
    return true;
}

static bool put_eps_outside(stack_attempt *a, norm *one, int with, err *e)
{
    (void)a, (void)with, (void)e;
    one->eps_is_outside = true;
    return one->eps > 0;
}

/* gain·factor + more; of a gain that is not there, 1. */
static bool change_gain(stack_attempt *a, norm *one, double factor, double more, err *e)
{
    size_t width = a->stack->width;
    tensor *made = stack_attempt_matrix(a, a->stack->type, 1, &width, e);
    if (made == NULL)
        return false;
    tensor gain = {0};
    if (one->gain.data != NULL) /* which may be a row or a column */
        tensor_own(&gain, one->gain.type, 1, &width, one->gain.data);
    for (size_t i = 0; i < width; i++)
        tensor_set(made, &i, (gain.data == NULL ? 1 : tensor_get(&gain, &i)) * factor + more);
    one->gain = tensor_view_of(made);
    return true;
}

/* With c = m/(m − 1): (x − mean)/√(c·v + eps) is (x − mean)/√(v + eps/c) / √c; with eps outside,
 * (x − mean)/(√(c·v) + eps) is (x − mean)/(√v + eps/√c) / √c. */
static bool divide_by_less(stack_attempt *a, norm *one, int with, err *e)
{
    double m = (double)a->stack->width, c = m / (m - 1);
    if (m < 2)
        return false;
    one->eps_is_outside = with == 1;
    one->eps = one->eps / (with == 1 ? sqrt(c) : c);
    return change_gain(a, one, 1 / sqrt(c), 0, e);
}

static bool drop_gain(stack_attempt *a, norm *one, int with, err *e)
{
    bool is_gain = (with & AFFINE_GAIN) != 0 && one->gain.data != NULL,
         is_bias = (with & AFFINE_BIAS) != 0 && one->bias.data != NULL;
    (void)a, (void)e;
    one->gain = is_gain ? (tensor){0} : one->gain;
    one->bias = is_bias ? (tensor){0} : one->bias;
    return is_gain || is_bias;
}

static bool add_one(stack_attempt *a, norm *one, int with, err *e)
{
    (void)with;
    return one->gain.data != NULL && change_gain(a, one, 1, 1, e);
}

/* clang-format off */
static const stack_mistake NORM_ROWS[] = {
    {{"norm-pre", "norms stand before the parts (pre), not after the sums"},
     PARTS(PART_ALL, set_order, ORDER_PRE)},
    {{"norm-post", "norms stand after the sums (post), not before the parts"},
     PARTS(PART_ALL, set_order, ORDER_POST)},
    {{"norm-both", "norms stand before the parts and after the sums"},
     PARTS(PART_ALL, set_order, ORDER_BOTH)},
    {{"ln_f-missing", "the norm after the last layer is left out"}, WHOLE(set_end, FINAL_MISSING)},
    {{"ln_f-added", "a norm is added after the last layer"}, WHOLE(set_end, FINAL_ADDED)},
    {{"ln_e-missing", "the norm of the embedded rows is left out"}, WHOLE(set_end, FIRST_MISSING)},
    {{"ln1-missing", "ln1 is left out"}, PARTS(PART_ALL, drop_norm, 1)},
    {{"ln2-missing", "ln2 is left out"}, PARTS(PART_ALL, drop_norm, 2)},
    {{"ln3-missing", "ln3 is left out"}, PARTS(PART_ALL, drop_norm, 3)},
    {{"norms-missing", "all norms of a layer are left out"}, PARTS(PART_ALL, drop_norm, 0)},
    {{"ln1-ln2-swapped", "ln1 and ln2 are exchanged"}, WHOLE(swap_norms, 12)},
    {{"ln2-ln3-swapped", "ln2 and ln3 are exchanged"}, WHOLE(swap_norms, 23)},
    {{"ln1-ln3-swapped", "ln1 and ln3 are exchanged"}, WHOLE(swap_norms, 13)},
    {{"ln1-shared", "ln1 stands in the place of all norms of a layer"}, WHOLE(share_norm, 0)},
    {{"norm-rms", "norms are RMSNorm, not LayerNorm"}, NORMS(set_kind, 1)},
    {{"norm-layer", "norms are LayerNorm, not RMSNorm"}, NORMS(set_kind, 0)},
    {{"norm-variance", "the variance is divided by m - 1, not by m"}, NORMS(divide_by_less, 0)},
    {{"norm-deviation", "norms divide by deviation + eps, of m - 1"}, NORMS(divide_by_less, 1)},
    {{"norm-eps-outside", "eps is added to the root, not under it"}, NORMS(put_eps_outside, 0)},
    {{"norm-eps-1e-5", "eps of the norms is 1e-5"}, NORMS(set_eps, 5)},
    {{"norm-eps-1e-6", "eps of the norms is 1e-6"}, NORMS(set_eps, 6)},
    {{"norm-eps-1e-12", "eps of the norms is 1e-12"}, NORMS(set_eps, 12)},
    {{"norm-eps-1e-8", "eps of the norms is 1e-8"}, NORMS(set_eps, 8)},
    {{"norm-eps-1e-3", "eps of the norms is 1e-3"}, NORMS(set_eps, 3)},
    {{"norm-eps-missing", "eps of the norms is left out"}, NORMS(set_eps, 0)},
    {{"norm-affine-missing", "gains and biases of the norms are left out"},
     NORMS(drop_gain, AFFINE_GAIN | AFFINE_BIAS)},
    {{"norm-gain-missing", "gains of the norms are left out"}, NORMS(drop_gain, AFFINE_GAIN)},
    {{"norm-bias-missing", "biases of the norms are left out"}, NORMS(drop_gain, AFFINE_BIAS)},
    {{"norm-gain-plus-one", "norms multiply by 1 + gain"}, NORMS(add_one, 0)},
};
/* clang-format on */

const named_table STACK_NORM_MISTAKES = NAMED_TABLE("layer mistake", NORM_ROWS);
