/* Mistakes in what a layer does one after the other: what is added to what, parts that are left out
 * or computed wrongly, and which layers follow one another. */
#include "why/stack_attempt.h"

#include <string.h>

enum { FFN_B1 = 1, FFN_B2 = 2, FFN_W3 = 4, FFN_W1 = 8, FFN_W2 = 16 };
enum { LAYERS_REVERSED, LAYERS_FIRST, LAYERS_LAST };

/* ---- residual connections ---- */

/* What is added otherwise is what the part was given. */
static bool set_residual(stack_attempt *a, layer_part *p, part_row *row, int with, err *e)
{
    bool is_possible = with == RESIDUAL_NONE     ? row->adds != RESIDUAL_NONE
                       : with == RESIDUAL_NORMED ? row->adds == RESIDUAL_PART && row->ln_before > 0
                                                 : row->adds == RESIDUAL_PART;
    (void)a, (void)p, (void)e;
    row->adds = is_possible ? (residual)with : row->adds;
    return is_possible;
}

static bool stand_beside(stack_attempt *a, layer_part *p, part_row *row, int with, err *e)
{
    (void)a, (void)p, (void)with, (void)e;
    row->is_beside = true;
    return row->adds == RESIDUAL_PART;
}

/* ---- parts ---- */

static bool attend_to_nothing(void *context, const attention *of, const kept_stages *w, crew *by,
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
static bool drop_part(stack_attempt *a, layer_part *p, part_row *row, int with, err *e)
{
    (void)with;
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

static bool leave_out_part(stack_attempt *a, int with, err *e)
{
    bool is_end = a->scope.is_whole && a->stack->has_end && with == PART_FEED_FORWARD;
    a->stack->has_end = a->stack->has_end && !is_end;
    return stack_change_parts(a, drop_part, with, 0, e) || is_end;
}

/* A layer of which nothing is left is not a layer. */
static bool skip(stack_attempt *a, int with, err *e)
{
    (void)with;
    return !a->scope.is_whole && stack_change_parts(a, drop_part, PART_ALL, 0, e);
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
static bool look_at_x(stack_attempt *a, layer_part *p, part_row *row, int with, err *e)
{
    (void)row, (void)with;
    if (a->of->steps != NULL && a->of->steps->steps > 1)
        return false;
    p->attention->asked.in[INPUT_XK] = NULL;
    return plan_again(p->attention, e);
}

/* Those of the layer's self-attention, which stands before it. */
static bool take_weights(stack_attempt *a, layer_part *p, part_row *row, int with, err *e)
{
    problem *to = &p->attention->asked;
    const problem *from = &p[-1].attention->asked;
    (void)a, (void)row, (void)with;
    for (input which = INPUT_WQ; which <= INPUT_BO; which++) {
        to->in[which] = from->in[which];
        to->is_out_in[which] = from->is_out_in[which];
    }
    return plan_again(p->attention, e);
}

/* ---- feed-forward parts ---- */

bool stack_change_feed_forwards(stack_attempt *a, feed_forward_change change, int with, err *e)
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

/* ---- which layers follow one another ---- */

static bool layers(stack_attempt *a, int with, err *e)
{
    entry layers = *bundle_find(&a->document, "layers");
    const bundle *right = layers.bundle;
    if (!a->scope.is_whole || right->count < 2 || a->layers.count > 0)
        return false;
    for (size_t i = 0; i < right->count; i++) {
        const entry *from = &right->entry[with == LAYERS_REVERSED ? right->count - 1 - i
                                          : with == LAYERS_FIRST  ? 0
                                                                  : right->count - 1];
        if (bundle_borrow(&a->layers, right->entry[i].name, from, e) == NULL)
            return false;
    }
    /* Layers that look at no memory are refused one. */
    bool has_cross = false;
    for (size_t i = 0; i < a->layers.count; i++)
        has_cross = has_cross || bundle_find(a->layers.entry[i].bundle, "cross") != NULL;
    if (!has_cross)
        bundle_remove(&a->document, "memory");
    layers.bundle = &a->layers;
    bundle_remove(&a->document, "layers");
    return bundle_borrow(&a->document, "layers", &layers, e) != NULL;
}

/* clang-format off */
static const stack_mistake PART_ROWS[] = {
    {{"residual-attention-missing", "nothing is added to what attention gives"},
     PARTS(PART_ATTENTION, set_residual, RESIDUAL_NONE)},
    {{"residual-cross-missing", "nothing is added to what cross-attention gives"},
     PARTS(PART_CROSS, set_residual, RESIDUAL_NONE)},
    {{"residual-ffn-missing", "nothing is added to what the feed-forward part gives"},
     PARTS(PART_FEED_FORWARD, set_residual, RESIDUAL_NONE)},
    {{"residuals-missing", "nothing is added to what any part gives"},
     PARTS(PART_ALL, set_residual, RESIDUAL_NONE)},
    {{"residual-normed", "the normed rows are added, not those before the norm"},
     PARTS(PART_ALL, set_residual, RESIDUAL_NORMED)},
    {{"residual-of-layer", "the layer's input is added to what each part gives"},
     PARTS(PART_ALL, set_residual, RESIDUAL_LAYER)},
    {{"ffn-parallel", "the feed-forward part stands next to attention"},
     PARTS(PART_FEED_FORWARD, stand_beside, 0)},
    {{"self-missing", "self-attention is left out, and its norm"},
     WHOLE(leave_out_part, PART_ATTENTION)},
    {{"cross-missing", "cross-attention is left out, and its norm"},
     WHOLE(leave_out_part, PART_CROSS)},
    {{"ffn-missing", "the feed-forward part is left out, and its norm"},
     WHOLE(leave_out_part, PART_FEED_FORWARD)},
    {{"cross-self", "cross-attention looks at its own rows, not at memory"},
     PARTS(PART_CROSS, look_at_x, 0)},
    {{"cross-weights", "cross-attention has the weights of self-attention"},
     PARTS(PART_CROSS, take_weights, 0), .at = STACK_ROWS},
    {{"activation-relu", "the activation is relu"}, FEED_FORWARDS(set_activation, 0)},
    {{"activation-gelu", "the activation is gelu"}, FEED_FORWARDS(set_activation, 1)},
    {{"activation-gelu_tanh", "the activation is gelu by its formula with tanh"},
     FEED_FORWARDS(set_activation, 2)},
    {{"activation-silu", "the activation is silu"}, FEED_FORWARDS(set_activation, 3)},
    {{"activation-missing", "the activation is left out"}, FEED_FORWARDS(set_activation, -1)},
    {{"ffn-biases-missing", "b1 and b2 are left out"},
     FEED_FORWARDS(drop_weights, FFN_B1 | FFN_B2)},
    {{"b1-missing", "b1 is left out"}, FEED_FORWARDS(drop_weights, FFN_B1)},
    {{"b2-missing", "b2 is left out"}, FEED_FORWARDS(drop_weights, FFN_B2)},
    {{"gate-swapped", "w1 and w3 are exchanged: the gate is activated"},
     FEED_FORWARDS(swap_gate, 0)},
    {{"gate-missing", "the gate (w3) is left out"}, FEED_FORWARDS(drop_weights, FFN_W3)},
    {{"w1-transposed", "w1 is transposed, or read in the other layout"},
     FEED_FORWARDS(turn_weights, FFN_W1)},
    {{"w2-transposed", "w2 is transposed, or read in the other layout"},
     FEED_FORWARDS(turn_weights, FFN_W2)},
    {{"ffn-transposed", "w1, w2 and w3 are transposed, or read in the other layout"},
     FEED_FORWARDS(turn_weights, FFN_W1 | FFN_W2)},
    {{"layers-reversed", "layers are in reverse order"},
     WHOLE(layers, LAYERS_REVERSED), .at = STACK_ASKED},
    {{"layers-first", "the first layer's weights are used in all layers"},
     WHOLE(layers, LAYERS_FIRST), .at = STACK_ASKED},
    {{"layers-last", "the last layer's weights are used in all layers"},
     WHOLE(layers, LAYERS_LAST), .at = STACK_ASKED},
    {{"layer-missing", "the layer is left out"}, WHOLE(skip, 0)},
};
/* clang-format on */

const named_table STACK_PART_MISTAKES = NAMED_TABLE("layer mistake", PART_ROWS);
