#include "cli/check/checker.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/threads.h"
#include "cli/out/progress.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- which files ---- */

static bool is_folder(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A pipe in a folder may never say anything. What can't be looked at is told when it is read. */
static bool may_be_document(const char *file)
{
    struct stat status;
    return stat(file, &status) != 0 || S_ISREG(status.st_mode);
}

static bool ends_in_json(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_path(text_list *files, const char *folder, const char *name, err *e)
{
    text path = {0};
    text_add_format(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
    bool done = text_ok(&path, e) && (!may_be_document(text_string(&path)) ||
                                      text_list_add(files, text_string(&path), path.length, e));
    text_free(&path);
    return done;
}

static bool fail(const char *folder, int reason, err *e)
{
    return err_at(e, &(place){.file = folder}, "cannot be read: %s", strerror(reason));
}

/* The end of a folder and a failure look the same but for errno. */
static struct dirent *next_in(DIR *folder)
{
    errno = 0;
    return readdir(folder);
}

static bool add_folder(text_list *files, const char *folder, err *e)
{
    DIR *open = opendir(folder);
    size_t first = files->count;
    bool done = true;
    if (open == NULL)
        return fail(folder, errno, e);
    for (struct dirent *one; done && (one = next_in(open)) != NULL;) {
        if (ends_in_json(one->d_name))
            done = add_path(files, folder, one->d_name, e);
    }
    if (done && errno != 0)
        done = fail(folder, errno, e);
    closedir(open);
    if (done && files->count == first)
        return err_at(e, &(place){.file = folder}, "there is no .json document in this folder");
    if (files->count > first)
        qsort(files->item + first, files->count - first, sizeof files->item[0], by_name);
    return done;
}

bool check_files_is_bad(const char *file, err *bad)
{
    text_list files = {0};
    bool is_bad = is_folder(file) && !add_folder(&files, file, bad);
    text_list_free(&files);
    return is_bad;
}

static bool may_read_standard_input(const options *o, const env *world)
{
    bool is_taken = o->bundle != NULL || (o->actual != NULL && strcmp(o->actual, "-") == 0);
    for (size_t i = 0; i < o->answers.count; i++)
        is_taken = is_taken || strcmp(o->answers.item[i], "-") == 0;
    return !world->stdin_is_terminal && !is_taken;
}

/* Others are checked all the same, where nothing can be had of a folder. */
static bool add_operand(text_list *files, const char *file, err *e)
{
    err bad = {0};
    if (is_folder(file) && add_folder(files, file, &bad))
        return true;
    if (!bad.is_memory)
        return text_list_add(files, file, strlen(file), e);
    *e = bad;
    return false;
}

bool check_files_list(const options *o, const env *world, text_list *files, err *e)
{
    bool done = true;
    if (o->operands == 0 && may_read_standard_input(o, world))
        return text_list_add(files, "-", 1, e);
    if (o->operands == 0)
        return err_set(e, "check: name the documents or folders to check");
    for (size_t i = 0; i < o->operands && done; i++)
        done = add_operand(files, o->operand[i], e);
    return done;
}

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
    checked_file *of = &c->file;
    char said[ERR_TEXT];
    checked_error *grown = mem_grow(of->passed_over, of->passed, &of->capacity, sizeof *grown, e);
    if (grown == NULL)
        return false;
    of->passed_over = grown;
    checked_error *added = &grown[of->passed];
    added->after = of->lines.length;
    added->said = mem_copy_text(said, strlen(err_text(bad, said)), e);
    of->passed += added->said != NULL;
    return added->said != NULL;
}

/* A bad line hides none of those after it, but for those that have no result. */
static bool check_documents(checker *c, document_reader *all, err *e)
{
    for (bool is_there = true; is_there;) {
        err bad = {0};
        if (check_next(c, all, &is_there, &bad))
            continue;
        bool has_result = c->actual == NULL || (c->actual->in.is_stream && c->actual->has_result);
        is_there = all->is_stream && !all->is_over && has_result;
        if (!is_there)
            *e = bad;
        else if (!pass_over(c, &bad, e))
            return false;
    }
    return !e->is_set;
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
    done = check_update_end(c, done && check_documents(c, &all, e), e);
    document_reader_close(&all);
    return done;
}

bool checked_file_is_wrong(const checked_file *one)
{
    return one->bad.is_set || one->passed > 0;
}

static void checked_file_free(checked_file *one)
{
    text_free(&one->lines);
    for (size_t i = 0; i < one->passed; i++)
        mem_free(one->passed_over[i].said);
    mem_free(one->passed_over);
    free(one->said);
    *one = (checked_file){0};
}

/* ---- several at once ---- */

/* Files that a job takes before the first of them is written: enough that jobs seldom wait. */
enum { FILES_A_JOB = 16 };

typedef struct share {
    check_jobs *jobs;
    atomic_size_t next;
} share;

/* Keeps what came of the file, and begins anew. */
static void check_one(const check_jobs *jobs, checker *c, size_t index)
{
    const char *file = jobs->files->item[jobs->first + index];
    if (!check_files_is_bad(file, &c->file.bad))
        check_file(c, file, &c->file.bad);
    jobs->done[index] = c->file;
    c->file = (checked_file){0};
}

/* In a job of its own a file has one thread and its share of the memory, and what it says waits for
 * its turn. */
static void check_apart(check_jobs *jobs, size_t index)
{
    env world = *jobs->world;
    options own = *jobs->given;
    own.max_memory /= jobs->at_once;
    checker c = {
        .given = &own, .world = &world, .weights = {.is_for = FOR_EITHER}, .actual = jobs->actual};
    char *said = NULL;
    size_t length = 0;
    FILE *notes = open_memstream(&said, &length);
    if (notes == NULL) {
        err_no_memory(&jobs->done[index].bad, 1);
        return;
    }
    world.err = notes;
    world.progress = NULL;
    world.processors = 1;
    check_one(jobs, &c, index);
    weights_input_close(&c.weights);
    fclose(notes);
    jobs->done[index].said = said;
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
    size_t left = jobs->files->count - jobs->taken;
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
        check_one(jobs, &jobs->alone, i);
    }
}

void check_jobs_open(check_jobs *jobs, const options *o, env *world, actual_result *actual,
                     const text_list *files)
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
        if (jobs->taken == jobs->files->count)
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
}
