/* One matrix out of a file: FILE, or FILE:NAME for one of several. */
#ifndef SELFATTN_CLI_IN_MATRIX_FILE_H
#define SELFATTN_CLI_IN_MATRIX_FILE_H

#include "cli/line/options.h"
#include "io/format.h"
#include "io/source.h"

typedef struct matrix_file {
    bundle contents;
    entry *matrix; /* in contents */
    const format *format;
} matrix_file;

/* The read_options as far as the command line decides them. */
read_options read_options_of(const options *o, const char *file, dtype type);
/* The format that was named, or is recognised. */
const format *input_format_of(const options *o, const char *bytes, size_t length, const char *file,
                              err *e);
/* Whether the bytes are a stream of more than one document. */
bool input_is_several(const format *f, const char *bytes, size_t length);
/* A file of one document or, with a line each, of several, in any format. */
typedef struct input_file {
    const char *name;   /* as messages call it */
    char *path;         /* FILE of FILE:NAME, owned; NULL: `name` is the file */
    const char *matrix; /* NAME of FILE:NAME, borrowed; NULL: all that is in the file */
    source bytes;
    const format *format;
    bool is_stream;    /* a document a line */
    jsonl_lines lines; /* their last one is the document at hand */
} input_file;

/* Opens FILE, or with `splits` FILE:NAME. To be closed also where this fails. */
bool input_file_open(input_file *f, const char *file, bool splits, const options *o, err *e);
/* Refuses a stream of several documents; a stream of one is taken as that document. */
bool input_file_is_one(input_file *f, err *e);
/* Opens a file that must be one document. */
bool input_file_open_one(input_file *f, const char *file, bool splits, const options *o, err *e);
void input_file_close(input_file *f);
/* Goes to the first or the next document; false where there is none. */
bool input_file_next(input_file *f);
/* The read_options to read it with, which the caller may add to. */
read_options input_file_how(const input_file *f, const options *o, dtype type);
/* Reads the document at hand, or of FILE:NAME that matrix alone. */
bool input_file_read(const input_file *f, const read_options *how, bundle *to, err *e);

/* Reads all of a file, which must be one document. Returns its format, or NULL with the error
 * set. */
const format *input_read(const options *o, const char *file, const read_options *how, bundle *to,
                         err *e);

/* Splits FILE:NAME at the first colon whose left side exists, unless a file of the whole name does.
 * Returns FILE, which the caller frees; *matrix is NAME, in the same memory, or NULL where no
 * matrix is named. NULL, with the error set, where memory is missing. */
char *matrix_file_split(const char *name, const char **matrix, err *e);

/* Reads the matrix of FILE or FILE:NAME. */
bool matrix_file_read(matrix_file *m, const char *name, const read_options *how, const options *o,
                      err *e);
/* Makes the error of a NAME that is not in the file, which has the others. Returns false. */
bool matrix_file_refuse(const char *file, const char *name, const text_list *others, err *e);
void matrix_file_free(matrix_file *m);

#endif
