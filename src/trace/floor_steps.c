/* The steps between attentions: norms, sums, feed-forward parts. */
#include "trace/derivation.h"
#include "trace/floors.h"

#include <string.h>

/* What the part has of its own, where there is not too much of it to be looked at. */
static void show_parameter(floors *f, const char *name, const tensor *numbers)
{
    enum { MOST = 4096 };
    bool is_there = numbers != NULL && numbers->data != NULL;
    if (is_there && tensor_count(numbers) <= MOST && !dtype_is_narrower(numbers->type, DTYPE_F32))
        build_matrix(&f->b, name, numbers, build_numbers(), build_numbers(), 0);
}

/* ---- norms ---- */

/* What becomes of a row, in words: with an eps that is not small its variance is not 1 then. */
static void say_norm(floors *f, const norm *n)
{
    bool has_gain = n->gain.data != NULL, has_bias = n->bias.data != NULL;
    if (n->is_rms)
        build_sentence(&f->b,
                       "Each row is divided by the root of mean square + eps, with eps = %g: an "
                       "RMSNorm. Its mean square s becomes s / (s + eps), close to 1 where eps is "
                       "small next to s.",
                       n->eps);
    else
        build_sentence(&f->b,
                       "Each row is moved to mean 0 and divided by the root of variance + eps, "
                       "with eps = %g: a LayerNorm. Its variance v becomes v / (v + eps), close to "
                       "1 where eps is small next to v.",
                       n->eps);
    if (has_gain || has_bias)
        build_sentence(&f->b, "Then each column is %s%s%s.",
                       has_gain ? "multiplied by its gain" : "",
                       has_gain && has_bias ? ", and " : "", has_bias ? "moved by its bias" : "");
}

/* The row's first number, by way of all that no stage holds. */
static void tell_norm(floors *f, const norm *n, const floor_rows *made)
{
    builder *b = &f->b;
    say_norm(f, n);
    show_parameter(f, build_text(b, "%s.gain", made->name), &n->gain);
    show_parameter(f, build_text(b, "%s.bias", made->name), &n->bias);
    for (size_t i = 0; i < b->trace->maps; i++) {
        if (b->trace->map[i].has_origin)
            derivation_show(b, b->trace->map[i].name, f->focus.row);
    }
    floors_show(f, made);
}

bool floors_norm(floors *f, const norm *n, const floor_rows *of, const char *name, floor_rows *made)
{
    if (!floors_begin(f, FLOOR_NORM, name))
        return false;
    floor_rows normed = floors_rows(f, name);
    floors_map_norm(f, n, of, &normed);
    if (floors_tells(f) && !f->b.failed)
        tell_norm(f, n, &normed);
    *made = normed;
    return floors_end(f);
}

/* ---- sums ---- */

bool floors_sum(floors *f, const floor_rows *a, const floor_rows *b, const char *name,
                floor_rows *made)
{
    if (!floors_begin(f, FLOOR_RESIDUAL, name))
        return false;
    floor_rows added = floors_rows(f, name);
    floors_map_sum(f, a, b, &added);
    if (floors_tells(f)) {
        build_sentence(&f->b,
                       "The part's result is added to %s%s, so that it changes the rows and does "
                       "not replace them: the residual.",
                       strcmp(a->name, "x") == 0 ? "the layer's " : "", a->name);
        derivation_show(&f->b, added.name, f->focus.row);
        floors_show(f, &added);
    }
    *made = added;
    return floors_end(f);
}

/* ---- feed-forward parts ---- */

/* The first number of the row: made[i,1] = of[i]·w[·,1] + bias[1]. */
static void show_product(floors *f, const char *w_name, const tensor *w, const char *bias_name,
                         const tensor *bias, const floor_rows *made)
{
    show_parameter(f, w_name, w);
    show_parameter(f, bias_name, bias);
    derivation_show(&f->b, made->name, f->focus.row);
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
    if (by->w3.data != NULL)
        show_product(f, "w3", &by->w3, NULL, NULL, &made->gate);
    build_sentence(&f->b, "%s: %s.", name, by->by->named.help);
    derivation_show(&f->b, "ffn.activated", f->focus.row);
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
    *made = all.output;
    return floors_end(f);
}
