/* Every slot of the kernels' tables: each instruction set that this machine has against plain C
 * without fma as an instruction, bit for bit, at every length around the vectors' widths and every
 * start, with strides; inputs and outputs lie between pages that may not be touched, and the bytes
 * around the outputs must survive. */
#include "kernels/slots.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

extern const kernels kernels_scalar_f32, kernels_scalar_f64;

/* Starts: elements after the first page, and one more that is directly before the last one. */
enum { STARTS = 17, BEFORE_LAST_PAGE = STARTS - 1, LENGTH_MOST = 67 };

/* Beyond all lengths from 0 to LENGTH_MOST: around what tiles, panels and their depth are multiples
 * of (product.c), and operands without rows or depth. */
static const sizes ODD_SIZES[] = {
    {127, 5, 3},   {128, 6, 4},   {129, 7, 5},  {191, 1, 2},  {193, 13, 7},  {255, 12, 1},
    {256, 2, 129}, {257, 3, 127}, {3, 2, 128},  {17, 7, 257}, {259, 2, 521}, {65, 13, 256},
    {33, 0, 4},    {33, 4, 0},    {16, 6, 130}, {64, 6, 64},  {0, 3, 0},     {523, 2, 35},
};

/* Numbers of the largest operand, spread to every second place. */
enum { NUMBERS_MOST = 521 * (2 * 259 + 1) };

/* The fences of a call, and the numbers that it may take its operands from. */
typedef struct yard {
    fence in[SLOT_INPUTS], out, packing;
    void *wanted; /* what plain C gave */
} yard;

static void yard_open(yard *y)
{
    for (size_t i = 0; i < SLOT_INPUTS; i++)
        fence_open(&y->in[i], NUMBERS_MOST * sizeof(double));
    fence_open(&y->out, NUMBERS_MOST * sizeof(double));
    fence_open(&y->packing, 3 * NUMBERS_MOST * sizeof(double));
    y->wanted = numbers_room(NUMBERS_MOST);
}

static void yard_close(yard *y)
{
    for (size_t i = 0; i < SLOT_INPUTS; i++)
        fence_close(&y->in[i]);
    fence_close(&y->out);
    fence_close(&y->packing);
    free(y->wanted);
}

/* ---- operands ---- */

/* How a matrix lies in memory: rows one after the other, columns so, rows as slices of longer
 * ones, every second element. */
typedef enum layout { DENSE, TURNED, SLICED, SPREAD, LAYOUTS } layout;

static tensor operand(dtype type, const char *letters, const sizes *s, layout how)
{
    size_t shape[2];
    slot_shape(letters, s, shape);
    tensor t = {.type = type, .rank = 2, .size = {shape[0], shape[1]}, .stride = {0, 1}};
    ptrdiff_t rows = (ptrdiff_t)shape[0], columns = (ptrdiff_t)shape[1];
    bool is_vector = strlen(letters) < 2;
    if (how == TURNED && !is_vector)
        t.stride[1] = rows;
    else if (how == SPREAD && !is_vector)
        t.stride[1] = 2;
    t.stride[0] = how == TURNED ? 1 : how == DENSE ? columns : 2 * columns + 1;
    return t;
}

static size_t extent_of(const tensor *t)
{
    if (t->size[0] == 0 || t->size[1] == 0)
        return 0;
    return (t->size[0] - 1) * (size_t)t->stride[0] + (t->size[1] - 1) * (size_t)t->stride[1] + 1;
}

static void put(tensor *t, fence *in, size_t start)
{
    size_t size = dtype_size(t->type), bytes = extent_of(t) * size;
    t->data = start == BEFORE_LAST_PAGE ? fence_place_last(in, bytes)
                                        : fence_place_first(in, bytes, start * size);
}

static void fill(const tensor *t, numbers kind, uint64_t *state)
{
    size_t columns = t->size[1];
    for (size_t i = 0; i < t->size[0] * columns; i++)
        numbers_put(t->type, t->data,
                    i / columns * (size_t)t->stride[0] + i % columns * (size_t)t->stride[1],
                    numbers_next(state, kind));
}

/* Between the rows of an output there are guards too. */
static bool is_intact_between_rows(const tensor *t)
{
    size_t size = dtype_size(t->type), step = (size_t)t->stride[0] * size;
    const char *row = t->data;
    for (size_t i = 1; t->size[1] > 0 && i < t->size[0]; i++, row += step) {
        if (!fence_is_guard(row + t->size[1] * size, row + step))
            return false;
    }
    return true;
}

/* ---- one table against the other ---- */

typedef struct call {
    const slot *slot;
    const kernels *with;
    job *job;
} call;

static void run(void *context)
{
    const call *c = context;
    c->slot->call(c->with, c->job);
}

/* The rows of the output one after the other. */
static void gather(const tensor *t, char *to)
{
    size_t size = dtype_size(t->type), bytes = t->size[1] * size;
    for (size_t i = 0; i < t->size[0]; i++)
        memcpy(to + i * bytes, (const char *)t->data + i * (size_t)t->stride[0] * size, bytes);
}

/* What is wrong with a call, or NULL; what it gave is in `to`. */
static const char *try_call(const call *c, yard *y, size_t start, void *to)
{
    put(&c->job->out, &y->out, start);
    fence_place_last(&y->packing, 0);
    if (!fence_holds(run, (void *)(uintptr_t)c))
        return "goes beyond its memory";
    gather(&c->job->out, to);
    if (!fence_is_intact(&y->out) || !is_intact_between_rows(&c->job->out))
        return "writes around its output";
    if (!fence_is_intact(&y->packing))
        return "packs more than packed_bytes says";
    for (size_t i = 0; i < SLOT_INPUTS; i++) {
        if (!fence_is_intact(&y->in[i]))
            return "writes around an input";
    }
    return NULL;
}

/* Tables to compare: the first is the definition. */
typedef struct tables {
    const kernels *table[8];
    const char *name[8];
    size_t count;
} tables;

static bool same_everywhere(yard *y, const slot *one, const tables *all, job *j, size_t start)
{
    size_t count = j->out.size[0] * j->out.size[1];
    void *got = numbers_room(count);
    const char *wrong = NULL;
    for (size_t i = 0; wrong == NULL && i < all->count; i++) {
        call c = {one, all->table[i], j};
        wrong = try_call(&c, y, start, i == 0 ? y->wanted : got);
        if (wrong == NULL && i > 0 && !numbers_same(j->out.type, y->wanted, got, count))
            wrong = "is not what plain C computes";
        if (wrong != NULL)
            printf("  %s of %s, %s: %s\n", one->name, all->name[i], dtype_name(j->out.type), wrong);
    }
    free(got);
    return wrong == NULL;
}

/* The starts of the operands differ, so that each is at each start in turn. */
static bool check_start(yard *y, const slot *one, dtype type, const tables *all, const sizes *s,
                        size_t start)
{
    uint64_t state = start + 17 * s->n;
    job j = {.packing = &y->packing, .slot = one->name};
    for (size_t i = 0; i < SLOT_INPUTS; i++) {
        j.in[i] = operand(type, one->in[i], s, unit_random(&state) % LAYOUTS);
        put(&j.in[i], &y->in[i], (start + 5 * i) % STARTS);
        fill(&j.in[i], one->kind, &state);
    }
    j.out = operand(type, one->out, s, start % 2 == 0 ? DENSE : SLICED);
    return same_everywhere(y, one, all, &j, (start + 7) % STARTS);
}

/* Of a matrix every third start: n + 16 begins at another one, so each tail meets each start. */
static bool check_sizes(unit *u, yard *y, const slot *one, dtype type, const tables *all,
                        const sizes *s)
{
    bool is_same = true;
    size_t step = one->out[0] == 'r' ? 3 : 1;
    for (size_t start = s->n % step; is_same && start < STARTS; start += step)
        is_same = check_start(y, one, type, all, s, start);
    if (!CHECK(u, is_same))
        printf("  length %zu, rows %zu, depth %zu\n", s->n, s->rows, s->depth);
    return is_same;
}

static tables tables_here(dtype type)
{
    bool is_f32 = type == DTYPE_F32;
    tables all = {.table = {is_f32 ? &kernels_scalar_f32 : &kernels_scalar_f64},
                  .name = {"plain C"},
                  .count = 1};
    for (size_t i = 0; i < ISAS.count; i++) {
        const isa *one = (const isa *)(const void *)named_row(&ISAS, i);
        if (!one->is_here())
            continue;
        all.name[all.count] = one->named.name;
        all.table[all.count++] = one->table(type);
    }
    return all;
}

/* The first sizes where it is wrong are enough. */
static void check_slot(unit *u, yard *y, const slot *one, dtype type)
{
    tables all = tables_here(type);
    bool is_same = true;
    for (size_t n = 0; is_same && n <= LENGTH_MOST; n++)
        is_same = check_sizes(u, y, one, type, &all, &(sizes){n, 1 + n % 13, 1 + n * 5 % 37});
    for (size_t i = 0; is_same && i < sizeof ODD_SIZES / sizeof ODD_SIZES[0]; i++)
        is_same = check_sizes(u, y, one, type, &all, &ODD_SIZES[i]);
}

/* In and out may be the same memory where both are vectors of one length. */
static void check_in_place(unit *u, yard *y, const slot *one, dtype type)
{
    static const sizes SIZES = {41, 1, 3};
    uint64_t state = 7;
    job j = {.packing = &y->packing};
    for (size_t i = 0; i < SLOT_INPUTS; i++) {
        j.in[i] = operand(type, one->in[i], &SIZES, DENSE);
        put(&j.in[i], &y->in[i], 0);
        fill(&j.in[i], one->kind, &state);
    }
    j.out = operand(type, one->out, &SIZES, DENSE);
    put(&j.out, &y->out, 0);
    one->call(isa_best()->table(type), &j);
    memcpy(y->wanted, j.out.data, SIZES.n * dtype_size(type));
    j.out.data = j.in[0].data;
    one->call(isa_best()->table(type), &j);
    CHECK(u, memcmp(j.out.data, y->wanted, SIZES.n * dtype_size(type)) == 0);
}

UNIT_OF(kernels, "scores scale cap mask softmax weights product values")
{
    yard y;
    yard_open(&y);
    for (size_t i = 0; i < ISAS.count; i++) {
        const isa *one = (const isa *)(const void *)named_row(&ISAS, i);
        if (!one->is_here())
            unit_skip(u, one->named.name);
    }
    for (size_t i = 0; i < slot_count(); i++) {
        slot one = slot_at(i);
        bool is_row = strcmp(one.in[0], "n") == 0 && strcmp(one.out, "n") == 0;
        for (dtype type = DTYPE_F32; type <= DTYPE_F64; type++) {
            check_slot(u, &y, &one, type);
            if (is_row)
                check_in_place(u, &y, &one, type);
        }
    }
    yard_close(&y);
}
