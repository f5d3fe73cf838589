#include "random/fill.h"

#include "base/threads.h"

#include <stdatomic.h>
#include <string.h>

/* A run's float64 numbers and its elements stay in the first-level cache. */
enum { RUN = 2048 };

/* What one number costs, in multiply-adds: whether threads pay. */
static const double COST = 30;

typedef struct filling {
    stream *stream;
    const draw *what;
    size_t first, count;
    char *out;
    atomic_size_t next; /* the run that nobody has taken yet */
} filling;

static void store(const double *number, size_t count, dtype type, char *out)
{
    float narrow[RUN + DRAW_RUN];
    if (type == DTYPE_F64) {
        memcpy(out, number, count * sizeof number[0]);
        return;
    }
    for (size_t i = 0; i < count; i++)
        narrow[i] = (float)number[i];
    memcpy(out, narrow, count * sizeof narrow[0]);
}

/* How many runs; what is left over after whole ones is a run too, or, where it is shorter than a
 * DRAW_RUN, belongs to the last. */
static size_t runs_in(size_t count)
{
    size_t rest = count % RUN;
    return count / RUN + (rest >= DRAW_RUN || count < RUN);
}

static void fill_run(filling *f, size_t index)
{
    double number[RUN + DRAW_RUN];
    size_t begin = index * RUN, left = f->count - begin;
    size_t count = left < RUN + DRAW_RUN ? left : RUN;
    char *out = f->out + begin * dtype_size(f->what->type);
    law_kind kind = f->what->law.kind;
    if (f->stream->from->elements != NULL && (kind == LAW_UNIFORM || kind == LAW_NORMAL)) {
        f->stream->from->elements(f->stream, f->what, f->first + begin, count, out);
        return;
    }
    stream_draw(f->stream, f->what, f->first + begin, count, number);
    store(number, count, f->what->type, out);
}

static void fill_runs(void *context, size_t worker)
{
    filling *f = context;
    (void)worker;
    for (;;) {
        size_t index = atomic_fetch_add(&f->next, 1);
        if (index >= runs_in(f->count))
            return;
        fill_run(f, index);
    }
}

void fill_elements(stream *s, const draw *d, size_t first, size_t count, void *out, size_t threads)
{
    filling f = {.stream = s, .what = d, .first = first, .count = count, .out = out};
    size_t wanted = s->from->is_indexed ? threads_worth(threads, COST * (double)count) : 1;
    atomic_init(&f.next, 0);
    threads_run(wanted, fill_runs, &f);
}
