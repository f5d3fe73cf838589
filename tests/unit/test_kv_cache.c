/* A stream's cache: in whatever pieces rows came, and however often it grew, products of it are
 * those of the whole, packed at once. */
#include "unit.h"

#include "attn/plan/kv_cache.h"
#include "base/mem.h"
#include "heap.h"

#include <stdlib.h>
#include <string.h>

enum { BATCHES = 2, HEADS = 3, K_WIDTH = 5, V_WIDTH = 70, ROWS = 300 };

static void set_numbers(tensor *t, uint64_t seed)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    do
        tensor_set(t, index, (double)(unit_random(&seed) >> 40) * 0x1p-24 - 0.5);
    while (tensor_next(t, index));
}

static tensor new_numbers(dtype type, size_t a, size_t b, size_t c, size_t d, uint64_t seed)
{
    tensor t;
    err e = {0};
    if (!tensor_new(&t, type, 4, (size_t[]){a, b, c, d}, &e))
        exit(2);
    set_numbers(&t, seed);
    return t;
}

static tensor of_unit(const tensor *all, size_t index)
{
    tensor of_batch = tensor_at(all, index / HEADS);
    return tensor_at(&of_batch, index % HEADS);
}

/* a·b, b once out of the cache and once packed here. */
static bool same_product(const kernels *with, const tensor *a, const packed *kept, const tensor *b)
{
    err e = {0};
    packed p = {.data = mem_alloc(with->packed_bytes(b->size[0], b->size[1]), 1, &e)};
    tensor got = new_numbers(a->type, 1, 1, a->size[0], b->size[1], 1), wanted = got;
    if (!tensor_new(&wanted, a->type, 4, got.size, &e) || p.data == NULL)
        exit(2);
    tensor to = of_unit(&got, 0), whole = of_unit(&wanted, 0);
    with->pack(b, &p);
    with->product(a, kept, NULL, &to);
    with->product(a, &p, NULL, &whole);
    bool is_same = memcmp(got.data, wanted.data, tensor_count(&got) * dtype_size(got.type)) == 0;
    mem_free(p.data);
    tensor_free(&got);
    tensor_free(&wanted);
    return is_same;
}

static void fill(unit *u, kv_cache *c, const tensor *k, const tensor *v)
{
    static const size_t PIECES[] = {1, 1, 7, 55, 1, 63, 64, 2, 1, 90, 15};
    err e = {0};
    for (size_t i = 0; i < sizeof PIECES / sizeof PIECES[0]; i++) {
        tensor keys = tensor_range(k, 2, c->rows, PIECES[i]),
               values = tensor_range(v, 2, c->rows, PIECES[i]);
        size_t room = c->room, growth;
        CHECK(u, kv_cache_growth(c, 0, c->rows + PIECES[i], &growth));
        CHECK(u, kv_cache_reserve(c, 0, c->rows + PIECES[i], &e));
        CHECK(u, (growth > 0) == (c->room > room));
        kv_cache_put(c, &keys, &values);
        c->rows += PIECES[i];
    }
    CHECK(u, c->rows == ROWS && c->room == 512);
}

static void check_packed(unit *u, const kernels *with, dtype type)
{
    tensor k = new_numbers(type, BATCHES, HEADS, ROWS, K_WIDTH, 1),
           v = new_numbers(type, BATCHES, HEADS, ROWS, V_WIDTH, 2),
           q = new_numbers(type, 1, 1, 2, K_WIDTH, 3), w = new_numbers(type, 1, 1, 2, ROWS, 4);
    kv_cache c = {0}, like = {.type = type,
                              .with = with,
                              .batches = BATCHES,
                              .heads = HEADS,
                              .k_width = K_WIDTH,
                              .v_width = V_WIDTH};
    kv_cache_begin(&c, &like);
    fill(u, &c, &k, &v);
    tensor query = of_unit(&q, 0), weights = of_unit(&w, 0);
    for (size_t i = 0; i < BATCHES * HEADS; i++) {
        tensor keys = of_unit(&k, i), turned = tensor_transposed(&keys);
        tensor values = of_unit(&v, i);
        CHECK(u, same_product(with, &query, &c.keys[i], &turned));
        CHECK(u, same_product(with, &weights, &c.values[i], &values));
    }
    kv_cache_free(&c);
    tensor_free(&k);
    tensor_free(&v);
    tensor_free(&q);
    tensor_free(&w);
}

static void keeps_rows(unit *u)
{
    tensor k = new_numbers(DTYPE_F32, BATCHES, HEADS, ROWS, K_WIDTH, 1),
           v = new_numbers(DTYPE_F32, BATCHES, HEADS, ROWS, V_WIDTH, 2);
    kv_cache c = {0}, like = {.keeps_rows = true,
                              .type = DTYPE_F32,
                              .batches = BATCHES,
                              .heads = HEADS,
                              .k_width = K_WIDTH,
                              .v_width = V_WIDTH};
    size_t index[TENSOR_MAX_RANK] = {0};
    bool is_same = true;
    kv_cache_begin(&c, &like);
    fill(u, &c, &k, &v);
    do
        is_same = is_same && tensor_get(&c.v, index) == tensor_get(&v, index);
    while (tensor_next(&v, index));
    memset(index, 0, sizeof index);
    do
        is_same = is_same && tensor_get(&c.k, index) == tensor_get(&k, index);
    while (tensor_next(&k, index));
    CHECK(u, is_same);
    kv_cache_free(&c);
    tensor_free(&k);
    tensor_free(&v);
}

/* Rows come one by one and see a few before them: each product is of the last ones of the whole,
 * and memory does not grow. */
static void forgets(unit *u, const kernels *with, dtype type, bool keeps_rows)
{
    enum { SEEN = 90, MANY = 5000, MOST = 256 * 1024 };
    err e = {0};
    tensor k = new_numbers(type, 1, 1, MANY, K_WIDTH, 1),
           q = new_numbers(type, 1, 1, 2, K_WIDTH, 3);
    kv_cache c = {0}, like = {.keeps_rows = keeps_rows,
                              .type = type,
                              .with = with,
                              .batches = 1,
                              .heads = 1,
                              .k_width = K_WIDTH,
                              .v_width = K_WIDTH};
    bool is_same = true;
    heap_watch();
    kv_cache_begin(&c, &like);
    for (size_t row = 0; is_same && row < MANY; row++) {
        tensor one = tensor_range(&k, 2, row, 1);
        CHECK(u, kv_cache_reserve(&c, row < SEEN ? 0 : row - SEEN, row + 1, &e));
        kv_cache_put(&c, &one, &one);
        c.rows++;
        is_same = c.first % PACKED_STEP == 0 && (row < SEEN || c.first <= row - SEEN);
    }
    CHECK(u, is_same && c.first > MANY - SEEN - c.room && heap_peak() < MOST);
    tensor there = tensor_range(&k, 2, c.first, c.rows - c.first), rows = of_unit(&there, 0);
    tensor turned = tensor_transposed(&rows), query = of_unit(&q, 0);
    if (!keeps_rows)
        CHECK(u, same_product(with, &query, &c.keys[0], &turned));
    for (size_t row = 0; keeps_rows && row < there.size[2]; row++)
        is_same = is_same && tensor_get(&there, (size_t[]){0, 0, row, 1}) ==
                                 tensor_get(&c.v, (size_t[]){0, 0, row, 1});
    CHECK(u, is_same);
    kv_cache_free(&c);
    tensor_free(&k);
    tensor_free(&q);
}

/* A first line that failed may have begun with other sizes. */
static void begins_again(unit *u)
{
    err e = {0};
    kv_cache c = {0}, like = {.type = DTYPE_F32,
                              .with = isa_best()->table(DTYPE_F32),
                              .batches = 4,
                              .heads = 1,
                              .k_width = 3,
                              .v_width = 3};
    kv_cache_begin(&c, &like);
    CHECK(u, kv_cache_reserve(&c, 0, 100, &e) && c.room == 128);
    like.batches = 1;
    kv_cache_begin(&c, &like);
    CHECK(u, c.room == 0 && c.rows == 0 && c.keys == NULL);
    CHECK(u, kv_cache_reserve(&c, 0, 1, &e) && c.room == PACKED_STEP);
    kv_cache_free(&c);
}

static void refuses_what_no_size_can_say(unit *u)
{
    size_t bytes;
    kv_cache c = {.batches = 1, .heads = 1, .k_width = 8, .v_width = 8};
    err e = {0};
    CHECK(u, !kv_cache_growth(&c, 0, SIZE_MAX, &bytes));
    CHECK(u, !kv_cache_growth(&c, 0, SIZE_MAX / 64, &bytes));
    CHECK(u, !kv_cache_reserve(&c, 0, SIZE_MAX, &e) && e.is_set && c.room == 0);
    c.heads = SIZE_MAX / 64;
    CHECK(u, !kv_cache_growth(&c, 0, 1, &bytes));
}

UNIT(kv_cache)
{
    for (size_t i = 0; i < ISAS.count; i++) {
        const isa *one = (const isa *)(const void *)named_row(&ISAS, i);
        if (!one->is_here()) {
            unit_skip(u, one->named.name);
            continue;
        }
        check_packed(u, one->table(DTYPE_F32), DTYPE_F32);
        check_packed(u, one->table(DTYPE_F64), DTYPE_F64);
        forgets(u, one->table(DTYPE_F32), DTYPE_F32, false);
        forgets(u, one->table(DTYPE_F64), DTYPE_F64, false);
    }
    keeps_rows(u);
    forgets(u, isa_best()->table(DTYPE_F32), DTYPE_F32, true);
    begins_again(u);
    refuses_what_no_size_can_say(u);
}
