/* Mistakes in what a layer does one after the other: what is added to what, and parts that are left
 * out. */
#include "why/stack_blunders.h"

#include <string.h>

static bool is_kind(const layer_part *p, int with)
{
    return with == PART_ALL || p->as->kind == (part_kind)with;
}

bool stack_change_parts(stack_attempt *a, int kind, part_change change, int value, err *e)
{
    bool is_any = false;
    for (size_t i = a->scope.first; i < a->scope.end; i++) {
        layer *l = &a->stack->layer[i];
        for (size_t j = 0; j < l->parts; j++)
            is_any =
                (is_kind(&l->part[j], kind) && change(a, &l->part[j], &a->row[i][j], value, e)) ||
                is_any;
    }
    return is_any && !e->is_set;
}

/* ---- residual connections ---- */

/* What is added otherwise is what the part was given. */
static bool set_residual(stack_attempt *a, layer_part *p, part_row *row, int value, err *e)
{
    bool is_possible = value == RESIDUAL_NONE     ? row->adds != RESIDUAL_NONE
                       : value == RESIDUAL_NORMED ? row->adds == RESIDUAL_PART && row->ln_before > 0
                                                  : row->adds == RESIDUAL_PART;
    (void)a, (void)p, (void)e;
    row->adds = is_possible ? (residual)value : row->adds;
    return is_possible;
}

bool stack_blunder_residual(stack_attempt *a, int with, err *e)
{
    return stack_change_parts(a, with, set_residual, RESIDUAL_NONE, e);
}

bool stack_blunder_residual_normed(stack_attempt *a, int with, err *e)
{
    return stack_change_parts(a, with, set_residual, RESIDUAL_NORMED, e);
}

bool stack_blunder_residual_of_layer(stack_attempt *a, int with, err *e)
{
    return stack_change_parts(a, with, set_residual, RESIDUAL_LAYER, e);
}

static bool stand_beside(stack_attempt *a, layer_part *p, part_row *row, int value, err *e)
{
    (void)a, (void)p, (void)value, (void)e;
    row->is_beside = true;
    return row->adds == RESIDUAL_PART;
}

bool stack_blunder_parallel(stack_attempt *a, int with, err *e)
{
    return stack_change_parts(a, with, stand_beside, 0, e);
}

/* ---- parts ---- */

static bool attend_to_nothing(void *context, const attention *of, const wanted *w, crew *by,
                              bundle *made, err *e)
{
    run_report report = {0};
    (void)context;
    if (!run_plan_by(&of->plan, w, by, made, &report, e))
        return false;
    tensor *output = &bundle_find(made, "output")->tensor;
    memset(output->data, 0, tensor_count(output) * dtype_size(output->type));
    return true;
}

/* Zeros are added, and nothing is normed. */
static bool drop_part(stack_attempt *a, layer_part *p, part_row *row, int value, err *e)
{
    (void)value;
    row->ln_before = row->ln_after = 0;
    row->adds = RESIDUAL_PART;
    if (row->kind != PART_FEED_FORWARD) {
        p->attention->otherwise = attend_to_nothing;
        return true;
    }
    feed_forward *f = p->feed_forward;
    tensor *zeros = stack_attempt_matrix(a, a->stack->type, f->w2.rank, f->w2.size, e);
    if (zeros == NULL)
        return false;
    memset(zeros->data, 0, tensor_count(zeros) * dtype_size(zeros->type));
    f->w2 = tensor_view_of(zeros);
    f->b2 = (tensor){0};
    return true;
}

bool stack_blunder_leave_out_part(stack_attempt *a, int with, err *e)
{
    bool is_end = a->scope.is_whole && a->stack->has_end && with == PART_FEED_FORWARD;
    a->stack->has_end = a->stack->has_end && !is_end;
    return stack_change_parts(a, with, drop_part, 0, e) || is_end;
}

/* A layer of which nothing is left is no layer. */
bool stack_blunder_skip(stack_attempt *a, int with, err *e)
{
    (void)with;
    return !a->scope.is_whole && stack_change_parts(a, PART_ALL, drop_part, 0, e);
}

/* ---- cross-attention ---- */

static bool plan_again(attention *of, err *e)
{
    const kernels *with = of->plan.with;
    plan_free(&of->plan);
    of->plan = (plan){0};
    of->asked.packed = NULL;
    return plan_make(&of->plan, &of->asked, with, e);
}

/* Of what it looks at a generation keeps the memory's rows, and not those that come by and by. */
static bool look_at_x(stack_attempt *a, layer_part *p, part_row *row, int value, err *e)
{
    (void)row, (void)value;
    if (a->of->steps != NULL && a->of->steps->steps > 1)
        return false;
    p->attention->asked.in[INPUT_XK] = NULL;
    return plan_again(p->attention, e);
}

bool stack_blunder_cross_self(stack_attempt *a, int with, err *e)
{
    return stack_change_parts(a, with, look_at_x, 0, e);
}

/* Those of the layer's self-attention, which stands before it. */
static bool take_weights(stack_attempt *a, layer_part *p, part_row *row, int value, err *e)
{
    problem *to = &p->attention->asked;
    const problem *from = &p[-1].attention->asked;
    (void)a, (void)row, (void)value;
    for (input which = INPUT_WQ; which <= INPUT_BO; which++) {
        to->in[which] = from->in[which];
        to->is_out_in[which] = from->is_out_in[which];
    }
    return plan_again(p->attention, e);
}

bool stack_blunder_cross_weights(stack_attempt *a, int with, err *e)
{
    return stack_change_parts(a, with, take_weights, 0, e);
}
