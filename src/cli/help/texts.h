/* The texts of src/text, which the build embeds: what help and the manual say at length. */
#ifndef SELFATTN_CLI_HELP_TEXTS_H
#define SELFATTN_CLI_HELP_TEXTS_H

#include "base/named.h"

typedef struct passage {
    named named;
    const char *formula; /* or NULL */
    const char *words;   /* a paragraph */
} passage;

extern const named_table TERMS; /* rows of `passage`: the words of the field */
/* The same, of commands and options by their names; not every option has one. */
extern const named_table COMMAND_TEXTS, OPTION_TEXTS;

#endif
