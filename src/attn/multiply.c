#include "attn/multiply.h"

#include "base/mem.h"

#include <stdatomic.h>

/* A whole number of register tiles; few enough that a block's rows of a stay in a second-level
 * cache. */
enum { BLOCK_ROWS = 48 };

typedef struct job {
    const kernels *with;
    const tensor *a, *bias;
    const packed *b;
    tensor *c;
    atomic_size_t next_row;
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

static void work(void *context, size_t worker)
{
    (void)worker;
    job *j = context;
    float_mode mode;
    float_mode_set(&mode);
    for (;;) {
        size_t first = atomic_fetch_add(&j->next_row, BLOCK_ROWS), left = j->a->size[0];
        if (first >= left)
            break;
        size_t rows = left - first < BLOCK_ROWS ? left - first : BLOCK_ROWS;
        tensor a = tensor_range(j->a, 0, first, rows), c = tensor_range(j->c, 0, first, rows);
        j->with->product(&a, j->b, &c);
        if (j->bias != NULL && j->bias->data != NULL)
            j->with->add_to_rows(&c, j->bias->data);
    }
    float_mode_restore(&mode);
}

bool multiply(const kernels *with, const tensor *a, const tensor *b, const tensor *bias, tensor *c,
              crew *by, err *e)
{
    packed p;
    if (!packed_new(&p, with, b, e))
        return false;
    job j = {.with = with, .a = a, .bias = bias, .b = &p, .c = c};
    double operations = (double)a->size[0] * (double)b->size[0] * (double)b->size[1];
    crew_run(by, threads_worth(by->most, operations), work, &j);
    packed_free(&p);
    return true;
}
