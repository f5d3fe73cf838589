/* Wq, Wk, Wv, Wo and their biases out of what a bundle holds, as views, whatever way a convention
 * has put them together; and what their sizes say of heads and of gains. */
#ifndef SELFATTN_WEIGHTS_CUT_H
#define SELFATTN_WEIGHTS_CUT_H

#include "weights/conventions.h"
#include "weights/bundle_options.h"

/* How the weights of an attention are to be read. */
typedef struct cutting {
    const convention *by;
    weight_layout layout;   /* --layout's, else the convention's */
    bool layout_is_given;   /* by --layout */
    size_t heads, kv_heads; /* 0: not known */
} cutting;

/* By what a command line asks for (--layout, or NULL), what the bundle says itself, and the heads
 * of these settings. */
cutting cut_how(const convention *by, const char *layout, const bundle *read,
                const bundle *settings);

/* Of conventions that share their names, the one whose layout the sizes have. */
const convention *cut_settle(const convention *by, const tensor *joint);

/* The part of `from` that is this weight or bias. Only a bias that lies head by head is copied;
 * all else borrows. */
bool cut_part(const cutting *how, input which, const entry *from, tensor *out, err *e);

/* The columns of Wq or Wk, all heads side by side; 0: not known. `top` is the document. */
size_t cut_columns(const entry *weight, const bundle *top);

/* Once `in`, the object of the attention, has got Wk from the bundle, where it is called `name`:
 * refuses as many key heads as query heads where Wk has only some of them, by the number that it
 * has. */
bool cut_check_heads(const cutting *how, const char *name, input which, const bundle *in,
                     const bundle *top, err *e);

/* ---- gains ---- */

/* The gains of normalized queries and keys that stand next to the weights of a layer. By the names
 * of a convention that has such, they are those of an RMS norm, and the same for all heads. */
bool input_is_gain(input which);

/* Nothing says that queries and keys stay as they are. `in` is the object of the attention and
 * `top` the document; NULL: there is none. */
bool gains_are_wanted(const bundle_options *w, const bundle *in, const bundle *top);

/* What follows from a gain that `in` has just got from the bundle, where it is called `name`: that
 * queries and keys are normalized, unless something else is said. Refuses one of a norm over all
 * heads, unless --map says that it is a gain. */
bool gain_settle(const cutting *how, const char *name, bool is_mapped, input which, bundle *in,
                 const bundle *top, err *e);

#endif
