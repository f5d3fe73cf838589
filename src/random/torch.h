/* PyTorch's generator on the CPU, in float32, after torch.manual_seed(seed): torch.rand,
 * uniform_, torch.randn and normal_.
 *
 * From 16 numbers on, normal numbers go through vector code, whose float32 functions are the ones
 * of cephes.h; this is the path of processors with AVX2 and FMA, which PyTorch takes on any x86
 * machine of today. Where PyTorch finds no AVX2 it takes the C library's float functions, whose
 * last bits are its own: that path is not here. Fewer than 16 are made in float64. */
#ifndef SELFATTN_RANDOM_TORCH_H
#define SELFATTN_RANDOM_TORCH_H

#include "random/generator.h"

void torch_begin(stream *s);
void torch_fill(stream *s, const draw *d, size_t first, size_t count, double *out);

#endif
