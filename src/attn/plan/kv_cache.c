#include "attn/plan/kv_cache.h"

#include "attn/plan/plan.h"
#include "base/mem.h"

#include <string.h>

/* The first room, and what all rooms are a multiple of: whole panels. */
enum { ROOM_LEAST = PACKED_STEP };

static size_t units_of(const kv_cache *c)
{
    return c->batches * c->heads;
}

/* ---- kept as products read them ---- */

void packed_list_free(packed *all, size_t count)
{
    for (size_t i = 0; all != NULL && i < count; i++)
        mem_free(all[i].data);
    mem_free(all);
}

packed *packed_list_new(size_t count, size_t bytes, err *e)
{
    packed *all = mem_alloc_zeroed(count, sizeof all[0], e);
    for (size_t i = 0; all != NULL && i < count; i++) {
        all[i].data = mem_alloc(bytes, 1, e);
        if (all[i].data == NULL) {
            packed_list_free(all, count);
            return NULL;
        }
    }
    return all;
}

/* Keys are columns: the first ones go, the panels of the others stay as they are, and new ones come
 * after them. Values are rows: every panel grows. */
static bool move_packed(kv_cache *c, size_t gone, size_t room, err *e)
{
    const kernels *with = c->with;
    size_t stay = c->rows - c->first - gone, units = units_of(c);
    size_t of_keys = with->packed_bytes(c->k_width, room),
           of_values = with->packed_bytes(room, c->v_width);
    packed *keys = packed_list_new(units, of_keys, e);
    packed *values = keys == NULL ? NULL : packed_list_new(units, of_values, e);
    if (values == NULL) {
        packed_list_free(keys, units);
        return false;
    }
    size_t panels = with->packed_bytes(1, c->v_width) / with->packed_bytes(1, 1);
    for (size_t unit = 0; unit < units; unit++) {
        /* Zeros after the last column of a panel are computed with, and never stored. */
        memset(keys[unit].data, 0, of_keys);
        memset(values[unit].data, 0, of_values);
        keys[unit].depth = c->k_width;
        values[unit].depth = room;
        if (stay == 0)
            continue;
        const packed *old = &c->values[unit];
        size_t old_panel = with->packed_bytes(old->depth, 1),
               panel = with->packed_bytes(values[unit].depth, 1);
        memcpy(keys[unit].data,
               (const char *)c->keys[unit].data + with->packed_bytes(c->k_width, gone),
               with->packed_bytes(c->k_width, stay));
        for (size_t i = 0; i < panels; i++)
            memcpy((char *)values[unit].data + i * panel,
                   (const char *)old->data + i * old_panel + with->packed_bytes(gone, 1),
                   with->packed_bytes(stay, 1));
        keys[unit].columns = stay;
        values[unit].columns = old->columns;
    }
    packed_list_free(c->keys, units);
    packed_list_free(c->values, units);
    c->keys = keys;
    c->values = values;
    return true;
}

/* ---- kept as rows ---- */

static bool move_plain(kv_cache *c, size_t gone, size_t room, err *e)
{
    size_t stay = c->rows - c->first - gone;
    tensor k = {0}, v = {0};
    if (!tensor_new(&k, c->type, 4, (size_t[]){c->batches, c->heads, room, c->k_width}, e) ||
        !tensor_new(&v, c->type, 4, (size_t[]){c->batches, c->heads, room, c->v_width}, e)) {
        tensor_free(&k);
        return false;
    }
    for (int i = 0; stay > 0 && i < 2; i++) {
        tensor from = tensor_range(i == 0 ? &c->k : &c->v, 2, gone, stay);
        tensor to = tensor_range(i == 0 ? &k : &v, 2, 0, stay);
        tensor_copy(&from, &to);
    }
    tensor_free(&c->k);
    tensor_free(&c->v);
    c->k = k;
    c->v = v;
    return true;
}

/* ---- both ---- */

/* If `rows` do not fit: how many of the first rows are dropped (*gone), and for how many there is
 * memory afterwards (*room). False where that is more than a size can say. */
static bool room_after(const kv_cache *c, size_t seen, size_t rows, size_t *gone, size_t *room)
{
    *gone = c->keeps_all ? 0 : (seen - c->first) / PACKED_STEP * PACKED_STEP;
    *room = c->room == 0 ? ROOM_LEAST : c->room;
    while (*room < rows - c->first - *gone) {
        if (!size_mul(*room, 2, room))
            return false;
    }
    return true;
}

bool kv_cache_growth(const kv_cache *c, size_t seen, size_t rows, size_t *bytes)
{
    const size_t widths = c->k_width + c->v_width + PACKED_STEP; /* values: whole panels */
    size_t gone, room, of_row;
    *bytes = 0;
    return rows - c->first <= c->room ||
           (room_after(c, seen, rows, &gone, &room) &&
            size_mul(units_of(c), widths * dtype_size(c->type), &of_row) &&
            size_mul(of_row, room, bytes));
}

void kv_cache_free(kv_cache *c)
{
    packed_list_free(c->keys, units_of(c));
    packed_list_free(c->values, units_of(c));
    tensor_free(&c->k);
    tensor_free(&c->v);
    *c = (kv_cache){0};
}

void kv_cache_begin(kv_cache *c, const kv_cache *like)
{
    kv_cache_free(c);
    *c = *like;
}

bool kv_cache_reserve(kv_cache *c, size_t seen, size_t rows, err *e)
{
    size_t room, gone;
    if (rows - c->first <= c->room)
        return true;
    if (!room_after(c, seen, rows, &gone, &room))
        return err_no_memory(e, rows);
    if (!(c->keeps_rows ? move_plain(c, gone, room, e) : move_packed(c, gone, room, e)))
        return false;
    c->first += gone;
    c->room = room;
    return true;
}

void kv_cache_put(kv_cache *c, const tensor *k, const tensor *v)
{
    size_t there = c->rows - c->first;
    if (c->keeps_rows) {
        tensor keys = tensor_range(&c->k, 2, there, k->size[2]),
               values = tensor_range(&c->v, 2, there, v->size[2]);
        tensor_copy(k, &keys);
        tensor_copy(v, &values);
        return;
    }
    for (size_t unit = 0; unit < units_of(c); unit++) {
        tensor keys = plan_of_head(k, unit / c->heads, unit % c->heads),
               values = plan_of_head(v, unit / c->heads, unit % c->heads);
        tensor columns = tensor_transposed(&keys);
        c->with->pack_at(&columns, 0, there, &c->keys[unit]);
        c->with->pack_at(&values, there, 0, &c->values[unit]);
    }
}
