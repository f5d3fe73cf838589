/* The documents that check is asked for: files, and the .json files of folders. */
#ifndef SELFATTN_CLI_CHECK_CHECK_FILES_H
#define SELFATTN_CLI_CHECK_CHECK_FILES_H

#include "cli/options.h"

/* In the order of the command line; a folder's files by name. */
bool check_files_list(const options *o, text_list *files, err *e);

#endif
