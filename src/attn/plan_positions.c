/* Where rows stand, and what sinusoidal and rotary positions ask of a problem alike. */
#include "attn/angle.h"
#include "attn/plan_parts.h"

double plan_position(const plan *p, size_t query)
{
    bool is_last = p->asked->causal == CAUSAL_LOWER_RIGHT;
    return (is_last ? (double)plan_own_keys(p) - (double)p->n_q : (double)p->offset) +
           (double)query;
}

/* Lower-right would put the queries elsewhere in each batch entry. */
bool plan_check_alignment(const problem *asked, const char *what, err *e)
{
    place at = problem_place(asked, "key_lengths");
    if (asked->causal != CAUSAL_LOWER_RIGHT || asked->key_lengths == NULL)
        return true;
    err_at(e, &at, "key_lengths with lower-right place queries by batch entry, %s by row", what);
    return err_remedy(e, "upper-left with an offset places them for both");
}

bool plan_check_last(const plan *p, const char *what, const char *from, err *e)
{
    place at = problem_place(p->asked, p->asked->has_offset ? "offset" : from);
    double last = plan_position(p, p->n_q - 1);
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
    return plan_check_alignment(p->asked, "positions", e) &&
           plan_check_last(p, "a sinusoid", "positions", e);
}
