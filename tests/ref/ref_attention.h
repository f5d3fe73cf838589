/* The independent reference: the attention of DESIGN.md §2 in long double, as nested loops over
 * plain arrays.
 *
 * It shares no code with src and includes none of it. It is slow, and it checks nothing: the
 * problem must be one that the program accepts. Each number of each stage comes with the error that
 * the program may have made (ref_number.h). */
#ifndef SELFATTN_TESTS_REF_ATTENTION_H
#define SELFATTN_TESTS_REF_ATTENTION_H

#include "ref/ref_number.h"

#include <stdbool.h>
#include <stddef.h>

/* The matrices that a document may have, under their keys: REF_INPUT_KEYS. */
typedef enum ref_input {
    REF_X,
    REF_XK,
    REF_XV,
    REF_WQ,
    REF_WK,
    REF_WV,
    REF_WO,
    REF_BQ,
    REF_BK,
    REF_BV,
    REF_BO,
    REF_Q,
    REF_K,
    REF_V,
    REF_PAST_K,
    REF_PAST_V,
    REF_Q_GAIN,
    REF_K_GAIN,
    REF_WQ_DOWN,
    REF_BQ_DOWN,
    REF_Q_LATENT_GAIN,
    REF_WKV_DOWN,
    REF_BKV_DOWN,
    REF_KV_LATENT_GAIN,
    REF_MASK,
    REF_BIAS,
    REF_KEY_BIAS,
    REF_RELATIVE_BIAS,
    REF_WS,
    REF_BS,
    REF_WA,
    REF_UA,
    REF_VA,
    REF_BA,
    REF_SINKS,
    REF_BIAS_K,
    REF_BIAS_V,
    REF_OUTPUT_GRAD,
    REF_LOGSUMEXP_GRAD,
    REF_TARGET,
    REF_INPUTS
} ref_input;

extern const char *const REF_INPUT_KEYS[REF_INPUTS];

/* As it stands in a document, C order. `at` is NULL where it is not given. */
typedef struct ref_array {
    int rank;
    size_t size[4];
    double *at;
} ref_array;

/* A problem document. A word that is NULL was not said. */
typedef struct ref_problem {
    bool is_float32;
    ref_array in[REF_INPUTS];
    size_t heads, kv_heads; /* 0: not said */
    const char *score, *causal, *scale, *mask_true, *mask_axis, *layout;
    bool scale_is_number, has_offset;
    double scale_number;
    size_t offset;
    bool adds_zero;
    bool has_positions; /* sinusoidal */
    const char *pairing;
    bool has_rope, has_rope_base;
    double rope_base;
    double rope_factor;       /* of cosines and sines; 0: not said */
    size_t rope_width;        /* 0: not said */
    ref_array rope_positions; /* rank 1, or 2: a list a batch entry; at NULL: not said */
    bool normalizes, has_eps; /* by rms */
    bool norms_all;           /* all heads of a row at once */
    double eps;
    bool has_latent_eps;
    double latent_eps;
    bool has_alibi;
    double *slopes; /* one a head; NULL: the published ones */
    bool has_window;
    long window[2];           /* left, right; −1: open */
    size_t *key_lengths;      /* one a batch entry; NULL: not said */
    size_t relative_distance; /* 0: not said */
    double softcap;           /* 0: not said */
    double clip;              /* of q, k and v; 0: not said */
    size_t top;               /* 0: not said */
    const char *loss;         /* sum, mean or square */
    int round_decimals;       /* −1: not said */
    bool round_keeps_sum;
    bool has_tokens, has_key_tokens;
    ref_array vocab; /* words × m; x is then what token_word says, and not in the document */
    size_t *token_word;
    const char *mistake; /* the name of one that the reference shall make: REF_MISTAKES */
} ref_problem;

/* What the reference can be told to do wrong, to prove that comparing would notice. */
extern const char *const REF_MISTAKES[];
extern const size_t REF_MISTAKE_COUNT;

/* The letters of DESIGN.md §1; n_k = past + n_new; c: what is compared, m_out: the
 * output's width. */
typedef struct ref_sizes {
    bool has_batch, has_heads;
    size_t shared; /* of the d_k numbers of a key, the last, which all heads have of the latent */
    size_t own;    /* of the n_k keys, those that nobody appended: past + n_new */
    size_t b, h, g, n_q, n_new, past, n_k, m, m_k, m_v, d_q, d_k, d_v, c, m_out;
} ref_sizes;

typedef enum ref_stage_id {
    REF_STAGE_X,
    REF_STAGE_XK,
    REF_STAGE_XV,
    REF_STAGE_X_POS,
    REF_STAGE_Q_LATENT,
    REF_STAGE_Q_LATENT_NORM,
    REF_STAGE_KV_LATENT,
    REF_STAGE_KV_LATENT_NORM,
    REF_STAGE_Q_SUM,
    REF_STAGE_K_SUM,
    REF_STAGE_V_SUM,
    REF_STAGE_Q,
    REF_STAGE_K,
    REF_STAGE_V,
    REF_STAGE_Q_NORM,
    REF_STAGE_K_NORM,
    REF_STAGE_Q_ROPE,
    REF_STAGE_K_ROPE,
    REF_STAGE_PRESENT_K,
    REF_STAGE_PRESENT_V,
    REF_STAGE_Q_SCORE,
    REF_STAGE_K_SCORE,
    REF_STAGE_SCORES,
    REF_STAGE_SCALED,
    REF_STAGE_CAPPED,
    REF_STAGE_MASKED,
    REF_STAGE_ROW_MAX,
    REF_STAGE_EXP,
    REF_STAGE_ROW_SUM,
    REF_STAGE_WEIGHTS,
    REF_STAGE_LOGSUMEXP,
    REF_STAGE_ENTROPY,
    REF_STAGE_TOP,
    REF_STAGE_ROUNDED,
    REF_STAGE_WEIGHTED,
    REF_STAGE_ATTENDED,
    REF_STAGE_CONTEXT,
    REF_STAGE_OUTPUT,
    REF_STAGE_LOSS,
    REF_STAGE_OUTPUT_GRAD,
    REF_STAGE_CONTEXT_GRAD,
    REF_STAGE_ATTENDED_GRAD,
    REF_STAGE_WEIGHTS_GRAD,
    REF_STAGE_DELTA,
    REF_STAGE_MASKED_GRAD,
    REF_STAGE_CAPPED_GRAD,
    REF_STAGE_SCALED_GRAD,
    REF_STAGE_SCORES_GRAD,
    REF_STAGE_Q_SCORE_GRAD,
    REF_STAGE_K_SCORE_GRAD,
    REF_STAGE_PRESENT_K_GRAD,
    REF_STAGE_PRESENT_V_GRAD,
    REF_STAGE_Q_ROPE_GRAD,
    REF_STAGE_K_ROPE_GRAD,
    REF_STAGE_Q_NORM_GRAD,
    REF_STAGE_K_NORM_GRAD,
    REF_STAGE_Q_GRAD,
    REF_STAGE_K_GRAD,
    REF_STAGE_V_GRAD,
    REF_STAGE_Q_SUM_GRAD,
    REF_STAGE_K_SUM_GRAD,
    REF_STAGE_V_SUM_GRAD,
    REF_STAGE_Q_LATENT_NORM_GRAD,
    REF_STAGE_Q_LATENT_GRAD,
    REF_STAGE_KV_LATENT_NORM_GRAD,
    REF_STAGE_KV_LATENT_GRAD,
    /* Of parameters: ref_parameters.h alone makes these. */
    REF_STAGE_WQ_GRAD,
    REF_STAGE_WK_GRAD,
    REF_STAGE_WV_GRAD,
    REF_STAGE_WO_GRAD,
    REF_STAGE_BQ_GRAD,
    REF_STAGE_BK_GRAD,
    REF_STAGE_BV_GRAD,
    REF_STAGE_WQ_DOWN_GRAD,
    REF_STAGE_BQ_DOWN_GRAD,
    REF_STAGE_WKV_DOWN_GRAD,
    REF_STAGE_BKV_DOWN_GRAD,
    REF_STAGE_BO_GRAD,
    REF_STAGE_BIAS_GRAD,
    REF_STAGE_KEY_BIAS_GRAD,
    REF_STAGE_RELATIVE_BIAS_GRAD,
    REF_STAGE_SLOPES_GRAD,
    REF_STAGE_SINKS_GRAD,
    REF_STAGES
} ref_stage_id;

/* In the shape in which the program gives it; `at` is NULL where the stage is not there. One that
 * is not made is the reference's own. */
typedef struct ref_stage {
    const char *name;
    int rank;
    size_t size[5], count;
    ref_number *at;
    bool is_not_made;
} ref_stage;

typedef struct ref_result {
    ref_sizes sizes;
    ref_stage stage[REF_STAGES];
    ref_number *q, *k, *v; /* as they are compared and summed, heads apart: b × h × n × d */
} ref_result;

ref_sizes ref_sizes_of(const ref_problem *p);

/* x to weights. */
void ref_compute_weights(const ref_problem *p, ref_result *r);
/* The weights that a program without any error would have found, to be freed. */
double *ref_found_weights(const ref_result *r);
/* logsumexp of the reference's own rows; entropy and top of the weights that the program found. */
void ref_compute_statistics(const ref_problem *p, const double *weights, ref_result *r);
/* rounded: the weights that the program found, b × h × n_q × n_k, rounded by hand. Whether a weight
 * near a tie lies above or below it is the program's own error, which the comparison of `weights`
 * has allowed. */
void ref_compute_rounded(const ref_problem *p, const double *weights, ref_result *r);
/* weighted to output, from the weights, or from rounded ones where there are any. */
void ref_compute_output(const ref_problem *p, ref_result *r);
void ref_result_free(ref_result *r);

size_t ref_count_of(const ref_array *a);

/* Memory or the end of the test. */
void *ref_alloc(size_t count, size_t size);

bool ref_word_is(const char *said, const char *word);

#endif
