/* Mistakes in the softmax, and in the use of its weights. */
#include "why/mistake.h"

#include "why/attempt.h"

#include <math.h>

enum { SUM_KEYS = 1, SUM_QUERIES = 2, SUM_HEADS = 4, SUM_BATCH = 8, SOFTMAX_BASE_2 = 16 };
enum { PLAIN_SCORE, PLAIN_EXP, PLAIN_EXP_LESS };

/* The place in a tensor that has 1 of each axis that is summed over. */
static void group_of(const tensor *groups, const size_t *at, size_t *group)
{
    for (int axis = 0; axis < groups->rank; axis++)
        group[axis] = groups->size[axis] == 1 ? 0 : at[axis];
}

static tensor *new_groups(attempt *a, const tensor *of, int with, double first)
{
    static const int SUMMED[] = {SUM_BATCH, SUM_HEADS, SUM_QUERIES, SUM_KEYS};
    size_t size[4], at[4] = {0};
    for (int axis = 0; axis < 4; axis++)
        size[axis] = with & SUMMED[axis] ? 1 : of->size[axis];
    tensor *groups = attempt_matrix(a, DTYPE_F64, 4, size);
    if (groups == NULL)
        return NULL;
    do
        tensor_set(groups, at, first);
    while (tensor_next(groups, at));
    return groups;
}

static double power(double x, int with)
{
    return with & SOFTMAX_BASE_2 ? exp2(x) : exp(x);
}

/* weights = exp(from − max) / Σ exp(from − max), max and Σ over the axes in `with`; 0 where all of
 * a group is −inf. From the masked scores, or what `from` says. Nobody sums over axes that the
 * document has not. */
static bool softmax(attempt *a)
{
    const plan *right = &a->right->plan;
    int with = a->row->with;
    if ((with & SUM_HEADS && !right->has_heads) || (with & SUM_BATCH && !right->has_batch))
        return false;
    tensor from = attempt_stage(a, a->row->from == STAGE_WEIGHTS ? STAGE_WEIGHTS : STAGE_MASKED),
           weights = attempt_stage(a, STAGE_WEIGHTS);
    tensor *most = new_groups(a, &from, with, -INFINITY);
    tensor *sum = most == NULL ? NULL : new_groups(a, &from, with, 0);
    size_t at[4] = {0}, group[4];
    if (sum == NULL)
        return false;
    do {
        group_of(most, at, group);
        tensor_set(most, group, fmax(tensor_get(most, group), tensor_get(&from, at)));
    } while (tensor_next(&from, at));
    do {
        group_of(most, at, group);
        double less = tensor_get(&from, at) - tensor_get(most, group);
        double value = isnan(less) ? 0 : power(less, with);
        tensor_set(sum, group, tensor_get(sum, group) + value);
    } while (tensor_next(&from, at));
    do {
        group_of(most, at, group);
        double less = tensor_get(&from, at) - tensor_get(most, group);
        tensor_set(&weights, at, isnan(less) ? 0 : power(less, with) / tensor_get(sum, group));
    } while (tensor_next(&from, at));
    return true;
}

/* Numbers that nobody divided by their sum: scores, their exponentials, or those of what they are
 * more than their maximum. */
static bool no_softmax(attempt *a)
{
    int with = a->row->with;
    tensor from = attempt_stage(a, with == PLAIN_EXP_LESS ? STAGE_EXP : STAGE_MASKED),
           weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0};
    do {
        double value = tensor_get(&from, at);
        const double as[] = {
            [PLAIN_SCORE] = isinf(value) ? 0 : value,
            [PLAIN_EXP] = exp(value),
            [PLAIN_EXP_LESS] = value,
        };
        tensor_set(&weights, at, as[with]);
    } while (tensor_next(&from, at));
    return true;
}

/* The numbers of one query. */
static tensor row_of(const tensor *heads, const size_t *at)
{
    tensor of_batch = tensor_at(heads, at[0]), of_head = tensor_at(&of_batch, at[1]);
    return tensor_at(&of_head, at[2]);
}

/* score / Σ scores, over the keys that are seen. */
static bool linear(attempt *a)
{
    tensor weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0}, keys = weights.size[3];
    no_softmax(a);
    do {
        tensor row = row_of(&weights, at);
        double sum = 0;
        for (size_t j = 0; j < keys; j++)
            sum += tensor_get(&row, &j);
        for (size_t j = 0; j < keys; j++)
            tensor_set(&row, &j, tensor_get(&row, &j) / sum);
        at[3] = keys - 1;
    } while (tensor_next(&weights, at));
    return true;
}

/* As of scores that are all 0. A sink's score is no key's. */
static bool even(attempt *a)
{
    tensor masked = attempt_stage(a, STAGE_MASKED), weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0}, keys = masked.size[3];
    double seen = 0;
    if (a->problem.in[INPUT_SINKS] != NULL)
        return false;
    do {
        if (at[3] == 0)
            seen = 0;
        for (size_t j = 0; j < keys && at[3] == 0; j++)
            seen += !isinf(tensor_get(&masked, (size_t[]){at[0], at[1], at[2], j}));
        tensor_set(&weights, at, isinf(tensor_get(&masked, at)) ? 0 : 1 / seen);
    } while (tensor_next(&masked, at));
    return true;
}

/* wᵀ in the place of w; a second time, w again. */
static bool turn_weights(attempt *a)
{
    tensor weights = attempt_stage(a, STAGE_WEIGHTS);
    if (weights.size[2] != weights.size[3])
        return false;
    tensor *kept = attempt_copy(a, &weights);
    if (kept == NULL)
        return false;
    tensor turned = tensor_transposed(kept);
    tensor_copy(&turned, &weights);
    return true;
}

static bool empty_rows(attempt *a)
{
    tensor masked = attempt_stage(a, STAGE_MASKED), weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0}, keys = masked.size[3];
    bool is_any = false;
    do {
        size_t seen[] = {at[0], at[1], at[2], 0};
        while (seen[3] < keys && isinf(tensor_get(&masked, seen)))
            seen[3]++;
        if (seen[3] < keys)
            continue;
        tensor_set(&weights, at, a->row->with ? 1 / (double)keys : (double)NAN);
        is_any = true;
    } while (tensor_next(&weights, at));
    return is_any;
}

/* A sink of log(n) adds n to the sum, as n keys with scores of 0 do whose values are 0. */
bool attempt_add_to_sum(attempt *a, size_t n)
{
    if (a->problem.in[INPUT_SINKS] != NULL)
        return false;
    tensor *sinks = attempt_matrix(a, a->problem.type, 1, &a->right->plan.heads);
    if (sinks == NULL)
        return false;
    for (size_t head = 0; head < sinks->size[0]; head++)
        tensor_set(sinks, &head, log((double)n));
    a->problem.in[INPUT_SINKS] = sinks;
    return true;
}

static bool softmax_plus_one(attempt *a)
{
    return attempt_add_to_sum(a, 1);
}

/* ---- a softmax that takes keys block by block, and rescales what it has summed so far where a
 * block has a greater maximum ---- */

enum { ONLINE_SUM = 1, ONLINE_OUTPUT = 2, ONLINE_BLOCK = 4 };

/* exp(logit − maximum); 0 for a key that is hidden, whatever the others are. */
static double term_of(double logit, double maximum)
{
    return isinf(logit) ? 0 : exp(logit - maximum);
}

/* A sink's logit is in no block. */
static bool online(attempt *a)
{
    tensor masked = attempt_stage(a, STAGE_MASKED), weights = attempt_stage(a, STAGE_WEIGHTS);
    int with = a->row->with;
    size_t at[4] = {0}, keys = masked.size[3], block = (size_t)(with / ONLINE_BLOCK);
    if (block >= keys || a->problem.in[INPUT_SINKS] != NULL)
        return false;
    do {
        tensor logits = row_of(&masked, at), terms = row_of(&weights, at);
        double maximum = -INFINITY, sum = 0;
        /* Each key's term as it is when its block is summed. */
        for (size_t first = 0; first < keys; first += block) {
            size_t end = first + block < keys ? first + block : keys;
            for (size_t j = first; j < end; j++)
                maximum = fmax(maximum, tensor_get(&logits, &j));
            for (size_t j = first; j < end; j++)
                tensor_set(&terms, &j, term_of(tensor_get(&logits, &j), maximum));
        }
        for (size_t j = 0; j < keys; j++) {
            double rescaled = term_of(tensor_get(&logits, &j), maximum);
            sum += with & ONLINE_SUM ? tensor_get(&terms, &j) : rescaled;
            if (!(with & ONLINE_OUTPUT))
                tensor_set(&terms, &j, rescaled);
        }
        for (size_t j = 0; j < keys && sum > 0; j++)
            tensor_set(&terms, &j, tensor_get(&terms, &j) / sum);
        at[3] = keys - 1;
    } while (tensor_next(&masked, at));
    return true;
}

/* clang-format off */
#define ONLINE(n, keys, kind, rescaled, what) \
    {{"online-" kind "-" #n, keys ": a new maximum rescales " rescaled}, \
     .at[POINT_WEIGHTS] = online, .with = n * ONLINE_BLOCK | (what)}
#define ONLINE_ROWS(kind, rescaled, what) \
    ONLINE(1, "key by key", kind, rescaled, what), \
    ONLINE(16, "blocks of 16 keys", kind, rescaled, what), \
    ONLINE(32, "blocks of 32 keys", kind, rescaled, what), \
    ONLINE(64, "blocks of 64 keys", kind, rescaled, what)

static const mistake SOFTMAX_ROWS[] = {
    {{"softmax-queries", "the softmax is over the queries"}, AT(WEIGHTS, softmax, SUM_QUERIES)},
    {{"softmax-heads", "the softmax is over the heads"}, AT(WEIGHTS, softmax, SUM_HEADS)},
    {{"softmax-batch", "the softmax is over the batch"}, AT(WEIGHTS, softmax, SUM_BATCH)},
    {{"softmax-matrix", "the softmax is over the whole matrix"},
     AT(WEIGHTS, softmax, SUM_QUERIES | SUM_KEYS)},
    {{"softmax-missing", "scores are used without a softmax"},
     AT(WEIGHTS, no_softmax, PLAIN_SCORE)},
    {{"softmax-linear", "scores are divided by their sum, without exponentials"},
     AT(WEIGHTS, linear, PLAIN_SCORE)},
    {{"softmax-twice", "the softmax is taken twice"},
     AT(WEIGHTS, softmax, SUM_KEYS), .from = STAGE_WEIGHTS},
    {{"softmax-even", "all keys that a query sees get the same weight"}, AT(WEIGHTS, even, 0)},
    {{"softmax-undivided", "exp(score - maximum) is not divided by its sum"},
     AT(WEIGHTS, no_softmax, PLAIN_EXP_LESS)},
    {{"softmax-exp", "exp(score) is not divided by its sum"}, AT(WEIGHTS, no_softmax, PLAIN_EXP)},
    {{"softmax-base-2", "the softmax has powers of 2, not of e"},
     AT(WEIGHTS, softmax, SUM_KEYS | SOFTMAX_BASE_2)},
    {{"softmax-plus-one", "1 is added to the sum of the exponentials"},
     AT(ASKED, softmax_plus_one, 0)},
    ONLINE_ROWS("unscaled", "nothing before it", ONLINE_SUM | ONLINE_OUTPUT),
    ONLINE_ROWS("output", "the sum alone", ONLINE_OUTPUT),
    ONLINE_ROWS("sum", "the output alone", ONLINE_SUM),
    {{"attention-transposed", "weights are transposed before they meet the values"},
     .at[POINT_WEIGHTS] = turn_weights, .at[POINT_CONTEXT] = turn_weights},
    {{"empty-rows-nan", "queries that see nothing get NaN"}, AT(WEIGHTS, empty_rows, 0)},
    {{"empty-rows-even", "queries that see nothing see all keys evenly"},
     AT(WEIGHTS, empty_rows, 1)},
};
/* clang-format on */

const named_table SOFTMAX_MISTAKES = NAMED_TABLE("mistake", SOFTMAX_ROWS);
