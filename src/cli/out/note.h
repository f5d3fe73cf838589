/* What a person is told besides the result: a line on standard error, which --quiet leaves out. */
#ifndef SELFATTN_CLI_OUT_NOTE_H
#define SELFATTN_CLI_OUT_NOTE_H

#include "attn/engine/run.h"
#include "cli/line/env.h"
#include "cli/line/options.h"

/* The note names its document, but for the only one, read from standard input or made of options,
 * and where `at` is NULL. */
void note_say(const env *world, const options *o, const place *at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A note a line. */
void note_say_lines(const env *world, const options *o, const char *lines);

/* Some of all `rows` have nothing to attend to. */
void note_empty_rows(const env *world, const options *o, const place *at, const run_report *of,
                     const char *rows);

/* Where not all of the threads could be started. */
void note_missing_threads(const env *world, const options *o, const place *at, size_t ran,
                          size_t asked);

/* A first row of 0, 1, 2, … in a table, above rows of numbers with fractions: pandas writes one
 * above columns that have no names. It may be data as well, and is read as such; but not without a
 * word. */
void note_index_header(const env *world, const options *o, const entry *matrix);

#endif
