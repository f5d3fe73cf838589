/* Writing bytes into fresh memory, which is then given back: what a result of this size costs
 * whoever computes it. */
#include "base/mem.h"
#include "base/threads.h"
#include "bench/work.h"

#include <string.h>

typedef struct fill {
    char *block;
    size_t bytes, threads;
} fill;

static void *prepare(const words *w)
{
    size_t n = words_number(w, "n", 2048);
    fill *f = bench_alloc(1, sizeof *f);
    *f = (fill){.bytes = words_number(w, "heads", 1) * n * n * sizeof(float)};
    f->threads = words_number(w, "threads", 1);
    return f;
}

static void fill_part(void *context, size_t worker)
{
    const fill *f = context;
    size_t first = f->bytes / f->threads * worker;
    size_t end = worker + 1 == f->threads ? f->bytes : f->bytes / f->threads * (worker + 1);
    memset(f->block + first, 1, end - first);
}

static double run(void *state)
{
    fill *f = state;
    double before = now_ms();
    f->block = bench_alloc(f->bytes, 1);
    threads_run(f->threads, fill_part, f);
    mem_free(f->block);
    return now_ms() - before;
}

const work WORK_FILL = {"fill", prepare, run, NULL};
