/* Before and after the loop over blocks: the projections x·W + b that it starts from, and
 * context·Wo + bo. */
#ifndef SELFATTN_ATTN_ENGINE_PROJECT_H
#define SELFATTN_ATTN_ENGINE_PROJECT_H

#include "attn/engine/projected.h"
#include "attn/engine/kept_stages.h"
#include "base/threads.h"

/* `kept` has the places of wanted stages, by stage_id, with all their axes; a tensor without data
 * is not wanted. */
bool project_inputs(projected *made, const plan *p, tensor *kept, crew *by, err *e);
bool project_output(projected *made, const plan *p, tensor *kept, crew *by, err *e);

/* Bytes that project_inputs allocates where these stages are kept, and those that the largest of
 * its and project_output's products takes meanwhile, when no block is computed. */
bool project_memory(const plan *p, const kept_stages *w, size_t *bytes);
size_t project_product_memory(const plan *p, size_t threads);

#endif
