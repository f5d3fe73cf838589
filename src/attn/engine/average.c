#include "attn/engine/average.h"

/* Sums and quotients of float32 numbers that are computed in float64 and then rounded are what
 * float32 arithmetic gives (Figueroa, "When is double rounding innocuous?", 1995), so one loop
 * serves both types. */
static double average_at(const tensor *t, int heads, const size_t *index, const tensor *rounding)
{
    size_t from[TENSOR_MAX_RANK];
    tensor number = *rounding;
    for (int axis = 0; axis < t->rank; axis++)
        from[axis] = axis < heads ? index[axis] : axis == heads ? 0 : index[axis - 1];
    double sum = tensor_get(t, from);
    for (from[heads] = 1; from[heads] < t->size[heads]; from[heads]++) {
        tensor_set(&number, NULL, sum + tensor_get(t, from));
        sum = tensor_get(&number, NULL);
    }
    return sum / (double)t->size[heads];
}

bool tensor_average(tensor *t, int heads, err *e)
{
    size_t size[TENSOR_MAX_RANK], index[TENSOR_MAX_RANK] = {0};
    tensor average, number;
    for (int axis = 0; axis < t->rank; axis++) {
        if (axis != heads)
            size[axis < heads ? axis : axis - 1] = t->size[axis];
    }
    if (!tensor_new(&number, t->type, 0, NULL, e))
        return false;
    bool done = tensor_new(&average, t->type, t->rank - 1, size, e);
    if (done) {
        do
            tensor_set(&average, index, average_at(t, heads, index, &number));
        while (tensor_next(&average, index));
        tensor_free(t);
        *t = average;
    }
    tensor_free(&number);
    return done;
}
