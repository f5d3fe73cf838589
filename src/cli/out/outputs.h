/* Where a run's results go: which stages, into which files, in which format.
 *
 * The options decide that before anything is read. Files are opened when the first result is ready,
 * and appear when all documents are done. */
#ifndef SELFATTN_CLI_OUT_OUTPUTS_H
#define SELFATTN_CLI_OUT_OUTPUTS_H

#include "cli/run/work.h"
#include "io/format.h"
#include "render/renderer.h"

/* ---- one output: its file and format, by options and endings ---- */

/* Refuses to write so many bytes if they are more than a tenth of the free disk: that is hardly
 * meant. `what` is written; `less` is the remedy that makes it smaller. --force allows it. */
bool output_check_disk(const char *file, const char *what, size_t bytes, const char *less,
                       const options *o, err *e);
/* Refuses files whose ending names a format that is never written, such as a PDF: the picture, and
 * results and trace unless an option says their format. */
bool output_check_endings(const options *o, unsigned groups, err *e);

/* The file of the data ("-" is standard output), and what renders the trace. */
const char *output_data_file(const options *o);
const renderer *output_renderer(const options *o);
/* Whether the traces of all documents are one page: those that are named stand side by side. A
 * stream does not say how many it will have, and is one page only with --chain. */
render_binding output_binding(const options *o);
/* Refuses a trace that would be larger than its format is of use for. */
bool output_fits(const options *o, const trace *t, err *e);

/* Whether colour is written to this file. */
bool output_uses_color(const options *o, const env *world, const char *file);

/* How results are written, as options say it. */
write_options output_how(const options *o, const format *f);

/* The format of the result in `file` ("-" is standard output): --format's, else the ending's; NULL
 * where neither says one. */
const format *output_format_said(const options *o, const char *file);
/* The same, but `usual` where neither says one. */
const format *output_format_or(const options *o, const char *file, const char *usual);

/* The least number of bytes that so many numbers take; in text, a digit and a separator each.
 * SIZE_MAX where a size can't say it. */
size_t output_format_bytes(const format *f, size_t count, dtype type);

/* ---- all outputs of a command ---- */

/* A file, or standard output ("-"), that gets the results of all documents. */
typedef struct output_file {
    const char *what; /* as messages call it */
    const char *file; /* NULL: nothing is written */
    sink sink;
    bool is_open;
    bool ending_decides; /* the ending gives the format, whatever --format says */
    size_t results;      /* written so far */
} output_file;

/* The data, or what a --write writes. */
typedef struct output {
    output_file to;
    text_list stages; /* names, in which * stands for anything; none: the defaults of the kind */
    keeper wanted;    /* by these names, or the defaults, of the document that is at work */
    const format *format; /* as an option or an ending says it; NULL: the input decides */
} output;

typedef struct outputs {
    const options *given;
    const document_reader *documents;
    size_t threads; /* so many may format numbers */
    bool traces, draws;
    bool tells;      /* the data are the tokens of a generation, written as they come */
    bool is_telling; /* some tokens of this document are written */
    output *output;  /* the data, if there are any, then each --write in order */
    size_t count;
    output_file trace, picture;
} outputs;

bool outputs_plan(outputs *to, const options *o, err *e);
/* Tells the work which stages to keep, whole or row by row as the formats can take them, or listens
 * to its tokens. Refuses a trace or a picture that can't be made as the options say. */
bool outputs_want(outputs *to, work *w, err *e);
/* Whether a picture is of gradients: --emit names some. */
bool picture_is_of_gradients(const options *o);
/* Draws the weights of all heads, in layers those of every layer; or gradients. */
bool outputs_draw(const outputs *to, const trace *of, const env *world, text *out, err *e);
/* Opens every file before the first byte is written anywhere. */
bool outputs_open(outputs *to, err *e);
/* Writes the trace, the stages, and what was drawn. */
bool outputs_write(outputs *to, work *w, const text *drawn, const env *world, err *e);
/* For --keep-going: writes {"error": …} in place of a document's result. */
bool outputs_write_error(outputs *to, const document *one, const err *bad, err *e);

/* Whether all results are JSON for one file: then threads can make them as texts, which are put
 * together. */
bool outputs_are_text(const outputs *to);
/* The same outputs for one such thread, whose results go to the text outputs_text. To be freed by
 * outputs_free_memory, also where this fails. */
bool outputs_open_memory(outputs *to, const outputs *as, err *e);
text *outputs_text(outputs *in_memory);
void outputs_free_memory(outputs *in_memory);
/* Writes results that were made so. */
bool outputs_put(outputs *to, const char *bytes, size_t length, err *e);

/* Writes what is pending to standard output and pipes now. */
bool outputs_flush(outputs *to, err *e);
/* Puts all files in their places; with `done` false, removes what was written. */
bool outputs_close(outputs *to, bool done, err *e);

#endif
