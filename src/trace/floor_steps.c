/* The steps between attentions: norms, sums, feed-forward parts. */
#include "trace/derivation.h"
#include "trace/floors.h"

#include "trace/map.h"

#include <math.h>
#include <string.h>

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
    floors_show_activated(f, by->by, &made->hidden, by->w3.data == NULL ? NULL : &made->gate,
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
