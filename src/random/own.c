#include "random/own.h"

#include "kernels/kernels.h"

void own_elements(const stream *s, const draw *d, size_t first, size_t count, void *out)
{
    const kernels *with = isa_best()->table(d->type);
    const random_place from = {.seed = s->seed, .pair = first / 2, .matrix = d->matrix};
    if (d->law.kind == LAW_NORMAL)
        with->draw_normal(&from, count, d->law.a, d->law.b, out);
    else
        with->draw_uniform(&from, count, d->law.a, d->law.b, out);
}

void own_fill(stream *s, const draw *d, size_t first, size_t count, double *out)
{
    enum { RUN = 256 };
    float narrow[RUN];
    if (d->type == DTYPE_F64) {
        own_elements(s, d, first, count, out);
        return;
    }
    for (size_t begin = 0; begin < count; begin += RUN) {
        size_t length = count - begin < RUN ? count - begin : RUN;
        own_elements(s, d, first + begin, length, narrow);
        for (size_t i = 0; i < length; i++)
            out[begin + i] = narrow[i];
    }
}
