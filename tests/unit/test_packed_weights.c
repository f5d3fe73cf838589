/* Weights that are kept packed: each once, within the bytes that there are, and products with them
 * have the bits of products that pack for themselves. */
#include "attn/packed_weights.h"

#include "attn/multiply.h"
#include "base/mem.h"
#include "unit.h"

#include <math.h>
#include <string.h>

enum { ROWS_MOST = 700, DEPTH = 130, COLUMNS = 200 };

static tensor new_matrix(unit *u, size_t rows, size_t columns, uint64_t seed)
{
    tensor t;
    err e = {0};
    CHECK(u, tensor_new(&t, DTYPE_F32, 2, (size_t[]){rows, columns}, &e));
    for (size_t i = 0; i < rows * columns; i++)
        ((float *)t.data)[i] = (float)(unit_random(&seed) >> 40) / (1 << 23) - 1;
    return t;
}

static const packed *find(unit *u, packed_weights *all, const kernels *with, const tensor *weight)
{
    const packed *found;
    err e = {0};
    CHECK(u, packed_weights_find(all, with, weight, &found, &e));
    return found;
}

static void keeps_each_once(unit *u, const kernels *with, const tensor *weight)
{
    size_t bytes = with->packed_bytes(DEPTH, COLUMNS), turned = with->packed_bytes(COLUMNS, DEPTH);
    packed_weights all = {.bytes_left = bytes + turned};
    tensor other = tensor_transposed(weight), part = tensor_range(weight, 1, 0, COLUMNS - 1);
    const packed *one = find(u, &all, with, weight);
    const packed *two = find(u, &all, with, &other);
    CHECK(u, one != NULL && two != NULL && one != two && all.bytes_left == 0);
    CHECK(u, find(u, &all, with, weight) == one);
    CHECK(u, find(u, &all, with, &other) == two);
    CHECK(u, find(u, &all, with, &part) == NULL); /* there is no room left */
    packed_weights_free(&all);
    CHECK(u, find(u, &all, with, weight) == NULL);
}

static void product(unit *u, const kernels *with, const tensor *a, const tensor *b,
                    const tensor *bias, const packed *ready, size_t threads, tensor *c)
{
    multiply_extras extras = {.ready = ready, .is_finite = true};
    crew by;
    err e = {0};
    crew_open(&by, threads);
    CHECK(u, multiply_with(with, a, b, bias, c, &extras, &by, &e) && extras.is_finite);
    crew_close(&by);
}

/* One row; fewer than a block; cut by columns and by rows. */
static void gives_the_same_bits(unit *u, const kernels *with, const tensor *weight)
{
    static const size_t ROWS[] = {1, 7, 48, 50, ROWS_MOST};
    packed_weights all = {.bytes_left = with->packed_bytes(DEPTH, COLUMNS)};
    const packed *ready = find(u, &all, with, weight);
    tensor a = new_matrix(u, ROWS_MOST, DEPTH, 2), bias = new_matrix(u, 1, COLUMNS, 3);
    tensor packs = new_matrix(u, ROWS_MOST, COLUMNS, 4), has = new_matrix(u, ROWS_MOST, COLUMNS, 5);
    tensor of_bias = tensor_at(&bias, 0);
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        tensor some = tensor_range(&a, 0, 0, ROWS[i]);
        tensor c = tensor_range(&packs, 0, 0, ROWS[i]), d = tensor_range(&has, 0, 0, ROWS[i]);
        for (size_t threads = 1; threads <= 3; threads += 2) {
            memset(has.data, 0, tensor_count(&has) * sizeof(float));
            product(u, with, &some, weight, &of_bias, NULL, threads, &c);
            product(u, with, &some, weight, &of_bias, ready, threads, &d);
            CHECK(u, memcmp(c.data, d.data, tensor_count(&c) * sizeof(float)) == 0);
        }
    }
    tensor_free(&a);
    tensor_free(&bias);
    tensor_free(&packs);
    tensor_free(&has);
    packed_weights_free(&all);
}

static void sees_what_is_past_the_range(unit *u, const kernels *with, const tensor *weight)
{
    packed_weights all = {.bytes_left = with->packed_bytes(DEPTH, COLUMNS)};
    tensor a = new_matrix(u, 9, DEPTH, 6), c = new_matrix(u, 9, COLUMNS, 7);
    multiply_extras extras = {.ready = find(u, &all, with, weight), .is_finite = true};
    crew by;
    err e = {0};
    ((float *)a.data)[8 * DEPTH] = INFINITY;
    crew_open(&by, 1);
    CHECK(u, multiply_with(with, &a, weight, NULL, &c, &extras, &by, &e) && !extras.is_finite);
    crew_close(&by);
    tensor_free(&a);
    tensor_free(&c);
    packed_weights_free(&all);
}

void test_packed_weights(unit *u);
void test_packed_weights(unit *u)
{
    const kernels *with = isa_best()->table(DTYPE_F32);
    tensor weight = new_matrix(u, DEPTH, COLUMNS, 1);
    keeps_each_once(u, with, &weight);
    gives_the_same_bits(u, with, &weight);
    sees_what_is_past_the_range(u, with, &weight);
    tensor_free(&weight);
}
