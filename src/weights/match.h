/* Names that are looked for among those of a bundle. */
#ifndef SELFATTN_WEIGHTS_MATCH_H
#define SELFATTN_WEIGHTS_MATCH_H

#include "weights/weights.h"

/* The attention, or the layers, that --prefix says, or else the only ones. False with the error set
 * where there are none or several, where --map names what is not there, or where what is found are
 * no weights yet. `names` and `file` must outlive the result, which is to be freed in any case. */
bool weights_match(weight_match *m, bool is_alone, const text_list *names, const char *file,
                   const bundle_options *w, err *e);
void weight_match_free(weight_match *m);

/* The names are the document's own keys. */
bool weight_match_is_own(const weight_match *m);

/* ---- names that are looked for ---- */

/* The name of a layer that ends so after `way`, "" or "self_attn"; NULL where there is none. What
 * was looked for is in m->name. */
const char *match_name(weight_match *m, size_t layer, const char *way, const char *tail);
/* One of the names, ended with one of the words, in the layer; NULL: there is none, and m->name is
 * the first. */
const char *match_ended(weight_match *m, size_t layer, const char *names, const char *words);
/* What attention reads, by whichever alternative is there; m->name is the first that is not. */
const char *match_weight(weight_match *m, size_t layer, const char *way, const convention *by,
                         input which);
/* One of the names, ended with one of the words, in what the layers are in, or further up where
 * `climbs`; NULL: there is none. */
indexed_name *match_beside(weight_match *m, const char *names, const char *words, bool climbs);

/* Whether a name, which begins as those of layers do, is a layer's; which one's, and where it goes
 * on. */
bool match_layer_of(const weight_match *m, const indexed_name *one, size_t *layer, size_t *within);

/* Length of the name of what the layers are in, "transformer." of transformer.h.{}. */
size_t match_parent(const weight_match *m);
/* "transformer.h.{}", or of one attention "h.0.attn.", as --prefix takes it. */
void match_write_place(text *out, const weight_match *m);

#endif
