/* Where a run's results go: which stages, into which files, in which format (DESIGN §3). Decided
 * from the options before anything is read; files are opened when the first result is ready. */
#ifndef SELFATTN_CLI_OUTPUTS_H
#define SELFATTN_CLI_OUTPUTS_H

#include "cli/document.h"
#include "cli/output_file.h"
#include "cli/solve.h"

typedef struct outputs {
    const options *given;
    const documents *documents;
    size_t threads; /* that may format numbers */
    bool traces, draws, has_data;
    stage_id stage[STAGE_COUNT]; /* all that is written anywhere */
    size_t stages;
    stage_id emitted[STAGE_COUNT];
    size_t emitted_count;
    output_file data, trace, picture;
    output_file *written; /* one a --write, in their order */
    stage_id *written_stage;
    size_t written_count;
    const format *format; /* --format's, else -o's; NULL: by the input */
} outputs;

bool outputs_plan(outputs *to, const options *o, err *e);
/* What the options ask of a result that this document can't give. */
bool outputs_check(const outputs *to, const plan *p, err *e);
/* Wants what is written, whole or row by row as its writers can have it. */
bool outputs_want(const outputs *to, solution *s, const document *one, err *e);
/* Opens every file before the first byte is written anywhere. */
bool outputs_open(outputs *to, err *e);
bool outputs_write(outputs *to, solution *s, const document *one, err *e);
bool outputs_write_picture(outputs *to, const text *drawn, err *e);
/* Writes {"error": …} in the place of a document's result: --keep-going. */
bool outputs_write_error(outputs *to, const document *one, const err *bad, err *e);

/* Whether results are JSON for one file and nothing else, so that they can be made apart, and put
 * together as text. */
bool outputs_are_text(const outputs *to);
/* The same outputs, for one of several threads: results go to a text, outputs_text. Freed by
 * outputs_free_memory. */
outputs outputs_in_memory(const outputs *to);
text *outputs_text(outputs *in_memory);
void outputs_free_memory(outputs *in_memory);
/* Writes results that were made in memory. */
bool outputs_put(outputs *to, const char *bytes, size_t length, err *e);

/* What was written goes to standard output, or a pipe, now. */
bool outputs_flush(outputs *to, err *e);
/* Puts all files in their places, or, where the run was not done, removes what was begun. */
bool outputs_close(outputs *to, bool done, err *e);

#endif
