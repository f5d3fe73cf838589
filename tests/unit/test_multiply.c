/* A matrix too large to be packed at once is multiplied in ranges of columns, and gives the bits
 * that each range gives alone. */
#include "attn/engine/multiply.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static tensor new_matrix(unit *u, size_t rows, size_t columns, uint64_t seed)
{
    tensor t;
    err e = {0};
    if (!CHECK(u, tensor_new(&t, DTYPE_F32, 2, (size_t[]){rows, columns}, &e)))
        exit(2);
    for (size_t i = 0; i < rows * columns; i++)
        ((float *)t.data)[i] = (float)(unit_random(&seed) >> 40) / (1 << 23) - 1;
    return t;
}

static void check_ranges(unit *u, size_t rows, size_t depth, size_t columns, size_t range)
{
    const kernels *with = isa_best()->table(DTYPE_F32);
    tensor row = new_matrix(u, 1, depth, 1), b = new_matrix(u, depth, columns, 2);
    tensor c = new_matrix(u, rows, columns, 3), d = new_matrix(u, rows, columns, 4), a = row;
    crew by;
    err e = {0};
    a.size[0] = rows; /* all alike */
    a.stride[0] = 0;
    crew_open(&by, 1);
    CHECK(u, multiply(with, &a, &b, NULL, &c, &by, &e));
    for (size_t first = 0; first < columns; first += range) {
        size_t count = columns - first < range ? columns - first : range;
        tensor some = tensor_range(&b, 1, first, count), to = tensor_range(&d, 1, first, count);
        CHECK(u, multiply(with, &a, &some, NULL, &to, &by, &e));
    }
    CHECK(u, memcmp(c.data, d.data, rows * columns * sizeof(float)) == 0);
    crew_close(&by);
    tensor_free(&row);
    tensor_free(&b);
    tensor_free(&c);
    tensor_free(&d);
}

/* A row whose numbers lie apart gives what they give side by side. */
static void check_row_apart(unit *u, size_t depth, size_t columns)
{
    const kernels *with = isa_best()->table(DTYPE_F32);
    tensor apart = new_matrix(u, depth, 3, 1), b = new_matrix(u, depth, columns, 2),
           c = new_matrix(u, 1, columns, 3), d = new_matrix(u, 1, columns, 4),
           row = new_matrix(u, 1, depth, 5), turned = tensor_transposed(&apart),
           a = tensor_range(&turned, 0, 1, 1);
    crew by;
    err e = {0};
    tensor_copy(&a, &row);
    crew_open(&by, 1);
    CHECK(u, multiply(with, &a, &b, NULL, &c, &by, &e));
    CHECK(u, multiply(with, &row, &b, NULL, &d, &by, &e));
    CHECK(u, memcmp(c.data, d.data, columns * sizeof(float)) == 0);
    crew_close(&by);
    tensor_free(&apart);
    tensor_free(&b);
    tensor_free(&c);
    tensor_free(&d);
    tensor_free(&row);
}

/* However the work is cut for several threads: the bits of one. */
static void check_threads(unit *u, size_t rows, size_t depth, size_t columns)
{
    const kernels *with = isa_best()->table(DTYPE_F32);
    tensor a = new_matrix(u, rows, depth, 1), b = new_matrix(u, depth, columns, 2);
    tensor c = new_matrix(u, rows, columns, 3), d = new_matrix(u, rows, columns, 4);
    for (size_t threads = 1; threads <= 3; threads++) {
        crew by;
        err e = {0};
        crew_open(&by, threads);
        CHECK(u, multiply(with, &a, &b, NULL, threads == 1 ? &c : &d, &by, &e));
        CHECK(u, threads == 1 || memcmp(c.data, d.data, rows * columns * sizeof(float)) == 0);
        crew_close(&by);
    }
    tensor_free(&a);
    tensor_free(&b);
    tensor_free(&c);
    tensor_free(&d);
}

UNIT(multiply)
{
    check_threads(u, 1, 520, 530); /* by columns of b as it lies */
    check_threads(u, 7, 520, 530); /* by columns that are packed */
    check_threads(u, 500, 130, 70);
    check_row_apart(u, 70, 131);
    check_ranges(u, 200, 6000, 800, 7);        /* 19 MB: two ranges */
    check_ranges(u, 49, (1 << 18) + 1, 17, 5); /* a panel alone is more than 16 MB */
}
