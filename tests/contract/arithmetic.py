"""The numbers of selfattn-contract(7): two types, and functions that give the same bits anywhere.

By the text of that page; floats of Python are float64, and its integers make fma exact.
"""
import math
import struct
from decimal import Decimal, localcontext
from fractions import Fraction


# --- the two types ---------------------------------------------------------------------------------

def bits(words):
    """Numbers as the page has them"""
    return [float.fromhex(word) for word in words.split()]


def odd(high, low):
    """high + low, whose last bit says that something was lost: it can be rounded once more."""
    if low == 0 or not math.isfinite(high) or struct.unpack("<q", struct.pack("<d", high))[0] & 1:
        return high
    return math.nextafter(high, math.copysign(math.inf, low))


def fma64(a, b, c):
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    (an, ad), (bn, bd), (cn, cd) = a.as_integer_ratio(), b.as_integer_ratio(), c.as_integer_ratio()
    top = an * bn * cd + cn * ad * bd
    return top / (ad * bd * cd) if top else a * b + c


def round32(x):
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def fma32(a, b, c):
    p, s = a * b, a * b + c
    part = s - p
    return round32(odd(s, (p - (s - part)) + (c - part)))


class Float64:
    name, pack, smallest = "f64", "<d", 2.0 ** -1022
    round, fma = staticmethod(float), staticmethod(fma64)
    log2e, ln2_high, ln2_low = bits("0x1.71547652b82fep+0 0x1.62e42fefa39efp-1 0x1.abc9e3b39803fp-56")
    least, shift, bias = -709.0, 1.5 * 2.0 ** 52, 1023
    terms = [1 / math.factorial(i) for i in range(13, -1, -1)]

    @staticmethod
    def read(x):
        return float(x)


class Float32:
    name, pack, smallest = "f32", "<f", 2.0 ** -126
    round, fma = staticmethod(round32), staticmethod(fma32)
    log2e, ln2_high, ln2_low = bits("0x1.715476p+0 0x1.62e43p-1 -0x1.05c61p-29")
    least, shift, bias = -88.0, 1.5 * 2.0 ** 23, 127
    terms = bits("0x1.6a2434p-10 0x1.1239e2p-7 0x1.5558f2p-5 0x1.555492p-3 0x1.fffffcp-2 1 1")

    @staticmethod
    def read(x):
        return round32(odd(float(x), x - Fraction(float(x))) if isinstance(x, Fraction) else x)


TYPES = {"f32": Float32, "f64": Float64}


# --- functions -------------------------------------------------------------------------------------

def exp_parts(t, x, m):
    """n and r with e^(x - m) = 2^n·e^r"""
    k = t.fma(m, t.log2e, t.shift) - t.shift
    rho = t.fma(k, -t.ln2_high, m)
    s = t.shift + t.bias - k
    x = max(x, t.round(m + t.least))
    power = t.round(t.fma(x, t.log2e, t.round(-rho * t.log2e)) + s)
    n = power - (t.shift + t.bias)
    return n, t.fma(n, -t.ln2_low, t.round(t.fma(power - s, -t.ln2_high, x) - rho))


def power_of_two(t, n):
    return 2.0 ** n if n > -t.bias else 0.0


def polynomial(t, terms, x):
    total = terms[0]
    for term in terms[1:]:
        total = t.fma(total, x, term)
    return total


def exp(t, x, m):
    if abs(m) >= 65536:
        x, m = t.round(x - m), 0.0
    n, r = exp_parts(t, x, m)
    return t.round(polynomial(t, t.terms, r) * power_of_two(t, n))


def tanh(t, x):
    n, r = exp_parts(t, -2 * abs(x), 0.0)
    s, p = power_of_two(t, n), t.fma(t.round(r * r), polynomial(t, t.terms[:-2], r), r)
    size = t.round(t.fma(s, p, t.round(s - 1)) / t.fma(s, p, t.round(s + 1)))
    return size if x < 0 else 0 - size


LN2 = bits("0x1.62e42feep-1 0x1.a39ef35793c76p-33")


def log(x):
    m, e = math.frexp(x)
    m, e = (2 * m, e - 1) if 2 * m < 1.4142135623730951 else (m, e)
    f = m - 1
    s, half = f / (2 + f), 0.5 * f * f
    rest = polynomial(Float64, [0.0] + [2 / i for i in range(25, 2, -2)], s * s)
    small = s * (half + rest * (s * s)) + e * LN2[1]
    return e * LN2[0] - ((half - small) - f)


def two_sum(a, b):
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_product(a, b):
    return a * b, fma64(a, b, -(a * b))


def two_add(a, b):
    (high, rest), (low, least) = two_sum(a[0], b[0]), two_sum(a[1], b[1])
    high, rest = two_sum(high, low + rest)
    return two_sum(high, rest + least)


def series(terms, z):
    total = terms[0]
    for term in terms[1:]:
        total = total * z + term
    return total


SINE = [(-1) ** (i // 2) / math.factorial(i) for i in range(17, 2, -2)]
COSINE = [(-1) ** (i // 2) / math.factorial(i) for i in range(16, 3, -2)]
QUARTER = bits("0x1.921fb54442d18p+0 0x1.1a62633145c07p-54 -0x1.f1976b7ed8fbcp-110")
QUARTERS_A_RADIAN, = bits("0x1.45f306dc9c883p-1")


def cosine_and_sine(position, frequency):
    angle = two_product(position, frequency)
    n = angle[0] * QUARTERS_A_RADIAN + 1.5 * 2.0 ** 52 - 1.5 * 2.0 ** 52
    for part in QUARTER:
        angle = two_add(angle, two_product(-n, part))
    r, low = angle
    z = r * r
    first = 1 - z / 2
    s = r + (r * z * series(SINE, z) + low * first)
    c = first + (((1 - first) - z / 2) + (z * z * series(COSINE, z) - r * low))
    return [(c, s), (-s, c), (-c, -s), (s, -c)][int(n) % 4]


def frequency(base, p, width):
    with localcontext() as to:
        to.prec = 60
        return float(Decimal(float(base)) ** (Decimal(-2 * p) / width)) if p else 1.0


def partial_sums(t, terms):
    """16 sums and their rests, one by one; joined by the tree."""
    part = [(0.0, 0.0)] * 16

    def add(at, value, rest):
        total, lost = two_sum(part[at][0], value)
        part[at] = (total, (part[at][1] + rest) + lost if t is Float64 else 0.0)
    for j, term in enumerate(terms):
        add(j % 16, term, 0.0)
    for step in (8, 4, 2, 1):
        for at in range(step):
            add(at, *part[at + step])
    return part[0]


# --- rows ------------------------------------------------------------------------------------------

def chain(t, a, b, begin=0.0):
    for x, y in zip(a, b):
        begin = t.fma(x, y, begin)
    return begin + 0.0


def product(t, a, b, begin=None):
    columns = turned(b)
    return [[chain(t, row, column, begin[i][j] if begin else 0.0) for j, column in enumerate(columns)]
            for i, row in enumerate(a)]


def turned(rows):
    return [list(column) for column in zip(*rows)]


def added(t, a, b):
    return [[t.round(x + y) for x, y in zip(one, other)] for one, other in zip(a, b)]


def apart(rows, heads):
    """Heads side by side become a list of heads."""
    width = len(rows[0]) // heads
    return [[row[h * width:(h + 1) * width] for row in rows] for h in range(heads)]


def joined(heads):
    return [[x for head in heads for x in head[i]] for i in range(len(heads[0]))]


def shape(table):
    return [len(table)] + shape(table[0]) if isinstance(table, list) else []


def flat(table):
    return [x for part in table for x in flat(part)] if isinstance(table, list) else [table]


def shaped(numbers, sizes):
    if not sizes:
        return numbers[0]
    step = len(numbers) // sizes[0]
    return [shaped(numbers[i * step:(i + 1) * step], sizes[1:]) for i in range(sizes[0])]


def norm_root(t, row, eps):
    total, rest = partial_sums(t, [x * x for x in row])
    return math.sqrt((total + rest) / len(row) + eps)
