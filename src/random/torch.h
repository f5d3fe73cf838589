/* PyTorch's generator on the CPU, in float32, after torch.manual_seed(seed): torch.rand,
 * uniform_, torch.randn and normal_.
 *
 * Its last bits depend on which code PyTorch dispatches to. On any x86 processor of today that is
 * its vector code for AVX2, with fused multiply-adds and, for normal numbers from 16 on, the
 * float32 functions of the Cephes library. Where PyTorch finds no AVX2, or is told so
 * (ATEN_CPU_CAPABILITY=default), it is plain code without them, with the C library's functions,
 * scalar.h. Fewer than 16 normal numbers are made in float64, by both alike.
 */
#ifndef SELFATTN_RANDOM_TORCH_H
#define SELFATTN_RANDOM_TORCH_H

#include "random/generator.h"

void torch_begin(stream *s);
void torch_fill(stream *s, const draw *d, size_t first, size_t count, double *out);
void torch_scalar_fill(stream *s, const draw *d, size_t first, size_t count, double *out);

#endif
