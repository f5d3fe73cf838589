/* How numbers make a number: a row for each operation, with its spelling. Nothing else says how an
 * operation is written; scores, activations, traces and help read it here, and one printer in C and
 * one in the page's script.
 *
 * A spelling is text with these in it; a, b, c, d are the operands, vectors or numbers:
 *   {a}      the operand. A negative number is in parentheses, except where the text before it is
 *            empty or ends with ( or a comma.
 *   {(a)}    the same, a negative number always in parentheses: where a factor comes first
 *   {ab}     a's numbers and then b's
 *   <t;s>    t for each number of the first operand in t, with s between them
 *   <t;s;z>  z in place of t where that number is 0
 *   [a?t]    t where there is such an operand;  [a?t:u]  else u
 *   {n}      how many terms the series before it has
 *   {j}      the cell's column, from 1
 *   {f}      the spelling of the map's function
 *   {inner}  what is inside, worked out
 *   ~t~u~    t in the first column of a pair, u in the second
 * A line break stands before a space at which a line may be broken.
 *
 * In letters operands are names, q[i] and C: a vector is one name, {*a} stands for its element j,
 * and {f} for the function's name. */
#ifndef SELFATTN_ATTN_OPERATION_H
#define SELFATTN_ATTN_OPERATION_H

#include "base/named.h"

typedef enum operation {
    OP_COPY, /* 0: a row that does not say its operation is seen to be wrong */
    OP_DOT,
    OP_DIFFERENCE,
    OP_ADDITIVE, /* inner_p is the tanh */
    OP_TIMES,    /* b and the result may be vectors */
    OP_CAP,      /* inner is the tanh */
    OP_PLUS,
    OP_EXP,
    OP_SUM,
    OP_MAX,
    OP_DIVIDE,
    OP_PLUS_LOG,
    OP_ENTROPY,
    OP_ROUND,    /* by hand */
    OP_VARIANCE, /* mean of (a − mean of a)² over all elements of a (any rank) */
    OP_INVERSE_ROOT,
    OP_ROOT_OF_SUM, /* inner is the sum */
    OP_HIDE,        /* a becomes −inf: not allowed */
    OP_NORMALIZE,   /* from here on in maps only; mean of b_p² */
    OP_WAVE,
    OP_TURN,  /* b is the other of the pair */
    OP_STACK, /* the rows of a, and after them those of b */
    OP_MEAN,
    OP_MINUS,
    OP_ACTIVATE
} operation;

typedef struct operation_row {
    named named;
    const char *spelled; /* "" where the operands are too many to spell out */
    const char *inner;   /* with what is inside worked out; NULL: nothing is */
    const char *letters; /* NULL: as spelled, of a series one term */
} operation_row;

extern const named_table OPERATIONS; /* rows of `operation_row`, at their operation */

const operation_row *operation_of(operation op);

#endif
