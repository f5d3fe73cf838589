/* The documents that check is asked for: files, and the .json files of folders. */
#ifndef SELFATTN_CLI_CHECK_CHECK_FILES_H
#define SELFATTN_CLI_CHECK_CHECK_FILES_H

#include "cli/env.h"
#include "cli/options.h"

/* In the order of the command line; a folder's regular files by name, or, where it has none, the
 * folder itself. Standard input where none is named, nothing else reads it, and it is no
 * terminal. */
bool check_files_list(const options *o, const env *world, text_list *files, err *e);

/* Says of a folder in the list why it has no documents. */
bool check_files_refuse_folder(const char *file, err *e);

#endif
