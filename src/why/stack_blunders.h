/* How mistakes of stacks are made: the functions of the rows in stack_mistakes.c, a file each for
 * norms (stack_norms.c), parts of a layer (stack_parts.c), feed-forward parts
 * (stack_feed_forward.c), layers (stack_layers.c), the rows that they begin with (stack_rows.c) and
 * digits (stack_digits.c). */
#ifndef SELFATTN_WHY_STACK_BLUNDERS_H
#define SELFATTN_WHY_STACK_BLUNDERS_H

#include "why/stack_attempt.h"

typedef bool (*part_change)(stack_attempt *a, layer_part *p, part_row *row, int value, err *e);

/* Changes each part of this kind, or all, in the layers that are meant; false where none could
 * be. */
bool stack_change_parts(stack_attempt *a, int kind, part_change change, int value, err *e);

/* stack_norms.c: where norms stand. */
bool stack_blunder_order(stack_attempt *a, int with, err *e);          /* with: an order, below */
bool stack_blunder_leave_out_norm(stack_attempt *a, int with, err *e); /* with: ln; 0: all */
bool stack_blunder_leave_out_first(stack_attempt *a, int with, err *e);
bool stack_blunder_leave_out_final(stack_attempt *a, int with, err *e);
bool stack_blunder_add_final(stack_attempt *a, int with, err *e);
bool stack_blunder_swap_norms(stack_attempt *a, int with, err *e); /* with: 10·one + other */
bool stack_blunder_share_norm(stack_attempt *a, int with, err *e);

enum { ORDER_PRE, ORDER_POST, ORDER_BOTH };

/* What norms compute, all that are meant. */
bool stack_blunder_kind(stack_attempt *a, int with, err *e); /* with: 1 is RMSNorm */
bool stack_blunder_eps(stack_attempt *a, int with, err *e); /* with: −its power of ten; 0: none */
bool stack_blunder_eps_outside(stack_attempt *a, int with, err *e);
bool stack_blunder_variance(stack_attempt *a, int with, err *e); /* with: 1 has eps outside */
bool stack_blunder_leave_out_gains(stack_attempt *a, int with, err *e); /* with: what, below */
bool stack_blunder_gain_plus_one(stack_attempt *a, int with, err *e);

enum { AFFINE_GAIN = 1, AFFINE_BIAS = 2 };

/* stack_parts.c; with: a part_kind, or all. */
bool stack_blunder_residual(stack_attempt *a, int with, err *e);
bool stack_blunder_residual_normed(stack_attempt *a, int with, err *e);
bool stack_blunder_residual_of_layer(stack_attempt *a, int with, err *e);
bool stack_blunder_parallel(stack_attempt *a, int with, err *e);
bool stack_blunder_leave_out_part(stack_attempt *a, int with, err *e);
bool stack_blunder_cross_self(stack_attempt *a, int with, err *e);
bool stack_blunder_cross_weights(stack_attempt *a, int with, err *e);

enum { PART_ALL = PART_FEED_FORWARD + 1 };

/* stack_feed_forward.c; with: an input of it, below. */
bool stack_blunder_activation(stack_attempt *a, int with, err *e); /* with: a row; −1: none */
bool stack_blunder_leave_out_weight(stack_attempt *a, int with, err *e);
bool stack_blunder_turn_weight(stack_attempt *a, int with, err *e);
bool stack_blunder_swap_gate(stack_attempt *a, int with, err *e);

enum { FFN_B1 = 1, FFN_B2 = 2, FFN_W3 = 4, FFN_W1 = 8, FFN_W2 = 16 };

/* stack_digits.c; with: as of digits.c */
bool stack_blunder_layers_as(stack_attempt *a, int with, err *e);
bool stack_blunder_results_as(stack_attempt *a, int with, err *e);

/* stack_layers.c */
bool stack_blunder_layers(stack_attempt *a, int with, err *e); /* with: which, below */
bool stack_blunder_skip(stack_attempt *a, int with, err *e);

enum { LAYERS_REVERSED, LAYERS_FIRST, LAYERS_LAST };

/* stack_rows.c */
bool stack_blunder_positions(stack_attempt *a, int with, err *e); /* with: how, below */
bool stack_blunder_scale_rows(stack_attempt *a, int with, err *e);
bool stack_blunder_add_sinusoids(stack_attempt *a, int with, err *e);
bool stack_blunder_late_positions(stack_attempt *a, int with, err *e);

bool stack_blunder_segments(stack_attempt *a, int with, err *e); /* with: 1 keeps the first row */
bool stack_blunder_turn_batch(stack_attempt *a, int with, err *e);

enum { POSITIONS_NONE, POSITIONS_TWICE, POSITIONS_HALVES, POSITIONS_SWAPPED };
enum { ROWS_TIMES_ROOT, ROWS_BY_ROOT, ROWS_ALL_TIMES_ROOT };

#endif
