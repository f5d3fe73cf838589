#include "ref/dice.h"

uint64_t dice_bits(dice *d)
{
    uint64_t z = d->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

size_t dice_below(dice *d, size_t n)
{
    return (size_t)(dice_bits(d) % n);
}

double dice_fraction(dice *d)
{
    return (double)(dice_bits(d) >> 11) * 0x1p-53;
}

bool dice_chance(dice *d, double probability)
{
    return dice_fraction(d) < probability;
}

const char *dice_word(dice *d, size_t count, const char *const *words)
{
    return words[dice_below(d, count)];
}
