#include "io/number_parts.h"

#include <assert.h>
#include <string.h>

/* ---- powers of ten ---- */

/* 5^POW10_MAX has 753 bits; of 2^927, divided by 5 as often as POW10_MIN asks, 133 are left. */
enum { LIMBS = 29 };

uint128 POW10[POW10_MAX - POW10_MIN + 1];

/* The least limb comes first. */
static uint128 leading_bits(const uint32_t limb[LIMBS])
{
    uint64_t word[5];
    int top = LIMBS - 1;
    while (limb[top] == 0)
        top--;
    for (int i = 0; i < 5; i++)
        word[i] = i <= top ? limb[top - i] : 0;
    int shift = __builtin_clzll(word[0]) - 32;
    uint128 bits = {word[0] << 32 | word[1], word[2] << 32 | word[3]};
    bits = uint128_left(bits, shift);
    bits.low |= word[4] >> (32 - shift);
    return bits;
}

/* 10^q has the bits of 5^q. Dividing by 5 with the rest cut off, again and again, gives the same as
 * dividing once, so no error grows. It takes some 30 µs, before main. */
__attribute__((constructor)) static void make_rows(void)
{
    uint32_t power[LIMBS] = {1}, part[LIMBS] = {[LIMBS - 1] = (uint32_t)1 << 31};
    for (int q = 0; q <= POW10_MAX; q++) {
        uint64_t carry = 0;
        POW10[q - POW10_MIN] = leading_bits(power);
        for (int i = 0; i < LIMBS; i++) {
            carry += (uint64_t)power[i] * 5;
            power[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    for (int q = -1; q >= POW10_MIN; q--) {
        uint64_t rest = 0;
        for (int i = LIMBS - 1; i >= 0; i--) {
            rest = rest << 32 | part[i];
            part[i] = (uint32_t)(rest / 5);
            rest %= 5;
        }
        POW10[q - POW10_MIN] = leading_bits(part);
    }
}

/* ---- whole numbers ---- */

static void push_limb(big *b, uint32_t limb)
{
    assert(b->count < BIG_LIMBS);
    b->limb[b->count++] = limb;
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
    const uint32_t ten_9 = 1000000000;
    size_t first = BIG_DIGITS; /* filled from the back, nine digits a division */
    while (b->count > 0) {
        uint64_t nine = 0; /* what is left of the division */
        for (size_t i = b->count; i-- > 0;) {
            uint64_t part = nine << 32 | b->limb[i];
            b->limb[i] = (uint32_t)(part / ten_9);
            nine = part % ten_9;
        }
        while (b->count > 0 && b->limb[b->count - 1] == 0)
            b->count--;
        for (int i = 0; i < 9 && (nine != 0 || b->count > 0); i++, nine /= 10) {
            assert(first > 0);
            digit[--first] = (char)('0' + nine % 10);
        }
    }
    memmove(digit, digit + first, BIG_DIGITS - first);
    return BIG_DIGITS - first;
}
