/* check --why: which mistake gives the numbers that differ, in lines below the document's own. */
#ifndef SELFATTN_CLI_CHECK_CHECK_WHY_H
#define SELFATTN_CLI_CHECK_CHECK_WHY_H

#include "cli/check/errata.h"
#include "cli/solve.h"
#include "why/why_shape.h"

/* A document that was computed, and numbers that are not what came out. */
typedef struct unexplained {
    const solution *solved;
    const bundle *numbers; /* by stage */
    const comparison *compared;
    const errata *known;
    const char *numbers_name; /* "expected" or "actual" */
    double tol[STAGE_COUNT];
} unexplained;

/* Numbers of which so many mistakes were tried. */
typedef struct tried_numbers {
    const comparison *compared;
    const char *numbers_name;
    size_t mistakes;
} tried_numbers;

/* A line an answer; one that says so where there is none. */
void check_list_answers(text *out, const why_answers *found, const tried_numbers *of);

/* Numbers of another shape than is computed, of which so many mistakes were tried. */
typedef struct misshapen {
    const char *name;
    const tensor *numbers, *computed;
    const char *numbers_name;
    size_t mistakes;
} misshapen;

void check_list_shapes(text *out, const shape_answers *found, const misshapen *of);

bool check_is_misshapen(const bundle *numbers, const bundle *computed, const char *name);
/* The first stage whose numbers can't be compared, for its shape; STAGE_COUNT: all can be. */
stage_id check_misshapen(const bundle *numbers, const bundle *computed);
bool check_explain_shape(text *out, const unexplained *of, stage_id id, size_t threads, err *e);

bool check_explain(text *out, const unexplained *of, size_t threads, err *e);

/* What the tolerances of --tol would let pass: notes, of which the document is called `name`. */
bool check_overlooked(text *notes, const unexplained *of, const char *name, size_t threads, err *e);

/* Elements that the document lists as errata. */
known_elements check_listed(const errata *known);
/* A line for each erratum of the document: its misprints are known. */
void check_list_errata(text *out, const errata *known);

#endif
