/* The arithmetic of attention as a table of functions, one table an instruction set and a type; the
 * only thing that the rest of the program knows about either.
 *
 * Each function's formula with its order of operations is the promise (DESIGN.md, "One answer"):
 * every table gives the same bits. Matrices are rank-2 views of one type with any strides; rows are
 * contiguous. In and out may be the same memory in the functions that work element by element. A
 * finished element of a product is never −0. */
#ifndef SELFATTN_KERNELS_KERNELS_H
#define SELFATTN_KERNELS_KERNELS_H

#include "base/named.h"
#include "tensor/tensor.h"

#include <fenv.h>
#include <stdint.h>

/* A matrix in the order in which a product reads it; each instruction set has its own: panels of so
 * many columns, one behind the other, each row by row. PACKED_STEP columns are whole panels. So the
 * columns from such a multiple on begin packed_bytes(depth, columns) behind `data`, and the rows
 * from p on begin packed_bytes(p, 1) behind, in each panel. Of what begins there the first columns
 * can be passed over, some multiple of PACKED_PART. */
enum { PACKED_STEP = 64, PACKED_PART = 16 };

typedef struct packed {
    void *data; /* as many bytes as packed_bytes says, from mem_alloc */
    size_t depth, columns;
    size_t skipped; /* columns that are passed over, less than PACKED_STEP */
} packed;

/* Keys [first, end) of those that a query is compared with; none where they are equal. */
typedef struct key_range {
    size_t first, end;
} key_range;

/* What of a product is needed: of row i of c the columns columns[i], and of its chains the terms
 * terms[i], as a is 0 in all others and b finite; NULL: all. From one row to the next neither end
 * of a range moves back. */
typedef struct product_band {
    const key_range *columns, *terms;
} product_band;

/* sum + rest, not yet rounded to the type */
typedef struct row_total {
    double sum, rest;
} row_total;

/* A row to be divided by its sum. */
typedef struct row_shares {
    const void *x;
    size_t n;
    const void *sum;
    void *out;
} row_shares;

/* Where the project's own random numbers begin (random/generator.h): at which pair of a matrix. */
typedef struct random_place {
    uint64_t seed, pair;
    uint32_t matrix;
} random_place;

typedef struct kernels {
    size_t (*packed_bytes)(size_t depth, size_t columns);
    /* b may be of a narrower type: its numbers are widened, exactly. */
    void (*pack)(const tensor *b, packed *into);
    /* Puts b's elements into `into`, from its row `row` and column `column` on, for which there is
     * room: `depth` says how its panels lie. All others stay. */
    void (*pack_at)(const tensor *b, size_t row, size_t column, packed *into);
    /* c[i][j] = fma(a[i][p], b[p][j], …) for p = 0, 1, …, from +0; then + (+0). a may have fewer
     * columns than b has rows, and c fewer than b: the first ones are taken. b's `depth` says how
     * its panels lie. What is not needed of c (`band`; NULL: all is) is undefined. */
    void (*product)(const tensor *a, const packed *b, const product_band *band, tensor *c);
    /* The same of one row, whose numbers lie side by side as c's do: b as it is, or of a narrower
     * type, read once. */
    void (*row_product)(const void *a, const tensor *b, void *c);
    /* product, b as it is, without the terms whose a[i][p] is 0: a key of weight 0 takes no part,
     * even where its value is not finite. */
    void (*product_of_nonzero)(const tensor *a, const tensor *b, tensor *c);
    /* c[i][j] = c[i][j] + bias[j], one rounding. */
    void (*add_to_rows)(tensor *c, const void *bias);
    /* Whether no c[i][j] is infinite or NaN. */
    bool (*is_finite)(const tensor *c);
    /* c[i][j] = Σ_p va[p]·tanh((q[i][p] + k[j][p]) + ba[p]), one chain of fma as in product. q: n ×
     * a, k: m × a; va, ba: a. */
    void (*additive)(const tensor *q, const tensor *k, const void *va, const void *ba, tensor *c);

    /* out[j] = value */
    void (*fill)(void *out, size_t n, double value);
    /* out[j] = most · tanh(x[j] / most): one division, tanh within 2 ulp, one multiplication. */
    void (*cap)(const void *x, size_t n, double most, void *out);
    /* out[j] = x[j] + b[j·stride] */
    void (*add)(const void *x, size_t n, const void *b, ptrdiff_t stride, void *out);
    /* out[j] = −inf where mask[j·stride] is not 0 (with hides_zeros: where it is), else x[j]. */
    void (*hide)(const void *x, size_t n, const unsigned char *mask, ptrdiff_t stride,
                 bool hides_zeros, void *out);
    /* out[j] = x[j] − slope·|position − j|: the distance exact and rounded to the type, the product
     * and the difference rounded once each. */
    void (*recede)(const void *x, size_t n, double slope, double position, void *out);
    /* out[j] = x[j] · factor + (+0), +0 for a factor of 0: a value's share in the weighted sum.
     * x_stride, out contiguous. */
    void (*weigh)(const void *x, ptrdiff_t stride, size_t n, double factor, void *out);

    /* cosine[i], sine[i] of position·frequency[i], whatever the type is: within 1 ulp of float64,
     * for positions to 2³¹ and frequencies to 1. */
    void (*angles)(double position, const double *frequency, size_t n, double *cosine,
                   double *sine);
    /* Pairs of numbers turned, x₁ = x[p·step] and x₂ = x[p·step + apart]; step is 1 or 2:
     *     y₁ = x₁·cos − x₂·sin,  y₂ = x₂·cos + x₁·sin,
     * each operation rounded in float64, the result once more to the type. Not in place. */
    void (*turn)(const void *x, size_t pairs, size_t step, size_t apart, const double *cosine,
                 const double *sine, void *out);

    /* out[j] = x[j] · y[j], one rounding: a gate. */
    void (*times)(const void *x, size_t n, const void *y, void *out);
    /* A feed-forward's activations. relu: +0 for x[j] ≤ 0, −0 too, else x[j]. The others are
     * computed in float64, with what it loses: within 0.501 ulp for float32, 1.3 for float64
     * (tests/kernels measures them), +0 where that is below the smallest normal number, as at the
     * end of the negative tail.
     * gelu: x·Φ(x), Φ(x) = ½·erfc(−x/√2).
     * gelu_tanh: 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), the number as it is written here.
     * silu: x / (1 + exp(−x)).
     * NaN stays NaN, ∞ stays ∞, and −∞ gives the limit +0. */
    void (*relu)(const void *x, size_t n, void *out);
    void (*gelu)(const void *x, size_t n, void *out);
    void (*gelu_tanh)(const void *x, size_t n, void *out);
    void (*silu)(const void *x, size_t n, void *out);

    /* Layer norm and RMS norm of one row; gain and bias are as long as it, or NULL for none.
     *     mean = (Σ x[j]) / n,  variance = (Σ (x[j] − mean)²) / n,  a second pass
     *     row_norm:     out[j] = ((x[j] − mean) / √(variance + eps)) · gain[j] + bias[j]
     *     row_rms_norm: out[j] = (x[j] / √((Σ x[j]²) / n + eps)) · gain[j]
     * Each operation is rounded in float64, the result once more to the type; the sums are those of
     * row_exponent: 16 partial ones, compensated for float64 data, whose mean is kept with what
     * float64 loses of it. So the deviations of equal numbers are 0. Where the root is 0, the
     * quotient is 0, so the result is 0 · gain[j] + bias[j].
     * False where the sum of squares leaves the range of float64. */
    bool (*row_norm)(const void *x, size_t n, const void *gain, const void *bias, double eps,
                     void *out);
    bool (*row_rms_norm)(const void *x, size_t n, const void *gain, double eps, void *out);

    /* The softmax's steps over one row; key j sits at x[j].
     * scale: out[j] = x[j] · factor, and their max.
     * max: the greatest x[j], −inf for none; NaN never is, and a zero is +0.
     * exponent: exp(x[j] − max) by the project's own polynomial, nothing of the difference lost; +0
     *     for x[j] = −inf and where the nearest power of 2 would be subnormal. Their total: 16
     *     partial sums, key j in partial j mod 16, joined by the tree s = 8, 4, 2, 1:
     *     p[l] += p[l+s]; in float64 for float32 data, compensated for float64 data.
     * divide: x[j] / sum; +0 below the smallest normal number, and where the sum is 0. Another row
     *     can be divided `beside` the exponentials (NULL: none): it takes hardly any more time. */
    void (*scale)(const void *x, size_t n, double factor, void *out, void *max);
    void (*row_max)(const void *x, size_t n, void *max);
    void (*row_exponent)(const void *x, size_t n, const void *max, void *out, row_total *total,
                         const row_shares *beside);
    void (*row_divide)(const row_shares *of);

    /* n random numbers from there on: low + (high − low)·part, and mean + deviation·(r·cos 2πv or
     * r·sin 2πv), all in float64 without fused operations, then rounded once to the type. */
    void (*draw_uniform)(const random_place *from, size_t n, double low, double high, void *out);
    void (*draw_normal)(const random_place *from, size_t n, double mean, double deviation,
                        void *out);
} kernels;

/* An instruction set: a name for --isa, and its table for each type that is computed in. */
typedef struct isa {
    named named;
    bool (*is_here)(void);               /* this machine has it */
    const kernels *(*table)(dtype type); /* NULL where it is another architecture's */
} isa;

extern const named_table ISAS; /* rows of `isa`, the fastest first */

/* The first row that this machine has. */
const isa *isa_best(void);
/* The row of this name, NULL or "auto" being the best; NULL with the error set where the machine
 * does not have it. */
const isa *isa_by_name(const char *name, err *e);

/* Rounding to nearest and denormals on, whatever the thread was set to before: the first call of
 * every thread that computes, undone by the second. */
typedef struct float_mode {
    fenv_t saved;
    unsigned control; /* in place of it where there is a quicker way */
} float_mode;
void float_mode_set(float_mode *mode);
void float_mode_restore(const float_mode *mode);

#endif
