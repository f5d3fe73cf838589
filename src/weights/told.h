/* What a person is told of the weights in a bundle: which names were taken for what, what the names
 * mean, and where else weights are. */
#ifndef SELFATTN_WEIGHTS_TOLD_H
#define SELFATTN_WEIGHTS_TOLD_H

#include "weights/apply.h"
#include "weights/cut.h"

/* Whose names, where they are, and what each is. */
void told_names(const applying *a, const cutting *how, text *note);
/* What gains imply (says_norm: the document said it before), and what models of these names compute
 * that files of names and numbers don't say. */
void told_hints(const applying *a, bool says_norm, text *note);

/* "Wq, Wk, Wv: c_attn.weight, side by side; Wo: c_proj.weight; …": a row for help and manual. */
void convention_describe(text *out, const convention *row);
/* "attention in attn; ln1: ln_1; …" */
void layer_convention_describe(text *out, const layer_convention *row);

/* The index of a model in several files (model.safetensors.index.json), given as a bundle: by the
 * names that are there. */
bool bundle_index_is(const text_list *names);
/* Says that it is an index, and which file has the weights of the attention, or of the layers, that
 * the options ask for. `read` is all of it. Returns false. */
bool bundle_index_refuse(const bundle *read, const char *file, const bundle_options *w,
                         bool is_of_layers, err *e);

#endif
