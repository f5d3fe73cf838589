/* check at work: what it was asked, what it has said, and the questions that all its parts ask. */
#ifndef SELFATTN_CLI_CHECK_CHECKER_H
#define SELFATTN_CLI_CHECK_CHECKER_H

#include "cli/check/check_actual.h"
#include "cli/check/check_marks.h"
#include "cli/check/file_update.h"
#include "cli/in/document.h"

/* A document that could not be checked and was passed over: more are after it in its file. */
typedef struct checked_error {
    size_t after; /* bytes of the lines that were said before */
    char *said;   /* as standard error has it; owned */
} checked_error;

typedef struct checked_errors {
    checked_error *one;
    size_t count, capacity;
} checked_errors;

typedef struct checker {
    const options *given;
    env *world;
    weights_input weights;      /* of --bundle */
    document_reader *documents; /* of the file that is checked */
    actual_result *actual;      /* of --actual; NULL: what the documents expect */
    check_marks *marks;         /* of --answers */
    text out;                   /* "ok    …", "FAIL  …" and "why: …", a line each */
    size_t failed;
    bool saw_layers; /* in a document */
    checked_errors passed_over;
    file_update update; /* of --update: the file that is checked */
} checker;

/* The tolerance of a stage: --tol, else the document's one or the stage's, else the default. */
double check_tolerance(const checker *c, const bundle *contents, const char *name);

/* Refuse names that no stage has (of_stack: its stages; NULL: those of one attention) among the
 * numbers that a document is compared with, whosever they are, and among its tolerances, and
 * tolerances that are none. */
bool check_numbers_names(const checker *c, const bundle *numbers, const text_list *of_stack,
                         err *e);
bool check_tolerances(const bundle *contents, const text_list *of_stack, err *e);

/* What the numbers are called that are compared: "actual" or "expected". */
const char *check_numbers_name(const checker *c);

/* The error of a result whose numbers all have other names, of which one may be a slip. */
bool check_refuse_numbers(const checker *c, const bundle *numbers, const text_list *of_stack,
                          err *e);

#endif
