/* Queries and keys divided by their root mean square. */
#include "ref/ref_parts.h"

#include <math.h>
#include <stdlib.h>

/* √((Σ x²)/width + eps), computed in float64 */
static ref_number root_of(const ref_number *x, size_t width, double eps)
{
    ref_number sum = number_exact(0);
    for (size_t i = 0; i < width; i++)
        sum = number_add(&FLOAT64, sum, number_multiply(&FLOAT64, x[i], x[i]));
    sum.value /= (long double)width;
    sum.slip = sum.slip / (long double)width + FLOAT64.unit * sum.value;
    return number_root(&FLOAT64, number_add(&FLOAT64, sum, number_exact(eps)));
}

/* |x / root| is at most √width, however far off both are. */
static ref_number divided(ref_number x, ref_number root, size_t width)
{
    long double most = 2 * sqrtl((long double)width), least = root.value - root.slip;
    if (root.value == 0)
        return number_exact(0);
    long double value = x.value / root.value;
    long double slip = least <= 0 ? most : (fabsl(x.value) + x.slip) / least - fabsl(value);
    return (ref_number){value, fminl(slip, most) + FLOAT64.unit * fabsl(value) + FLOAT64.tiny};
}

void ref_normalize_row(const ref_problem *p, ref_number *x, size_t width, double eps,
                       const double *gain)
{
    ref_number root = root_of(x, width, eps);
    if (ref_makes(p, "rms"))
        root.value *= sqrtl((long double)width);
    for (size_t i = 0; i < width; i++) {
        x[i] = divided(x[i], root, width);
        if (gain != NULL)
            x[i] = number_multiply(&FLOAT64, x[i], number_exact(gain[i]));
        if (p->is_float32)
            x[i] = number_add(&FLOAT32, x[i], number_exact(0));
    }
}

/* Of one head; NULL where there are none. */
static const double *gains_of(const ref_array *gain, size_t head, size_t width)
{
    if (gain->at == NULL)
        return NULL;
    return gain->at + (ref_count_of(gain) == width ? 0 : head * width);
}

/* Where a number of b × heads × n × width is once each row has all heads side by side. */
static size_t joined_at(size_t at, size_t heads, size_t n, size_t width)
{
    size_t row = at / width, batch = row / n / heads, head = row / n % heads, i = row % n;
    return ((batch * n + i) * heads + head) * width + at % width;
}

static ref_number *join_heads(const ref_sizes *s, const ref_number *apart, size_t heads, size_t n,
                              size_t width)
{
    size_t count = s->b * heads * n * width;
    ref_number *joined = ref_alloc(count, sizeof *joined);
    for (size_t at = 0; at < count; at++)
        joined[joined_at(at, heads, n, width)] = apart[at];
    return joined;
}

/* Which are freed. */
static void part_heads(const ref_sizes *s, ref_number *joined, ref_number *apart, size_t heads,
                       size_t n, size_t width)
{
    for (size_t at = 0; at < s->b * heads * n * width; at++)
        apart[at] = joined[joined_at(at, heads, n, width)];
    free(joined);
}

static void normalize_all(const ref_problem *p, const ref_sizes *s, ref_number *x, ref_input gains,
                          size_t heads, size_t n, size_t width)
{
    size_t whole = heads * width;
    double eps = p->has_eps ? p->eps : 1e-6;
    if (p->norms_all) {
        ref_number *joined = join_heads(s, x, heads, n, width);
        for (size_t row = 0; row < s->b * n; row++)
            ref_normalize_row(p, joined + row * whole, whole, eps,
                              gains_of(&p->in[gains], 0, whole));
        part_heads(s, joined, x, heads, n, width);
        return;
    }
    for (size_t row = 0; row < s->b * heads * n; row++)
        ref_normalize_row(p, x + row * width, width, eps,
                          gains_of(&p->in[gains], row / n % heads, width));
}

void ref_compute_norms(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    if (!p->normalizes)
        return;
    normalize_all(p, s, r->q, REF_Q_GAIN, s->h, s->n_q, s->d_q);
    normalize_all(p, s, r->k, REF_K_GAIN, s->g, s->n_new + s->n_k - s->own, s->d_k);
    ref_keep_stage(r, &p->in[REF_Q], REF_STAGE_Q_NORM, "q_norm", 'q', s->d_q, r->q);
    ref_keep_stage(r, &p->in[REF_K], REF_STAGE_K_NORM, "k_norm", 'n', s->d_k, r->k);
}

/* With y = gain·x / r and r = √(mean(x²) + eps): ∂r/∂x[i] = x[i] / (width·r), so that of dy comes
 * (gain[i]·dy[i] − x[i] · Σ gain·dy·x / (width·r²)) / r. */
void ref_normalize_row_back(const ref_problem *p, const ref_number *x, size_t width, double eps,
                            const double *gain, ref_number *dy)
{
    const precision *wide = &FLOAT64;
    ref_number root = root_of(x, width, eps), sum = number_exact(0);
    bool is_lost = root.slip > root.value / 2;
    ref_number inverse = number_exact(0);
    if (root.value > 0)
        inverse = number_divide(wide, number_exact(1), root);
    for (size_t i = 0; i < width; i++) {
        if (gain != NULL)
            dy[i] = number_multiply(wide, dy[i], number_exact(gain[i]));
        sum = number_add(wide, sum, number_multiply(wide, dy[i], x[i]));
    }
    sum = number_divide(wide, sum, number_exact((long double)width));
    sum = number_multiply(wide, number_multiply(wide, sum, inverse), inverse);
    for (size_t i = 0; i < width; i++) {
        ref_number less = number_multiply(wide, x[i], sum);
        ref_number own = number_add(wide, dy[i], (ref_number){-less.value, less.slip});
        dy[i] = number_add(ref_precision(p), number_multiply(wide, own, inverse), number_exact(0));
        if (is_lost)
            dy[i].slip = INFINITY;
    }
}

void ref_normalize_back(const ref_problem *p, const ref_sizes *s, const ref_number *x,
                        ref_input gains, size_t n, size_t width, ref_number *dy)
{
    size_t heads = gains == REF_Q_GAIN ? s->h : s->g, whole = heads * width;
    double eps = p->has_eps ? p->eps : 1e-6;
    if (p->norms_all) {
        ref_number *of = join_heads(s, x, heads, n, width),
                   *back = join_heads(s, dy, heads, n, width);
        for (size_t row = 0; row < s->b * n; row++)
            ref_normalize_row_back(p, of + row * whole, whole, eps,
                                   gains_of(&p->in[gains], 0, whole), back + row * whole);
        part_heads(s, back, dy, heads, n, width);
        free(of);
        return;
    }
    for (size_t row = 0; row < s->b * heads * n; row++)
        ref_normalize_row_back(p, x + row * width, width, eps,
                               gains_of(&p->in[gains], row / n % heads, width), dy + row * width);
}
