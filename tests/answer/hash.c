#include "answer/hash.h"

#include "base/float_bits.h"

#include <math.h>
#include <string.h>

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection of the 64 bits, so that for
 * the same `hash` other bits always give another one. */
uint64_t hash_bits(uint64_t hash, uint64_t bits)
{
    uint64_t z = (hash ^ bits) + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t bits_of_float(float x)
{
    return isnan(x) ? 0x7fc00000 : float32_bits(x);
}

static uint64_t bits_of_double(double x)
{
    return isnan(x) ? 0x7ff8000000000000 : float64_bits(x);
}

uint64_t hash_tensor(uint64_t hash, const tensor *t)
{
    for (size_t i = 0; i < tensor_count(t); i++)
        hash = hash_bits(hash, t->type == DTYPE_F32 ? bits_of_float(((const float *)t->data)[i])
                                                    : bits_of_double(((const double *)t->data)[i]));
    return hash;
}

/* ---- self-test ---- */

enum { SAMPLES = 3, BYTES_MOST = SAMPLES * sizeof(double) };

static uint64_t hash_bytes(dtype type, const unsigned char *bytes)
{
    tensor t = {.type = type, .rank = 1, .size = {SAMPLES}, .stride = {1}};
    double numbers[SAMPLES]; /* aligned for both types */
    memcpy(numbers, bytes, SAMPLES * dtype_size(type));
    t.data = numbers;
    return hash_tensor(HASH_START, &t);
}

/* 1, −2.5 and 0, and each of their bits turned in turn; none of these is NaN. */
static bool notices_each_bit(dtype type)
{
    static const float FLOATS[SAMPLES] = {1, -2.5f, 0};
    static const double DOUBLES[SAMPLES] = {1, -2.5, 0};
    unsigned char bytes[BYTES_MOST];
    size_t size = SAMPLES * dtype_size(type);
    memcpy(bytes, type == DTYPE_F32 ? (const void *)FLOATS : (const void *)DOUBLES, size);
    uint64_t right = hash_bytes(type, bytes);
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (hash_bytes(type, bytes) == right)
            return false;
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    return hash_bytes(type, bytes) == right;
}

static bool takes_all_nan_for_one(dtype type)
{
    float floats[2][SAMPLES] = {{NAN, 1, 2}, {-NAN, 1, 2}};
    double doubles[2][SAMPLES] = {{(double)NAN, 1, 2}, {-(double)NAN, 1, 2}};
    bool is_float = type == DTYPE_F32;
    const void *one = is_float ? (const void *)floats[0] : (const void *)doubles[0],
               *other = is_float ? (const void *)floats[1] : (const void *)doubles[1];
    return memcmp(one, other, dtype_size(type)) != 0 &&
           hash_bytes(type, one) == hash_bytes(type, other);
}

bool hash_notices(dtype type)
{
    return notices_each_bit(type) && takes_all_nan_for_one(type);
}
