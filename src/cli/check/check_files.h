/* The documents that check is asked for: files, and the .json files of folders. */
#ifndef SELFATTN_CLI_CHECK_CHECK_FILES_H
#define SELFATTN_CLI_CHECK_CHECK_FILES_H

#include "cli/line/env.h"
#include "cli/line/options.h"

typedef struct check_files {
    text_list file;
    struct bad_folder *bad; /* of them, that give no documents; owned */
    size_t bad_count, bad_capacity;
} check_files;

/* In the order of the command line; a folder's regular files by name, or, where these can't be had,
 * the folder itself. Standard input where none is named, nothing else reads it, and it is no
 * terminal. To be freed in any case. */
bool check_files_list(const options *o, const env *world, check_files *files, err *e);
void check_files_free(check_files *files);

/* Why the file of this number is a folder without documents; NULL: it is none. */
const err *check_files_bad(const check_files *files, size_t index);

#endif
