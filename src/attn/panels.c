#include "attn/panels.h"

#include "attn/multiply.h"
#include "base/mem.h"
#include "base/threads.h"

#include <stdatomic.h>

typedef struct job {
    const plan *plan;
    packed *to;
    const tensor *rows; /* b × heads × n × width */
    bool is_key;
    atomic_size_t next;
} job;

static void pack_all(void *context, size_t worker)
{
    (void)worker;
    job *j = context;
    size_t heads = j->rows->size[1], units = j->rows->size[0] * heads;
    for (size_t unit = atomic_fetch_add(&j->next, 1); unit < units;
         unit = atomic_fetch_add(&j->next, 1)) {
        tensor of_batch = tensor_at(j->rows, unit / heads),
               rows = tensor_at(&of_batch, unit % heads);
        tensor b = j->is_key ? tensor_transposed(&rows) : rows;
        j->plan->with->pack(&b, &j->to[unit]);
    }
}

static size_t bytes_of(const plan *p, const tensor *rows, bool is_key)
{
    size_t n = rows->size[2], width = rows->size[3];
    return p->with->packed_bytes(is_key ? width : n, is_key ? n : width);
}

/* Memory is had before any thread starts, so that packing can't fail. */
static packed *pack_heads(const plan *p, const tensor *rows, bool is_key, size_t threads, err *e)
{
    size_t units = rows->size[0] * rows->size[1];
    packed *all = mem_alloc_zeroed(units, sizeof all[0], e);
    for (size_t unit = 0; all != NULL && unit < units; unit++) {
        all[unit].data = mem_alloc(bytes_of(p, rows, is_key), 1, e);
        if (all[unit].data == NULL)
            return all;
    }
    job j = {.plan = p, .to = all, .rows = rows, .is_key = is_key};
    if (all != NULL)
        threads_run(threads < units ? threads : units, pack_all, &j);
    return all;
}

bool panels_new(panels *all, const plan *p, const projected *made, size_t threads, err *e)
{
    *all = (panels){
        .key_heads = made->keys.size[1], .value_heads = made->v.size[1], .batches = p->batches};
    if (p->asked->score->is_product)
        all->keys = pack_heads(p, &made->keys, true, threads, e);
    if (!e->is_set)
        all->values = pack_heads(p, &made->v, false, threads, e);
    return !e->is_set;
}

static void free_heads(packed *all, size_t units)
{
    for (size_t unit = 0; all != NULL && unit < units; unit++)
        packed_free(&all[unit]);
    mem_free(all);
}

void panels_free(panels *all)
{
    free_heads(all->keys, all->batches * all->key_heads);
    free_heads(all->values, all->batches * all->value_heads);
    *all = (panels){0};
}

bool panels_memory(const plan *p, size_t *bytes)
{
    size_t keys = p->with->packed_bytes(p->compared_width, p->n_k);
    size_t values = p->with->packed_bytes(p->n_k, p->v.width);
    size_t heads = plan_has_stage(p, STAGE_K_SCORE) ? p->heads : p->kv_heads, of_keys, of_values;
    return size_mul(p->batches, heads, &of_keys) && size_mul(of_keys, keys, &of_keys) &&
           size_mul(p->batches, p->kv_heads, &of_values) &&
           size_mul(of_values, values, &of_values) && size_add(of_keys, of_values, bytes);
}

const packed *panels_keys(const panels *all, const plan *p, size_t batch, size_t head)
{
    size_t of = all->key_heads == p->heads ? head : plan_kv_head(p, head);
    return &all->keys[batch * all->key_heads + of];
}

const packed *panels_values(const panels *all, const plan *p, size_t batch, size_t head)
{
    return &all->values[batch * all->value_heads + plan_kv_head(p, head)];
}
