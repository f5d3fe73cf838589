/* What happens to queries and keys before they are compared.
 *
 * First each head's vector is brought to one length by its root mean square (Zhang and Sennrich,
 * Root Mean Square Layer Normalization, 2019), as in Qwen3 and Gemma 3, which have both:
 *
 *     y[i] = x[i] / √((x[0]² + x[1]² + …) / width + ε) · gain[i]
 *
 * by the kernel row_rms_norm; 0 where the root is 0.
 *
 * Then rotary positions (Su et al., RoFormer, 2021, equation 34): pair p of a head's first `width`
 * numbers is turned by the angle position·base^(−2p/width) (kernels.h has the formula). The pairs
 * are (x[p], x[p + width/2]), or interleaved (x[2p], x[2p + 1]). Keys of a cache were turned
 * before. */
#ifndef SELFATTN_ATTN_ENGINE_ROPE_H
#define SELFATTN_ATTN_ENGINE_ROPE_H

#include "attn/engine/project.h"
#include "base/threads.h"

/* The places of pair p in a head. */
typedef struct rope_pair {
    size_t first, second;
} rope_pair;

rope_pair rope_pair_of(const plan *p, size_t pair);

/* Both take the place of made->q and made->k, where they were asked for. */
bool normalize_both(projected *made, const plan *p, tensor *kept, err *e);
bool rope_turn_both(projected *made, const plan *p, tensor *kept, crew *by, err *e);

/* Bytes that it works in. */
size_t rope_memory(const plan *p);

#endif
