/* selfattn's bare matrix product: packing b and multiplying. */
#include "attn/engine/multiply.h"
#include "bench/product.h"
#include "bench/work.h"

#include <stdio.h>

typedef struct own {
    product of;
    const kernels *with;
    crew by;
} own;

static tensor matrix(size_t rows, size_t columns, unsigned seed)
{
    float *data = bench_alloc(rows * columns, sizeof data[0]);
    fill_random(data, rows * columns, 1, seed);
    return (tensor){.type = DTYPE_F32,
                    .rank = 2,
                    .size = {rows, columns},
                    .stride = {(ptrdiff_t)columns, 1},
                    .data = data};
}

void product_prepare(product *p, const words *w)
{
    size_t m = words_number(w, "m", 1024), n = words_number(w, "n", m);
    size_t k = words_number(w, "k", m);
    p->threads = words_number(w, "threads", 1);
    p->a = matrix(m, k, 1);
    p->b = matrix(k, n, 2);
    p->c = matrix(m, n, 3);
}

static void *prepare(const words *w)
{
    err e = {0};
    const isa *by = isa_by_name(words_value(w, "isa", "auto"), &e);
    if (by == NULL)
        return NULL;
    own *o = bench_alloc(1, sizeof *o);
    o->with = by->table(DTYPE_F32);
    product_prepare(&o->of, w);
    crew_open(&o->by, o->of.threads);
    return o;
}

static double run(void *state)
{
    own *o = state;
    product *p = &o->of;
    err e = {0};
    double before = now_ms();
    if (!multiply(o->with, &p->a, &p->b, NULL, &p->c, &o->by, &e))
        fprintf(stderr, "bench: %s\n", e.what);
    return now_ms() - before;
}

static double multiply_adds(const words *w)
{
    size_t m = words_number(w, "m", 1024), n = words_number(w, "n", m);
    return (double)m * (double)n * (double)words_number(w, "k", m);
}

const work WORK_PRODUCT = {"product", prepare, run, multiply_adds};
