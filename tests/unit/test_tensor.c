#include "tensor/tensor.h"
#include "unit.h"

#include <math.h>
#include <stdint.h>

/* 0, 1, 2, … in C order. */
static tensor counted(int rank, const size_t *size, dtype type)
{
    err e = {0};
    tensor t;
    size_t index[TENSOR_MAX_RANK] = {0}, n = 0;
    tensor_new(&t, type, rank, size, &e);
    do
        tensor_set(&t, index, (double)n++);
    while (tensor_next(&t, index));
    return t;
}

static void views_share_the_data(unit *u)
{
    tensor t = counted(3, (size_t[]){2, 3, 4}, DTYPE_F32);
    tensor second = tensor_at(&t, 1), turned = tensor_transposed(&second),
           part = tensor_range(&turned, 0, 1, 2);
    CHECK(u, tensor_get(&second, (size_t[]){2, 3}) == 23);
    CHECK(u, tensor_get(&turned, (size_t[]){3, 2}) == 23);
    CHECK(u, part.size[0] == 2 && tensor_get(&part, (size_t[]){0, 0}) == 13);
    CHECK(u, !second.owns && !turned.owns && !part.owns);
    CHECK(u, tensor_count(&t) == 24);
    mapping file = {.users = 1};
    const tensor of_file = {.file = &file};
    CHECK(u, tensor_borrows(&second) && !tensor_borrows(&t) && !tensor_borrows(&of_file));
    tensor_free(&t);
    CHECK(u, t.data == NULL);
}

/* Of each axis the second entry alone; all else stays. */
static void ranges_of_every_axis(unit *u)
{
    tensor t = counted(5, (size_t[]){2, 2, 2, 2, 2}, DTYPE_F32);
    for (int axis = 0; axis < 5; axis++) {
        tensor part = tensor_range(&t, axis, 1, 1);
        CHECK(u, tensor_count(&part) == 16 && part.size[axis] == 1);
        CHECK(u, tensor_get(&part, (size_t[]){0, 0, 0, 0, 0}) == 16 >> axis);
    }
    tensor_free(&t);
}

static void copies_between_strides(unit *u)
{
    tensor t = counted(2, (size_t[]){3, 2}, DTYPE_F64),
           to = counted(2, (size_t[]){2, 3}, DTYPE_F64);
    tensor turned = tensor_transposed(&t);
    CHECK(u, tensor_same_shape(&turned, &to) && !tensor_same_shape(&t, &to));
    tensor_copy(&turned, &to);
    CHECK(u, tensor_get(&to, (size_t[]){0, 1}) == 2 && tensor_get(&to, (size_t[]){1, 0}) == 1);
    tensor number = counted(0, NULL, DTYPE_F64), other = counted(0, NULL, DTYPE_F64);
    tensor_set(&number, NULL, 7);
    tensor_copy(&number, &other);
    CHECK(u, tensor_get(&other, NULL) == 7);
    tensor narrow = counted(0, NULL, DTYPE_F32);
    tensor_set(&narrow, NULL, 9);
    tensor_copy(&narrow, &other);
    CHECK(u, tensor_get(&other, NULL) == 9);
    tensor_free(&narrow);
    /* 2, 3 of the second row into the first column */
    tensor row = tensor_at(&t, 1), column = tensor_transposed(&to);
    column = tensor_at(&column, 0);
    tensor_copy(&row, &column);
    CHECK(u, tensor_get(&to, (size_t[]){0, 0}) == 2 && tensor_get(&to, (size_t[]){1, 0}) == 3);
    CHECK(u, tensor_get(&to, (size_t[]){0, 1}) == 2 && tensor_get(&to, (size_t[]){1, 2}) == 5);
    tensor_free(&t);
    tensor_free(&to);
    tensor_free(&number);
    tensor_free(&other);
}

static void holds_every_type(unit *u)
{
    static const dtype TYPES[] = {DTYPE_F32, DTYPE_F64, DTYPE_BOOL};
    static const size_t BYTES[] = {4, 8, 1};
    static const char *const NAMES[] = {"f32", "f64", "bool"};
    for (size_t i = 0; i < 3; i++) {
        tensor t = counted(1, (size_t[]){2}, TYPES[i]);
        CHECK(u, tensor_get(&t, (size_t[]){1}) == 1 && tensor_get(&t, (size_t[]){0}) == 0);
        CHECK(u, dtype_size(TYPES[i]) == BYTES[i]);
        CHECK_TEXT(u, dtype_name(TYPES[i]), NAMES[i]);
        tensor_free(&t);
    }
}

static void refuses_what_no_address_holds(unit *u)
{
    err e = {0};
    tensor t;
    size_t count;
    CHECK(u, !tensor_new(&t, DTYPE_F64, 2, (size_t[]){SIZE_MAX / 2, 3}, &e));
    CHECK_TEXT(u, e.what,
               "a matrix of 9223372036854775807 x 3 elements is larger than an address can hold");
    e = (err){0};
    /* so many elements are a number yet, and their bytes are not */
    CHECK(u, !tensor_new(&t, DTYPE_F64, 2, (size_t[]){SIZE_MAX / 4, 2}, &e));
    CHECK(u, !tensor_new_in(&t, DTYPE_F64, 1, (size_t[]){SIZE_MAX / 4}, NULL, NULL, &e));
    CHECK_TEXT(u, e.what,
               "a matrix of 4611686018427387903 x 2 elements is larger than an address can hold");
    CHECK(u, !sizes_count(2, (size_t[]){SIZE_MAX, 2}, &count));
    CHECK(u, sizes_count(3, (size_t[]){SIZE_MAX, 2, 0}, &count) && count == 0);
}

static void writes_shapes(unit *u)
{
    char shape[SHAPE_TEXT];
    CHECK_TEXT(u, sizes_text(2, (size_t[]){3, 4}, shape), "3 x 4");
    CHECK_TEXT(u, sizes_text(1, (size_t[]){3}, shape), "3 long");
    CHECK_TEXT(u, sizes_text(0, NULL, shape), "a number");
}

static void knows_holes_and_infinities(unit *u)
{
    tensor t = counted(2, (size_t[]){2, 2}, DTYPE_F32);
    size_t index[TENSOR_MAX_RANK];
    CHECK(u, tensor_is_finite(&t, index));
    tensor_set(&t, (size_t[]){1, 0}, -INFINITY);
    CHECK(u, !tensor_is_finite(&t, index) && index[0] == 1 && index[1] == 0);
    /* a column, and types that are judged number by number */
    tensor column = tensor_transposed(&t);
    column = tensor_at(&column, 0);
    CHECK(u, !tensor_is_finite(&column, index) && index[0] == 1);
    uint16_t bits[] = {0x3c00, 0x7c00}; /* 1 and ∞ of two bytes */
    tensor half = {.type = DTYPE_F16, .rank = 1, .size = {1}, .stride = {1}, .data = bits};
    CHECK(u, tensor_is_finite(&half, index));
    half.size[0] = 2;
    CHECK(u, !tensor_is_finite(&half, index) && index[0] == 1);
    half = tensor_at(&half, 0);
    CHECK(u, half.rank == 0 && tensor_is_finite(&half, index));
    CHECK(u, tensor_is_hole(tensor_hole()) && isnan(tensor_hole()) && !tensor_is_hole(NAN) &&
                 !tensor_is_hole(0));
    tensor_free(&t);
}

/* Rows longer than a run, a column, a number alone, and no finite one. */
static void takes_runs(unit *u)
{
    enum { WIDTH = TENSOR_RUN + 3 };
    tensor t;
    err e = {0};
    size_t index[2] = {0}, runs = 0, numbers = 0;
    double run[TENSOR_RUN], sum = 0;
    CHECK(u, tensor_new(&t, DTYPE_F32, 2, (size_t[]){2, WIDTH}, &e));
    for (size_t i = 0; i < 2 * WIDTH; i++)
        tensor_set(&t, (size_t[]){i / WIDTH, i % WIDTH}, -1 - (double)i);
    size_t count;
    do {
        count = tensor_get_run(&t, index, run);
        for (size_t i = 0; i < count; i++)
            sum += run[i];
        numbers += count;
        runs++;
    } while (tensor_next_run(&t, index, count));
    CHECK(u, runs == 4 && numbers == 2 * WIDTH && sum == -(2 * WIDTH) * (2 * WIDTH + 1) / 2.0);
    tensor column = tensor_transposed(&t), number = {.type = DTYPE_F64, .data = (double[]){-7}};
    column = tensor_at(&column, 1);
    CHECK(u, tensor_get_run(&column, (size_t[]){0}, run) == 2 && run[0] == -2);
    CHECK(u, run[1] == -2 - WIDTH && tensor_greatest(&column) == WIDTH + 2);
    CHECK(u, tensor_greatest(&number) == 7 && !tensor_next_run(&number, NULL, 1));
    tensor_set(&t, (size_t[]){0, 5}, INFINITY);
    tensor_set(&t, (size_t[]){1, WIDTH - 1}, NAN);
    CHECK(u, tensor_greatest(&t) == 2 * WIDTH - 1);
    tensor_set(&column, (size_t[]){0}, NAN);
    tensor_set(&column, (size_t[]){1}, -INFINITY);
    CHECK(u, tensor_greatest(&column) == 0);
    tensor_free(&t);
}

UNIT(tensor)
{
    takes_runs(u);
    views_share_the_data(u);
    ranges_of_every_axis(u);
    copies_between_strides(u);
    holds_every_type(u);
    refuses_what_no_address_holds(u);
    writes_shapes(u);
    knows_holes_and_infinities(u);
}
