"""The arithmetic of selfattn-contract(7): its types, and what it says under FUNCTIONS."""
import math
import struct
from array import array
from decimal import Context, Decimal
from fractions import Fraction


def hexes(words):
    return [float.fromhex(word) for word in words.split()]


def two_sum(a, b):
    t = a + b
    u = t - a
    return t, (a - (t - u)) + (b - u)


def fma(a, b, c):
    """In float64, by whole numbers: their quotient is rounded once."""
    try:
        (a1, a2), (b1, b2), (c1, c2) = (x.as_integer_ratio() for x in (a, b, c))
        exact = a1 * b1 * c2 + c1 * a2 * b2
        return exact / (a2 * b2 * c2) if exact else a * b + c
    except (OverflowError, ValueError):
        return a * b + c


def two_product(a, b):
    t = a * b
    return t, fma(a, b, -t)


def two_add(a, b):
    (t, u), (v, w) = two_sum(a[0], b[0]), two_sum(a[1], b[1])
    t, u = two_sum(t, v + u)
    return two_sum(t, u + w)


def odd(near, lost):
    """What is lost stays known in the last bit, so that a second rounding does no harm."""
    if lost and near - near == 0 and struct.pack("<d", near)[0] % 2 == 0:
        return math.nextafter(near, math.copysign(math.inf, lost))
    return near


def polynomial(coefficients, x, step):
    total = coefficients[0]
    for term in coefficients[1:]:
        total = step(total, x, term)
    return total


def ln(x):
    m, e = math.frexp(x)
    if 2 * m < 1.4142135623730951:
        m, e = 2 * m, e - 1
    f = m - 1
    s, t = f / (2 + f), 0.5 * f * f
    z = s * s
    high, low = hexes("0x1.62e42feep-1 0x1.a39ef35793c76p-33")
    tail = s * (t + polynomial([2 / n for n in range(25, 1, -2)], z, fma) * z) + e * low
    return e * high - ((t - tail) - f)


def inverse_factorials(first, last):
    """With the signs of sine's and cosine's terms"""
    return [(-1) ** (n // 2) / math.factorial(n) for n in range(first, last - 1, -2)]


def cosine_and_sine(position, frequency):
    a, big = two_product(float(position), frequency), 1.5 * 2.0 ** 52
    n = (a[0] * float.fromhex("0x1.45f306dc9c883p-1") + big) - big
    for c in hexes("0x1.921fb54442d18p+0 0x1.1a62633145c07p-54 -0x1.f1976b7ed8fbcp-110"):
        a = two_add(a, two_product(-n, c))
    r, rest = a
    z = r * r
    f = 1 - z / 2
    of_s = polynomial(inverse_factorials(17, 3), z, lambda total, x, term: total * x + term)
    of_t = polynomial(inverse_factorials(16, 4), z, lambda total, x, term: total * x + term)
    s = r + (r * z * of_s + rest * f)
    c = f + (((1 - f) - z / 2) + (z * z * of_t - r * rest))
    return ((c, s), (-s, c), (-c, -s), (s, -c))[int(n) % 4]


def power(base, exponent):
    """base^exponent, rounded once"""
    many = Context(prec=60)
    return float(many.power(Decimal(base), many.divide(*map(Decimal, exponent.as_integer_ratio()))))


class Float64:
    pack, bias, least, big, smallest = "<d", 1023, -709, 1.5 * 2.0 ** 52, 2.0 ** -1022
    log, high, low = hexes("0x1.71547652b82fep+0 0x1.62e42fefa39efp-1 0x1.abc9e3b39803fp-56")
    terms = [1 / math.factorial(n) for n in range(13, -1, -1)]
    round, fma = staticmethod(float), staticmethod(fma)

    def read(self, number):
        """The exact number, whatever it was read as"""
        return float(number)

    def reduced(self, x, m):
        """n and r, of which exp is made"""
        r_ = self.round
        if abs(m) >= 65536:
            x, m = r_(x - m), 0.0
        k = r_(self.fma(m, self.log, self.big) - self.big)
        rho = self.fma(k, -self.high, m)
        s = r_(r_(self.big + self.bias) - k)
        x = max(x, r_(m + self.least))
        p = r_(self.fma(x, self.log, r_(-rho * self.log)) + s)
        n = r_(p - r_(self.big + self.bias))
        return n, self.fma(n, -self.low, r_(self.fma(r_(p - s), -self.high, x) - rho))

    def scale(self, n):
        return 0.0 if n == -self.bias else 2.0 ** n

    def exp(self, x, m):
        if x == -math.inf:
            return 0.0
        n, r = self.reduced(x, m)
        return self.round(polynomial(self.terms, r, self.fma) * self.scale(n))

    def tanh(self, x):
        n, r = self.reduced(self.round(-2 * abs(x)), 0.0)
        s = self.scale(n)
        p = self.fma(self.round(r * r), polynomial(self.terms[:-2], r, self.fma), r)
        result = self.round(self.fma(s, p, self.round(s - 1)) / self.fma(s, p, self.round(s + 1)))
        return 0.0 - result if x >= 0 else result

    def grown(self, one, other):
        """Two sums with rests become one."""
        total, lost = two_sum(one[0], other[0])
        return total, (one[1] + other[1]) + lost

    def sum(self, numbers, after=()):
        """In 16 parts, in float64: the sum and its rest"""
        parts = [(0.0, 0.0)] * 16
        for j, number in enumerate(numbers):
            parts[j % 16] = self.grown(parts[j % 16], (number, 0.0))
        for s in 8, 4, 2, 1:
            parts[:s] = map(self.grown, parts[:s], parts[s:2 * s])
        total = parts[0]
        for number in after:
            total = Float64.grown(self, total, (number, 0.0))
        return total

    def chain(self, one, other):
        total = 0.0
        for a, b in zip(one, other):
            total = self.fma(a, b, total)
        return total + 0.0

    def product(self, one, other):
        columns = list(zip(*other))
        return [[self.chain(row, column) for column in columns] for row in one]


class Float32(Float64):
    pack, bias, least, big, smallest = "<f", 127, -88, 1.5 * 2.0 ** 23, 2.0 ** -126
    log, high, low = hexes("0x1.715476p+0 0x1.62e43p-1 -0x1.05c61p-29")
    terms = hexes("0x1.6a2434p-10 0x1.1239e2p-7 0x1.5558f2p-5 0x1.555492p-3 0x1.fffffcp-2 1 1")

    def round(self, number):
        return array("f", (number,))[0]

    def read(self, number):
        near = float(number)
        if near - near:
            return near
        return self.round(odd(near, float(Fraction(number) - Fraction(near))))

    def fma(self, a, b, c):
        return self.round(odd(*two_sum(a * b, c)))

    def grown(self, one, other):
        return one[0] + other[0], 0.0


TYPES = {"f32": Float32(), "f64": Float64()}
