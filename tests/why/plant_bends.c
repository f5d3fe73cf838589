/* Mistakes of the soft cap, the linear position bias and rotary positions. */
#include "ref/ref_parts.h"
#include "why/plants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static long double other_cap(long double scaled, long double cap, long double scale, int way)
{
    return way == CAPS_BEFORE_SCALE   ? scale * (cap * tanhl(scaled / scale / cap))
           : way == CAPS_UNDIVIDED    ? cap * tanhl(scaled)
           : way == CAPS_UNMULTIPLIED ? tanhl(scaled / cap)
                                      : fmaxl(-cap, fminl(scaled, cap));
}

bool plant_cap(planting *of)
{
    ref_number *scaled = of->r->stage[REF_STAGE_SCALED].at,
               *capped = of->r->stage[REF_STAGE_CAPPED].at,
               *masked = of->r->stage[REF_STAGE_MASKED].at;
    long double cap = of->p->softcap, scale = (long double)plant_right_scale(of->right);
    if (cap == 0 || scale == 0 || of->p->in[REF_SINKS].at != NULL)
        return false;
    for (size_t i = 0; i < of->r->stage[REF_STAGE_MASKED].count; i++) {
        long double added = masked[i].value - capped[i].value;
        capped[i].value = other_cap(scaled[i].value, cap, scale, of->with);
        masked[i].value = capped[i].value + added;
    }
    plant_softmax_rows(of);
    return true;
}

bool plant_cap_masked(planting *of)
{
    ref_number *scaled = of->r->stage[REF_STAGE_SCALED].at,
               *capped = of->r->stage[REF_STAGE_CAPPED].at,
               *masked = of->r->stage[REF_STAGE_MASKED].at;
    long double cap = of->p->softcap;
    if (cap == 0 || of->p->in[REF_SINKS].at != NULL)
        return false;
    for (size_t i = 0; i < of->r->stage[REF_STAGE_MASKED].count; i++) {
        long double added = masked[i].value - capped[i].value;
        masked[i].value = isinf(added) ? -cap : cap * tanhl((scaled[i].value + added) / cap);
    }
    plant_softmax_rows(of);
    return true;
}

/* The published ones of a power of two of heads. */
static double right_slope(const ref_problem *p, size_t heads, size_t head)
{
    return p->slopes != NULL ? p->slopes[head] : exp2(-8.0 * (double)(head + 1) / (double)heads);
}

bool plant_slopes(planting *of)
{
    ref_problem *p = of->p;
    size_t heads = ref_sizes_of(p).h;
    bool is_listed = p->slopes != NULL, is_power = (heads & (heads - 1)) == 0;
    if (!p->has_alibi || (!is_listed && !is_power) || (is_listed && of->with == BEGINS_EARLY) ||
        (of->with == IS_SCALED && p->softcap != 0))
        return false;
    double *slopes = ref_alloc(heads, sizeof slopes[0]);
    for (size_t head = 0; head < heads; head++) {
        double own = right_slope(p, heads, of->with == IS_FIRST ? 0 : head);
        slopes[head] = of->with == IS_ADDED       ? -own
                       : of->with == IS_SCALED    ? own * plant_right_scale(of->right)
                       : of->with == BEGINS_EARLY ? exp2(-8.0 * (double)head / (double)heads)
                                                  : own;
    }
    free(p->slopes);
    p->slopes = slopes;
    return true;
}

bool plant_base(planting *of)
{
    ref_problem *p = of->p;
    double right = p->has_rope_base ? p->rope_base : 10000;
    p->has_rope_base = true;
    p->rope_base = of->with == IS_USUAL ? 10000 : sqrt(right);
    return p->has_rope;
}

static double right_position(const ref_problem *p, const ref_sizes *s, size_t b, size_t i)
{
    const ref_array *said = &p->rope_positions;
    bool is_key = i >= s->n_q;
    size_t row = is_key ? i - s->n_q : i;
    if (said->at == NULL)
        return is_key ? (double)(s->past + row) : ref_query_position(p, s, b, row);
    size_t count = said->size[said->rank - 1], list = said->rank == 2 ? b : 0;
    return said->at[list * count + (count == s->n_q ? row : i)];
}

/* Positions are not negative: counted down from here, rows stand as far from one another as turned
 * backwards, where all that is multiplied is turned, and nothing is done to it after that. */
static const double FAR_POSITION = 100;

static bool can_count_down(const ref_problem *p, const ref_sizes *s)
{
    bool changes =
        p->score != NULL && (strcmp(p->score, "general") == 0 || strcmp(p->score, "additive") == 0);
    return s->past == 0 && !changes && !p->adds_zero && p->in[REF_BIAS_K].at == NULL;
}

bool plant_positions(planting *of)
{
    ref_sizes s = ref_sizes_of(of->p);
    size_t count = s.n_q + s.n_new;
    if (!of->p->has_rope || (of->with == BACKWARDS && !can_count_down(of->p, &s)))
        return false;
    double *at = ref_alloc(s.b * count, sizeof at[0]);
    for (size_t k = 0; k < s.b * count; k++) {
        size_t b = k / count, i = k % count;
        bool is_key = i >= s.n_q, stays = of->with == (is_key ? ONLY_QUERIES : ONLY_KEYS);
        double right = right_position(of->p, &s, b, i) + (of->with == ONE_LATE && !is_key);
        at[k] = stays                   ? 0
                : of->with == FROM_ZERO ? (double)(is_key ? i - s.n_q : i)
                : of->with == BACKWARDS ? FAR_POSITION - right
                                        : right;
    }
    free(of->p->rope_positions.at);
    of->p->rope_positions = (ref_array){2, {s.b, count, 0, 0}, at};
    return true;
}
