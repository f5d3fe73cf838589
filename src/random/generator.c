#include "random/generator.h"

#include "base/threads.h"
#include "kernels/kernels.h"
#include "kernels/sine.h"
#include "random/numpy.h"
#include "random/torch.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- the cosine of a whole number, the project's own: the same bits everywhere ---- */

/* 1/2π as the sum of two */
static const double TURN_HIGH = 0x1.45f306dc9c883p-3, TURN_LOW = -0x1.6b01ec5417056p-57;

/* cos i, 0 ≤ i < 2⁵³, within 2⁻⁵¹. */
static double cosine_of_whole(double i)
{
    double turns = i * TURN_HIGH, lost = fma(i, TURN_HIGH, -turns) + i * TURN_LOW;
    double u = (turns - floor(turns)) + lost, sine, cosine;
    u -= floor(u);
    sine_and_cosine_of_turn(u, &sine, &cosine);
    return cosine;
}

/* ---- the project's own generator ---- */

/* Elements of d->type: LAW_UNIFORM or LAW_NORMAL. `first` is even. */
static void own_elements(const stream *s, const draw *d, size_t first, size_t count, void *out)
{
    const kernels *with = isa_best()->table(d->type);
    const random_place from = {.seed = s->seed, .pair = first / 2, .matrix = d->matrix};
    if (d->law.kind == LAW_NORMAL)
        with->draw_normal(&from, count, d->law.a, d->law.b, out);
    else
        with->draw_uniform(&from, count, d->law.a, d->law.b, out);
}

static void own_fill(stream *s, const draw *d, size_t first, size_t count, double *out)
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

/* ---- all of them ---- */

static void begin_nothing(stream *s)
{
    (void)s;
}

/* clang-format off */
static const generator ROWS[] = {
    {{"own", "by seed, matrix and place alone (Philox4x32-10)"},
     UINT64_MAX, true, true, false, begin_nothing, own_fill, own_elements},
    {{"numpy", "default_rng(seed): random, standard_normal"},
     UINT64_MAX, false, true, true, numpy_begin, numpy_fill, NULL},
    {{"numpy-legacy", "numpy.random.seed(seed): rand, randn, uniform, normal"},
     UINT32_MAX, false, true, true, numpy_legacy_begin, numpy_legacy_fill, NULL},
    {{"torch", "torch.manual_seed(seed), CPU with AVX2: rand, randn, nn"},
     UINT64_MAX, false, false, true, torch_begin, torch_fill, NULL},
    {{"torch-scalar", "torch, where PyTorch finds no AVX2 on the CPU"},
     UINT64_MAX, false, false, true, torch_begin, torch_scalar_fill, NULL},
};
/* clang-format on */

const named_table GENERATORS = NAMED_TABLE("generator", ROWS);

/* In deviations. With 53 bits no generator draws a normal number beyond 12.3, where the tail of
 * NumPy's ziggurat ends. */
static const double GREATEST_NORMAL = 13;

bool law_has_steps(law_kind kind)
{
    return kind == LAW_WHOLE || kind == LAW_HALVES;
}

double law_reach(const law *l)
{
    switch (l->kind) {
    case LAW_UNIFORM: /* u·(b − a) + a */
        return fmax(fmax(fabs(l->a), fabs(l->b)), l->b - l->a);
    case LAW_WHOLE:
    case LAW_HALVES: /* drawing also computes how many halves there are, plus one */
        return 2 * (fmax(fabs(l->a), fabs(l->b)) + l->b - l->a + 1);
    case LAW_NORMAL:
        return fabs(l->a) + GREATEST_NORMAL * l->b;
    default: /* counts, cosines and 0 are of any type, and have no `a` */
        return fabs(l->a);
    }
}

stream stream_begin(const generator *from, uint64_t seed)
{
    stream s = {.from = from, .seed = seed};
    from->begin(&s);
    return s;
}

void stream_draw(stream *s, const draw *d, size_t first, size_t count, double *out)
{
    law_kind kind = d->law.kind;
    bool has_steps = law_has_steps(kind);
    bool is_random = kind == LAW_UNIFORM || kind == LAW_NORMAL || kind == LAW_SPENT;
    if (has_steps) { /* `a` and `b` are multiples of the unit */
        double unit = kind == LAW_WHOLE ? 1 : 0.5, last = d->law.b / unit;
        draw below = *d;
        below.law = (law){LAW_UNIFORM, d->law.a / unit, last + 1};
        s->from->fill(s, &below, first, count, out);
        for (size_t i = 0; i < count; i++)
            out[i] = fmin(floor(out[i]), last) * unit;
    }
    if (is_random)
        s->from->fill(s, d, first, count, out);
    bool is_by_place = kind == LAW_SPENT || !(is_random || has_steps);
    for (size_t i = 0; is_by_place && i < count; i++)
        out[i] = kind == LAW_COSINE  ? cosine_of_whole((double)(first + i))
                 : kind == LAW_COUNT ? (double)(first + i)
                                     : d->law.a;
    for (size_t i = 0; d->type == DTYPE_F32 && i < count; i++)
        out[i] = (float)out[i];
}

/* ---- filling ---- */

/* Elements of a run: its float64 numbers and its elements fit the first-level cache. */
enum { RUN = 2048 };

/* What one number costs, in multiply-adds; it decides whether threads pay. */
static const double COST = 30;

typedef struct filling {
    stream *stream;
    const draw *what;
    size_t first, count;
    char *out;
    atomic_size_t next; /* the next run to be taken */
} filling;

static void fill_runs(void *context, size_t worker)
{
    filling *f = context;
    const draw *what = f->what;
    const generator *from = f->stream->from;
    bool is_plain = what->law.kind == LAW_UNIFORM || what->law.kind == LAW_NORMAL;
    double number[RUN + DRAW_RUN];
    float narrow[RUN + DRAW_RUN];
    (void)worker;
    /* The rest after whole runs is a run of its own, or belongs to the last one if it is shorter
     * than a DRAW_RUN. */
    size_t runs = f->count / RUN + (f->count % RUN >= DRAW_RUN || f->count < RUN);
    for (size_t index; (index = atomic_fetch_add(&f->next, 1)) < runs;) {
        size_t begin = index * RUN, left = f->count - begin;
        size_t count = left < RUN + DRAW_RUN ? left : RUN;
        char *out = f->out + begin * dtype_size(what->type);
        if (from->elements != NULL && is_plain) {
            from->elements(f->stream, what, f->first + begin, count, out);
            continue;
        }
        stream_draw(f->stream, what, f->first + begin, count, number);
        for (size_t i = 0; what->type != DTYPE_F64 && i < count; i++)
            narrow[i] = (float)number[i];
        if (what->type == DTYPE_F64)
            memcpy(out, number, count * sizeof number[0]);
        else
            memcpy(out, narrow, count * sizeof narrow[0]);
    }
}

void fill_elements(stream *s, const draw *d, size_t first, size_t count, void *out, size_t threads)
{
    filling f = {.stream = s, .what = d, .first = first, .count = count, .out = out};
    size_t wanted = s->from->is_indexed ? threads_worth(threads, COST * (double)count) : 1;
    atomic_init(&f.next, 0);
    threads_run(wanted, fill_runs, &f);
}
