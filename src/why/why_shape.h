/* What went wrong where numbers have another shape than they should: which of ARRANGEMENTS, and
 * which mistakes, give a shape like theirs, and which of these give the numbers. */
#ifndef SELFATTN_WHY_WHY_SHAPE_H
#define SELFATTN_WHY_WHY_SHAPE_H

#include "why/why.h"

/* The ways in which right numbers come out in a wrong shape are one table, for finding them, for
 * help and for the manual. A stage has the axes b (batch), h (head), n (row) and c (column); a
 * layout says what its axes became: "b,n,hc" are the heads of a row side by side. */

/* What became of an axis that the layout does not name. */
typedef enum folding { FOLD_NONE, FOLD_FIRST, FOLD_LAST, FOLD_MEAN, FOLD_SUM } folding;

typedef struct arrangement {
    named named;
    const char *of_apart;  /* the layout, of stages with an axis of heads; NULL: it is theirs */
    const char *of_joined; /* of those with their heads side by side; NULL: it is theirs */
    folding fold;
} arrangement;

extern const named_table ARRANGEMENTS; /* rows of `arrangement` */

/* A stage with all its axes: b × h × n × c, or b × n × hc with so many heads side by side. */
typedef struct arrangeable {
    tensor all;
    size_t heads;
} arrangeable;

/* Numbers of a stage of this plan; false for what has other axes. */
bool arrangeable_of(arrangeable *to, const plan *p, stage_id id, const tensor *numbers);

/* These numbers, arranged so; to be freed. False without an error where they can't be. */
bool arrangement_make(tensor *made, const arrangement *how, const arrangeable *of, err *e);

typedef struct shape_answer {
    const named *arranged;       /* NULL: the mistake alone gives the shape */
    const named *made;           /* NULL: but for the shape all is right */
    const named *same[WHY_SAME]; /* others that give the same numbers */
    size_t same_count;
    double error;
    int digits;
} shape_answer;

typedef struct shape_answers {
    shape_answer answer[WHY_ANSWERS]; /* the best first */
    size_t count;
    const named *shaped[WHY_ANSWERS]; /* the first ones that give the shape, alone */
    size_t shaped_count;              /* of all that do */
} shape_answers;

/* Of a question of one claim, whose numbers are of another shape than they should be; with mistakes
 * in all of it. False, with the error set, where memory is missing. */
bool why_shape_find(shape_answers *to, const why_question *of, err *e);

#endif
