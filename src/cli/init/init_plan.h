/* What `selfattn init` is to make: sizes, distributions and order, decided and checked before
 * anything is drawn. */
#ifndef SELFATTN_CLI_INIT_INIT_PLAN_H
#define SELFATTN_CLI_INIT_INIT_PLAN_H

#include "cli/line/env.h"
#include "cli/line/options.h"
#include "io/format.h"
#include "random/distribution.h"

/* ---- the matrices that can be made: which axes each has, and what its numbers are for ---- */

/* What an axis is as long as. */
typedef enum extent {
    EXTENT_TOKENS,
    EXTENT_WIDTH, /* m */
    EXTENT_HEADS, /* h·d: all queries, and what Wo joins */
    EXTENT_SHARED /* g·d: all keys, all values */
} extent;
enum { EXTENTS = EXTENT_SHARED + 1 };

typedef struct part {
    named named; /* the document's key */
    matrix_role role;
    extent in, out; /* of rows: their number and width; of a bias, those of its weight */
    bool is_usual;  /* made unless --draw says otherwise; of a bias, with --biases */
} part;

/* In the order of the document. A part's own numbers depend on its place here: new rows come
 * last. */
extern const named_table PARTS;

/* ---- what is to be made ---- */

/* One matrix to be made. */
typedef struct making {
    const part *part;
    const distribution *dist;
    draw draw;
    int rank;
    size_t size[2];
} making;

enum { MAKINGS = 16 }; /* there are fewer parts */

typedef struct init_plan {
    bundle settings; /* owned: the document's keys that options give: heads, tokens, … */
    size_t extent[EXTENTS];
    dtype type;
    bool is_out_in;
    const generator *generator;
    making made[MAKINGS]; /* in the order in which they are drawn */
    size_t count;
    size_t bytes; /* of all of them */
} init_plan;

/* The options that turn the knobs, and the distribution that is named, or usual. */
extern const char *const KNOB_OPTIONS[KNOBS];
const char *init_dist(const options *o);

bool init_plan_make(init_plan *p, const options *o, const env *world, err *e);

/* Borrows for *kept what the format holds besides matrices. What it has no place for is noted, and
 * refused where run would then compute something else from a file of several matrices, which is a
 * whole problem: a matrix alone is not, and what belongs to it is said to run with it. */
bool init_settings_keep(const bundle *settings, const format *to, const options *o,
                        const env *world, bundle *kept, err *e);

#endif
