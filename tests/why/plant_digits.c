/* Numbers in fewer digits than they have. Narrow types are decoded bit pattern by bit pattern, and
 * the nearest one is looked for. */
#include "why/plants.h"

#include <math.h>
#include <stdlib.h>

/* The non-negative finite numbers of a type of 16 bits, in their order, with `fraction` bits of
 * fraction and `most` as the largest exponent: pattern i is number i. */
static double decoded(size_t pattern, int fraction, int bias)
{
    size_t exponent = pattern >> fraction, rest = pattern & (((size_t)1 << fraction) - 1);
    if (exponent == 0)
        return ldexp((double)rest, 1 - bias - fraction);
    return ldexp(1 + (double)rest / (double)((size_t)1 << fraction), (int)exponent - bias);
}

static double nearest(double value, int fraction, int bias)
{
    size_t low = 0, high = ((size_t)0x7fff >> fraction) << fraction; /* the pattern of infinity */
    double size = fabs(value);
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(decoded(middle, fraction, bias) <= size ? &low : &high) = middle;
    }
    double below = size - decoded(low, fraction, bias),
           above = decoded(high, fraction, bias) - size;
    size_t taken = below < above || (below == above && low % 2 == 0) ? low : high;
    return copysign(decoded(taken, fraction, bias), value);
}

double plant_kept(double value, int with)
{
    long double tens = powl(10, with % TO_EVEN), units = (long double)value * tens;
    int way = with - with % TO_EVEN;
    if (!isfinite(value))
        return value;
    if (with == TO_FLOAT16)
        return nearest(value, 10, 15);
    if (with == TO_BFLOAT16)
        return nearest(value, 7, 127);
    long double whole = way == CUT_OFF   ? truncl(units)
                        : way == TO_EVEN ? rintl(units)
                                         : roundl(units);
    return (double)(whole / tens);
}

/* False where a number lies so near to a tie that the program's own may fall on its other side. */
static bool keep_stage(planting *of, ref_stage_id id)
{
    ref_stage *s = &of->r->stage[id];
    bool is_sure = true;
    for (size_t i = 0; s->at != NULL && i < s->count; i++) {
        ref_number *one = &s->at[i];
        double kept = plant_kept((double)one->value, of->with);
        is_sure = is_sure && plant_kept((double)(one->value - one->slip), of->with) == kept &&
                  plant_kept((double)(one->value + one->slip), of->with) == kept;
        one->value = (long double)kept;
    }
    return is_sure;
}

bool plant_kept_inputs(planting *of)
{
    for (ref_input which = REF_X; which < REF_INPUTS; which++) {
        ref_array *a = &of->p->in[which];
        for (size_t i = 0; which != REF_MASK && a->at != NULL && i < ref_count_of(a); i++)
            a->at[i] = plant_kept(a->at[i], of->with);
    }
    return true;
}

static bool has_plain_weights(const planting *of)
{
    return of->p->in[REF_SINKS].at == NULL && of->p->round_decimals < 0;
}

/* What was added to scaled scores is added again. */
bool plant_kept_scores(planting *of)
{
    ref_number *scores = of->r->stage[REF_STAGE_SCORES].at,
               *scaled = of->r->stage[REF_STAGE_SCALED].at,
               *masked = of->r->stage[REF_STAGE_MASKED].at;
    long double scale = (long double)plant_right_scale(of->right);
    if (of->p->softcap != 0 || !has_plain_weights(of) || of->r->sizes.n_k > of->r->sizes.own)
        return false;
    bool is_sure = keep_stage(of, REF_STAGE_SCORES);
    for (size_t i = 0; i < of->r->stage[REF_STAGE_SCORES].count; i++) {
        long double added = masked[i].value - scaled[i].value;
        scaled[i].value = scores[i].value * scale;
        masked[i].value = isinf(masked[i].value) ? masked[i].value : scaled[i].value + added;
    }
    plant_softmax_rows(of);
    return is_sure;
}

bool plant_kept_masked(planting *of)
{
    bool is_sure = keep_stage(of, REF_STAGE_MASKED);
    plant_softmax_rows(of);
    return is_sure && has_plain_weights(of);
}

bool plant_kept_exp(planting *of)
{
    size_t n = of->r->sizes.n_k;
    ref_number *weights = of->r->stage[REF_STAGE_WEIGHTS].at;
    const ref_number *masked = of->r->stage[REF_STAGE_MASKED].at;
    for (size_t row = 0; row < of->r->stage[REF_STAGE_WEIGHTS].count; row += n) {
        long double sum = 0;
        for (size_t j = row; j < row + n; j++) {
            weights[j].value = (long double)plant_kept((double)expl(masked[j].value), of->with);
            sum += weights[j].value;
        }
        for (size_t j = row; j < row + n; j++)
            weights[j].value /= sum == 0 ? 1 : sum;
    }
    return has_plain_weights(of);
}

/* Largest remainders are the reference's own. */
bool plant_kept_weights(planting *of)
{
    ref_stage *weights = &of->r->stage[REF_STAGE_WEIGHTS];
    if (!has_plain_weights(of))
        return false;
    if (of->with < KEEPS_SUM || of->with >= TO_FLOAT16)
        return keep_stage(of, REF_STAGE_WEIGHTS);
    double *found = ref_found_weights(of->r);
    of->p->round_decimals = of->with - KEEPS_SUM;
    of->p->round_keeps_sum = true;
    ref_compute_rounded(of->p, found, of->r);
    free(found);
    for (size_t i = 0; i < weights->count; i++)
        weights->at[i] = of->r->stage[REF_STAGE_ROUNDED].at[i];
    free(of->r->stage[REF_STAGE_ROUNDED].at);
    of->r->stage[REF_STAGE_ROUNDED] = (ref_stage){0};
    of->p->round_decimals = -1;
    return true;
}

bool plant_kept_context(planting *of)
{
    if (of->right->in[REF_Q].at != NULL && of->right->in[REF_Q].rank == 4)
        return false;
    bool is_sure = keep_stage(of, REF_STAGE_ATTENDED) && keep_stage(of, REF_STAGE_CONTEXT);
    plant_output(of);
    return is_sure;
}

bool plant_kept_output(planting *of)
{
    return keep_stage(of, REF_STAGE_OUTPUT);
}

bool plant_kept_all(planting *of)
{
    bool is_sure = true;
    for (ref_stage_id id = 0; id < REF_STAGES; id++)
        is_sure = (keep_stage(of, id) || id < REF_STAGE_SCORES) && is_sure;
    return is_sure;
}

/* Rows that are given are rounded as inputs, and no further. */
bool plant_throughout_asked(planting *of)
{
    ref_sizes s = ref_sizes_of(of->p);
    bool is_given =
        of->p->in[REF_Q].at != NULL && of->p->in[REF_K].at != NULL && of->p->in[REF_V].at != NULL;
    return is_given && s.n_k == s.own && plant_kept_inputs(of);
}

bool plant_throughout_weights(planting *of)
{
    return plant_kept_scores(of) && plant_kept_weights(of);
}

bool plant_throughout_last(planting *of)
{
    return plant_kept_context(of) && plant_kept_output(of);
}
