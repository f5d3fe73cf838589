#include "io/rows_read.h"

#include "base/in_order.h"
#include "base/mem.h"
#include "base/threads.h"

enum {
    PART = 1 << 17,   /* bytes: some tenths of a millisecond's work, more than starting a thread */
    FEWEST_PARTS = 4, /* and so few that what is read in vain, after the last row, is little */
    MOST_COLUMNS = 1 << 18 /* a longer row is not worth the memory of one a thread */
};

/* What a worker has read of one part. */
typedef struct part {
    char *numbers; /* room for all, NULL before the first one and where there is no memory */
    const char *first, *after; /* NULL where no row begins in it */
    size_t rows;
    bool is_whole; /* all that begin in it */
} part;

typedef struct job {
    const rows_read *all;
    const char *after; /* what was taken */
    err *e;
    part part[THREADS_MOST]; /* of each worker */
} job;

/* A number takes two bytes at least; the last row may end after the part. */
static bool find_room(const rows_read *all, part *p)
{
    err ignored = {0}; /* the format's own reader goes on with less memory, or reports it */
    if (p->numbers == NULL)
        p->numbers = mem_alloc(PART / 2 + 1 + all->columns, all->size, &ignored);
    return p->numbers != NULL;
}

static void read_part(void *context, size_t worker, size_t number)
{
    job *j = context;
    const rows_read *all = j->all;
    const char *from = all->at + number * PART;
    const char *to = all->end - from > PART ? from + PART : all->end;
    part *p = &j->part[worker];
    p->first = number == 0 ? from : all->find(all->format, from, to);
    p->after = p->first;
    p->rows = 0;
    p->is_whole = p->first == NULL || find_room(all, p);
    while (p->is_whole && p->after != NULL && p->after < to) {
        const char *next =
            all->read(all->format, p->after, p->numbers + p->rows * all->columns * all->size);
        p->is_whole = next != NULL;
        p->rows += p->is_whole;
        p->after = p->is_whole ? next : p->after;
    }
}

/* What begins elsewhere than the part before ended is not a row. */
static bool take_part(void *context, size_t worker, size_t number)
{
    job *j = context;
    const part *p = &j->part[worker];
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
    if (threads < 2 || parts.units < FEWEST_PARTS || all->columns > MOST_COLUMNS)
        return all->at;
    threads = threads > THREADS_MOST ? THREADS_MOST : threads;
    job j = {.all = all, .after = all->at, .e = e};
    threads_run_in_order(threads, &parts, &j);
    for (size_t i = 0; i < threads; i++)
        mem_free(j.part[i].numbers);
    return j.after;
}
