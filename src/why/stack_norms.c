/* Mistakes in where norms stand, and in what they compute. */
#include "why/stack_blunders.h"

#include <math.h>

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

bool stack_blunder_order(stack_attempt *a, int with, err *e)
{
    return stack_change_parts(a, PART_ALL, set_order, with, e);
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

bool stack_blunder_leave_out_norm(stack_attempt *a, int with, err *e)
{
    return stack_change_parts(a, PART_ALL, drop_norm, with, e);
}

bool stack_blunder_leave_out_first(stack_attempt *a, int with, err *e)
{
    bool is_there = a->stack->has_first;
    (void)with, (void)e;
    a->stack->has_first = false;
    return is_there && a->scope.is_whole;
}

bool stack_blunder_leave_out_final(stack_attempt *a, int with, err *e)
{
    bool is_there = a->stack->has_final;
    (void)with, (void)e;
    a->stack->has_final = false;
    return is_there && a->scope.is_whole;
}

/* Of gain 1 and bias 0, which is what reading it has left there. */
bool stack_blunder_add_final(stack_attempt *a, int with, err *e)
{
    bool is_there = a->stack->has_final;
    (void)with, (void)e;
    a->stack->has_final = true;
    return !is_there && a->scope.is_whole;
}

static bool uses_norm(const layer *l, size_t number)
{
    for (size_t i = 0; i < l->parts; i++) {
        if (l->part[i].as->ln_before == number || l->part[i].as->ln_after == number)
            return true;
    }
    return false;
}

bool stack_blunder_swap_norms(stack_attempt *a, int with, err *e)
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

bool stack_blunder_share_norm(stack_attempt *a, int with, err *e)
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

typedef bool (*norm_change)(stack_attempt *a, norm *one, int with, err *e);

/* Each norm that is meant. */
static bool change_norms(stack_attempt *a, norm_change change, int with, err *e)
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

bool stack_blunder_kind(stack_attempt *a, int with, err *e)
{
    return change_norms(a, set_kind, with, e);
}

static bool set_eps(stack_attempt *a, norm *one, int with, err *e)
{
    (void)a, (void)e;
    one->eps = with == 0 ? 0 : pow(10, -with);
    return true;
}

bool stack_blunder_eps(stack_attempt *a, int with, err *e)
{
    return change_norms(a, set_eps, with, e);
}

static bool put_eps_outside(stack_attempt *a, norm *one, int with, err *e)
{
    (void)a, (void)with, (void)e;
    one->eps_is_outside = true;
    return one->eps > 0;
}

bool stack_blunder_eps_outside(stack_attempt *a, int with, err *e)
{
    return change_norms(a, put_eps_outside, with, e);
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

bool stack_blunder_variance(stack_attempt *a, int with, err *e)
{
    return change_norms(a, divide_by_less, with, e);
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

bool stack_blunder_leave_out_gains(stack_attempt *a, int with, err *e)
{
    return change_norms(a, drop_gain, with, e);
}

static bool add_one(stack_attempt *a, norm *one, int with, err *e)
{
    (void)with;
    return one->gain.data != NULL && change_gain(a, one, 1, 1, e);
}

bool stack_blunder_gain_plus_one(stack_attempt *a, int with, err *e)
{
    return change_norms(a, add_one, with, e);
}
