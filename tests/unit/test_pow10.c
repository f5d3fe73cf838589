/* Computes every row of the table again: powers of five by multiplication, their reciprocals by
 * long division in binary. Nothing here is shared with the code under test. */
#include "unit.h"

#include "io/number_parts.h"

enum { LIMBS = 28 }; /* 5^342 has 795 bits; twice a remainder below it has 796 */

typedef struct whole {
    uint32_t limb[LIMBS]; /* the least first */
} whole;

static whole power_of_five(int exponent)
{
    whole w = {{1}};
    for (; exponent > 0; exponent--) {
        uint64_t carry = 0;
        for (int i = 0; i < LIMBS; i++) {
            carry += (uint64_t)w.limb[i] * 5;
            w.limb[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return w;
}

static int bit(const whole *w, int place)
{
    return place < 0 ? 0 : (int)(w->limb[place / 32] >> place % 32 & 1);
}

static int bit_length(const whole *w)
{
    int length = 32 * LIMBS;
    while (!bit(w, length - 1))
        length--;
    return length;
}

static void append_bit(uint128 *row, int next)
{
    row->high = row->high << 1 | row->low >> 63;
    row->low = row->low << 1 | (uint64_t)next;
}

/* a := 2a − b where that is not negative, else 2a. Returns whether b was taken off. */
static int double_and_reduce(whole *a, const whole *b)
{
    whole doubled, reduced;
    int64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        doubled.limb[i] = a->limb[i] << 1 | (i > 0 ? a->limb[i - 1] >> 31 : 0);
        int64_t difference = (int64_t)doubled.limb[i] - b->limb[i] - borrow;
        borrow = difference < 0;
        reduced.limb[i] = (uint32_t)difference;
    }
    *a = borrow ? doubled : reduced;
    return !borrow;
}

/* The 128 leading bits of 10^q, and ⌊log2(10^q)⌋. */
static uint128 leading_bits(int q, int *log2)
{
    whole five = power_of_five(q < 0 ? -q : q);
    int length = bit_length(&five);
    uint128 row = {0, 0};
    if (q >= 0) {
        *log2 = q + length - 1;
        for (int i = 1; i <= 128; i++)
            append_bit(&row, bit(&five, length - i));
        return row;
    }
    /* 2^length / 5^−q lies between 1 and 2: its bits one by one. */
    *log2 = q - length;
    whole rest = {{0}};
    rest.limb[(length - 1) / 32] = (uint32_t)1 << (length - 1) % 32;
    for (int i = 0; i < 128; i++)
        append_bit(&row, double_and_reduce(&rest, &five));
    return row;
}

static void check_row(unit *u, int q)
{
    int log2;
    uint128 wanted = leading_bits(q, &log2), got = pow10_of(q);
    bool right = CHECK(u, got.high == wanted.high && got.low == wanted.low);
    right &= CHECK(u, pow10_log2(q) == log2);
    right &= CHECK(u, q >= 0 || got.low != UINT64_MAX);
    if (!right)
        printf("  in the row of 10^%d\n", q);
}

/* (2^64 − 1) · (2^128 − 1) = 2^192 − 2^128 − 2^64 + 1. */
static void check_product(unit *u)
{
    pow10_product p = pow10_times((uint128){UINT64_MAX, UINT64_MAX}, UINT64_MAX);
    CHECK(u, p.high == UINT64_MAX - 1 && p.middle == UINT64_MAX && p.low == 1);
}

UNIT(pow10)
{
    for (int q = POW10_MIN; q <= POW10_MAX; q++)
        check_row(u, q);
    check_product(u);
}
