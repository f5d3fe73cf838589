/* selfattn run, encode, decode and generate: documents in; stages, tokens or a trace out. */
#include "base/mem.h"
#include "base/path.h"
#include "base/threads.h"
#include "cli/command.h"
#include "cli/out/outputs.h"
#include "cli/out/progress.h"
#include "cli/out/said.h"

#include <stdatomic.h>
#include <string.h>

/* ---- what is told before anything is read ---- */

/* x.csv and wq.csv without options are a document each. */
static void note_matrices(const options *o, const env *world)
{
    text line = {0};
    const option_row *last = NULL;
    size_t matrices = 0;
    for (size_t i = 0; i < o->operands; i++) {
        const char *file = o->operand[i], *name = path_name(file);
        size_t length = strcspn(name, ".");
        const option_row *row =
            length == 1 ? option_by_letter(*name) : option_by_name(name, length);
        if (row == NULL || row->kind != OPTION_KEY_FILE)
            continue;
        matrices += row != last;
        last = row;
        if (row->letter != 0)
            text_add_format(&line, " -%c %s", row->letter, file);
        else
            text_add_format(&line, " --%s %s", row->named.name, file);
    }
    if (matrices > 1)
        note_say(world, o, NULL, "%zu files, each an x of its own; did you mean%s?", o->operands,
                 text_string(&line));
    text_free(&line);
}

/* Options that say what is in a trace or a picture, where there is none. A picture is of the batch
 * in focus. */
static void note_unused(const options *o, const env *world)
{
    if (o->sum_keys.count > 0 && o->picture == NULL)
        note_say(world, o, NULL,
                 "no picture is drawn without --picture, so --sum-keys is not used");
    if (o->trace)
        return;
    bool has_focus = o->focus.count > 0 && o->picture == NULL;
    if (has_focus || o->full)
        note_say(world, o, NULL, "no trace is made without --trace, so %s not used",
                 !o->full     ? "--focus is"
                 : !has_focus ? "--full is"
                              : "--focus and --full are");
}

/* ---- small documents of a stream, several at once ---- */

/* Each thread takes a line after the other, and does all of it.
 *
 * What is not plain sailing (an error, a note to be said, a file to be read first, a document so
 * large that all threads should work on it) is left to the caller, who does it as if there were no
 * batch. So the results are the same bytes, in the same order. */

typedef struct batch_item {
    document_line line;
    bool is_done;
    document read;      /* of a line that is not done; its file is NULL: to be read anew */
    const char *result; /* borrowed until the next step */
    size_t worker, start, length; /* where it stands in its worker's text */
} batch_item;

typedef struct runner {
    const options *given;
    env *world;
    const char *as; /* the kind of work that the command's name says, or NULL */
    document_reader documents;
    outputs to;
    size_t bad;     /* documents that were passed over: --keep-going */
    double flushed; /* when results were last handed on */
    /* lines that are done at once */
    batch_item *item;
    size_t count, done; /* lines taken, and those of them that were handed back */
    size_t threads;
    crew crew;                   /* of so many, where that is not 0 */
    struct batch_worker *worker; /* as many, once there is something to do */
    size_t workers;              /* of them that were opened */
    atomic_size_t next;          /* item to be done */
    double ends;                 /* when no further one is begun, on the monotonic clock */
} runner;

/* One thread. The last document stays, computed. Where the next line is like it but for its
 * numbers, as most lines of a stream are, they take the places of its own, and the same plan is run
 * again, in the same memory. */
typedef struct batch_worker {
    runner *of;
    options given;
    env world;
    bool is_noted; /* in place of notes */
    outputs to;    /* in memory */
    err bad;       /* that a document is left for */
    crew alone;    /* this thread */
    run_room *room;
    packed_weights packed_weights; /* that lines have in common */
    json_again again;
    document last; /* its work borrows from it */
    work solved;   /* of the last one, */
    bool has_last; /* where there is one */
} batch_worker;

static bool open_worker(batch_worker *w, runner *r, err *e)
{
    *w = (batch_worker){.of = r, .given = *r->given, .world = *r->world};
    w->given.threads = 1;
    w->given.has_threads = true;
    w->world.progress = NULL;
    w->world.is_noted = &w->is_noted;
    w->packed_weights.most = document_reader_packed_most(&r->documents, r->given->threads);
    crew_open(&w->alone, 1);
    w->room = outputs_open_memory(&w->to, &r->to, e) ? run_room_new(e) : NULL;
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

static bool is_silent(const batch_worker *w)
{
    const work_kind *kind = w->solved.kind;
    return w->given.quiet || kind->has_notes == NULL || !kind->has_notes(&w->solved);
}

static bool run_last(batch_worker *w)
{
    work *of = &w->solved;
    if (of->kind->run_in != NULL)
        return of->kind->run_in(of, w->room, &w->alone, &w->bad) && is_silent(w) &&
               outputs_write(&w->to, of, NULL, &w->world, &w->bad);
    w->is_noted = false;
    return of->kind->run(of, &w->world, &w->bad) && !w->is_noted &&
           outputs_write(&w->to, of, NULL, &w->world, &w->bad);
}

/* The result of the line, added to outputs_text(&w->to); false where the line is left to others,
 * for whatever reason. Then *read is the document, to be freed, if it was read without an error;
 * else its `file` is NULL. */
static bool do_line(batch_worker *w, const document_line *line, document *read)
{
    document_reader *documents = &w->of->documents;
    bool done;
    *read = (document){0};
    if (w->has_last && document_reader_try_again(documents, line, &w->last, &w->again)) {
        done = run_last(w);
    } else {
        free_last(w);
        w->has_last = document_reader_try_line(documents, line, &w->last, &w->again, &w->bad);
        w->last.packed_weights = &w->packed_weights;
        done = w->has_last && work_plan(&w->solved, &w->last, w->of->as, &w->given, &w->bad) &&
               work_is_small(&w->solved) && is_silent(w) &&
               outputs_want(&w->to, &w->solved, &w->bad) && run_last(w);
        if (!w->has_last)
            document_free(&w->last);
        /* What is too large to be done here was read for those who do it. */
        if (w->has_last && !done && !w->bad.is_set) {
            *read = w->last;
            w->last = (document){0};
        }
    }
    if (!done || w->solved.kind->run_in == NULL)
        free_last(w);
    err_clear(&w->bad);
    return done;
}

/* Lines that are taken at once: some milliseconds' work, against which starting threads is little.
 * Their results are small, too, or the rest of them has to wait. */
enum { LINES_MOST = 1024, TEXT_MOST = 1 << 22 };
static const double SECONDS_MOST = 0.05;

/* Items are taken in order, so that those that were done are the first ones; each worker that runs
 * does one at least. */
static void do_items(void *context, size_t worker)
{
    runner *r = context;
    batch_worker *w = &r->worker[worker];
    text *results = outputs_text(&w->to);
    do {
        size_t next = atomic_fetch_add(&r->next, 1);
        if (next >= r->count)
            break;
        batch_item *item = &r->item[next];
        item->worker = worker;
        item->start = results->length;
        item->is_done = do_line(w, &item->line, &item->read);
        if (!item->is_done) {
            /* What was begun is forgotten, also that it found no memory. */
            results->length = item->start;
            results->failed = false;
        }
        item->length = results->length - item->start;
    } while (results->length < TEXT_MOST && clock_seconds() < r->ends);
}

static void close_batch(runner *r)
{
    for (size_t i = 0; i < r->count; i++)
        document_free(&r->item[i].read);
    for (size_t i = 0; i < r->workers; i++) {
        batch_worker *w = &r->worker[i];
        free_last(w);
        run_room_free(w->room);
        packed_weights_free(&w->packed_weights);
        json_again_free(&w->again);
        crew_close(&w->alone);
        outputs_free_memory(&w->to);
    }
    mem_free(r->worker);
    mem_free(r->item);
    if (r->threads > 0)
        crew_close(&r->crew);
}

/* The next lines, done or left to the caller, at *items until the next step: *count of them, 0
 * where the next line has to be waited for. Some tens of milliseconds' work at most, so that
 * results can go out. Whoever takes an item's document clears it there. Fails for want of
 * memory. */
static bool step_batch(runner *r, batch_item **items, size_t *count, err *e)
{
    *count = 0;
    if (r->threads == 0 || (r->done == r->count && !document_reader_has_next(&r->documents)))
        return true;
    if (r->worker == NULL) {
        r->item = mem_alloc(LINES_MOST, sizeof r->item[0], e);
        r->worker = r->item == NULL ? NULL : mem_alloc_zeroed(r->threads, sizeof r->worker[0], e);
        if (r->worker == NULL)
            return false;
        while (r->workers < r->threads) {
            if (!open_worker(&r->worker[r->workers++], r, e))
                return false;
        }
    }
    if (r->done == r->count) {
        document_line line[LINES_MOST];
        r->count = document_reader_take(&r->documents, line, LINES_MOST);
        r->done = 0;
        for (size_t i = 0; i < r->count; i++)
            r->item[i] = (batch_item){.line = line[i]};
    }
    if (r->done == r->count)
        return true;
    size_t left = r->count - r->done;
    for (size_t i = 0; i < r->threads; i++)
        text_clear(outputs_text(&r->worker[i].to));
    atomic_store(&r->next, r->done);
    r->ends = clock_seconds() + SECONDS_MOST;
    crew_run(&r->crew, left < r->threads ? left : r->threads, do_items, r);
    size_t next = atomic_load(&r->next), end = next < r->count ? next : r->count;
    /* Workers' texts grow while they work, so that results are looked for only after it. */
    for (size_t i = r->done; i < end; i++) {
        batch_item *one = &r->item[i];
        one->result = text_string(outputs_text(&r->worker[one->worker].to)) + one->start;
    }
    *items = r->item + r->done;
    *count = end - r->done;
    r->done = end;
    return true;
}

/* ---- one document after the other ---- */

/* A result in memory waits this long at most while others are computed: a reader hardly notices,
 * and one write serves many results. */
static const double FLUSH_SECONDS = 0.05;

static bool flush(runner *r, err *e)
{
    progress_pause(r->world->progress);
    bool done = outputs_flush(&r->to, e);
    progress_resume(r->world->progress);
    return done;
}

/* A pipe sees each result soon: before the next document is waited for, and now and then while
 * there are many. */
static bool hand_on(runner *r, err *e)
{
    double at = clock_seconds();
    if (document_reader_has_next(&r->documents) && at - r->flushed < FLUSH_SECONDS)
        return true;
    r->flushed = at;
    return flush(r, e);
}

/* Everything but the writing: the document is checked, and then computed. */
static bool compute_document(runner *r, document *one, work *w, text *picture, err *e)
{
    outputs *to = &r->to;
    if (!work_plan(w, one, r->as, r->given, e))
        return false;
    if (!outputs_want(to, w, e))
        return false;
    if (!document_reader_look(&r->documents, one, e))
        return false;
    if (!to->traces && !to->draws)
        return w->kind->run(w, r->world, e);
    if (!w->kind->show(w, to->traces ? FOR_STEPS : FOR_PICTURE, r->world, e))
        return false;
    return !to->draws || outputs_draw(to, w->drawn, r->world, picture, e);
}

static bool write_document(runner *r, const document *one, work *w, const text *picture, err *e)
{
    place at = document_place(one);
    progress_pause(r->world->progress);
    bool done = outputs_open(&r->to, e);
    if (done)
        done = outputs_write(&r->to, w, picture, r->world, e);
    if (!done)
        err_place(e, &at);
    progress_resume(r->world->progress);
    return done;
}

/* Says what is wrong, after the results before it, and writes it in the place of the result. */
static bool pass_over(runner *r, const document *one, const err *bad, err *e)
{
    r->bad++;
    if (!outputs_open(&r->to, e) || !flush(r, e))
        return false;
    report_error(r->world, bad);
    return outputs_write_error(&r->to, one, bad, e);
}

/* A document that was read, or was not: `bad` says why. A bad one ends the run, or with
 * --keep-going only itself. */
static bool end_document(runner *r, document *one, bool is_read, err *bad, err *e)
{
    work w = {0};
    text picture = {0};
    bool is_computed = is_read && compute_document(r, one, &w, &picture, bad), done = false;
    if (!is_computed)
        document_blame(one, bad);
    if (is_computed) {
        done = write_document(r, one, &w, &picture, e);
    } else if (r->given->keep_going && !r->documents.is_over) {
        done = pass_over(r, one, bad, e);
    } else {
        *e = *bad;
        flush(r, e); /* results before it stay */
    }
    text_free(&picture);
    work_free(&w);
    if (is_computed)
        document_reader_keep(&r->documents, one);
    document_free(one);
    progress_document_done(r->world->progress);
    return done;
}

static bool end_item(runner *r, batch_item *item, err *e)
{
    if (item->is_done) {
        progress_pause(r->world->progress);
        bool done = outputs_put(&r->to, item->result, item->length, e);
        progress_resume(r->world->progress);
        progress_document_done(r->world->progress);
        return done;
    }
    document one = item->read;
    err bad = {0};
    bool is_read =
        one.file != NULL || document_reader_read_line(&r->documents, &item->line, &one, &bad);
    item->read = (document){0};
    return end_document(r, &one, is_read, &bad, e);
}

static bool run_all(runner *r, err *e)
{
    for (bool is_there = true; is_there;) {
        document one;
        err bad = {0};
        bool is_read = document_reader_next(&r->documents, &one, &is_there, &bad);
        is_there = is_there || !is_read;
        if (is_there && (!end_document(r, &one, is_read, &bad, e) || !hand_on(r, e)))
            return false;
        /* The documents that are in memory, by several threads. */
        batch_item *item;
        for (size_t count = 1; count > 0;) {
            if (!step_batch(r, &item, &count, e))
                return false;
            for (size_t i = 0; i < count; i++) {
                if (!end_item(r, &item[i], e))
                    return false;
            }
            if (!hand_on(r, e))
                return false;
        }
    }
    return outputs_open(&r->to, e); /* a stream of no documents has an empty result */
}

static int run_as(const char *as, const options *o, env *world, err *e)
{
    runner r = {.given = o, .world = world, .as = as};
    weights_input weights = {.is_for = as == NULL ? FOR_EITHER : FOR_LAYERS, .as = as};
    bool done = outputs_plan(&r.to, o, e);
    if (done) {
        note_unused(o, world);
        note_matrices(o, world);
    }
    weights.keeps_narrow = !r.to.traces && !o->header; /* which say what all inputs are */
    done = done && document_reader_open(&r.documents, o, &weights, world, DTYPE_F32, e);
    if (done && o->keep_going && r.documents.has_options_only) {
        err_set(e, "--keep-going goes on after a bad document, and no document is named");
        done = err_remedy(e, "- names standard input");
    }
    progress shown;
    r.to.documents = &r.documents;
    if (!r.to.tells) /* which show themselves how far it is */
        progress_start(&shown, o, world);
    /* For --stream, and where results are not text, there is no batch. */
    if (done && !o->stream && outputs_are_text(&r.to)) {
        r.threads = o->threads > THREADS_MOST ? THREADS_MOST : o->threads;
        crew_open(&r.crew, r.threads);
    }
    done = done && run_all(&r, e);
    close_batch(&r);
    progress_stop(world);
    done = outputs_close(&r.to, done, e);
    document_reader_close(&r.documents);
    weights_input_close(&weights);
    return done && r.bad == 0 ? EXIT_DONE : EXIT_WRONG;
}

int command_run(const options *o, env *world, err *e)
{
    return run_as(NULL, o, world, e);
}

int command_encode(const options *o, env *world, err *e)
{
    return run_as("encoder", o, world, e);
}

int command_decode(const options *o, env *world, err *e)
{
    return run_as("decoder", o, world, e);
}

int command_generate(const options *o, env *world, err *e)
{
    enum { DEFAULT_LENGTH = 16 };
    options own = *o;
    if (own.generated == 0)
        own.generated = DEFAULT_LENGTH;
    return generation_check_seed(o, e) ? run_as("decoder", &own, world, e) : EXIT_WRONG;
}
