/* Bare multiply-adds in registers: "peak core n=2048 …" takes as long as the multiply-adds of that
 * core would, if there were nothing else to do. */
#include "base/threads.h"
#include "bench/work.h"
#include "kernels/kernels.h"

#include <stdatomic.h>
#include <string.h>

/* Twelve chains keep two units of a latency up to 6 busy; each begins elsewhere, since a compiler
 * makes one of those that are equal. `loops` are done in each thread. */
enum { CHAINS = 12 };
/* Long enough to be timed well; what is left of the work is only reckoned. */
static const double OPERATIONS_MOST = 2e9;

typedef void (*chains)(size_t loops, float *out);

typedef struct peak {
    chains loop;
    size_t threads, loops;
    double scale; /* multiply-adds of the work / those that are done */
} peak;

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2,fma"))) static void chains_avx2(size_t loops, float *out)
{
    __m256 x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(0.001f);
    __m256 a = x, b = a + x, c = b + x, d = c + x, e = d + x, f = e + x;
    __m256 g = f + x, h = g + x, i = h + x, j = i + x, k = j + x, l = k + x;
    while (loops-- > 0) {
        a = _mm256_fmadd_ps(a, x, y), b = _mm256_fmadd_ps(b, x, y);
        c = _mm256_fmadd_ps(c, x, y), d = _mm256_fmadd_ps(d, x, y);
        e = _mm256_fmadd_ps(e, x, y), f = _mm256_fmadd_ps(f, x, y);
        g = _mm256_fmadd_ps(g, x, y), h = _mm256_fmadd_ps(h, x, y);
        i = _mm256_fmadd_ps(i, x, y), j = _mm256_fmadd_ps(j, x, y);
        k = _mm256_fmadd_ps(k, x, y), l = _mm256_fmadd_ps(l, x, y);
    }
    _mm256_storeu_ps(out, a + b + c + d + e + f + g + h + i + j + k + l);
}

__attribute__((target("avx512f"))) static void chains_avx512(size_t loops, float *out)
{
    __m512 x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(0.001f);
    __m512 a = x, b = a + x, c = b + x, d = c + x, e = d + x, f = e + x;
    __m512 g = f + x, h = g + x, i = h + x, j = i + x, k = j + x, l = k + x;
    while (loops-- > 0) {
        a = _mm512_fmadd_ps(a, x, y), b = _mm512_fmadd_ps(b, x, y);
        c = _mm512_fmadd_ps(c, x, y), d = _mm512_fmadd_ps(d, x, y);
        e = _mm512_fmadd_ps(e, x, y), f = _mm512_fmadd_ps(f, x, y);
        g = _mm512_fmadd_ps(g, x, y), h = _mm512_fmadd_ps(h, x, y);
        i = _mm512_fmadd_ps(i, x, y), j = _mm512_fmadd_ps(j, x, y);
        k = _mm512_fmadd_ps(k, x, y), l = _mm512_fmadd_ps(l, x, y);
    }
    _mm512_storeu_ps(out, a + b + c + d + e + f + g + h + i + j + k + l);
}

static chains chains_of(const char *name, size_t *lanes)
{
    *lanes = strcmp(name, "avx512") == 0 ? 16 : 8;
    return *lanes == 16 ? chains_avx512 : strcmp(name, "avx2") == 0 ? chains_avx2 : NULL;
}

#elif defined(__aarch64__)
#include <arm_neon.h>

static void chains_neon(size_t loops, float *out)
{
    float32x4_t x = vdupq_n_f32(0.999f), y = vdupq_n_f32(0.001f);
    float32x4_t a = x, b = a + x, c = b + x, d = c + x, e = d + x, f = e + x;
    float32x4_t g = f + x, h = g + x, i = h + x, j = i + x, k = j + x, l = k + x;
    while (loops-- > 0) {
        a = vfmaq_f32(y, a, x), b = vfmaq_f32(y, b, x), c = vfmaq_f32(y, c, x);
        d = vfmaq_f32(y, d, x), e = vfmaq_f32(y, e, x), f = vfmaq_f32(y, f, x);
        g = vfmaq_f32(y, g, x), h = vfmaq_f32(y, h, x), i = vfmaq_f32(y, i, x);
        j = vfmaq_f32(y, j, x), k = vfmaq_f32(y, k, x), l = vfmaq_f32(y, l, x);
    }
    vst1q_f32(out, a + b + c + d + e + f + g + h + i + j + k + l);
}

static chains chains_of(const char *name, size_t *lanes)
{
    *lanes = 4;
    return strcmp(name, "neon") == 0 ? chains_neon : NULL;
}

#else

static chains chains_of(const char *name, size_t *lanes)
{
    (void)name;
    *lanes = 1;
    return NULL;
}

#endif

static void *prepare(const words *w)
{
    size_t lanes;
    err e = {0};
    const isa *by = isa_by_name(words_value(w, "isa", "auto"), &e);
    const work *of = w->count < 2 ? NULL : work_find(w->word[1]);
    chains loop = by == NULL ? NULL : chains_of(by->named.name, &lanes);
    if (loop == NULL || of == NULL || of->multiply_adds == NULL)
        return NULL;
    double all = of->multiply_adds(w), done = all < OPERATIONS_MOST ? all : OPERATIONS_MOST;
    peak *p = bench_alloc(1, sizeof *p);
    *p = (peak){.loop = loop, .threads = words_number(w, "threads", 1)};
    p->loops = (size_t)(done / (double)(p->threads * CHAINS * lanes)) + 1;
    p->scale = all / (double)(p->threads * CHAINS * lanes * p->loops);
    return p;
}

static void run_one(void *context, size_t worker)
{
    const peak *p = context;
    float out[16];
    (void)worker;
    p->loop(p->loops, out);
}

static double run(void *state)
{
    peak *p = state;
    double before = now_ms();
    threads_run(p->threads, run_one, p);
    return (now_ms() - before) * p->scale;
}

const work WORK_PEAK = {"peak", prepare, run, NULL};
