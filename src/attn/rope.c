#include "attn/rope.h"

#include "attn/angle.h"
#include "attn/row.h"
#include "base/mem.h"

/* The frequency of each pair, and its turn at the position that is worked on. */
typedef struct pair_turn {
    double frequency;
    turn by;
} pair_turn;

rope_pair rope_pair_of(const plan *p, size_t pair)
{
    if (p->asked->rope.is_interleaved)
        return (rope_pair){2 * pair, 2 * pair + 1};
    return (rope_pair){pair, pair + p->rope_width / 2};
}

static void turn_row(const plan *p, const pair_turn *turns, const tensor *x, tensor *y)
{
    for (size_t pair = 0; pair < p->rope_width / 2; pair++) {
        rope_pair at = rope_pair_of(p, pair);
        turn by = turns[pair].by;
        double first = row_get(x, at.first), second = row_get(x, at.second);
        row_set(y, at.first, first * by.cosine - second * by.sine);
        row_set(y, at.second, second * by.cosine + first * by.sine);
    }
    for (size_t i = p->rope_width; i < x->size[0]; i++)
        row_set(y, i, row_get(x, i));
}

static tensor row_of(const tensor *t, size_t unit, size_t row)
{
    size_t heads = t->size[1];
    tensor of_batch = tensor_at(t, unit / heads), of_head = tensor_at(&of_batch, unit % heads);
    return tensor_at(&of_head, row);
}

/* A position's turns serve all batch entries and heads. */
static bool turn_all(projected *made, const plan *p, stage_id id, tensor *kept, pair_turn *turns,
                     tensor *rows, err *e)
{
    tensor out;
    if (!projected_place(made, p, &kept[id], rows, rows->size[2], &out, e))
        return false;
    for (size_t i = 0; i < rows->size[2]; i++) {
        double position = id == STAGE_Q_ROPE ? plan_query_position(p, i) : plan_key_position(p, i);
        for (size_t pair = 0; pair < p->rope_width / 2; pair++)
            turns[pair].by = angle_turn(position, turns[pair].frequency);
        for (size_t unit = 0; unit < rows->size[0] * rows->size[1]; unit++) {
            tensor x = row_of(rows, unit, i), y = row_of(&out, unit, i);
            turn_row(p, turns, &x, &y);
        }
    }
    *rows = out;
    return projected_check_range(p, stage_row(id)->key.named.name, rows, e);
}

bool rope_turn_both(projected *made, const plan *p, tensor *kept, err *e)
{
    size_t pairs = p->rope_width / 2;
    if (pairs == 0)
        return true;
    pair_turn *turns = mem_alloc(pairs, sizeof turns[0], e);
    for (size_t pair = 0; turns != NULL && pair < pairs; pair++)
        turns[pair].frequency = angle_frequency(p->asked->rope.base, pair, p->rope_width);
    bool done = turns != NULL && turn_all(made, p, STAGE_Q_ROPE, kept, turns, &made->q, e) &&
                turn_all(made, p, STAGE_K_ROPE, kept, turns, &made->k, e);
    mem_free(turns);
    return done;
}

size_t rope_memory(const plan *p)
{
    return p->rope_width / 2 * sizeof(pair_turn);
}
