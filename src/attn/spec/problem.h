/* What was asked: the inputs and the settings of one attention, with defaults filled in and nothing
 * computed.
 *
 * A problem borrows its matrices from the bundle it was made of (a document, options, or both
 * merged), which must outlive it. Whether the sizes fit is the plan's business. */
#ifndef SELFATTN_ATTN_SPEC_PROBLEM_H
#define SELFATTN_ATTN_SPEC_PROBLEM_H

#include "attn/spec/score.h"
#include "tensor/bundle.h"

struct kv_cache;
struct packed_weights;

/* Every matrix that a problem may have; the names are those of the document's keys. */
typedef enum input {
    INPUT_X,
    INPUT_XK,
    INPUT_XV,
    INPUT_WQ,
    INPUT_WK,
    INPUT_WV,
    INPUT_WO,
    INPUT_BQ,
    INPUT_BK,
    INPUT_BV,
    INPUT_BO,
    INPUT_Q,
    INPUT_K,
    INPUT_V,
    INPUT_PAST_K,
    INPUT_PAST_V,
    INPUT_Q_GAIN,
    INPUT_K_GAIN,
    INPUT_WQ_DOWN,
    INPUT_BQ_DOWN,
    INPUT_Q_LATENT_GAIN,
    INPUT_WKV_DOWN,
    INPUT_BKV_DOWN,
    INPUT_KV_LATENT_GAIN,
    INPUT_MASK,
    INPUT_BIAS,
    INPUT_WS,
    INPUT_BS,
    INPUT_WA,
    INPUT_UA,
    INPUT_VA,
    INPUT_BA,
    INPUT_SINKS,
    INPUT_BIAS_K,
    INPUT_BIAS_V,
    INPUT_OUTPUT_GRAD,
    INPUT_LOGSUMEXP_GRAD,
    INPUT_TARGET,
    INPUT_COUNT
} input;

const char *input_key(input which);       /* "wq", the document's key */
const char *input_label(input which);     /* "Wq", as messages and traces write it */
bool input_learns(input which);           /* a matrix that a model has learnt, not what it reads */
input input_of_key(const char *key_name); /* INPUT_COUNT where it is not a matrix's key */

typedef enum causal { CAUSAL_NONE, CAUSAL_UPPER_LEFT, CAUSAL_LOWER_RIGHT } causal;
typedef enum scale_kind {
    SCALE_DEFAULT,
    SCALE_NONE,
    SCALE_HEAD,
    SCALE_EMBED,
    SCALE_NUMBER
} scale_kind;
typedef enum mask_axis { MASK_AXIS_UNSAID, MASK_AXIS_BATCH, MASK_AXIS_HEAD } mask_axis;

/* What is made of the output, so that gradients are of something: the sum of its numbers, their
 * mean, or half the sum of the squares of what they are away from `target`; and of layers, how far
 * their logits are from `labels`. */
typedef enum loss_kind {
    LOSS_NONE,
    LOSS_SUM,
    LOSS_MEAN,
    LOSS_SQUARE,
    LOSS_CROSS_ENTROPY
} loss_kind;

typedef struct rope_settings {
    bool is_asked, is_interleaved, has_width;
    double base;
    size_t width;
    /* Of more rows than `length` the base grows with them, by this factor (0: it stays); "dynamic
     * NTK" of modeling_rope_utils. */
    double factor;
    size_t length;
    double attention_factor;  /* of each cosine and sine; 1: as they are */
    const entry *positions;   /* NULL where not given */
    const entry *frequencies; /* one a pair, in place of the base's; or NULL */
} rope_settings;

typedef struct problem {
    dtype type;
    const tensor *in[INPUT_COUNT]; /* NULL where not given */
    place at[INPUT_COUNT];
    size_t heads, kv_heads; /* 0 = not asked for */
    causal causal;
    bool alignment_is_named; /* upper-left or lower-right was said, not just true */
    bool has_offset;
    size_t offset;
    const entry *places;  /* a position for each query, or a list for each batch entry; or NULL */
    const entry *rows;    /* the only queries that are computed; NULL: all are */
    const size_t *number; /* each query's number in the whole, from 0; NULL: they are the whole */
    bool has_window; /* a query at position p sees keys p − left to p + right; SIZE_MAX: open */
    size_t window_left, window_right;
    const tensor *key_lengths; /* one count, or one a batch entry; NULL where not given */
    bool adds_zero;            /* a key and a value of zeros after all others */
    bool has_alibi;
    const tensor *slopes;   /* one a head; NULL: the published ones */
    const tensor *relative; /* numbers by buckets of distances, a column a head; or NULL */
    size_t relative_distance;
    const tensor *key_bias; /* numbers by keys, a row a head, of which there may be more; or NULL */
    scale_kind scale_kind;
    double scale_number;
    double softcap; /* 0 = none was asked for */
    double clip;    /* of what products make queries, keys and values; 0 = none */
    const score *score;
    loss_kind loss;
    bool begins_with_ones; /* output_grad is 1 everywhere */
    bool goes_back;        /* gradients are asked for, by one to begin with or by a loss */
    size_t top;            /* so many strongest keys a query; 0 = not asked for */
    bool adds_positions;   /* sinusoids, to the rows of x */
    rope_settings rope;
    bool normalizes;     /* queries and keys, each head by its root mean square, */
    bool norms_together; /* or all heads of a row by that of all their numbers */
    double qk_eps;
    double latent_eps;  /* of the norms of latents, which those have that have a gain */
    int round_decimals; /* −1 = weights are not rounded */
    bool round_keeps_sum;
    bool mask_true_is_masked;
    mask_axis mask_axis;
    bool layout_is_out_in;       /* of weights that don't say it themselves */
    bool is_out_in[INPUT_COUNT]; /* this matrix of weights is y = W·x's */
    bool allow_nonfinite;        /* set by whoever read the files; else results must be finite */
    const text_list *tokens, *key_tokens; /* NULL where not given */
    const bundle *document;               /* where settings were read, for their places */
    struct kv_cache *cache;               /* what earlier lines left; NULL: this is not a stream */
    size_t width_onward;                  /* of the layer that goes on with the output; 0: none */
    const struct kv_cache
        *packed; /* given k and v as products read them; NULL: they are still to be packed */
    size_t
        part; /* keys that a block packs at once; 0: all, packed once, unless they are very many */
    bool stays[INPUT_COUNT]; /* as its entry's */
    /* Where weights that stay are kept for documents to come; NULL: nowhere. */
    struct packed_weights *packed_weights;
    tensor looked_up; /* x, when it was made of tokens and vocab; owned */
} problem;

/* False, with an error at the place of the entry that is wrong. */
bool problem_read(problem *p, const bundle *document, err *e);
void problem_free(problem *p);

/* Whether the key asks for gradients, or says what they begin with. */
bool problem_key_goes_back(const char *key_name);

/* A loss makes the output's gradient itself; what does not take part is refused. */
bool problem_check_loss(const problem *p, err *e);

/* From now on it asks for no gradients. */
void problem_go_forward(problem *p);

/* There is something to compute with: a document of tokens alone has nothing. */
bool problem_has_inputs(const problem *p);

/* Where a setting was given; all zero where it was not. */
place problem_place(const problem *p, const char *key_name);

#endif
