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
    const rows_text *matrix;
    size_t rows; /* of a range */
    sink *out;
    err *e;
    text range[THREADS_MOST]; /* of each worker */
} job;

static void format_range(void *context, size_t worker, size_t range)
{
    job *j = context;
    const rows_text *m = j->matrix;
    text *to = &j->range[worker];
    size_t first = range * j->rows, left = m->rows - first;
    text_clear(to);
    for (size_t i = 0; i < j->rows && i < left; i++)
        m->write(m->context, first + i, to);
}

static bool write_range(void *context, size_t worker, size_t range)
{
    job *j = context;
    (void)range;
    return sink_add(j->out, &j->range[worker], j->e);
}

static bool write_one_by_one(const rows_text *m, sink *out, err *e)
{
    for (size_t row = 0; row < m->rows; row++) {
        m->write(m->context, row, sink_text(out));
        if (!sink_spill(out, e))
            return false;
    }
    return true;
}

bool rows_text_write(const rows_text *m, size_t threads, sink *out, err *e)
{
    size_t rows = m->columns < NUMBERS ? NUMBERS / (m->columns + 1) + 1 : 1;
    const ordered_work ranges = {(m->rows + rows - 1) / rows, format_range, write_range};
    if (threads < 2 || ranges.units < FEWEST_RANGES || m->columns > MOST_COLUMNS)
        return write_one_by_one(m, out, e);
    threads = threads > THREADS_MOST ? THREADS_MOST : threads;
    job j = {.matrix = m, .rows = rows, .out = out, .e = e};
    bool done = threads_run_in_order(threads, &ranges, &j);
    for (size_t i = 0; i < threads; i++)
        text_free(&j.range[i]);
    return done;
}
