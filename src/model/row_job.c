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

/* Each number from least to most, and then more is added: one rounding. */
static void limit(const tensor *of, size_t n, double least, double most, double more, tensor *to)
{
    for (size_t i = 0; i < n; i++) {
        double x = tensor_get(of, &i);
        tensor_set(to, &i, (x < least ? least : x > most ? most : x) + more);
    }
}

/* Of rows from the first one on so many numbers, as one row. */
static tensor run_of(const tensor *of, size_t first, size_t begin, size_t count)
{
    return (tensor){.type = of->type,
                    .rank = 1,
                    .size = {count},
                    .stride = {1},
                    .data = row_at(of, first) + begin * dtype_size(of->type)};
}

/* The same with an activation that has a limit. */
static void activate_limited(row_job *j, size_t first, size_t count)
{
    enum { AT_ONCE = 64 };
    size_t n = count * j->a->size[1];
    double room[AT_ONCE], most = j->activation->limit;
    for (size_t begin = 0; begin < n; begin += AT_ONCE) {
        size_t some = n - begin < AT_ONCE ? n - begin : AT_ONCE;
        tensor a = run_of(j->a, first, begin, some), to = run_of(j->out, first, begin, some);
        limit(&a, some, -HUGE_VAL, most, 0, &to);
        j->activation->apply(j->with, to.data, some, to.data);
        if (j->b->data == NULL)
            continue;
        const tensor gate = run_of(j->b, first, begin, some);
        a.data = room;
        limit(&gate, some, -most, most, 1, &a);
        j->with->times(to.data, some, room, to.data);
    }
}

void rows_activate(row_job *j, size_t first, size_t count)
{
    size_t n = count * j->a->size[1];
    char *to = row_at(j->out, first);
    if (j->activation->limit > 0) {
        activate_limited(j, first, count);
        return;
    }
    j->activation->apply(j->with, row_at(j->a, first), n, to);
    if (j->b->data != NULL)
        j->with->times(to, n, row_at(j->b, first), to);
}

void rows_open(row_job *j, size_t first, size_t count)
{
    size_t n = count * j->a->size[1];
    const tensor gate = run_of(j->a, first, 0, n);
    tensor to = run_of(j->out, first, 0, n);
    limit(&gate, n, -j->activation->limit, j->activation->limit, 1, &to);
}

void rows_open_back(row_job *j, size_t first, size_t count)
{
    size_t n = count * j->a->size[1];
    const tensor gate = run_of(j->a, first, 0, n), dy = run_of(j->b, first, 0, n);
    tensor to = run_of(j->out, first, 0, n);
    for (size_t i = 0; i < n; i++)
        tensor_set(&to, &i,
                   fabs(tensor_get(&gate, &i)) > j->activation->limit ? 0 : tensor_get(&dy, &i));
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

void rows_times(row_job *j, size_t first, size_t count)
{
    j->with->times(row_at(j->a, first), count * j->a->size[1], row_at(j->b, first),
                   row_at(j->out, first));
}

/* The slope times b, rounded once. */
void rows_activate_back(row_job *j, size_t first, size_t count)
{
    enum { AT_ONCE = 64 };
    size_t width = j->a->size[1], n = count * width;
    double x[AT_ONCE], slope[AT_ONCE];
    for (size_t begin = 0; begin < n; begin += AT_ONCE) {
        size_t some = n - begin < AT_ONCE ? n - begin : AT_ONCE;
        const tensor of = run_of(j->a, first, begin, some), dy = run_of(j->b, first, begin, some);
        tensor to = run_of(j->out, first, begin, some);
        for (size_t i = 0; i < some; i++)
            x[i] = tensor_get(&of, &i);
        j->activation->slope(j->in64, x, some, slope);
        for (size_t i = 0; i < some; i++)
            tensor_set(&to, &i, slope[i] * tensor_get(&dy, &i));
    }
}

void rows_norm_back(row_job *j, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        tensor x = tensor_at(j->a, i), dy = tensor_at(j->b, i), dx = tensor_at(j->out, i);
        norm_back(j->norm, &x, &dy, &dx);
    }
}

void rows_scale(const kernels *with, tensor *rows, double factor)
{
    double unused;
    if (factor != 1)
        with->scale(rows->data, tensor_count(rows), factor, rows->data, &unused);
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

bool rows_norm_all(const norm *n, const kernels *with, const tensor *x, tensor *out,
                   bool allow_nonfinite, crew *by, err *e)
{
    row_job j = {.work = rows_norm, .with = with, .norm = n, .a = x, .out = out};
    rows_run(&j, NORM_COST, by);
    return !atomic_load(&j.is_out_of_range) || allow_nonfinite ||
           err_set(e, "the squares of a row that is normed add up to more than float64 holds");
}
