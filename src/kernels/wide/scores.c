/* Scores: compared additively, capped, and hidden. */
#include "kernels/wide/exponent.h"
#include "kernels/wide/panel.h"
#include "kernels/wide/real.h"

/* ---- tanh(x), the project's own, for the additive score and the soft cap.
 *
 *     exp(−2|x|) = s·(1 + p), s = 2ⁿ, p = exp(r) − 1 = r + r²·(exp's terms without the last two)
 *     tanh(|x|) = −((s − 1) + s·p) / ((s + 1) + s·p)
 *
 * s ± 1 is exact or s does not count, and where |x| is small s is 1: so nothing cancels. Error:
 * 1.94 units in the last place over all float32, below 2 for float64 where tests/kernels measures
 * it. NaN stays NaN ---- */

static inline __attribute__((always_inline)) wide wide_tanh(wide x)
{
    wide one = wide_set(1), zero = wide_zero();
    wide minus_size = wide_if_less(x, zero, x, wide_sub(zero, x));
    exp_shift none = exp_shift_of(0);
    exp_parts of = wide_exp_split(&none, wide_add(minus_size, minus_size));
    wide s = wide_shift_left(of.power, MANTISSA_BITS);
    wide p = wide_fma(wide_mul(of.r, of.r), wide_exp_terms(of.r, EXP_TERMS - 2), of.r);
    wide minus_tanh = wide_div(wide_fma(s, p, wide_sub(s, one)), wide_fma(s, p, wide_add(s, one)));
    return wide_if_less(x, zero, minus_tanh, wide_sub(zero, minus_tanh));
}

/* ---- the soft cap: c·tanh(x/c) keeps scores between −c and c, and small ones nearly as they
 * are ---- */

void KERNEL(cap)(const void *x, size_t n, double most, void *out)
{
    const real *from = x;
    real *to = out;
    wide c = wide_set((real)most);
    for (size_t j = 0; j < n; j += LANES) {
        wide quotient = wide_div(wide_load_some(from + j, n - j, 0), c);
        wide_store_some(to + j, wide_mul(c, wide_tanh(quotient)), n - j);
    }
}

/* ---- keys that a mask hides get −inf ---- */

static const real HIDDEN = -(real)INFINITY;

void KERNEL(hide)(const void *x, size_t n, const unsigned char *mask, bool hides_zeros, void *out)
{
    const real *from = x;
    real *to = out;
    /* The compiler widens the bytes a vector at a time. */
    for (size_t j = 0; j < n; j++)
        to[j] = (mask[j] == 0) == hides_zeros ? HIDDEN : from[j];
}

/* ---- the additive score: c[i][j] = Σ_p va[p]·tanh((q[i][p] + k[j][p]) + ba[p]), one chain of
 * fused multiply-adds from +0. The lanes of a vector are different keys ---- */

/* Components at a time: those of a vector of keys stay in a first-level cache while all queries are
 * compared with them. */
enum { DEPTH = 64 };

/* Keys from `first` on and their components from p on, turned: a vector a component, zeros after
 * the last key. */
typedef struct turned_keys {
    real lane[DEPTH][LANES];
    size_t first, keys, p, depth;
} turned_keys;

static void turn(const tensor *k, turned_keys *t)
{
    for (size_t l = 0; l < LANES; l++) {
        const real *from = l < t->keys ? row_of(k, t->first + l) : NULL;
        for (size_t p = 0; p < t->depth; p++)
            t->lane[p][l] = from == NULL ? 0 : from[k->stride[1] * (ptrdiff_t)(t->p + p)];
    }
}

/* Continues the chains of all queries, which are stored in c. */
static void compare(const tensor *q, const turned_keys *t, const real *weight, const real *shift,
                    tensor *c)
{
    bool is_first = t->p == 0, is_last = t->p + t->depth == q->size[1];
    for (size_t i = 0; i < q->size[0]; i++) {
        const real *query = row_of(q, i) + q->stride[1] * (ptrdiff_t)t->p;
        real *scores = (real *)c->data + c->stride[0] * (ptrdiff_t)i + t->first;
        wide sum = is_first ? wide_zero() : wide_load_some(scores, t->keys, 0);
        for (size_t p = 0; p < t->depth; p++) {
            wide both =
                wide_add(wide_set(query[q->stride[1] * (ptrdiff_t)p]), wide_load(t->lane[p]));
            wide bent = wide_tanh(wide_add(both, wide_set(shift[t->p + p])));
            sum = wide_fma(wide_set(weight[t->p + p]), bent, sum);
        }
        wide_store_some(scores, is_last ? wide_add(sum, wide_zero()) : sum, t->keys);
    }
}

void KERNEL(additive)(const tensor *q, const tensor *k, const void *va, const void *ba, tensor *c)
{
    turned_keys t;
    size_t width = q->size[1];
    for (t.first = 0; t.first < k->size[0]; t.first += LANES) {
        t.keys = k->size[0] - t.first < LANES ? k->size[0] - t.first : LANES;
        t.p = 0;
        do { /* once for a width of 0 too, whose chains are +0 */
            t.depth = width - t.p < DEPTH ? width - t.p : DEPTH;
            turn(k, &t);
            compare(q, &t, va, ba, c);
            t.p += t.depth;
        } while (t.p < width);
    }
}
