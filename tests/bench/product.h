/* c = a·b, by any program: m × k times k × n, square where only m is said. */
#ifndef SELFATTN_TESTS_BENCH_PRODUCT_H
#define SELFATTN_TESTS_BENCH_PRODUCT_H

#include "bench/words.h"
#include "tensor/tensor.h"

typedef struct product {
    tensor a, b, c;
    size_t threads;
} product;

void product_prepare(product *p, const words *w);

#endif
