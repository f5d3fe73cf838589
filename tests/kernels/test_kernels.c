/* Every slot of the kernels' tables: each instruction set that this machine has against plain C
 * without fma as an instruction, bit for bit, at every length around the vectors' widths, at odd
 * starts and strides, with guard bytes around what is written; and the sums whose order is promised
 * against that order written down again. */
#include "base/mem.h"
#include "kernels/kernels.h"
#include "unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const kernels kernels_scalar_f32, kernels_scalar_f64;

enum { INPUTS = 4, GUARD = 64, LENGTH_MOST = 67 };

/* One call: n is the length that is walked. */
typedef struct job {
    dtype type;
    size_t n, rows, depth, stride;
    const char *in[INPUTS];
    char *out;
} job;

typedef enum numbers {
    NUMBERS_ANY,    /* with ±0, subnormal and huge ones */
    NUMBERS_SCORES, /* with −inf and ties */
    NUMBERS_SHARES  /* from 0 to 1 */
} numbers;

/* ---- the slots ---- */

static tensor matrix(const job *j, const void *data, size_t rows, size_t columns, size_t row_stride,
                     size_t column_stride)
{
    return (tensor){.type = j->type,
                    .rank = 2,
                    .size = {rows, columns},
                    .stride = {(ptrdiff_t)row_stride, (ptrdiff_t)column_stride},
                    .data = (void *)(uintptr_t)data};
}

/* With a stride, b is a transposed view. */
static tensor right_side(const job *j)
{
    return j->stride == 1 ? matrix(j, j->in[1], j->depth, j->n, j->n, 1)
                          : matrix(j, j->in[1], j->depth, j->n, 1, j->depth);
}

static void call_product(const kernels *with, const job *j)
{
    err e = {0};
    tensor a = matrix(j, j->in[0], j->rows, j->depth, j->depth * j->stride, j->stride);
    tensor b = right_side(j), c = matrix(j, j->out, j->rows, j->n, j->n, 1);
    packed p = {.data = mem_alloc(with->packed_bytes(j->depth, j->n), 1, &e)};
    with->pack(&b, &p);
    with->product(&a, &p, &c);
    mem_free(p.data);
}

/* The first half of a's columns, and of b's: what a causal block takes. */
static void call_part_of_product(const kernels *with, const job *j)
{
    err e = {0};
    tensor a = matrix(j, j->in[0], j->rows, j->depth / 2, j->depth * j->stride, j->stride);
    tensor b = right_side(j), c = matrix(j, j->out, j->rows, j->n / 2, j->n, 1);
    packed p = {.data = mem_alloc(with->packed_bytes(j->depth, j->n), 1, &e)};
    memset(j->out, 0, j->rows * j->n * dtype_size(j->type));
    with->pack(&b, &p);
    with->product(&a, &p, &c);
    mem_free(p.data);
}

static void call_product_of_nonzero(const kernels *with, const job *j)
{
    tensor a = matrix(j, j->in[0], j->rows, j->depth, j->depth * j->stride, j->stride);
    tensor b = right_side(j), c = matrix(j, j->out, j->rows, j->n, j->n, 1);
    with->product_of_nonzero(&a, &b, &c);
}

static void call_add_to_rows(const kernels *with, const job *j)
{
    memcpy(j->out, j->in[0], j->rows * j->n * dtype_size(j->type));
    tensor c = matrix(j, j->out, j->rows, j->n, j->n, 1);
    with->add_to_rows(&c, j->in[1]);
}

static void call_additive(const kernels *with, const job *j)
{
    tensor q = matrix(j, j->in[0], j->rows, j->depth, j->depth * j->stride, j->stride);
    tensor k = matrix(j, j->in[1], j->n, j->depth, j->depth, 1);
    tensor c = matrix(j, j->out, j->rows, j->n, j->n, 1);
    with->additive(&q, &k, j->in[2], j->in[3], &c);
}

static void call_multiply(const kernels *with, const job *j)
{
    with->multiply(j->in[0], j->n, 1 / sqrt((double)j->depth), j->out);
}

static void call_add(const kernels *with, const job *j)
{
    with->add(j->in[0], j->n, j->in[1], (ptrdiff_t)j->stride, j->out);
}

/* One number for all */
static void call_add_one(const kernels *with, const job *j)
{
    with->add(j->in[0], j->n, j->in[1], 0, j->out);
}

static void call_weigh(const kernels *with, const job *j)
{
    with->weigh(j->in[0], (ptrdiff_t)j->stride, j->n, -0.3, j->out);
}

static void call_row_max(const kernels *with, const job *j)
{
    with->row_max(j->in[0], j->n, j->out);
}

static void call_row_exponent(const kernels *with, const job *j)
{
    double max; /* room for either type */
    with->row_max(j->in[0], j->n, &max);
    with->row_exponent(j->in[0], j->n, &max, j->out);
}

static void call_row_sum(const kernels *with, const job *j)
{
    with->row_sum(j->in[0], j->n, j->out);
}

static void call_row_divide(const kernels *with, const job *j)
{
    double sum; /* room for either type */
    with->row_sum(j->in[0], j->n, &sum);
    with->row_divide(j->in[0], j->n, &sum, j->out);
}

/* How much a slot reads and writes, as a product of letters: rows, depth, n, stride; "" is nothing,
 * "1" is one. */
static const struct slot {
    const char *name;
    void (*call)(const kernels *with, const job *j);
    numbers kind;
    const char *in[INPUTS], *out;
} SLOTS[] = {
    {"product", call_product, NUMBERS_ANY, {"rds", "dn", "", ""}, "rn"},
    {"part of product", call_part_of_product, NUMBERS_ANY, {"rds", "dn", "", ""}, "rn"},
    {"product_of_nonzero", call_product_of_nonzero, NUMBERS_ANY, {"rds", "dn", "", ""}, "rn"},
    {"add_to_rows", call_add_to_rows, NUMBERS_ANY, {"rn", "n", "", ""}, "rn"},
    {"additive", call_additive, NUMBERS_ANY, {"rds", "nd", "d", "d"}, "rn"},
    {"multiply", call_multiply, NUMBERS_ANY, {"n", "", "", ""}, "n"},
    {"add", call_add, NUMBERS_ANY, {"n", "ns", "", ""}, "n"},
    {"add one", call_add_one, NUMBERS_ANY, {"n", "1", "", ""}, "n"},
    {"weigh", call_weigh, NUMBERS_ANY, {"ns", "", "", ""}, "n"},
    {"row_max", call_row_max, NUMBERS_SCORES, {"n", "", "", ""}, "1"},
    {"row_exponent", call_row_exponent, NUMBERS_SCORES, {"n", "", "", ""}, "n"},
    {"row_sum", call_row_sum, NUMBERS_SHARES, {"n", "", "", ""}, "1"},
    {"row_divide", call_row_divide, NUMBERS_SHARES, {"n", "", "", ""}, "n"},
};

static size_t count_of(const job *j, const char *letters)
{
    size_t count = *letters == '\0' ? 0 : 1;
    for (; *letters != '\0'; letters++)
        count *= *letters == 'r'   ? j->rows
                 : *letters == 'd' ? j->depth
                 : *letters == 'n' ? j->n
                 : *letters == 's' ? j->stride
                                   : 1;
    return count;
}

/* ---- numbers ---- */

static double some_number(uint64_t *state, numbers kind)
{
    static const double ODD[] = {0, -0.0, 1e-40, -3e-42, 1e-310, 1e30, -1e30, 1};
    uint64_t bits = unit_random(state);
    double fraction = (double)(bits >> 11) * 0x1p-53;
    bool is_odd = bits % 8 == 0;
    if (kind == NUMBERS_SHARES)
        return is_odd ? 0 : fraction * fraction;
    if (kind == NUMBERS_SCORES)
        return is_odd ? -INFINITY : bits % 8 == 1 ? 3 : floor(fraction * 4096) / 32 - 120;
    return is_odd ? ODD[bits / 8 % 8] : 4 * fraction - 2;
}

static void put(dtype type, char *data, size_t index, double value)
{
    if (type == DTYPE_F32)
        ((float *)(void *)data)[index] = (float)value;
    else
        ((double *)(void *)data)[index] = value;
}

static double get(dtype type, const char *data, size_t index)
{
    return type == DTYPE_F32 ? (double)((const float *)(const void *)data)[index]
                             : ((const double *)(const void *)data)[index];
}

static char *new_block(size_t bytes)
{
    char *block = malloc(bytes + 1);
    if (block == NULL)
        abort();
    return block;
}

/* `count` numbers at the end of a block of their own, `offset` elements from its aligned start, so
 * that a sanitizer sees a step beyond them. */
static char *new_numbers(dtype type, size_t count, size_t offset, numbers kind, uint64_t *state)
{
    size_t size = dtype_size(type);
    char *block = malloc((offset + count) * size + (offset + count == 0));
    if (block == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        put(type, block + offset * size, i, some_number(state, kind));
    return block;
}

/* ---- one table against the other ---- */

/* Equal bits; a NaN is any NaN, since only their bits leave IEEE 754 a choice. */
static bool same_numbers(dtype type, const char *a, const char *b, size_t count)
{
    size_t size = dtype_size(type);
    for (size_t i = 0; i < count; i++) {
        bool both_nan = isnan(get(type, a, i)) && isnan(get(type, b, i));
        if (!both_nan && memcmp(a + i * size, b + i * size, size) != 0)
            return false;
    }
    return true;
}

/* Runs the slot with its output between guards. */
static char *run_guarded(const struct slot *slot, const kernels *with, job j, size_t offset,
                         bool *is_intact)
{
    size_t size = dtype_size(j.type), bytes = count_of(&j, slot->out) * size;
    size_t before = GUARD + offset * size, whole = before + bytes + GUARD;
    char *block = new_block(whole);
    memset(block, 0x5a, whole);
    j.out = block + before;
    slot->call(with, &j);
    for (size_t i = 0; i < whole; i++) {
        bool is_guard = i < before || i >= before + bytes;
        *is_intact = *is_intact && (!is_guard || block[i] == 0x5a);
    }
    memmove(block, block + before, bytes);
    return block;
}

static bool same_slot(const struct slot *slot, const kernels *const tables[2], job j, size_t offset,
                      uint64_t *state)
{
    char *input[INPUTS], *out[2];
    bool is_intact = true;
    for (size_t i = 0; i < INPUTS; i++) {
        input[i] = new_numbers(j.type, count_of(&j, slot->in[i]), offset, slot->kind, state);
        j.in[i] = input[i] + offset * dtype_size(j.type);
    }
    for (size_t i = 0; i < 2; i++)
        out[i] = run_guarded(slot, tables[i], j, offset, &is_intact);
    bool is_same = same_numbers(j.type, out[0], out[1], count_of(&j, slot->out));
    for (size_t i = 0; i < INPUTS; i++)
        free(input[i]);
    free(out[0]);
    free(out[1]);
    return is_intact && is_same;
}

static void check_slot(unit *u, const struct slot *slot, dtype type, const kernels *const tables[2])
{
    uint64_t state = 1;
    for (size_t n = 0; n <= LENGTH_MOST; n++) {
        job j = {.type = type, .n = n, .rows = 1 + n % 13, .depth = 1 + n * 5 % 37};
        bool is_same = true;
        for (size_t offset = 0; offset < 4; offset++) {
            j.stride = 1 + offset % 3;
            is_same = same_slot(slot, tables, j, offset, &state) && is_same;
        }
        if (!CHECK(u, is_same))
            printf("  %s, %s, length %zu\n", slot->name, dtype_name(type), n);
    }
    /* Deeper and wider than a panel of b (product.c). */
    job large = {.type = type, .n = 259, .rows = 2, .depth = 521, .stride = 2};
    CHECK(u, same_slot(slot, tables, large, 1, &state));
}

static void check_tables(unit *u)
{
    for (size_t i = 0; i < ISAS.count; i++) {
        const isa *one = (const isa *)(const void *)named_row(&ISAS, i);
        if (!one->is_here()) {
            unit_skip(u, one->named.name);
            continue;
        }
        const kernels *const f32[] = {&kernels_scalar_f32, one->table(DTYPE_F32)};
        const kernels *const f64[] = {&kernels_scalar_f64, one->table(DTYPE_F64)};
        for (size_t slot = 0; slot < sizeof SLOTS / sizeof SLOTS[0]; slot++) {
            check_slot(u, &SLOTS[slot], DTYPE_F32, f32);
            check_slot(u, &SLOTS[slot], DTYPE_F64, f64);
        }
    }
}

/* ---- the order of sums, as DESIGN.md §5 has it ---- */

static double fused(dtype type, double a, double b, double c)
{
    return type == DTYPE_F32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

/* c[i][j] = fma(a[i][p], b[p][j], …) for p = 0, 1, …, from +0; then + (+0) */
static void check_product_order(unit *u, dtype type, size_t depth)
{
    enum { ROWS = 3, COLUMNS = 21 };
    uint64_t state = depth;
    char *a = new_numbers(type, ROWS * depth, 0, NUMBERS_ANY, &state);
    char *b = new_numbers(type, depth * COLUMNS, 0, NUMBERS_ANY, &state);
    char *c = new_numbers(type, ROWS * COLUMNS, 0, NUMBERS_ANY, &state);
    char *right = new_numbers(type, ROWS * COLUMNS, 0, NUMBERS_ANY, &state);
    job j = {.type = type, .n = COLUMNS, .rows = ROWS, .depth = depth, .stride = 1};
    j.in[0] = a, j.in[1] = b, j.out = c;
    call_product(isa_best()->table(type), &j);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        double sum = 0;
        for (size_t p = 0; p < depth; p++)
            sum = fused(type, get(type, a, i / COLUMNS * depth + p),
                        get(type, b, p * COLUMNS + i % COLUMNS), sum);
        put(type, right, i, sum + 0.0);
    }
    CHECK(u, same_numbers(type, c, right, ROWS * COLUMNS));
    free(a), free(b), free(c), free(right);
}

/* 16 partial sums in float64, key j in partial j mod 16, joined by the tree s = 8, 4, 2, 1: p[l] +=
 * p[l+s], rounded once */
static void check_sum_order(unit *u, size_t n)
{
    uint64_t state = n;
    double part[16] = {0};
    float got;
    char *row = new_numbers(DTYPE_F32, n, 0, NUMBERS_ANY, &state);
    isa_best()->table(DTYPE_F32)->row_sum(row, n, &got);
    for (size_t j = 0; j < n; j++)
        part[j % 16] += get(DTYPE_F32, row, j);
    for (size_t s = 8; s > 0; s /= 2)
        for (size_t l = 0; l < s; l++)
            part[l] += part[l + s];
    float right = (float)part[0];
    CHECK(u, memcmp(&got, &right, sizeof got) == 0);
    free(row);
}

/* A term whose factor is 0 takes no part, even where the other is not finite. */
static void check_nonzero(unit *u)
{
    const float a[] = {0, 2, -0.0f}, b[] = {INFINITY, 3, NAN};
    float c;
    job j = {.type = DTYPE_F32, .n = 1, .rows = 1, .depth = 3, .stride = 1};
    j.in[0] = (const char *)a, j.in[1] = (const char *)b, j.out = (char *)&c;
    call_product_of_nonzero(isa_best()->table(DTYPE_F32), &j);
    CHECK(u, c == 6);
}

/* A row of nothing but masked keys: the greatest is −inf, and all that follows is +0. */
static void check_masked_row(unit *u)
{
    const kernels *with = isa_best()->table(DTYPE_F64);
    const double row[] = {-INFINITY, -INFINITY, -INFINITY}, zeros[3] = {0, 0, 0};
    double max, sum, out[3];
    with->row_max(row, 3, &max);
    with->row_exponent(row, 3, &max, out);
    with->row_sum(out, 3, &sum);
    CHECK(u, max == -INFINITY);
    CHECK(u, memcmp(out, zeros, sizeof out) == 0);
    with->row_divide(out, 3, &sum, out);
    CHECK(u, memcmp(out, zeros, sizeof out) == 0);
}

/* In and out may be the same memory. */
static void check_in_place(unit *u, const struct slot *slot, dtype type)
{
    uint64_t state = 7;
    size_t n = 41, bytes = n * dtype_size(type);
    job j = {.type = type, .n = n, .rows = 1, .depth = 3, .stride = 1};
    char *a = new_numbers(type, n, 0, slot->kind, &state), *apart = new_block(bytes);
    char *b = new_numbers(type, n, 0, slot->kind, &state);
    j.in[0] = a, j.in[1] = b, j.out = apart;
    slot->call(isa_best()->table(type), &j);
    j.out = a;
    slot->call(isa_best()->table(type), &j);
    CHECK(u, memcmp(a, apart, bytes) == 0);
    free(a), free(b), free(apart);
}

void test_kernels(unit *u)
{
    check_tables(u);
    for (size_t depth = 0; depth < 700; depth += 1 + depth) {
        check_product_order(u, DTYPE_F32, depth);
        check_product_order(u, DTYPE_F64, depth);
    }
    for (size_t n = 0; n < 200; n++)
        check_sum_order(u, n);
    check_nonzero(u);
    check_masked_row(u);
    for (size_t i = 0; i < sizeof SLOTS / sizeof SLOTS[0]; i++) {
        bool is_row = strcmp(SLOTS[i].in[0], "n") == 0 && strcmp(SLOTS[i].out, "n") == 0;
        for (dtype type = DTYPE_F32; is_row && type <= DTYPE_F64; type++)
            check_in_place(u, &SLOTS[i], type);
    }
}
