#include "random/generator.h"

#include "random/numpy.h"
#include "random/own.h"
#include "random/torch.h"
#include "random/turn.h"

#include <math.h>

static void begin_nothing(stream *s)
{
    (void)s;
}

static const generator ROWS[] = {
    {{"own", "Philox4x32-10: a number is a function of seed, matrix and place"},
     UINT64_MAX,
     true,
     true,
     false,
     begin_nothing,
     own_fill},
    {{"numpy", "numpy.random.default_rng(seed): random, standard_normal"},
     UINT64_MAX,
     false,
     true,
     true,
     numpy_begin,
     numpy_fill},
    {{"numpy-legacy", "numpy.random.RandomState(seed), or seed(seed): rand, randn"},
     UINT32_MAX,
     false,
     true,
     true,
     numpy_legacy_begin,
     numpy_legacy_fill},
    {{"torch", "torch.manual_seed(seed) on a CPU with AVX2: rand, randn, nn"},
     UINT64_MAX,
     false,
     false,
     true,
     torch_begin,
     torch_fill},
};

const named_table GENERATORS = NAMED_TABLE("generator", ROWS);

stream stream_begin(const generator *from, uint64_t seed)
{
    stream s = {.from = from, .seed = seed};
    from->begin(&s);
    return s;
}

static void fill_by_place(const draw *d, size_t first, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = d->law.kind == LAW_CONSTANT ? d->law.a
                 : d->law.kind == LAW_COSINE ? turn_cosine((double)(first + i))
                                             : (double)(first + i);
}

void stream_draw(stream *s, const draw *d, size_t first, size_t count, double *out)
{
    if (d->law.kind == LAW_UNIFORM || d->law.kind == LAW_NORMAL)
        s->from->fill(s, d, first, count, out);
    else
        fill_by_place(d, first, count, out);
    if (d->type == DTYPE_F32)
        for (size_t i = 0; i < count; i++)
            out[i] = (float)out[i];
}
