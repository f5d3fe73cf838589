/* The files of check, several at once where --jobs says so, and handed back in their order. */
#ifndef SELFATTN_CLI_CHECK_CHECK_JOBS_H
#define SELFATTN_CLI_CHECK_CHECK_JOBS_H

#include "cli/check/check_document.h"
#include "cli/check/check_files.h"

/* What came of one file. */
typedef struct checked_file {
    const char *file;
    text lines;
    char *said; /* notes for standard error, where they had to wait; or NULL */
    size_t failed;
    bool saw_layers;
    checked_errors passed_over;
    err bad; /* that ended the file */
} checked_file;

/* Whether not all of it could be checked. */
bool checked_file_is_wrong(const checked_file *one);

typedef struct check_jobs {
    const options *given;
    env *world;
    const check_files *files;
    size_t at_once;      /* jobs, 1: none */
    size_t taken, first; /* files that were begun; the first in `done` */
    checker alone;       /* without --jobs */
    actual_result *actual;
    checked_file *done; /* some files from `first` on */
    size_t count, handed, most;
} check_jobs;

void check_jobs_open(check_jobs *jobs, const options *o, env *world, actual_result *actual,
                     const check_files *files);
/* The next file, until the next call; NULL after the last. Fails for want of memory. */
bool check_jobs_next(check_jobs *jobs, const checked_file **one, err *e);
void check_jobs_close(check_jobs *jobs);

#endif
