/* check at work. The way of the data: files are checked, several at once where --jobs says so, and
 * what came of each is written in order (check.c); of each its documents one after the other, each
 * computed and compared with what it expects but for its errata, and explained (check_document.c,
 * errata.c); or with another program's result (check_actual.c), or with a person's answers
 * (check_answers.c); or what differs is recorded (check_update.c). */
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

/* What came of one file. */
typedef struct checked_file {
    /* "ok    …", "FAIL  …" and "why: …", a line each; and, as standard error has it, the error of
     * each document that could not be checked and was passed over, since more are after it. */
    text lines;
    char *said; /* notes for standard error, where they had to wait; or NULL */
    size_t failed, passed_over;
    bool is_taken_back; /* errors alone stand: what the lines say was not recorded */
    bool saw_layers;    /* in a document */
    err bad;            /* that ended the file */
} checked_file;

/* The marks of a class (check --answers): a row a file of answers, a column a question that any of
 * them was asked: 1 right, 0 wrong, a hole where nothing was answered or asked. */
typedef struct check_marks {
    text_list question, file;
    text_list error;            /* of each file, empty where it was marked */
    struct marked_file *marked; /* as many as files, and the one at hand; owned */
    size_t capacity;
} check_marks;

/* A piece of the text that becomes another number. */
typedef struct edit {
    const char *at;
    size_t length;
    char becomes[NUMBER_FIXED_TEXT];
} edit;

/* What a file is to become: numbers in it are replaced, and all other bytes stay. */
typedef struct file_update {
    old_file old;     /* what is edited */
    const char *line; /* of that the line that was looked for last */
    size_t number;    /* of the line, from 1 */
    edit *edit;
    size_t count, capacity;
} file_update;

typedef struct checker {
    const options *given;
    env *world;
    weights_input weights;      /* of --bundle */
    document_reader *documents; /* of the file that is checked */
    actual_result *actual;      /* of --actual; NULL: what the documents expect */
    check_marks *marks;         /* of --answers */
    checked_file file;          /* so far */
    file_update update;         /* of --update: the file that is checked */
} checker;

/* Stages of a document by their names, next to what somebody says of them. */
typedef struct named_stages {
    const document *document;
    const text_list *there; /* the names of all, in the order in which they are made */
    const bundle *numbers;  /* what is said of them */
    const bundle *computed;
    const row_choice *rows; /* that both are of; NULL: all */
    errata *known;          /* numbers that are known to be wrong */
} named_stages;

#endif
