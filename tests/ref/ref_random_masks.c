/* Random problems: who may attend to whom. */
#include "ref/ref_maker.h"

#include <math.h>

void maker_choose_causal(maker *m)
{
    static const char *const WORDS[] = {"true", "upper-left", "lower-right", "none", "false"};
    if (maker_wants(m))
        m->p->causal = dice_word(&m->dice, 5, WORDS);
    m->p->has_offset = !ref_word_is(m->p->causal, "lower-right") && maker_wants(m);
    m->p->offset = dice_below(&m->dice, m->n_k + 3);
}

void maker_choose_window(maker *m)
{
    m->p->has_window = maker_wants(m);
    for (int side = 0; m->p->has_window && side < 2; side++)
        m->p->window[side] =
            (long)dice_below(&m->dice, dice_chance(&m->dice, 0.5) ? 3 : m->n_k + 2) - 1;
}

void maker_choose_key_lengths(maker *m)
{
    size_t batches = m->b > 0 ? m->b : 1;
    if (!maker_wants(m))
        return;
    m->p->key_lengths = ref_alloc(batches, sizeof m->p->key_lengths[0]);
    for (size_t i = 0; i < batches; i++)
        m->p->key_lengths[i] = dice_chance(&m->dice, 0.8) ? 1 + dice_below(&m->dice, m->n_k)
                                                          : dice_below(&m->dice, m->n_k + 1);
}

void maker_choose_appended(maker *m)
{
    if (!m->p->has_rope && !m->p->normalizes && dice_chance(&m->dice, 0.5)) {
        maker_add_vector(m, REF_BIAS_K, m->g, m->d_k);
        maker_add_vector(m, REF_BIAS_V, m->g, m->d_v);
    }
    m->p->adds_zero = m->p->in[REF_BIAS_K].at == NULL || dice_chance(&m->dice, 0.5);
}

void maker_choose_alibi(maker *m)
{
    m->p->has_alibi = maker_wants(m);
    if (!m->p->has_alibi || dice_chance(&m->dice, 0.5))
        return;
    m->p->slopes = ref_alloc(m->h, sizeof m->p->slopes[0]);
    for (size_t i = 0; i < m->h; i++)
        m->p->slopes[i] = dice_chance(&m->dice, 0.2) ? -0.25 : dice_fraction(&m->dice);
}

/* The rank of the shape, whose axes fit m->p->mask_axis. */
static int choose_mask_shape(maker *m, size_t size[4])
{
    bool by_batch = ref_word_is(m->p->mask_axis, "batch"), is_said = m->p->mask_axis != NULL;
    size_t batches = m->b > 0 ? m->b : 1, whole[] = {batches, m->h, m->n_q, m->n_k};
    int rank = 1 + (int)dice_below(&m->dice, 4);
    if (rank == 3 && !is_said)
        rank = 4;
    for (int axis = 0; axis < rank; axis++)
        size[axis] = whole[4 - rank + axis];
    if (by_batch && (rank == 2 || rank == 3))
        size[0] = batches;
    for (int axis = 0; rank == 4 && axis < 3; axis++)
        size[axis] = dice_chance(&m->dice, 0.4) ? 1 : size[axis];
    return rank;
}

static void add_mask(maker *m)
{
    static const char *const WORDS[] = {"attend", "masked"};
    static const double SHARES[] = {0.1, 0.3, 0.5, 0.8, 0.95};
    size_t size[4];
    int rank = choose_mask_shape(m, size);
    ref_array *mask = maker_add_array(m, REF_MASK, rank, size);
    double share = SHARES[dice_below(&m->dice, 5)];
    for (size_t i = 0; i < ref_count_of(mask); i++)
        mask->at[i] = dice_chance(&m->dice, share) ? 1 : 0;
    if (maker_wants(m))
        m->p->mask_true = dice_word(&m->dice, 2, WORDS);
    /* A row (or all) of nothing but one value: a query that may attend to nothing, or to
     * everything. */
    double value = dice_chance(&m->dice, 0.5) ? 1 : 0;
    size_t n_k = size[rank - 1], row = dice_below(&m->dice, ref_count_of(mask) / n_k);
    for (size_t j = 0; j < n_k && dice_chance(&m->dice, 0.9); j++)
        mask->at[row * n_k + j] = value;
}

static void add_bias(maker *m)
{
    size_t size[4];
    int rank = choose_mask_shape(m, size);
    maker_add_numbers(m, REF_BIAS, rank, size, 2);
    ref_array *bias = &m->p->in[REF_BIAS];
    double share = dice_chance(&m->dice, 0.5) ? 0 : dice_chance(&m->dice, 0.9) ? 0.3 : 0.9;
    for (size_t i = 0; i < ref_count_of(bias); i++)
        bias->at[i] = dice_chance(&m->dice, share) ? -INFINITY : bias->at[i];
}

void maker_add_masks(maker *m)
{
    static const char *const AXES[] = {"batch", "head"};
    if (maker_wants(m))
        m->p->mask_axis = dice_word(&m->dice, 2, AXES);
    if (maker_wants(m))
        add_mask(m);
    if (maker_wants(m))
        add_bias(m);
}

/* As many numbers a head as there are keys, or more. */
void maker_add_key_bias(maker *m)
{
    const size_t size[] = {m->h, ref_sizes_of(m->p).own + dice_below(&m->dice, 3)};
    maker_add_numbers(m, REF_KEY_BIAS, 2, size, 2);
}

/* Of 4 to 9 buckets, a half of them for keys after the query where these are seen, at least one is
 * of one distance alone. */
void maker_add_relative_bias(maker *m)
{
    const size_t size[] = {4 + dice_below(&m->dice, 6), m->h};
    maker_add_numbers(m, REF_RELATIVE_BIAS, 2, size, 2);
    if (maker_wants(m))
        m->p->relative_distance = size[0] / 2 + 1 + dice_below(&m->dice, 6);
}
