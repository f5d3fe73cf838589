/* Where outputs go, and in which format they are written, as options and endings say it. */
#ifndef SELFATTN_CLI_OUT_OUTPUT_FILE_H
#define SELFATTN_CLI_OUT_OUTPUT_FILE_H

#include "cli/line/env.h"
#include "cli/line/options.h"
#include "io/format.h"
#include "render/renderer.h"

/* Refuses what takes so many bytes at least, where that is over a tenth of the disk that is free
 * there, which is hardly meant. `less` says how to get less; --force writes it all the same. */
bool output_check_disk(const char *file, const char *what, size_t bytes, const char *less,
                       const options *o, err *e);
/* Refuses an ending of what is never written (a PDF, a document of an office): of a picture, and of
 * results and a trace whose format is not said. */
bool output_check_endings(const options *o, unsigned groups, err *e);

/* Where the data go, "-" is standard output; whether a trace is asked for, where that goes, and who
 * renders it. */
const char *output_data_file(const options *o);
bool output_has_trace(const options *o);
const char *output_trace_file(const options *o);
const renderer *output_renderer(const options *o);

/* Whether what goes to this file is in colour. */
bool output_uses_color(const options *o, const env *world, const char *file);

/* How results are written, as options say it. */
write_options output_how(const options *o, const format *f);

/* Of the result in `file` ("-" is standard output): --format's, else that of its ending. NULL:
 * neither says one. */
const format *output_format_said(const options *o, const char *file);
/* The same, or where neither says one the usual one. */
const format *output_format_or(const options *o, const char *file, const char *usual);

/* Bytes that so many numbers take at least: in text, each one digit and what parts it from the
 * next. SIZE_MAX where they are more than an address can count. */
size_t output_format_bytes(const format *f, size_t count, dtype type);

#endif
