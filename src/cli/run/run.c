/* selfattn run, encode, decode and generate: documents in; stages, tokens or a trace out. */
#include "base/mem.h"
#include "base/threads.h"
#include "cli/command.h"
#include "cli/in/document.h"
#include "cli/line/env.h"
#include "cli/out/note.h"
#include "cli/out/outputs.h"
#include "cli/out/progress.h"
#include "cli/out/report.h"
#include "cli/run/trace_command.h"
#include "render/key_sums.h"
#include "render/renderer.h"

#include <stdatomic.h>
#include <string.h>

/* ---- --picture: the weights as a picture, in a file or on standard output ---- */

static bool is_svg(const outputs *to)
{
    return strcmp(to->picture.file, "-") != 0;
}

/* What can't be drawn is an error. */
static bool picturing_check(const outputs *to, err *e)
{
    return !is_svg(to) || (to->picture.results == 0 && to->documents->files <= 1) ||
           err_set(e, "SVG holds the picture of one document, and there are more");
}

/* Draws the weights of a run, all heads of them, and of layers all that have some. */
static bool picturing_draw(const trace *of, const options *o, const env *world, const outputs *to,
                           text *out, err *e)
{
    render_options how = {.width = is_svg(to) ? WIDTH_OF_FILES : world->width,
                          .digits = option_digits(o),
                          .sum_keys = &o->sum_keys,
                          .color = output_uses_color(o, world, to->picture.file)};
    if (!key_sums_check(&o->sum_keys, of, e))
        return false;
    return is_svg(to) ? weights_svg(of, &how, out, e) : weights_terminal(of, &how, out, e);
}

/* ---- files that look like the matrices of one document ---- */

static const option_row *option_of_file(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash == NULL ? file : slash + 1;
    size_t length = strcspn(name, ".");
    const option_row *row = length == 1 ? option_by_letter(*name) : option_by_name(name, length);
    return row == NULL || row->kind != OPTION_KEY_FILE ? NULL : row;
}

/* x.csv and wq.csv without options are a document each. */
static void note_matrices(const options *o, const env *world)
{
    text line = {0};
    const option_row *last = NULL;
    size_t matrices = 0;
    for (size_t i = 0; i < o->operands; i++) {
        const option_row *row = option_of_file(o->operand[i]);
        matrices += row != NULL && row != last;
        last = row != NULL ? row : last;
        if (row != NULL && row->letter != 0)
            text_add_format(&line, " -%c %s", row->letter, o->operand[i]);
        else if (row != NULL)
            text_add_format(&line, " --%s %s", row->named.name, o->operand[i]);
    }
    if (matrices > 1)
        note_say(world, o, NULL, "%zu files, each an x of its own; did you mean%s?", o->operands,
                 text_string(&line));
    text_free(&line);
}

/* ---- small documents of a stream, several at once ---- */

/* Each thread takes a line after the other, and does all of it.
 *
 * What is not plain sailing (an error, a note to be said, a file to be read first, a document so
 * large that all threads should work on it) is left to the caller, who does it as if there were no
 * batch. So the results are the same bytes, in the same order. */

/* One thread. The last document stays, computed. Where the next line is like it but for its
 * numbers, as most lines of a stream are, they take the places of its own, and the same plan is run
 * again, in the same memory. */
typedef struct batch_worker {
    document_reader *documents;
    const char *as;
    options given;
    env world;    /* in which notes go here: */
    char said[8]; /* the first bytes tell that there is one */
    outputs to;   /* in memory */
    err bad;      /* that a document is left for */
    crew alone;   /* this thread */
    run_room *room;
    packed_weights packed_weights; /* that lines have in common */
    json_again again;
    document last; /* its work borrows from it */
    work solved;   /* of the last one, */
    bool has_last; /* where there is one */
} batch_worker;

typedef struct batch_item {
    document_line line;
    bool is_done;
    document read;      /* of a line that is not done; its file is NULL: to be read anew */
    const char *result; /* borrowed until the next step */
    size_t worker, start, length; /* where it stands in its worker's text */
} batch_item;

typedef struct batch {
    const options *given;
    const env *world;
    const char *as;
    document_reader *documents;
    const outputs *to;
    batch_item *item;
    size_t count, done; /* lines taken, and those of them that were handed back */
    size_t threads;
    crew crew;            /* of so many, where that is not 0 */
    batch_worker *worker; /* as many, once there is something to do */
    size_t workers;       /* of them that were opened */
    atomic_size_t next;   /* item to be done */
    double ends;          /* when no further one is begun, on the monotonic clock */
} batch;

/* ---- one thread ---- */

static bool batch_worker_open(batch_worker *w, const batch *of, err *e)
{
    *w = (batch_worker){
        .documents = of->documents, .as = of->as, .given = *of->given, .world = *of->world};
    w->given.threads = 1;
    w->given.has_threads = true;
    w->world.progress = NULL;
    w->packed_weights.most = document_reader_packed_most(of->documents, of->given->threads);
    crew_open(&w->alone, 1);
    w->room = outputs_open_memory(&w->to, of->to, e) ? run_room_new(e) : NULL;
    w->world.err = w->room == NULL ? NULL : fmemopen(w->said, sizeof w->said, "w");
    if (w->world.err != NULL)
        setbuf(w->world.err, NULL); /* what has no room is forgotten */
    return w->world.err != NULL || (w->room != NULL && err_no_memory(e, 1));
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
    if (w->world.err != NULL)
        fclose(w->world.err);
}

static bool is_silent(const batch_worker *w)
{
    return w->given.quiet || !work_is_attention(&w->solved) ||
           !solution_has_notes(&w->solved.of.attention);
}

static bool plan_last(batch_worker *w)
{
    w->last.packed_weights = &w->packed_weights;
    return work_plan(&w->solved, &w->last, w->as, &w->given, &w->bad) &&
           work_is_small(&w->solved) && is_silent(w) && outputs_want(&w->to, &w->solved, &w->bad);
}

/* An attention can be run again. */
static bool run_last(batch_worker *w)
{
    solution *s = &w->solved.of.attention;
    if (work_is_attention(&w->solved))
        return solution_run_in(s, w->room, &w->alone, &w->given, &w->bad) && is_silent(w) &&
               outputs_write(&w->to, &w->solved, &w->bad);
    bool done = w->solved.kind->run(&w->solved, &w->given, &w->world, &w->bad) &&
                outputs_write(&w->to, &w->solved, &w->bad) && fflush(w->world.err) == 0 &&
                w->said[0] == '\0';
    rewind(w->world.err);
    w->said[0] = '\0';
    return done;
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
    bool done = is_alike ? run_last(w) : do_new(w, line, read);
    if (!done || !work_is_attention(&w->solved))
        free_last(w);
    err_clear(&w->bad);
    return done;
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

/* For --stream, and where results are not text, there is just none. */
static void batch_open(batch *b, const options *o, const env *world, const char *as,
                       document_reader *all, const outputs *to)
{
    *b = (batch){.given = o, .world = world, .as = as, .documents = all, .to = to};
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
        done = batch_worker_open(&b->worker[b->workers], b, e);
    return done;
}

static void batch_close(batch *b)
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

/* The next lines, done or left to the caller, at *items until the next step: *count of them, 0
 * where the next line has to be waited for. Some tens of milliseconds' work at most, so that
 * results can go out. Whoever takes an item's document clears it there. Fails for want of
 * memory. */
static bool batch_step(batch *b, batch_item **items, size_t *count, err *e)
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

/* ---- one document after the other ---- */

/* A result in memory waits this long at most while others are computed: a reader hardly notices,
 * and one write serves many results. */
static const double FLUSH_SECONDS = 0.05;

typedef struct runner {
    const options *given;
    env *world;
    const char *as; /* the kind of work that the command's name says, or NULL */
    document_reader documents;
    outputs to;
    batch batch;
    size_t bad;     /* documents that were passed over: --keep-going */
    double flushed; /* when results were last handed on */
} runner;

/* Everything of one document but the writing: read and checked, then computed. */
static bool compute(runner *r, document *one, work *w, text *picture, err *e)
{
    outputs *to = &r->to;
    const options *o = r->given;
    return work_plan(w, one, r->as, o, e) && outputs_want(to, w, e) &&
           (!to->traces || trace_command_check(o, to->trace.results, e)) &&
           (!to->draws || picturing_check(to, e)) && document_reader_look(&r->documents, one, e) &&
           (to->traces || to->draws
                ? w->kind->show(w, to->traces ? FOR_STEPS : FOR_PICTURE, o, r->world, e)
                : w->kind->run(w, o, r->world, e)) &&
           (!to->draws || picturing_draw(w->drawn, o, r->world, to, picture, e));
}

static bool write_result(runner *r, work *w, const text *picture, err *e)
{
    outputs *to = &r->to;
    progress_pause(r->world->progress);
    bool done = outputs_open(to, e) &&
                (!to->traces || trace_command_write(w->shown, w->document, to->documents, r->given,
                                                    r->world, &to->trace, e)) &&
                outputs_write(to, w, e) && (!to->draws || outputs_write_picture(to, picture, e));
    progress_resume(r->world->progress);
    return done;
}

static bool flush(runner *r, err *e)
{
    progress_pause(r->world->progress);
    bool done = outputs_flush(&r->to, e);
    progress_resume(r->world->progress);
    return done;
}

/* A bad document ends the run, or with --keep-going only itself. */
static bool take_failure(runner *r, const document *one, err *bad, err *e)
{
    document_blame(one, bad);
    if (r->given->keep_going && !r->documents.is_over) {
        /* Says what is wrong, after the results before it, and writes it in the place of the
         * result. */
        r->bad++;
        if (!outputs_open(&r->to, e) || !flush(r, e))
            return false;
        report_error(r->world, bad);
        return outputs_write_error(&r->to, one, bad, e);
    }
    *e = *bad;
    flush(r, e); /* results before it stay */
    return false;
}

static bool run_document(runner *r, document *one, err *bad, err *e)
{
    work w; /* planning it sets it */
    text picture = {0};
    place at = document_place(one);
    bool is_computed = compute(r, one, &w, &picture, bad);
    bool done = is_computed ? write_result(r, &w, &picture, e) || err_place(e, &at)
                            : take_failure(r, one, bad, e);
    text_free(&picture);
    work_free(&w);
    if (is_computed)
        document_reader_keep(&r->documents, one);
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

/* A document that was read, or was not: `bad` says why. */
static bool end_document(runner *r, document *one, bool is_read, err *bad, err *e)
{
    bool done = is_read ? run_document(r, one, bad, e) : take_failure(r, one, bad, e);
    document_free(one);
    progress_document_done(r->world->progress);
    return done;
}

static bool run_next(runner *r, bool *is_there, err *e)
{
    document one;
    err bad = {0};
    bool is_read = document_reader_next(&r->documents, &one, is_there, &bad);
    if (is_read && !*is_there)
        return true;
    *is_there = true;
    return end_document(r, &one, is_read, &bad, e) && hand_on(r, e);
}

static bool run_left_item(runner *r, batch_item *item, err *e)
{
    document one = item->read;
    err bad = {0};
    bool is_read =
        one.file != NULL || document_reader_read_line(&r->documents, &item->line, &one, &bad);
    item->read = (document){0};
    return end_document(r, &one, is_read, &bad, e);
}

static bool write_item(runner *r, const batch_item *item, err *e)
{
    progress_pause(r->world->progress);
    bool done = outputs_put(&r->to, item->result, item->length, e);
    progress_resume(r->world->progress);
    progress_document_done(r->world->progress);
    return done;
}

/* The documents that are in memory, by several threads. */
static bool run_batches(runner *r, err *e)
{
    batch_item *item;
    for (size_t count = 1; count > 0;) {
        if (!batch_step(&r->batch, &item, &count, e))
            return false;
        for (size_t i = 0; i < count; i++) {
            if (!(item[i].is_done ? write_item(r, &item[i], e) : run_left_item(r, &item[i], e)))
                return false;
        }
        if (!hand_on(r, e))
            return false;
    }
    return true;
}

static bool run_all(runner *r, err *e)
{
    for (bool is_there = true; is_there;) {
        if (!run_next(r, &is_there, e) || !run_batches(r, e))
            return false;
    }
    return outputs_open(&r->to, e); /* a stream of no documents has an empty result */
}

static bool check_keep_going(const runner *r, err *e)
{
    if (!r->given->keep_going || !r->documents.has_options_only)
        return true;
    err_set(e, "--keep-going goes on after a bad document, and no document is named");
    return err_remedy(e, "- names standard input");
}

static int run_as(const char *as, const options *o, env *world, err *e)
{
    runner r = {.given = o, .world = world, .as = as};
    weights_input weights = {.is_for = as == NULL ? FOR_EITHER : FOR_LAYERS};
    bool done = outputs_plan(&r.to, o, e);
    if (done) {
        trace_command_say_unused(o, world);
        note_matrices(o, world);
    }
    weights.keeps_narrow = !r.to.traces && !o->header; /* which say what all inputs are */
    done = done && document_reader_open(&r.documents, o, &weights, world, DTYPE_F32, e) &&
           check_keep_going(&r, e);
    progress shown;
    r.to.documents = &r.documents;
    if (!r.to.tells) /* which show themselves how far it is */
        progress_start(&shown, o, world);
    if (done)
        batch_open(&r.batch, o, world, as, &r.documents, &r.to);
    done = done && run_all(&r, e);
    batch_close(&r.batch);
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
