/* check --answers: marks an exercise (--blank) as its page does. */
#ifndef SELFATTN_CLI_CHECK_CHECK_ANSWERS_H
#define SELFATTN_CLI_CHECK_CHECK_ANSWERS_H

#include "cli/check/checker.h"
#include "trace/trace.h"
#include "why/why.h"

/* What the page of an exercise saves besides answers, under names that begin with _: the name of
 * its document, the command that made it, the entry of the batch that it shows, and, for each stage
 * that it asks for in part, which cells it asks for. */
#define CHECK_COMMAND "_command"
#define CHECK_DOCUMENT "_document"
#define CHECK_BATCH "_batch"
#define CHECK_ASKED "_asked."

/* Whether only a page saves something under this name. */
bool check_page_saves(const char *name);
/* Refuses what no page saves: a document that has no name, another command, an entry that is not a
 * number from 1, cells of no answers. */
bool check_page(const bundle *answers, err *e);

/* Adds a line of how many are right, and one for each that is not, with the formula that the trace
 * has for it; never the number. What counts is what the document asks for, or --blank: an answer
 * that lacks is empty. Where neither says anything, it is what the file has. With --why it also
 * says which mistake gives all of the answers, or those to one stage, `as` it is computed. */
bool check_answers(checker *c, const named_stages *of, const trace *made, const why_question *as,
                   err *e);

/* A file that could not be marked has a row too, with its error. */
bool check_marks_add_bad(check_marks *m, const char *file, const char *error, err *e);
/* Refuses a format that has no place for the names of files and questions. */
bool check_marks_check(const options *o, err *e);
/* Writes the table where --output and --format say, with two columns more, how many were right, and
 * of how many; and where a file could not be marked, a third one that says why. Nothing where there
 * is no file. */
bool check_marks_write(check_marks *m, const options *o, err *e);
void check_marks_free(check_marks *m);

#endif
