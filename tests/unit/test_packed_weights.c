/* Weights that are kept packed: each once, within the bytes that there are, and products with them
 * have the bits of products that pack for themselves. */
#include "attn/engine/multiply.h"
#include "unit.h"

#include <math.h>
#include <stdint.h>
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

static packed find(unit *u, packed_weights *all, const kernels *with, const tensor *weight)
{
    packed found;
    err e = {0};
    CHECK(u, packed_weights_find(all, with, weight, &found, &e));
    return found;
}

static void keeps_each_once(unit *u, const kernels *with, const tensor *weight)
{
    size_t bytes = with->packed_bytes(DEPTH, COLUMNS), turned = with->packed_bytes(COLUMNS, DEPTH);
    packed_weights all = {.most = bytes + turned};
    tensor other = tensor_transposed(weight), part = tensor_range(weight, 1, 0, COLUMNS - 1);
    packed one = find(u, &all, with, weight), two = find(u, &all, with, &other);
    CHECK(u, one.data != NULL && two.data != NULL && one.data != two.data);
    CHECK(u, all.count == 2 && all.bytes == all.most);
    CHECK(u, find(u, &all, with, weight).data == one.data);
    CHECK(u, find(u, &all, with, &other).data == two.data);
    CHECK(u, find(u, &all, with, &part).data == NULL); /* there is no room left */
    packed_weights_yield(&all, all.most);
    CHECK(u, all.count == 2);
    packed_weights_yield(&all, all.most - 1);
    CHECK(u, all.count == 0 && find(u, &all, with, weight).data == NULL);
    packed_weights_free(&all);
}

/* A square and the same one turned are two, of one place and one shape. */
static void knows_how_it_lies(unit *u, const kernels *with, const tensor *weight)
{
    packed_weights all = {.most = SIZE_MAX};
    tensor square = tensor_range(weight, 1, 0, DEPTH), turned = tensor_transposed(&square);
    const void *one = find(u, &all, with, &square).data;
    CHECK(u, one != NULL && find(u, &all, with, &turned).data != one);
    packed_weights_free(&all);
}

static bool apply(unit *u, const linear_map *map, const kernels *with, const tensor *a,
                  size_t threads, tensor *c)
{
    bool is_finite = true;
    crew by;
    err e = {0};
    crew_open(&by, threads);
    CHECK(u, linear_map_apply(map, with, a, c, &is_finite, &by, &e));
    crew_close(&by);
    return is_finite;
}

/* Of one row, of fewer than a block, cut by columns and by rows. */
static void check_rows(unit *u, const kernels *with, const linear_map *anew, const linear_map *kept,
                       const tensor *a)
{
    tensor c = new_matrix(u, a->size[0], COLUMNS, 4), d = new_matrix(u, a->size[0], COLUMNS, 5);
    for (size_t threads = 1; threads <= 3; threads += 2) {
        CHECK(u, apply(u, anew, with, a, threads, &c));
        CHECK(u, apply(u, kept, with, a, threads, &d));
        CHECK(u, memcmp(c.data, d.data, tensor_count(&c) * sizeof(float)) == 0);
        memset(d.data, 0, tensor_count(&d) * sizeof(float));
    }
    tensor_free(&c);
    tensor_free(&d);
}

static void gives_the_same_bits(unit *u, const kernels *with, const tensor *weight)
{
    static const size_t ROWS[] = {1, 7, 48, 50, ROWS_MOST};
    packed_weights all = {.most = with->packed_bytes(DEPTH, COLUMNS)};
    tensor a = new_matrix(u, ROWS_MOST, DEPTH, 2), biases = new_matrix(u, 1, COLUMNS, 3);
    tensor bias = tensor_at(&biases, 0), c = new_matrix(u, 7, COLUMNS, 6);
    linear_map anew = {weight, &bias, NULL}, kept = {weight, &bias, &all};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        tensor some = tensor_range(&a, 0, 0, ROWS[i]);
        check_rows(u, with, &anew, &kept, &some);
        CHECK(u, all.count == (ROWS[i] == 1 ? 0 : 1)); /* one row reads the weights as they lie */
    }
    ((float *)a.data)[6 * DEPTH] = INFINITY;
    tensor some = tensor_range(&a, 0, 0, 7);
    CHECK(u, !apply(u, &kept, with, &some, 1, &c));
    tensor_free(&a);
    tensor_free(&biases);
    tensor_free(&c);
    packed_weights_free(&all);
}

UNIT(packed_weights)
{
    const kernels *with = isa_best()->table(DTYPE_F32);
    tensor weight = new_matrix(u, DEPTH, COLUMNS, 1);
    keeps_each_once(u, with, &weight);
    knows_how_it_lies(u, with, &weight);
    gives_the_same_bits(u, with, &weight);
    tensor_free(&weight);
}
