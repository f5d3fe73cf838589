/* The ways in which right numbers come out in a wrong shape: one table, for finding them
 * (why_shape.h), for help and for the manual.
 *
 * A stage has the axes b (batch), h (head), n (row) and c (column); a layout says what its axes
 * became: "b,n,hc" are the heads of a row side by side. */
#ifndef SELFATTN_WHY_ARRANGEMENT_H
#define SELFATTN_WHY_ARRANGEMENT_H

#include "why/attempt.h"

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

#endif
