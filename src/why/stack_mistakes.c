/* Mistakes of layers: in their norms, in what a layer does one part after the other, and numbers
 * that are kept in fewer digits than they have; with those of the rows that layers begin with,
 * all. */
#include "why/mistake.h"

#include "why/stack_attempt.h"

#include <math.h>
#include <string.h>

/* ---- norms: where they stand ---- */

enum { ORDER_PRE, ORDER_POST, ORDER_BOTH };
enum { FIRST_MISSING, FINAL_MISSING, FINAL_ADDED };

static bool set_order(stack_attempt *a, layer_part *p, part_row *row)
{
    part_row old = *row;
    (void)p;
    size_t before = old.ln_before > 0 ? old.ln_before : old.ln_after,
           after = old.ln_after > 0 ? old.ln_after : old.ln_before;
    row->ln_before = a->with == ORDER_POST ? 0 : before;
    row->ln_after = a->with == ORDER_PRE ? 0 : after;
    return old.ln_before != row->ln_before || old.ln_after != row->ln_after;
}

static bool drop_norm(stack_attempt *a, layer_part *p, part_row *row)
{
    size_t number = (size_t)a->with;
    bool is_before = row->ln_before > 0 && (number == 0 || row->ln_before == number),
         is_after = row->ln_after > 0 && (number == 0 || row->ln_after == number);
    (void)p;
    row->ln_before = is_before ? 0 : row->ln_before;
    row->ln_after = is_after ? 0 : row->ln_after;
    return is_before || is_after;
}

/* Of one that is added, gain 1 and bias 0 are what reading it has left there. */
static bool set_end(stack_attempt *a)
{
    bool *has = a->with == FIRST_MISSING ? &a->stack->has_first : &a->stack->has_final, had = *has;
    *has = a->with == FINAL_ADDED;
    return *has != had && a->scope.is_whole;
}

static bool swap_norms(stack_attempt *a)
{
    size_t one = (size_t)a->with / 10, other = (size_t)a->with % 10;
    bool is_any = false;
    for (size_t i = a->scope.first; i < a->scope.end; i++) {
        layer *l = &a->stack->layer[i];
        norm kept = l->norm[one - 1];
        if (!layer_uses_norm(l, one) || !layer_uses_norm(l, other))
            continue;
        l->norm[one - 1] = l->norm[other - 1];
        l->norm[other - 1] = kept;
        is_any = true;
    }
    return is_any;
}

static bool share_norm(stack_attempt *a)
{
    bool is_any = false;
    for (size_t i = a->scope.first; i < a->scope.end; i++) {
        layer *l = &a->stack->layer[i];
        is_any = is_any || layer_uses_norm(l, 2);
        l->norm[1] = l->norm[2] = l->norm[0];
    }
    return is_any;
}

/* ---- norms: what they compute ---- */

bool norm_set_kind(stack_attempt *a, norm *one)
{
    bool was_rms = one->is_rms;
    one->is_rms = a->with == 1;
    return was_rms != one->is_rms;
}

bool norm_set_eps(stack_attempt *a, norm *one)
{
    one->eps = a->with == 0 ? 0 : pow(10, -a->with);
    return true;
}

static bool put_eps_outside(stack_attempt *a, norm *one)
{
    (void)a;
    one->eps_is_outside = true;
    return one->eps > 0;
}

/* Of the rows that it norms. */
static size_t width_of(const stack_attempt *a, const norm *one)
{
    return one == &a->stack->first ? a->stack->embedded.size[1] : a->stack->width;
}

/* gain·factor + more; of a gain that is not there, 1. */
static void change_gain(stack_attempt *a, norm *one, double factor, double more)
{
    size_t width = width_of(a, one);
    tensor *made = stack_attempt_matrix(a, a->stack->type, 1, &width);
    if (made == NULL)
        return;
    for (size_t i = 0; i < width; i++) {
        double gain = one->gain.data == NULL ? 1 : tensor_get(&one->gain, &i);
        tensor_set(made, &i, gain * factor + more);
    }
    one->gain = tensor_view_of(made);
}

/* With c = m/(m − 1): (x − mean)/√(c·v + eps) is (x − mean)/√(v + eps/c) / √c; with eps outside,
 * (x − mean)/(√(c·v) + eps) is (x − mean)/(√v + eps/√c) / √c. */
static bool divide_by_less(stack_attempt *a, norm *one)
{
    double m = (double)width_of(a, one), c = m / (m - 1);
    if (m < 2)
        return false;
    one->eps_is_outside = a->with == 1;
    one->eps = one->eps / (a->with == 1 ? sqrt(c) : c);
    change_gain(a, one, 1 / sqrt(c), 0);
    return true;
}

bool norm_drop_affine(stack_attempt *a, norm *one)
{
    bool is_gain = (a->with & AFFINE_GAIN) != 0 && one->gain.data != NULL,
         is_bias = (a->with & AFFINE_BIAS) != 0 && one->bias.data != NULL;
    one->gain = is_gain ? (tensor){0} : one->gain;
    one->bias = is_bias ? (tensor){0} : one->bias;
    return is_gain || is_bias;
}

static bool add_to_gain(stack_attempt *a, norm *one)
{
    bool has_gain = one->gain.data != NULL;
    if (has_gain)
        change_gain(a, one, 1, a->with);
    return has_gain;
}

/* clang-format off */
static const mistake NORM_ROWS[] = {
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
    {{"norm-rms", "norms are RMSNorm, not LayerNorm"}, NORMS(norm_set_kind, 1)},
    {{"norm-layer", "norms are LayerNorm, not RMSNorm"}, NORMS(norm_set_kind, 0)},
    {{"norm-variance", "the variance is divided by m - 1, not by m"}, NORMS(divide_by_less, 0)},
    {{"norm-deviation", "norms divide by deviation + eps, of m - 1"}, NORMS(divide_by_less, 1)},
    {{"norm-eps-outside", "eps is added to the root, not under it"}, NORMS(put_eps_outside, 0)},
    {{"norm-eps-1e-5", "eps of the norms is 1e-5"}, NORMS(norm_set_eps, 5)},
    {{"norm-eps-1e-6", "eps of the norms is 1e-6"}, NORMS(norm_set_eps, 6)},
    {{"norm-eps-1e-12", "eps of the norms is 1e-12"}, NORMS(norm_set_eps, 12)},
    {{"norm-eps-1e-8", "eps of the norms is 1e-8"}, NORMS(norm_set_eps, 8)},
    {{"norm-eps-1e-3", "eps of the norms is 1e-3"}, NORMS(norm_set_eps, 3)},
    {{"norm-eps-missing", "eps of the norms is left out"}, NORMS(norm_set_eps, 0)},
    {{"norm-affine-missing", "gains and biases of the norms are left out"},
     NORMS(norm_drop_affine, AFFINE_GAIN | AFFINE_BIAS)},
    {{"norm-gain-missing", "gains of the norms are left out"},
     NORMS(norm_drop_affine, AFFINE_GAIN)},
    {{"norm-bias-missing", "biases of the norms are left out"},
     NORMS(norm_drop_affine, AFFINE_BIAS)},
    {{"norm-gain-plus-one", "norms multiply by 1 + gain"}, NORMS(add_to_gain, 1)},
    {{"norm-gain-less-one", "norms multiply by gain − 1, as a file may have it"},
     NORMS(add_to_gain, -1)},
};
/* clang-format on */

static const named_table NORM_THEME = NAMED_TABLE("layer mistake", NORM_ROWS);

enum { FFN_B1 = 1, FFN_B2 = 2, FFN_W3 = 4, FFN_W1 = 8, FFN_W2 = 16 };
enum { LAYERS_REVERSED, LAYERS_FIRST, LAYERS_LAST };

/* ---- parts: residual connections ---- */

/* What is added otherwise is what the part was given. */
bool residual_set(stack_attempt *a, layer_part *p, part_row *row)
{
    bool is_possible = a->with == RESIDUAL_NONE ? row->adds != RESIDUAL_NONE
                       : a->with == RESIDUAL_NORMED
                           ? row->adds == RESIDUAL_PART && row->ln_before > 0
                           : row->adds == RESIDUAL_PART;
    (void)p;
    row->adds = is_possible ? (residual)a->with : row->adds;
    return is_possible;
}

static bool stand_beside(stack_attempt *a, layer_part *p, part_row *row)
{
    (void)a, (void)p;
    row->is_beside = true;
    return row->adds == RESIDUAL_PART;
}

/* ---- parts ---- */

/* It makes zeros, and gains nothing. */
static bool attend_to_nothing(void *context, const attention *of, const kept_stages *w, crew *by,
                              bundle *made, err *e)
{
    run_report report = {0};
    (void)context;
    if (!run_plan_by(&of->plan, w, by, made, &report, e))
        return false;
    for (size_t i = 0; i < w->count; i++) {
        tensor *one = &bundle_find(made, stage_row(w->stage[i])->key.named.name)->tensor;
        if (w->stage[i] >= STAGE_OUTPUT)
            memset(one->data, 0, tensor_count(one) * dtype_size(one->type));
    }
    return true;
}

/* Zeros are added, and nothing is normed. */
static bool drop_part(stack_attempt *a, layer_part *p, part_row *row)
{
    static double zero; /* of either type; nothing writes to it */
    row->ln_before = row->ln_after = 0;
    row->adds = RESIDUAL_PART;
    if (row->kind != PART_FEED_FORWARD) {
        p->attention->otherwise = attend_to_nothing;
        return true;
    }
    if (p->experts != NULL) {
        p->scale = 0;
        return true;
    }
    feed_forward *f = p->feed_forward;
    f->w2 = (tensor){.type = a->stack->type,
                     .rank = 2,
                     .size = {f->w2.size[0], f->w2.size[1]},
                     .data = &zero}; /* all are this one */
    f->b2 = (tensor){0};
    return true;
}

static bool leave_out_part(stack_attempt *a)
{
    bool is_end = a->scope.is_whole && a->stack->has_end && a->with == PART_FEED_FORWARD;
    a->stack->has_end = a->stack->has_end && !is_end;
    return stack_change_parts(a, drop_part, a->with) || is_end;
}

/* A layer of which nothing is left is not a layer. */
static bool skip(stack_attempt *a)
{
    stack_change_parts(a, drop_part, PART_ALL);
    return !a->scope.is_whole;
}

/* ---- cross-attention ---- */

static bool plan_again(const stack_attempt *a, attention *of)
{
    const kernels *with = of->plan.with;
    plan_free(&of->plan);
    of->plan = (plan){0};
    of->asked.packed = NULL;
    return plan_make(&of->plan, &of->asked, with, a->e);
}

/* Of what it looks at a generation keeps the memory's rows, and not those that come by and by. */
static bool look_at_x(stack_attempt *a, layer_part *p, part_row *row)
{
    (void)row;
    if (a->of->steps != NULL && a->of->steps->steps > 1)
        return false;
    p->attention->asked.in[INPUT_XK] = NULL;
    p->attention->sees_memory = false;
    return plan_again(a, p->attention);
}

/* Those of the layer's self-attention, which stands before it. */
static bool take_weights(stack_attempt *a, layer_part *p, part_row *row)
{
    problem *to = &p->attention->asked;
    const problem *from = &p[-1].attention->asked;
    (void)row;
    for (input which = INPUT_WQ; which <= INPUT_BO; which++) {
        to->in[which] = from->in[which];
        to->is_out_in[which] = from->is_out_in[which];
    }
    return plan_again(a, p->attention);
}

/* ---- feed-forward parts ---- */

static void do_nothing(const kernels *with, const void *x, size_t n, void *out)
{
    (void)with, (void)x, (void)n, (void)out; /* they are the same place */
}

static void be_one(const kernels *in64, const double *x, size_t n, double *out)
{
    (void)x;
    in64->fill(out, n, 1);
}

static const activation NO_ACTIVATION = {{"none", "x"}, "{a}", "1", "{a}", do_nothing, be_one, 0};

static bool set_activation(stack_attempt *a, feed_forward *f)
{
    const activation *was = f->by;
    f->by = a->with < 0
                ? &NO_ACTIVATION
                : (const activation *)(const void *)named_row(&ACTIVATIONS, (size_t)a->with);
    return f->by != was;
}

static bool drop_weights(stack_attempt *a, feed_forward *f)
{
    tensor *const of[] = {&f->b1, &f->b2, &f->w3}; /* FFN_B1 and the next two */
    bool is_any = false;
    for (int i = 0; i < 3; i++) {
        if ((a->with & 1 << i) == 0 || of[i]->data == NULL)
            continue;
        *of[i] = (tensor){0};
        is_any = true;
    }
    return is_any;
}

/* The file's numbers in their order, read in the other layout: of a square matrix its transpose. As
 * x·W uses it, a matrix of the layout out-in is a view that is turned. */
static void turn(stack_attempt *a, tensor *one)
{
    const bool is_out_in = one->stride[0] < one->stride[1];
    const tensor in_file = is_out_in ? tensor_transposed(one) : *one;
    const size_t other[] = {in_file.size[1], in_file.size[0]};
    tensor *made = stack_attempt_matrix(a, one->type, 2, in_file.size);
    if (made == NULL)
        return;
    tensor_copy(&in_file, made);
    tensor_own(made, made->type, 2, other, made->data);
    *one = is_out_in ? tensor_view_of(made) : tensor_transposed(made);
}

static bool turn_weights(stack_attempt *a, feed_forward *f)
{
    if (a->with & FFN_W1)
        turn(a, &f->w1);
    if (a->with & FFN_W2)
        turn(a, &f->w2);
    if (a->with & FFN_W3 && f->w3.data != NULL)
        turn(a, &f->w3);
    return true;
}

bool gate_swap(stack_attempt *a, feed_forward *f)
{
    tensor kept = f->w1;
    (void)a;
    if (f->w3.data == NULL)
        return false;
    f->w1 = f->w3;
    f->w3 = kept;
    return true;
}

/* ---- which layers follow one another ---- */

static bool layers(stack_attempt *a)
{
    entry layers = *bundle_find(&a->document, "layers");
    const bundle *right = layers.bundle;
    if (!a->scope.is_whole || right->count < 2 || a->layers.count > 0)
        return false;
    for (size_t i = 0; i < right->count; i++) {
        const entry *from = &right->entry[a->with == LAYERS_REVERSED ? right->count - 1 - i
                                          : a->with == LAYERS_FIRST  ? 0
                                                                     : right->count - 1];
        bundle_borrow(&a->layers, right->entry[i].name, from, a->e);
    }
    /* Layers that look at no memory are refused one. */
    bool has_cross = false;
    for (size_t i = 0; i < a->layers.count; i++)
        has_cross = has_cross || bundle_find(a->layers.entry[i].bundle, "cross") != NULL;
    if (!has_cross)
        bundle_remove(&a->document, "memory");
    layers.bundle = &a->layers;
    bundle_remove(&a->document, "layers");
    bundle_borrow(&a->document, "layers", &layers, a->e);
    return !a->e->is_set;
}

/* clang-format off */
static const mistake PART_ROWS[] = {
    {{"residual-attention-missing", "nothing is added to what attention gives"},
     PARTS(PART_ATTENTION, residual_set, RESIDUAL_NONE)},
    {{"residual-cross-missing", "nothing is added to what cross-attention gives"},
     PARTS(PART_CROSS, residual_set, RESIDUAL_NONE)},
    {{"residual-ffn-missing", "nothing is added to what the feed-forward part gives"},
     PARTS(PART_FEED_FORWARD, residual_set, RESIDUAL_NONE)},
    {{"residuals-missing", "nothing is added to what any part gives"},
     PARTS(PART_ALL, residual_set, RESIDUAL_NONE)},
    {{"residual-normed", "the normed rows are added, not those before the norm"},
     PARTS(PART_ALL, residual_set, RESIDUAL_NORMED)},
    {{"residual-of-layer", "the layer's input is added to what each part gives"},
     PARTS(PART_ALL, residual_set, RESIDUAL_LAYER)},
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
     PARTS(PART_CROSS, take_weights, 0), .when = STACK_ROWS},
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
     FEED_FORWARDS(gate_swap, 0)},
    {{"gate-missing", "the gate (w3) is left out"}, FEED_FORWARDS(drop_weights, FFN_W3)},
    {{"w1-transposed", "w1 is transposed, or read in the other layout"},
     FEED_FORWARDS(turn_weights, FFN_W1)},
    {{"w2-transposed", "w2 is transposed, or read in the other layout"},
     FEED_FORWARDS(turn_weights, FFN_W2)},
    {{"ffn-transposed", "w1, w2 and w3 are transposed, or read in the other layout"},
     FEED_FORWARDS(turn_weights, FFN_W1 | FFN_W2 | FFN_W3)},
    {{"layers-reversed", "layers are in reverse order"},
     WHOLE(layers, LAYERS_REVERSED), .when = STACK_ASKED},
    {{"layers-first", "the first layer's weights are used in all layers"},
     WHOLE(layers, LAYERS_FIRST), .when = STACK_ASKED},
    {{"layers-last", "the last layer's weights are used in all layers"},
     WHOLE(layers, LAYERS_LAST), .when = STACK_ASKED},
    {{"layer-missing", "the layer is left out"}, WHOLE(skip, 0)},
};
/* clang-format on */

static const named_table PART_THEME = NAMED_TABLE("layer mistake", PART_ROWS);

/* ---- numbers of a stack that are kept in fewer digits than they have ---- */

/* What a layer gives, of those that are meant. */
static bool keep_rows(void *context, const char *name, const tensor *rows)
{
    const stack_attempt *a = context;
    size_t number;
    char output[STAGE_NAME];
    tensor changed = tensor_view_of(rows);
    if (!stack_stage_layer(name, &number) || number < a->scope.first || number >= a->scope.end)
        return true;
    stage_way way = stage_way_of_layer(number);
    stage_name_in_full(&way, "output", output);
    if (strcmp(name, output) == 0)
        numbers_keep_as(&changed, a->kept_as);
    return true;
}

static bool layers_as(stack_attempt *a)
{
    a->kept_as = a->with;
    a->stack->change = keep_rows;
    a->stack->changed = a;
    return true;
}

static bool results_as(stack_attempt *a)
{
    a->kept_as = a->with;
    a->loses_digits = true;
    return a->scope.is_whole;
}

/* clang-format off */
#define ROW(name, help, make, as) {{name, help}, WHOLE(make, as), .is_of_digits = true}
#define NARROW_ROWS(type, as) \
    ROW(type "-layers", "what each layer gives is rounded to " type, layers_as, as), \
    ROW(type "-results", "results are rounded to " type " when all is computed", results_as, as)
#define ROUNDED_ROW(n, decimals) \
    ROW("layers-rounded-" #n, "what each layer gives is rounded to " decimals, layers_as, \
        n + AS_AWAY)

static const mistake DIGIT_ROWS[] = {
    NARROW_ROWS("float16", AS_FLOAT16),
    NARROW_ROWS("bfloat16", AS_BFLOAT16),
    ROUNDED_ROW(1, "1 decimal"),
    ROUNDED_ROW(2, "2 decimals"),
    ROUNDED_ROW(3, "3 decimals"),
    ROUNDED_ROW(4, "4 decimals"),
};
/* clang-format on */

static const named_table DIGIT_THEME = NAMED_TABLE("layer mistake", DIGIT_ROWS);

/* ---- all ---- */

/* The more common first: of mistakes that explain numbers equally well, the first is named. */
static const named_table *const THEMES[] = {
    &NORM_THEME, &PART_THEME, &STACK_EXPERT_MISTAKES, &STACK_ROW_MISTAKES, &DIGIT_THEME, NULL,
};
static const named_table *const BOTH_WAYS[] = {&STACK_FORWARD_MISTAKES, &STACK_BACK_MISTAKES, NULL};

const named_table STACK_FORWARD_MISTAKES = {.what = "layer mistake", .parts = THEMES};
const named_table STACK_MISTAKES = {.what = "layer mistake", .parts = BOTH_WAYS};
