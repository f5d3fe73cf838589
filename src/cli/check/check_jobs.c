#include "cli/check/check_jobs.h"

#include "base/mem.h"
#include "base/threads.h"
#include "cli/check/check_update.h"
#include "cli/out/progress.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Files that a job takes before the first of them is written: enough that jobs seldom wait. */
enum { FILES_A_JOB = 16 };

/* ---- one file ---- */

static bool check_next(checker *c, document_reader *all, bool *is_there, err *e)
{
    document one;
    bool was_read = document_reader_next(all, &one, is_there, e);
    if (c->actual != NULL && (!was_read || *is_there))
        check_actual_step(c->actual);
    if (!was_read || !*is_there)
        return was_read;
    bool done = check_document(c, &one, e);
    progress_document_done(c->world->progress);
    document_free(&one);
    return done;
}

static bool pass_over(checker *c, const err *bad, err *e)
{
    checked_errors *all = &c->passed_over;
    char said[ERR_TEXT];
    checked_error *grown = mem_grow(all->one, all->count, &all->capacity, sizeof all->one[0], e);
    if (grown == NULL)
        return false;
    all->one = grown;
    checked_error *added = &all->one[all->count];
    added->after = c->out.length;
    added->said = mem_copy_text(said, strlen(err_text(bad, said)), e);
    all->count += added->said != NULL;
    return added->said != NULL;
}

/* A bad line hides none of those after it, but for those that have no result. */
static bool check_documents(checker *c, document_reader *all, err *e)
{
    for (bool is_there = true; is_there;) {
        err bad = {0};
        if (check_next(c, all, &is_there, &bad))
            continue;
        bool has_result = c->actual == NULL || (c->actual->is_stream && c->actual->has_result);
        is_there = all->is_stream && !all->is_over && has_result;
        if (!is_there)
            *e = bad;
        else if (!pass_over(c, &bad, e))
            return false;
    }
    return !e->is_set;
}

/* All of what differs in a file is recorded or, where some of it could not be checked, nothing:
 * then no line may say otherwise. */
static bool record(checker *c, bool is_checked, err *e)
{
    bool is_whole = is_checked && c->passed_over.count == 0;
    if (c->update.count == 0 || (is_whole && file_update_write(&c->update, e)))
        return is_checked;
    text_clear(&c->out);
    for (size_t i = 0; i < c->passed_over.count; i++)
        c->passed_over.one[i].after = 0;
    return is_checked && !e->is_set;
}

static bool check_file(checker *c, const char *file, err *e)
{
    options one_file = *c->given;
    one_file.operand = &file;
    one_file.operands = 1;
    document_reader all = {0};
    c->documents = &all;
    /* Published numbers come from a calculator; an exercise's are those that its page shows. */
    bool done = (!c->given->update || check_update_open(c, file, e)) &&
                document_reader_open(&all, &one_file, &c->weights, c->world,
                                     c->given->answers.count > 0 ? DTYPE_F32 : DTYPE_F64, e);
    all.types_expected = true;
    all.read = c->given->update ? &c->update.old.read : NULL;
    done = record(c, done && check_documents(c, &all, e), e);
    document_reader_close(&all);
    file_update_free(&c->update);
    return done;
}

static const char *file_of(const check_jobs *jobs, size_t index)
{
    return jobs->files->file.item[jobs->first + index];
}

static void check_one(const check_jobs *jobs, checker *c, size_t index, err *bad)
{
    const err *why = check_files_bad(jobs->files, jobs->first + index);
    if (why != NULL)
        *bad = *why;
    else
        check_file(c, file_of(jobs, index), bad);
}

static void keep(checker *c, const char *file, const err *bad, checked_file *to)
{
    *to = (checked_file){.file = file,
                         .lines = c->out,
                         .failed = c->failed,
                         .saw_layers = c->saw_layers,
                         .passed_over = c->passed_over,
                         .bad = *bad};
    c->out = (text){0};
    c->passed_over = (checked_errors){0};
    c->failed = 0;
}

bool checked_file_is_wrong(const checked_file *one)
{
    return one->bad.is_set || one->passed_over.count > 0;
}

static void checked_file_free(checked_file *one)
{
    text_free(&one->lines);
    for (size_t i = 0; i < one->passed_over.count; i++)
        mem_free(one->passed_over.one[i].said);
    mem_free(one->passed_over.one);
    free(one->said);
    *one = (checked_file){0};
}

/* ---- several at once ---- */

typedef struct share {
    check_jobs *jobs;
    atomic_size_t next;
} share;

/* In a job of its own a file has one thread and its share of the memory, and what it says waits for
 * its turn. */
static void check_apart(check_jobs *jobs, size_t index)
{
    const char *file = file_of(jobs, index);
    env world = *jobs->world;
    options own = *jobs->given;
    own.max_memory /= jobs->at_once;
    checker c = {
        .given = &own, .world = &world, .weights = {.is_for = FOR_EITHER}, .actual = jobs->actual};
    checked_file *to = &jobs->done[index];
    char *said = NULL;
    size_t length = 0;
    err bad = {0};
    FILE *notes = open_memstream(&said, &length);
    if (notes == NULL) {
        err_no_memory(&bad, 1);
        keep(&c, file, &bad, to);
        return;
    }
    world.err = notes;
    world.progress = NULL;
    world.processors = 1;
    check_one(jobs, &c, index, &bad);
    weights_input_close(&c.weights);
    keep(&c, file, &bad, to);
    fclose(notes);
    to->said = said;
}

static void take_files(void *context, size_t worker)
{
    share *of = context;
    size_t index;
    (void)worker;
    while ((index = atomic_fetch_add(&of->next, 1)) < of->jobs->count)
        check_apart(of->jobs, index);
}

static void free_done(check_jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        checked_file_free(&jobs->done[i]);
    jobs->count = jobs->handed = 0;
}

/* What a file can't have of its share of the memory it may have alone. */
static void check_some(check_jobs *jobs)
{
    size_t left = jobs->files->file.count - jobs->taken;
    share all = {.jobs = jobs};
    jobs->first = jobs->taken;
    jobs->count = left < jobs->most ? left : jobs->most;
    jobs->taken += jobs->count;
    if (jobs->at_once > 1)
        threads_run(jobs->at_once < jobs->count ? jobs->at_once : jobs->count, take_files, &all);
    for (size_t i = 0; i < jobs->count; i++) {
        if (jobs->at_once > 1 && !checked_file_is_wrong(&jobs->done[i]))
            continue;
        checked_file_free(&jobs->done[i]);
        err bad = {0};
        const char *file = file_of(jobs, i);
        check_one(jobs, &jobs->alone, i, &bad);
        keep(&jobs->alone, file, &bad, &jobs->done[i]);
    }
}

void check_jobs_open(check_jobs *jobs, const options *o, env *world, actual_result *actual,
                     const check_files *files)
{
    size_t at_once = o->has_jobs && actual == NULL ? o->jobs : 1;
    *jobs = (check_jobs){
        .given = o,
        .world = world,
        .files = files,
        .actual = actual,
        .alone = {.given = o, .world = world, .weights = {.is_for = FOR_EITHER}, .actual = actual},
        .at_once = at_once,
        .most = at_once > 1 ? at_once * FILES_A_JOB : 1};
}

bool check_jobs_next(check_jobs *jobs, const checked_file **one, err *e)
{
    *one = NULL;
    if (jobs->done == NULL)
        jobs->done = mem_alloc_zeroed(jobs->most, sizeof jobs->done[0], e);
    if (jobs->done == NULL)
        return false;
    if (jobs->handed == jobs->count) {
        free_done(jobs);
        if (jobs->taken == jobs->files->file.count)
            return true;
        check_some(jobs);
    }
    *one = &jobs->done[jobs->handed++];
    return text_ok(&(*one)->lines, e);
}

void check_jobs_close(check_jobs *jobs)
{
    if (jobs->done != NULL)
        free_done(jobs);
    mem_free(jobs->done);
    weights_input_close(&jobs->alone.weights);
    text_free(&jobs->alone.out);
}
