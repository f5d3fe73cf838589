/* --actual and --answers: another program's result, or a person's, which a document is compared
 * with; or, in JSON Lines, a result a document, in their order. */
#ifndef SELFATTN_CLI_CHECK_CHECK_ACTUAL_H
#define SELFATTN_CLI_CHECK_CHECK_ACTUAL_H

#include "cli/in/matrix_file.h"
#include "cli/line/options.h"

/* --map of check, which speaks of two files: what a stage is called in another program's result,
 * and what a key of the document is called in --bundle's file. */
typedef struct check_map {
    bundle key;          /* of a stage its name in the result, as a text */
    bundle stage;        /* the stage of a name in the result, in the same order */
    text_list of_bundle; /* NAME=KEY */
} check_map;

/* Whether a pair says what this stage is called. */
bool check_map_gives(const check_map *m, const char *name);

typedef struct actual_result {
    const options *given;
    input_file in; /* a result, or a result a line */
    check_map map;
    bool has_result;     /* there is one at hand */
    size_t documents;    /* that were come to */
    bundle wide, narrow; /* text read as float64; and as float32, where that was asked for */
    bool has_wide;
} actual_result;

/* Opens it, and reads it where it is one result; nothing where none is named. To be closed, also
 * when this fails. */
bool check_actual_open(actual_result *a, const options *o, const env *world, err *e);
void check_actual_close(actual_result *a);

/* Another document is come to, the first one or the next: the result at hand is its own. */
void check_actual_step(actual_result *a);
/* Refuses a document, which is at this place, that has no result. */
bool check_actual_has(const actual_result *a, place at, err *e);
/* After the last document: refuses a stream of more results. */
bool check_actual_finish(actual_result *a, err *e);

/* The numbers of the result at hand for who computes in this type: text as float32, straight from
 * its decimals, for float32, unless that can't hold them. */
bool check_actual_numbers(actual_result *a, dtype type, const bundle **numbers, err *e);
/* The error of one in which there is nothing to check. */
bool check_actual_refuse_stageless(const actual_result *a, err *e);
/* For an error about it as a whole. */
place check_actual_place(const actual_result *a);

#endif
