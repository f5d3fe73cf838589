/* Where rows stand, and what sinusoidal and rotary positions ask of a problem alike. */
#include "attn/spec/angle.h"
#include "attn/plan/plan_parts.h"
#include "attn/plan/visible.h"

/* Then one offset is every entry's. */
static bool is_same_in_all(const tensor *lengths)
{
    size_t first = 0;
    for (size_t i = 1; i < tensor_count(lengths); i++) {
        if (tensor_get(lengths, &i) != tensor_get(lengths, &first))
            return false;
    }
    return true;
}

/* Lower-right would put the queries elsewhere in each batch entry, and keys, which are made of the
 * same rows, not. */
static bool check_alignment(const problem *asked, err *e)
{
    place at = problem_place(asked, "key_lengths");
    if (asked->causal != CAUSAL_LOWER_RIGHT || asked->key_lengths == NULL)
        return true;
    err_at(e, &at, "key_lengths with lower-right place queries by batch entry, positions by row");
    return is_same_in_all(asked->key_lengths) &&
           err_remedy(e, "upper-left with an offset places them for both");
}

bool plan_check_last(const plan *p, const char *what, const char *from, err *e)
{
    place at = problem_place(p->asked, p->asked->has_offset ? "offset" : from);
    double last = (double)visible_position(p, 0, p->n_q - 1);
    return last <= ANGLE_POSITION_MOST ||
           err_at(e, &at, "the last query's position is %.0f, %s knows positions to %.0f", last,
                  what, ANGLE_POSITION_MOST);
}

bool plan_find_positions(plan *p, err *e)
{
    place at = problem_place(p->asked, "positions");
    if (!p->asked->adds_positions)
        return true;
    if (p->q.rows.data == NULL)
        return err_at(e, &at, "positions are added to the x that queries are made of, and there %s",
                      p->asked->in[INPUT_X] == NULL ? "is none" : "is a q in its place");
    return check_alignment(p->asked, e) && plan_check_last(p, "a sinusoid", "positions", e);
}
