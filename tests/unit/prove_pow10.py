#!/usr/bin/env python3
"""Proves what number_read.c and number_write.c take for granted of src/io/number_parts.c's rows: the 128
leading bits of each power of ten, cut off, not rounded. It says nothing where all holds.

What is proved in the papers that they follow is checked here for these rows and for how they use
them, because it takes long integers. tests/unit/test_pow10.c computes every row again.
"""

LEAST, GREATEST = -342, 324  # POW10_MIN and POW10_MAX of src/io/number_parts.h, which gives the reasons


def leading_bits(q):
    """floor(10^q * 2^s) for the one s that gives it 128 bits."""
    if q >= 0:
        power = 10**q
        drop = power.bit_length() - 128
        return power >> drop if drop >= 0 else power << -drop
    # 2^(127 + bits) / 10^-q lies strictly between 2^127 and 2^128, for 10^-q is no power of two.
    power = 10**-q
    return (1 << (127 + power.bit_length())) // power


def first_between(a, m, low, high):
    """The least w >= 0 with low <= a*w mod m <= high, or None: Euclid's algorithm on a and m."""
    if low == 0:
        return 0
    if 2 * a > m:
        return first_between(m - a, m, m - high, m - low)
    if a == 0:
        return None
    w = -(-low // a)
    if a * w <= high:
        return w
    wraps = first_between(-m % a, a, low % a, high % a)
    return None if wraps is None else -(-(low + m * wraps) // a)


def reader_decides(q):
    """Outside -27..55, no 64-bit w makes the 73 bits of w*row above the last 64 all ones, so that a
    carry would pass through them."""
    if -27 <= q <= 55:
        return True
    w = first_between(leading_bits(q), 2**137, 2**137 - 2**64, 2**137 - 1)
    return w is None or w >= 2**64


def zero_means_exact(q, unit, limit, bits):
    """With the row taken from above, no multiple of `unit` up to the limit leaves 0 in the middle
    word, and a multiple of 2^(bits - 128) above it, unless the true product is that multiple. From
    -27 to -1 a true product that is none is at least 1/5^27 > 2^-63 away."""
    if -27 <= q < 0:
        return True
    near = [(1, 2**64 - 1)]
    row = leading_bits(q)
    if q < 0 or q > 55:
        row += 1
    else:  # exact: the excess, less than 2^64, must not carry either
        near += [(2**bits - 2**64, 2**bits - 1)]
    found = [first_between(unit * row % 2**bits, 2**bits, low, high) for low, high in near]
    return all(t is None or t > limit for t in found)


def writer_decides(precision, e):
    """scale_to_odd is right wherever it is compared: the value with multiples of 2, the ends of its
    interval with multiples of 4 (all counted in quarters)."""
    for near_below in (False, True):
        q = -((e * 1262611 - 524031 * near_below) >> 22)
        h = e + (q * 1741647 >> 19) + 1
        value, end = 4 << h, 1 << h if near_below else 2 << h
        if not zero_means_exact(q, value, 2**precision, 129):
            return False
        if not zero_means_exact(q, end, 2 ** (precision + (2 if near_below else 1)) + 1, 130):
            return False
    return True


for q in range(LEAST, GREATEST + 1):
    assert leading_bits(q).bit_length() == 128
    assert reader_decides(q)
assert all(writer_decides(24, e) for e in range(-149, 105))
assert all(writer_decides(53, e) for e in range(-1074, 972))
