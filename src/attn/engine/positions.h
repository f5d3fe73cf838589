/* Where rows stand, as numbers that change them.
 *
 * Sinusoidal positions (Vaswani et al., Attention Is All You Need, 2017, section 3.5), added to the
 * rows of x:
 *
 *     PE(position, 2i)     = sin(position·10000^(−2i/m))
 *     PE(position, 2i + 1) = cos(position·10000^(−2i/m))
 *
 * each sum in float64 and rounded once to the type. Keys and values that are projected from x are
 * made of the sums too. Rows of xk and xv stay: the paper adds positions at the bottoms of its
 * stacks, so that what a decoder is given of an encoder has them already.
 *
 * Queries and keys are changed before they are compared. First each head's vector is brought to one
 * length by its root mean square (Zhang and Sennrich, Root Mean Square Layer Normalization, 2019),
 * as in Qwen3 and Gemma 3, which have both:
 *
 *     y[i] = x[i] / √((x[0]² + x[1]² + …) / width + ε) · gain[i]
 *
 * by the kernel row_rms_norm; 0 where the root is 0.
 *
 * Then rotary positions (Su et al., RoFormer, 2021, equation 34): pair p of a head's first `width`
 * numbers is turned by the angle position·base^(−2p/width) (kernels.h has the formula). The pairs
 * are (x[p], x[p + width/2]), or interleaved (x[2p], x[2p + 1]). Keys of a cache were turned
 * before. */
#ifndef SELFATTN_ATTN_ENGINE_POSITIONS_H
#define SELFATTN_ATTN_ENGINE_POSITIONS_H

#include "attn/engine/project.h"

/* Position·frequency is the angle of columns 2i and 2i + 1 of rows that are so wide. */
double sinusoid_frequency(size_t i, size_t width);

/* sums = x + PE, both b × n × m; row 0 stands at position `first`. The sums may lie in x's
 * place. */
bool sinusoid_add_rows(const tensor *x, double first, const kernels *with, tensor *sums, err *e);

/* Makes x_pos. */
bool sinusoid_add(const projecting *with, stage_id id, err *e);

/* ---- queries and keys ---- */

/* The places of pair p in a head. */
typedef struct rope_pair {
    size_t first, second;
} rope_pair;

rope_pair rope_pair_of(const plan *p, size_t pair);

/* What comes of queries or keys takes their place: made->q or made->k. */
bool normalize_heads(const projecting *with, stage_id id, err *e);
/* Turns both at once, in the turn of the first that is needed: an angle serves both. */
/* How far a pair is turned from one position to the next. */
double rope_frequency(const plan *p, size_t pair);
/* factor·rows / length − (factor − 1), by which a base grows beyond the length; else 1. */
double rope_longer(const plan *p);

bool rope_turn_both(const projecting *with, stage_id id, err *e);

/* The way back of both: gradients of q or k from those of their next form, as the stage is one of
 * queries or of keys. All are b × heads × n × width; of a norm `x` is what was normalized. */
bool rope_turn_back(const projecting *with, stage_id id, const tensor *from, const tensor *to,
                    err *e);
void normalize_back(const plan *p, stage_id id, const tensor *x, const tensor *from,
                    const tensor *to);
/* Of the gains, heads × width or of all heads: their sum over batch entries, heads that share them,
 * and rows. */
bool normalize_gain_back(const plan *p, stage_id id, const tensor *x, const tensor *from,
                         const tensor *gain, err *e);

/* Bytes that all of them work in. */
size_t positions_memory(const plan *p);

#endif
