/* The gains of normalized queries and keys that stand beside the weights of a layer. By the names
 * of a convention that has such, they are those of an RMS norm, and the same for all heads. */
#ifndef SELFATTN_WEIGHTS_BUNDLE_GAINS_H
#define SELFATTN_WEIGHTS_BUNDLE_GAINS_H

#include "weights/bundle_cut.h"
#include "weights/wishes.h"

bool bundle_is_gain(input which);

/* Nothing says that queries and keys stay as they are. `in` is the object of the attention and
 * `top` the document; NULL: there is none. */
bool bundle_gains_are_wanted(const wishes *w, const bundle *in, const bundle *top);

/* What follows from a gain that `in` has just got from the bundle, where it is called `name`: that
 * queries and keys are normalized, unless something else is said. Refuses one of a norm over all
 * heads, unless --map says that it is a gain. */
bool bundle_gain_settle(const cutting *how, const char *name, bool is_mapped, input which,
                        bundle *in, const bundle *top, err *e);

/* Refuses a gain of models that add 1 to it, by a name beside the layer that they have. Returns
 * false. */
bool bundle_gain_refuse(const char *file, const char *name, const char *beside, const char *key_way,
                        err *e);

#endif
