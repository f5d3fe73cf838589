/* Queries and keys brought to one length, each head's vector by its root mean square (Zhang and
 * Sennrich, Root Mean Square Layer Normalization, 2019):
 *
 *     y[i] = x[i] / √((x[0]² + x[1]² + …) / width + ε) · gain[i]
 *
 * by the kernel row_rms_norm; 0 where the root is 0. It comes before rotary positions, as in Qwen3
 * and Gemma 3, which have both. */
#ifndef SELFATTN_ATTN_ENGINE_NORMALIZE_H
#define SELFATTN_ATTN_ENGINE_NORMALIZE_H

#include "attn/engine/projected.h"

/* Takes the place of made->q and made->k, where it was asked for. */
bool normalize_both(projected *made, const plan *p, tensor *kept, err *e);

#endif
