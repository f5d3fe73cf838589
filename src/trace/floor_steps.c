/* The steps between attentions: norms, sums, feed-forward parts. */
#include "trace/derivation.h"
#include "trace/floors.h"

#include <math.h>
#include <string.h>

/* ---- activations: a hidden number by the formula that its activation has ---- */

/* The first hidden number of the row, and what it becomes; numbers between them are float64's. */
typedef struct activated {
    floors *f;
    const activation *by;
    const kernels *with;
    const char *of, *made; /* "ffn.hidden[2,1]", "ffn.activated[2,1]" */
    tensor hidden, result; /* numbers; a hidden one as a vector has one element */
} activated;

static double hidden_of(const activated *a)
{
    return tensor_get(&a->hidden, (size_t[]){0});
}

static tensor keep(const activated *a, const char *name, double value)
{
    return build_number(&a->f->b, name, value);
}

static void show_last(const activated *a, operation op, const char *letters, tensor left,
                      tensor right)
{
    trace_item *line = build_line(&a->f->b, op, a->made, letters);
    line->a = left;
    line->b = right;
    line->result = a->result;
}

static void show_relu(const activated *a)
{
    builder *b = &a->f->b;
    trace_item *line = build_line(b, OP_MAX, a->made, build_text(b, "max(%s, 0)", a->of));
    line->a = a->hidden;
    line->c = keep(a, "zero", 0);
    line->result = a->result;
}

/* Φ(x), which is what the kernel multiplies x by. */
static double normal_share(const activated *a, double x)
{
    double product;
    if (x == 0 || isinf(x))
        return x == 0 ? 0.5 : x > 0;
    a->by->apply(a->with, &x, 1, &product);
    return product / x;
}

/* "share = Φ(ffn.hidden[2,1]) = 0.4013": what no operation of two numbers makes. */
static tensor show_function(const activated *a, const char *left, const char *letters, double value)
{
    trace_item *line = build_line(&a->f->b, OP_COPY, left, letters);
    tensor made = keep(a, left, value);
    line->a = line->result = made;
    return made;
}

static void show_gelu(const activated *a)
{
    builder *b = &a->f->b;
    tensor share =
        show_function(a, "share", build_text(b, "Φ(%s)", a->of), normal_share(a, hidden_of(a)));
    show_last(a, OP_TIMES, build_text(b, "%s·share", a->of), floors_first(&a->hidden), share);
}

/* tanh(√(2/π)·(x + 0.044715·x³)) */
static tensor show_bent(const activated *a, double x)
{
    builder *b = &a->f->b;
    double value = 0.044715 * (x * x * x), sum = x + value,
           factor = sqrt(2 / 3.14159265358979323846), angle = factor * sum, bent;
    tensor cubic = show_function(a, "cubic", build_text(b, "0.044715·%s³", a->of), value);
    tensor made = floors_number_line(a->f, OP_PLUS, "sum", build_text(b, "%s + cubic", a->of),
                                     floors_first(&a->hidden), cubic, sum);
    floors_number_line(a->f, OP_TIMES, "angle", "√(2/π)·sum", keep(a, "factor", factor), made,
                       angle);
    a->with->cap(&angle, 1, 1, &bent);
    return show_function(a, "bent", "tanh(angle)", bent);
}

static void show_gelu_tanh(const activated *a)
{
    builder *b = &a->f->b;
    double x = hidden_of(a);
    tensor bent = show_bent(a, x), one = keep(a, "one", 1), two = keep(a, "two", 2);
    double more = bent.data == NULL ? 0 : 1 + tensor_get(&bent, NULL);
    tensor share = floors_number_line(a->f, OP_PLUS, "share", "1 + bent", one, bent, more);
    tensor half = floors_number_line(a->f, OP_DIVIDE, "half", build_text(b, "%s / 2", a->of),
                                     floors_first(&a->hidden), two, x / 2);
    show_last(a, OP_TIMES, "half·share", half, share);
}

/* exp(−x); the kernel takes exponents up to 0. */
static double exponential_below(const activated *a, double x)
{
    double exponent = -fabs(x), most = 0, made;
    row_total total;
    a->with->row_exponent(&exponent, 1, &most, &made, &total, NULL);
    return x < 0 ? 1 / made : made;
}

static void show_silu(const activated *a)
{
    builder *b = &a->f->b;
    double h = hidden_of(a), power = exponential_below(a, h);
    tensor none = {0};
    tensor made = floors_number_line(a->f, OP_EXP, "power", build_text(b, "exp(−%s)", a->of),
                                     keep(a, "minus the hidden number", -h), none, power);
    made = floors_number_line(a->f, OP_PLUS, "divisor", "1 + power", keep(a, "one", 1), made,
                              1 + power);
    show_last(a, OP_DIVIDE, build_text(b, "%s / divisor", a->of), floors_first(&a->hidden), made);
}

typedef struct worked {
    const char *name; /* the activation's */
    void (*show)(const activated *a);
} worked;

static void show_worked(const activated *a)
{
    static const worked WORKED[] = {
        {"relu", show_relu},
        {"gelu", show_gelu},
        {"gelu_tanh", show_gelu_tanh},
        {"silu", show_silu},
    };
    for (size_t i = 0; i < sizeof WORKED / sizeof WORKED[0]; i++) {
        if (strcmp(WORKED[i].name, a->by->named.name) == 0)
            WORKED[i].show(a);
    }
}

static tensor applied(const activated *a)
{
    double h = hidden_of(a), made;
    a->by->apply(a->with, &h, 1, &made);
    return keep(a, "activated", made);
}

/* Behind the activation: what it makes times the gate's number. */
static void show_gated(floors *f, const char *made_name, tensor ungated, const floor_rows *gate,
                       tensor result)
{
    builder *b = &f->b;
    size_t row = f->focus.row;
    trace_item *line = build_line(b, OP_TIMES, made_name,
                                  build_text(b, "activated·%s[%zu,1]", gate->name, row + 1));
    line->a = ungated;
    line->b = build_element(&gate->values, row, 0);
    line->result = result;
}

/* The first number of the row; without a gate that is NULL. */
static void show_activated(floors *f, const activation *by, const floor_rows *hidden,
                           const floor_rows *gate, const floor_rows *made)
{
    builder *b = &f->b;
    size_t row = f->focus.row;
    const char *name = build_text(b, "%s[%zu,1]", made->name, row + 1);
    tensor of_row = build_row(&hidden->values, row);
    activated a = {.f = f,
                   .by = by,
                   .with = f->stack->isa->table(DTYPE_F64),
                   .of = build_text(b, "%s[%zu,1]", hidden->name, row + 1),
                   .made = gate == NULL ? name : "activated",
                   .hidden = tensor_range(&of_row, 0, 0, 1)};
    tensor result = build_element(&made->values, row, 0);
    a.result = gate == NULL ? result : applied(&a);
    show_worked(&a);
    if (gate != NULL)
        show_gated(f, name, a.result, gate, result);
}

/* ---- norms, sums, feed-forward parts ---- */

/* "ln1[2,1]" */
static const char *at_first(floors *f, const char *name)
{
    return build_text(&f->b, "%s[%zu,1]", name, f->focus.row + 1);
}

static const char *at_row(floors *f, const char *name)
{
    return build_text(&f->b, "%s[%zu]", name, f->focus.row + 1);
}

static tensor row_of(const floors *f, const floor_rows *rows)
{
    return build_row(&rows->values, f->focus.row);
}

static tensor first_of(const floors *f, const floor_rows *rows)
{
    return build_element(&rows->values, f->focus.row, 0);
}

/* What the part has of its own, where there is not too much of it to be looked at. */
static void show_parameter(floors *f, const char *name, const tensor *numbers)
{
    enum { MOST = 4096 };
    bool is_there = numbers != NULL && numbers->data != NULL;
    if (is_there && tensor_count(numbers) <= MOST && !dtype_is_narrower(numbers->type, DTYPE_F32))
        build_matrix(&f->b, name, numbers, build_numbers(), build_numbers(), 0);
}

/* ---- norms ---- */

/* Of the row's first number, which lies `centered` from the mean, what the row's stage has; `value`
 * is the product of the two. */
static void show_first(floors *f, const norm *n, tensor centered, tensor factor, double value,
                       const floor_rows *made)
{
    bool has_gain = n->gain.data != NULL, has_bias = n->bias.data != NULL;
    const char *left = at_first(f, made->name);
    tensor last = centered, by = factor;
    const char *letters = "centered[1]·factor";
    if (has_gain) {
        last = floors_number_line(f, OP_TIMES, "unit", letters, centered, factor, value);
        by = floors_first(&n->gain);
        letters = "unit·gain[1]";
        value *= tensor_get(&by, NULL);
    }
    if (has_bias) {
        last = floors_number_line(f, OP_TIMES, "scaled", letters, last, by, value);
        by = floors_first(&n->bias);
        letters = "scaled + bias[1]";
    }
    trace_item *line = build_line(&f->b, has_bias ? OP_PLUS : OP_TIMES, left, letters);
    line->a = last;
    line->b = by;
    line->result = first_of(f, made);
}

/* The row's way from its mean, out of the map that has every row's; nothing where memory lacks. */
static tensor show_centered(floors *f, const floor_rows *of, const floor_rows *made,
                            const tensor *row, double mean)
{
    builder *b = &f->b;
    const trace_map *map = map_named(b->trace, build_text(b, "%s.centered", made->name));
    if (map == NULL)
        return (tensor){0};
    tensor centered = tensor_at(&map->values, 0);
    trace_item *line =
        build_line(b, OP_PLUS, "centered", build_text(b, "%s + (−mean)", at_row(f, of->name)));
    line->a = *row;
    line->b = build_number(b, "minus mean", -mean);
    line->result = build_row(&centered, f->focus.row);
    return line->result;
}

/* A mean of squares, with what it divides by. */
typedef struct spread {
    const char *name;
    double root;
    tensor factor;
} spread;

/* Of a vector that `letters` say times itself; false where there is nothing to divide by. */
static bool show_spread(floors *f, const norm *n, const tensor *of, const char *letters,
                        tensor columns, spread *made)
{
    builder *b = &f->b;
    tensor none = {0};
    if (b->failed)
        return false;
    double squares = floors_sum_of(of, 0, true), mean = squares / tensor_get(&columns, NULL);
    tensor sum = floors_number_line(f, OP_DOT, "squares", letters, *of, *of, squares);
    tensor share = floors_number_line(f, OP_DIVIDE, made->name, NULL, sum, columns, mean);
    if (mean + n->eps == 0)
        return false;
    tensor within = floors_number_line(f, OP_PLUS, "spread", build_text(b, "%s + eps", made->name),
                                       share, build_number(b, "eps", n->eps), mean + n->eps);
    made->root = sqrt(mean + n->eps);
    made->factor =
        floors_number_line(f, OP_INVERSE_ROOT, "factor", "1/√spread", within, none, 1 / made->root);
    return true;
}

static void show_layer_norm(floors *f, const norm *n, const floor_rows *of, const floor_rows *made)
{
    builder *b = &f->b;
    tensor row = row_of(f, of), none = {0};
    double width = (double)row.size[0], mean = floors_sum_of(&row, 0, false) / width;
    tensor columns = build_number(b, "width", width);
    tensor sum = floors_number_line(f, OP_SUM, "sum", build_text(b, "Σ %s", at_row(f, of->name)),
                                    row, none, mean * width);
    floors_number_line(f, OP_DIVIDE, "mean", NULL, sum, columns, mean);
    tensor centered = show_centered(f, of, made, &row, mean);
    spread by = {.name = "variance"};
    if (!show_spread(f, n, &centered, "centered·centered", columns, &by))
        return;
    tensor first = floors_first(&centered);
    show_first(f, n, first, by.factor, tensor_get(&first, NULL) / by.root, made);
}

static void show_rms_norm(floors *f, const norm *n, const floor_rows *of, const floor_rows *made)
{
    builder *b = &f->b;
    tensor row = row_of(f, of), columns = build_number(b, "width", (double)row.size[0]);
    const char *letters = build_text(b, "%s·%s", at_row(f, of->name), at_row(f, of->name));
    spread by = {.name = "mean"};
    if (!show_spread(f, n, &row, letters, columns, &by))
        return;
    trace_item *line = NULL;
    if (n->gain.data == NULL) {
        line = build_line(b, OP_TIMES, at_row(f, made->name),
                          build_text(b, "factor·%s", at_row(f, of->name)));
        line->a = by.factor;
        line->b = row;
        line->result = row_of(f, made);
        return;
    }
    tensor first = first_of(f, of), gain = floors_first(&n->gain);
    tensor unit =
        floors_number_line(f, OP_TIMES, "unit", build_text(b, "factor·%s", at_first(f, of->name)),
                           by.factor, first, tensor_get(&first, NULL) / by.root);
    line = build_line(b, OP_TIMES, at_first(f, made->name), "unit·gain[1]");
    line->a = unit;
    line->b = gain;
    line->result = first_of(f, made);
}

/* What becomes of a row, in words: with an eps that is not small its variance is not 1 then. */
static void say_norm(floors *f, const norm *n)
{
    bool has_gain = n->gain.data != NULL, has_bias = n->bias.data != NULL;
    if (n->is_rms)
        build_sentence(&f->b,
                       "Each row is divided by the root of mean square + eps, with eps = %g: an "
                       "RMSNorm. Its mean square s becomes s / (s + eps), close to 1 where eps is "
                       "small beside s.",
                       n->eps);
    else
        build_sentence(&f->b,
                       "Each row is moved to mean 0 and divided by the root of variance + eps, "
                       "with eps = %g: a LayerNorm. Its variance v becomes v / (v + eps), close to "
                       "1 where eps is small beside v.",
                       n->eps);
    if (has_gain || has_bias)
        build_sentence(&f->b, "Then each column is %s%s%s.",
                       has_gain ? "multiplied by its gain" : "",
                       has_gain && has_bias ? ", and " : "", has_bias ? "moved by its bias" : "");
}

static void tell_norm(floors *f, const norm *n, const floor_rows *of, const floor_rows *made)
{
    const char *name = made->name;
    const char *gain = n->gain.data == NULL ? "" : "·gain",
               *bias = n->bias.data == NULL ? "" : " + bias";
    say_norm(f, n);
    if (n->is_rms)
        build_formula(&f->b, "%s[i] = %s[i] / √(mean of %s[i]² + eps)%s", name, of->name, of->name,
                      gain);
    else
        build_formula(&f->b, "%s[i] = (%s[i] − mean) / √(variance + eps)%s%s", name, of->name, gain,
                      bias);
    show_parameter(f, "gain", &n->gain);
    show_parameter(f, "bias", &n->bias);
    if (n->is_rms)
        show_rms_norm(f, n, of, made);
    else
        show_layer_norm(f, n, of, made);
    floors_show(f, made);
}

bool floors_norm(floors *f, const norm *n, const floor_rows *of, const char *name, floor_rows *made)
{
    if (!floors_begin(f, FLOOR_NORM, name))
        return false;
    floor_rows normed = floors_rows(f, name);
    floors_map_norm(f, n, of, &normed);
    if (floors_tells(f) && !f->b.failed)
        tell_norm(f, n, of, &normed);
    floors_end(f);
    *made = normed;
    return !f->b.failed;
}

/* ---- sums ---- */

static void tell_sum(floors *f, const floor_rows *a, const floor_rows *made)
{
    build_sentence(&f->b,
                   "The part's result is added to %s%s, so that it changes the rows and does "
                   "not replace them: the residual.",
                   strcmp(a->name, "x") == 0 ? "the layer's " : "", a->name);
    derivation_row_formula(&f->b, made->name, 'i');
    derivation_line(&f->b, made->name, f->focus.row, 0);
    floors_show(f, made);
}

bool floors_sum(floors *f, const floor_rows *a, const floor_rows *b, const char *name,
                floor_rows *made)
{
    if (!floors_begin(f, FLOOR_RESIDUAL, name))
        return false;
    floor_rows added = floors_rows(f, name);
    floors_map_sum(f, a, b, &added);
    if (floors_tells(f))
        tell_sum(f, a, &added);
    floors_end(f);
    *made = added;
    return !f->b.failed;
}

/* ---- feed-forward parts ---- */

/* The first number of the row: made[i,1] = of[i]·w[·,1] + bias[1]. */
static void show_product(floors *f, const char *w_name, const tensor *w, const char *bias_name,
                         const tensor *bias, const floor_rows *made)
{
    show_parameter(f, w_name, w);
    show_parameter(f, bias_name, bias);
    derivation_row_formula(&f->b, made->name, 'i');
    derivation_line(&f->b, made->name, f->focus.row, 0);
    floors_show(f, made);
}

/* What a feed-forward part makes, one after the other; gate only where it has one. */
typedef struct fed {
    floor_rows hidden, gate, activated, output;
} fed;

static void tell_feed_forward(floors *f, const feed_forward *by, const fed *made)
{
    const char *name = by->by->named.name;
    build_sentence(&f->b,
                   "Each row by itself goes through %zu hidden number%s and comes back %zu "
                   "wide.",
                   by->hidden, build_plural(by->hidden), by->width);
    show_product(f, "w1", &by->w1, "b1", &by->b1, &made->hidden);
    if (by->w3.data != NULL) {
        show_product(f, "w3", &by->w3, NULL, NULL, &made->gate);
        build_formula(&f->b, "ffn.activated[i,j] = %s(ffn.hidden[i,j])·ffn.gate[i,j]", name);
    } else {
        build_formula(&f->b, "ffn.activated[i,j] = %s(ffn.hidden[i,j])", name);
    }
    build_sentence(&f->b, "%s: %s.", name, by->by->named.help);
    show_activated(f, by->by, &made->hidden, by->w3.data == NULL ? NULL : &made->gate,
                   &made->activated);
    floors_show(f, &made->activated);
    show_product(f, "w2", &by->w2, "b2", &by->b2, &made->output);
}

bool floors_feed_forward(floors *f, const feed_forward *by, const floor_rows *of, floor_rows *made)
{
    if (!floors_begin(f, FLOOR_FEED_FORWARD, "ffn"))
        return false;
    bool has_gate = by->w3.data != NULL;
    fed all = {.hidden = floors_rows(f, "ffn.hidden"),
               .activated = floors_rows(f, "ffn.activated"),
               .output = floors_rows(f, "ffn.output")};
    if (has_gate)
        all.gate = floors_rows(f, "ffn.gate");
    floors_map_product(f, of, "w1", &by->w1, "b1", &by->b1, &all.hidden);
    if (has_gate)
        floors_map_product(f, of, "w3", &by->w3, NULL, NULL, &all.gate);
    floors_map_activated(f, by->by, &all.hidden, has_gate ? &all.gate : NULL, &all.activated);
    floors_map_product(f, &all.activated, "w2", &by->w2, "b2", &by->b2, &all.output);
    if (floors_tells(f))
        tell_feed_forward(f, by, &all);
    floors_end(f);
    *made = all.output;
    return !f->b.failed;
}
