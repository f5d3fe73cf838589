/* One file as `info` sees it, and the two ways of saying it. */
#ifndef SELFATTN_CLI_INFO_INFO_FILE_H
#define SELFATTN_CLI_INFO_INFO_FILE_H

#include "cli/info/attention_facts.h"
#include "cli/info/facts.h"
#include "cli/info/stack_facts.h"
#include "io/format.h"

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
    bool has_attention;
    attention_facts attention;
    bool has_stack;
    stack_facts stack;
} info_file;

/* Lines for a person. */
void info_write_text(text *out, const info_file *of);

/* One line for a machine; its shape is told in the manual. `error` is set for a file that could not
 * be read, of which only the name is known then. */
void info_write_json(text *out, const info_file *of, const err *error);

#endif
