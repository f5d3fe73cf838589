/* selfattn check: compute documents, and compare with what they expect. */
#include "cli/check/check_actual.h"
#include "cli/check/check_files.h"
#include "cli/check/check_jobs.h"
#include "cli/command.h"
#include "cli/in/weights_input.h"
#include "cli/out/progress.h"
#include "cli/out/report.h"
#include "cli/run/generation_solve.h"
#include "cli/line/tolerances.h"
#include "io/sink.h"

#include <string.h>

/* With --actual, --map may speak of its names. */
static bool check_bundle(const options *o, err *e)
{
    options unmapped = *o;
    if (o->actual != NULL)
        unmapped.map = (text_list){0};
    return weights_input_check(&unmapped, e);
}

/* Options that can't be had together. */
static bool check_options(const options *o, err *e)
{
    const char *other = o->actual != NULL ? "actual" : o->update ? "update" : o->why ? "why" : NULL;
    if (o->answers != NULL && other != NULL)
        return err_set(e, "--answers marks an exercise, and --%s is about other numbers", other);
    if (o->has_digits && o->answers == NULL)
        return err_set(e, "--digits says how exact answers must be, and --answers are not given");
    if (o->update && o->actual != NULL)
        return err_set(e, "--update records what is computed, and --actual names another result");
    if (o->update && o->bundle != NULL)
        return err_set(e, "--update records what documents alone give, and --bundle is given");
    return check_bundle(o, e) && generation_check_seed(o, e);
}

typedef struct outcome {
    size_t failed;
    bool is_wrong; /* a document could not be checked */
    bool is_cut;   /* nor could those after it in its file, if there are any */
    bool saw_layers;
    size_t tests; /* of --tap */
} outcome;

/* ---- the same lines in the Test Anything Protocol (testanything.org), version 13 ---- */

/* A # would begin a directive. */
static void add_test(text *out, size_t *tests, bool is_ok, const char *words, size_t length)
{
    text_add_format(out, "%s %zu - ", is_ok ? "ok" : "not ok", ++*tests);
    for (size_t i = 0; i < length; i++)
        text_add_format(out, words[i] == '#' || words[i] == '\\' ? "\\%c" : "%c", words[i]);
    text_add_string(out, "\n");
}

static void add_tests(text *out, size_t *tests, const char *lines, size_t length)
{
    enum { SKIPPED = sizeof "FAIL  " - 1 };
    for (const char *end = lines + length; lines < end;) {
        size_t of_line = strcspn(lines, "\n");
        bool is_ok = strncmp(lines, "ok    ", SKIPPED) == 0;
        if (is_ok || strncmp(lines, "FAIL  ", SKIPPED) == 0)
            add_test(out, tests, is_ok, lines + SKIPPED, of_line - SKIPPED);
        else
            text_add_format(out, "# %.*s\n", (int)of_line, lines);
        lines += of_line + (lines[of_line] == '\n');
    }
}

/* What standard error has of it, without the remedy. */
static void add_error(text *out, size_t *tests, const char *said)
{
    const char *where = strchr(said, ' ') + 1;
    add_test(out, tests, false, where, strcspn(where, "\n"));
}

/* A test a document, and one that fails for each that can't be checked. */
static void add_file(text *out, size_t *tests, const checked_file *one)
{
    const char *lines = text_string(&one->lines);
    size_t at = 0;
    for (size_t i = 0; i < one->passed_over.count; i++) {
        const checked_error *error = &one->passed_over.one[i];
        add_tests(out, tests, lines + at, error->after - at);
        add_error(out, tests, error->said);
        at = error->after;
    }
    add_tests(out, tests, lines + at, one->lines.length - at);
    char last[ERR_TEXT];
    if (one->bad.is_set)
        add_error(out, tests, err_text(&one->bad, last));
}

/* ---- the command ---- */

/* The lines of a file, and what was said of it. */
static bool write_file(const options *o, env *world, const checked_file *one, sink *out,
                       outcome *all, err *e)
{
    text *to = sink_text(out);
    all->failed += one->failed;
    all->is_wrong = all->is_wrong || checked_file_is_wrong(one);
    all->is_cut = all->is_cut || one->bad.is_set;
    all->saw_layers = all->saw_layers || one->saw_layers;
    progress_pause(world->progress);
    if (one->said != NULL)
        fputs(one->said, world->err);
    if (o->tap)
        add_file(to, &all->tests, one);
    else if (one->lines.length > 0)
        text_add(to, text_string(&one->lines), one->lines.length);
    for (size_t i = 0; i < one->passed_over.count; i++)
        fputs(one->passed_over.one[i].said, world->err);
    if (one->bad.is_set)
        report_error(world, &one->bad);
    bool done = sink_spill(out, e); /* no file's fault, and the end of all */
    progress_resume(world->progress);
    return done;
}

static bool check_all(const options *o, env *world, actual_result *actual, sink *out, outcome *all,
                      err *e)
{
    check_files files = {0};
    check_jobs jobs;
    const checked_file *one;
    bool done = check_files_list(o, world, &files, e) && sink_open(out, "-", e);
    check_jobs_open(&jobs, o, world, actual, &files);
    if (o->tap)
        text_add_string(sink_text(out), "TAP version 13\n");
    while (done && (done = check_jobs_next(&jobs, &one, e)) && one != NULL)
        done = write_file(o, world, one, out, all, e);
    if (o->tap)
        text_add_format(sink_text(out), "1..%zu\n", all->tests);
    check_jobs_close(&jobs);
    check_files_free(&files);
    return done;
}

int command_check(const options *o, env *world, err *e)
{
    outcome all = {0};
    sink out = {0};
    actual_result actual = {0};
    progress shown;
    progress_start(&shown, o, world);
    bool done = check_options(o, e) && tolerances_check(o, NULL, e) &&
                check_actual_open(&actual, o, world, e);
    options own = *o;
    if (o->actual != NULL)
        own.map = actual.map.of_bundle;
    done = done &&
           check_all(&own, world, check_actual_file(o) == NULL ? NULL : &actual, &out, &all, e);
    progress_stop(world);
    /* Without layers, a stage of layers that --tol names is none. */
    bool is_known = all.saw_layers || all.is_wrong || tolerances_check(o, &(text_list){0}, e);
    done =
        done && sink_close(&out, e) && is_known && (all.is_cut || check_actual_finish(&actual, e));
    sink_discard(&out);
    check_actual_close(&actual);
    if (!done)
        return EXIT_WRONG;
    return all.is_wrong ? EXIT_WRONG : all.failed > 0 ? EXIT_DIFFER : EXIT_DONE;
}
