#include "io/in_order.h"

#include "base/mem.h"
#include "base/threads.h"

#include <stdatomic.h>
#include <string.h>

/* ---- units of work ---- */

typedef struct line_up {
    const ordered_work *work;
    void *context;
    atomic_size_t next; /* unit to be made */
    atomic_bool is_over;
    bell passed;
    atomic_size_t turn; /* unit to be handed over */
} line_up;

static void make_units(void *context, size_t worker)
{
    line_up *l = context;
    while (!atomic_load(&l->is_over)) {
        size_t unit = atomic_fetch_add(&l->next, 1);
        if (unit >= l->work->units)
            break;
        /* A thread that took a unit must pass on its turn, even after a failure, since others wait
         * for it. */
        l->work->make(l->context, worker, unit);
        bell_wait(&l->passed, &l->turn, unit);
        if (!atomic_load(&l->is_over) && !l->work->hand_over(l->context, worker, unit))
            atomic_store(&l->is_over, true);
        atomic_fetch_add(&l->turn, 1);
        bell_ring(&l->passed);
    }
}

bool threads_run_in_order(size_t threads, const ordered_work *work, void *context)
{
    line_up l = {.work = work, .context = context};
    bell_open(&l.passed, threads);
    threads_run(threads, make_units, &l);
    bell_close(&l.passed);
    return !atomic_load(&l.is_over);
}

/* ---- rows that are read ---- */

enum {
    PART = 1 << 17,   /* bytes: some tenths of a millisecond's work, more than starting a thread */
    FEWEST_PARTS = 4, /* and few enough that little is read in vain after the last row */
    COLUMNS_READ = 1 << 18 /* a longer row is not worth a buffer for each thread */
};

/* What a worker has read of one part. */
typedef struct part_read {
    char *numbers; /* room for all numbers; NULL before the first part and when memory ran out */
    const char *first, *after; /* NULL where no row begins in it */
    size_t rows;
    bool is_whole; /* all rows that begin in it were read */
} part_read;

typedef struct reading {
    const rows_read *all;
    const char *after; /* what was taken */
    err *e;
    part_read of[THREADS_MOST]; /* each worker's last part */
} reading;

static void read_part(void *context, size_t worker, size_t number)
{
    reading *j = context;
    const rows_read *all = j->all;
    const char *from = all->at + number * PART;
    const char *to = all->end - from > PART ? from + PART : all->end;
    part_read *p = &j->of[worker];
    p->first = from;
    if (number > 0) {
        p->first = memchr(from - all->is_before, all->mark, (size_t)(to - from));
        p->first += p->first != NULL && all->is_before;
    }
    p->after = p->first;
    p->rows = 0;
    /* A number takes at least two bytes; the last row may end after the part. When memory runs out,
     * the format's own reader goes on with less, or reports it. */
    err ignored = {0};
    if (p->first != NULL && p->numbers == NULL)
        p->numbers = mem_alloc(PART / 2 + 1 + all->columns, all->size, &ignored);
    p->is_whole = p->first == NULL || p->numbers != NULL;
    while (p->is_whole && p->after != NULL && p->after < to) {
        const char *next =
            all->read(all->to, p->after, p->numbers + p->rows * all->columns * all->size);
        p->is_whole = next != NULL;
        p->rows += p->is_whole;
        p->after = p->is_whole ? next : p->after;
    }
}

/* A part counts only if it begins where the part before it ended; else it began inside a row. */
static bool take_part(void *context, size_t worker, size_t number)
{
    reading *j = context;
    const part_read *p = &j->of[worker];
    (void)number;
    if (p->first == NULL)
        return true;
    if (p->first != j->after ||
        (p->rows > 0 && !j->all->take(j->all->to, p->numbers, p->rows, j->e)))
        return false;
    j->after = p->after;
    return p->is_whole;
}

const char *rows_read_ahead(const rows_read *all, size_t threads, err *e)
{
    size_t bytes = (size_t)(all->end - all->at);
    const ordered_work parts = {bytes / PART + (bytes % PART > 0), read_part, take_part};
    if (threads < 2 || parts.units < FEWEST_PARTS || all->columns > COLUMNS_READ)
        return all->at;
    threads = threads > THREADS_MOST ? THREADS_MOST : threads;
    reading j = {.all = all, .after = all->at, .e = e};
    threads_run_in_order(threads, &parts, &j);
    for (size_t i = 0; i < threads; i++)
        mem_free(j.of[i].numbers);
    return j.after;
}

/* ---- rows that are written ---- */

enum {
    /* Numbers of a range: 200 KB and 200 µs of work, so that handing it over costs little. */
    RANGE = 1 << 14,
    /* Starting a thread takes as long as half a range. */
    FEWEST_RANGES = 4,
    /* A longer row is not worth a buffer for each thread. */
    COLUMNS_WRITTEN = 1 << 20
};

typedef struct writing {
    const rows_text *all;
    size_t first, end; /* the rows to be written */
    size_t rows;       /* of a range */
    sink *out;
    err *e;
    text *range; /* of each worker */
} writing;

static void format_range(void *context, size_t worker, size_t range)
{
    writing *j = context;
    text *to = &j->range[worker];
    size_t first = j->first + range * j->rows, left = j->end - first;
    text_clear(to);
    for (size_t i = 0; i < j->rows && i < left; i++)
        j->all->write(j->all->context, first + i, to);
}

static bool write_range(void *context, size_t worker, size_t range)
{
    writing *j = context;
    (void)range;
    return sink_add(j->out, &j->range[worker], j->e);
}

bool rows_text_write(const rows_text *all, const write_options *how, sink *out, err *e)
{
    size_t rows = all->matrix->size[0], columns = all->matrix->size[1];
    size_t threads = how->threads > THREADS_MOST ? THREADS_MOST : how->threads;
    text range[THREADS_MOST]; /* only `threads` are set: small matrices are many */
    writing j = {.all = all, .out = out, .e = e, .range = range};
    for (size_t i = 0; i < threads; i++)
        range[i] = (text){0};
    j.rows = columns < RANGE ? RANGE / (columns + 1) + 1 : 1;
    bool done = true;
    while (done && j.end < rows) {
        size_t more = rows - j.end;
        j.first = j.end;
        done = how->supply == NULL ||
               how->supply->make(how->supply->context, all->matrix, j.first, &more, e);
        j.end += more;
        const ordered_work ranges = {(more + j.rows - 1) / j.rows, format_range, write_range};
        if (threads > 1 && ranges.units >= FEWEST_RANGES && columns <= COLUMNS_WRITTEN) {
            done = done && threads_run_in_order(threads, &ranges, &j);
            continue;
        }
        for (size_t row = j.first; done && row < j.end; row++) {
            all->write(all->context, row, sink_text(out));
            done = sink_spill(out, e);
        }
    }
    for (size_t i = 0; i < threads; i++)
        text_free(&range[i]);
    return done;
}
