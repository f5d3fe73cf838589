#include "io/rows_text.h"

#include "base/in_order.h"
#include "base/threads.h"

enum {
    /* Of a range: some 200 KB and 200 µs' work, against which handing over is little. */
    NUMBERS = 1 << 14,
    /* Starting a thread takes as long as half a range. */
    FEWEST_RANGES = 4,
    /* A longer row is not worth the memory of one a thread. */
    MOST_COLUMNS = 1 << 20
};

typedef struct job {
    const rows_text *all;
    size_t first, end; /* the rows that are there */
    size_t rows;       /* of a range */
    sink *out;
    err *e;
    text *range; /* of each worker */
} job;

static void format_range(void *context, size_t worker, size_t range)
{
    job *j = context;
    text *to = &j->range[worker];
    size_t first = j->first + range * j->rows, left = j->end - first;
    text_clear(to);
    for (size_t i = 0; i < j->rows && i < left; i++)
        j->all->write(j->all->context, first + i, to);
}

static bool write_range(void *context, size_t worker, size_t range)
{
    job *j = context;
    (void)range;
    return sink_add(j->out, &j->range[worker], j->e);
}

static bool write_rows(job *j, size_t threads)
{
    const ordered_work ranges = {(j->end - j->first + j->rows - 1) / j->rows, format_range,
                                 write_range};
    if (threads > 1 && ranges.units >= FEWEST_RANGES && j->all->matrix->size[1] <= MOST_COLUMNS)
        return threads_run_in_order(threads, &ranges, j);
    for (size_t row = j->first; row < j->end; row++) {
        j->all->write(j->all->context, row, sink_text(j->out));
        if (!sink_spill(j->out, j->e))
            return false;
    }
    return true;
}

bool rows_text_write(const rows_text *all, const write_options *how, sink *out, err *e)
{
    size_t rows = all->matrix->size[0], columns = all->matrix->size[1];
    size_t threads = how->threads > THREADS_MOST ? THREADS_MOST : how->threads;
    text range[THREADS_MOST]; /* only `threads` are set: small matrices are many */
    job j = {.all = all, .out = out, .e = e, .range = range};
    for (size_t i = 0; i < threads; i++)
        range[i] = (text){0};
    j.rows = columns < NUMBERS ? NUMBERS / (columns + 1) + 1 : 1;
    bool done = true;
    while (done && j.end < rows) {
        size_t more = rows - j.end;
        j.first = j.end;
        done = how->supply == NULL ||
               how->supply->make(how->supply->context, all->matrix, j.first, &more, e);
        j.end += more;
        done = done && write_rows(&j, threads);
    }
    for (size_t i = 0; i < threads; i++)
        text_free(&range[i]);
    return done;
}
