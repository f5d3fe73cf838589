/* The program as the tests of layers see it: a random stack becomes a document, in JSON, which is
 * read, planned and run. */
#ifndef SELFATTN_TESTS_REF_STACK_SUBJECT_H
#define SELFATTN_TESTS_REF_STACK_SUBJECT_H

#include "model/stack.h"
#include "ref/ref_stack.h"

/* How to run it: all zero is all stages, in one thread, by the best kernels. */
typedef struct stack_way {
    size_t threads; /* 0: 1 */
    const isa *by;
    const bundle *document;   /* that was read already, and outlives it; NULL: it is to be read */
    const char *emits;        /* this stage alone */
    const row_choice *chosen; /* rows that are computed to the end; NULL: all */
    size_t rows; /* of its ids, so many at first, and then one by one; 0: all at once */
} stack_way;

/* What came out, of all rows at once or of those that were last. */
typedef struct stack_subject {
    bundle document;
    stack stack;
    text_list names; /* of all stages that there are */
    bundle result;
    err failure;
} stack_subject;

/* The document, of one entry of the batch alone unless it is SIZE_MAX, and of the first `rows` ids
 * unless that is 0. */
void stack_document(const ref_stack *s, size_t batch, size_t rows, text *out);

/* False, with `failure` set, when the program refuses. To be freed in any case, and not to be
 * moved. */
bool stack_subject_open(stack_subject *one, const ref_stack *s, size_t batch, const stack_way *way);
/* The next `rows` of its ids, after those before. */
bool stack_subject_go_on(stack_subject *one, const ref_stack *s, size_t rows, const stack_way *way);
void stack_subject_free(stack_subject *one);

#endif
