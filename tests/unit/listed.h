/* A bundle as one text, for comparing: "weights bhqk f32 1 x 2 x 1 x 2: 1 2 3 4; rows: a, b; ". */
#ifndef SELFATTN_TESTS_LISTED_H
#define SELFATTN_TESTS_LISTED_H

#include "io/format.h"

/* Borrowed from `out`, which is cleared first. */
const char *listed(const bundle *b, text *out);

typedef bool reader(const char *bytes, size_t length, const read_options *how, bundle *out, err *e);

/* What the bytes are read as, or else the error as said() has it; borrowed likewise. */
const char *listed_by(reader *read, const char *bytes, size_t length, const read_options *how,
                      text *out);

/* The same entries with the same names, axes, types, shapes and bits. */
bool same_bits(const bundle *a, const bundle *b);

#endif
