#include "io/pow10.h"

/* 5^POW10_MAX has 753 bits; of 2^927, divided by 5 as often as POW10_MIN asks, 133 are left. */
enum { LIMBS = 29 };

pow10_bits POW10[POW10_MAX - POW10_MIN + 1];

/* The least limb comes first. */
static pow10_bits leading_bits(const uint32_t limb[LIMBS])
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

/* 10^q has the bits of 5^q. To divide by 5, cut off, and again, cuts off what dividing once does:
 * no error grows. It takes some 30 µs, before main. */
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
