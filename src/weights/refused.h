/* What a bundle has besides the weights that are read, and says that a result without it would be
 * another: names of what is not computed here, and of weights whose numbers are not yet theirs. */
#ifndef SELFATTN_WEIGHTS_REFUSED_H
#define SELFATTN_WEIGHTS_REFUSED_H

#include "weights/weights.h"

/* False, with the error set, where a name next to q_proj.weight says that it is not a weight yet:
 * quantised, or to have an adapter added. Also where there is no q_proj.weight. */
bool unfinished_check(const name_index *names, const char *file, const char *weight, err *e);
/* The same of any name after the prefix, where none is known as that of a weight. */
bool unfinished_check_all(const name_index *names, const char *file, const char *prefix, err *e);
/* "SCB, weight.absmax, …": the names, for help and manual. */
void unfinished_describe(text *out);

/* False with the error set for the first name besides the weights of attention that would change
 * the result, and of which neither --map nor an option nor the document says what is done about it.
 * */
bool refused_check(weight_match *m, const bundle_options *w, const bundle *contents, err *e);

/* False with the error set for the first name of a layer that is not taken, unless it is known to
 * have no part in the result. */
bool leftovers_check(weight_match *m, err *e);
/* "inv_freq, position_ids, …": what has no part in any layer, for help and manual. */
void leftovers_describe(text *out);

#endif
