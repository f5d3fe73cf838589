/* Numbers that stand one after the other, "0.25, -1, 3e-4": the loop that most of the time of
 * reading a matrix is spent in.
 *
 * It knows numbers of the usual form only: by JSON's grammar, of at most 19 digits, finite in their
 * type, not at the very end of the text, and with a few spaces around at most. It stops at all
 * others, which are then for number_read.h: who never asks here reads the same, slowly. */
#ifndef SELFATTN_IO_NUMBER_LIST_H
#define SELFATTN_IO_NUMBER_LIST_H

#include "tensor/tensor.h"

#include <stdint.h>

typedef struct number_list {
    const char *at, *end; /* what is to be read */
    char delimiter;
    uint64_t spaces;  /* bit c is set: the character c may stand around a number */
    bool due;         /* a number has to follow: only a delimiter, or nothing, was read last */
    const char *last; /* where the last number that was read begins, or the spaces before it */
} number_list;

/* Reads up to `room` numbers of DTYPE_F32 or DTYPE_F64, the first of them being due, with the
 * delimiter after each, and returns how many. Where no delimiter stands after one, it is the
 * last. */
size_t number_list_read(number_list *l, dtype type, void *to, size_t room);

#endif
