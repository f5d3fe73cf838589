/* Queries and keys divided by their root mean square. */
#include "ref/ref_parts.h"

#include <math.h>

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

static void normalize(const ref_problem *p, ref_number *x, size_t width, const double *gain)
{
    ref_number root = root_of(x, width, p->has_eps ? p->eps : 1e-6);
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

static void normalize_all(const ref_problem *p, const ref_sizes *s, ref_number *x, ref_input gains,
                          size_t heads, size_t n, size_t width)
{
    const ref_array *gain = &p->in[gains];
    bool is_shared = gain->at != NULL && ref_count_of(gain) == width;
    for (size_t row = 0; row < s->b * heads * n; row++) {
        size_t head = row / n % heads;
        const double *of_head = gain->at == NULL ? NULL : gain->at + (is_shared ? 0 : head * width);
        normalize(p, x + row * width, width, of_head);
    }
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
