/* One attention computed with mistakes in it, and the mistakes that people make: one table, for
 * finding them (why.h), for help and for the manual. A new one is a row in the file of its theme,
 * mistakes_*.c, next to the function that makes it; tests/why plants it in random problems.
 *
 * There is no second engine. What is asked can be changed before it is computed; later numbers are
 * changed by computing up to them, altering them where they lie, and letting the same engine go on
 * from there: q, k and v become inputs of a problem, later stages are given to the run. */
#ifndef SELFATTN_WHY_MISTAKE_H
#define SELFATTN_WHY_MISTAKE_H

#include "attn/engine/compare.h"
#include "attn/engine/run.h"
#include "compare/ulps.h"
#include "model/generation.h"

/* The numbers of an attempt: the stages that were computed, and matrices that stand in their
 * place. */
enum { ATTEMPT_MATRICES = 3 * INPUT_COUNT };

/* Where a mistake is made: in what is asked, or once a stage is computed, in its numbers. */
typedef enum point {
    POINT_ASKED,
    POINT_ROWS, /* q, k and v: to be changed as inputs of the problem, which are what they are */
    POINT_SCORES,
    POINT_MASKED,
    POINT_WEIGHTS, /* before they are rounded by hand, where that is asked for */
    POINT_CONTEXT,
    POINT_OUTPUT,
    POINT_COUNT
} point;

/* Where a mistake of layers is made: in the stack that was read, in the document, or once rows are
 * planned, those of each step where it goes on. */
typedef enum stack_point { STACK_READ, STACK_ASKED, STACK_ROWS } stack_point;

/* What is computed at a point, which the next is made of. */
typedef struct point_stages {
    size_t count;
    stage_id stage[3];
} point_stages;

extern const point_stages POINT_STAGES[POINT_COUNT];

typedef struct attempt attempt;
typedef struct stack_attempt stack_attempt;

/* Makes the attempt's mistake at its point; false without an error where that is not possible
 * here. */
typedef bool (*blunder)(attempt *a);

/* The same in layers, at once or in each norm, part or feed-forward part that is meant. */
typedef bool (*stack_blunder)(stack_attempt *a);
typedef bool (*norm_change)(stack_attempt *a, norm *one);
typedef bool (*part_change)(stack_attempt *a, layer_part *p, part_row *row);
typedef bool (*feed_forward_change)(stack_attempt *a, feed_forward *f);

typedef struct mistake {
    named named;
    blunder at[POINT_COUNT]; /* NULL: all goes well there */
    int with;                /* which input, how many decimals, …: what the functions take */
    int from;                /* of two inputs or stages, the other, whose numbers are taken */
    bool is_of_digits;       /* it changes digits of numbers, not which numbers are computed */
    bool is_of_layers;       /* and is made by one of these four: */
    stack_blunder make;
    norm_change norm;
    feed_forward_change feed_forward;
    part_change part;
    int kind; /* of those parts */
    stack_point when;
} mistake;

enum { PART_ALL = PART_FEED_FORWARD + 1 };

/* In a row: what makes the mistake at one point, or in layers, and what it takes. */
#define AT(point, make, taken) .at[POINT_##point] = (make), .with = (taken)
#define WHOLE(make_, taken) .is_of_layers = true, .make = (make_), .with = (taken)
#define NORMS(change, taken) .is_of_layers = true, .norm = (change), .with = (taken)
#define FEED_FORWARDS(change, taken) .is_of_layers = true, .feed_forward = (change), .with = (taken)
#define PARTS(kind_, change, taken)                                                                \
    .is_of_layers = true, .part = (change), .kind = (kind_), .with = (taken)

struct attempt {
    const attempt *right;      /* without mistakes, with all its stages; NULL in itself */
    const struct claims *fits; /* whose stages have these shapes, else it isn't made; NULL: any */
    problem problem;           /* what is asked from here on */
    const kernels *with;
    size_t threads;
    bool keeps_weighted;       /* next to which every n_q × n_k stage is small */
    struct problem begun;      /* what was asked at first */
    plan plan;                 /* of that; a run that goes on asks it for the rest */
    tensor stage[STAGE_COUNT]; /* no data: not there */
    tensor made[ATTEMPT_MATRICES];
    size_t made_count;
    point now;          /* where a mistake is being made, */
    const mistake *row; /* this one */
    err *e;             /* what went wrong while it was */
    entry turned;       /* where rows stand, which a mistake moves; its numbers are in `made` */
};

/* Nothing is computed yet. `weighted` is kept only where it is asked for; `right` may be NULL. */
void attempt_open(attempt *a, const problem *asked, const kernels *with, size_t threads,
                  bool keeps_weighted, const attempt *right);
/* Computes with these mistakes, none for the right numbers. False without an error where one of
 * them can't be made in this problem; an error means that memory is missing. To be freed in any
 * case, and not to be moved. */
bool attempt_make(attempt *a, const mistake *const *made, size_t count, err *e);
void attempt_free(attempt *a);

/* Rows of `mistake`, which are those of the themes. */
extern const named_table MISTAKES, STACK_MISTAKES;
const mistake *mistake_at(const named_table *of, size_t index);

extern const named_table WEIGHT_MISTAKES, SCALE_MISTAKES, SOFTMAX_MISTAKES, MASK_MISTAKES,
    BEND_MISTAKES, POSITION_MISTAKES, HEAD_MISTAKES, INPUT_MISTAKES;

/* What no mistake of computing gives: a few numbers, each for itself, that were badly copied. */
extern const named_table MISPRINTS; /* rows of `named` */
/* The row, where that is likely; else NULL. */
const named *misprint_of(const comparison *c);

/* ---- what several themes share ---- */

/* A stage with all its axes, to be read and altered. */
tensor attempt_stage(const attempt *a, stage_id id);
/* A matrix that lasts as long as the attempt, numbers not set. NULL where memory is missing. */
tensor *attempt_matrix(attempt *a, dtype type, int rank, const size_t *size);
/* A copy, in C order. */
tensor *attempt_copy(attempt *a, const tensor *of);
/* Weights in place, b × h × n_q × n_k, to so many decimals; false without an error where rows that
 * are to sum to 1 are far from it. */
bool attempt_round(attempt *a, int decimals, bool keeps_sum, tensor *weights);
/* n more in the sum of exponentials. */
bool attempt_add_to_sum(attempt *a, size_t n);

/* Without the input `with`, or all from `from` on to it. */
bool blunder_leave_out(attempt *a);

/* Without the setting `with`. */
bool blunder_forget(attempt *a);

enum {
    FORGET_WINDOW,
    FORGET_LENGTHS,
    FORGET_ALIBI,
    FORGET_SOFTCAP,
    FORGET_ZERO,
    FORGET_ROPE,
    FORGET_NORM,
    FORGET_OFFSET,
};

/* With: a type for float formats; decimals + a way. */
void numbers_keep_as(tensor *t, int with);

enum { AS_AWAY = 0, AS_EVEN = 32, AS_CUT = 64, AS_KEEP_SUM = 96, AS_FLOAT16 = 128, AS_BFLOAT16 };

/* ---- ranking.c ---- */

/* How well computed stages are the numbers that somebody got; and which attempts gave them, the
 * best few and what they were. */

/* The numbers of one stage that somebody got. */
typedef struct claim {
    const char *name;     /* of the stage */
    const entry *numbers; /* NULL: not known */
    double tol;
} claim;

/* What goes with claims, the right numbers or those of an attempt, is a tensor for each of them. */
typedef struct claims {
    const claim *claim;
    size_t count;
    const known_elements *known; /* elements that are wrong for another reason; NULL: none */
} claims;

typedef struct fit {
    double error;   /* the largest difference, relative to its stage's greatest number */
    double tol;     /* the largest, in the same measure */
    bool is_within; /* of the tolerance, everywhere */
} fit;

/* Stages of other shapes differ infinitely. */
fit fit_of(const claims *of, const tensor *computed);

/* Whether any number is finite and not 0. Else many things leave the same: a buffer that nobody
 * wrote to, an overflow. */
bool claims_tell(const claims *of);

/* The first stage of which somebody got nothing but NaN: its first number, and how many there are;
 * 0 where there is no such stage. NaNs that agree are not evidence of anything. */
size_t claims_nothing_but_nan(const claims *of, element *first);

/* Whether these are the same numbers but for rounding, in the stages that are asked about. */
bool fit_is_same(const claims *of, const tensor *a, const tensor *b);

/* Right numbers that differ in their last digits alone: within so many units in the last place of
 * their stage's greatest number, as float32 or float64 has it, before they were stored. */
typedef struct rounding {
    bool is_it;
    number_type computed;
    size_t units;
    number_type stored; /* float64: as they were */
} rounding;

/* Whether these are `right` but for that. A few wrong numbers among exact ones are not. */
rounding claims_rounding(const claims *of, const tensor *right);

/* Near enough to be no accident. */
bool fit_is_near(const fit *one);

int fit_digits(double error);
/* In which all numbers agree: no more than the tolerance looks at, as of numbers that were printed
 * in so many, unless they come nearer than any accident would. */
int fit_digits_told(const fit *one);

/* ---- the best ---- */

enum { WHY_SAME = 8, WHY_ANSWERS = 8, WHY_TOGETHER = 2, WHY_WHERE = 40 };

/* A mistake, and where in a stack it was made: "layer.1.cross", or "", which is wherever it can
 * be. */
typedef struct made_mistake {
    const named *row;
    char where[WHY_WHERE];
} made_mistake;

/* One answer: mistakes that were made together, and others that give the same numbers. */
typedef struct why_answer {
    made_mistake made[WHY_TOGETHER];
    size_t together;
    made_mistake same[WHY_SAME]; /* single ones */
    size_t same_count;
    double error; /* the largest difference, relative to its stage's greatest number */
    int digits;   /* as of fit_digits_told */
} why_answer;

typedef struct why_answers {
    why_answer answer[WHY_ANSWERS]; /* the best first */
    size_t count;
    bool tried_layers; /* of a stack, each alone, where no mistake in all of them was exact */
    bool tried_pairs;  /* where no single mistake was found */
    int right_digits;  /* in which the numbers agree with what is right */
    rounding rounding; /* they do in all that matter; where no mistake was found */
    size_t nans; /* a stage is nothing but so many NaN, and no mistake was tried; 0: none is */
    element first_nan;
} why_answers;

typedef struct candidate {
    why_answer answer;
    tensor *computed; /* by claim; those that are asked about; owned */
    size_t order;     /* in which it was tried */
} candidate;

enum { CANDIDATES = 24 };

typedef struct ranking {
    const claims *of;
    fit right;                       /* how well the right numbers do */
    candidate found[CANDIDATES + 1]; /* one that is to go */
    size_t count, tried;
    bool has_exact; /* one is within the tolerance */
} ranking;

/* `right` is computed without mistakes. To be freed. */
void ranking_open(ranking *r, const claims *of, const tensor *right);
void ranking_free(ranking *r);

/* Looks at what was computed with these mistakes, in the order in which they are likely; takes it
 * where it is an answer. The error is set where memory is missing. */
void ranking_judge(ranking *r, tensor *computed, const made_mistake *made, size_t count, err *e);

/* The best first. */
void ranking_write(const ranking *r, why_answers *to);

/* ---- stack_attempt.c ---- */

/* One stack computed with mistakes in it: read from what is asked, changed once it is read, and run
 * by the same engine. An attention's own mistakes (mistake.h) are made in each of its attentions,
 * by attempts of theirs. */

/* Numbers that somebody got of an attention or a stack, which differ from what is right. */
typedef struct why_question {
    const problem *problem; /* of one attention; NULL: of a stack, as what follows says */
    const kernels *with;
    const bundle *document;
    stack_settings how;
    const generation_settings *steps; /* of a generation: "step.0.output"; NULL: of one pass */
    const isa *by;
    size_t threads;
    claims claims;         /* in the order in which their stages are made */
    bool shapes_are_right; /* of the numbers of all claims */
} why_question;

/* Where mistakes are made. */
typedef struct stack_scope {
    bool is_whole;     /* in all layers, and around them; else in these layers alone */
    size_t first, end; /* of the layers */
    bool self, cross;  /* of their attentions, in which */
} stack_scope;

/* How one of its attentions attends. In a generation it has the keys and values that itself made of
 * the rows before. */
typedef struct stack_attention {
    stack_attempt *of;
    bool is_meant;
    tensor past_k, past_v; /* no data: there are none; owned */
} stack_attention;

struct stack_attempt {
    const why_question *of;
    stack_scope scope;
    const mistake *const *together; /* borrowed */
    size_t made_together;
    int with;                                 /* what the one takes that is being made */
    err *e;                                   /* what went wrong while it was */
    bundle document, layers;                  /* what is asked; borrowed from the question's */
    generation generation;                    /* of a question of one pass only its stack is read */
    stack *stack;                             /* that one */
    part_row (*row)[PARTS_MOST];              /* of each layer's parts, which may be changed */
    stack_attention (*attending)[PARTS_MOST]; /* of those that attend, how they do */
    tensor *made;                             /* matrices that mistakes made; owned */
    size_t made_count, made_capacity;
    const mistake *wrong[WHY_TOGETHER]; /* of attention */
    size_t wrong_count, wrong_made;     /* in so many attentions they could be made */
    int kept_as;                        /* how numbers lose digits, as in mistake.h */
    bool loses_digits;                  /* results do, when all is computed */
    bool is_turned, had_batch; /* its axes of batch and rows are exchanged until it is computed */
    tensor *computed;          /* by claim; no data: not there */
};

/* Computes with these mistakes, none for the right numbers. False without an error where one of
 * them can't be made there; an error means that memory is missing. To be freed in any case, and not
 * to be moved. */
bool stack_attempt_make(stack_attempt *a, const why_question *of, const stack_scope *where,
                        const mistake *const *made, size_t count, err *e);
void stack_attempt_free(stack_attempt *a);

/* What the claim's stage is called in its stack: "output" of "step.0.output". */
const char *stack_stage_of(const why_question *of, const claim *one);

/* A matrix whose numbers, not set yet, last as long as the attempt; it moves when the next is made.
 * NULL where memory is missing. */
tensor *stack_attempt_matrix(stack_attempt *a, dtype type, int rank, const size_t *size);

/* Changes each part of this kind, or all, in the layers that are meant. False where none could
 * be. */
bool stack_change_parts(stack_attempt *a, part_change change, int kind);
bool layer_uses_norm(const layer *l, size_t number);

/* Those of the rows that layers begin with. */
extern const named_table STACK_ROW_MISTAKES;

#endif
