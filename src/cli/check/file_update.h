/* What a file is to become: numbers in it are replaced, and all other bytes stay. It is written
 * once, when all its documents were looked at. */
#ifndef SELFATTN_CLI_CHECK_FILE_UPDATE_H
#define SELFATTN_CLI_CHECK_FILE_UPDATE_H

#include "io/number_write.h"
#include "io/old_file.h"

/* A piece of the text that becomes another number. */
typedef struct edit {
    const char *at;
    size_t length;
    char becomes[NUMBER_FIXED_TEXT];
} edit;

typedef struct file_update {
    old_file old;     /* what is edited */
    const char *line; /* of that the line that was looked for last */
    size_t number;    /* of the line, from 1 */
    edit *edit;
    size_t count, capacity;
} file_update;

bool file_update_open(file_update *u, const char *file, err *e);
/* The text of a value that was read there; NULL where the file is not so long any more. */
const char *file_update_find(file_update *u, const place *at);
/* The piece's new text is the caller's to write; NULL for want of memory. Pieces may come in any
 * order. */
edit *file_update_add(file_update *u, const char *at, size_t length, err *e);
/* Writes the file, if anything in it is new. The old one stays where that fails. */
bool file_update_write(file_update *u, err *e);
void file_update_free(file_update *u);

#endif
