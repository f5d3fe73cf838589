/* The file of --actual or --answers: another program's result, or a person's, that a document is
 * compared with. In JSON Lines it has a result for each document, in order. */
#ifndef SELFATTN_CLI_CHECK_CHECK_ACTUAL_H
#define SELFATTN_CLI_CHECK_CHECK_ACTUAL_H

#include "cli/in/matrix_file.h"
#include "cli/line/options.h"

/* --map of check gives names in two files: a stage's in the other program's result, and a key's in
 * --bundle's file. */
typedef struct check_map {
    bundle key;          /* under a stage's name, its name in the result, as a text */
    bundle stage;        /* under a name in the result, its stage; in the same order */
    text_list of_bundle; /* NAME=KEY */
    text_list pairs;     /* all of --map, with its patterns written out */
} check_map;

/* Whether a pair says what this stage is called. */
bool check_map_gives(const check_map *m, const char *name);

typedef struct actual_result {
    const options *given;
    input_file in; /* a result, or a result a line */
    check_map map;
    bool has_result;     /* the document at hand has a result */
    size_t documents;    /* how many there were so far */
    bundle wide, narrow; /* the result read as float64, and as float32 once that was asked for */
    bool has_wide;
} actual_result;

/* Opens the file, if one is named, and reads it unless it is JSON Lines. To be closed also where
 * this fails. */
bool check_actual_open(actual_result *a, const options *o, const env *world, err *e);
void check_actual_close(actual_result *a);

/* To be called before each document: goes to its result. */
void check_actual_step(actual_result *a);
/* Refuses the document, which is at this place, if it has no result. */
bool check_actual_has(const actual_result *a, place at, err *e);
/* To be called after the last document: refuses results that are left. */
bool check_actual_finish(actual_result *a, err *e);

/* The numbers of the result at hand, for computing in this type. Text is read straight from its
 * decimals: as float32 for float32, unless that can't hold them, else as float64. */
bool check_actual_numbers(actual_result *a, dtype type, const bundle **numbers, err *e);
/* Makes the error of a result that has no stage to check. Returns false. */
bool check_actual_refuse_stageless(const actual_result *a, err *e);
/* The place for an error about the result as a whole. */
place check_actual_place(const actual_result *a);

#endif
