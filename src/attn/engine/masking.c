#include "attn/engine/masking.h"

#include <math.h>
#include <string.h>

/* The block's columns that are keys of the sequence. */
static size_t keys_of(const plan *p, const block *at)
{
    return at->columns - p->appended;
}

void masking_fill(const plan *p, void *row, size_t from, size_t to, double value)
{
    if (from < to)
        p->with->fill((char *)row + from * dtype_size(p->type), to - from, value);
}

/* One row of a mask or bias that is spread over b × h × n_q × n_k: the block's columns of it. */
static tensor spread_row(const plan *p, const tensor *all, const block *at, size_t query)
{
    tensor of_batch = tensor_at(all, at->batch), of_head = tensor_at(&of_batch, at->head);
    tensor row = tensor_at(&of_head, query);
    return tensor_range(&row, 0, at->skipped, keys_of(p, at));
}

/* Key j's; the nearest one where it stands before or after the block. */
static size_t column_of(const plan *p, const block *at, size_t j)
{
    size_t keys = keys_of(p, at), column = j < at->skipped ? 0 : j - at->skipped;
    return column < keys ? column : keys;
}

/* The block's columns whose keys the query may see, masks apart. */
static key_range visible_columns(const plan *p, const block *at, size_t query)
{
    key_range seen = visible_keys(p, at->batch, query);
    return (key_range){column_of(p, at, seen.first), column_of(p, at, seen.end)};
}

static bool hide(const plan *p, const block *at, size_t query, void *row)
{
    key_range seen = visible_columns(p, at, query);
    masking_fill(p, row, 0, seen.first, -INFINITY);
    masking_fill(p, row, seen.end, keys_of(p, at), -INFINITY);
    if (p->mask.data == NULL)
        return seen.first > 0 || seen.end < keys_of(p, at);
    tensor mask = spread_row(p, &p->mask, at, query);
    p->with->hide(row, keys_of(p, at), mask.data, mask.stride[0], !p->asked->mask_true_is_masked,
                  row);
    return true;
}

static double slope_of(const plan *p, const block *at)
{
    return tensor_get(&p->slopes, &at->head);
}

/* Where a query stands among the block's columns. */
static double position_of(const plan *p, const block *at, size_t query)
{
    return (double)(visible_position(p, at->batch, query) - (int64_t)at->skipped);
}

bool masking_apply(const plan *p, const block *at, size_t query, const void *from, void *to)
{
    size_t keys = keys_of(p, at);
    if (from != to)
        memcpy(to, from, at->columns * dtype_size(p->type));
    if (p->bias.data != NULL) {
        tensor bias = spread_row(p, &p->bias, at, query);
        p->with->add(to, keys, bias.data, bias.stride[0], to);
    }
    if (p->slopes.data != NULL)
        p->with->recede(to, keys, slope_of(p, at), position_of(p, at, query), to);
    return hide(p, at, query, to) || p->bias.data != NULL || p->slopes.data != NULL;
}

key_range masking_seen(const plan *p, const block *at, size_t query)
{
    if (p->appended > 0)
        return (key_range){0, at->columns};
    return visible_columns(p, at, query);
}

bool masking_allows_any(const plan *p, const block *at, size_t query)
{
    tensor mask = {0}, bias = {0};
    if (p->appended > 0)
        return true;
    if (p->mask.data != NULL)
        mask = spread_row(p, &p->mask, at, query);
    if (p->bias.data != NULL)
        bias = spread_row(p, &p->bias, at, query);
    key_range seen = visible_columns(p, at, query);
    for (size_t j = seen.first; j < seen.end; j++) {
        bool is_masked = mask.data != NULL &&
                         (((const unsigned char *)mask.data)[mask.stride[0] * (ptrdiff_t)j] != 0) ==
                             p->asked->mask_true_is_masked;
        bool is_biased = bias.data != NULL && isinf(tensor_get(&bias, &j));
        if (!is_masked && !is_biased)
            return true;
    }
    return false;
}

bool masking_find_far(const plan *p, const block *at, size_t query, far_key *far)
{
    if (p->slopes.data == NULL)
        return false;
    double slope = slope_of(p, at), position = position_of(p, at, query);
    key_range seen = visible_columns(p, at, query);
    for (size_t j = seen.first; j < seen.end; j++) {
        double distance = fabs(position - (double)j);
        *far = (far_key){at->skipped + j, slope, distance};
        bool is_in_range = p->type == DTYPE_F32 ? isfinite((float)slope * (float)distance)
                                                : isfinite(slope * distance);
        if (!is_in_range)
            return true;
    }
    return false;
}
