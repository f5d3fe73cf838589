/* The bare matrix product, by selfattn and by a BLAS that is loaded where it is installed. */
#include "attn/multiply.h"
#include "bench/work.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef void sgemm(int order, int a_is_transposed, int b_is_transposed, int m, int n, int k,
                   float alpha, const float *a, int a_stride, const float *b, int b_stride,
                   float beta, float *c, int c_stride);

typedef struct product {
    const kernels *with;
    sgemm *blas;
    tensor a, b, c;
    size_t threads;
} product;

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

static product *prepare(const words *w)
{
    size_t m = words_number(w, "m", 1024), n = words_number(w, "n", m);
    size_t k = words_number(w, "k", m);
    product *p = bench_alloc(1, sizeof *p);
    *p = (product){.threads = words_number(w, "threads", 1)};
    p->a = matrix(m, k, 1);
    p->b = matrix(k, n, 2);
    p->c = matrix(m, n, 3);
    return p;
}

static double operations(const words *w)
{
    size_t m = words_number(w, "m", 1024), n = words_number(w, "n", m);
    return (double)m * (double)n * (double)words_number(w, "k", m);
}

/* ---- selfattn ---- */

static void *prepare_own(const words *w)
{
    err e = {0};
    const isa *by = isa_by_name(words_value(w, "isa", "auto"), &e);
    product *p = by == NULL ? NULL : prepare(w);
    if (p != NULL)
        p->with = by->table(DTYPE_F32);
    return p;
}

static double run_own(void *state)
{
    product *p = state;
    err e = {0};
    double before = now_ms();
    if (!multiply(p->with, &p->a, &p->b, NULL, &p->c, p->threads, &e))
        fprintf(stderr, "bench: %s\n", e.what);
    return now_ms() - before;
}

/* ---- a BLAS ---- */

/* The library takes its number of threads from the processors that it may run on, which the driver
 * has limited. */
static void *prepare_blas(const words *w)
{
    void *library = dlopen(words_value(w, "library", ""), RTLD_NOW | RTLD_GLOBAL);
    void *found = library == NULL ? NULL : dlsym(library, "cblas_sgemm");
    if (found == NULL) {
        fprintf(stderr, "bench: %s\n", dlerror());
        return NULL;
    }
    product *p = prepare(w);
    memcpy(&p->blas, &found, sizeof found); /* C has no cast from an object to a function */
    return p;
}

static double run_blas(void *state)
{
    enum { ROW_MAJOR = 101, AS_IT_IS = 111 }; /* CBLAS's own constants */
    product *p = state;
    int m = (int)p->a.size[0], k = (int)p->a.size[1], n = (int)p->b.size[1];
    double before = now_ms();
    p->blas(ROW_MAJOR, AS_IT_IS, AS_IT_IS, m, n, k, 1, p->a.data, k, p->b.data, n, 0, p->c.data, n);
    return now_ms() - before;
}

const work WORK_PRODUCT = {"product", prepare_own, run_own, operations};
const work WORK_BLAS = {"blas", prepare_blas, run_blas, NULL};
