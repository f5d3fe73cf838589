/* fma: a hash of fma and of fmaf of millions of numbers: any bits, some near 1, some with few
 * digits, some near the smallest, sums that are almost 0. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { KINDS = 6, NUMBERS = 1000000 };

static uint64_t state = 88172645463325252u;

/* xorshift64*. */
static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 2685821657736338717u;
}

/* Bits of a number with so many bits after the exponent, whose middle is `one`. */
static uint64_t bits(int kind, int digits, uint64_t one)
{
    uint64_t rest = draw(), low = ((uint64_t)1 << digits) - 1, sign = rest >> 63;
    uint64_t exponent = kind == 1   ? one - 30 + draw() % 60
                        : kind == 2 ? one - 3 + draw() % 6
                                    : draw() % 60;
    uint64_t few = (rest & 3) | (rest & 31) << (digits - 5);
    return sign << (digits == 52 ? 63 : 31) | exponent << digits | (kind == 2 ? few : rest & low);
}

static double number(int kind)
{
    uint64_t as = kind == 0 ? draw() : bits(kind, 52, 1023);
    double x;
    memcpy(&x, &as, sizeof x);
    return x;
}

static float small_number(int kind)
{
    uint32_t as = kind == 0 ? (uint32_t)draw() : (uint32_t)bits(kind, 23, 127);
    float x;
    memcpy(&x, &as, sizeof x);
    return x;
}

static void add(uint64_t *hash, double x)
{
    uint64_t as = 0; /* of what is no number, whose bits are anybody's */
    if (!isnan(x))
        memcpy(&as, &x, sizeof as);
    *hash = (*hash ^ as) * 1099511628211u;
}

int main(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        uint64_t hash = 14695981039346656037u, of_small = hash;
        for (int i = 0; i < NUMBERS; i++) {
            int of = kind % 4, other = kind == 3 ? 1 : of;
            volatile double x = number(of), y = number(other), z = number(of);
            volatile float a = small_number(of), b = small_number(other), c = small_number(of);
            if (kind >= 4) { /* what the product loses when it is rounded, or nearly */
                z = kind == 4 ? -(x * y) : nextafter(-(x * y), 0);
                c = kind == 4 ? -(a * b) : nextafterf(-(a * b), 0);
            }
            add(&hash, fma(x, y, z));
            add(&of_small, (double)fmaf(a, b, c));
        }
        printf("%d %016llx %016llx\n", kind, (unsigned long long)hash,
               (unsigned long long)of_small);
    }
    return 0;
}
