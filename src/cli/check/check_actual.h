/* --actual and --answers: another program's result, or a person's, which documents are compared
 * with. */
#ifndef SELFATTN_CLI_CHECK_CHECK_ACTUAL_H
#define SELFATTN_CLI_CHECK_CHECK_ACTUAL_H

#include "cli/check/check_map.h"
#include "cli/env.h"
#include "io/format.h"
#include "io/source.h"

typedef struct actual_result {
    const options *given;
    char *path;         /* FILE of FILE:NAME */
    const char *matrix; /* NAME, borrowed; NULL: all that is in the file */
    check_map map;
    source bytes; /* text may have to be read once more */
    const format *format;
    bundle wide, narrow; /* text read as float64; and as float32, where that was asked for */
    bool has_narrow;
} actual_result;

/* The file that is named, or NULL. */
const char *check_actual_file(const options *o);
/* Reads it; nothing where none is named. To be closed, also when this fails. */
bool check_actual_read(actual_result *a, const options *o, const env *world, err *e);
void check_actual_close(actual_result *a);

/* Its numbers for who computes in this type: text as float32, straight from its decimals, for
 * float32, unless that can't hold them. */
bool check_actual_numbers(actual_result *a, dtype type, const bundle **numbers, err *e);

#endif
