#include "ref/spoil.h"

#include <fenv.h>
#include <stdint.h>

#ifndef FE_UPWARD
#define FE_UPWARD FE_TONEAREST /* a machine that rounds in no other way */
#endif

#if defined(__x86_64__)
#include <xmmintrin.h>

static const uint64_t FLUSH_BITS = 0x8040; /* MXCSR: FTZ and DAZ */
/* MXCSR: what is inexact, too small, too large, or divided by 0 goes on without a signal. */
static const uint64_t CALM_BITS = 0x1e00;

static uint64_t control(void)
{
    return _mm_getcsr();
}

static void set_control(uint64_t bits)
{
    _mm_setcsr((unsigned)bits);
}
#elif defined(__aarch64__)
static const uint64_t FLUSH_BITS = 1 << 24, CALM_BITS = 0; /* FPCR: FZ */

static uint64_t control(void)
{
    uint64_t bits;
    __asm__ volatile("mrs %0, fpcr" : "=r"(bits));
    return bits;
}

static void set_control(uint64_t bits)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(bits));
}
#else
static const uint64_t FLUSH_BITS = 0, CALM_BITS = 0;

static uint64_t control(void)
{
    return 0;
}

static void set_control(uint64_t bits)
{
    (void)bits;
}
#endif

void float_mode_spoil(void)
{
    fesetround(FE_UPWARD);
    set_control((control() | FLUSH_BITS) & ~CALM_BITS);
}

bool float_mode_is_spoilt(void)
{
    return fegetround() == FE_UPWARD && (control() & (FLUSH_BITS | CALM_BITS)) == FLUSH_BITS;
}

void float_mode_mend(void)
{
    fesetenv(FE_DFL_ENV);
    set_control((control() & ~FLUSH_BITS) | CALM_BITS);
}
