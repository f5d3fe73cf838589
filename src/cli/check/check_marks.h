/* The marks of a class (check --answers): a row a file of answers, a column a question that any of
 * them was asked: 1 right, 0 wrong, a hole where nothing was answered or asked. */
#ifndef SELFATTN_CLI_CHECK_CHECK_MARKS_H
#define SELFATTN_CLI_CHECK_CHECK_MARKS_H

#include "cli/line/options.h"

typedef struct check_marks {
    text_list question, file;
    struct marked_file *marked; /* as many as files, and the one at hand; owned */
    size_t capacity;
} check_marks;

/* Another file is begun: what was said of one that was not ended is forgotten. */
bool check_marks_begin(check_marks *m, err *e);
/* A question's mark: 1, 0, or a hole. */
bool check_marks_add(check_marks *m, const char *question, double mark, err *e);
bool check_marks_end(check_marks *m, const char *file, err *e);

/* Refuses a format that has no place for the names of files and questions. */
bool check_marks_check(const options *o, err *e);
/* Writes the table where --output and --format say, with two columns more: how many were right, and
 * of how many. Nothing where no file was marked. */
bool check_marks_write(const check_marks *m, const options *o, err *e);
void check_marks_free(check_marks *m);

#endif
