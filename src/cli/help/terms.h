/* The words of the field, for `selfattn help WORD`: what a lecturer would say in a minute. */
#ifndef SELFATTN_CLI_HELP_TERMS_H
#define SELFATTN_CLI_HELP_TERMS_H

#include "base/named.h"

typedef struct term {
    named named;         /* help is the one-line explanation */
    const char *formula; /* or NULL */
    const char *more;    /* one to four lines */
} term;

extern const named_table TERMS; /* rows of `term` */

#endif
