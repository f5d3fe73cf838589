/* One attention computed with mistakes in it, and the mistakes that people make: one table, for
 * finding them (why.h), for help and for the manual. A new one is a row in the file of its theme,
 * mistakes_*.c, next to the function that makes it; tests/why plants it in random problems.
 *
 * There is no second engine. What is asked can be changed before it is computed; later numbers are
 * changed by computing up to them, altering them where they lie, and letting the same engine go on
 * from there: q, k and v become inputs of a problem, later stages are given to the run. So is, to
 * the way back, all that it takes of the way forward: what it is asked may then be another
 * problem. */
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
    /* In a document with gradients, and in the way back alone: in what it is asked, in what it is
     * given of the way forward, in gradients of q, k and v, and when all is computed. */
    POINT_BACK,
    POINT_BACK_GIVEN,
    POINT_BACK_ROWS,
    POINT_BACK_END,
    POINT_COUNT
} point;

/* Where a mistake of layers is made: in the stack that was read, in the document, or once rows are
 * planned, those of each step where it goes on; or in the way back alone: in the stack before it
 * goes back, or in gradients when all is computed. */
typedef enum stack_point { STACK_READ, STACK_ASKED, STACK_ROWS, STACK_TURN, STACK_END } stack_point;

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
    bool keeps_weighted; /* next to which every n_q × n_k stage is small */
    bool keeps_entropy;
    bool keeps_gradients;      /* else mistakes in the way back can't be made */
    const struct claims *from; /* the way back begins at these, as far as it takes them; or NULL */
    struct problem begun;      /* what was asked at first */
    plan plan;                 /* of that; a run that goes on asks it for the rest */
    plan back_plan;            /* of the way back, of `problem` as it is from then on, */
    tensor back[STAGE_COUNT];  /* and what it is given; borrowed of `stage` and `made` */
    tensor stage[STAGE_COUNT]; /* no data: not there */
    tensor made[ATTEMPT_MATRICES];
    size_t made_count;
    point now;          /* where a mistake is being made, */
    const mistake *row; /* this one */
    err *e;             /* what went wrong while it was */
    entry turned;       /* where rows stand, which a mistake moves; its numbers are in `made` */
};

/* Rows of `mistake`, which are those of the themes; MISTAKES are those of the way forward, and then
 * those of the way back, of which parameters come last; STACK_MISTAKES likewise. */
extern const named_table MISTAKES, FORWARD_MISTAKES, STACK_MISTAKES, STACK_FORWARD_MISTAKES;
const mistake *mistake_at(const named_table *of, size_t index);

extern const named_table WEIGHT_MISTAKES, SCALE_MISTAKES, SOFTMAX_MISTAKES, MASK_MISTAKES,
    BEND_MISTAKES, POSITION_MISTAKES, HEAD_MISTAKES, INPUT_MISTAKES, BACK_MISTAKES,
    PARAMETER_MISTAKES;

/* What no mistake of computing gives: a few numbers, each for itself, that were badly copied. */
extern const named_table MISPRINTS; /* rows of `named` */
/* The row, where that is likely; else NULL. */
const named *misprint_of(const comparison *c);

/* ---- what several themes share ---- */

/* n more in the sum of exponentials. */
bool attempt_add_to_sum(attempt *a, size_t n);

/* Without the input `with`, or all from `from` on to it. */
bool blunder_leave_out(attempt *a);

/* The transposes of inputs, likewise; false where one is not square. */
bool blunder_transpose(attempt *a);

/* One alignment of causality in the place of the other; none; or one where there is none. */
bool blunder_align(attempt *a);

enum { CAUSAL_ADDED = CAUSAL_LOWER_RIGHT + 1 }; /* to none */

/* The gradient `with` holds the numbers of `from`, and that those of `with`; false where they have
 * not one shape. */
bool blunder_exchange_grads(attempt *a);

/* Without the setting `with`. */
bool blunder_forget(attempt *a);

enum {
    FORGET_WINDOW,
    FORGET_LENGTHS,
    FORGET_ALIBI,
    FORGET_SOFTCAP,
    FORGET_CLIP,
    FORGET_ZERO,
    FORGET_ROPE,
    FORGET_ROPE_FACTOR,
    FORGET_NORM,
    FORGET_OFFSET,
};

/* All times `by`; nothing where there is no data. */
void numbers_scale(tensor *t, double by);
/* With: a type for float formats; decimals + a way. */
void numbers_keep_as(tensor *t, int with);

enum { AS_AWAY = 0, AS_EVEN = 32, AS_CUT = 64, AS_KEEP_SUM = 96, AS_FLOAT16 = 128, AS_BFLOAT16 };

#endif
