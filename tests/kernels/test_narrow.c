/* Floats of two bytes: what each pattern is worth, by IEEE 754, and that packing them, or
 * multiplying a row by them, is doing so with what they are worth. */
#include "base/mem.h"
#include "kernels/kernels.h"
#include "kernels/numbers.h"
#include "tensor/narrow.h"
#include "unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- every pattern ---- */

/* (−1)^s · 2^(e − bias) · 1.f, 2^(1 − bias) · 0.f: IEEE 754-2019, section 3.4. */
static double worth(unsigned bits, int fraction_bits, int exponent_bits)
{
    int last = (1 << exponent_bits) - 1, bias = last / 2;
    int exponent = (int)(bits >> fraction_bits) & last,
        fraction = (int)(bits & ((1u << fraction_bits) - 1)), one = 1 << fraction_bits;
    double value = exponent == 0 ? ldexp(fraction, 1 - bias - fraction_bits)
                                 : ldexp(one + fraction, exponent - bias - fraction_bits);
    if (exponent == last)
        value = fraction == 0 ? (double)INFINITY : (double)NAN;
    return bits >> 15 == 0 ? value : -value;
}

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && (signbit(a) != 0) == (signbit(b) != 0);
}

static void check_patterns(unit *u)
{
    size_t wrong = 0;
    for (unsigned bits = 0; bits < 65536; bits++) {
        uint16_t pattern = (uint16_t)bits;
        tensor one = {.type = DTYPE_F16, .data = &pattern};
        wrong += !same(narrow_f16(pattern), worth(bits, 10, 5));
        wrong += !same(narrow_bf16(pattern), worth(bits, 7, 8));
        wrong += !same(tensor_get(&one, NULL), worth(bits, 10, 5));
    }
    CHECK(u, wrong == 0);
}

/* ---- packing and multiplying ---- */

enum { DEPTH_MOST = 131, COLUMNS_MOST = 515, ROOM = 3 * DEPTH_MOST * COLUMNS_MOST };

/* Rows side by side, columns so, rows with a gap, nothing side by side. */
static tensor matrix_of(dtype type, void *data, size_t rows, size_t columns, int layout)
{
    ptrdiff_t n = (ptrdiff_t)columns, m = (ptrdiff_t)rows;
    const ptrdiff_t stride[][2] = {{n, 1}, {1, m}, {n + 3, 1}, {2 * n + 1, 2}};
    return (tensor){.type = type,
                    .rank = 2,
                    .size = {rows, columns},
                    .stride = {stride[layout][0], stride[layout][1]},
                    .data = data};
}

static bool packs_alike(const kernels *with, const tensor *narrow, const tensor *wide)
{
    size_t bytes = with->packed_bytes(wide->size[0], wide->size[1]);
    err e = {0};
    packed a = {.data = mem_alloc(bytes, 1, &e)}, b = {.data = mem_alloc(bytes, 1, &e)};
    with->pack(narrow, &a);
    with->pack(wide, &b);
    bool are = a.depth == b.depth && a.columns == b.columns && memcmp(a.data, b.data, bytes) == 0;
    mem_free(a.data);
    mem_free(b.data);
    return are;
}

/* A row times the one and the other; `a` has numbers for both. */
static bool multiplies_alike(const kernels *with, const void *a, const tensor *narrow,
                             const tensor *wide)
{
    double c[COLUMNS_MOST], wanted[COLUMNS_MOST]; /* room for either type */
    with->row_product(a, narrow, c);
    with->row_product(a, wide, wanted);
    return memcmp(c, wanted, wide->size[1] * dtype_size(wide->type)) == 0;
}

static void check_type(unit *u, const isa *by, dtype type, dtype from)
{
    static const size_t DEPTHS[] = {0, 1, 3, 4, 63, 64, 65, 128, DEPTH_MOST},
                        COLUMNS[] = {1, 2, 7, 15, 16, 17, 63, 64, 65, COLUMNS_MOST};
    uint64_t state = 9;
    uint16_t *bits = numbers_room(ROOM);
    void *room = numbers_room(ROOM), *row = numbers_room(DEPTH_MOST);
    for (size_t i = 0; i < DEPTH_MOST; i++)
        numbers_put(type, row, i, numbers_fraction(&state));
    for (size_t i = 0; i < ROOM && dtype_size(from) == 2; i++)
        bits[i] = (uint16_t)((unsigned)(numbers_fraction(&state) * 0x7c00) | /* finite in both */
                             (i % 3 == 0 ? 0x8000u : 0));
    char *stored = (char *)bits + (from == DTYPE_F32_ANYWHERE); /* which is aligned nowhere */
    for (size_t i = 0; i < ROOM && dtype_size(from) == 4; i++) {
        float one = (float)numbers_next(&state, NUMBERS_ANY);
        memcpy(stored + i * sizeof one, &one, sizeof one);
    }
    for (size_t i = 0; i < 9 * 10 * 4; i++) {
        size_t depth = DEPTHS[i % 9], columns = COLUMNS[i / 9 % 10];
        tensor narrow = matrix_of(from, stored, depth, columns, (int)(i / 90));
        tensor wide = matrix_of(type, room, depth, columns, (int)(i / 90));
        tensor_copy(&narrow, &wide);
        CHECK(u, packs_alike(by->table(type), &narrow, &wide));
        CHECK(u, multiplies_alike(by->table(type), row, &narrow, &wide));
    }
    free(bits), free(room), free(row);
}

/* ---- copies ---- */

static void check_widening(unit *u)
{
    uint16_t bits[] = {0x3c00, 0xc000, 0x0001, 0x7bff}; /* 1, −2, 2⁻²⁴, 65504 */
    tensor turned = {.type = DTYPE_F16, .rank = 2, .size = {2, 2}, .stride = {1, 2}, .data = bits};
    tensor number = {.type = DTYPE_BF16, .data = &bits[1]}; /* −2·(1 + 0) as bfloat16: −2 */
    err e = {0};
    CHECK(u, tensor_widen(&turned, DTYPE_F64, &e) && turned.type == DTYPE_F64 && turned.owns);
    const double *value = turned.data;
    CHECK(u, value[0] == 1 && value[1] == 0x1p-24 && value[2] == -2 && value[3] == 65504);
    CHECK(u, tensor_widen(&number, DTYPE_F32, &e) && *(const float *)number.data == -2);
    void *before = turned.data;
    CHECK(u, tensor_widen(&turned, DTYPE_F32, &e) && turned.data == before);
    tensor endless = {
        .type = DTYPE_F16, .rank = 1, .size = {PTRDIFF_MAX / 8}, .stride = {1}, .data = bits};
    CHECK(u, !tensor_widen(&endless, DTYPE_F64, &e) && endless.type == DTYPE_F16 && e.is_set);
    tensor_free(&turned);
    tensor_free(&number);
    CHECK(u, dtype_is_narrower(DTYPE_BF16, DTYPE_F32) && dtype_is_narrower(DTYPE_F32, DTYPE_F64));
    CHECK(u, !dtype_is_narrower(DTYPE_F32, DTYPE_F32) && !dtype_is_narrower(DTYPE_BOOL, DTYPE_F32));
}

UNIT_OF(narrow, "float16 bfloat16 rounding")
{
    check_patterns(u);
    check_widening(u);
    for (size_t i = 0; i < ISAS.count; i++) {
        const isa *by = (const isa *)(const void *)named_row(&ISAS, i);
        if (!by->is_here())
            continue;
        check_type(u, by, DTYPE_F32, DTYPE_F16);
        check_type(u, by, DTYPE_F32, DTYPE_F32_ANYWHERE);
        check_type(u, by, DTYPE_F32, DTYPE_BF16);
        check_type(u, by, DTYPE_F64, DTYPE_F16);
        check_type(u, by, DTYPE_F64, DTYPE_F32);
    }
}
