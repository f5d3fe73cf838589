/* Mistakes in mixtures of experts, as ports of such models make them: in what weights are made of,
 * in the choice, and in what stands next to the experts. */
#include "why/mistake.h"

#include "model/experts.h"
#include "why/stack_attempt.h"

/* ---- weights ---- */

/* with: whether weights are divided by the sum of those of the chosen. With softmax it is one thing
 * whether they are, or the softmax is of the chosen logits alone. */
static bool set_division(stack_attempt *a, layer_part *p, part_row *row)
{
    expert_mix *m = p->experts;
    (void)row;
    if (m == NULL)
        return false;
    bool was = m->renormalizes || m->by->kind == ROUTED_BY_LOGITS, differs = was != (a->with == 1);
    if (m->by->kind == ROUTED_BY_LOGITS)
        m->by = (const routing *)(const void *)named_row(&ROUTINGS, ROUTED_BY_SOFTMAX);
    m->renormalizes = a->with == 1;
    return differs;
}

/* with: a row of ROUTINGS */
static bool set_routing(stack_attempt *a, layer_part *p, part_row *row)
{
    expert_mix *m = p->experts;
    (void)row;
    if (m == NULL)
        return false;
    bool was_sigmoid = m->by->kind == ROUTED_BY_SIGMOID, is_sigmoid = a->with == ROUTED_BY_SIGMOID;
    m->renormalizes = m->renormalizes || m->by->kind == ROUTED_BY_LOGITS;
    m->by = (const routing *)(const void *)named_row(&ROUTINGS, (size_t)a->with);
    return was_sigmoid != is_sigmoid;
}

/* with: a mix_slip */
static bool slip_mixture(stack_attempt *a, layer_part *p, part_row *row)
{
    expert_mix *m = p->experts;
    (void)row;
    if (m == NULL)
        return false;
    m->slip = (mix_slip)a->with;
    return m->slip != MIX_BIASED_WEIGHTS || m->choice_bias.data != NULL;
}

/* ---- what is left out ---- */

enum { LEAVE_ROUTER_BIAS, LEAVE_CHOICE_BIAS, LEAVE_SHARED_GATE };

static bool leave_matrix(stack_attempt *a, layer_part *p, part_row *row)
{
    expert_mix *m = p->experts;
    (void)row;
    if (m == NULL)
        return false;
    tensor *const of[] = {&m->router_bias, &m->choice_bias, &m->shared_gate};
    bool had = of[a->with]->data != NULL;
    *of[a->with] = (tensor){0};
    return had;
}

static bool leave_scale(stack_attempt *a, layer_part *p, part_row *row)
{
    (void)a, (void)row;
    bool had = p->experts != NULL && p->experts->scale != 1;
    if (had)
        p->experts->scale = 1;
    return had;
}

static bool leave_shared(stack_attempt *a, layer_part *p, part_row *row)
{
    (void)a, (void)row;
    bool had = p->experts != NULL && p->experts->has_shared;
    if (had)
        p->experts->has_shared = false;
    return had;
}

static bool leave_groups(stack_attempt *a, layer_part *p, part_row *row)
{
    (void)a, (void)row;
    bool had = p->experts != NULL && p->experts->groups > 0;
    if (had)
        p->experts->groups = 0;
    return had;
}

/* with: how many of a group's scores it counts */
static bool count_group(stack_attempt *a, layer_part *p, part_row *row)
{
    expert_mix *m = p->experts;
    (void)row;
    size_t with = (size_t)a->with;
    bool may =
        m != NULL && m->groups > 0 && m->top_of_group != with && m->count / m->groups >= with;
    if (may)
        m->top_of_group = with;
    return may;
}

/* ---- how many ---- */

/* with: one more, or one less */
static bool choose_more(stack_attempt *a, layer_part *p, part_row *row)
{
    expert_mix *m = p->experts;
    (void)row;
    if (m == NULL)
        return false;
    size_t most = m->groups == 0 ? m->count : m->top_groups * (m->count / m->groups);
    size_t top = a->with > 0 ? m->top + 1 : m->top - 1;
    bool may = top > 0 && top <= most;
    m->top = may ? top : m->top; /* another layer may have the mistake */
    return may;
}

/* ---- the matrices of gate and hidden numbers in one ---- */

/* Number `at` of a row in the one matrix that a file has of w1 and w3. with: 1: it has columns by
 * turns, and they are read as halves; 0: the other way round. */
static double number_of(const stack_attempt *a, const feed_forward *f, const tensor *w1,
                        const tensor *w3, size_t row, size_t at)
{
    size_t from = a->with == 1 ? at / 2 : at % f->hidden;
    bool is_gate = a->with == 1 ? at % 2 == 0 : at < f->hidden;
    const tensor *of = is_gate ? w1 : w3;
    return w1->rank == 1 ? tensor_get(of, &from) : tensor_get(of, (size_t[]){row, from});
}

/* Those of w1 and of w3, or of their biases, as they are read otherwise. */
static void mix_columns(stack_attempt *a, feed_forward *f, tensor *w1, tensor *w3)
{
    tensor old[] = {*w1, *w3}, *const to[] = {w1, w3};
    size_t rows = w1->rank == 1 ? 1 : w1->size[0];
    for (size_t part = 0; part < 2; part++) {
        tensor *made = stack_attempt_matrix(a, a->stack->type, w1->rank, w1->size);
        if (made == NULL)
            return;
        for (size_t i = 0; i < rows; i++) {
            for (size_t k = 0; k < f->hidden; k++) {
                size_t at = a->with == 1 ? part * f->hidden + k : 2 * k + part;
                const size_t matrix[] = {i, k};
                tensor_set(made, w1->rank == 1 ? &k : matrix,
                           number_of(a, f, &old[0], &old[1], i, at));
            }
        }
        *to[part] = tensor_view_of(made);
    }
}

static bool read_in_one(stack_attempt *a, feed_forward *f)
{
    if (f->w3.data == NULL || f->hidden < 2)
        return false;
    mix_columns(a, f, &f->w1, &f->w3);
    if (f->b1.data != NULL && f->b3.data != NULL)
        mix_columns(a, f, &f->b1, &f->b3);
    return true;
}

/* clang-format off */
#define EXPERTS(change, taken) PARTS(PART_FEED_FORWARD, change, taken)

/* The more common first. */
static const mistake ROWS[] = {
    {{"routing-not-divided", "experts' weights are not divided by their sum"},
     EXPERTS(set_division, 0)},
    {{"routing-divided", "experts' weights are divided by their sum"}, EXPERTS(set_division, 1)},
    {{"routing-softmax", "experts' scores are a softmax, not sigmoids"},
     EXPERTS(set_routing, ROUTED_BY_SOFTMAX)},
    {{"routing-sigmoid", "experts' scores are sigmoids, not a softmax"},
     EXPERTS(set_routing, ROUTED_BY_SIGMOID)},
    {{"top-experts-more", "a row goes through one expert more"}, EXPERTS(choose_more, 1)},
    {{"top-experts-less", "a row goes through one expert less"}, EXPERTS(choose_more, -1)},
    {{"choice-bias-in-weights", "choice_bias stays in experts' weights"},
     EXPERTS(slip_mixture, MIX_BIASED_WEIGHTS)},
    {{"choice-bias-missing", "choice_bias is left out"}, EXPERTS(leave_matrix, LEAVE_CHOICE_BIAS)},
    {{"router-bias-missing", "router_bias is left out"}, EXPERTS(leave_matrix, LEAVE_ROUTER_BIAS)},
    {{"routing-scale-missing", "routing_scale is left out"}, EXPERTS(leave_scale, 0)},
    {{"shared-missing", "the shared expert is left out"}, EXPERTS(leave_shared, 0)},
    {{"shared-gate-missing", "shared_gate is left out"}, EXPERTS(leave_matrix, LEAVE_SHARED_GATE)},
    {{"groups-missing", "experts are chosen among all groups"}, EXPERTS(leave_groups, 0)},
    {{"groups-by-two", "a group counts as its two greatest scores, not its greatest"},
     EXPERTS(count_group, 2)},
    {{"groups-by-one", "a group counts as its greatest score, not its two greatest"},
     EXPERTS(count_group, 1)},
    {{"expert-weighs-rows", "an expert's weight multiplies its rows, not its output"},
     EXPERTS(slip_mixture, MIX_WEIGHS_ROWS)},
    {{"gate-by-turns", "w1 and w3 in one, by turns, are read as halves"},
     FEED_FORWARDS(read_in_one, 1)},
    {{"gate-as-halves", "w1 and w3 in one, as halves, are read by turns"},
     FEED_FORWARDS(read_in_one, 0)},
};
/* clang-format on */

const named_table STACK_EXPERT_MISTAKES = NAMED_TABLE("layer mistake", ROWS);
