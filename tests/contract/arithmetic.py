"""NUMBERS of selfattn-contract(7), its sums, exp and ln, of arrays of float32 or float64."""
import ctypes
import ctypes.util
import math

import numpy as np

from check import near

F32, F64 = TYPES = np.dtype("f4"), np.dtype("f8")
LIBM = ctypes.CDLL(ctypes.util.find_library("m"))  # its fma rounds once; numpy has none
LIBM.fmaf.restype, LIBM.fmaf.argtypes = ctypes.c_float, [ctypes.c_float] * 3
LIBM.fma.restype, LIBM.fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3
FMA = {F32: np.frompyfunc(LIBM.fmaf, 3, 1), F64: np.frompyfunc(LIBM.fma, 3, 1)}

def fma(a, b, c):
    t = np.result_type(a, b, c)
    return np.asarray(FMA[t](a, b, c), t)

def read(table, t):
    """Numbers, and decimals as Fractions, which only the type rounds"""
    each = np.frompyfunc(lambda x: near(x, "f32" if t == F32 else "f64"), 1, 1)
    return np.array(each(np.array(table, object)), F64).astype(t)

def hexes(words):
    return [float.fromhex(word) for word in words.split()]

def polynomial(coefficients, x, step=fma):
    total = np.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        total = step(total, x, c)
    return total

INVERSE_FACTORIALS = [1 / math.factorial(n) for n in range(13, -1, -1)]
# Of exp: B, bias, least, L, H and h, and the coefficients of p
EXP = {
    F32: (1.5 * 2**23, 127, -88, hexes("0x1.715476p+0 0x1.62e43p-1 -0x1.05c61p-29"), hexes(
        "0x1.6a2434p-10 0x1.1239e2p-7 0x1.5558f2p-5 0x1.555492p-3 0x1.fffffcp-2") + [1, 1]),
    F64: (1.5 * 2**52, 1023, -709, hexes(
        "0x1.71547652b82fep+0 0x1.62e42fefa39efp-1 0x1.abc9e3b39803fp-56"), INVERSE_FACTORIALS),
}
BIG, LOG2_E = EXP[F64][0], EXP[F64][3][0]

def reduced(x, m):
    """2^n and r: e^(x - m) is p(r)·2^n."""
    big, bias, least, (L, H, h), _ = EXP[x.dtype]
    far = abs(m) >= 65536
    x, m = np.where(far, x - m, x), np.where(far, 0, m)
    k = fma(m, L, big) - big
    rho, s = fma(k, -H, m), big + bias - k
    x = np.maximum(x, m + least)
    p = fma(x, L, -rho * L) + s
    n = p - (big + bias)
    r = fma(n, -h, fma(p - s, -H, x) - rho)
    return np.where(n == -bias, 0, np.ldexp(np.ones_like(n), n.astype(int))), r

def exp(x, m):
    scale, r = reduced(x, m)
    return np.where(x == -np.inf, 0, polynomial(EXP[x.dtype][-1], r) * scale)

def ln(x):
    m, e = np.frexp(x)
    low = 2 * m < 1.4142135623730951
    m, e = np.where(low, 2 * m, m), np.where(low, e - 1, e)
    f = m - 1
    s, t = f / (2 + f), 0.5 * f * f
    z = s * s
    R = polynomial([2 / n for n in range(25, 2, -2)], z)
    high, rest = hexes("0x1.62e42feep-1 0x1.a39ef35793c76p-33")
    return e * high - ((t - (s * (t + R * z) + e * rest)) - f)

def two_sum(a, b):
    t = a + b
    u = t - a
    return t, (a - (t - u)) + (b - u)

def turned(a):
    return np.swapaxes(a, -1, -2)

def product(a, b):
    """A chain an element"""
    shape = np.broadcast_shapes((*a.shape[:-1], 1), (*b.shape[:-2], 1, b.shape[-1]))
    total = np.zeros(shape, a.dtype)
    for n in range(a.shape[-1]):
        total = fma(a[..., n, None], b[..., None, n, :], total)
    return total + 0

def in_order(x, axis=-1):
    """Additions from +0"""
    return np.add.accumulate(x, axis).take([-1], axis) + 0

def sum_and_rest(x, t):
    """Of rows, as row_sum is made in a run of type t"""
    filled = np.pad(x.astype(F64), [(0, 0)] * (x.ndim - 1) + [(0, -x.shape[-1] % 16)])
    total = rest = np.zeros(16)
    for first in range(0, filled.shape[-1], 16):
        total, lost = two_sum(total, filled[..., first:first + 16])
        rest = rest + lost * (t == F64)
    for s in (8, 4, 2, 1):
        total, lost = two_sum(total[..., :s], total[..., s:])
        rest = (rest[..., :s] + rest[..., s:]) + lost * (t == F64)
    return total, rest

def row_sum(x, n, t):
    """The first n are keys of the sequence."""
    total, rest = sum_and_rest(x[..., :n], t)
    for at in range(n, x.shape[-1]):
        total, lost = two_sum(total, x[..., at:at + 1].astype(F64))
        rest = rest + lost
    return (total + rest).astype(t)

def rowwise(a, b):
    """Of each row of a and that of b the product"""
    return product(a[..., None, :], b[..., None])[..., 0]
