"""FUNCTIONS of selfattn-contract(7) that layers, forms of rows and models have besides."""
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from arithmetic import (BIG, EXP, F64, INVERSE_FACTORIALS, LOG2_E, exp, fma, hexes, in_order,
                        polynomial, reduced, sum_and_rest, two_sum)

def tanh(x):
    s, r = reduced(-2 * abs(x), np.zeros_like(x))
    p = fma(r * r, polynomial(EXP[x.dtype][-1][:-2], r), r)
    made = fma(s, p, s - 1) / fma(s, p, s + 1)
    return np.where(x >= 0, 0 - made, made)

def two_product(a, b):
    t = a * b
    return t, fma(a, b, -t)

def two_add(a, b):
    (t, u), (v, w) = two_sum(a[0], b[0]), two_sum(a[1], b[1])
    t, u = two_sum(t, v + u)
    return two_sum(t, u + w)

def power(base, above, below):
    """base^(above / below), rounded once"""
    with localcontext() as context:
        context.prec = 60
        return float(Decimal(base) ** (Decimal(above) / below))

def cosine_and_sine(position, base, width):
    """Of position·base^(-2p/width), for each p"""
    frequency = np.array([power(base, -2 * p, width) for p in range((width + 1) // 2)])
    a = two_product(position.astype(F64), frequency)
    n = (a[0] * float.fromhex("0x1.45f306dc9c883p-1") + BIG) - BIG
    for c in hexes("0x1.921fb54442d18p+0 0x1.1a62633145c07p-54 -0x1.f1976b7ed8fbcp-110"):
        a = two_add(a, two_product(-n, c))
    r, rest = a
    z = r * r
    f = 1 - z / 2
    S, T = (polynomial([(-1) ** (n // 2) / math.factorial(n) for n in range(first, 2, -2)], z,
                       lambda total, x, c: total * x + c) for first in (17, 16))
    s = r + (r * z * S + rest * f)
    c = f + (((1 - f) - z / 2) + (z * z * T - r * rest))
    quarter = n.astype(int) % 4
    return np.choose(quarter, [c, -s, -c, s]), np.choose(quarter, [s, c, -s, -c])

def times(a, b):
    t, lost = two_product(a[0], b[0])
    return t, lost + (a[0] * b[1] + a[1] * b[0])

def quotient(a, c):
    i = 1 / c[0]
    t = a[0] * i
    return t, (fma(-t, c[0], a[0]) + fma(-t, c[1], a[1])) * i

def e_to(x):
    """A pair, and the n of the 2^n times which it is e to the pair x"""
    n = fma(x[0], LOG2_E, BIG) - BIG
    high, low = hexes("-0x1.62e42fefa38p-1 -0x1.ef35793c7673p-45")
    a, b = fma(n, high, x[0]), fma(n, low, x[1])
    r, f = a + b, 1 + a
    g = ((1 - f) + a) + (b + r * r * polynomial(INVERSE_FACTORIALS[:-2], r))
    t = f + g
    return (t, g - (t - f)), n.astype(int)

def x_sigmoid(x, w):
    sign = np.where(x < 0, 1, -1)
    t, n = e_to((sign * w[0], sign * w[1]))
    grown, rest = np.ldexp(t[0], n), np.ldexp(t[1], n)
    c = 1 + grown
    above = times((x, 0), (np.where(x < 0, t[0], 1), np.where(x < 0, t[1], 0)))
    made = sum(quotient(above, (c, ((1 - c) + grown) + rest)))
    return np.where(x < 0, np.ldexp(made, n), made)

def silu(x):
    return x_sigmoid(x, (x, np.zeros_like(x)))

def gelu_tanh(x):
    c = times(hexes("0x1.2444f2a4d8b4bp-4 -0x1.6c843a29d1c70p-61"), two_product(x, x))
    a = hexes("0x1.9884533d43651p+0 -0x1.cbc0d30ebfd15p-54")
    u, v = two_sum(a[0], c[0])
    return x_sigmoid(x, times((x, 0), (u, v + (a[1] + c[1]))))

V = hexes("""
    -0x1.5a76571b8b2e7p-33 0x1.5f2968ec86953p-28 -0x1.73242b4b95b53p-25 0x1.ebe99a6dfe644p-23
    -0x1.db1a19b882e11p-22 -0x1.829dfdc93baefp-17 0x1.fe35fae81e93dp-13 -0x1.3b24087b5b1ccp-9
    -0x1.2b2bbaf34843cp-6 -0x1.00cd0d6b9979cp-6 0x1.ac5c08ded2ec5p-4 -0x1.13ba9fd2a639cp-2""")
O = hexes("""
    -0x1.e42d542bfa382p-32 0x1.aa225d7545dd0p-28 -0x1.7aa89bad66446p-25 0x1.286145b8c3d13p-22
    -0x1.ee1b81820f7cap-20 0x1.b2b5df6d0ef4fp-17 -0x1.4f413661c9bf3p-14 0x1.4a9ea21d740e4p-14
    0x1.199829fc81564p-7 0x1.9b36b7652efcep-6 -0x1.a0c86ccfb1034p-6 -0x1.ac262e751b6aap-3""")

def gelu(x):
    y = abs(x)
    s = two_product(y, y)
    t, n = e_to((-0.5 * s[0], -0.5 * s[1]))
    q = (y - 5) / (y + 5)
    p = fma(q, polynomial(O, q * q), polynomial(V, q * q))
    (u, v), one = two_product(0.75, y), np.ones_like(y)
    c, d = two_sum(one, u)
    above = times(times(t, two_sum(one, p)), (0.5 * y, np.zeros_like(y)))
    z = np.ldexp(sum(quotient(above, (c, d + v))), n)
    return np.where(x < 0, -z, y - z)

def gelu_tanh_slope(x, a):
    once = 2 * a * (1 - a)
    inner = 0.79788456080286535588 * (1 + 3 * 0.044715 * (x * x))
    return np.where(once == 0, a, a + x * once * inner)

def gelu_slope(x, a):
    return a + x * (exp(-(x * x) / 2, np.zeros_like(x)) / 2.50662827463100050242)

# Of each its function, from where on it is x, and its slope at x with the share a
CURVES = {
    "relu": (lambda x: np.where(x > 0, x, 0), np.inf, lambda x, a: np.where(x > 0, 1.0, 0.0)),
    "relu2": (lambda x: np.where(x > 0, x * x, 0), np.inf, lambda x, a: np.where(x > 0, 2 * x, 0)),
    "silu": (silu, 800, lambda x, a: a * (1 + x * (1 - a))),
    "gelu_tanh": (gelu_tanh, 22, gelu_tanh_slope),
    "gelu": (gelu, 40, gelu_slope),
}

def limited(x, least):
    return np.clip(x, least, 7).astype(x.dtype)

def activation(name, x):
    if name == "clamped":
        sharp, blunt = (np.array(number, x.dtype) for number in (1.702, 1 / 1.702))
        return activation("silu", limited(x, -np.inf) * sharp) * blunt
    f, limit, _ = CURVES[name]
    wide = x.astype(F64)
    made = np.where(wide > limit, wide, f(np.clip(wide, -limit, limit))).astype(x.dtype)
    return np.where(abs(made) < np.finfo(x.dtype).tiny, 0, made)

def slope(name, x):
    """In float64"""
    x = x.astype(F64)
    if name == "clamped":
        return np.where(x > 7, 0, slope("silu", 1.702 * x))
    share = np.where(abs(x) < 2.0**-60, 0.5, activation(name, x) / x)
    return CURVES[name][2](x, share)

def softmax(x):
    """Of rows in float64"""
    e = exp(x, x.max(-1, keepdims=True))
    return e / sum(sum_and_rest(e, F64))

def sigmoid(x):
    e = exp(-abs(x), np.zeros_like(x))
    return np.where(x < 0, e, 1) / (1 + e)

def norm(x, gain, bias, eps, centred):
    t, width, d = x.dtype, x.shape[-1], x.astype(F64)
    if centred:
        total, rest = sum_and_rest(x, t)
        mean = total / width
        d = (d - mean) - ((fma(-mean, width, total) + rest) / width if t == F64 else 0)
    root = np.sqrt(sum(sum_and_rest(d * d, t)) / width + eps)
    made = np.where(root == 0, 0, d / root) * gain
    return (made if bias is None else made + bias).astype(t)

def norm_back(x, grad, gain, eps, centred):
    """The gradient of x, and what each number gives to its gain, in float64"""
    t, width, x, grad = x.dtype, x.shape[-1], x.astype(F64), grad.astype(F64)
    d = x - (x[..., :1] + in_order(x - x[..., :1]) / width) if centred else x
    root = np.sqrt(in_order(d * d) / width + eps)
    r = np.where(root == 0, 0, 1 / root)
    g = gain * grad
    s = in_order(g * d) / width * np.where(root == 0, 0, r / root)
    f = (g - d * s) * r
    return (f - in_order(f / width) if centred else f).astype(t), grad * (d * r)

def alibi_slopes(heads):
    below = 2 ** (heads.bit_length() - 1)
    of = [power(2, -8 * i, below) for i in range(1, below + 1)]
    return (of + [power(2, -8 * i, 2 * below) for i in range(1, 2 * below, 2)])[:heads]

def round_row(row, form):
    """Weights to decimals, as DECIMALS or DECIMALS:keep-sum says"""
    decimals, _, keeps_sum = str(form).partition(":")
    units = 10 ** int(decimals)
    exact = [Fraction(float(x)) * units for x in row]
    whole = [math.floor(x if keeps_sum else x + Fraction(1, 2)) for x in exact]
    order = sorted((j for j, x in enumerate(exact) if x), key=lambda j: whole[j] - exact[j])
    lack = units - sum(whole) if keeps_sum and order else 0
    for n in range(lack):
        whole[order[n % len(order)]] += 1
    for n in range(-lack):
        whole[order[-1 - n % len(order)]] -= 1
    return [x / units for x in whole]
