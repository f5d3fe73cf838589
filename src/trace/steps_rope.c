/* The step that turns queries and keys by their positions. */
#include "trace/build.h"

#include "attn/angle.h"
#include "attn/rope.h"

/* Pairs that are spelled out: the first turns as the position says, the second slower. */
enum { PAIRS = 2 };

static const char *element_name(builder *b, stage_id id, size_t row, size_t column)
{
    return build_text(b, "%s[%zu,%zu]", stage_row(id)->key.named.name, row + 1, column + 1);
}

/* A number of the row, and the other one of its pair. */
static tensor pair_of(const tensor *row, size_t own, size_t other)
{
    tensor pair = tensor_range(row, 0, own, 1);
    pair.size[0] = 2;
    pair.stride[0] = row->stride[0] * ((ptrdiff_t)other - (ptrdiff_t)own);
    return pair;
}

/* y = x·cos(angle) ± other·sin(angle), with this run's numbers. */
static void show_turned(builder *b, stage_id from, stage_id id, size_t row, rope_pair at, turn by,
                        bool is_first)
{
    size_t own = is_first ? at.first : at.second, other = is_first ? at.second : at.first;
    tensor x = build_stage(b, from), y = build_stage(b, id);
    const char *left = element_name(b, id, row, own);
    trace_item *line =
        build_line(b, is_first ? OP_DIFFERENCE : OP_DOT, left,
                   build_text(b, "%s·cos(angle) %s %s·sin(angle)", element_name(b, from, row, own),
                              is_first ? "−" : "+", element_name(b, from, row, other)));
    tensor before = build_row(&x, row);
    double factors[] = {by.cosine, by.sine};
    line->a = pair_of(&before, own, other);
    line->b = build_numbers_of(b, build_text(b, "factors of %s", left), 2, factors);
    line->result = build_element(&y, row, own);
}

static void show_pair(builder *b, stage_id from, stage_id id, size_t row, double position,
                      size_t pair)
{
    const plan *p = b->plan;
    rope_pair at = rope_pair_of(p, pair);
    double frequency = angle_frequency(p->asked->rope.base, pair, p->rope_width);
    const char *of = element_name(b, id, row, at.first);
    build_formula(b, "p = %zu: numbers %zu and %zu", pair, at.first + 1, at.second + 1);
    trace_item *line = build_line(
        b, OP_TIMES, "angle", build_text(b, "position·base^(−%zu/%zu)", 2 * pair, p->rope_width));
    line->a = build_number(b, build_text(b, "position of %s", of), position);
    line->b = build_number(b, build_text(b, "frequency of %s", of), frequency);
    line->result = build_number(b, build_text(b, "angle of %s", of), position * frequency);
    turn by = angle_turn(p->with, position, frequency);
    show_turned(b, from, id, row, at, by, true);
    show_turned(b, from, id, row, at, by, false);
}

static void show_role(builder *b, stage_id from, stage_id id, size_t row, double position,
                      trace_labels labels)
{
    const plan *p = b->plan;
    const char *name = stage_row(id)->key.named.name;
    size_t head = build_shown_head(b, id);
    build_begin_head(b, head);
    build_sentence(b, "%s %zu stands at position %.0f, counted from 0.",
                   *name == 'q' ? "Query" : "Key", row + 1, position);
    for (size_t pair = 0; pair < PAIRS && pair < p->rope_width / 2; pair++)
        show_pair(b, from, id, row, position, pair);
    tensor all = build_stage_of_heads(b, id);
    build_in_heads(b, name, &all, head, labels, build_numbers(), row + 1);
    build_end_head(b);
}

/* Queries and keys may be of different widths. */
static void say_unturned(builder *b)
{
    const plan *p = b->plan;
    if (p->rope_width < p->q.width || p->rope_width < p->k.width)
        build_sentence(b,
                       "What is behind the first %zu numbers of a %s is in no pair, and stays as "
                       "it is.",
                       p->rope_width, p->has_heads ? "head" : "row");
}

void make_rope(builder *b)
{
    const plan *p = b->plan;
    bool is_interleaved = p->asked->rope.is_interleaved;
    size_t at = build_key_row(b);
    stage_id q = p->asked->normalizes ? STAGE_Q_NORM : STAGE_Q,
             k = p->asked->normalizes ? STAGE_K_NORM : STAGE_K;
    build_sentence(b, "Pairs of numbers are turned by angles that grow with the position: a score "
                      "then depends on how far a query and a key stand apart.");
    build_formula(b, "angle of pair p = position·base^(−2p/width), base = %g, width = %zu",
                  p->asked->rope.base, p->rope_width);
    build_formula(b, "pair p: numbers %s, p from 0",
                  is_interleaved ? "2p + 1 and 2p + 2" : "p + 1 and p + 1 + width/2");
    say_unturned(b);
    show_role(b, q, STAGE_Q_ROPE, b->focus.row,
              plan_query_position(p, b->focus.batch, b->focus.row), build_query_labels(b, "q"));
    show_role(b, k, STAGE_K_ROPE, at, plan_key_position(p, b->focus.batch, at),
              build_new_key_labels(b, "k"));
    build_other_heads(b);
}
