/* The stages of a stack by their names: what axes they have, which of them somebody wants, and
 * where those go.
 *
 * A stage's name is the way to it, "layer.0.attention.weights"; what is wanted is said by names, in
 * which * stands for anything. */
#ifndef SELFATTN_MODEL_STAGES_H
#define SELFATTN_MODEL_STAGES_H

#include "attn/spec/row_choice.h"
#include "attn/plan/plan.h"
#include "tensor/bundle.h"

enum { STAGE_NAME = 96 };

/* "layer.0.attention." and what a name on from there is in full. */
typedef struct stage_way {
    char text[STAGE_NAME];
} stage_way;

stage_way stage_way_on(const stage_way *way, const char *step);
/* A stack's layer, counted from 0. */
stage_way stage_way_of_layer(size_t number);
void stage_name_in_full(const stage_way *way, const char *name, char out[STAGE_NAME]);
/* Whether it is a gradient's name; what that is of, "layer.0.w1" of "layer.0.w1_grad", else "",
 * goes into `of`, which may be NULL. */
bool stage_is_gradient(const char *name, char of[STAGE_NAME]);

/* Is told of each stage of rows before anything is made of it, and may change its numbers. False,
 * without an error, ends the run once they are kept. */
typedef bool stage_change(void *context, const char *name, const tensor *rows);

/* What weights of layers that are repeated have gained so far: from the last time to the first. */
typedef struct weight_gains {
    const struct stack *of;
    const struct way_back *by;
    bundle sum;
} weight_gains;

typedef struct keeper {
    const text_list *wanted;
    bool has_patterns; /* among those wanted; else they are names in full */
    bundle *result;
    const kept_stages *one_row; /* of weighted: the row that is meant; NULL: all */
    size_t batches;             /* 0: there is no batch axis */
    stage_change *change;       /* NULL: none */
    void *context;              /* of that */
    weight_gains *gains;        /* NULL: nothing goes back */
    stage_way way;
} keeper;

/* Whether a pattern means the name. */
bool stage_name_matches(const char *pattern, const char *name);

/* Of these names and patterns. */
keeper keeper_of(const text_list *names);

/* The same one step on. */
keeper keeper_within(const keeper *k, const char *step);
keeper keeper_of_layer(const keeper *k, size_t number);

bool keeper_wants(const keeper *k, const char *name);
/* Whether it is the gradient of a weight that a layer before has, too. */
bool keeper_adds_up(const keeper *k, const char *name);
/* Copies rows (b·n × width) into the result, where they are wanted, once they are what they stay.
 * `axes` are those where there is
 * a batch, "bqm"; a string literal. */
bool keeper_keep(const keeper *k, const char *name, const tensor *rows, const char *axes, err *e);

/* Takes a matrix into the result, where it is wanted; or the gradient of a weight that layers
 * share, which is in the result once all of them have given theirs. */
bool keeper_take(const keeper *k, const char *name, tensor *of, const char *axes, err *e);

/* Whether there are stacks with a stage of this name that one attention alone does not have. */
bool stack_may_have_stage(const char *name, size_t length);
/* The letters of the axes of what a stack's result has under this name, as of an attention's. */
const char *stack_axes_of(const char *name);
/* The same of a matrix that was read: its first axes may be a batch or heads, and where its name is
 * a stage's, that says which. Stages have all their axes, of which b and h may be missing. */
void stack_find_axes(entry *one);
/* Adds to `to`, of each matrix that has a name of these stages and as many queries as there are
 * rows to choose from, a copy of the chosen ones; borrows others. */
bool stack_choose_rows(const row_choice *rows, const bundle *from, bundle *to, err *e);

#endif
