/* How mistakes are made: the functions of the rows in mistakes.c, a file each for what is asked
 * (asked.c, inputs.c), rotary positions (turns.c), soft cap and linear bias (bends.c), who sees
 * whom (sight.c), heads (heads.c), their layout (layout.c), the softmax (softmax.c, online.c),
 * names of stages (holds.c) and digits (digits.c). All are blunders (mistake.h). */
#ifndef SELFATTN_WHY_BLUNDERS_H
#define SELFATTN_WHY_BLUNDERS_H

#include "why/mistake.h"

#include <limits.h>

/* inputs.c: with: an input. */
bool blunder_transpose(attempt *a, int with, err *e);
bool blunder_leave_out(attempt *a, int with, err *e);
bool blunder_negate(attempt *a, int with, err *e);
bool blunder_transpose_places(attempt *a, int with, err *e); /* n_q × n_k of a mask or bias */
/* with: the last of W_q, W_k, W_v, W_o. */
bool blunder_transpose_all(attempt *a, int with, err *e);
bool blunder_leave_out_biases(attempt *a, int with, err *e);
bool blunder_swap_roles(attempt *a, int with, err *e);     /* with: a pair, below */
bool blunder_other_rows(attempt *a, int with, err *e);     /* with: whose rows, below */
bool blunder_leave_out_keys(attempt *a, int with, err *e); /* with: the input of their rows */
bool blunder_scale_bias(attempt *a, int with, err *e);
bool blunder_other_role(attempt *a, int with, err *e); /* with: to · INPUT_COUNT + from */
bool blunder_add_rows(attempt *a, int with, err *e);

enum { SWAP_QK, SWAP_QV, SWAP_KV };
enum { ROWS_V_OF_X, ROWS_K_OF_X, ROWS_V_OF_XK, ROWS_Q_OF_XK, ROWS_SWAPPED };

/* asked.c: settings. */
bool blunder_scale(attempt *a, int with, err *e);  /* with: a scale, below */
bool blunder_forget(attempt *a, int with, err *e); /* with: a setting, below */
bool blunder_softmax_plus_one(attempt *a, int with, err *e);
bool blunder_fill_up_keys(attempt *a, int with, err *e); /* with: to a multiple of this */

enum {
    SCALE_AS_NONE,
    SCALE_AS_SQUARED,
    SCALE_AS_EMBED,
    SCALE_AS_HEAD,
    SCALE_AS_WIDTH,
    SCALE_AS_VALUES,
    SCALE_AS_KEYS,
    SCALE_AS_KEYS_WHOLE,
    SCALE_AS_INVERSE,
    SCALE_AS_ROOT,
};
enum {
    FORGET_WINDOW,
    FORGET_LENGTHS,
    FORGET_ALIBI,
    FORGET_SOFTCAP,
    FORGET_ZERO,
    FORGET_LEARNED,
    FORGET_ROPE,
    FORGET_NORM,
    FORGET_OFFSET,
};

/* bends.c: the soft cap and the linear bias. */
bool blunder_cap(attempt *a, int with, err *e); /* with: a way, below */
bool blunder_cap_masked(attempt *a, int with, err *e);
bool blunder_slopes(attempt *a, int with, err *e); /* with: whose, below */

enum { CAP_BEFORE_SCALE, CAP_UNDIVIDED, CAP_UNMULTIPLIED, CAP_CUT_OFF };
enum { SLOPE_ADDED, SLOPE_SCALED, SLOPE_EARLY, SLOPE_FIRST };

/* turns.c: rotary positions. */
bool blunder_pairing(attempt *a, int with, err *e);
bool blunder_base(attempt *a, int with, err *e); /* with: a base, below */
bool blunder_turn(attempt *a, int with, err *e); /* with: who is turned, below */

enum { BASE_USUAL, BASE_ROOT };
enum { TURN_QUERIES, TURN_KEYS, TURN_LATE, TURN_LOCAL, TURN_BACKWARDS };

/* sight.c: who sees whom. */
bool blunder_invert_mask(attempt *a, int with, err *e);
bool blunder_causal(attempt *a, int with, err *e);         /* with: what causal is instead */
bool blunder_drop_causal(attempt *a, int with, err *e);    /* to be followed by the next */
bool blunder_hide(attempt *a, int with, err *e);           /* with: whom, below */
bool blunder_leave_out_tail(attempt *a, int with, err *e); /* with: keys in a block; 0: one key */
bool blunder_window(attempt *a, int with, err *e);         /* with: 1 more on both sides, −1 */
bool blunder_drop_masks(attempt *a, int with, err *e);     /* to be followed by one of the next */
bool blunder_add_mask(attempt *a, int with, err *e); /* with: 1 for keys that are seen, or −1 */
bool blunder_fill_scores(attempt *a, int with, err *e); /* with: what stands for −inf */
bool blunder_mask_weights(attempt *a, int with, err *e);

enum { CAUSAL_ADDED = CAUSAL_LOWER_RIGHT + 1 }; /* to none */
enum { FILL_LEAST = INT_MIN };                  /* the least float32, which is no int */
enum { HIDE_SELF, HIDE_FROM_SECOND, HIDE_PAST, HIDE_PAST_ONLY };

/* heads.c */
bool blunder_count_heads(attempt *a, int with, err *e); /* with: times so many, −2 half, 0 one */
bool blunder_interleave(attempt *a, int with, err *e);
bool blunder_view_heads(attempt *a, int with, err *e);
bool blunder_tile(attempt *a, int with, err *e);
bool blunder_join(attempt *a, int with, err *e); /* with: an order, below */

enum { JOIN_INTERLEAVED, JOIN_VIEWED, JOIN_REVERSED };

/* layout.c: n × h × d for h × n × d. */
bool blunder_read_layout(attempt *a, int with, err *e);
bool blunder_write_layout(attempt *a, int with, err *e);

/* softmax.c */
bool blunder_softmax(attempt *a, int with, err *e); /* with: SUM_ axes, and SOFTMAX_BASE_2 */
bool blunder_no_softmax(attempt *a, int with, err *e);
bool blunder_linear(attempt *a, int with, err *e);
bool blunder_no_sum(attempt *a, int with, err *e); /* with: 0 less the maximum */
bool blunder_softmax_twice(attempt *a, int with, err *e);
bool blunder_even(attempt *a, int with, err *e);
bool blunder_scale_weights(attempt *a, int with, err *e);
bool blunder_turn_weights(attempt *a, int with, err *e);
bool blunder_empty_rows(attempt *a, int with, err *e); /* with: 0 NaN, 1 spread evenly */

/* online.c; with: ONLINE_BLOCK times keys in a block, and what is not rescaled. */
bool blunder_online(attempt *a, int with, err *e);

enum { ONLINE_SUM = 1, ONLINE_OUTPUT = 2, ONLINE_BLOCK = 4 };

enum { SUM_KEYS = 1, SUM_QUERIES = 2, SUM_HEADS = 4, SUM_BATCH = 8, SOFTMAX_BASE_2 = 16 };

/* holds.c: with: stage · STAGE_COUNT + the other, whose numbers it holds. */
bool blunder_hold(attempt *a, int with, err *e);
bool blunder_exchange(attempt *a, int with, err *e); /* both hold the other's */

/* digits.c: with: a type for float formats, below; decimals + a way, below. */
void numbers_keep_as(tensor *t, int with);
bool blunder_inputs_as(attempt *a, int with, err *e);
bool blunder_rows_as(attempt *a, int with, err *e);
bool blunder_scores_as(attempt *a, int with, err *e);
bool blunder_masked_as(attempt *a, int with, err *e);
bool blunder_exp_as(attempt *a, int with, err *e);
bool blunder_weights_as(attempt *a, int with, err *e);
bool blunder_context_as(attempt *a, int with, err *e);
bool blunder_output_as(attempt *a, int with, err *e);
bool blunder_all_as(attempt *a, int with, err *e);

enum { AS_AWAY = 0, AS_EVEN = 32, AS_CUT = 64, AS_KEEP_SUM = 96, AS_FLOAT16 = 128, AS_BFLOAT16 };

#endif
