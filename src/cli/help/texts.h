/* The texts of src/text, which the build embeds: what help and the manual say at length. */
#ifndef SELFATTN_CLI_HELP_TEXTS_H
#define SELFATTN_CLI_HELP_TEXTS_H

#include "base/named.h"

typedef struct passage {
    named named;
    const char *formula; /* or NULL */
    const char *words;   /* a paragraph */
} passage;

extern const named_table TERMS;       /* rows of `passage`: the words of the field */
extern const named_table DIFFERENCES; /* the same: what a formula leaves open */
/* The same, of commands, options and formats by their names; not every option has one. */
extern const named_table COMMAND_TEXTS, OPTION_TEXTS, FORMAT_TEXTS;

/* How other programs set what papers leave open, from the polarity of a mask to the order of a soft
 * cap, and which options give the same here: a row a program, a cell a difference. */
typedef struct peer_cell {
    const char *says;
    const char *here; /* what to give to have it here, or NULL where it is so without an option */
} peer_cell;

typedef struct peer {
    named named;           /* help: what it is called at home */
    const peer_cell *cell; /* as many as DIFFERENCES, in their order */
} peer;

extern const named_table PEERS;       /* rows of `peer`; this program first */
extern const char CONVENTIONS_TEXT[]; /* what leads in to them */

/* Pages with slots to be filled (help.h). */
extern const char BASH_PAGE[], ZSH_PAGE[], FISH_PAGE[];
extern const char MAN_PAGE[], MAN_DOCUMENT_PAGE[], MAN_CONTRACT_PAGE[];
extern const char SCHEMA_PAGE[];

#endif
