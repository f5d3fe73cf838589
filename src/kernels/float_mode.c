/* The floating-point mode that results depend on: rounding to nearest, subnormal numbers on. */
#include "kernels/kernels.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

/* Bits 15 and 6 flush results and operands to zero: fesetenv leaves them to the implementation. */
static const unsigned FLUSH_BITS = 0x8040;

static void denormals_on(void)
{
    _mm_setcsr(_mm_getcsr() & ~FLUSH_BITS);
}
#else
static void denormals_on(void)
{
    /* The default environment has them on. */
}
#endif

void float_mode_set(float_mode *mode)
{
    fegetenv(&mode->saved);
    fesetenv(FE_DFL_ENV);
    denormals_on();
}

void float_mode_restore(const float_mode *mode)
{
    fesetenv(&mode->saved);
}
