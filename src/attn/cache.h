/* A cache: keys and values of earlier rows, and the new ones behind them.
 *
 * What attends sees one row of keys; that some came out of a cache changes no bit, since every
 * element of a key is computed from its own row alone. */
#ifndef SELFATTN_ATTN_CACHE_H
#define SELFATTN_ATTN_CACHE_H

#include "attn/project.h"

/* Puts past_k and past_v before made->k and made->v, where there is a cache. */
bool cache_join(projected *made, const plan *p, tensor *kept, err *e);

#endif
