/* The slopes of ALiBi (Press, Smith and Lewis, Train Short, Test Long, 2022, section 3, and its
 * published code for numbers of heads that are no power of two). */
#include "attn/plan/plan_parts.h"

#include <math.h>
#include <stdio.h>

/* 2^(−8·index / count), count a power of two: a root of 1/2, to a power below count/8, and a power
 * of two. Products and roots only, so that it is the same everywhere. */
static double slope_of(size_t index, size_t count)
{
    size_t a_half = count < 8 ? 1 : count / 8; /* so many steps halve a slope */
    size_t halvings = count < 8 ? 8 / count * index : index / a_half;
    double root = 0.5, slope = 1;
    for (size_t i = 1; i < a_half; i *= 2)
        root = sqrt(root);
    for (size_t i = 0; i < index % a_half; i++)
        slope *= root;
    for (size_t i = 0; i < halvings; i++)
        slope /= 2;
    return slope;
}

/* Of a power of two, all; else those of the power below, and after them every second one of the
 * power above. */
slope_rule plan_slope_rule(size_t head, size_t heads)
{
    size_t below = 1;
    while (below * 2 <= heads)
        below *= 2;
    return head < below ? (slope_rule){head + 1, below}
                        : (slope_rule){2 * (head - below) + 1, 2 * below};
}

static double published_slope(size_t head, size_t heads)
{
    slope_rule of = plan_slope_rule(head, heads);
    return slope_of(of.index, of.count);
}

static bool check_given(const plan *p, err *e)
{
    const tensor *given = p->asked->slopes;
    place at = problem_place(p->asked, "alibi");
    size_t count = tensor_count(given);
    if (count != p->heads)
        return err_at(e, &at, "alibi has %zu slope%s, and there %s %zu head%s", count,
                      count == 1 ? "" : "s", p->heads == 1 ? "is" : "are", p->heads,
                      p->heads == 1 ? "" : "s");
    for (size_t head = 0; head < count; head++) {
        char name[40];
        snprintf(name, sizeof name, "alibi[head %zu]", head + 1);
        if (!plan_check_range(p, "alibi", name, tensor_get(given, &head), e))
            return false;
    }
    return true;
}

bool plan_find_slopes(plan *p, err *e)
{
    const tensor *given = p->asked->slopes;
    if (!p->asked->has_alibi)
        return true;
    if ((given != NULL && !check_given(p, e)) ||
        !tensor_new(&p->slopes, DTYPE_F64, 1, &p->heads, e))
        return false;
    float_mode mode;
    float_mode_set(&mode);
    for (size_t head = 0; head < p->heads; head++)
        tensor_set(&p->slopes, &head,
                   given != NULL ? tensor_get(given, &head) : published_slope(head, p->heads));
    float_mode_restore(&mode);
    return true;
}
