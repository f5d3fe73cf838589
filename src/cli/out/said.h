/* Notes and errors on standard error, and the words that check and diff name documents and numbers
 * with. */
#ifndef SELFATTN_CLI_OUT_SAID_H
#define SELFATTN_CLI_OUT_SAID_H

#include "attn/engine/compare.h"
#include "attn/engine/run.h"
#include "cli/in/document.h"

#include <pthread.h>

/* ---- notes: lines that --quiet leaves out ---- */

/* Says a note. It begins with the file and the line of `at`, where that has any; NULL: with
 * none. */
void note_say(const env *world, const options *o, const place *at, const char *said, ...)
    __attribute__((format(printf, 4, 5)));

/* Says each line as a note, and frees the text. */
bool note_say_lines(const env *world, const options *o, text *lines, err *e);

/* Notes how many of all `rows` have nothing to attend to, if any. */
void note_empty_rows(const env *world, const options *o, const place *at, const run_report *of,
                     const char *rows);

/* Notes that not all threads could be started, if so. */
void note_missing_threads(const env *world, const options *o, const place *at, size_t ran,
                          size_t asked);

/* Notes that a table begins with a row of 0, 1, 2, … above numbers with fractions. pandas writes
 * such a row above columns without names; it may be data as well, and is read as data. */
void note_index_header(const env *world, const options *o, const entry *matrix);

/* ---- errors, and lines of check and diff ---- */

void report_error(const env *world, const err *e);

/* Adds the shortest text that reads back, or for a hole that it is none. */
void report_number(text *out, double value);
/* The same for a float32, where it is one. */
void report_number_as(text *out, double value, bool is_f32);
/* Adds a difference, of which only the size matters, with three digits. */
void report_rough(text *out, double value);

/* Adds the document's name, or else its file's. */
void report_name(text *out, const document *one);
/* Adds the file, in a stream the line, and the name if there is one: "golden.jsonl:3 (the
 * name)". */
void report_document(text *out, const document *one);

/* "weights[query 1, key 2]: expected 0.5, computed 0.46831, apart by 3.17e-02" */
void report_numbers(text *out, const element *one, const char *wanted_name, const char *got_name);

/* The same, and " (tol 5e-06)". */
void report_element(text *out, const element *one, const char *wanted_name, const char *got_name);

#endif
