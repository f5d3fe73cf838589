/* Where a run's results go: which stages, into which files, in which format. Decided from the
 * options before anything is read; files are opened when the first result is ready. */
#ifndef SELFATTN_CLI_OUT_OUTPUTS_H
#define SELFATTN_CLI_OUT_OUTPUTS_H

#include "cli/run/work.h"
#include "io/format.h"
#include "render/renderer.h"

/* ---- where one of them goes, and as what, as options and endings say it ---- */

/* Refuses what takes so many bytes at least, where that is over a tenth of the disk that is free
 * there, which is hardly meant. `less` says how to get less; --force writes it all the same. */
bool output_check_disk(const char *file, const char *what, size_t bytes, const char *less,
                       const options *o, err *e);
/* Refuses an ending of what is never written (a PDF, a document of an office): of a picture, and of
 * results and a trace whose format is not said. */
bool output_check_endings(const options *o, unsigned groups, err *e);

/* Where the data go, "-" is standard output; where a trace that is asked for goes, and who renders
 * it. */
const char *output_data_file(const options *o);
const char *output_trace_file(const options *o);
const renderer *output_renderer(const options *o);
/* Refuses a trace that would be larger than is of use in the format that it will be written in. */
bool output_fits(const options *o, const trace *t, err *e);

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

/* ---- all of them ---- */

/* One file, or standard output ("-"), that results of all documents go to. */
typedef struct output_file {
    const char *what; /* as messages call it */
    const char *file; /* NULL: no trace, or no picture, is asked for */
    sink sink;
    bool is_open;
    bool ending_decides; /* on its format, whatever --format says */
    size_t results;      /* written so far */
} output_file;

/* One of them: the data, or a --write. */
typedef struct output {
    output_file to;
    text_list stages; /* names, in which * stands for anything; none: those of the work's kind */
    const format *format; /* that is said, by an option or an ending; NULL: by the input */
} output;

typedef struct outputs {
    const options *given;
    const document_reader *documents;
    size_t threads; /* that may format numbers */
    bool traces, draws;
    bool tells;      /* the data are the tokens of a generation, written as they come */
    bool is_telling; /* those of this document are begun */
    output *output;  /* the data, where there are any, then one a --write in their order */
    size_t count;
    output_file trace, picture;
} outputs;

bool outputs_plan(outputs *to, const options *o, err *e);
/* Wants what is written, whole or row by row as its writers can have it; or listens to it. Refuses
 * a trace, or a picture, that can't be shown as options say. */
bool outputs_want(outputs *to, work *w, err *e);
/* Draws the weights of a run, all heads of them, and of layers all that have some. */
bool outputs_draw(const outputs *to, const trace *of, const env *world, text *out, err *e);
/* Opens every file before the first byte is written anywhere. */
bool outputs_open(outputs *to, err *e);
/* Writes the trace, the stages, and what was drawn. */
bool outputs_write(outputs *to, work *w, const text *drawn, const env *world, err *e);
/* Writes {"error": …} in the place of a document's result: --keep-going. */
bool outputs_write_error(outputs *to, const document *one, const err *bad, err *e);

/* Whether results are JSON for one file and nothing else, so that they can be made apart, and put
 * together as text. */
bool outputs_are_text(const outputs *to);
/* The same outputs, for one of several threads: results go to a text, outputs_text. To be freed by
 * outputs_free_memory in any case. */
bool outputs_open_memory(outputs *to, const outputs *as, err *e);
text *outputs_text(outputs *in_memory);
void outputs_free_memory(outputs *in_memory);
/* Writes results that were made in memory. */
bool outputs_put(outputs *to, const char *bytes, size_t length, err *e);

/* What was written goes to standard output, or a pipe, now. */
bool outputs_flush(outputs *to, err *e);
/* Puts all files in their places, or, where the run was not done, removes what was begun. */
bool outputs_close(outputs *to, bool done, err *e);

#endif
