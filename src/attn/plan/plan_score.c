/* What a query is compared with and how: the score function's parameters and the scale; who may
 * attend to whom, by causality, windows and lengths, masks and biases, each spread over b × h × n_q
 * × n_k; and the slopes of ALiBi. */
#include "attn/plan/plan_parts.h"

#include "attn/spec/angle.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What was given for a parameter, by its key; NULL: nothing was, or the score has no such one. */
static const tensor *parameter(const plan *p, const char *name)
{
    return name == NULL ? NULL : p->asked->in[input_of_key(name)];
}

/* Checks Ws, Wa or Ua against the heads and the width of what it multiplies, and gives the width of
 * the result. */
static bool find_transform(const plan *p, const char *name, const projection *of, tensor *out,
                           size_t *width, err *e)
{
    const tensor *given = parameter(p, name);
    *width = of->width;
    if (given == NULL)
        return true;
    input which = input_of_key(name);
    if (given->rank == 3 && given->size[0] != p->heads)
        return plan_wrong_shape(p, which, e, "there %s %zu head%s", p->heads == 1 ? "is" : "are",
                                p->heads, p->heads == 1 ? "" : "s");
    if (!plan_weight(p, which, input_label(of->given_as), of->width, out, e))
        return false;
    if (given->rank == 2)
        *out = plan_shared(out, p->heads);
    *width = out->size[2];
    return true;
}

/* va, ba or bs, for all heads or for each. Without va all components count alike, and without ba
 * nothing is added to them. */
static bool find_vector(const plan *p, const char *name, size_t count, double absent, tensor *out,
                        err *e)
{
    const size_t one_row[] = {1, count};
    if (name == NULL)
        return true;
    if (!plan_vector(p, input_of_key(name), 3, p->heads, count, out, e))
        return false;
    if (out->data != NULL || p->asked->score->vector == NULL)
        return true;
    if (!tensor_new(out, p->type, 2, one_row, e))
        return false;
    for (size_t i = 0; i < count; i++)
        tensor_set(out, (size_t[]){0, i}, absent);
    out->size[0] = p->heads;
    out->stride[0] = 0;
    return true;
}

static bool takes(const score *by, input which)
{
    const char *const keys[] = {by->for_query, by->for_key, by->vector, by->shift};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i] != NULL && input_of_key(keys[i]) == which)
            return true;
    }
    return false;
}

/* Score functions may have parameters in common; what this one does not take is another's. */
static bool check_belongs(const plan *p, const score *to, err *e)
{
    for (input which = INPUT_WS; which <= INPUT_BA; which++) {
        for (size_t i = 0; p->asked->in[which] != NULL && i < SCORES.count; i++) {
            const score *other = (const score *)(const void *)named_row(&SCORES, i);
            if (takes(other, which) && !takes(to, which))
                return err_at(e, &p->asked->at[which],
                              "%s belongs to the score function %s, and this one is %s",
                              input_label(which), other->named.name, to->named.name);
        }
    }
    return true;
}

/* "a query", or "q·Ws (Ws is 2 x 3)" where a parameter makes it as wide as it is. */
enum { SIDE = SHAPE_TEXT + 64 };
static const char *name_side(const plan *p, const char *key_name, const char *plain,
                             const projection *of, char side[SIDE])
{
    char shape[SHAPE_TEXT];
    const tensor *given = parameter(p, key_name);
    if (given == NULL)
        return plain;
    const char *name = input_label(input_of_key(key_name));
    snprintf(side, SIDE, "%s·%s (%s is %s)", input_label(of->given_as), name, name,
             tensor_shape_text(given, shape));
    return side;
}

static bool refuse_widths(const plan *p, size_t of_query, size_t of_key, err *e)
{
    /* What made queries and keys as wide as they are, the keys' side first. */
    static const input MAKERS[] = {INPUT_UA, INPUT_WA, INPUT_WS, INPUT_K, INPUT_WK,
                                   INPUT_Q,  INPUT_WQ, INPUT_XK, INPUT_X};
    const score *by = p->asked->score;
    char query[SIDE], key_side[SIDE];
    size_t i = 0;
    while (i + 1 < sizeof MAKERS / sizeof MAKERS[0] && p->asked->in[MAKERS[i]] == NULL)
        i++;
    err_at(e, &p->asked->at[MAKERS[i]], "%s is %zu wide%s and %s %zu, they can't be compared",
           name_side(p, by->for_query, "a query", &p->q, query), of_query,
           p->has_heads ? " per head" : "", name_side(p, by->for_key, "a key", &p->k, key_side),
           of_key);
    return p->asked->heads == 0 && p->asked->kv_heads > 0 &&
           err_remedy(e, "heads is not given, and taken to be kv_heads, %zu", p->kv_heads);
}

static bool find_score(plan *p, err *e)
{
    const score *by = p->asked->score;
    score_parameters *all = &p->of_score;
    size_t of_query, of_key;
    if (!check_belongs(p, by, e) ||
        !find_transform(p, by->for_query, &p->q, &all->for_query, &of_query, e) ||
        !find_transform(p, by->for_key, &p->k, &all->for_key, &of_key, e))
        return false;
    if (of_query != of_key)
        return refuse_widths(p, of_query, of_key, e);
    p->compared_width = of_query;
    return find_vector(p, by->vector, of_query, 1, &all->vector, e) &&
           find_vector(p, by->shift, by->shift_is_one ? 1 : of_query, 0, &all->shift, e);
}

static tensor of_head(const tensor *all, size_t head)
{
    return all->data == NULL ? (tensor){0} : tensor_at(all, head);
}

score_parameters plan_score_parameters(const plan *p, size_t head)
{
    const score_parameters *all = &p->of_score;
    return (score_parameters){of_head(&all->for_query, head), of_head(&all->for_key, head),
                              of_head(&all->vector, head), of_head(&all->shift, head)};
}

static bool find_scale(plan *p, err *e)
{
    const problem *asked = p->asked;
    scale_kind kind = asked->scale_kind;
    if (kind == SCALE_DEFAULT)
        kind = asked->score->is_scaled ? SCALE_HEAD : SCALE_NONE;
    if (kind == SCALE_EMBED && asked->in[INPUT_X] == NULL) {
        place at = problem_place(asked, "scale");
        err_at(e, &at, "scale is embed, the width of x, and there is no x");
        return err_remedy(e, "--scale head divides by the root of the width of a key, %zu",
                          p->k.width);
    }
    p->scale = 1;
    p->scale_kind = kind;
    if (kind == SCALE_HEAD)
        p->scale = 1 / sqrt((double)p->k.width);
    if (kind == SCALE_EMBED)
        p->scale = 1 / sqrt((double)asked->in[INPUT_X]->size[asked->in[INPUT_X]->rank - 1]);
    if (kind == SCALE_NUMBER)
        p->scale = asked->scale_number;
    if (!plan_check_range(p, "scale", "scale", p->scale, e))
        return false;
    /* What is divided by the cap and multiplied must be a number of the type too. */
    double cap = asked->softcap;
    place at = problem_place(asked, "softcap");
    if (p->type == DTYPE_F64 || cap == 0 || (cap >= FLT_MIN && cap <= FLT_MAX))
        return true;
    err_at(e, &at, "softcap is %g, float32 holds %g to %g", cap, (double)FLT_MIN, (double)FLT_MAX);
    return err_remedy(e, "--dtype f64 has more range");
}

/* ---- a bias that is read from a table ---- */

/* Opens room for the numbers that heads read, of this shape, and makes the bias a view of it: with
 * these strides, from number `first` on. */
static bool open_read(plan *p, int rank, const size_t *size, const ptrdiff_t stride[4],
                      size_t first, err *e)
{
    if (!tensor_new(&p->read, p->type, rank, size, e))
        return false;
    p->bias = (tensor){.type = p->type,
                       .rank = 4,
                       .size = {p->batches, p->heads, p->n_q, plan_own_keys(p)},
                       .data = (char *)p->read.data + first * dtype_size(p->type)};
    memcpy(p->bias.stride, stride, 4 * sizeof stride[0]);
    return true;
}

/* By distance (Raffel et al., Exploring the limits of transfer learning, 2020, section 2.1, and
 * modeling_t5): near distances have a bucket each, those further away share one with ever more, up
 * to relative_distance; where keys after the query are seen, half of the buckets are theirs. */
static size_t bucket_of(const plan *p, int64_t distance)
{
    size_t count = p->asked->relative->size[0], first = 0;
    if (!plan_is_causal(p)) {
        count /= 2;
        first = distance > 0 ? count : 0;
    }
    double far = distance < 0 ? -(double)distance : plan_is_causal(p) ? 0 : (double)distance;
    size_t exact = count / 2;
    if (far < (double)exact || count < 2)
        return first + (count < 2 ? 0 : (size_t)far);
    /* What logarithms lose is less than this, and buckets end at whole distances. */
    const double LOST = 1e-9;
    double most = (double)p->asked->relative_distance / (double)exact;
    double steps = angle_logarithm(far / (double)exact) / angle_logarithm(most);
    double at = (double)exact + floor(steps * (double)(count - exact) + LOST);
    return first + (at < (double)count ? (size_t)at : count - 1);
}

static bool check_buckets(const plan *p, const tensor *given, const place *at, err *e)
{
    char shape[SHAPE_TEXT];
    size_t exact = given->size[0] / (plan_is_causal(p) ? 2 : 4);
    if (given->size[1] != p->heads)
        return err_at(e, at, "relative_bias is %s, and there %s %zu head%s",
                      tensor_shape_text(given, shape), p->heads == 1 ? "is" : "are", p->heads,
                      p->heads == 1 ? "" : "s");
    return (exact > 0 && p->asked->relative_distance > exact) ||
           err_at(e, at,
                  "relative_bias has %zu bucket%s, of which %zu are of one distance each, and "
                  "relative_distance is %zu",
                  given->size[0], given->size[0] == 1 ? "" : "s", exact,
                  p->asked->relative_distance);
}

/* Of keys one after the other. */
static void fill_buckets(const plan *p, int64_t first, tensor *to)
{
    for (size_t i = 0; i < to->size[0]; i++)
        tensor_set(to, &i, (double)bucket_of(p, first + (int64_t)i));
}

/* Queries that stand one after the other see one list of buckets, each from a place of its own on;
 * those that have places of their own have a list each. */
static bool open_buckets(plan *p, err *e)
{
    const problem *asked = p->asked;
    const size_t keys = plan_own_keys(p), list = p->n_q + keys - 1,
                 lists[] = {p->batches, p->n_q, keys};
    bool is_one = asked->places == NULL &&
                  (asked->causal != CAUSAL_LOWER_RIGHT || asked->key_lengths == NULL);
    if (!tensor_new(&p->buckets, DTYPE_F64, is_one ? 1 : 3, is_one ? &list : lists, e))
        return false;
    if (is_one) {
        fill_buckets(p, -visible_position(p, 0, p->n_q - 1), &p->buckets);
        p->bucket = (tensor){.type = DTYPE_F64,
                             .rank = 3,
                             .size = {p->batches, p->n_q, keys},
                             .stride = {0, -1, 1},
                             .data = (double *)p->buckets.data + p->n_q - 1};
        return true;
    }
    p->bucket = tensor_view_of(&p->buckets);
    for (size_t n = 0; n < p->batches * p->n_q; n++) {
        size_t b = n / p->n_q, i = n % p->n_q;
        tensor of_batch = tensor_at(&p->bucket, b), of_query = tensor_at(&of_batch, i);
        fill_buckets(p, -visible_position(p, b, i), &of_query);
    }
    return true;
}

static bool open_distances(plan *p, const tensor *given, err *e)
{
    const size_t keys = plan_own_keys(p), whole[] = {p->batches, p->heads, p->n_q, keys},
                 side[] = {p->heads, p->n_q + keys - 1};
    const ptrdiff_t of_side[] = {0, (ptrdiff_t)side[1], -1, 1},
                    of_whole[] = {(ptrdiff_t)(p->heads * p->n_q * keys), (ptrdiff_t)(p->n_q * keys),
                                  (ptrdiff_t)keys, 1};
    (void)given;
    if (!open_buckets(p, e))
        return false;
    return p->buckets.rank == 1 ? open_read(p, 2, side, of_side, p->n_q - 1, e)
                                : open_read(p, 4, whole, of_whole, 0, e);
}

static void read_distances(plan *p, const tensor *given)
{
    bool is_one = p->buckets.rank == 1;
    size_t at[TENSOR_MAX_RANK] = {0};
    do {
        const size_t head = at[is_one ? 0 : 1],
                     *in_lists = is_one ? &at[1] : (size_t[]){at[0], at[2], at[3]};
        size_t bucket = (size_t)tensor_get(&p->buckets, in_lists);
        tensor_set(&p->read, at, tensor_get(given, (size_t[]){bucket, head}));
    } while (tensor_next(&p->read, at));
}

static bool check_keys(const plan *p, const tensor *given, const place *at, err *e)
{
    size_t keys = plan_own_keys(p);
    return (given->size[0] == p->heads && given->size[1] >= keys) ||
           err_at(e, at,
                  "key_bias is %zu x %zu, it must have a row for each of %zu head%s and a "
                  "column for each of %zu key%s",
                  given->size[0], given->size[1], p->heads, p->heads == 1 ? "" : "s", keys,
                  keys == 1 ? "" : "s");
}

static bool open_keys(plan *p, const tensor *given, err *e)
{
    const ptrdiff_t stride[] = {0, (ptrdiff_t)given->size[1], 0, 1};
    return open_read(p, 2, given->size, stride, 0, e);
}

static void read_keys(plan *p, const tensor *given)
{
    tensor_copy(given, &p->read);
}

/* What a bias may be read from, and the stage that is its gradient. */
static const struct bias_table {
    const char *name;
    stage_id gradient;
    bool (*check)(const plan *p, const tensor *given, const place *at, err *e);
    bool (*open)(plan *p, const tensor *given, err *e);
    void (*read)(plan *p, const tensor *given);
} TABLES[] = {
    {"relative_bias", STAGE_RELATIVE_BIAS_GRAD, check_buckets, open_distances, read_distances},
    {"key_bias", STAGE_KEY_BIAS_GRAD, check_keys, open_keys, read_keys}};

enum { TABLE_COUNT = sizeof TABLES / sizeof TABLES[0] };

static bool find_bias_table(plan *p, err *e)
{
    const char *other = p->asked->in[INPUT_BIAS] == NULL ? NULL : "bias";
    for (const struct bias_table *of = TABLES; of < TABLES + TABLE_COUNT; of++) {
        const tensor *given = plan_given_of(p, of->gradient);
        place at = problem_place(p->asked, of->name);
        if (given == NULL)
            continue;
        if (!of->check(p, given, &at, e))
            return false;
        if (other != NULL)
            return err_at(e, &at, "%s is given, and so is %s, of which there is one", of->name,
                          other);
        if (!of->open(p, given, e))
            return false;
        of->read(p, given);
        other = of->name;
    }
    return true;
}

/* The one that the bias is read from; NULL: it is given, or there is none. */
static const struct bias_table *table_of(const plan *p)
{
    const struct bias_table *of = TABLES;
    while (of < TABLES + TABLE_COUNT && plan_given_of(p, of->gradient) == NULL)
        of++;
    return of < TABLES + TABLE_COUNT ? of : NULL;
}

void plan_read_bias(plan *p)
{
    const struct bias_table *of = table_of(p);
    if (of != NULL)
        of->read(p, plan_given_of(p, of->gradient));
}

stage_id plan_bias_gradient(const plan *p)
{
    const struct bias_table *of = table_of(p);
    return of == NULL ? STAGE_BIAS_GRAD : of->gradient;
}

tensor plan_seen_as_bias(const plan *p, const tensor *grad)
{
    return tensor_seen_as(grad, &p->bias,
                          p->asked->key_bias != NULL ? &p->read : p->asked->in[INPUT_BIAS]);
}

/* ---- the slopes of ALiBi (Press, Smith and Lewis, Train Short, Test Long, 2022, section 3, and
 * its published code for numbers of heads that are no power of two) ---- */

/* 2^(−8·index / count), count a power of two: a root of 1/2, to a power below count/8, and a power
 * of two. Products and roots only, so that it is the same everywhere. */
double plan_slope(slope_rule of)
{
    size_t index = of.index, count = of.count;
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

static bool find_slopes(plan *p, err *e)
{
    const tensor *given = p->asked->slopes;
    place at = problem_place(p->asked, "alibi");
    size_t count = given == NULL ? 0 : tensor_count(given);
    if (!p->asked->has_alibi)
        return true;
    if (given != NULL && count != p->heads)
        return err_at(e, &at, "alibi has %zu slope%s, and there %s %zu head%s", count,
                      count == 1 ? "" : "s", p->heads == 1 ? "is" : "are", p->heads,
                      p->heads == 1 ? "" : "s");
    if (!tensor_new(&p->slopes, DTYPE_F64, 1, &p->heads, e))
        return false;
    for (size_t head = 0; head < p->heads; head++) {
        char name[40];
        double slope =
            given != NULL ? tensor_get(given, &head) : plan_slope(plan_slope_rule(head, p->heads));
        snprintf(name, sizeof name, "alibi[head %zu]", head + 1);
        if (!plan_check_range(p, "alibi", name, slope, e))
            return false;
        tensor_set(&p->slopes, &head, slope);
    }
    return true;
}

/* ---- causality, lengths, masks and biases ---- */

static bool find_causality(plan *p, err *e)
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

static bool spread(plan *p, input which, tensor *out, err *e)
{
    /* The axes b, h, n_q, n_k that the input's axes are, by its rank and whether the first one
     * counts batches. */
    static const int AXES[][2][4] = {[1] = {{3}, {3}},
                                     [2] = {{2, 3}, {0, 3}},
                                     [3] = {{1, 2, 3}, {0, 2, 3}},
                                     [4] = {{0, 1, 2, 3}, {0, 1, 2, 3}}};
    static const char *const AXIS_NAMES[] = {"batches", "heads", "queries", "keys"};
    const tensor *given = p->asked->in[which];
    const size_t whole[] = {p->batches, p->heads, p->n_q, plan_own_keys(p)};
    mask_axis said = p->asked->mask_axis;
    *out = (tensor){0};
    if (given == NULL)
        return true;
    if (given->rank < 1)
        return plan_wrong_shape(p, which, e,
                                "it must be n_k long, n_q x n_k, or b x h x n_q x n_k");
    if (given->rank == 3 && said == MASK_AXIS_UNSAID && given->size[0] > 1) {
        plan_wrong_shape(p, which, e, "its first axis could be batches or heads");
        return err_remedy(e, "--mask-axis batch or --mask-axis head says which");
    }
    *out = (tensor){.type = given->type, .rank = 4, .data = given->data};
    memcpy(out->size, whole, sizeof whole);
    for (int axis = 0; axis < given->rank; axis++) {
        int to = AXES[given->rank][said == MASK_AXIS_BATCH][axis];
        /* An axis of 1 is spread, but never the keys'. */
        bool is_one = given->size[axis] == 1;
        out->stride[to] = is_one ? 0 : given->stride[axis];
        if (given->size[axis] == whole[to] || (is_one && to != 3))
            continue;
        plan_wrong_shape(p, which, e, "its %s are %zu and not %zu", AXIS_NAMES[to],
                         given->size[axis], whole[to]);
        /* What other programs have their masks like. */
        if (given->rank == 2 && given->size[0] == p->batches && said == MASK_AXIS_UNSAID)
            err_remedy(e, "--mask-axis batch reads it as b x n_k, a row for each batch entry");
        else if (given->rank == 3 && given->size[0] == p->batches * p->heads)
            err_remedy(e, "one for each head of each batch entry has rank 4: b x h x n_q x n_k");
        return false;
    }
    /* As many batch entries as queries: rows of padding, one an entry, would fit as well. */
    bool fits_both = given->rank == 2 && p->batches > 1 && p->batches == p->n_q;
    return !fits_both || said != MASK_AXIS_UNSAID ||
           plan_note(p, e,
                     "%s is read as n_q x n_k, the same for each of the %zu batch entries; "
                     "--mask-axis batch reads it as b x n_k, a row an entry",
                     input_label(which), p->batches);
}

static bool find_key_lengths(plan *p, err *e)
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

static bool find_masks(plan *p, err *e)
{
    if (p->asked->in[INPUT_SINKS] != NULL && p->asked->round_keeps_sum) {
        place at = problem_place(p->asked, "round");
        err_at(e, &at,
               "round is to keep the sum of each row at 1, and with sinks it is less than 1");
        return err_remedy(e, "--round %d rounds each weight alone", p->asked->round_decimals);
    }
    return plan_vector(p, INPUT_SINKS, 2, 0, p->heads, &p->sinks, e) &&
           spread(p, INPUT_MASK, &p->mask, e) && spread(p, INPUT_BIAS, &p->bias, e);
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

/* ---- all of them ---- */

bool plan_find_scores(plan *p, err *e)
{
    const problem *asked = p->asked;
    place at = problem_place(asked, "top");
    if (!find_score(p, e) || !find_scale(p, e) || !find_causality(p, e) ||
        !find_key_lengths(p, e) || !find_masks(p, e) || !find_bias_table(p, e) ||
        !find_slopes(p, e))
        return false;
    /* Of a stream the keys of later lines are still to come. */
    return asked->cache != NULL || asked->top <= p->n_k ||
           err_at(e, &at, "top is %zu keys, and there %s %zu", asked->top,
                  p->n_k == 1 ? "is" : "are", p->n_k);
}
