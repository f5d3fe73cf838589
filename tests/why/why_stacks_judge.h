/* One planted mistake of layers, asked about. */
#ifndef SELFATTN_TESTS_WHY_WHY_STACKS_JUDGE_H
#define SELFATTN_TESTS_WHY_WHY_STACKS_JUDGE_H

#include "ref/stack_subject.h"
#include "why/plants.h"
#include "why/stack_plants.h"
#include "why/why_stacks.h"
#include "why/why.h"

/* A row of a table of plants, and where it is made. */
typedef struct trial {
    const stack_plant *of_stack;
    const plant *of_attention;
    size_t only;      /* the layer that alone makes it, from 1; 0: all */
    bool self, cross; /* of attention: in which */
    size_t meant, made;
} trial;

const char *trial_name(const trial *t);

/* What is shown of a stack's numbers. */
typedef struct shown {
    bundle numbers;
    claim *claim;
    size_t count;
    bool is_changed; /* a number differs from what is right */
} shown;

/* Which stages are, in a way of showing them. */
typedef bool shown_stage(const char *name, size_t how);

/* Stages that hold nothing but rounding of others are left out: all of at most `least`. */
void show_all(shown *to, const ref_stack_result *wrong, const ref_stack_result *right,
              shown_stage *is_shown, size_t how, double least);
void hide(shown *s);

/* Counts whether it is named in the first two answers, and that nothing is of right numbers; in a
 * generation's first step, too, where `has_steps`. */
void judge(const trial *t, const stack_subject *of, const shown *wrong, const shown *right,
           uint64_t number, bool has_steps, bool says, tally *to);

bool stack_is_small(const ref_stack *s);
double stack_stage_greatest(const ref_stack_stage *s);

#endif
