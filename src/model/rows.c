#include "model/rows.h"

#include "kernels/kernels.h"

#include <stdatomic.h>

enum { BLOCK_ROWS = 16 };

typedef struct job {
    row_work *work;
    const void *context;
    size_t rows;
    atomic_size_t next;
} job;

static void take_blocks(void *context, size_t worker)
{
    job *j = context;
    float_mode mode;
    size_t first;
    (void)worker;
    float_mode_set(&mode);
    while ((first = atomic_fetch_add(&j->next, BLOCK_ROWS)) < j->rows) {
        size_t left = j->rows - first;
        j->work(j->context, first, left < BLOCK_ROWS ? left : BLOCK_ROWS);
    }
    float_mode_restore(&mode);
}

void rows_run(crew *by, size_t rows, double operations, row_work *work, const void *context)
{
    job j = {.work = work, .context = context, .rows = rows};
    atomic_init(&j.next, 0);
    crew_run(by, threads_worth(by->most, operations * (double)rows), take_blocks, &j);
}

/* ---- vectors ---- */

bool vector_read(const bundle *from, const char *name, const char *of, size_t count, tensor *out,
                 err *e)
{
    const entry *given = bundle_find(from, name);
    *out = (tensor){0};
    if (given == NULL)
        return true;
    if (given->tensor.rank > 2 || tensor_count(&given->tensor) != count) {
        char shape[SHAPE_TEXT];
        return err_at(e, &given->at, "%s%s%s%s is %s, it must hold %zu number%s",
                      of == NULL ? "" : "the ", given->name, of == NULL ? "" : " of ",
                      of == NULL ? "" : of, tensor_shape_text(&given->tensor, shape), count,
                      count == 1 ? "" : "s");
    }
    *out = tensor_view_of(&given->tensor);
    return true;
}
