/* Weights of a bundle whose numbers are not yet the weights: quantised ones, and those that an
 * adapter is to be added to. The names beside them say so. */
#ifndef SELFATTN_WEIGHTS_BUNDLE_UNFINISHED_H
#define SELFATTN_WEIGHTS_BUNDLE_UNFINISHED_H

#include "base/text.h"
#include "weights/names.h"

/* False, with the error set, where a name beside q_proj.weight says that it is no weight yet; also
 * where there is no q_proj.weight. */
bool bundle_unfinished_check(const name_index *names, const char *file, const char *weight, err *e);

/* The same of any name behind the prefix, where none is known as that of a weight. */
bool bundle_unfinished_check_all(const name_index *names, const char *file, const char *prefix,
                                 err *e);

/* "SCB, weight.absmax, …": the names, for help and manual. */
void bundle_unfinished_describe(text *out);

#endif
