/* The matrix product by a library that is loaded where it is installed, so that this program is
 * built without it. Libraries take their number of threads from the processors that they may run
 * on, which the driver has limited. */
#include "bench/product.h"
#include "bench/work.h"
#include "kernels/kernels.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As CBLAS and oneDNN declare theirs (www.netlib.org/blas; oneapi/dnnl/dnnl.h). */
typedef void cblas_sgemm(int order, int a_is_transposed, int b_is_transposed, int m, int n, int k,
                         float alpha, const float *a, int a_stride, const float *b, int b_stride,
                         float beta, float *c, int c_stride);
typedef int dnnl_sgemm(char a_is_transposed, char b_is_transposed, int64_t m, int64_t n, int64_t k,
                       float alpha, const float *a, int64_t a_stride, const float *b,
                       int64_t b_stride, float beta, float *c, int64_t c_stride);

typedef struct library {
    product of;
    cblas_sgemm *blas;
    dnnl_sgemm *dnnl;
} library;

/* The function lands in `function`, whose type C can't cast from an object's. */
static bool load(const char *file, const char *name, void *function)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    void *found = handle == NULL ? NULL : dlsym(handle, name);
    if (found == NULL)
        fprintf(stderr, "bench: %s\n", dlerror());
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* ---- OpenBLAS ---- */

/* An OpenBLAS older than the processor takes kernels for an older one. core=SkylakeX makes it take
 * those for AVX-512, where there is AVX-512. */
static bool choose_core(const words *w)
{
    err e = {0};
    const char *core = words_value(w, "core", NULL);
    return core == NULL ||
           (isa_by_name("avx512", &e) != NULL && setenv("OPENBLAS_CORETYPE", core, 1) == 0);
}

static void *prepare_openblas(const words *w)
{
    library *l = bench_alloc(1, sizeof *l);
    if (!choose_core(w) || !load("libopenblas.so.0", "cblas_sgemm", &l->blas))
        return NULL;
    product_prepare(&l->of, w);
    return l;
}

static double run_openblas(void *state)
{
    enum { ROW_MAJOR = 101, AS_IT_IS = 111 }; /* CBLAS's own constants */
    library *l = state;
    tensor *a = &l->of.a, *b = &l->of.b, *c = &l->of.c;
    int m = (int)a->size[0], k = (int)a->size[1], n = (int)b->size[1];
    double before = now_ms();
    l->blas(ROW_MAJOR, AS_IT_IS, AS_IT_IS, m, n, k, 1, a->data, k, b->data, n, 0, c->data, n);
    return now_ms() - before;
}

/* ---- oneDNN ---- */

static void *prepare_onednn(const words *w)
{
    library *l = bench_alloc(1, sizeof *l);
    if (!load("libdnnl.so.2", "dnnl_sgemm", &l->dnnl))
        return NULL;
    product_prepare(&l->of, w);
    return l;
}

static double run_onednn(void *state)
{
    library *l = state;
    tensor *a = &l->of.a, *b = &l->of.b, *c = &l->of.c;
    int64_t m = (int64_t)a->size[0], k = (int64_t)a->size[1], n = (int64_t)b->size[1];
    double before = now_ms();
    l->dnnl('N', 'N', m, n, k, 1, a->data, k, b->data, n, 0, c->data, n);
    return now_ms() - before;
}

const work WORK_OPENBLAS = {"openblas", prepare_openblas, run_openblas, NULL};
const work WORK_ONEDNN = {"onednn", prepare_onednn, run_onednn, NULL};
