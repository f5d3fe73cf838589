/* Batches and heads: how many there are, and who says so. */
#include "attn/plan/plan_parts.h"

/* The rank from which an input's first axis counts batches. */
static const struct {
    input which;
    int rank;
} BATCHED[] = {{INPUT_X, 3}, {INPUT_XK, 3}, {INPUT_XV, 3},     {INPUT_Q, 3},
               {INPUT_K, 3}, {INPUT_V, 3},  {INPUT_PAST_K, 3}, {INPUT_PAST_V, 3}};

bool plan_find_batches(plan *p, err *e)
{
    input first = INPUT_COUNT;
    for (size_t i = 0; i < sizeof BATCHED / sizeof BATCHED[0]; i++) {
        input which = BATCHED[i].which;
        const tensor *given = p->asked->in[which];
        bool is_rows = which <= INPUT_XV;
        if (given == NULL || given->rank < BATCHED[i].rank ||
            (is_rows && !plan_uses_rows(p->asked, which)))
            continue;
        if (p->has_batch && given->size[0] != p->batches)
            return plan_wrong_shape(p, which, e, "its batches are %zu, those of %s %zu",
                                    given->size[0], input_label(first), p->batches);
        first = p->has_batch ? first : which;
        p->has_batch = true;
        p->batches = given->size[0];
    }
    return true;
}

/* One source of a number of heads. */
typedef struct heads_source {
    const char *who;
    place at;
    size_t heads; /* 0: it says nothing */
} heads_source;

static heads_source heads_of_setting(const problem *asked, const char *setting, size_t heads)
{
    return (heads_source){setting, problem_place(asked, setting), heads};
}

/* A 3-D weight h × m × d, or rows b × h × n × d. */
static heads_source heads_of_input(const problem *asked, input which, int rank, int axis)
{
    const tensor *given = asked->in[which];
    size_t heads = given != NULL && given->rank == rank ? given->size[axis] : 0;
    return (heads_source){input_label(which), asked->at[which], heads};
}

/* The first of the sources, which all name the same number; one of 0 where none names any. */
static bool agree(const heads_source *source, size_t sources, heads_source *agreed, err *e)
{
    const heads_source *first = NULL;
    for (size_t i = 0; i < sources; i++) {
        const heads_source *one = &source[i];
        if (one->heads == 0)
            continue;
        if (first != NULL && one->heads != first->heads)
            return err_at(e, &one->at, "%s says %zu head%s, %s says %zu", one->who, one->heads,
                          one->heads == 1 ? "" : "s", first->who, first->heads);
        first = first == NULL ? one : first;
    }
    *agreed = first == NULL ? (heads_source){0} : *first;
    return true;
}

static bool agree_on_queries(const problem *asked, heads_source *agreed, err *e)
{
    const heads_source all[] = {
        heads_of_setting(asked, "heads", asked->heads),
        heads_of_input(asked, INPUT_WQ, 3, 0),
        heads_of_input(asked, INPUT_Q, 4, 1),
        heads_of_input(asked, INPUT_WO, 3, 0),
    };
    return agree(all, sizeof all / sizeof all[0], agreed, e);
}

static bool agree_on_keys(const problem *asked, heads_source *agreed, err *e)
{
    const heads_source all[] = {
        heads_of_setting(asked, "kv_heads", asked->kv_heads),
        heads_of_input(asked, INPUT_WK, 3, 0),
        heads_of_input(asked, INPUT_WV, 3, 0),
        heads_of_input(asked, INPUT_K, 4, 1),
        heads_of_input(asked, INPUT_V, 4, 1),
        heads_of_input(asked, INPUT_PAST_K, 4, 1),
        heads_of_input(asked, INPUT_PAST_V, 4, 1),
    };
    return agree(all, sizeof all / sizeof all[0], agreed, e);
}

bool plan_find_heads(plan *p, err *e)
{
    heads_source queries = {0}, keys = {0};
    if (!agree_on_queries(p->asked, &queries, e) || !agree_on_keys(p->asked, &keys, e))
        return false;
    p->heads = queries.heads;
    p->kv_heads = keys.heads;
    p->has_heads = p->heads > 0 || p->kv_heads > 0;
    if (p->heads == 0)
        p->heads = p->kv_heads > 0 ? p->kv_heads : 1;
    if (p->kv_heads == 0)
        p->kv_heads = p->heads;
    if (p->heads % p->kv_heads == 0)
        return true;
    return err_at(e, &keys.at, "%s says %zu heads, not a multiple of the %zu that %s says",
                  queries.who, queries.heads, keys.heads, keys.who);
}
