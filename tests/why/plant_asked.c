/* Mistakes in what is asked: the reference is asked the wrong thing. */
#include "why/plants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ref_array copy_of(const ref_array *a)
{
    ref_array copy = *a;
    copy.at = ref_alloc(ref_count_of(a), sizeof copy.at[0]);
    memcpy(copy.at, a->at, ref_count_of(a) * sizeof copy.at[0]);
    return copy;
}

/* Each of the matrices that lie one after the other. */
static void turn(ref_array *a, size_t size)
{
    ref_array old = copy_of(a);
    for (size_t i = 0; i < ref_count_of(a); i++) {
        size_t row = i / size % size, column = i % size;
        a->at[i] = old.at[i / (size * size) * size * size + column * size + row];
    }
    free(old.at);
}

bool plant_transpose(planting *of)
{
    ref_array *w = &of->p->in[of->with];
    if (w->at == NULL)
        return false;
    size_t columns = w->size[w->rank - 1], rows = w->size[w->rank - 2];
    if (of->with == REF_WO)
        rows = ref_count_of(w) / columns;
    if (rows == columns)
        turn(w, columns);
    return rows == columns;
}

bool plant_transpose_all(planting *of)
{
    int last = of->with;
    bool is_any = false, done = true;
    for (of->with = REF_WQ; done && of->with <= last; of->with++) {
        bool is_there = of->p->in[of->with].at != NULL;
        is_any = is_any || is_there;
        done = !is_there || plant_transpose(of);
    }
    return done && is_any;
}

static void drop(ref_problem *p, ref_input which)
{
    free(p->in[which].at);
    p->in[which] = (ref_array){0};
}

/* What a matrix said of heads has to be said. */
static void say_heads(ref_problem *p)
{
    ref_sizes s = ref_sizes_of(p);
    if (s.has_heads) {
        p->heads = s.h;
        p->kv_heads = s.g;
    }
}

bool plant_leave_out(planting *of)
{
    bool is_there = of->p->in[of->with].at != NULL;
    say_heads(of->p);
    drop(of->p, (ref_input)of->with);
    return is_there;
}

bool plant_leave_out_biases(planting *of)
{
    bool is_any = false;
    for (of->with = REF_BQ; of->with <= REF_BO; of->with++)
        is_any = plant_leave_out(of) || is_any;
    return is_any;
}

bool plant_swap(planting *of)
{
    static const ref_input PARTS[][3] = {
        {REF_WQ, REF_BQ, REF_Q}, {REF_WK, REF_BK, REF_K}, {REF_WV, REF_BV, REF_V}};
    ref_array *in = of->p->in;
    say_heads(of->p);
    for (int i = 0; i < 3; i++) {
        ref_input one = PARTS[of->with / 10][i], other = PARTS[of->with % 10][i];
        ref_array kept = in[one];
        in[one] = in[other];
        in[other] = kept;
    }
    return true;
}

double plant_right_scale(const ref_problem *p)
{
    ref_sizes s = ref_sizes_of(p);
    bool is_scaled = p->score == NULL || ref_word_is(p->score, "scaled");
    if (p->scale_is_number)
        return p->scale_number;
    if (ref_word_is(p->scale, "embed"))
        return 1 / sqrt((double)s.m);
    if (ref_word_is(p->scale, "head") || (p->scale == NULL && is_scaled))
        return 1 / sqrt((double)s.d_k);
    return 1;
}

bool plant_scale(planting *of)
{
    ref_sizes s = ref_sizes_of(of->p);
    double right = plant_right_scale(of->p), d_k = (double)s.d_k, keys = (double)s.own;
    bool has_m = of->p->in[REF_X].at != NULL && of->p->in[REF_Q].at == NULL;
    const double scales[] = {[SAY_NONE] = 1,
                             [SAY_SQUARED] = right * right,
                             [SAY_HEAD] = 1 / sqrt(d_k),
                             [SAY_EMBED] = has_m ? 1 / sqrt((double)s.m) : 0,
                             [SAY_WIDTH] = 1 / sqrt((double)s.h * d_k),
                             [SAY_VALUES] = 1 / sqrt((double)s.d_v),
                             [SAY_KEYS] = 1 / sqrt(keys),
                             [SAY_COUNT] = 1 / keys,
                             [SAY_INVERSE] = right != 0 ? 1 / right : 0,
                             [SAY_ROOT] = right > 0 ? sqrt(right) : 0};
    of->p->scale = NULL;
    of->p->scale_is_number = true;
    of->p->scale_number = scales[of->with];
    return scales[of->with] != 0;
}

/* Gains of one head are written once for each. */
static void repeat(ref_array *gain, size_t count)
{
    size_t had = gain->at == NULL ? count : ref_count_of(gain);
    if (had == count)
        return;
    double *all = ref_alloc(count, sizeof all[0]);
    for (size_t i = 0; i < count; i++)
        all[i] = gain->at[i % had];
    free(gain->at);
    *gain = (ref_array){1, {count, 0, 0, 0}, all};
}

/* with: whether all heads are normalized at once */
bool plant_norm(planting *of)
{
    ref_problem *p = of->p;
    ref_sizes s = ref_sizes_of(p);
    bool is_apart = p->in[REF_Q].rank == 4 || p->in[REF_K].rank == 4;
    if (!p->normalizes || p->norms_all == (of->with != 0) || is_apart || s.h == 1)
        return false;
    p->norms_all = of->with != 0;
    repeat(&p->in[REF_Q_GAIN], s.h * s.d_q);
    repeat(&p->in[REF_K_GAIN], s.g * s.d_k);
    return true;
}

bool plant_forget(planting *of)
{
    ref_problem *p = of->p;
    p->has_window = p->has_window && of->with != NO_WINDOW;
    p->has_alibi = p->has_alibi && of->with != NO_ALIBI;
    p->softcap = of->with == NO_SOFTCAP ? 0 : p->softcap;
    p->adds_zero = p->adds_zero && of->with != NO_ZERO;
    p->has_rope = p->has_rope && of->with != NO_ROPE;
    p->normalizes = p->normalizes && of->with != NO_NORM;
    p->norms_all = p->norms_all && p->normalizes;
    p->clip = of->with == NO_CLIP ? 0 : p->clip;
    if (of->with == NO_ALIBI) {
        free(p->slopes);
        p->slopes = NULL;
    }
    if (of->with == NO_LENGTHS) {
        free(p->key_lengths);
        p->key_lengths = NULL;
    }
    if (of->with == NO_LEARNED || of->with == NO_NORM) {
        drop(p, of->with == NO_NORM ? REF_Q_GAIN : REF_BIAS_K);
        drop(p, of->with == NO_NORM ? REF_K_GAIN : REF_BIAS_V);
    }
    if (of->with == NO_OFFSET) {
        p->has_offset = true;
        p->offset = 0;
    }
    p->rope_factor = of->with == NO_ROPE_FACTOR || of->with == NO_ROPE ? 0 : p->rope_factor;
    if (of->with == NO_ROPE) { /* what is left of it would be refused */
        p->has_rope_base = false;
        p->pairing = NULL;
        p->rope_width = 0;
        free(p->rope_positions.at);
        p->rope_positions = (ref_array){0};
    }
    return of->with != NO_OFFSET || !ref_word_is(p->causal, "lower-right");
}

bool plant_plus_one(planting *of)
{
    ref_array *sinks = &of->p->in[REF_SINKS];
    size_t heads = ref_sizes_of(of->p).h;
    if (sinks->at != NULL || of->p->round_keeps_sum)
        return false;
    *sinks = (ref_array){1, {heads, 0, 0, 0}, ref_alloc(heads, sizeof(double))};
    return true;
}

bool plant_count_heads(planting *of)
{
    ref_sizes s = ref_sizes_of(of->right);
    ref_problem *p = of->p;
    bool is_half = of->with < 0;
    p->heads = of->with == 0 ? 1 : is_half ? s.h / 2 : s.h * 2;
    p->kv_heads = of->with == 0 ? 1 : is_half ? s.g / 2 : s.g * 2;
    return s.has_heads && p->slopes == NULL && p->heads != s.h &&
           !(is_half && (s.h == 2 || s.h % 2 > 0 || s.g % 2 > 0));
}

bool plant_pairing(planting *of)
{
    bool is_interleaved = ref_word_is(of->p->pairing, "interleaved");
    of->p->pairing = is_interleaved ? "half" : "interleaved";
    return of->p->has_rope;
}

static bool is_causal(const ref_problem *p)
{
    return p->causal != NULL && !ref_word_is(p->causal, "none") && !ref_word_is(p->causal, "false");
}

/* Where queries stand depends on the causality alone for those. */
static bool places_depend(const ref_problem *p)
{
    return ref_word_is(p->causal, "lower-right") && (p->has_window || p->has_alibi || p->has_rope);
}

bool plant_causal(planting *of)
{
    static const char *const WORDS[] = {"none", "upper-left", "upper-left", "lower-right"};
    bool is_low = ref_word_is(of->p->causal, "lower-right"), is_any = is_causal(of->p);
    const bool is_here[] = {is_any, !is_any, is_low, is_any && !is_low && !of->p->has_offset};
    bool depends = places_depend(of->p);
    of->p->causal = WORDS[of->with];
    return is_here[of->with] && !depends && !places_depend(of->p);
}

/* In the place of causality, a bias that hides. */
bool plant_hide(planting *of)
{
    ref_problem *p = of->p;
    ref_sizes s = ref_sizes_of(p);
    ref_array *bias = &p->in[REF_BIAS];
    if (!is_causal(p) || bias->at != NULL || ref_word_is(p->causal, "lower-right"))
        return false;
    *bias = (ref_array){4, {1, 1, s.n_q, s.own}, ref_alloc(s.n_q * s.own, sizeof(double))};
    for (size_t i = 0; i < s.n_q; i++)
        for (size_t j = 0; j < s.own; j++) {
            size_t at = i + (p->has_offset ? p->offset : s.past);
            bool is_seen = of->with == SEES_ONE_MORE ? j <= at + 1
                           : of->with == SEES_LATER  ? j >= at
                                                     : j > at;
            bias->at[i * s.own + j] = is_seen ? 0 : -INFINITY;
        }
    p->causal = NULL;
    return true;
}

/* A bias that hides the keys after the last whole block. */
bool plant_tail(planting *of)
{
    ref_array *bias = &of->p->in[REF_BIAS];
    size_t own = ref_sizes_of(of->p).own, kept = own - 1;
    if (of->with > 0)
        kept = own / (size_t)of->with * (size_t)of->with;
    if (bias->at != NULL || kept == 0 || kept == own)
        return false;
    *bias = (ref_array){1, {own, 0, 0, 0}, ref_alloc(own, sizeof(double))};
    for (size_t j = kept; j < own; j++)
        bias->at[j] = -INFINITY;
    return true;
}

/* Each key of zeros adds exp(0 − maximum) to the sum, as a sink of 0 does: n of them are one of
 * log(n). */
bool plant_fill_up(planting *of)
{
    const ref_problem *p = of->p;
    size_t block = (size_t)of->with, tail = ref_sizes_of(p).own % block;
    bool is_product =
        p->score == NULL || ref_word_is(p->score, "scaled") || ref_word_is(p->score, "dot");
    bool is_simple =
        is_product && !is_causal(p) && !p->has_window && !p->has_alibi && p->key_lengths == NULL;
    if (!is_simple || tail == 0 || !plant_plus_one(of))
        return false;
    ref_array *sinks = &of->p->in[REF_SINKS];
    for (size_t head = 0; head < ref_count_of(sinks); head++)
        sinks->at[head] = log((double)(block - tail));
    return true;
}

bool plant_negate(planting *of)
{
    ref_array *a = &of->p->in[of->with];
    for (size_t i = 0; a->at != NULL && i < ref_count_of(a); i++)
        a->at[i] = isinf(a->at[i]) ? a->at[i] : -a->at[i];
    return a->at != NULL;
}

bool plant_transpose_places(planting *of)
{
    ref_array *a = &of->p->in[of->with];
    bool by_batch = ref_word_is(of->p->mask_axis, "batch") && a->rank == 2;
    if (a->at == NULL || a->rank < 2 || by_batch || a->size[a->rank - 2] != a->size[a->rank - 1])
        return false;
    turn(a, a->size[a->rank - 1]);
    return true;
}

bool plant_window(planting *of)
{
    long *window = of->p->window;
    for (int side = 0; side < 2; side++)
        if (window[side] >= 0 && window[side] + of->with >= 0)
            window[side] += of->with;
    return of->p->has_window;
}

bool plant_invert_mask(planting *of)
{
    of->p->mask_true = ref_word_is(of->p->mask_true, "masked") ? "attend" : "masked";
    return of->p->in[REF_MASK].at != NULL;
}

static void give(ref_problem *p, ref_input to, const ref_array *from)
{
    ref_array copy = copy_of(from);
    drop(p, to);
    p->in[to] = copy;
}

bool plant_inputs(planting *of)
{
    ref_problem *p = of->p;
    const ref_array *in = of->right->in, *x = &in[REF_X], *xk = &in[REF_XK], *xv = &in[REF_XV];
    bool has_xv = xv->at != NULL, has_xk = xk->at != NULL;
    if (x->at == NULL || (!has_xk && !(of->with == V_OF_X && has_xv)))
        return false;
    if (of->with == V_OF_XK && has_xv)
        drop(p, REF_XV);
    if (of->with == V_OF_XK)
        return has_xv;
    if (of->with == V_OF_X)
        give(p, REF_XV, x);
    else if (!has_xv && of->with != X_AND_XK)
        give(p, REF_XV, xk);
    if (of->with == K_OF_X || of->with == X_AND_XK)
        give(p, REF_XK, x);
    if (of->with == Q_OF_XK || of->with == X_AND_XK)
        give(p, REF_X, xk);
    return true;
}

bool plant_no_keys(planting *of)
{
    bool has_both = of->p->in[REF_X].at != NULL && of->p->in[REF_XK].at != NULL;
    if (of->p->in[REF_XV].at != NULL)
        drop(of->p, REF_XV);
    if (has_both)
        drop(of->p, REF_XK);
    return has_both;
}

bool plant_is_simple(planting *of)
{
    return of->p->softcap == 0 && !of->p->has_alibi && of->p->in[REF_BIAS].at != NULL &&
           plant_right_scale(of->p) > 0;
}
