/* Wq, Wk, Wv, Wo and their biases out of what a bundle holds: views, whatever way a convention has
 * put them together. */
#ifndef SELFATTN_WEIGHTS_BUNDLE_CUT_H
#define SELFATTN_WEIGHTS_BUNDLE_CUT_H

#include "weights/conventions.h"

/* How a layer is to be read. */
typedef struct cutting {
    const convention *by;
    weight_layout layout;   /* --layout's, else the convention's */
    bool layout_is_given;   /* by --layout */
    size_t heads, kv_heads; /* 0: not known */
} cutting;

/* By what a command line asks for (--layout, or NULL), what the bundle says itself, and the heads
 * of these settings. */
cutting bundle_cutting(const convention *by, const char *layout, const bundle *read,
                       const bundle *settings);

/* Of conventions that share their names, the one whose layout the sizes have. */
const convention *bundle_cut_settle(const convention *by, const tensor *joint);

/* The part of `from` that is this weight or bias. Only a bias that lies head by head is copied;
 * all else borrows. */
bool bundle_cut(const cutting *how, input which, const entry *from, tensor *out, err *e);

#endif
