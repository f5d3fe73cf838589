/* In which format an output is written, whoever writes it. */
#ifndef SELFATTN_CLI_OUT_OUTPUT_FORMAT_H
#define SELFATTN_CLI_OUT_OUTPUT_FORMAT_H

#include "cli/line/options.h"
#include "io/format.h"

/* Of the result in `file` ("-" is standard output): --format's, else that of its ending. NULL:
 * neither says one. */
const format *output_format_said(const options *o, const char *file);
/* Of a file of --write: that of its own ending, else what is said of the result. */
const format *output_format_written(const options *o, const char *file);

/* Bytes that so many numbers take at least: in text, each one digit and what parts it from the
 * next. SIZE_MAX where they are more than an address can count. */
size_t output_format_bytes(const format *f, size_t count, dtype type);

#endif
