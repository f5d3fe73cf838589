/* What others ask of a plan, also of one that is being made. */
#include "attn/plan/plan.h"

#include <stdio.h>

double plan_operations(const plan *p)
{
    double pairs = (double)p->batches * (double)p->heads * (double)p->n_q * (double)p->n_k;
    return pairs * (double)(p->compared_width + p->v.width);
}

size_t plan_own_keys(const plan *p)
{
    return p->n_k - p->appended;
}

bool plan_is_causal(const plan *p)
{
    return p->asked->causal != CAUSAL_NONE;
}

bool plan_masks(const plan *p)
{
    return plan_is_causal(p) || p->asked->has_window || p->key_lengths.data != NULL ||
           p->mask.data != NULL || p->bias.data != NULL || p->asked->has_alibi;
}

size_t plan_row_number(const plan *p, size_t batch, size_t head, size_t query)
{
    return (batch * p->heads + head) * p->n_q + query;
}

void plan_name_row(const plan *p, size_t row, char name[ROW_NAME])
{
    char batch[32] = "", head[32] = "";
    size_t of_head = row / p->n_q;
    if (p->has_batch)
        snprintf(batch, sizeof batch, "batch %zu, ", of_head / p->heads + 1);
    if (p->has_heads)
        snprintf(head, sizeof head, "head %zu, ", of_head % p->heads + 1);
    snprintf(name, ROW_NAME, "%s%squery %zu", batch, head, row % p->n_q + 1);
}

size_t plan_kv_head(const plan *p, size_t head)
{
    return head / (p->heads / p->kv_heads);
}
