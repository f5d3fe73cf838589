/* What no mistake of computing gives: a few numbers, each for itself, that were badly copied. */
#ifndef SELFATTN_WHY_MISPRINT_H
#define SELFATTN_WHY_MISPRINT_H

#include "attn/engine/compare.h"
#include "base/named.h"

extern const named_table MISPRINTS; /* rows of `named` */

/* The row, where that is likely; else NULL. */
const named *misprint_of(const comparison *c);

#endif
