/* What the files that make random problems share. */
#ifndef SELFATTN_TESTS_REF_MAKER_H
#define SELFATTN_TESTS_REF_MAKER_H

#include "ref/dice.h"
#include "ref/ref_attention.h"

/* A problem in the making. */
typedef struct maker {
    ref_problem *p;
    dice dice;
    double eagerness; /* how likely an option is taken: problems of few options and of many */
    double spread;    /* of the rows' numbers: flat to sharp weights */
    int large_left;   /* how many more sizes may be large */
    size_t b, h, g, n_q, n_k, past, d_q, d_k, d_v;
    bool is_given[3], is_weighted[3]; /* q, k, v */
    size_t rows_n[3], rows_m[3];      /* of x, xk, xv; 0: not there */
    size_t latent[3], shared;         /* widths of what weights take in place of rows; 0: those */
} maker;

/* Whether an option is taken. */
bool maker_wants(maker *m);

/* An input's room, the same with random numbers, and a vector of so many heads: n, 1 × n or heads ×
 * n/heads. */
ref_array *maker_add_array(maker *m, ref_input which, int rank, const size_t *size);
void maker_add_numbers(maker *m, ref_input which, int rank, const size_t *size, double spread);
void maker_add_vector(maker *m, ref_input which, size_t heads, size_t width);

/* ref_random_masks.c: causal, windows, lengths, appended keys, ALiBi's slopes, masks and biases. */
void maker_choose_causal(maker *m);
void maker_choose_window(maker *m);
void maker_choose_key_lengths(maker *m);
void maker_choose_alibi(maker *m);
void maker_choose_appended(maker *m);
void maker_add_masks(maker *m);
void maker_add_key_bias(maker *m);
void maker_add_relative_bias(maker *m);

#endif
