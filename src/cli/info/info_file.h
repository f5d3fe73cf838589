/* One file as `info` sees it, and what it says of it. */
#ifndef SELFATTN_CLI_INFO_INFO_FILE_H
#define SELFATTN_CLI_INFO_INFO_FILE_H

#include "attn/plan/plan.h"
#include "cli/info/facts.h"
#include "cli/tell.h"
#include "io/format.h"
#include "tensor/statistics.h"
#include "model/stack.h"

/* ---- a file ---- */

typedef enum info_kind {
    INFO_ANYTHING, /* matrices, or JSON of any kind */
    INFO_DOCUMENT, /* all its keys are those of a problem document */
    INFO_LAYERS,   /* the same of a document of layers, and it has some */
    INFO_RESULT    /* all its entries are stages */
} info_kind;

typedef struct info_file {
    const char *file; /* as messages call it */
    const char *only; /* the name of what alone is told; NULL: all is */
    const format *format;
    size_t bytes;
    size_t documents; /* of a stream */
    fact root;
    info_kind kind;
    /* What a document asks for, once its defaults are filled in: found by planning it, computing
     * nothing. */
    bool is_asked; /* else it asks for nothing, as weights of queries alone do */
    err trouble;   /* set: it can't be computed, and this is why; the rest is then unknown */
    bundle contents;
    problem problem; /* of INFO_DOCUMENT, as the next three */
    bool has_inputs; /* else there are weights only, and sizes are told for any number of tokens */
    tensor token;    /* that they are planned for */
    plan plan;
    stack stack; /* of INFO_LAYERS */
} info_file;

/* Lines for a person, or one for a machine, whose shape is told in the manual. `error` is set for a
 * file that could not be read, of which a machine is told the name. */
void info_tell(teller *t, const info_file *of, const err *error);

#endif
