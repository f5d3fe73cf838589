/* The matrices that init can make. */
#ifndef SELFATTN_CLI_INIT_INIT_PARTS_H
#define SELFATTN_CLI_INIT_INIT_PARTS_H

#include "base/named.h"
#include "random/distribution.h"

/* What gives the length of an axis. */
typedef enum extent {
    EXTENT_TOKENS,
    EXTENT_WIDTH,  /* m */
    EXTENT_HEADS,  /* h·d: all queries, and what Wo joins */
    EXTENT_SHARED, /* g·d: all keys, all values */
    EXTENT_OUTPUT  /* m where Wo is drawn too, else h·d */
} extent;
enum { EXTENTS = EXTENT_OUTPUT + 1 };

typedef struct init_part {
    named named; /* the document's key */
    matrix_role role;
    extent in, out; /* of rows: their number and width; of a bias, those of its weight */
    bool is_usual;  /* made unless --draw says otherwise; of a bias, with --biases */
} init_part;

/* In the order of the document. A part's own numbers depend on its place here: new rows come
 * last. */
extern const named_table PARTS;

#endif
