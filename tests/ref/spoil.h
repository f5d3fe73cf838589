/* A floating-point environment that no program should compute in: rounding upwards and, where the
 * machine can be set so, subnormal numbers taken and written as zero, and a signal for whatever is
 * inexact. */
#ifndef SELFATTN_TESTS_SPOIL_H
#define SELFATTN_TESTS_SPOIL_H

#include <stdbool.h>

void float_mode_spoil(void);
bool float_mode_is_spoilt(void);
void float_mode_mend(void);

#endif
