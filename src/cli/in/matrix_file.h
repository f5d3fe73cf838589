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

/* What is read, how: the part of read_options that the command line decides. */
read_options read_options_of(const options *o, const char *file, dtype type);
/* The format that was named, or is recognised. */
const format *input_format_of(const options *o, const char *bytes, size_t length, const char *file,
                              err *e);
/* Whether it is a stream of more than one document. */
bool input_is_several(const format *f, const char *bytes, size_t length);
/* A file of one document or, with a line each, of several, in any format. */
typedef struct input_file {
    const char *name;   /* as messages call it */
    char *path;         /* of FILE:NAME the file; owned; NULL: it is `name` */
    const char *matrix; /* NAME, borrowed; NULL: all that is in the file */
    source bytes;
    const format *format;
    bool is_stream;    /* a document a line */
    jsonl_lines lines; /* the document at hand is the last one of them that was found */
} input_file;

/* FILE, or with `splits` FILE:NAME. To be closed in any case. */
bool input_file_open(input_file *f, const char *file, bool splits, const options *o, err *e);
/* Refuses several documents; one of one is as good as a file. */
bool input_file_is_one(input_file *f, err *e);
/* Opens a file that must be one document. */
bool input_file_open_one(input_file *f, const char *file, bool splits, const options *o, err *e);
void input_file_close(input_file *f);
/* The first or the next document, at `lines`; false where there is no other. */
bool input_file_next(input_file *f);
/* Reads the document at hand, or of FILE:NAME that matrix alone; how, is to be added to. */
read_options input_file_how(const input_file *f, const options *o, dtype type);
bool input_file_read(const input_file *f, const read_options *how, bundle *to, err *e);

/* Opens and reads all of a file, which must be one document; gives its format, or NULL with the
 * error set. */
const format *input_read(const options *o, const char *file, const read_options *how, bundle *to,
                         err *e);

/* The file of FILE:NAME, to be freed, and NAME in it; NULL where no matrix is named. */
char *matrix_file_split(const char *name, const char **matrix, err *e);

/* When a file of the whole name exists it is that file, else the name is split at the first colon
 * whose left side exists. */
bool matrix_file_read(matrix_file *m, const char *name, const read_options *how, const options *o,
                      err *e);
/* The error of a NAME that is not in the file, where others are. */
bool matrix_file_refuse(const char *file, const char *name, const text_list *others, err *e);
void matrix_file_free(matrix_file *m);

#endif
