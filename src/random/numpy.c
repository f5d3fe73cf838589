#include "random/numpy.h"

#include "kernels/logarithm.h"

#include <math.h>

static void scale(const law *l, size_t count, double *out)
{
    double factor = l->kind == LAW_NORMAL ? l->b : l->b - l->a;
    for (size_t i = 0; i < count; i++)
        out[i] = l->a + factor * out[i];
}

void numpy_legacy_begin(stream *s)
{
    uint32_t seed = (uint32_t)s->seed;
    mersenne_seed(&s->twister, seed);
}

/* The polar method (Marsaglia and Bray, "A convenient method for generating normal variables",
 * 1964), whose second number is given first. */
static double legacy_normal(stream *s)
{
    double x, y, square;
    if (s->has_spare) {
        s->has_spare = false;
        return s->spare;
    }
    do {
        x = 2 * mersenne_part(&s->twister) - 1;
        y = 2 * mersenne_part(&s->twister) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double factor = sqrt(-2 * logarithm(square) / square);
    s->spare = factor * x;
    s->has_spare = true;
    return factor * y;
}

void numpy_legacy_fill(stream *s, const draw *d, size_t first, size_t count, double *out)
{
    (void)first;
    for (size_t i = 0; i < count; i++)
        out[i] = d->law.kind == LAW_NORMAL ? legacy_normal(s) : mersenne_part(&s->twister);
    scale(&d->law, count, out);
}

void numpy_begin(stream *s)
{
    pcg64_seed(&s->pcg, s->seed);
    ziggurat_build(&s->layers);
}

void numpy_fill(stream *s, const draw *d, size_t first, size_t count, double *out)
{
    (void)first;
    for (size_t i = 0; i < count; i++)
        out[i] =
            d->law.kind == LAW_NORMAL ? ziggurat_normal(&s->layers, &s->pcg) : pcg64_part(&s->pcg);
    scale(&d->law, count, out);
}
