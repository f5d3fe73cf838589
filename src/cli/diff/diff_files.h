/* The two files of a diff, each in any format, with its numbers in the types that it keeps. */
#ifndef SELFATTN_CLI_DIFF_DIFF_FILES_H
#define SELFATTN_CLI_DIFF_DIFF_FILES_H

#include "cli/line/options.h"
#include "cli/in/matrix_file.h"

typedef struct diff_file {
    input_file in; /* kept open: text may have to be read once more */
    bundle contents;
    text_list header; /* what --header said of it */
} diff_file;

/* Reads both. Text has no types of its own: next to a file whose matrices are all float32 it is
 * read as float32, straight from its decimals, so that a number and its text are equal; else as
 * float64. Both are to be closed, also when this fails. */
bool diff_files_read(diff_file file[2], const options *o, err *e);
void diff_files_close(diff_file file[2]);

/* True for numbers that were read from text. */
bool diff_is_text(const entry *one);

#endif
