/* One element of a matrix in JSON: a number, true or false, a non-finite number written as a text,
 * a hole. */
#ifndef SELFATTN_IO_JSON_ELEMENT_H
#define SELFATTN_IO_JSON_ELEMENT_H

#include "io/json_text.h"
#include "tensor/key.h"
#include "tensor/tensor.h"

/* What the elements may be, and what they become. */
typedef struct element_rules {
    key_kind kind; /* KEY_MATRIX, KEY_BIAS, KEY_MASK, KEY_TRUTHS or KEY_EXPECTED */
    dtype type;    /* DTYPE_BOOL of a mask and of truths */
    bool allow_nonfinite;
    int most_rank; /* of the matrix */
} element_rules;

/* Reads the value at `at` into `to`, and gives the first byte behind it; NULL with the error
 * set. */
const char *json_element_read(json_text *t, const char *at, const element_rules *rules, void *to,
                              err *e);

/* The number at `at` as float64, for what is no matrix: settings, tolerances. */
bool json_number_read(json_text *t, const char *at, double *value, err *e);

#endif
