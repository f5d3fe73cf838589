/* Mistakes in feed-forward parts: those of the layers that are meant, and with all layers the one
 * behind them. */
#include "why/stack_blunders.h"

typedef bool (*feed_forward_change)(stack_attempt *a, feed_forward *f, int with, err *e);

static bool change_each(stack_attempt *a, feed_forward_change change, int with, err *e)
{
    bool is_any = false;
    for (size_t i = a->scope.first; i < a->scope.end; i++) {
        layer *l = &a->stack->layer[i];
        for (size_t j = 0; j < l->parts; j++)
            is_any = (l->part[j].as->kind == PART_FEED_FORWARD &&
                      change(a, l->part[j].feed_forward, with, e)) ||
                     is_any;
    }
    if (a->scope.is_whole && a->stack->has_end)
        is_any = change(a, &a->stack->end, with, e) || is_any;
    return is_any && !e->is_set;
}

static void do_nothing(const kernels *with, const void *x, size_t n, void *out)
{
    (void)with, (void)x, (void)n, (void)out; /* they are the same place */
}

static const activation NO_ACTIVATION = {{"none", "x"}, "{a}", do_nothing};

static bool set_activation(stack_attempt *a, feed_forward *f, int with, err *e)
{
    const activation *was = f->by;
    (void)a, (void)e;
    f->by = with < 0 ? &NO_ACTIVATION
                     : (const activation *)(const void *)named_row(&ACTIVATIONS, (size_t)with);
    return f->by != was;
}

bool stack_blunder_activation(stack_attempt *a, int with, err *e)
{
    return change_each(a, set_activation, with, e);
}

static bool drop(tensor *one, bool is_meant)
{
    bool is_there = is_meant && one->data != NULL;
    *one = is_there ? (tensor){0} : *one;
    return is_there;
}

static bool drop_weights(stack_attempt *a, feed_forward *f, int with, err *e)
{
    (void)a, (void)e;
    bool is_any = drop(&f->b1, (with & FFN_B1) != 0);
    is_any = drop(&f->b2, (with & FFN_B2) != 0) || is_any;
    return drop(&f->w3, (with & FFN_W3) != 0) || is_any;
}

bool stack_blunder_leave_out_weight(stack_attempt *a, int with, err *e)
{
    return change_each(a, drop_weights, with, e);
}

/* The file's numbers in their order, read in the other layout: of a square matrix its transpose. As
 * x·W uses it, a matrix of the layout out-in is a view that is turned. */
static bool turn(stack_attempt *a, tensor *one, err *e)
{
    size_t rows = one->size[0], columns = one->size[1], at[2] = {0};
    bool is_out_in = one->stride[0] < one->stride[1];
    tensor *made = stack_attempt_matrix(a, a->stack->type, 2, one->size, e);
    if (made == NULL)
        return false;
    do {
        size_t index = is_out_in ? at[0] * columns + at[1] : at[1] * rows + at[0];
        size_t out_in[] = {index % rows, index / rows},
               in_out[] = {index / columns, index % columns};
        tensor_set(made, at, tensor_get(one, is_out_in ? out_in : in_out));
    } while (tensor_next(made, at));
    *one = tensor_view_of(made);
    return true;
}

static bool turn_weights(stack_attempt *a, feed_forward *f, int with, err *e)
{
    return ((with & FFN_W1) == 0 || turn(a, &f->w1, e)) &&
           ((with & FFN_W2) == 0 || turn(a, &f->w2, e)) &&
           ((with & FFN_W1) == 0 || (with & FFN_W2) == 0 || f->w3.data == NULL ||
            turn(a, &f->w3, e));
}

bool stack_blunder_turn_weight(stack_attempt *a, int with, err *e)
{
    return change_each(a, turn_weights, with, e);
}

static bool swap_gate(stack_attempt *a, feed_forward *f, int with, err *e)
{
    tensor kept = f->w1;
    (void)a, (void)with, (void)e;
    if (f->w3.data == NULL)
        return false;
    f->w1 = f->w3;
    f->w3 = kept;
    return true;
}

bool stack_blunder_swap_gate(stack_attempt *a, int with, err *e)
{
    return change_each(a, swap_gate, with, e);
}
