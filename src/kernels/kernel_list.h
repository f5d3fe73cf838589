/* All kernels: what each gives, its name, and what it takes. The table of functions is made from
 * this list, and each instruction set's own table; a new one is a row here and its function, named
 * KERNEL(name), in wide/.
 *
 * Each formula with its order of operations is the promise (selfattn-contract(7)): every table
 * gives the same bits. Matrices are rank-2 views of one type with any strides; rows are contiguous.
 * In and out may be the same memory in the functions that work element by element. A finished
 * element of a product is never −0. */
KERNEL_OF(size_t, packed_bytes, (size_t depth, size_t columns))
/* b may be of a narrower type: its numbers are widened, exactly. */
KERNEL_OF(void, pack, (const tensor *b, packed *into))
/* Puts b's elements into `into`, from its row `row` and column `column` on, for which there is
 * room: `depth` says how its panels lie. All others stay. */
KERNEL_OF(void, pack_at, (const tensor *b, size_t row, size_t column, packed *into))
/* c[i][j] = fma(a[i][p], b[p][j], …) for p = 0, 1, …, from +0, or from c; then + (+0). a may have
 * fewer columns than b has rows, and c fewer than b: the first ones are taken. b's `depth` says how
 * its panels lie. What is not needed of c (`band`; NULL: all is) is undefined. */
KERNEL_OF(void, product, (const tensor *a, const packed *b, const product_band *band, tensor *c))
/* The same of one row, whose numbers lie side by side as c's do: b as it is, or of a narrower
 * type, read once. */
KERNEL_OF(void, row_product, (const void *a, const tensor *b, void *c))
/* product, b as it is, without the terms whose a[i][p] is 0: a key of weight 0 takes no part,
 * even where its value is not finite. */
KERNEL_OF(void, product_of_nonzero, (const tensor *a, const tensor *b, tensor *c))
/* c[i][j] = c[i][j] + bias[j], one rounding. */
KERNEL_OF(void, add_to_rows, (tensor * c, const void *bias))
/* Whether no c[i][j] is infinite or NaN. */
KERNEL_OF(bool, is_finite, (const tensor *c))
/* c[i][j] = Σ_p va[p]·tanh((q[i][p] + k[j][p]) + ba[p]), one chain of fma as in product. q: n ×
 * a, k: m × a; va, ba: a. */
KERNEL_OF(void, additive,
          (const tensor *q, const tensor *k, const void *va, const void *ba, tensor *c))

/* out[j] = value */
KERNEL_OF(void, fill, (void *out, size_t n, double value))
/* out[j] = most · tanh(x[j] / most): one division, tanh within 2 ulp, one multiplication. */
KERNEL_OF(void, cap, (const void *x, size_t n, double most, void *out))
/* out[j] = x[j] + b[j·stride] */
KERNEL_OF(void, add, (const void *x, size_t n, const void *b, ptrdiff_t stride, void *out))
/* out[j] = −inf where mask[j] is not 0 (with hides_zeros: where it is), else x[j]. */
KERNEL_OF(void, hide,
          (const void *x, size_t n, const unsigned char *mask, bool hides_zeros, void *out))
/* out[j] = x[j] − slope·|position − j|: the distance exact and rounded to the type, the product
 * and the difference rounded once each. */
KERNEL_OF(void, recede, (const void *x, size_t n, double slope, double position, void *out))
/* out[j] = x[j] · factor + (+0), +0 for a factor of 0: a value's share in the weighted sum.
 * x_stride, out contiguous. */
KERNEL_OF(void, weigh, (const void *x, ptrdiff_t stride, size_t n, double factor, void *out))

/* cosine[i], sine[i] of position·frequency[i], whatever the type is: within 1 ulp of float64,
 * for positions to 2³¹ and frequencies to 1. */
KERNEL_OF(void, angles,
          (double position, const double *frequency, size_t n, double *cosine, double *sine))
/* Pairs of numbers turned, x₁ = x[p·step] and x₂ = x[p·step + apart]; step is 1 or 2:
 *     y₁ = x₁·cos − x₂·sin,  y₂ = x₂·cos + x₁·sin,
 * each operation rounded in float64, the result once more to the type. Not in place. */
KERNEL_OF(void, turn,
          (const void *x, size_t pairs, size_t step, size_t apart, const double *cosine,
           const double *sine, void *out))

/* out[j] = x[j] · y[j], one rounding: a gate. */
KERNEL_OF(void, times, (const void *x, size_t n, const void *y, void *out))
/* A feed-forward's activations. relu: +0 for x[j] ≤ 0, −0 too, else x[j]. The others are
 * computed in float64, with what it loses: within 0.501 ulp for float32, 1.3 for float64
 * (tests/kernels measures them), +0 where that is below the smallest normal number, as at the
 * end of the negative tail.
 * gelu: x·Φ(x), Φ(x) = ½·erfc(−x/√2).
 * gelu_tanh: 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), the number as it is written here.
 * silu: x / (1 + exp(−x)).
 * NaN stays NaN, ∞ stays ∞, and −∞ gives the limit +0. */
KERNEL_OF(void, relu, (const void *x, size_t n, void *out))
KERNEL_OF(void, gelu, (const void *x, size_t n, void *out))
KERNEL_OF(void, gelu_tanh, (const void *x, size_t n, void *out))
KERNEL_OF(void, silu, (const void *x, size_t n, void *out))

/* Layer norm and RMS norm of one row; gain and bias are as long as it, or NULL for none.
 *     mean = (Σ x[j]) / n,  variance = (Σ (x[j] − mean)²) / n,  a second pass
 *     row_norm:     out[j] = ((x[j] − mean) / √(variance + eps)) · gain[j] + bias[j]
 *     row_rms_norm: out[j] = (x[j] / √((Σ x[j]²) / n + eps)) · gain[j]
 * Each operation is rounded in float64, the result once more to the type; the sums are those of
 * row_exponent: 16 partial ones, compensated for float64 data, whose mean is kept with what
 * float64 loses of it. So the deviations of equal numbers are 0. Where the root is 0, the
 * quotient is 0, so the result is 0 · gain[j] + bias[j].
 * False where the sum of squares leaves the range of float64. */
KERNEL_OF(bool, row_norm,
          (const void *x, size_t n, const void *gain, const void *bias, double eps, void *out))
KERNEL_OF(bool, row_rms_norm, (const void *x, size_t n, const void *gain, double eps, void *out))

/* The softmax's steps over one row; key j sits at x[j].
 * scale: out[j] = x[j] · factor, and their max.
 * max: the greatest x[j], −inf for none; NaN never is, and a zero is +0.
 * exponent: exp(x[j] − max) by the project's own polynomial, nothing of the difference lost; +0
 *     for x[j] = −inf and where the nearest power of 2 would be subnormal. Their total: 16
 *     partial sums, key j in partial j mod 16, joined by the tree s = 8, 4, 2, 1:
 *     p[l] += p[l+s]; in float64 for float32 data, compensated for float64 data.
 * divide: x[j] / sum; +0 below the smallest normal number, and where the sum is 0. Another row
 *     can be divided `beside` the exponentials (NULL: none): it takes hardly any more time. */
KERNEL_OF(void, scale, (const void *x, size_t n, double factor, void *out, void *max))
KERNEL_OF(void, row_max, (const void *x, size_t n, void *max))
KERNEL_OF(void, row_exponent,
          (const void *x, size_t n, const void *max, void *out, row_total *total,
           const row_shares *beside))
KERNEL_OF(void, row_divide, (const row_shares *of))

/* The way back through the softmax of a row, x being what comes back to its weights, and a scale:
 *     masked[j] = weights[j]·(x[j] − delta) + (+0),  out[j] = masked[j]·factor + (+0),
 * each operation rounded once. All may be the same memory, in which then out[j] stays. */
KERNEL_OF(void, row_back,
          (const void *x, size_t n, const void *weights, const void *delta, double factor,
           void *masked, void *out))
/* out[i] = Σ_p a[i][p]·b[i][p], a chain for each row as in product: what delta is. */
KERNEL_OF(void, row_dots, (const tensor *a, const tensor *b, void *out))

/* n random numbers from there on: low + (high − low)·part, and mean + deviation·(r·cos 2πv or
 * r·sin 2πv), all in float64 without fused operations, then rounded once to the type. */
KERNEL_OF(void, draw_uniform,
          (const random_place *from, size_t n, double low, double high, void *out))
KERNEL_OF(void, draw_normal,
          (const random_place *from, size_t n, double mean, double deviation, void *out))
