#include "attn/multiply.h"

#include "base/mem.h"

#include <stdatomic.h>

/* A whole number of register tiles; few enough that a block's rows of a stay in a second-level
 * cache. */
enum { BLOCK_ROWS = 48 };

/* What is packed at a time, however large b is: more would be no faster. */
static const size_t PACKED_MOST = (size_t)16 << 20;

/* A product is cut by rows of a, whose b is packed before; or, where a is one block, by columns of
 * b, each of which its worker packs for itself: so the few rows of a token that is decoded cost one
 * reading of the weights, by all threads. */
typedef struct job {
    const kernels *with;
    const tensor *a, *b, *bias;
    const packed *whole; /* b; NULL where columns are packed */
    tensor *c;
    size_t step, end; /* of the rows or columns */
    atomic_size_t next;
    atomic_bool lacks_memory;
} job;

bool packed_new(packed *p, const kernels *with, const tensor *b, err *e)
{
    *p = (packed){.data = mem_alloc(with->packed_bytes(b->size[0], b->size[1]), 1, e)};
    if (p->data != NULL)
        with->pack(b, p);
    return p->data != NULL;
}

void packed_free(packed *p)
{
    mem_free(p->data);
    *p = (packed){0};
}

static void add_bias(const job *j, tensor *c, size_t first_column)
{
    if (j->bias != NULL && j->bias->data != NULL)
        j->with->add_to_rows(c, (const char *)j->bias->data + first_column * dtype_size(c->type));
}

static void multiply_rows(const job *j, size_t first, size_t count)
{
    tensor a = tensor_range(j->a, 0, first, count), c = tensor_range(j->c, 0, first, count);
    j->with->product(&a, j->whole, &c);
    add_bias(j, &c, 0);
}

static void multiply_columns(const job *j, packed *room, size_t first, size_t count)
{
    tensor b = tensor_range(j->b, 1, first, count), c = tensor_range(j->c, 1, first, count);
    j->with->pack(&b, room);
    j->with->product(j->a, room, &c);
    add_bias(j, &c, first);
}

static void take_pieces(job *j, packed *room)
{
    size_t first;
    while ((first = atomic_fetch_add(&j->next, j->step)) < j->end) {
        size_t count = j->end - first < j->step ? j->end - first : j->step;
        if (j->whole != NULL)
            multiply_rows(j, first, count);
        else
            multiply_columns(j, room, first, count);
    }
}

static void work(void *context, size_t worker)
{
    (void)worker;
    job *j = context;
    err failure = {0};
    float_mode mode;
    packed room = {0};
    float_mode_set(&mode);
    if (j->whole == NULL)
        room.data = mem_alloc(j->with->packed_bytes(j->b->size[0], j->step), 1, &failure);
    if (failure.is_set)
        atomic_store(&j->lacks_memory, true);
    else
        take_pieces(j, &room);
    packed_free(&room);
    float_mode_restore(&mode);
}

static size_t threads_for(size_t rows, size_t depth, size_t columns, size_t threads)
{
    size_t pieces = rows <= BLOCK_ROWS ? (columns + PACKED_STEP - 1) / PACKED_STEP : threads;
    size_t most = threads < pieces ? threads : pieces;
    return threads_worth(most, (double)rows * (double)depth * (double)columns);
}

/* Whole steps of columns. */
static size_t columns_at_once(const kernels *with, size_t depth, size_t columns)
{
    size_t step = with->packed_bytes(depth, PACKED_STEP);
    if (with->packed_bytes(depth, columns) <= PACKED_MOST)
        return columns;
    return step > PACKED_MOST ? PACKED_STEP : PACKED_MOST / step * PACKED_STEP;
}

size_t multiply_memory(const kernels *with, size_t rows, size_t depth, size_t columns,
                       size_t threads)
{
    if (rows > BLOCK_ROWS)
        return with->packed_bytes(depth, columns_at_once(with, depth, columns));
    return threads_for(rows, depth, columns, threads) * with->packed_bytes(depth, PACKED_STEP);
}

/* Few rows: columns are packed by those who compute them. */
static bool multiply_block(job *j, crew *by, err *e)
{
    const size_t *size = j->b->size;
    j->step = PACKED_STEP;
    j->end = size[1];
    crew_run(by, threads_for(j->a->size[0], size[0], size[1], by->most), work, j);
    return !atomic_load(&j->lacks_memory) ||
           err_no_memory(e, j->with->packed_bytes(size[0], PACKED_STEP));
}

static bool multiply_packed(job *j, crew *by, err *e)
{
    const size_t *size = j->b->size;
    packed whole;
    j->step = BLOCK_ROWS;
    j->end = j->a->size[0];
    if (!packed_new(&whole, j->with, j->b, e))
        return false;
    j->whole = &whole;
    crew_run(by, threads_for(j->a->size[0], size[0], size[1], by->most), work, j);
    packed_free(&whole);
    return true;
}

static bool multiply_range(const job *whole, size_t first, size_t count, crew *by, err *e)
{
    tensor b = tensor_range(whole->b, 1, first, count), c = tensor_range(whole->c, 1, first, count);
    tensor bias = {0};
    bool has_bias = whole->bias != NULL && whole->bias->data != NULL;
    if (has_bias)
        bias = tensor_range(whole->bias, 0, first, count);
    job part = {
        .with = whole->with, .a = whole->a, .b = &b, .bias = has_bias ? &bias : NULL, .c = &c};
    return multiply_packed(&part, by, e);
}

bool multiply(const kernels *with, const tensor *a, const tensor *b, const tensor *bias, tensor *c,
              crew *by, err *e)
{
    job j = {.with = with, .a = a, .b = b, .bias = bias, .c = c};
    if (a->size[0] <= BLOCK_ROWS)
        return multiply_block(&j, by, e);
    size_t columns = b->size[1], step = columns_at_once(with, b->size[0], columns);
    for (size_t first = 0; first < columns; first += step) {
        size_t left = columns - first;
        if (!multiply_range(&j, first, left < step ? left : step, by, e))
            return false;
    }
    return true;
}
