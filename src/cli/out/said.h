/* What a person is told besides the result: notes and errors on standard error, what check and diff
 * say, a line a document, and how far a long piece of work is. */
#ifndef SELFATTN_CLI_OUT_SAID_H
#define SELFATTN_CLI_OUT_SAID_H

#include "attn/engine/compare.h"
#include "attn/engine/run.h"
#include "cli/in/document.h"

#include <pthread.h>

/* ---- notes: lines that --quiet leaves out ---- */

/* The note names its document, but for the only one, read from standard input or made of options,
 * and where `at` is NULL. */
void note_say(const env *world, const options *o, const place *at, const char *said, ...)
    __attribute__((format(printf, 4, 5)));

/* A note a line; they are taken. */
bool note_say_lines(const env *world, const options *o, text *lines, err *e);

/* Where some of all `rows` have nothing to attend to. */
void note_empty_rows(const env *world, const options *o, const place *at, const run_report *of,
                     const char *rows);

/* Where not all of the threads could be started. */
void note_missing_threads(const env *world, const options *o, const place *at, size_t ran,
                          size_t asked);

/* A first row of 0, 1, 2, … in a table, above rows of numbers with fractions: pandas writes one
 * above columns that have no names. It may be data as well, and is read as such; but not without a
 * word. */
void note_index_header(const env *world, const options *o, const entry *matrix);

/* ---- errors, and lines of check and diff ---- */

void report_error(const env *world, const err *e);

/* The shortest that reads back; of a hole, that it is none. */
void report_number(text *out, double value);
/* The same of float32, where it is one. */
void report_number_as(text *out, double value, bool is_f32);
/* Differences are read by their size: three digits say it. */
void report_rough(text *out, double value);

/* The name of a document, or its file's. */
void report_name(text *out, const document *one);
/* "golden.jsonl:3 (the name)": its file, the line of a stream, and the name where it has one. */
void report_document(text *out, const document *one);

/* "weights[query 1, key 2]: expected 0.5, computed 0.46831, apart by 3.17e-02" */
void report_numbers(text *out, const element *one, const char *wanted_name, const char *got_name);

/* The same, and " (tol 5e-06)". */
void report_element(text *out, const element *one, const char *wanted_name, const char *got_name);

#endif
