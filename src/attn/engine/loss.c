#include "attn/engine/loss.h"

double loss_term(const loss *by, const tensor *output, const size_t *index)
{
    double value = tensor_get(output, index);
    if (by->kind == LOSS_SQUARE) {
        double apart = value - tensor_get(&by->target, index);
        return apart * apart / 2;
    }
    return by->given.data == NULL ? value : value * tensor_get(&by->given, index);
}

double loss_of(const loss *by, const tensor *output)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    double sum = 0;
    do
        sum += loss_term(by, output, index);
    while (tensor_next(output, index));
    return by->kind == LOSS_MEAN ? sum / (double)tensor_count(output) : sum;
}

void loss_grad(const loss *by, const tensor *output, const tensor *grad)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    double each = by->kind == LOSS_MEAN                 ? 1 / (double)tensor_count(output)
                  : by->kind == LOSS_SUM || by->is_ones ? 1
                                                        : 0;
    tensor to = *grad;
    if (by->given.data != NULL) {
        tensor_copy(&by->given, &to);
        return;
    }
    do
        tensor_set(&to, index,
                   by->kind != LOSS_SQUARE
                       ? each
                       : tensor_get(output, index) - tensor_get(&by->target, index));
    while (tensor_next(grad, index));
}
