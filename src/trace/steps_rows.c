/* The steps of rows: positions added to those of x, and how their waves are worked out; queries and
 * keys brought to one length, turned by their positions, and put after those of a cache. */
#include "attn/engine/rope.h"
#include "attn/plan/plan.h"
#include "trace/derivation.h"

/* Pairs that are spelled out: the first one, and one that is slower. */
enum { PAIRS = 2 };

void waves_show(builder *b, const char *name, size_t row)
{
    const trace_map *made = map_named(b->trace, name);
    size_t width = made == NULL ? 0 : made->values.size[2];
    derivation_row_formula(b, name, 'i');
    build_formula(b, "PE(position, 2i) = sin(position·10000^(−2i/m)), m = %zu", width);
    build_formula(b, "PE(position, 2i + 1) = cos(position·10000^(−2i/m)), columns from 0");
    for (size_t pair = 0; pair < PAIRS && 2 * pair < width; pair++) {
        derivation_line(b, "x_angle", row, pair);
        for (size_t column = 2 * pair; column < width && column < 2 * pair + 2; column++)
            derivation_line(b, name, row, column);
    }
}

void make_positions(builder *b)
{
    size_t row = b->focus.row;
    build_sentence(b, "Attention by itself knows no order of its rows. So each row of x is told "
                      "where it stands: sines and cosines of its position are added to it, of "
                      "waves that grow longer from column to column.");
    build_sentence(b, "Row %zu stands at position %zu, counted from 0.", row + 1,
                   visible_position(b->plan, b->focus.batch, row))
        ->is_of_focus = true;
    waves_show(b, map_name_of(STAGE_X_POS), row);
    derivation_matrix(b, "x_pos", row + 1);
}

/* ---- normalize ---- */

/* One that all heads share is the same in each, and shown of the head in focus alone. */
static void show_gain(builder *b, char of, const tensor *gains, size_t head)
{
    const char *name = build_text(b, "%c_gain", of);
    if (gains->stride[0] != 0) {
        build_in_heads(b, name, gains, head, build_numbers(), build_numbers(), 0);
        return;
    }
    tensor gain = tensor_at(gains, head);
    const char *of_head = b->plan->has_heads ? build_text(b, " in head %zu", head + 1) : "";
    build_matrix(b, build_text(b, "%s%s", name, of_head), &gain, build_numbers(), build_numbers(),
                 0);
}

static void show_normalized(builder *b, stage_id id, const tensor *gains, size_t at)
{
    const char *name = stage_row(id)->key.named.name;
    size_t head = build_shown_head(b, id);
    build_begin_head(b, head);
    if (gains->data != NULL)
        show_gain(b, *name, gains, head);
    derivation_show(b, name, at);
    derivation_matrix_by_head(b, name, at + 1);
    build_end_head(b);
}

void make_normalize(builder *b)
{
    const plan *p = b->plan;
    build_sentence(b, "Each head's query and key is divided by its root mean square, so that a "
                      "score depends on their directions and not on how long they are.");
    show_normalized(b, STAGE_Q_NORM, &p->q_gain, b->focus.row);
    show_normalized(b, STAGE_K_NORM, &p->k_gain, build_key_row(b));
    build_other_heads(b);
}

/* ---- rope ---- */

static void show_role(builder *b, stage_id id, size_t row, double position)
{
    const plan *p = b->plan;
    const char *name = map_name_of(id), *angle = build_text(b, "%c_angle", *name);
    size_t head = build_shown_head(b, id);
    build_begin_head(b, head);
    build_sentence(b, "%s %zu stands at position %.0f, counted from 0.",
                   *name == 'q' ? "Query" : "Key", row + 1, position)
        ->is_of_focus = true;
    derivation_formula(b, angle, "");
    derivation_formula(b, name, "");
    for (size_t pair = 0; pair < PAIRS && pair < p->rope_width / 2; pair++) {
        rope_pair at = rope_pair_of(b->plan, pair);
        build_formula(b, "p = %zu: numbers %zu and %zu", pair + 1, at.first + 1, at.second + 1);
        derivation_line(b, angle, row, pair);
        derivation_line(b, name, row, at.first);
        derivation_line(b, name, row, at.second);
    }
    derivation_matrix_by_head(b, name, row + 1);
    build_end_head(b);
}

void make_rope(builder *b)
{
    const plan *p = b->plan;
    bool is_interleaved = p->asked->rope.is_interleaved;
    size_t at = build_key_row(b);
    build_sentence(b, "Pairs of numbers are turned by angles that grow with the position: a score "
                      "then depends on how far a query and a key stand apart.");
    derivation_formula(b, "frequency", "");
    build_formula(b, "pair p: numbers %s, p from 1",
                  is_interleaved ? "2p − 1 and 2p" : "p and p + width/2");
    /* Queries and keys may be of different widths. */
    if (p->rope_width < p->q.width || p->rope_width < p->k.width)
        build_sentence(b,
                       "What is after the first %zu numbers of a %s is in no pair, and stays as "
                       "it is.",
                       p->rope_width, p->has_heads ? "head" : "row");
    show_role(b, STAGE_Q_ROPE, b->focus.row, plan_query_position(p, b->focus.batch, b->focus.row));
    show_role(b, STAGE_K_ROPE, at, plan_key_position(p, b->focus.batch, at));
    build_other_heads(b);
}

/* ---- cache ---- */

void make_cache(builder *b)
{
    const plan *p = b->plan;
    size_t added = p->n_k - p->past;
    build_sentence(b,
                   "%zu earlier row%s left keys and values in the cache. They are taken as they "
                   "are, and the %zu new one%s after them: %zu keys can be seen.",
                   p->past, build_plural(p->past), added, added == 1 ? " goes" : "s go", p->n_k);
    build_formula(b, "present_k = [past_k; %s], present_v = [past_v; v]",
                  stage_row(build_new_keys(b))->key.named.name);
    derivation_matrix(b, "past_k", 0);
    derivation_matrix(b, "past_v", 0);
    derivation_matrix(b, "present_k", 0);
    derivation_matrix(b, "present_v", 0);
    if (build_stage_of_batch(b, STAGE_PRESENT_K).rank == 3)
        build_other_heads(b);
}
