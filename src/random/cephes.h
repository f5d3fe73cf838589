/* Logarithm, sine and cosine in float32 as the Cephes library has them (Moshier, "Methods and
 * Programs for Mathematical Functions", 1989, and its single precision edition), with a fused
 * multiply-add wherever a product meets a sum: to the bit what PyTorch's AVX2 code computes. */
#ifndef SELFATTN_RANDOM_CEPHES_H
#define SELFATTN_RANDOM_CEPHES_H

/* 0 < x ≤ 1, normal. */
float cephes_log(float x);
/* 0 ≤ x ≤ 2π. */
void cephes_sine_cosine(float x, float *sine, float *cosine);

#endif
