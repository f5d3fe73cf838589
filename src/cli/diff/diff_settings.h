/* The settings that a result was made with, as the arguments in its header say: each once, whatever
 * the way of writing it. */
#ifndef SELFATTN_CLI_DIFF_DIFF_SETTINGS_H
#define SELFATTN_CLI_DIFF_DIFF_SETTINGS_H

#include "tensor/bundle.h"

/* Adds "--scale=2", "--causal" or "--no-round". Arguments that this version does not take are no
 * error: `is_understood` is false then. */
bool diff_settings_read(text_list *to, const char *arguments, bool *is_understood, err *e);

#endif
