/* The words of options that nothing below the command line knows. Words with something to do
 * (formats, instruction sets, score functions, renderers, steps, shells) are in the tables that do
 * it; words of a document's settings are in attn/words.h. */
#ifndef SELFATTN_CLI_HELP_WORDS_H
#define SELFATTN_CLI_HELP_WORDS_H

#include "base/named.h"

/* Rows of plain `named`. */
extern const named_table COLOR_WORDS; /* auto, always, never */
extern const named_table FOCUS_WORDS; /* row, head, batch */
extern const named_table AUTO_WORDS;  /* auto: what --isa takes beside the instruction sets */
extern const named_table FAN_WORDS;   /* in, out */

#endif
