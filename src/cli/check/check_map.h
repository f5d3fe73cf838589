/* --map of check, which speaks of two files: what a stage is called in another program's result,
 * and what a key of the document is called in --bundle's file. */
#ifndef SELFATTN_CLI_CHECK_CHECK_MAP_H
#define SELFATTN_CLI_CHECK_CHECK_MAP_H

#include "cli/options.h"

typedef struct check_map {
    bundle key;          /* of a stage its name in the result, as a text */
    bundle stage;        /* the stage of a name in the result, in the same order */
    text_list of_bundle; /* NAME=KEY */
} check_map;

/* A pair is about the result where NAME is a stage and KEY is among its names, else about the
 * bundle; refuses what is about neither. To be freed in any case. */
bool check_map_split(check_map *m, const options *o, const text_list *names, const char *file,
                     err *e);
void check_map_free(check_map *m);

/* The stage that `called` in the result is; NULL: no pair says it. */
const char *check_map_stage(const check_map *m, const char *called);
/* Whether a pair says what this stage is called. */
bool check_map_gives(const check_map *m, const char *name);

#endif
