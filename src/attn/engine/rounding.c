#include "attn/engine/rows.h"

#include <math.h>
#include <stdlib.h>

/* fma gives what the product w·10ᵈ lost to rounding, so that a rest of exactly one half is seen as
 * such, and of two weights the larger has the larger rest. */
static share share_of(double weight, double tens, size_t j)
{
    double product = weight * tens, lost = fma(weight, tens, -product);
    double whole = floor(product);
    if (product == whole && lost < 0)
        return (share){whole - 1, 1, lost, j};
    return (share){whole, product - whole, lost, j};
}

static double power_of_ten(int decimals)
{
    double power = 1;
    for (int i = 0; i < decimals; i++)
        power *= 10;
    return power;
}

void rows_round(const tensor *in, int decimals, tensor *out)
{
    double tens = power_of_ten(decimals);
    for (size_t i = 0; i < in->size[0]; i++) {
        for (size_t j = 0; j < in->size[1]; j++) {
            share one = share_of(tensor_get(in, (size_t[]){i, j}), tens, j);
            bool is_half_or_more = (one.rest - 0.5) + one.lost >= 0;
            tensor_set(out, (size_t[]){i, j}, (is_half_or_more ? one.whole + 1 : one.whole) / tens);
        }
    }
}

static int larger_rest_first(const void *a, const void *b)
{
    const share *one = a, *other = b;
    double difference = (one->rest - other->rest) + (one->lost - other->lost);
    if (difference != 0)
        return difference > 0 ? -1 : 1;
    return (one->key > other->key) - (one->key < other->key);
}

/* Hands the units that are missing to the largest rests, all keys in turn where there are more;
 * takes those that are too many (weights whose float32 sum is a little above 1, at many decimals)
 * from the smallest. */
static void settle(share *shares, size_t count, double missing)
{
    double turns = floor(missing / (double)count);
    for (size_t i = 0; turns > 0 && i < count; i++)
        shares[i].whole += turns;
    missing -= turns > 0 ? turns * (double)count : 0;
    for (size_t i = 0; missing > 0; i++, missing--)
        shares[i].whole++;
    for (size_t i = count; i-- > 0 && missing < 0;) {
        if (shares[i].whole > 0) {
            shares[i].whole--;
            missing++;
        }
    }
}

/* Keys of weight 0 take no part: they sort after all others, and nothing is given to them. */
void rows_round_keep_sum(const tensor *in, int decimals, tensor *out, share *shares)
{
    double tens = power_of_ten(decimals);
    for (size_t i = 0; i < in->size[0]; i++) {
        size_t count = in->size[1], positive = 0;
        double whole = 0;
        for (size_t j = 0; j < count; j++) {
            double weight = tensor_get(in, (size_t[]){i, j});
            shares[j] = weight == 0 ? (share){0, -1, 0, j} : share_of(weight, tens, j);
            whole += shares[j].whole;
            positive += weight != 0;
        }
        if (positive > 0) {
            qsort(shares, count, sizeof shares[0], larger_rest_first);
            settle(shares, positive, tens - whole);
        }
        for (size_t j = 0; j < count; j++)
            tensor_set(out, (size_t[]){i, shares[j].key}, shares[j].whole / tens);
    }
}
