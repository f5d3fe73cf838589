/* What is said where a name beside the weights of a layer would change the result and is not
 * computed. */
#ifndef SELFATTN_WEIGHTS_BUNDLE_REFUSAL_H
#define SELFATTN_WEIGHTS_BUNDLE_REFUSAL_H

#include "base/err.h"
#include "weights/conventions.h"
#include "weights/wishes.h"

/* `layer` is what stands before the key in --map, "" or "layers.0.". Returns false. */
bool bundle_refuse(const char *file, const char *name, const refusal *why, const char *layer,
                   err *e);

/* An option or the document gives the key, or the option leaves it out: then nothing is refused.
 * `in` and `top` are the objects that may have it; NULL: there is none. */
bool bundle_decides(const wishes *w, const bundle *in, const bundle *top, const char *key_name);

#endif
