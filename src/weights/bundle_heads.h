/* How many heads the sizes of a bundle's weights allow. */
#ifndef SELFATTN_WEIGHTS_BUNDLE_HEADS_H
#define SELFATTN_WEIGHTS_BUNDLE_HEADS_H

#include "weights/bundle_cut.h"

/* What a note says where neither sizes nor anybody tell the heads. */
#define BUNDLE_ONE_HEAD "; one head, unless --heads says how many"

/* The columns of Wq or Wk, all heads side by side; 0: not known. `top` is the document. */
size_t bundle_columns(const entry *weight, const bundle *top);

/* Once `in`, the object of the attention, has got Wk from the bundle, where it is called `name`:
 * refuses as many key heads as query heads where Wk has only some of them, by the number that it
 * has. */
bool bundle_heads_check(const cutting *how, const char *name, input which, const bundle *in,
                        const bundle *top, err *e);

#endif
