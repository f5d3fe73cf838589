/* What the files of the command check share: its state.
 *
 * check.c checks files, several at once with --jobs, and writes their lines in order. In each file,
 * check_document.c computes one document after the other and compares it with what it expects but
 * for its errata (errata.c), with another program's result (check_actual.c), or with a person's
 * answers (check_answers.c); with --why it explains what differs, and with --update
 * check_update.c records it. With --differences, differences.c and identities.c look at gradients
 * alone, and nudged_*.c compute what moves. */
#ifndef SELFATTN_CLI_CHECK_CHECKER_H
#define SELFATTN_CLI_CHECK_CHECKER_H

#include "attn/engine/compare.h"
#include "attn/spec/row_choice.h"
#include "cli/check/check_actual.h"
#include "cli/check/errata.h"
#include "cli/in/matrix_file.h"
#include "cli/out/outputs.h"
#include "cli/run/work.h"
#include "io/number_write.h"

/* ---- the state of the command ---- */

/* What is known of one file so far. */
typedef struct checked_file {
    /* "ok    …", "FAIL  …" and "why: …", a line each; and the error of each document that could not
     * be checked and was passed over, as standard error will have it. */
    text lines;
    text said; /* notes for standard error that had to wait */
    size_t failed, passed_over;
    bool is_taken_back; /* only errors are said: what the lines say was not recorded */
    bool saw_layers;    /* a document has layers */
    err bad;            /* the error that ended the file */
} checked_file;

/* The marks of a class, for check --answers: a row for each file of answers, a column for each
 * question that any of them was asked; 1 is right, 0 wrong, a hole not answered or not asked. */
typedef struct check_marks {
    text_list question, file;
    text_list error;            /* of each file, empty where it was marked */
    struct marked_file *marked; /* one for each file, and one for the file at hand; owned */
    size_t capacity;
} check_marks;

/* A piece of a file's text, and the number that replaces it. */
typedef struct edit {
    const char *at;
    size_t length;
    char becomes[NUMBER_FIXED_TEXT];
} edit;

/* The edits of a file: numbers are replaced, and all other bytes stay. */
typedef struct file_update {
    old_file old;     /* the file as it was read */
    const char *line; /* the line of it that was looked for last */
    size_t number;    /* of that line, from 1 */
    edit *edit;
    size_t count, capacity;
} file_update;

typedef struct checker {
    const options *given;
    env *world;
    weights_input weights;      /* --bundle */
    document_reader *documents; /* of the file that is checked */
    actual_result *actual;      /* --actual; NULL: compare with what the documents expect */
    check_marks *marks;         /* --answers; or NULL */
    checked_file file;          /* the file that is checked, */
    file_update update;         /* and with --update its edits */
} checker;

/* The stages of a document, computed here and as another source has them. All is borrowed. */
typedef struct named_stages {
    const document *document;
    const text_list *there; /* the names of all stages, in the order in which they are made */
    const bundle *numbers;  /* expected, of another program, or a person's answers */
    const bundle *computed;
    const row_choice *rows; /* the rows that both have; NULL: all */
    errata *known;          /* numbers that are known to be wrong */
} named_stages;

#endif
