/* PyTorch's generators: rows of the table in generator.c. */
#ifndef SELFATTN_RANDOM_TORCH_H
#define SELFATTN_RANDOM_TORCH_H

#include "random/generator.h"

/* PyTorch's on the CPU after torch.manual_seed(seed): torch.rand, uniform_, torch.randn and
 * normal_; as its code for AVX2 draws them, and as its plain code does. */
void torch_begin(stream *s);
void torch_fill(stream *s, const draw *d, size_t first, size_t count, double *out);
void torch_scalar_fill(stream *s, const draw *d, size_t first, size_t count, double *out);

/* Logarithm, sine and cosine in float32 as the C library has them, for the plain code: of
 * 0 < x ≤ 1, normal, and of 0 ≤ x ≤ 2π. Public for its test. */
float scalar_log(float x);
float scalar_sine(float x);
float scalar_cosine(float x);

#endif
