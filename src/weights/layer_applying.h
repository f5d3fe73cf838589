/* What is under way where layers get their weights: who gets what, by which conventions. */
#ifndef SELFATTN_WEIGHTS_LAYER_APPLYING_H
#define SELFATTN_WEIGHTS_LAYER_APPLYING_H

#include "weights/cut.h"
#include "weights/layer_weights.h"

/* A document that gets what it lacks. */
typedef struct applying {
    layer_weights *from;
    const wishes *wishes;
    const bundle *read;
    dtype type;
    bundle *contents;
    place at; /* the bundle as a whole */
} applying;

/* Of conventions that share their names the sizes tell which it is, unless the layout is said; and
 * of layers that share theirs, other names and sizes. */
void applying_settle(const applying *a);

/* The object that says how many heads there are, or the document. */
const bundle *applying_heads(const applying *a, const layer_path *of);
/* How attention's weights there are put together. */
cutting applying_cutting(const applying *a, const layer_path *of);

/* --no-bias-k is of all layers, where it is a convention that found it; and gains are none where
 * queries and keys are to stay as they are. */
bool applying_leaves_out(const applying *a, const layer_source *from);
/* The document lacks it, and has a use for it. */
bool applying_wants(const applying *a, const layer_source *from);

#endif
