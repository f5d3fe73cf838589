/* Who may attend to whom: causality, windows and lengths, masks and
 * biases, each spread over b × h × n_q × n_k. */
#include "attn/plan/plan_parts.h"

#include <stdio.h>

bool plan_find_causality(plan *p, err *e)
{
    const problem *asked = p->asked;
    size_t own = plan_own_keys(p);
    if (asked->causal == CAUSAL_LOWER_RIGHT && asked->has_offset) {
        place at = problem_place(asked, "offset");
        return asked->places != NULL
                   ? err_at(e, &at, "offset is a list, and lower-right already places the queries")
                   : err_at(e, &at,
                            "offset is %zu, and lower-right already places the queries at the end "
                            "of the keys",
                            asked->offset);
    }
    if (p->n_q == own || asked->has_offset || asked->alignment_is_named || p->past > 0)
        return true;
    if (asked->causal != CAUSAL_NONE)
        return plan_note(p, e,
                         "n_q is %zu and n_k %zu: causal is upper-left (query i sees keys 1 to i); "
                         "--causal=lower-right would let the last query see the last key",
                         p->n_q, own);
    /* Where queries stand counts all the same. A window that is open on both sides takes nothing
     * away. */
    bool has_bounds =
        asked->has_window && (asked->window_left != SIZE_MAX || asked->window_right != SIZE_MAX);
    char offset[80] = "";
    if (!has_bounds && !asked->has_alibi)
        return true;
    if (p->n_q <= own && asked->key_lengths == NULL)
        snprintf(offset, sizeof offset, "; --offset %zu would put the last query at the last key",
                 own - p->n_q);
    return plan_note(p, e, "n_q is %zu and n_k %zu: %s counted from key i for query i%s", p->n_q,
                     own, has_bounds ? "the window is" : "distances are", offset);
}

/* The axes b, h, n_q, n_k that the input's axes are, by its rank; −1 ends the list. False where the
 * rank does not decide. */
static bool axes_of(const plan *p, input which, int axes[4], err *e)
{
    const tensor *given = p->asked->in[which];
    mask_axis said = p->asked->mask_axis;
    switch (given->rank) {
    case 1:
        axes[0] = 3;
        return true;
    case 2:
        axes[0] = said == MASK_AXIS_BATCH ? 0 : 2;
        axes[1] = 3;
        return true;
    case 3:
        if (said == MASK_AXIS_UNSAID && given->size[0] > 1) {
            plan_wrong_shape(p, which, e, "its first axis could be batches or heads");
            return err_remedy(e, "--mask-axis batch or --mask-axis head says which");
        }
        axes[0] = said == MASK_AXIS_BATCH ? 0 : 1;
        axes[1] = 2;
        axes[2] = 3;
        return true;
    case 4:
        for (int axis = 0; axis < 4; axis++)
            axes[axis] = axis;
        return true;
    default:
        return plan_wrong_shape(p, which, e,
                                "it must be n_k long, n_q x n_k, or b x h x n_q x n_k");
    }
}

static bool refuse_axis(const plan *p, input which, int axis, int to, size_t whole, err *e)
{
    static const char *const AXIS_NAMES[] = {"batches", "heads", "queries", "keys"};
    const tensor *given = p->asked->in[which];
    plan_wrong_shape(p, which, e, "its %s are %zu and not %zu", AXIS_NAMES[to], given->size[axis],
                     whole);
    /* What other programs have their masks like. */
    if (given->rank == 2 && given->size[0] == p->batches && p->asked->mask_axis == MASK_AXIS_UNSAID)
        err_remedy(e, "--mask-axis batch reads it as b x n_k, a row for each batch entry");
    else if (given->rank == 3 && given->size[0] == p->batches * p->heads)
        err_remedy(e, "one for each head of each batch entry has rank 4: b x h x n_q x n_k");
    return false;
}

static bool spread(const plan *p, input which, tensor *out, err *e)
{
    const tensor *given = p->asked->in[which];
    const size_t whole[] = {p->batches, p->heads, p->n_q, plan_own_keys(p)};
    int axes[4] = {0};
    *out = (tensor){0};
    if (given == NULL)
        return true;
    if (!axes_of(p, which, axes, e))
        return false;
    *out = (tensor){.type = given->type, .rank = 4, .data = given->data};
    for (int axis = 0; axis < 4; axis++)
        out->size[axis] = whole[axis];
    for (int axis = 0; axis < given->rank; axis++) {
        int to = axes[axis];
        /* An axis of 1 is spread, but never the keys'. */
        bool is_one = given->size[axis] == 1;
        if (given->size[axis] != whole[to] && !(is_one && given->rank > 1 && to != 3))
            return refuse_axis(p, which, axis, to, whole[to], e);
        out->stride[to] = is_one ? 0 : given->stride[axis];
    }
    return true;
}

bool plan_find_key_lengths(plan *p, err *e)
{
    const tensor *given = p->asked->key_lengths;
    place at = problem_place(p->asked, "key_lengths");
    size_t own = plan_own_keys(p);
    if (given == NULL)
        return true;
    if (given->rank == 1 && given->size[0] != p->batches)
        return err_at(e, &at, "key_lengths has %zu counts, and the batch %zu entr%s",
                      given->size[0], p->batches, p->batches == 1 ? "y" : "ies");
    p->key_lengths = tensor_view_of(given);
    p->key_lengths.rank = 1;
    p->key_lengths.size[0] = p->batches;
    p->key_lengths.stride[0] = given->rank;
    for (size_t batch = 0; batch < p->batches; batch++) {
        double length = tensor_get(&p->key_lengths, &batch);
        if (length > (double)own)
            return err_at(e, &at, "key_lengths[batch %zu] is %.0f, and there are %zu keys",
                          batch + 1, length, own);
    }
    /* New keys stand after the cache, and lengths count from its first. */
    for (size_t batch = 0; batch < p->batches && p->past > 0; batch++) {
        double length = tensor_get(&p->key_lengths, &batch);
        if (length < (double)own)
            return plan_note(
                p, e,
                "key_lengths[batch %zu] is %.0f of %zu keys, of which the first %zu are "
                "the cache's: new ones are left out",
                batch + 1, length, own, p->past);
    }
    return true;
}

/* As many batch entries as queries: rows of padding, one an entry, would fit as well. */
static bool note_reading(plan *p, input which, err *e)
{
    const tensor *given = p->asked->in[which];
    bool fits_both = given != NULL && given->rank == 2 && p->batches > 1 && p->batches == p->n_q;
    if (!fits_both || p->asked->mask_axis != MASK_AXIS_UNSAID)
        return true;
    return plan_note(p, e,
                     "%s is read as n_q x n_k, the same for each of the %zu batch entries; "
                     "--mask-axis batch reads it as b x n_k, a row an entry",
                     input_label(which), p->batches);
}

bool plan_find_masks(plan *p, err *e)
{
    if (p->asked->in[INPUT_SINKS] != NULL && p->asked->round_keeps_sum) {
        place at = problem_place(p->asked, "round");
        err_at(e, &at,
               "round is to keep the sum of each row at 1, and with sinks it is less than 1");
        return err_remedy(e, "--round %d rounds each weight alone", p->asked->round_decimals);
    }
    return plan_vector(p, INPUT_SINKS, p->heads, &p->sinks, e) &&
           spread(p, INPUT_MASK, &p->mask, e) && spread(p, INPUT_BIAS, &p->bias, e) &&
           note_reading(p, INPUT_MASK, e) && note_reading(p, INPUT_BIAS, e);
}

/* ---- which keys a query may see, masks apart ---- */

size_t visible_length(const plan *p, size_t batch)
{
    return p->key_lengths.data == NULL ? plan_own_keys(p)
                                       : (size_t)tensor_get(&p->key_lengths, &batch);
}

int64_t visible_position(const plan *p, size_t batch, size_t query)
{
    if (p->asked->places != NULL) {
        tensor places = plan_of_batch(p->asked->places, batch);
        return (int64_t)tensor_get(&places, &query);
    }
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
