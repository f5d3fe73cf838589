#include "model/row_job.h"

#include <math.h>

enum { BLOCK_ROWS = 16 };

char *row_at(const tensor *rows, size_t row)
{
    return (char *)rows->data + row * rows->size[1] * dtype_size(rows->type);
}

void rows_add(row_job *j, size_t first, size_t count)
{
    j->with->add(row_at(j->a, first), count * j->a->size[1], row_at(j->b, first), 1,
                 row_at(j->out, first));
}

void rows_activate(row_job *j, size_t first, size_t count)
{
    size_t n = count * j->a->size[1];
    char *to = row_at(j->out, first);
    j->activation->apply(j->with, row_at(j->a, first), n, to);
    if (j->b->data != NULL)
        j->with->times(to, n, row_at(j->b, first), to);
}

void rows_norm(row_job *j, size_t first, size_t count)
{
    const norm *by = j->norm;
    size_t width = j->a->size[1];
    for (size_t i = first; i < first + count; i++) {
        const char *from = row_at(j->a, i);
        char *to = row_at(j->out, i);
        double eps = by->eps;
        if (by->eps_is_outside) { /* (√v + eps)² = v + 2·eps·√v + eps² */
            double mean = 0, squares = 0;
            for (size_t k = 0; k < width && !by->is_rms; k++)
                mean += tensor_get(j->a, (size_t[]){i, k}) / (double)width;
            for (size_t k = 0; k < width; k++) {
                double part = tensor_get(j->a, (size_t[]){i, k}) - mean;
                squares += part * part;
            }
            eps *= 2 * sqrt(squares / (double)width) + by->eps;
        }
        if (!(by->is_rms ? j->with->row_rms_norm(from, width, by->gain.data, eps, to)
                         : j->with->row_norm(from, width, by->gain.data, by->bias.data, eps, to)))
            atomic_store(&j->is_out_of_range, true);
    }
}

static void take_rows(void *context, size_t worker)
{
    row_job *j = context;
    float_mode mode;
    size_t first, rows = j->out->size[0];
    (void)worker;
    float_mode_set(&mode);
    while ((first = atomic_fetch_add(&j->next, BLOCK_ROWS)) < rows) {
        size_t left = rows - first;
        j->work(j, first, left < BLOCK_ROWS ? left : BLOCK_ROWS);
    }
    float_mode_restore(&mode);
}

void rows_run(row_job *j, double cost, crew *by)
{
    double numbers = (double)j->out->size[0] * (double)j->out->size[1];
    crew_run(by, threads_worth(by->most, cost * numbers), take_rows, j);
}
