/* The documents that are built in, so that `selfattn example walkthrough | selfattn --trace` works
 * anywhere. The table is made from testdata by embed.sh when the program is built. */
#ifndef SELFATTN_CLI_EXAMPLE_EXAMPLES_H
#define SELFATTN_CLI_EXAMPLE_EXAMPLES_H

#include "cli/command.h"

typedef struct example {
    named named;                                      /* the help is the document's title */
    const char *text;                                 /* the document as it is in testdata */
    const char *notes;                                /* its own paragraph */
    int (*run)(const options *o, env *world, err *e); /* the command that computes it */
} example;

extern const named_table EXAMPLES; /* rows of `example` */

#endif
