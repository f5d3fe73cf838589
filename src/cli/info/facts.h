/* What is in a file, as data: `info` says it in words or as JSON (info_report.c).
 *
 * A file is one fact; the entries of an object or a bundle are facts inside it. Facts of JSON are
 * read straight from its text, so that any well-formed text has them; those of other formats are
 * made from the bundle that their reader gives. */
#ifndef SELFATTN_CLI_INFO_FACTS_H
#define SELFATTN_CLI_INFO_FACTS_H

#include "attn/plan/plan.h"
#include "cli/tell.h"
#include "io/format.h"
#include "tensor/statistics.h"
#include "model/stack.h"

typedef enum fact_kind {
    FACT_NULL,
    FACT_TRUTH,  /* true or false */
    FACT_NUMBER, /* one number, with no axis */
    FACT_TEXT,
    FACT_MATRIX, /* numbers, or true and false, of rank 1 to 5 */
    FACT_LIST,   /* texts, and nothing else */
    FACT_ARRAY,  /* any other list */
    FACT_OBJECT,
    FACT_UNREAD /* an entry of a file that can't be read: `shown` says why */
} fact_kind;

typedef struct fact {
    text name;
    fact_kind kind;
    const char *stored; /* element type as a binary file names it; NULL: text */
    size_t bytes;       /* that the elements take there */
    dtype type;         /* that the elements have in memory */
    int rank;           /* of a matrix */
    size_t size[TENSOR_MAX_RANK];
    statistics numbers; /* of a matrix or number; of an array, those that are in it */
    bool is_unlooked;   /* a matrix of a file whose numbers are not read: it has no statistics */
    /* Entries of a list, an array or an object; of an array also what its innermost ones are. */
    size_t count, texts, truths, nulls, objects, depth;
    bool is_ragged; /* lists of one depth have different lengths, or its entries several depths */
    text shown;     /* a text, a number or a truth as it stands; a list's first texts in quotes */
    size_t lines;   /* of a stream: in how many of its documents it is, */
    bool varies;    /* and that its shape or value is not the same in all of them */
    struct fact *inside;
    size_t insides, capacity;
} fact;

/* Joins the facts of a stream's next document to those of the documents before it, name by name.
 * Takes what is new out of `after`. `names` finds the facts by name: it has an entry for each, in
 * order. */
bool facts_join(fact *to, bundle *names, fact *after, err *e);

/* The facts of a text that begins at this place; with a way (io/json_scan.h), only of the value
 * that it leads to, which is called by the way. A way that leads to none counts as NULL. */
bool facts_of_json(fact *out, const char *bytes, size_t length, place where, const char *way,
                   err *e);
/* The facts of what the reader of another format made. Nothing is said of the numbers of matrices
 * that a binary file stores under another name than `looks_at`; NULL: all are looked at. */
bool facts_of_bundle(fact *out, const bundle *of, const char *looks_at, err *e);

void fact_free(fact *f);

#endif
