/* The table of instruction sets, the same on every machine, and which of them this one has. */
#include "kernels/kernels.h"

#include <float.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* For instruction sets of other architectures. */
static bool never(void)
{
    return false;
}

static const kernels *no_table(dtype type)
{
    (void)type;
    return NULL;
}

static bool always(void)
{
    return true;
}

#define TABLE_OF(isa)                                                                              \
    extern const kernels kernels_##isa##_f32, kernels_##isa##_f64;                                 \
    static const kernels *isa##_table(dtype type)                                                  \
    {                                                                                              \
        return type == DTYPE_F64 ? &kernels_##isa##_f64 : &kernels_##isa##_f32;                    \
    }

TABLE_OF(scalar)

#if defined(__x86_64__)
TABLE_OF(fused)
TABLE_OF(avx2)
TABLE_OF(avx512)

static bool has_avx2(void)
{
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

/* The scalar kernels are built twice, with and without fma as an instruction. Both give the same
 * bits, but a call of the C library's fma costs some 35 times the instruction. */
static const kernels *plain_table(dtype type)
{
    return has_avx2() ? fused_table(type) : scalar_table(type);
}

#define OF_X86(is_here, table) is_here, table
#else
#define plain_table scalar_table
#define OF_X86(is_here, table) never, no_table
#endif

#if defined(__aarch64__)
TABLE_OF(neon)
#define OF_ARM(is_here, table) is_here, table
#else
#define OF_ARM(is_here, table) never, no_table
#endif

static const isa ROWS[] = {
    {{"avx512", "x86-64 with AVX-512 F, DQ, VL, BW"}, OF_X86(has_avx512, avx512_table)},
    {{"avx2", "x86-64 with AVX2 and FMA"}, OF_X86(has_avx2, avx2_table)},
    {{"neon", "64-bit Arm with Advanced SIMD"}, OF_ARM(always, neon_table)},
    {{"scalar", "plain C, the definition of every result"}, always, plain_table},
};

const named_table ISAS = NAMED_TABLE("instruction set", ROWS);

const isa *isa_best(void)
{
    const isa *best = ROWS;
    while (!best->is_here())
        best++;
    return best;
}

const isa *isa_by_name(const char *name, err *e)
{
    if (name == NULL || strcmp(name, "auto") == 0)
        return isa_best();
    const isa *found = (const isa *)(const void *)named_find(&ISAS, name, strlen(name));
    if (found != NULL && found->is_here())
        return found;
    err_option(e, "isa", "this machine does not have %s", name);
    err_remedy(e, "--isa auto takes the best that is here");
    return NULL;
}

size_t isa_shared_cache(void)
{
    long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return bytes > 0 ? (size_t)bytes : 0;
}

/* ---- the mode that results depend on: rounding to nearest, subnormal numbers on ---- */

#if FLT_RADIX != 2 || FLT_MANT_DIG != 24 || DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
#error "results are those of IEEE 754's binary32 and binary64: float or double is another here"
#endif
_Static_assert(FLT_EVAL_METHOD == 0,
               "each operation must be rounded to its type: i386 needs -msse2 -mfpmath=sse, "
               "s390x -fexcess-precision=fast");

#if defined(__x86_64__)
/* All arithmetic is done by SSE and its successors. Reading and writing their one control register
 * takes a tenth of fesetenv's time, and C does not say whether fesetenv turns subnormal numbers
 * on. */
static const unsigned DEFAULT_CONTROL = 0x1f80;

void float_mode_set(float_mode *mode)
{
    mode->control = _mm_getcsr();
    _mm_setcsr(DEFAULT_CONTROL);
}

void float_mode_restore(const float_mode *mode)
{
    _mm_setcsr(mode->control);
}
#else
/* The default environment has subnormal numbers on. */
void float_mode_set(float_mode *mode)
{
    fegetenv(&mode->saved);
    fesetenv(FE_DFL_ENV);
}

void float_mode_restore(const float_mode *mode)
{
    fesetenv(&mode->saved);
}
#endif
