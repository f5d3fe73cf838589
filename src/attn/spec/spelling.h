/* Reads how an operation is written; operation_list.h says what a spelling may have in it. Who
 * prints one, with letters or with numbers, is told of its pieces in their order. */
#ifndef SELFATTN_ATTN_SPEC_SPELLING_H
#define SELFATTN_ATTN_SPEC_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

typedef struct spelled {
    const char *at, *end;
} spelled;

/* All of a spelling. */
spelled spelled_whole(const char *spelling);

/* <term;between;zero>; a zero without data is not there. */
typedef struct spelled_series {
    spelled term, between, zero;
} spelled_series;

typedef struct spelling_reader {
    void (*text)(void *to, spelled words);
    void (*place)(void *to, spelled name); /* without its brackets */
    void (*series)(void *to, const spelled_series *series);
    bool (*has)(const void *to, char letter); /* whether there is such an operand */
    bool (*is_first)(const void *to);         /* of a pair */
} spelling_reader;

void spelling_read(const spelling_reader *by, void *to, spelled from);

#endif
