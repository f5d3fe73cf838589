#include "cli/run/batch.h"

#include "base/mem.h"
#include "base/threads.h"
#include "cli/line/env.h"

/* ---- one thread ---- */

static bool batch_worker_open(batch_worker *w, document_reader *all, const options *o,
                              const outputs *to, err *e)
{
    *w = (batch_worker){.documents = all, .given = *o, .is_quiet = o->quiet};
    w->given.threads = 1;
    w->given.has_threads = w->given.quiet = true;
    w->packed_weights.most = document_reader_packed_most(all, o->threads);
    crew_open(&w->alone, 1);
    w->room = outputs_open_memory(&w->to, to, e) ? run_room_new(e) : NULL;
    return w->room != NULL;
}

static void free_last(batch_worker *w)
{
    if (!w->has_last)
        return;
    run_room_clear(w->room);
    work_free(&w->solved);
    document_free(&w->last);
    w->has_last = false;
}

static void batch_worker_close(batch_worker *w)
{
    free_last(w);
    run_room_free(w->room);
    packed_weights_free(&w->packed_weights);
    json_again_free(&w->again);
    crew_close(&w->alone);
    outputs_free_memory(&w->to);
}

static bool is_silent(const batch_worker *w)
{
    return w->is_quiet || !solution_has_notes(&w->solved.of.attention);
}

/* Layers are done by all threads together. */
static bool plan_last(batch_worker *w)
{
    w->last.packed_weights = &w->packed_weights;
    return work_plan(&w->solved, &w->last, NULL, &w->given, &w->bad) &&
           work_is_attention(&w->solved) && solution_is_small(&w->solved.of.attention) &&
           w->solved.of.attention.rows.count == 0 && /* which may be copies */
           is_silent(w) && outputs_want(&w->to, &w->solved, &w->bad);
}

static bool run_last(batch_worker *w)
{
    solution *s = &w->solved.of.attention;
    return solution_run_in(s, w->room, &w->alone, &w->given, &w->bad) && is_silent(w) &&
           outputs_write(&w->to, &w->solved, &w->bad);
}

/* What is too large to be done here was read for those who do it. */
static bool do_new(batch_worker *w, const document_line *line, document *read)
{
    free_last(w);
    w->has_last = document_reader_try_line(w->documents, line, &w->last, &w->again, &w->bad);
    if (!w->has_last)
        document_free(&w->last);
    if (w->has_last && plan_last(w) && run_last(w))
        return true;
    if (w->has_last && !w->bad.is_set) {
        *read = w->last;
        w->last = (document){0};
    }
    return false;
}

/* The result of the line, added to outputs_text(&w->to); false where the line is left to others,
 * for whatever reason. Then *read is the document, to be freed, if it was read without an error;
 * else its `file` is NULL. */
static bool batch_worker_do(batch_worker *w, const document_line *line, document *read)
{
    *read = (document){0};
    bool is_alike =
        w->has_last && document_reader_try_again(w->documents, line, &w->last, &w->again);
    if (is_alike ? run_last(w) : do_new(w, line, read))
        return true;
    free_last(w);
    err_clear(&w->bad);
    return false;
}

/* ---- all threads ---- */

/* Lines that are taken at once: some milliseconds' work, against which starting threads is little.
 * Their results are small, too, or the rest of them has to wait. */
enum { LINES_MOST = 1024, TEXT_MOST = 1 << 22 };
static const double SECONDS_MOST = 0.05;

/* Items are taken in order, so that those that were done are the first ones; each worker that runs
 * does one at least. */
static void do_items(void *context, size_t worker)
{
    batch *b = context;
    batch_worker *w = &b->worker[worker];
    text *results = outputs_text(&w->to);
    do {
        size_t next = atomic_fetch_add(&b->next, 1);
        if (next >= b->count)
            break;
        batch_item *item = &b->item[next];
        item->worker = worker;
        item->start = results->length;
        item->is_done = batch_worker_do(w, &item->line, &item->read) && !results->failed;
        if (!item->is_done)
            results->length = item->start; /* what was begun is forgotten */
        item->length = results->length - item->start;
    } while (clock_seconds() < b->ends && results->length < TEXT_MOST);
}

void batch_open(batch *b, const options *o, document_reader *all, const outputs *to)
{
    *b = (batch){.given = o, .documents = all, .to = to};
    if (!o->stream && outputs_are_text(to))
        b->threads = o->threads > THREADS_MOST ? THREADS_MOST : o->threads;
    if (b->threads > 0)
        crew_open(&b->crew, b->threads);
}

static bool start_workers(batch *b, err *e)
{
    b->item = mem_alloc(LINES_MOST, sizeof b->item[0], e);
    b->worker = b->item == NULL ? NULL : mem_alloc_zeroed(b->threads, sizeof b->worker[0], e);
    bool done = b->worker != NULL;
    for (; done && b->workers < b->threads; b->workers++)
        done = batch_worker_open(&b->worker[b->workers], b->documents, b->given, b->to, e);
    return done;
}

void batch_close(batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        document_free(&b->item[i].read);
    for (size_t i = 0; i < b->workers; i++)
        batch_worker_close(&b->worker[i]);
    mem_free(b->worker);
    mem_free(b->item);
    if (b->threads > 0)
        crew_close(&b->crew);
    b->threads = 0;
}

bool batch_step(batch *b, batch_item **items, size_t *count, err *e)
{
    *count = 0;
    if (b->threads == 0 || (b->done == b->count && !document_reader_has_next(b->documents)))
        return true;
    if (b->worker == NULL && !start_workers(b, e))
        return false;
    if (b->done == b->count) {
        document_line line[LINES_MOST];
        b->count = document_reader_take(b->documents, line, LINES_MOST);
        b->done = 0;
        for (size_t i = 0; i < b->count; i++)
            b->item[i] = (batch_item){.line = line[i]};
    }
    if (b->done == b->count)
        return true;
    size_t left = b->count - b->done;
    for (size_t i = 0; i < b->threads; i++) {
        text *results = outputs_text(&b->worker[i].to);
        if (results->failed)
            text_free(results); /* a document that memory was missing for is tried again, alone */
        text_clear(results);
    }
    atomic_store(&b->next, b->done);
    b->ends = clock_seconds() + SECONDS_MOST;
    crew_run(&b->crew, left < b->threads ? left : b->threads, do_items, b);
    size_t next = atomic_load(&b->next), end = next < b->count ? next : b->count;
    /* Workers' texts grow while they work, so that results are looked for only after it. */
    for (size_t i = b->done; i < end; i++) {
        batch_item *one = &b->item[i];
        one->result = text_string(outputs_text(&b->worker[one->worker].to)) + one->start;
    }
    *items = b->item + b->done;
    *count = end - b->done;
    b->done = end;
    return true;
}
