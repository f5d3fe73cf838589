#include "attn/plan/visible.h"

size_t visible_length(const plan *p, size_t batch)
{
    return p->key_lengths.data == NULL ? plan_own_keys(p)
                                       : (size_t)tensor_get(&p->key_lengths, &batch);
}

int64_t visible_position(const plan *p, size_t batch, size_t query)
{
    if (p->asked->causal != CAUSAL_LOWER_RIGHT)
        return (int64_t)(query + p->offset);
    return (int64_t)query + (int64_t)visible_length(p, batch) - (int64_t)p->n_q;
}

static size_t within(int64_t at, size_t end)
{
    return at < 0 ? 0 : at < (int64_t)end ? (size_t)at : end;
}

key_range visible_keys(const plan *p, size_t batch, size_t query)
{
    const problem *asked = p->asked;
    int64_t position = visible_position(p, batch, query);
    key_range seen = {0, visible_length(p, batch)};
    if (plan_is_causal(p))
        seen.end = within(position + 1, seen.end);
    if (asked->has_window && asked->window_right != SIZE_MAX)
        seen.end = within(position + (int64_t)asked->window_right + 1, seen.end);
    if (asked->has_window && asked->window_left != SIZE_MAX)
        seen.first = within(position - (int64_t)asked->window_left, seen.end);
    return seen;
}

key_range visible_to_rows(const plan *p, size_t batch, size_t first, size_t rows)
{
    size_t begin = visible_keys(p, batch, first).first;
    size_t end = visible_keys(p, batch, first + rows - 1).end;
    return (key_range){begin / PACKED_PART * PACKED_PART, p->appended > 0 ? p->n_k : end};
}

size_t visible_span(const plan *p, size_t rows)
{
    const problem *asked = p->asked;
    size_t left = asked->window_left, right = plan_is_causal(p) ? 0 : asked->window_right;
    if (!asked->has_window || p->appended > 0 || left >= p->n_k || right >= p->n_k)
        return p->n_k;
    size_t span = left + right + rows + PACKED_PART - 1;
    return span < p->n_k ? span : p->n_k;
}
