/* Whether a format has a place for what is in a bundle: asked before anything is written, so that
 * nothing is lost without a word. */
#ifndef SELFATTN_IO_HOLDS_H
#define SELFATTN_IO_HOLDS_H

#include "io/format.h"

/* What the entry is, where the format has no place for such ("a text"); NULL where it has. */
const char *format_lacks(const format *f, const bundle *b, const entry *one);

/* What is written, but reads back as something else; one of these, or 0. */
typedef enum held_change {
    HELD_AS_IT_IS,
    HELD_AS_ROW,    /* a vector */
    HELD_AS_DIGITS, /* true and false */
    HELD_WIDER,     /* float16, bfloat16 or integers, as the least type that holds them */
    HELD_NAMELESS
} held_change;
held_change format_changes(const format *f, const entry *one);

#endif
