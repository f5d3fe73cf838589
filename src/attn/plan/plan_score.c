/* The score function's parameters, the scale, and the slopes of ALiBi. */
#include "attn/plan/plan_parts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* The matrix of one head out of c × d (shared) or h × c × d. */
static tensor of_head(const plan *p, input which, size_t head)
{
    const tensor *given = p->asked->in[which];
    tensor one = given->rank == 3 ? tensor_at(given, head) : tensor_view_of(given);
    return p->asked->is_out_in[which] ? tensor_transposed(&one) : one;
}

/* Checks Ws, Wa or Ua against the width of what it multiplies, and gives the width of the
 * result. */
static bool find_transform(const plan *p, const char *name, const projection *of, size_t *width,
                           err *e)
{
    *width = of->width;
    input which = name == NULL ? INPUT_COUNT : input_of_key(name);
    if (name == NULL || p->asked->in[which] == NULL)
        return true;
    const tensor *given = p->asked->in[which];
    if (given->rank != 2 && given->rank != 3)
        return plan_wrong_shape(p, which, e, "it must be a matrix, or one a head");
    if (given->rank == 3 && given->size[0] != p->heads)
        return plan_wrong_shape(p, which, e, "there %s %zu head%s", p->heads == 1 ? "is" : "are",
                                p->heads, p->heads == 1 ? "" : "s");
    tensor one = of_head(p, which, 0);
    if (one.size[0] != of->width) {
        plan_wrong_shape(p, which, e, "which takes rows of %zu number%s, and %s has %zu per head",
                         one.size[0], one.size[0] == 1 ? "" : "s", input_label(of->given_as),
                         of->width);
        if (one.size[1] == of->width)
            err_remedy(e, "transposed it would fit: --layout %s",
                       p->asked->is_out_in[which] ? "in-out" : "out-in");
        return false;
    }
    *width = one.size[1];
    return true;
}

/* Checks va, ba or bs: `count` numbers for all heads, or as many for each. */
static bool check_vector(const plan *p, const char *name, size_t count, err *e)
{
    input which = name == NULL ? INPUT_COUNT : input_of_key(name);
    if (name == NULL || p->asked->in[which] == NULL)
        return true;
    const tensor *given = p->asked->in[which];
    size_t numbers = tensor_count(given);
    if (given->rank > 3 || (numbers != count && numbers != p->heads * count))
        return plan_wrong_shape(p, which, e, "it must hold %zu number%s, or as many a head", count,
                                count == 1 ? "" : "s");
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

static bool fill(tensor *t, const plan *p, double value, err *e)
{
    if (!tensor_new(t, p->type, 1, &p->compared_width, e))
        return false;
    for (size_t i = 0; i < p->compared_width; i++)
        tensor_set(t, &i, value);
    return true;
}

/* "a query", or "q·Ws (Ws is 2 x 3)" where a parameter makes it as wide as it is. */
enum { SIDE = SHAPE_TEXT + 64 };
static const char *name_side(const plan *p, const char *parameter, const char *plain,
                             const projection *of, char side[SIDE])
{
    char shape[SHAPE_TEXT];
    const tensor *given = parameter == NULL ? NULL : p->asked->in[input_of_key(parameter)];
    if (given == NULL)
        return plain;
    const char *name = input_label(input_of_key(parameter));
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

bool plan_find_score(plan *p, err *e)
{
    const score *by = p->asked->score;
    size_t of_query, of_key;
    if (!check_belongs(p, by, e) || !find_transform(p, by->for_query, &p->q, &of_query, e) ||
        !find_transform(p, by->for_key, &p->k, &of_key, e))
        return false;
    if (of_query != of_key)
        return refuse_widths(p, of_query, of_key, e);
    p->compared_width = of_query;
    if (!check_vector(p, by->vector, of_query, e) ||
        !check_vector(p, by->shift, by->shift_is_one ? 1 : of_query, e))
        return false;
    return by->vector == NULL || (fill(&p->ones, p, 1, e) && fill(&p->zeros, p, 0, e));
}

/* One head's part of a vector that is shared or one a head; `absent` where it was not given. */
static tensor vector_of_head(const plan *p, const char *name, size_t count, size_t head,
                             const tensor *absent)
{
    const tensor *given = name == NULL ? NULL : p->asked->in[input_of_key(name)];
    if (given == NULL)
        return tensor_view_of(absent);
    tensor one = {
        .type = given->type, .rank = 1, .size = {count}, .stride = {1}, .data = given->data};
    if (tensor_count(given) != count)
        one.data = (char *)given->data + head * count * dtype_size(given->type);
    return one;
}

static tensor transform_of_head(const plan *p, const char *name, size_t head)
{
    input which = name == NULL ? INPUT_COUNT : input_of_key(name);
    bool is_given = name != NULL && p->asked->in[which] != NULL;
    return is_given ? of_head(p, which, head) : (tensor){0};
}

score_parameters plan_score_parameters(const plan *p, size_t head)
{
    const score *by = p->asked->score;
    size_t shift_count = by->shift_is_one ? 1 : p->compared_width;
    return (score_parameters){
        .for_query = transform_of_head(p, by->for_query, head),
        .for_key = transform_of_head(p, by->for_key, head),
        .vector = vector_of_head(p, by->vector, p->compared_width, head, &p->ones),
        .shift = vector_of_head(p, by->shift, shift_count, head, &p->zeros),
    };
}

/* 1/√width, computed in float64 in whatever mode the caller's thread is. */
static double inverse_root(size_t width)
{
    float_mode mode;
    float_mode_set(&mode);
    double scale = 1 / sqrt((double)width);
    float_mode_restore(&mode);
    return scale;
}

bool plan_find_scale(plan *p, err *e)
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
    if (kind == SCALE_HEAD)
        p->scale = inverse_root(p->k.width);
    if (kind == SCALE_EMBED)
        p->scale = inverse_root(asked->in[INPUT_X]->size[asked->in[INPUT_X]->rank - 1]);
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

/* ---- the slopes of ALiBi (Press, Smith and Lewis, Train Short, Test Long, 2022, section 3, and
 * its published code for numbers of heads that are no power of two) ---- */

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

bool plan_find_slopes(plan *p, err *e)
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
    for (size_t head = 0; head < count; head++) {
        char name[40];
        snprintf(name, sizeof name, "alibi[head %zu]", head + 1);
        if (!plan_check_range(p, "alibi", name, tensor_get(given, &head), e))
            return false;
    }
    if (!tensor_new(&p->slopes, DTYPE_F64, 1, &p->heads, e))
        return false;
    float_mode mode;
    float_mode_set(&mode);
    for (size_t head = 0; head < p->heads; head++) {
        slope_rule of = plan_slope_rule(head, p->heads);
        tensor_set(&p->slopes, &head,
                   given != NULL ? tensor_get(given, &head) : slope_of(of.index, of.count));
    }
    float_mode_restore(&mode);
    return true;
}
