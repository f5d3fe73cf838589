/* How numbers make a number: a row for each operation, with its spelling (operation_list.h).
 * Nothing else says how an operation is written; scores, activations, traces and help read it here,
 * by one reader in C (spelling.h) and one in the page's script (formula.js). */
#ifndef SELFATTN_ATTN_SPEC_OPERATION_H
#define SELFATTN_ATTN_SPEC_OPERATION_H

#include "base/named.h"

typedef enum operation {
#define OPERATION(id, ...) id,
#include "attn/spec/operation_list.h"
#undef OPERATION
    OPERATION_COUNT
} operation;

/* What of an operation is worked out before the rest: its {inner}. */
typedef enum operation_inside {
    INSIDE_NOTHING,
    INSIDE_TANH_OF_QUOTIENT, /* tanh(a / b) */
    INSIDE_TANHS_OF_SUMS, /* tanh(a₁ + b₁ + d₁), tanh(a₂ + b₂ + d₂), …, without d a + b */
    INSIDE_MEAN_SQUARE /* (b₁² + b₂² + …)/n + c */
} operation_inside;

typedef struct operation_row {
    named named;
    const char *spelled;     /* "" where the operands are too many to spell out */
    operation_inside inside; /* and with that worked out: */
    const char *inner;
    const char *letters; /* NULL: as spelled, of a series one term */
    const char *numpy;   /* of all cells at once; NULL: it has no such form */
    bool is_in_f64;      /* rounded once, at the end */
} operation_row;

extern const named_table OPERATIONS; /* rows of `operation_row`, at their operation */

const operation_row *operation_of(operation op);

#endif
