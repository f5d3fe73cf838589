/* Sinusoidal positions (Vaswani et al., Attention Is All You Need, 2017, section 3.5), added to the
 * rows of x:
 *
 *     PE(position, 2i)     = sin(position·10000^(−2i/m))
 *     PE(position, 2i + 1) = cos(position·10000^(−2i/m))
 *
 * each sum in float64 and rounded once to the type. Keys and values that are projected from x are
 * made of the sums too. Rows of xk and xv stay: the paper adds positions at the bottoms of its
 * stacks, so that what a decoder is given of an encoder has them already. */
#ifndef SELFATTN_ATTN_ENGINE_SINUSOID_H
#define SELFATTN_ATTN_ENGINE_SINUSOID_H

#include "attn/engine/project.h"

/* Position·frequency is the angle of columns 2i and 2i + 1 of rows that are so wide. */
double sinusoid_frequency(size_t i, size_t width);

/* sums = x + PE, both b × n × m; row 0 stands at position `first`. The sums may
 * lie in x's place. */
bool sinusoid_add_rows(const tensor *x, double first, const kernels *with, tensor *sums, err *e);

/* Fills made->x, where it was asked for. */
bool sinusoid_add(projected *made, const plan *p, tensor *kept, err *e);

/* Bytes that it works in. */
size_t sinusoid_memory(const plan *p);

#endif
