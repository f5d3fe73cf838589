/* --map for all layers at once: layer.{}.output=h.{}.out stands for a pair a layer. */
#ifndef SELFATTN_CLI_IN_MAP_PATTERNS_H
#define SELFATTN_CLI_IN_MAP_PATTERNS_H

#include "tensor/bundle.h"

/* Writes out NAME=KEY pairs: where both have {}, one for each number that stands there in one of
 * `theirs`, which KEY is about. NAME takes the number as one of `ours` has it, "07" or "7"; NULL,
 * or where none has it: without zeros before it. A pair whose KEY is like none stays as it is. */
bool map_write_out(const text_list *map, const text_list *ours, const text_list *theirs,
                   text_list *to, err *e);

#endif
