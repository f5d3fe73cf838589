/* The floating-point mode that results depend on: rounding to nearest, subnormal numbers on. */
#include "kernels/kernels.h"

#include <float.h>

_Static_assert(FLT_EVAL_METHOD == 0,
               "each operation must be rounded to its type: i386 needs -msse2 -mfpmath=sse, "
               "s390x -fexcess-precision=fast");

#if defined(__x86_64__)
#include <xmmintrin.h>

/* All arithmetic is done by SSE and its successors, whose one register is read and written in a
 * tenth of the time that fesetenv takes; fesetenv leaves subnormal numbers to the implementation,
 * too. */
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
