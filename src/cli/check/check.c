/* selfattn check: compute documents, and compare with what they expect. */
#include "cli/check/checker.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/threads.h"
#include "cli/check/check_actual.h"
#include "cli/check/check_answers.h"
#include "cli/check/check_document.h"
#include "cli/check/check_update.h"
#include "cli/command.h"
#include "cli/out/progress.h"
#include "cli/out/said.h"
#include "cli/out/stage_names.h"
#include "io/sink.h"
#include "model/stack_keys.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The table of marks, and whether it takes the place of the lines. */
static bool writes_marks(const options *o)
{
    return o->output != NULL || o->format != NULL;
}

/* Options that can't be had together. */
static bool check_options(const options *o, err *e)
{
    const char *other = o->actual != NULL ? "actual" : o->update ? "update" : NULL;
    bool marks = o->answers.count > 0;
    const char *written = o->output != NULL ? "output" : o->format != NULL ? "format" : NULL;
    const char *apart = marks ? "answers" : o->update ? "update" : o->why ? "why" : NULL;
    if (o->differences && apart != NULL)
        return err_set(e, "--differences is about gradients alone, and --%s about other numbers",
                       apart);
    if (marks && other != NULL)
        return err_set(e, "--answers marks an exercise, and --%s is about other numbers", other);
    const struct {
        const char *option;
        bool is_given;
    } of_page[] = {{"blank", o->blank.count > 0},
                   {"focus", o->focus.count > 0},
                   {"full", o->full},
                   {"length", o->generated > 0}};
    for (size_t i = 0; i < sizeof of_page / sizeof of_page[0] && !marks; i++) {
        if (of_page[i].is_given)
            return err_set(e, "--%s says what --answers are about, which are not given",
                           of_page[i].option);
    }
    if (!marks && o->has_digits)
        return err_set(e, "--digits says how exact answers must be, and --answers are not given");
    if (!marks && written != NULL)
        return err_set(e, "--%s is for the marks of --answers, which are not given", written);
    if (o->tap && writes_marks(o) && strcmp(output_data_file(o), "-") == 0)
        return err_set(e,
                       "--tap and the marks both go to standard output; -o FILE takes the marks");
    if (o->update && o->actual != NULL)
        return err_set(e, "--update records what is computed, and --actual names another result");
    if (o->update && o->bundle != NULL)
        return err_set(e, "--update records what documents alone give, and --bundle is given");
    /* With --actual, --map may speak of its names. */
    options unmapped = *o;
    if (o->actual != NULL)
        unmapped.map = (text_list){0};
    return weights_input_check(&unmapped, e) && generation_check_seed(o, e) &&
           (!writes_marks(o) || check_marks_check(o, e));
}

/* ---- which files ---- */

static bool is_folder(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_folder(text_list *files, const char *folder, err *e)
{
    const place at = {.file = folder};
    DIR *open = opendir(folder);
    size_t first = files->count;
    bool done = true;
    if (open == NULL)
        return err_at(e, &at, "cannot be read: %s", strerror(errno));
    /* The end of a folder and a failure look the same but for errno. */
    for (struct dirent *one; done && (errno = 0, one = readdir(open)) != NULL;) {
        size_t length = strlen(one->d_name);
        struct stat status;
        text path = {0};
        if (length <= 5 || strcmp(one->d_name + length - 5, ".json") != 0)
            continue;
        text_add_format(&path, "%s%s%s", folder, *path_name(folder) == '\0' ? "" : "/",
                        one->d_name);
        done = text_ok(&path, e);
        /* A pipe may never say anything. What can't be looked at is told when it is read. */
        if (done && (stat(text_string(&path), &status) != 0 || S_ISREG(status.st_mode)))
            done = text_list_add(files, text_string(&path), path.length, e);
        text_free(&path);
    }
    if (done && errno != 0)
        done = err_at(e, &at, "cannot be read: %s", strerror(errno));
    closedir(open);
    if (done && files->count == first)
        return err_at(e, &at, "there is no .json document in this folder");
    if (files->count > first)
        qsort(files->item + first, files->count - first, sizeof files->item[0], by_name);
    return done;
}

/* Whether the file is a folder without documents, which sets the error. */
static bool is_bad_folder(const char *file, err *bad)
{
    text_list files = {0};
    bool is_bad = is_folder(file) && !add_folder(&files, file, bad);
    text_list_free(&files);
    return is_bad;
}

/* Lists the files in their order; for a folder its regular .json files by name, or, if it can't be
 * read, the folder itself. If no file is named: the file of --bundle, or else standard input, if
 * nothing else reads it and it is not a terminal. To be freed in any case. */
static bool list_files(const options *o, const env *world, const char *const *file, size_t count,
                       text_list *files, err *e)
{
    bool is_taken = world->stdin_is_terminal || text_list_find(&o->answers, "-") != NULL ||
                    (o->actual != NULL && strcmp(o->actual, "-") == 0);
    bool done = true;
    if (count == 0 && o->bundle != NULL)
        return text_list_add(files, o->bundle, strlen(o->bundle), e);
    if (count == 0)
        return is_taken ? err_set(e, "check: name the documents or folders to check")
                        : text_list_add(files, "-", 1, e);
    for (size_t i = 0; i < count && done; i++) {
        err bad = {0};
        if (is_folder(file[i]) && add_folder(files, file[i], &bad))
            continue;
        /* If a folder can't be read, the other files are checked all the same. */
        done = !bad.is_memory && text_list_add(files, file[i], strlen(file[i]), e);
        if (bad.is_memory)
            *e = bad;
    }
    return done;
}

/* ---- answers, and the documents that they are of ---- */

/* Which files are answers, and which document each is marked against. */
typedef struct check_class {
    text_list answers, documents;
    text_list name; /* of each document, empty where it has none or can't be read */
} check_class;

/* Reads all of a file, to tell what it is for. */
static bool glance(const options *o, const char *file, bundle *said, err *e)
{
    read_options how = read_options_of(o, file, DTYPE_F64);
    how.kind = KEY_EXPECTED;
    how.keeps_unread = how.allow_nonfinite = how.is_result = true;
    return input_read(o, file, &how, said, e) != NULL;
}

/* Whether the file holds answers. If it can't be read, that is not known, and `bad` says why. */
static bool is_answers(const options *o, const char *file, err *bad)
{
    bundle said = {0};
    if (strcmp(file, "-") == 0 || is_folder(file))
        return false;
    bool is_it = !glance(o, file, &said, bad);
    for (size_t i = 0; i < said.count && !is_it; i++) {
        const char *name = said.entry[i].name;
        size_t length = strlen(name);
        bool is_key = key_find(&STACK_DOCUMENT, name, length) != NULL;
        is_it = check_page_saves(name) ||
                (!is_key && (stage_names_have(NULL, name) || stack_may_have_stage(name, length)));
    }
    bundle_free(&said);
    return is_it;
}

/* Answers are the files and folders that --answers names. Of several operands, those are answers
 * that have what no document has: a stage that is not an input, or what a page saves about itself.
 * An operand that can't be read counts as answers too, unless no other can be the document. To be
 * freed in any case. */
static bool list_class(check_class *all, const options *o, const env *world, err *e)
{
    text_list answers = {0}, documents = {0};
    bool done = text_list_add_all(&answers, &o->answers, e);
    err unread = {0};
    *all = (check_class){0};
    for (size_t i = 0; i < o->operands && done; i++) {
        const char *file = o->operand[i];
        err bad = {0};
        text_list *to = o->operands > 1 && is_answers(o, file, &bad) ? &answers : &documents;
        unread = unread.is_set ? unread : bad;
        done = text_list_add(to, file, strlen(file), e);
    }
    if (done && documents.count == 0 && unread.is_set) {
        err_remedy(&unread, "none of the other operands is a document");
        *e = unread;
        done = false;
    }
    done = done &&
           list_files(o, world, (const char *const *)documents.item, documents.count,
                      &all->documents, e) &&
           list_files(o, world, (const char *const *)answers.item, answers.count, &all->answers, e);
    /* A pipe is read once, and of several documents the names are looked at first. */
    if (done && text_list_find(&all->documents, "-") != NULL &&
        all->documents.count + all->answers.count > 2) {
        if (all->documents.count > 1)
            err_set(e, "standard input is read once, and is one of %zu documents",
                    all->documents.count);
        else
            err_set(e, "standard input is read once, and %zu files of answers are marked by it",
                    all->answers.count);
        done = err_remedy(e, "name the document's file");
    }
    /* A single file needs no name. A file that can't be read is reported when it is checked. */
    const text_list *files = &all->documents;
    for (size_t i = 0; i < files->count && files->count > 1 && done; i++) {
        bundle said = {0};
        err bad = {0};
        glance(o, files->item[i], &said, &bad);
        const char *name = bundle_text(&said, "name");
        name = name == NULL ? "" : name;
        done = text_list_add(&all->name, name, strlen(name), e);
        bundle_free(&said);
    }
    text_list_free(&answers);
    text_list_free(&documents);
    return done;
}

/* The document that a file of answers names; the only document, if there is just one. NULL with the
 * error set if the answers name none of them. */
static char **document_of(const check_class *all, const char *answers, const options *o, err *e)
{
    const place at = {.file = descriptor_name(answers)};
    char **found = NULL;
    bundle said = {0};
    if (all->documents.count == 1)
        return all->documents.item;
    if (!glance(o, answers, &said, e))
        return NULL;
    const char *name = bundle_text(&said, CHECK_DOCUMENT);
    for (size_t i = 0; i < all->name.count && name != NULL && found == NULL; i++) {
        if (strcmp(all->name.item[i], name) == 0)
            found = &all->documents.item[i];
    }
    if (name == NULL) {
        err_at(e, &at, "it does not say which of %zu documents it answers", all->documents.count);
        err_remedy(e, "a page saves that as \"" CHECK_DOCUMENT "\"; or name one document");
    } else if (found == NULL) {
        err_at(e, &at, "it answers \"%s\", and none of %zu documents has that name", name,
               all->documents.count);
    }
    bundle_free(&said);
    return found;
}

/* The beginnings of lines about documents, and of errors. */
static const char WELL[] = "ok    ", FAILED[] = "FAIL  ", ERROR[] = "selfattn: ";

/* ---- the same lines in the Test Anything Protocol (testanything.org), version 13 ---- */

/* A # would begin a directive. */
static void add_test(text *out, size_t *tests, bool is_ok, const char *words, size_t length)
{
    text_add_format(out, "%s %zu - ", is_ok ? "ok" : "not ok", ++*tests);
    for (size_t i = 0; i < length; i++)
        text_add_format(out, words[i] == '#' || words[i] == '\\' ? "\\%c" : "%c", words[i]);
    text_add_string(out, "\n");
}

/* The error as on standard error, without its remedy. */
static void add_error(text *out, size_t *tests, const char *said)
{
    const char *where = said + strlen(ERROR);
    add_test(out, tests, false, where, strcspn(where, "\n"));
}

/* ---- one file ---- */

/* After a bad line the lines below it are still checked, as long as they have results. */
static bool check_documents(checker *c, document_reader *all, err *e)
{
    for (bool is_there = true; is_there;) {
        document one;
        err bad = {0};
        bool done = document_reader_next(all, &one, &is_there, &bad);
        if (c->actual != NULL && (!done || is_there))
            check_actual_step(c->actual);
        if (done && is_there) {
            one.file = one.file == NULL ? c->given->bundle : one.file;
            done = check_document(c, &one, &bad) || document_blame(&one, &bad);
            progress_document_done(c->world->progress);
            document_free(&one);
        }
        if (done)
            continue;
        bool has_result = c->actual == NULL || (c->actual->in.is_stream && c->actual->has_result);
        is_there = all->is_stream && !all->is_over && has_result;
        char said[ERR_TEXT];
        if (!is_there) {
            *e = bad;
        } else {
            text_add_string(&c->file.lines, err_text(&bad, said));
            c->file.passed_over++;
        }
    }
    return !e->is_set;
}

/* ---- the files, several at once ---- */

/* Files that a job takes before the first of them is written: enough that jobs seldom wait. */
enum { FILES_A_JOB = 16 };

typedef struct check_jobs {
    checker like; /* each of them, before its first file */
    const text_list *files;
    size_t at_once;      /* 1: a file after the other */
    size_t first, count; /* those at work */
    atomic_size_t next;  /* of these */
    checked_file *done;  /* what came of each */
} check_jobs;

/* Whether some of the file could not be checked. */
static bool checked_file_is_wrong(const checked_file *one)
{
    return one->bad.is_set || one->passed_over > 0;
}

static void checked_file_free(checked_file *one)
{
    text_free(&one->lines);
    text_free(&one->said);
    *one = (checked_file){0};
}

/* Checks all documents of a file, keeps what came of it, and resets the checker. */
static void check_one(const check_jobs *jobs, checker *c, size_t index)
{
    const char *file = jobs->files->item[jobs->first + index];
    const options *o = c->given;
    err *e = &c->file.bad;
    bool is_bundle_alone = o->operands == 0 && o->bundle != NULL;
    if (!is_bad_folder(file, e)) {
        options one_file = *o;
        one_file.operand = &file;
        one_file.operands = is_bundle_alone ? 0 : 1;
        document_reader all = {0};
        c->documents = &all;
        /* Published numbers come from a calculator; an exercise's are those that its page shows. */
        bool done = (!o->update || check_update_open(c, file, e)) &&
                    document_reader_open(&all, &one_file, &c->weights, c->world,
                                         o->answers.count > 0 ? DTYPE_F32 : DTYPE_F64, e);
        all.types_expected = true;
        all.read = o->update ? &c->update.old.read : NULL;
        check_update_end(c, done && check_documents(c, &all, e), e);
        document_reader_close(&all);
    }
    jobs->done[index] = c->file;
    c->file = (checked_file){0};
}

/* Each job checks one file at a time with one thread and a share of the memory. What it says waits
 * for the file's turn. */
static void take_files(void *context, size_t worker)
{
    check_jobs *jobs = context;
    (void)worker;
    for (size_t index; (index = atomic_fetch_add(&jobs->next, 1)) < jobs->count;) {
        checker c = jobs->like;
        env world = *c.world;
        options own = *c.given;
        own.max_memory /= jobs->at_once;
        c.given = &own;
        c.world = &world;
        text said = {0};
        world.said = &said;
        world.progress = NULL;
        world.processors = 1;
        check_one(jobs, &c, index);
        weights_input_close(&c.weights);
        text_ok(&said, &jobs->done[index].bad);
        jobs->done[index].said = said;
    }
}

/* ---- the command ---- */

typedef struct reporting {
    const options *given;
    env *world;
    sink out;
    check_marks marks;
    size_t failed;
    bool is_wrong; /* a document could not be checked */
    bool is_cut;   /* nor could those after it in its file, if there are any */
    err last;      /* the last error that was said */
    bool saw_layers;
    size_t tests; /* of --tap */
} reporting;

/* Reports an error of a file; with --tap it is a failed test too. */
static void say_error(reporting *r, const err *bad)
{
    char said[ERR_TEXT];
    if (r->given->tap)
        add_error(sink_text(&r->out), &r->tests, err_text(bad, said));
    report_error(r->world, bad);
    r->last = *bad;
}

/* The lines of a file, and what was said of it. */
static bool write_file(reporting *r, const checked_file *one, err *e)
{
    const options *o = r->given;
    text *to = sink_text(&r->out);
    bool is_shown = !one->is_taken_back &&
                    (o->tap || !(writes_marks(o) && strcmp(output_data_file(o), "-") == 0));
    bool is_error = false;
    r->failed += one->failed;
    r->is_wrong = r->is_wrong || checked_file_is_wrong(one);
    r->is_cut = r->is_cut || one->bad.is_set;
    r->saw_layers = r->saw_layers || one->saw_layers;
    progress_pause(r->world->progress);
    env_say(r->world, text_string(&one->said), one->said.length);
    /* --tap: a test a document, and one that fails for each that can't be checked. */
    for (size_t at = 0, length; at < one->lines.length; at += length) {
        const char *line = text_string(&one->lines) + at;
        bool is_well = strncmp(line, WELL, strlen(WELL)) == 0;
        bool begins_error = strncmp(line, ERROR, strlen(ERROR)) == 0;
        length = strcspn(line, "\n") + 1;
        is_error = begins_error || (is_error && line[0] == ' '); /* its remedy */
        if (is_error)
            env_say(r->world, line, length);
        if (begins_error && o->tap)
            add_error(to, &r->tests, line);
        if (is_error || !is_shown)
            continue;
        if (!o->tap)
            text_add(to, line, length);
        else if (is_well || strncmp(line, FAILED, strlen(FAILED)) == 0)
            add_test(to, &r->tests, is_well, line + strlen(WELL), length - strlen(WELL) - 1);
        else
            text_add_format(to, "# %.*s", (int)length, line);
    }
    if (one->bad.is_set)
        say_error(r, &one->bad);
    bool done = sink_spill(&r->out, e); /* no file's fault, and the end of all */
    progress_resume(r->world->progress);
    return done;
}

/* Writes the files in their order. Fails only if memory runs out or writing fails. */
static bool check_listed(reporting *r, const options *o, actual_result *actual,
                         const text_list *files, err *e)
{
    checker alone = {.given = o,
                     .world = r->world,
                     .weights = {.is_for = FOR_EITHER, .keeps_narrow = !o->differences},
                     .actual = actual,
                     .marks = &r->marks};
    check_jobs jobs = {.like = alone, .files = files};
    jobs.at_once = o->has_jobs && actual == NULL ? o->jobs : 1;
    size_t most = jobs.at_once > 1 ? jobs.at_once * FILES_A_JOB : 1;
    jobs.done = mem_alloc_zeroed(most, sizeof jobs.done[0], e);
    bool done = jobs.done != NULL;
    for (; done && jobs.first < files->count; jobs.first += jobs.count) {
        size_t left = files->count - jobs.first;
        jobs.count = left < most ? left : most;
        atomic_init(&jobs.next, 0);
        if (jobs.at_once > 1)
            threads_run(jobs.at_once < jobs.count ? jobs.at_once : jobs.count, take_files, &jobs);
        for (size_t i = 0; i < jobs.count; i++) {
            /* A file that needs more than its share of the memory is checked again, alone. */
            if (jobs.at_once > 1 && !checked_file_is_wrong(&jobs.done[i]))
                continue;
            checked_file_free(&jobs.done[i]);
            check_one(&jobs, &alone, i);
        }
        for (size_t i = 0; i < jobs.count; i++) {
            done = done && text_ok(&jobs.done[i].lines, e) && write_file(r, &jobs.done[i], e);
            checked_file_free(&jobs.done[i]);
        }
    }
    mem_free(jobs.done);
    weights_input_close(&alone.weights);
    return done;
}

/* Checks the documents against what they expect, or against another result. */
static bool check_all(reporting *r, err *e)
{
    options own = *r->given;
    actual_result actual = {0};
    text_list files = {0};
    err bad = {0};
    bool done = check_actual_open(&actual, r->given, r->world, e);
    if (own.actual != NULL)
        own.map = actual.map.of_bundle;
    done = done && list_files(&own, r->world, own.operand, own.operands, &files, e) &&
           check_listed(r, &own, own.actual == NULL ? NULL : &actual, &files, e);
    if (done && !r->is_cut && !check_actual_finish(&actual, &bad)) {
        r->is_wrong = true;
        report_error(r->world, &bad);
    }
    text_list_free(&files);
    check_actual_close(&actual);
    return done;
}

/* Marks all files of answers. One that can't be marked does not stop the others. */
static bool mark_class(reporting *r, err *e)
{
    check_class all;
    bool done = list_class(&all, r->given, r->world, e);
    /* Without memory the others can't be marked either. */
    for (size_t i = 0; i < all.answers.count && done && !r->last.is_memory; i++) {
        options own = *r->given;
        text_list only = {.count = 1};
        actual_result actual = {0};
        err bad = {0};
        own.answers = (text_list){.item = &all.answers.item[i], .count = 1};
        if (!is_bad_folder(own.answers.item[0], &bad))
            only.item = document_of(&all, own.answers.item[0], &own, &bad);
        char said[ERR_TEXT];
        size_t before = r->marks.file.count;
        if (only.item != NULL && check_actual_open(&actual, &own, r->world, &bad)) {
            done = check_listed(r, &own, &actual, &only, e);
        } else {
            r->is_wrong = true;
            say_error(r, &bad);
        }
        if (done && !r->last.is_memory && r->marks.file.count == before) {
            err_text(&r->last, said);
            said[strcspn(said, "\n")] = '\0'; /* without the remedy */
            done = check_marks_add_bad(&r->marks, descriptor_name(own.answers.item[0]),
                                       said + strlen(ERROR), e);
        }
        check_actual_close(&actual);
    }
    text_list_free(&all.answers);
    text_list_free(&all.documents);
    text_list_free(&all.name);
    return done;
}

int command_check(const options *o, env *world, err *e)
{
    reporting r = {.given = o, .world = world};
    progress shown;
    progress_start(&shown, o, world);
    bool done = check_options(o, e) && tolerances_check(o, NULL, e) && sink_open(&r.out, "-", e);
    if (done && o->tap)
        text_add_string(sink_text(&r.out), "TAP version 13\n");
    done = done && (o->answers.count > 0 ? mark_class(&r, e) : check_all(&r, e));
    if (o->tap)
        text_add_format(sink_text(&r.out), "1..%zu\n", r.tests);
    progress_stop(world);
    if (done && r.failed > 0 && o->actual != NULL && !o->why && !o->differences && !o->tap)
        note_say(world, o, NULL, "--why looks for the mistake that gives these numbers");
    /* If no document had layers, --tol can't name a stage of layers. */
    bool is_known = r.saw_layers || r.is_wrong || tolerances_check(o, &(text_list){0}, e);
    done = done && sink_close(&r.out, e) && is_known &&
           (!writes_marks(o) || check_marks_write(&r.marks, o, e));
    sink_discard(&r.out);
    check_marks_free(&r.marks);
    if (!done)
        return EXIT_WRONG;
    return r.is_wrong ? EXIT_WRONG : r.failed > 0 ? EXIT_DIFFER : EXIT_DONE;
}
