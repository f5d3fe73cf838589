/* Looking for news before sleeping until they are told.
 *
 * Waking a thread that sleeps takes as long as a small piece of work does, and longer where its
 * processor sleeps too. So whoever waits looks so often first: for less than half a millisecond,
 * while pieces follow one another. */
#ifndef SELFATTN_BASE_SPIN_WAIT_H
#define SELFATTN_BASE_SPIN_WAIT_H

enum { LOOKS = 10000 };

/* Between two looks. */
static inline void look_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
