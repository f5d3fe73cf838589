/* Every mistake of src/why, made by the reference: in a copy of a random problem, or in the numbers
 * that the reference computed for it. */
#ifndef SELFATTN_TESTS_WHY_PLANTS_H
#define SELFATTN_TESTS_WHY_PLANTS_H

#include "ref/ref_attention.h"

#include <limits.h>

/* A mistake being made: `p` and `r` are its own, the others those without it. */
typedef struct planting {
    const ref_problem *right;
    const ref_result *right_result;
    ref_problem *p;
    ref_result *r;
    int with;
} planting;

/* False where the mistake can't be made in this problem, or not by this simple arithmetic. */
typedef bool (*plant_step)(planting *of);

typedef struct plant {
    const char *name;    /* of the mistake */
    const char *mistake; /* of REF_MISTAKES; NULL: the reference does what it is asked */
    plant_step change;   /* what is asked */
    plant_step weights;  /* the numbers up to the weights */
    plant_step last;     /* the numbers after them */
    int with;
} plant;

extern const plant PLANTS[];
extern const size_t PLANT_COUNT;

/* plant_make.c: makes one in of->p and of->r. False where it can't be made. */
bool plant_make(const plant *which, planting *of);
/* What comes after the weights. */
void plant_compute_rest(const ref_problem *p, ref_result *r);

/* plant_asked.c; with: a ref_input, or one of the words below */
bool plant_transpose(planting *of);
bool plant_transpose_all(planting *of);
bool plant_leave_out(planting *of);
bool plant_leave_out_biases(planting *of);
bool plant_swap(planting *of); /* with: 10·one + other of 0 q, 1 k, 2 v */
bool plant_scale(planting *of);
bool plant_norm(planting *of);
bool plant_forget(planting *of);
bool plant_plus_one(planting *of);
bool plant_count_heads(planting *of); /* with: times so many, −2 half, 0 one */
bool plant_pairing(planting *of);
bool plant_causal(planting *of);
bool plant_hide(planting *of);
bool plant_tail(planting *of);    /* with: keys in a block, of which the last is cut; 0: one key */
bool plant_fill_up(planting *of); /* with: to a multiple of this */
bool plant_negate(planting *of);
bool plant_transpose_places(planting *of);
bool plant_window(planting *of);
bool plant_inputs(planting *of);
bool plant_no_keys(planting *of);   /* no rows of keys and values but x */
bool plant_is_simple(planting *of); /* changes nothing; no softcap, no linear bias */
bool plant_invert_mask(planting *of);

enum {
    SAY_NONE,
    SAY_SQUARED,
    SAY_HEAD,
    SAY_EMBED,
    SAY_WIDTH,
    SAY_VALUES,
    SAY_KEYS,
    SAY_COUNT,
    SAY_INVERSE,
    SAY_ROOT
};
enum {
    NO_WINDOW,
    NO_LENGTHS,
    NO_ALIBI,
    NO_SOFTCAP,
    NO_ZERO,
    NO_LEARNED,
    NO_ROPE,
    NO_ROPE_FACTOR,
    NO_NORM,
    NO_CLIP,
    NO_OFFSET
};
enum { CAUSAL_GONE, CAUSAL_TOO, CAUSAL_UP, CAUSAL_LOW };
enum { SEES_ONE_MORE, SEES_LATER, SEES_ONLY_LATER };
enum { V_OF_X, V_OF_XK, K_OF_X, Q_OF_XK, X_AND_XK };

/* plant_bends.c; with: one of the words below */
bool plant_cap(planting *of); /* it and the next are steps of the weights */
bool plant_cap_masked(planting *of);
bool plant_slopes(planting *of);
bool plant_base(planting *of);
bool plant_positions(planting *of);
enum { CAPS_BEFORE_SCALE, CAPS_UNDIVIDED, CAPS_UNMULTIPLIED, CAPS_CUT };
enum { IS_ADDED, IS_SCALED, BEGINS_EARLY, IS_FIRST };
enum { IS_USUAL, IS_ROOT };
enum { ONLY_QUERIES, ONLY_KEYS, ONE_LATE, FROM_ZERO, BACKWARDS };

/* plant_rows.c: q, k and v of the right problem, given in another order */
bool plant_interleave(planting *of);
bool plant_view(planting *of);
bool plant_role(planting *of); /* with: 10·one + the other, which it is, of 0 q, 1 k, 2 v */
bool plant_kept_rows(planting *of);
/* and the heads' results */
bool plant_join(planting *of);
bool plant_residual(planting *of);
/* n × h × d in the place of h × n × d */
bool plant_read_layout(planting *of);
bool plant_write_layout(planting *of);
enum { JOINS_INTERLEAVED, JOINS_VIEWED, JOINS_REVERSED };
/* output = context·Wo + bo, for a context that was changed. */
void plant_output(planting *of);

/* plant_softmax.c */
bool plant_no_masks(planting *of); /* a change; the next are steps of the weights */
bool plant_add_mask(planting *of);
bool plant_fill_scores(planting *of); /* with: what stands for -inf */
enum { LEAST_FLOAT32 = INT_MIN };
bool plant_mask_weights(planting *of);
bool plant_softmax(planting *of); /* with: 1 keys, 2 queries, 4 heads, 8 batch, 16 powers of 2 */
bool plant_no_softmax(planting *of);
bool plant_linear(planting *of);
bool plant_no_sum(planting *of);
bool plant_twice(planting *of);
bool plant_even(planting *of);
bool plant_scale_weights(planting *of);
bool plant_turn(planting *of);
bool plant_nan(planting *of);
/* with: 10·keys in a block + what is not rescaled: 1 the sum, 2 the output */
bool plant_online(planting *of);
/* weights of a row of masked scores, 0 where all are hidden */
void plant_softmax_rows(planting *of);

/* plant_holds.c; with: stage * REF_STAGES + the other, whose numbers it holds */
bool plant_hold(planting *of);
bool plant_exchange(planting *of);

/* plant_digits.c; with: decimals + a way, or a type */
bool plant_kept_inputs(planting *of);
bool plant_kept_scores(planting *of);
bool plant_kept_masked(planting *of);
bool plant_kept_exp(planting *of);
bool plant_kept_weights(planting *of);
bool plant_kept_context(planting *of);
bool plant_kept_output(planting *of);
bool plant_kept_all(planting *of);
bool plant_throughout_asked(planting *of);
bool plant_throughout_last(planting *of);
bool plant_throughout_weights(planting *of);
double plant_kept(double value, int with);
enum { TO_EVEN = 32, CUT_OFF = 64, KEEPS_SUM = 96, TO_FLOAT16 = 128, TO_BFLOAT16 };

/* Of the way back, which the reference went both ways; but for parameters. */
typedef struct back_plant {
    const char *name;
    plant_step make;
    int with;
} back_plant;

/* plant_parameters.c: gradients of parameters, where all that these are made of is right. */
extern const back_plant PARAMETER_PLANTS[];
extern const size_t PARAMETER_PLANT_COUNT;
/* Whether it is made in problems with latents alone; the others are made in all but these. */
bool plant_is_of_latents(const back_plant *p);

/* The scale of the right problem. */
double plant_right_scale(const ref_problem *p);

#endif
