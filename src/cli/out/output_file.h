/* One file, or standard output ("-"), that results of all documents go to. */
#ifndef SELFATTN_CLI_OUT_OUTPUT_FILE_H
#define SELFATTN_CLI_OUT_OUTPUT_FILE_H

#include "cli/in/document.h"
#include "io/format.h"

typedef struct output_file {
    const char *file;
    sink sink;
    bool is_open;
    bool ending_decides; /* on its format, whatever --format says */
    size_t results;      /* written so far */
} output_file;

/* A file of --write. */
output_file output_file_written(const char *file);

/* Opens it, where it is not open yet. */
bool output_file_open(output_file *to, err *e);
/* Puts it in its place, or, where the run was not done, removes what was begun. */
bool output_file_close(output_file *to, bool done, err *e);
/* What was written goes to standard output, or a pipe, now. */
bool output_file_flush(output_file *to, err *e);

/* What a picture or a trace is rendered into, after a free line where it is not the first. */
sink *output_file_next(output_file *to);
/* Writes one that was rendered. */
bool output_file_write(output_file *to, const text *rendered, err *e);

/* Whether the format is JSON, in which a file may hold any number of results. */
bool output_is_json(const format *f);
/* The remedy where one result of several, or an error in its place, would not fit. */
bool output_file_advise_lines(const output_file *to, err *e);
/* Refuses a result after another, of so many documents, where the format holds one. */
bool output_file_check_holds(const output_file *to, const format *f, size_t files, err *e);
/* Refuses two outputs, named by what they are, in one file. */
bool output_check_apart(const char *what, const char *file, const char *other,
                        const char *other_file, err *e);
/* Refuses what takes so many bytes at least, where that is over a tenth of the disk that is free
 * there, which is hardly meant. `less` says how to get less; --force writes it all the same. */
bool output_check_disk(const char *file, const char *what, size_t bytes, const char *less,
                       const options *o, err *e);
/* Refuses an ending of what is never written (a PDF, a document of an office): of a picture, and of
 * results and a trace whose format is not said. */
bool output_check_endings(const options *o, unsigned groups, err *e);
/* Refuses options that speak of data, where `taker` takes standard output from them. */
bool output_check_unsaid(const char *taker, const options *o, err *e);

/* Where the data go, "-" is standard output; whether a trace is asked for, and where that goes. */
const char *output_data_file(const options *o);
bool output_has_trace(const options *o);
const char *output_trace_file(const options *o);

/* Whether what goes to this file is in colour. */
bool output_uses_color(const options *o, const env *world, const char *file);

/* How results are written, as options say it. */
write_options output_how(const options *o, const format *f);

/* ---- in which format an output is written, whoever writes it ---- */

/* Of the result in `file` ("-" is standard output): --format's, else that of its ending. NULL:
 * neither says one. */
const format *output_format_said(const options *o, const char *file);
/* The same, or where neither says one the usual one. */
const format *output_format_or(const options *o, const char *file, const char *usual);
/* Of a file of --write: that of its own ending, else what is said of the result. */
const format *output_format_written(const options *o, const char *file);

/* Bytes that so many numbers take at least: in text, each one digit and what parts it from the
 * next. SIZE_MAX where they are more than an address can count. */
size_t output_format_bytes(const format *f, size_t count, dtype type);

#endif
