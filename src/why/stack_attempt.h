/* One stack computed with mistakes in it: read from what is asked, changed once it is read, and run
 * by the same engine. An attention's own mistakes (mistake.h) are made in each of its attentions,
 * by attempts of theirs. */
#ifndef SELFATTN_WHY_STACK_ATTEMPT_H
#define SELFATTN_WHY_STACK_ATTEMPT_H

#include "attn/engine/multiply.h"
#include "why/mistake.h"
#include "why/ranking.h"

/* Numbers of an attention or a stack from elsewhere, which differ from what is right. */
typedef struct why_question {
    const problem *problem; /* of one attention; NULL: of a stack, as what follows says */
    const kernels *with;
    const bundle *document;
    stack_settings how;
    const generation_settings *steps; /* of a generation: "step.0.output"; NULL: of one pass */
    const isa *by;
    size_t threads;
    packed_weights *kept; /* products, of the document's own matrices alone; NULL: none */
    claims claims;        /* in the order in which their stages are made */
    claims given;        /* rows that stand in the place of these stages, as soon as each is made */
    bool goes_by_claims; /* and so do those of claims, once what is computed there is kept */
    const mistake *const *settled; /* made in all that is tried; */
    size_t settled_count;          /* so many, at most WHY_SETTLED */
    bool shapes_are_right;         /* of the numbers of all claims */
    bool are_few; /* a few numbers in a few digits, which some two mistakes always give: none are
                   * tried together */
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
    const mistake *together[WHY_MADE];
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
    const mistake *wrong[WHY_MADE]; /* of attention */
    size_t wrong_count, wrong_made; /* in so many attentions they could be made */
    int kept_as;                    /* how numbers lose digits, as in mistake.h */
    bool loses_digits;              /* results do, when all is computed */
    tape *tape; /* between the ways, and after: what it went back by; NULL: not yet */
    bool is_turned, had_batch; /* its axes of batch and rows are exchanged until it is computed */
    stage_change *loses;       /* the rows of stages, before they are kept; NULL: nothing is lost */
    tensor *computed;          /* by claim; no data: not there */
    bool looks;       /* it computes no more than it needs to say that it may be an answer: */
    const char *last; /* to the last claim's stage; NULL: all; */
    bool is_over;     /* which is there; */
    /* and after the last attention one row alone: */
    size_t looked_at;
    row_choice only;
    bool is_narrow; /* the last claim is of a stage after it, */
    double error;   /* and so many times its tolerance off there */
};

/* Computes with these mistakes, none for the right numbers. False without an error where one of
 * them can't be made there; an error means that memory is missing. To be freed in any case, and not
 * to be moved. */
bool stack_attempt_make(stack_attempt *a, const why_question *of, const stack_scope *where,
                        const mistake *const *made, size_t count, err *e);
/* The same where numbers that are not within the last claim's tolerance need not be known: false of
 * them too, with what they are off at least in a->error. Layers make most of their products after
 * attention, row by row, and one row costs a small part of them. */
bool stack_attempt_try(stack_attempt *a, const why_question *of, const stack_scope *where,
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

/* ---- what both ways' mistakes share ---- */

enum { AFFINE_GAIN = 1, AFFINE_BIAS = 2 };

bool norm_set_kind(stack_attempt *a, norm *one); /* with: 1 RMSNorm, 0 LayerNorm */
bool norm_set_eps(stack_attempt *a, norm *one);  /* with: digits; 0: none */
bool norm_drop_affine(stack_attempt *a, norm *one);
bool residual_set(stack_attempt *a, layer_part *p, part_row *row);
bool gate_swap(stack_attempt *a, feed_forward *f);

/* Those of mixtures of experts, of the rows that layers begin with, and of the way back alone. */
extern const named_table STACK_EXPERT_MISTAKES, STACK_ROW_MISTAKES, STACK_BACK_MISTAKES;

#endif
