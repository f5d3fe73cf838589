/* One document of check: computed, compared, reported in lines, explained or brought up to date. */
#ifndef SELFATTN_CLI_CHECK_DOCUMENT_H
#define SELFATTN_CLI_CHECK_DOCUMENT_H

#include "cli/document.h"

typedef struct checker {
    const options *given;
    env *world;
    given_bundle weights; /* of --bundle */
    const bundle *actual; /* of --actual; NULL: what the documents expect */
    text out;             /* "ok    …", "FAIL  …" and "why: …", a line each */
    size_t failed, documents;
} checker;

/* The tolerance of a stage: --tol, else the document's one or the stage's, else the default. */
double check_tolerance(const checker *c, const bundle *contents, const char *name);

/* The error of a result in which there is nothing to check. */
bool check_refuse_stageless(const char *file, err *e);

/* Adds its lines. False, with the error set, where it can't be computed or compared. */
bool check_document(checker *c, const document *one, err *e);

#endif
