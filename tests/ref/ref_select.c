#include "ref/ref_select.h"

#include <stdlib.h>
#include <string.h>

static ref_array array_copy(const ref_array *a)
{
    ref_array copy = *a;
    if (a->at == NULL)
        return copy;
    copy.at = ref_alloc(ref_count_of(a), sizeof a->at[0]);
    memcpy(copy.at, a->at, ref_count_of(a) * sizeof a->at[0]);
    return copy;
}

ref_problem ref_problem_copy(const ref_problem *p)
{
    ref_problem copy = *p;
    for (ref_input which = REF_X; which < REF_INPUTS; which++)
        copy.in[which] = array_copy(&p->in[which]);
    copy.rope_positions = array_copy(&p->rope_positions);
    copy.has_tokens = copy.has_key_tokens = false;
    copy.vocab = (ref_array){0};
    copy.token_word = NULL;
    if (p->slopes != NULL) {
        size_t bytes = ref_sizes_of(p).h * sizeof p->slopes[0];
        copy.slopes = ref_alloc(bytes, 1);
        memcpy(copy.slopes, p->slopes, bytes);
    }
    if (p->key_lengths != NULL) {
        size_t bytes = ref_sizes_of(p).b * sizeof p->key_lengths[0];
        copy.key_lengths = ref_alloc(bytes, 1);
        memcpy(copy.key_lengths, p->key_lengths, bytes);
    }
    return copy;
}

void ref_select_entries(ref_array *a, int axis, const size_t *index, size_t count)
{
    ref_array kept = *a;
    size_t outer = 1, inner = 1;
    kept.size[axis] = count;
    kept.at = ref_alloc(ref_count_of(&kept), sizeof a->at[0]);
    for (int i = 0; i < a->rank; i++) {
        outer *= i < axis ? a->size[i] : 1;
        inner *= i > axis ? a->size[i] : 1;
    }
    for (size_t i = 0; i < outer * count; i++)
        memcpy(kept.at + i * inner, a->at + (i / count * a->size[axis] + index[i % count]) * inner,
               inner * sizeof a->at[0]);
    free(a->at);
    *a = kept;
}

/* The axis of a mask or bias that counts batches, or queries; −1 where it has none, or one entry
 * for all. */
static int mask_axis_of(const ref_problem *p, const ref_array *a, bool of_batches)
{
    bool by_batch = ref_word_is(p->mask_axis, "batch");
    if (a->at == NULL || a->rank == 1)
        return -1;
    if (a->rank == 4) {
        int axis = of_batches ? 0 : 2;
        return a->size[axis] > 1 ? axis : -1;
    }
    if (of_batches)
        return by_batch ? 0 : -1;
    return a->rank == 3 ? 1 : by_batch ? -1 : 0;
}

static void select_in_masks(ref_problem *p, bool of_batches, const size_t *index, size_t count)
{
    for (ref_input which = REF_MASK; which <= REF_BIAS; which++) {
        int axis = mask_axis_of(p, &p->in[which], of_batches);
        if (axis >= 0)
            ref_select_entries(&p->in[which], axis, index, count);
    }
}

void ref_select_batch(ref_problem *p, size_t batch)
{
    static const ref_input BATCHED[] = {REF_X, REF_XK, REF_XV,     REF_Q,
                                        REF_K, REF_V,  REF_PAST_K, REF_PAST_V};
    for (size_t i = 0; i < sizeof BATCHED / sizeof BATCHED[0]; i++) {
        ref_array *a = &p->in[BATCHED[i]];
        if (a->at != NULL && a->rank >= 3)
            ref_select_entries(a, 0, &batch, 1);
    }
    select_in_masks(p, true, &batch, 1);
    if (p->rope_positions.rank == 2)
        ref_select_entries(&p->rope_positions, 0, &batch, 1);
    if (p->key_lengths != NULL)
        p->key_lengths[0] = p->key_lengths[batch];
}

/* The positions of these queries, then of keys from `from` on. */
static void select_positions(ref_problem *p, const size_t *index, size_t count, size_t from)
{
    ref_sizes s = ref_sizes_of(p);
    ref_array *said = &p->rope_positions;
    if (said->at == NULL)
        return;
    size_t first_key = said->size[said->rank - 1] == s.n_q ? 0 : s.n_q;
    size_t kept = count + s.n_new - from, *all = ref_alloc(kept, sizeof all[0]);
    for (size_t i = 0; i < count; i++)
        all[i] = index == NULL ? i : index[i];
    for (size_t i = from; i < s.n_new; i++)
        all[count + i - from] = first_key + i;
    ref_select_entries(said, said->rank - 1, all, kept);
    free(all);
}

/* What keys and values were made of x is made of xk, a copy, from now on. */
void ref_select_queries(ref_problem *p, const size_t *index, size_t count)
{
    ref_array *in = p->in;
    select_positions(p, index, count, 0);
    bool k_needs_x = in[REF_K].at == NULL && in[REF_XK].at == NULL;
    bool v_needs_x = in[REF_V].at == NULL && in[REF_XV].at == NULL && in[REF_XK].at == NULL;
    if (k_needs_x || v_needs_x)
        in[REF_XK] = array_copy(&in[REF_X]);
    ref_array *rows = &in[in[REF_Q].at != NULL ? REF_Q : REF_X];
    ref_select_entries(rows, rows->rank - 2, index, count);
    select_in_masks(p, false, index, count);
}

static void drop_rows(ref_array *a, size_t count)
{
    if (a->at == NULL)
        return;
    size_t left = a->size[a->rank - 2] - count, *index = ref_alloc(left, sizeof index[0]);
    for (size_t i = 0; i < left; i++)
        index[i] = count + i;
    ref_select_entries(a, a->rank - 2, index, left);
    free(index);
}

/* x stays whole for the queries; what keys and values are made of is a copy. */
void ref_select_new_keys(ref_problem *p, size_t from)
{
    ref_array *in = p->in;
    select_positions(p, NULL, ref_sizes_of(p).n_q, from);
    bool k_needs_rows = in[REF_K].at == NULL;
    bool v_needs_rows = in[REF_V].at == NULL && in[REF_XV].at == NULL;
    if ((k_needs_rows || v_needs_rows) && in[REF_XK].at == NULL)
        in[REF_XK] = array_copy(&in[REF_X]);
    if (k_needs_rows || v_needs_rows)
        drop_rows(&in[REF_XK], from);
    drop_rows(&in[REF_XV], in[REF_V].at == NULL ? from : 0);
    drop_rows(&in[REF_K], from);
    drop_rows(&in[REF_V], from);
}

/* The keys that lower-right takes for all of them; 0 where entries of the batch differ in that. */
static size_t keys_of_all(const ref_problem *p, const ref_sizes *sizes)
{
    for (size_t b = 1; p->key_lengths != NULL && b < sizes->b; b++) {
        if (p->key_lengths[b] != p->key_lengths[0])
            return 0;
    }
    return p->key_lengths != NULL ? p->key_lengths[0] : sizes->own;
}

/* Lower-right is upper-left with the offset n_k − n_q. */
bool ref_select_one_query(ref_problem *p, size_t query)
{
    ref_sizes sizes = ref_sizes_of(p);
    size_t keys = keys_of_all(p, &sizes);
    bool is_lower = ref_word_is(p->causal, "lower-right");
    if (is_lower && query + keys < sizes.n_q)
        return false;
    p->offset =
        is_lower ? query + keys - sizes.n_q : (p->has_offset ? p->offset : sizes.past) + query;
    p->causal = is_lower ? "upper-left" : p->causal;
    p->has_offset = true;
    ref_select_queries(p, &query, 1);
    return true;
}

bool ref_all_have_positions(const ref_problem *p)
{
    ref_sizes sizes = ref_sizes_of(p);
    return !ref_word_is(p->causal, "lower-right") || keys_of_all(p, &sizes) >= sizes.n_q;
}

bool ref_places_matter(const ref_problem *p)
{
    bool is_causal =
        p->causal != NULL && !ref_word_is(p->causal, "none") && !ref_word_is(p->causal, "false");
    return is_causal || p->has_window || p->has_alibi || p->in[REF_RELATIVE_BIAS].at != NULL;
}

bool ref_sums_are_keys(const ref_problem *p)
{
    const ref_array *in = p->in;
    bool keys_need_x = in[REF_K].at == NULL && in[REF_XK].at == NULL;
    bool values_need_x = in[REF_V].at == NULL && in[REF_XV].at == NULL && in[REF_XK].at == NULL;
    return p->has_positions && (keys_need_x || values_need_x);
}
