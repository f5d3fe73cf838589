#include "io/decimal_big.h"

#include <assert.h>
#include <string.h>

static void push_limb(big *b, uint32_t limb)
{
    assert(b->count < BIG_LIMBS);
    b->limb[b->count++] = limb;
}

/* b := ⌊b / divisor⌋; returns the remainder. */
static uint32_t divide_small(big *b, uint32_t divisor)
{
    uint64_t remainder = 0;
    for (size_t i = b->count; i-- > 0;) {
        uint64_t part = remainder << 32 | b->limb[i];
        b->limb[i] = (uint32_t)(part / divisor);
        remainder = part % divisor;
    }
    while (b->count > 0 && b->limb[b->count - 1] == 0)
        b->count--;
    return (uint32_t)remainder;
}

void big_set(big *b, uint64_t value)
{
    b->count = 0;
    for (; value != 0; value >>= 32)
        push_limb(b, (uint32_t)value);
}

void big_times_plus(big *b, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (size_t i = 0; i < b->count; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        push_limb(b, (uint32_t)carry);
}

void big_times_pow5(big *b, int power)
{
    const uint32_t five_13 = 1220703125; /* 5^13, the greatest power of five in a limb */
    for (; power >= 13; power -= 13)
        big_times_plus(b, five_13, 0);
    for (; power > 0; power--)
        big_times_plus(b, 5, 0);
}

void big_shift_left(big *b, int bits)
{
    assert(b->count > 0);
    big_times_plus(b, (uint32_t)1 << bits % 32, 0);
    size_t limbs = (size_t)bits / 32;
    assert(b->count + limbs <= BIG_LIMBS);
    memmove(b->limb + limbs, b->limb, b->count * sizeof b->limb[0]);
    memset(b->limb, 0, limbs * sizeof b->limb[0]);
    b->count += limbs;
}

int big_compare(const big *a, const big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

size_t big_take_digits(big *b, char digit[BIG_DIGITS])
{
    size_t first = BIG_DIGITS; /* filled from the back, nine digits a division */
    while (b->count > 0) {
        uint32_t nine = divide_small(b, 1000000000);
        for (int i = 0; i < 9 && (nine != 0 || b->count > 0); i++, nine /= 10) {
            assert(first > 0);
            digit[--first] = (char)('0' + nine % 10);
        }
    }
    memmove(digit, digit + first, BIG_DIGITS - first);
    return BIG_DIGITS - first;
}
