/* The order in which the stages of a result were made, whatever the order of its file. */
#ifndef SELFATTN_CLI_DIFF_DIFF_ORDER_H
#define SELFATTN_CLI_DIFF_DIFF_ORDER_H

#include "tensor/bundle.h"

/* The indices of all entries: those of one attention by the pipeline, those of layers floor by
 * floor, and what is no stage behind them. NULL without memory; to be freed by mem_free. */
size_t *diff_order(const bundle *result, err *e);

#endif
