/* The sums whose order is promised (DESIGN.md §5) against that order written down again, and what a
 * kernel makes of terms that take no part. */
#include "base/mem.h"
#include "kernels/kernels.h"
#include "kernels/numbers.h"
#include "unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *new_numbers(dtype type, size_t count, uint64_t *state)
{
    void *room = numbers_room(count);
    for (size_t i = 0; i < count; i++)
        numbers_put(type, room, i, numbers_next(state, NUMBERS_ANY));
    return room;
}

static tensor matrix(dtype type, const void *data, size_t rows, size_t columns)
{
    return (tensor){.type = type,
                    .rank = 2,
                    .size = {rows, columns},
                    .stride = {(ptrdiff_t)columns, 1},
                    .data = (void *)(uintptr_t)data};
}

static double fused(dtype type, double a, double b, double c)
{
    return type == DTYPE_F32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static void multiply(const kernels *with, const tensor *a, const tensor *b, size_t skipped,
                     const product_band *band, tensor *c)
{
    err e = {0};
    packed p = {.data = mem_alloc(with->packed_bytes(b->size[0], b->size[1]), 1, &e)};
    with->pack(b, &p);
    p.skipped = skipped;
    with->product(a, &p, band, c);
    mem_free(p.data);
}

/* c[i][j] = fma(a[i][p], b[p][j], …) for p = 0, 1, …, from +0; then + (+0); of the columns j from
 * `skipped` on. */
static void check_product_order(unit *u, dtype type, size_t depth, size_t skipped)
{
    enum { ROWS = 3, COLUMNS = 101, ALL = COLUMNS + PACKED_STEP };
    uint64_t state = depth;
    void *left = new_numbers(type, ROWS * depth, &state);
    void *right = new_numbers(type, depth * ALL, &state);
    void *got = numbers_room(ROWS * COLUMNS), *wanted = numbers_room(ROWS * COLUMNS);
    tensor a = matrix(type, left, ROWS, depth), b = matrix(type, right, depth, skipped + COLUMNS);
    tensor c = matrix(type, got, ROWS, COLUMNS);
    multiply(isa_best()->table(type), &a, &b, skipped, NULL, &c);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        double sum = 0;
        for (size_t p = 0; p < depth; p++)
            sum = fused(type, numbers_get(type, left, i / COLUMNS * depth + p),
                        numbers_get(type, right, p * b.size[1] + skipped + i % COLUMNS), sum);
        numbers_put(type, wanted, i, sum + 0.0);
    }
    CHECK(u, numbers_same(type, got, wanted, ROWS * COLUMNS));
    free(left), free(right), free(got), free(wanted);
}

/* Each size of tile, with whole vectors and a part of one after them, whose chains wait in c while
 * the depth beyond one panel's is walked: on every instruction set. */
static void check_tiles(unit *u, dtype type)
{
    enum { ROWS = 6, DEPTH = 515, COLUMNS = 69 };
    uint64_t state = 7;
    void *left = new_numbers(type, ROWS * DEPTH, &state);
    void *right = new_numbers(type, DEPTH * COLUMNS, &state);
    void *got = numbers_room(ROWS * COLUMNS), *wanted = numbers_room(ROWS * COLUMNS);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        double sum = 0;
        for (size_t p = 0; p < DEPTH; p++)
            sum = fused(type, numbers_get(type, left, i / COLUMNS * DEPTH + p),
                        numbers_get(type, right, p * COLUMNS + i % COLUMNS), sum);
        numbers_put(type, wanted, i, sum + 0.0);
    }
    for (size_t i = 0; i < ISAS.count * ROWS; i++) {
        const isa *by = (const isa *)(const void *)named_row(&ISAS, i / ROWS);
        for (size_t columns = 5; by->is_here() && columns <= COLUMNS; columns += 8) {
            tensor a = matrix(type, left, i % ROWS + 1, DEPTH);
            tensor b = matrix(type, right, DEPTH, COLUMNS), c = matrix(type, got, ROWS, COLUMNS);
            c.size[0] = a.size[0];
            b.size[1] = c.size[1] = columns;
            multiply(by->table(type), &a, &b, 0, NULL, &c);
            for (size_t row = 0; row < c.size[0]; row++) {
                size_t at = row * COLUMNS * dtype_size(type);
                CHECK(u, numbers_same(type, (char *)got + at, (char *)wanted + at, columns));
            }
        }
    }
    free(left), free(right), free(got), free(wanted);
}

/* out[i] = fma(a[i][p], b[i][p], …) for p = 0, 1, …, from +0; then + (+0). */
static void check_dots_order(unit *u, dtype type, size_t rows, size_t depth)
{
    uint64_t state = depth;
    void *left = new_numbers(type, rows * depth, &state);
    void *right = new_numbers(type, rows * depth, &state);
    void *got = numbers_room(rows), *wanted = numbers_room(rows);
    tensor a = matrix(type, left, rows, depth), b = matrix(type, right, rows, depth);
    isa_best()->table(type)->row_dots(&a, &b, got);
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t p = 0; p < depth; p++)
            sum = fused(type, numbers_get(type, left, i * depth + p),
                        numbers_get(type, right, i * depth + p), sum);
        numbers_put(type, wanted, i, sum + 0.0);
    }
    CHECK(u, numbers_same(type, got, wanted, rows));
    free(left), free(right), free(got), free(wanted);
}

/* Ranges of which neither end moves back; some are empty, and some are all. */
static void fill_ranges(key_range *of, size_t rows, size_t all, uint64_t *state)
{
    size_t first = 0, end = 0, step = 1 + 2 * all / (rows + 1);
    for (size_t i = 0; i < rows; i++) {
        end += (size_t)(numbers_fraction(state) * (double)step);
        end = end < all ? end : all;
        first += (size_t)(numbers_fraction(state) * (double)step) / 2;
        first = first < end ? first : end;
        of[i] = (key_range){first, end};
    }
}

static bool is_within(key_range of, size_t at)
{
    return at >= of.first && at < of.end;
}

static void hide_terms(const tensor *a, const key_range *terms)
{
    for (size_t i = 0; i < a->size[0] * a->size[1]; i++)
        if (!is_within(terms[i / a->size[1]], i % a->size[1]))
            numbers_put(a->type, a->data, i, 0);
}

static void check_needed(unit *u, const kernels *with, const tensor *a, const tensor *b,
                         const product_band *band, const tensor *wanted)
{
    size_t columns = wanted->size[1], count = wanted->size[0] * columns;
    void *got = numbers_room(count);
    tensor c = matrix(a->type, got, wanted->size[0], columns);
    multiply(with, a, b, 0, band, &c);
    for (size_t i = 0; band->columns != NULL && i < count; i++)
        if (!is_within(band->columns[i / columns], i % columns))
            numbers_put(a->type, got, i, numbers_get(a->type, wanted->data, i));
    CHECK(u, numbers_same(a->type, got, wanted->data, count));
    free(got);
}

/* The chains' terms in two parts, the second going on from what the first gave. */
static void check_parts(unit *u, const kernels *with, const tensor *a, const tensor *b,
                        const key_range *terms, const tensor *wanted)
{
    size_t rows = a->size[0], depth = a->size[1], count = rows * wanted->size[1];
    key_range *of_part = malloc(rows * sizeof of_part[0]);
    void *got = numbers_room(count);
    tensor c = matrix(a->type, got, rows, wanted->size[1]);
    for (size_t cut = 1; cut < depth; cut += 1 + depth / 3) {
        for (size_t first = 0, end = cut; first < depth; first = end, end = depth) {
            tensor left = tensor_range(a, 1, first, end - first);
            tensor right = tensor_range(b, 0, first, end - first);
            for (size_t i = 0; i < rows; i++) {
                size_t begins = terms[i].first < first ? first : terms[i].first;
                size_t ends = terms[i].end < first ? first : terms[i].end;
                of_part[i].first = (begins < end ? begins : end) - first;
                of_part[i].end = (ends < end ? ends : end) - first;
            }
            product_band band = {.terms = of_part, .goes_on = first > 0};
            multiply(with, &left, &right, 0, &band, &c);
        }
        CHECK(u, numbers_same(a->type, got, wanted->data, count));
    }
    free(of_part), free(got);
}

/* What is needed of a product is what the whole one is, whose chains have terms of 0. */
static void check_band(unit *u, const kernels *with, dtype type, size_t depth)
{
    enum { ROWS = 31, COLUMNS = 149 };
    key_range columns[ROWS], terms[ROWS];
    uint64_t state = depth;
    void *left = new_numbers(type, ROWS * depth, &state);
    void *right = new_numbers(type, depth * COLUMNS, &state), *c = numbers_room(ROWS * COLUMNS);
    tensor a = matrix(type, left, ROWS, depth), b = matrix(type, right, depth, COLUMNS);
    tensor whole = matrix(type, c, ROWS, COLUMNS);
    fill_ranges(columns, ROWS, COLUMNS, &state);
    fill_ranges(terms, ROWS, depth, &state);
    hide_terms(&a, terms);
    multiply(with, &a, &b, 0, NULL, &whole);
    check_needed(u, with, &a, &b, &(product_band){.terms = terms}, &whole);
    check_needed(u, with, &a, &b, &(product_band){.columns = columns}, &whole);
    check_needed(u, with, &a, &b, &(product_band){.columns = columns, .terms = terms}, &whole);
    check_parts(u, with, &a, &b, terms, &whole);
    free(left), free(right), free(c);
}

/* Tiles without a term, and tiles whose chains begin before the second part of the depth, and with
 * it. */
static void check_panel_edge(unit *u, const kernels *with, dtype type)
{
    enum { ROWS = 24, DEPTH = 600, COLUMNS = 5 };
    static const key_range OF_TILE[] = {{0, 0}, {500, DEPTH}, {512, DEPTH}, {DEPTH, DEPTH}};
    key_range terms[ROWS];
    uint64_t state = 3;
    void *left = new_numbers(type, ROWS * DEPTH, &state);
    void *right = new_numbers(type, DEPTH * COLUMNS, &state), *c = numbers_room(ROWS * COLUMNS);
    tensor a = matrix(type, left, ROWS, DEPTH), b = matrix(type, right, DEPTH, COLUMNS);
    tensor whole = matrix(type, c, ROWS, COLUMNS);
    for (size_t i = 0; i < ROWS; i++)
        terms[i] = OF_TILE[i / 6];
    hide_terms(&a, terms);
    multiply(with, &a, &b, 0, NULL, &whole);
    check_needed(u, with, &a, &b, &(product_band){.terms = terms}, &whole);
    free(left), free(right), free(c);
}

static void check_bands(unit *u)
{
    for (size_t i = 0; i < ISAS.count; i++) {
        const isa *by = (const isa *)(const void *)named_row(&ISAS, i);
        for (size_t depth = 1; by->is_here() && depth < 1500; depth += 1 + depth / 2) {
            check_band(u, by->table(DTYPE_F32), DTYPE_F32, depth);
            check_band(u, by->table(DTYPE_F64), DTYPE_F64, depth);
        }
        if (by->is_here()) {
            check_panel_edge(u, by->table(DTYPE_F32), DTYPE_F32);
            check_panel_edge(u, by->table(DTYPE_F64), DTYPE_F64);
        }
    }
}

/* 16 partial sums in float64, key j in partial j mod 16, joined by the tree s = 8, 4, 2, 1: p[l] +=
 * p[l+s], rounded once */
static void check_sum_order(unit *u, size_t n)
{
    uint64_t state = n;
    double part[16] = {0};
    float max = 1;
    row_total got;
    void *row = numbers_room(n);
    for (size_t j = 0; j < n; j++)
        numbers_put(DTYPE_F32, row, j, 20 * numbers_fraction(&state) - 19);
    isa_best()->table(DTYPE_F32)->row_exponent(row, n, &max, row, &got, NULL);
    for (size_t j = 0; j < n; j++)
        part[j % 16] += numbers_get(DTYPE_F32, row, j);
    for (size_t s = 8; s > 0; s /= 2)
        for (size_t l = 0; l < s; l++)
            part[l] += part[l + s];
    CHECK(u, got.sum == part[0] && got.rest == 0);
    free(row);
}

/* weights·(x − delta) and that times the factor, each operation rounded, and no zero is −0. */
static void check_back(unit *u, size_t n)
{
    uint64_t state = n;
    float *x = new_numbers(DTYPE_F32, n, &state), *shares = new_numbers(DTYPE_F32, n, &state);
    float *got[] = {numbers_room(n), numbers_room(n)};
    float *wanted[] = {numbers_room(n), numbers_room(n)};
    const float delta = 0.3F;
    isa_best()->table(DTYPE_F32)->row_back(x, n, shares, &delta, -1e-44, got[0], got[1]);
    for (size_t j = 0; j < n; j++) {
        const volatile float apart = x[j] - delta, product = shares[j] * apart;
        wanted[0][j] = product + 0.0F;
        const volatile float scaled = wanted[0][j] * -1e-44F;
        wanted[1][j] = scaled + 0.0F;
    }
    CHECK(u, numbers_same(DTYPE_F32, got[0], wanted[0], n));
    CHECK(u, numbers_same(DTYPE_F32, got[1], wanted[1], n));
    free(x), free(shares), free(got[0]), free(got[1]), free(wanted[0]), free(wanted[1]);
}

/* Exponentials and shares that are computed side by side are those that are computed alone. */
static void check_beside(unit *u, dtype type, size_t n, size_t shares)
{
    const kernels *with = isa_best()->table(type);
    uint64_t state = n + shares;
    double max, sum = 0.75; /* room for either type */
    float narrow = 0.75F;
    row_total alone, total;
    void *x = new_numbers(type, n, &state), *y = new_numbers(type, shares, &state);
    void *got[] = {numbers_room(n), numbers_room(shares)};
    void *wanted[] = {numbers_room(n), numbers_room(shares)};
    row_shares of = {y, shares, type == DTYPE_F32 ? (void *)&narrow : &sum, wanted[1]};
    with->row_max(x, n, &max);
    with->row_exponent(x, n, &max, wanted[0], &alone, NULL);
    with->row_divide(&of);
    of.out = got[1];
    with->row_exponent(x, n, &max, got[0], &total, &of);
    CHECK(u, numbers_same(type, got[0], wanted[0], n));
    CHECK(u, numbers_same(type, got[1], wanted[1], shares));
    CHECK(u, total.sum == alone.sum && total.rest == alone.rest);
    free(x), free(y), free(got[0]), free(got[1]), free(wanted[0]), free(wanted[1]);
}

/* A term whose factor is 0 takes no part, even where the other is not finite. */
static void check_nonzero(unit *u)
{
    const float factors[] = {0, 2, -0.0f}, values[] = {INFINITY, 3, NAN};
    float sum = NAN;
    tensor a = matrix(DTYPE_F32, factors, 1, 3), b = matrix(DTYPE_F32, values, 3, 1);
    tensor c = matrix(DTYPE_F32, &sum, 1, 1);
    isa_best()->table(DTYPE_F32)->product_of_nonzero(&a, &b, &c);
    CHECK(u, sum == 6);
}

/* A row of nothing but masked keys: the greatest is −inf, and all that follows is +0. */
static void check_masked_row(unit *u)
{
    const kernels *with = isa_best()->table(DTYPE_F64);
    const double row[] = {-INFINITY, -INFINITY, -INFINITY}, zeros[3] = {0, 0, 0};
    double max, out[3];
    row_total total;
    with->row_max(row, 3, &max);
    with->row_exponent(row, 3, &max, out, &total, NULL);
    CHECK(u, total.sum == 0 && total.rest == 0);
    CHECK(u, max == -INFINITY);
    CHECK(u, memcmp(out, zeros, sizeof out) == 0);
    with->row_divide(&(row_shares){out, 3, &total.sum, out});
    CHECK(u, memcmp(out, zeros, sizeof out) == 0);
    /* NaN is never the greatest, and stays NaN. */
    const double undefined[] = {-INFINITY, NAN};
    with->row_max(undefined, 2, &max);
    with->row_exponent(undefined, 2, &max, out, &total, NULL);
    CHECK(u, max == -INFINITY && out[0] == 0 && isnan(out[1]) && isnan(total.sum));
}

UNIT_OF(kernel_order, "softmax sum product order")
{
    for (size_t depth = 0; depth < 700; depth += 1 + depth) {
        for (size_t skipped = 0; skipped < PACKED_STEP; skipped += PACKED_PART) {
            check_product_order(u, DTYPE_F32, depth, skipped);
            check_product_order(u, DTYPE_F64, depth, skipped);
        }
    }
    for (size_t n = 0; n < 200; n++) {
        check_sum_order(u, n);
        check_back(u, n);
        check_dots_order(u, DTYPE_F32, n % 20, n);
        check_dots_order(u, DTYPE_F64, n % 20, n);
    }
    for (size_t n = 0; n < 400; n += 1 + n / 2) {
        for (size_t shares = 0; shares < 400; shares += 1 + shares / 2) {
            check_beside(u, DTYPE_F32, n, shares);
            check_beside(u, DTYPE_F64, n, shares);
        }
    }
    check_tiles(u, DTYPE_F32);
    check_tiles(u, DTYPE_F64);
    check_bands(u);
    check_nonzero(u);
    check_masked_row(u);
}
