/* What is in a file, as data: what `info` says, before it is decided how it looks.
 *
 * A file is one fact, an object's or a bundle's entries are facts inside it. Facts of JSON come
 * straight from its text, so that any well-formed text has them; those of other formats from the
 * bundle that their reader made. */
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
    /* Entries of a list, an array or an object; of an array also what its innermost ones are. */
    size_t count, texts, truths, nulls, objects, depth;
    bool is_ragged; /* lists of one depth have different lengths, or its entries several depths */
    text shown;     /* a text, a number or a truth as it stands; a list's first texts in quotes */
    size_t lines;   /* of a stream: in how many of its documents it is, */
    bool varies;    /* and that its shape or value is not the same in all of them */
    struct fact *inside;
    size_t insides, capacity;
} fact;

/* Adds an object's facts to those of the documents before it, a name's to those of the same name,
 * and takes what is new. `names` has an entry for each of them, in their order, which finds
 * them. */
bool facts_join(fact *to, bundle *names, fact *after, err *e);

/* Of a text that begins in this line of its file; or of the value alone that a way
 * (io/json_scan.h) leads to, which is its name: of all where it leads to none, or is NULL. */
bool facts_of_json(fact *out, const char *bytes, size_t length, place where, const char *way,
                   err *e);
/* Of what the reader of another format made. */
bool facts_of_bundle(fact *out, const bundle *of, err *e);

void fact_free(fact *f);

#endif
