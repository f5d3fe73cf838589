/* A file as the command info sees it, and the report about it. */
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
    INFO_RESULT,   /* all its entries are stages */
    INFO_MODEL     /* a folder with a model */
} info_kind;

typedef struct info_file {
    const char *file; /* as messages call it */
    const char *only; /* the only entry that is told of; NULL: all are */
    const format *format;
    size_t bytes;
    size_t documents; /* of a stream */
    fact root;
    info_kind kind;
    /* What a document asks for, with its defaults: it is planned, but not computed. */
    bool is_asked; /* false: it asks for nothing, as query weights alone do */
    err trouble;   /* if set, why it can't be computed; then the rest is unknown */
    bundle contents;
    problem problem; /* of INFO_DOCUMENT, as the next three */
    bool has_inputs; /* false: weights alone, and sizes are told for any number of tokens */
    tensor token;    /* the input that weights alone are planned with */
    plan plan;
    stack stack;  /* of INFO_LAYERS and INFO_MODEL */
    size_t files; /* of a model, */
    text says;    /* and what config.json says of it */
} info_file;

/* Tells lines of words, or one line of JSON, whose shape is in the manual. `error` is set for a
 * file that could not be read: then JSON has its name. */
void info_tell(teller *t, const info_file *of, const err *error);

#endif
