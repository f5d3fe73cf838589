// Arithmetic in the type of the run, float32 or float64, by the contract: the operations of the
// program's kernels (src/kernels), in their order, each rounded as there. Where a function here is
// one of theirs, it has its name; they say why it is right.

const BITS = { f64: new Float64Array(1) };
BITS.words = new Uint32Array(BITS.f64.buffer); // the low one first

// a + b = sum + rest, without loss (Knuth)
function twoSum(a, b) {
  const sum = a + b, part = sum - a;
  return [sum, (a - (sum - part)) + (b - part)];
}

const SPLITTER = 2 ** 27 + 1;

// a·b = product + rest (Dekker), where neither is near the end of the range
function restOfProduct(a, b, product) {
  const bigA = a * SPLITTER, bigB = b * SPLITTER;
  const highA = bigA - (bigA - a), highB = bigB - (bigB - b), lowA = a - highA, lowB = b - highB;
  return ((highA * highB - product) + highA * lowB + lowA * highB) + lowA * lowB;
}

function twoProduct(a, b) {
  const product = a * b;
  return [product, restOfProduct(a, b, product)];
}

// A number as a whole one times a power of two.
function wholeOf(x) {
  BITS.f64[0] = x;
  const high = BITS.words[1] & 0x7fffffff, exponent = high >>> 20;
  const top = BigInt((exponent > 0 ? 0x100000 : 0) + (high & 0xfffff));
  const whole = (top << 32n) + BigInt(BITS.words[0]);
  return { whole: x < 0 ? -whole : whole, power: Math.max(exponent, 1) - 1075 };
}

// whole·2^power, rounded once.
function rounded(whole, power) {
  const size = whole < 0n ? -whole : whole, digits = size.toString(2).length;
  const left = Math.max(digits - 53, -1074 - power, 0), half = left > 0 ? 1n << BigInt(left - 1) : 0n;
  let kept = size >> BigInt(left);
  const rest = size - (kept << BigInt(left));
  if (left > 0 && (rest > half || (rest === half && kept % 2n === 1n))) kept += 1n;
  const exponent = power + left, first = Math.max(exponent, -1000);
  const value = Number(kept) * 2 ** first * 2 ** (exponent - first);
  return whole < 0n ? -value : value;
}

function fusedExactly(a, b, c) {
  const x = wholeOf(a), y = wholeOf(b), z = wholeOf(c), power = x.power + y.power;
  const least = Math.min(power, z.power);
  const sum = ((x.whole * y.whole) << BigInt(power - least)) + (z.whole << BigInt(z.power - least));
  return sum === 0n ? a * b + c : rounded(sum, least);
}

// Where the products' rests and their parts are normal numbers, or nothing.
const SMALL = 2 ** -900, LARGE = 2 ** 900;

function isUsual(x) {
  const size = Math.abs(x);
  return (size > SMALL && size < LARGE) || size === 0;
}

// The last bit of a sum that is not exact is 1, so that rounding it again is rounding once (Boldo
// and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
function roundedToOdd(a, b) {
  const [sum, rest] = twoSum(a, b);
  BITS.f64[0] = sum;
  if (rest === 0 || BITS.words[0] % 2 === 1) return sum;
  const isOutward = rest > 0 === sum > 0;
  if (!isOutward && BITS.words[0] === 0) BITS.words[1] -= 1;
  BITS.words[0] += isOutward ? 1 : -1;
  return BITS.f64[0];
}

function fused64(a, b, c) {
  const product = a * b;
  if (a === 0 || b === 0 || !Number.isFinite(a) || !Number.isFinite(b) || !Number.isFinite(c))
    return product + c;
  if (!isUsual(product) || !isUsual(a) || !isUsual(b) || !isUsual(c)) return fusedExactly(a, b, c);
  const rest = restOfProduct(a, b, product);
  const [near, small] = twoSum(c, rest), [high, low] = twoSum(product, near);
  return high + roundedToOdd(small, low);
}

// A product of float32 is exact in float64. Its sum with c is rounded twice, which matters only
// where the first rounding came to the middle of two float32: then what it left away decides.
function fused32(a, b, c) {
  const product = a * b, sum = product + c, near = Math.fround(sum), half = sum - near;
  if (half === 0) return near;
  const other = near + 2 * half;
  if (Math.fround(other) !== other) return near;
  const part = sum - product, rest = (product - (sum - part)) + (c - part);
  if (rest === 0) return near;
  return rest > 0 ? Math.max(near, other) : Math.min(near, other);
}

// 2^power, for a power of a normal number.
function powerOfTwo(power) {
  BITS.words[0] = 0;
  BITS.words[1] = (power + 1023) << 20;
  return BITS.f64[0];
}


const SERIES_TO_13 = [6227020800, 479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6,
  2].map((factorial) => 1 / factorial);

// wide/exponent.h
const TYPES = {
  f32: {
    round: Math.fround, fused: fused32, smallest: 2 ** -126, bias: 127,
    log2E: Math.fround(1.44269504), ln2High: 0x162e43 * 2 ** -21, ln2Low: -0x105c61 * 2 ** -49,
    least: -88, roundOnly: 1.5 * 2 ** 23,
    terms: [0.0013814598646664034, 0.00836871687972814, 0.041668388045313996, 0.16666520631709497,
      0.49999993447796487, 1, 1].map(Math.fround),
  },
  f64: {
    round: (x) => x, fused: fused64, smallest: 2 ** -1022, bias: 1023,
    log2E: 1.4426950408889634, ln2High: 0x162e42fefa39ef * 2 ** -53,
    ln2Low: 0x1abc9e3b39803f * 2 ** -108, least: -709, roundOnly: 1.5 * 2 ** 52,
    terms: [...SERIES_TO_13, 1, 1],
  },
};
const SHIFT_MOST = 65536;

// What m does to all x of its row.
function shiftOf(type, m) {
  const { round, fused } = type, k = round(fused(m, type.log2E, type.roundOnly) - type.roundOnly);
  const rest = fused(k, -type.ln2High, m);
  return { least: round(m + type.least), minusRest: -rest, minusPart: round(-rest * type.log2E),
    minusMultiple: round(round(type.roundOnly + type.bias) - k) };
}

function splitExponent(type, shift, x) {
  const { round, fused } = type, one = shift.least > x ? shift.least : x;
  const power = round(fused(one, type.log2E, shift.minusPart) + shift.minusMultiple);
  const i = round(power - shift.minusMultiple);
  const n = round(power - round(type.roundOnly + type.bias));
  const near = round(fused(i, -type.ln2High, one) + shift.minusRest);
  return { n, r: fused(n, -type.ln2Low, near) };
}

// Of a power that is not a normal number's: 0.
function scaleOf(type, n) {
  return n > -type.bias ? powerOfTwo(n) : 0;
}

function termsOf(type, r, count) {
  let sum = type.terms[0];
  for (let i = 1; i < count; i++) sum = type.fused(sum, r, type.terms[i]);
  return sum;
}

// exp(x − m) of the numbers of a row whose greatest is m.
function exponentials(type, row, m) {
  if (m === -Infinity) return row.map((x) => (x === -Infinity ? 0 : NaN));
  const isFar = Math.abs(m) >= SHIFT_MOST;
  const shift = shiftOf(type, isFar ? 0 : m);
  return row.map((x) => {
    if (Number.isNaN(x)) return NaN;
    const { n, r } = splitExponent(type, shift, isFar ? type.round(x - m) : x);
    return type.round(termsOf(type, r, type.terms.length) * scaleOf(type, n));
  });
}

// wide/scores.c
function tangent(type, x) {
  const { round, fused } = type, minusSize = x < 0 ? x : 0 - x;
  const { n, r } = splitExponent(type, shiftOf(type, 0), round(minusSize + minusSize));
  const s = scaleOf(type, n), p = fused(round(r * r), termsOf(type, r, type.terms.length - 2), r);
  const minusTanh = round(fused(s, p, round(s - 1)) / fused(s, p, round(s + 1)));
  return x < 0 ? minusTanh : 0 - minusTanh;
}

// ---- sums of rows: wide/partials.h ----

const PARTIALS = 16;

function foldPartials(type, sum, rest) {
  for (let step = PARTIALS / 2; step >= 1; step /= 2) {
    for (let l = 0; l < step; l++) addPartial(type, sum, rest, l, sum[l + step], rest[l + step]);
  }
}

function addPartial(type, sum, rest, l, more, moreRest) {
  if (type === TYPES.f32) {
    sum[l] += more;
    return;
  }
  const [whole, low] = twoSum(sum[l], more);
  sum[l] = whole;
  rest[l] = (rest[l] + moreRest) + low;
}

// Its sum and what that leaves away.
function totalOf(type, row) {
  const sum = new Float64Array(PARTIALS), rest = new Float64Array(PARTIALS);
  for (let j = 0; j < row.length; j++) addPartial(type, sum, rest, j % PARTIALS, row[j], 0);
  foldPartials(type, sum, rest);
  return [sum[0], rest[0]];
}

// ---- norms: wide/norm.c ----

function squaresOf(type, row, [mean, meanRest]) {
  const [sum, rest] = totalOf(type, row.map((x) => {
    const away = type === TYPES.f32 ? x - mean : (x - mean) - meanRest;
    return away * away;
  }));
  return Number.isFinite(sum) ? sum + rest : sum;
}

function normalized(type, row, middle, eps, gain, bias) {
  const root = Math.sqrt(squaresOf(type, row, middle) / row.length + eps);
  return row.map((x, j) => {
    const away = type === TYPES.f32 ? x - middle[0] : (x - middle[0]) - middle[1];
    let value = root === 0 ? 0 : away / root;
    if (gain) value *= gain[j];
    if (bias) value += bias[j];
    return type.round(value);
  });
}

function middleOf(type, row) {
  const [sum, rest] = totalOf(type, row), count = row.length, mean = sum / count;
  return [mean, (fused64(-mean, count, sum) + rest) / count];
}

// ---- ln: kernels/logarithm.c ----

const LN_TERMS = [25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3].map((odd) => 2 / odd);

function logarithm(x) {
  if (x === 0) return -Infinity;
  if (!(x < Infinity)) return x;
  BITS.f64[0] = x;
  let exponent = (BITS.words[1] >>> 20) - 1023;
  BITS.words[1] = (BITS.words[1] & 0xfffff) | 0x3ff00000;
  let m = BITS.f64[0];
  if (m >= Math.SQRT2) {
    exponent += 1;
    m /= 2;
  }
  const f = m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  let rest = 0;
  for (const term of LN_TERMS) rest = fused64(rest, z, term);
  const small = s * (half + rest * z) + exponent * 1.90821492927058770002e-10;
  return exponent * 6.93147180369123816490e-01 - ((half - small) - f);
}

// ---- sine and cosine of position·frequency: wide/angles.c ----

const QUARTER = [0x1921fb54442d18 * 2 ** -52, 0x11a62633145c07 * 2 ** -106,
  -0x1f1976b7ed8fbc * 2 ** -162];
const QUARTERS_A_RADIAN = 0x145f306dc9c883 * 2 ** -53, ROUND_WHOLE = 1.5 * 2 ** 52;
const SINE_TERMS = [1 / 355687428096000, -1 / 1307674368000, 1 / 6227020800, -1 / 39916800,
  1 / 362880, -1 / 5040, 1 / 120, -1 / 6];
const COSINE_TERMS = [1 / 20922789888000, -1 / 87178291200, 1 / 479001600, -1 / 3628800, 1 / 40320,
  -1 / 720, 1 / 24];

function addTwofold(a, b) {
  const high = twoSum(a[0], b[0]), low = twoSum(a[1], b[1]);
  const joined = twoSum(high[0], high[1] + low[0]);
  return twoSum(joined[0], joined[1] + low[1]);
}

// ---- frequencies of rotary positions: attn/spec/angle.c ----

const LN2 = [0x162e42fefa39ef * 2 ** -53, 0x1abc9e3b39803f * 2 ** -108];
const LOGARITHM_TERMS = 23, EXPONENTIAL_TERMS = 28;

function multiplyTwofold(a, b) {
  return twoSum(...timesTwofold(a, b));
}

function divideTwofold(a, b) {
  const first = a[0] / b[0], rest = addTwofold(a, multiplyTwofold([-first, 0], b));
  const second = rest[0] / b[0], left = addTwofold(rest, multiplyTwofold([-second, 0], b));
  return addTwofold(twoSum(first, second), [left[0] / b[0], 0]);
}

// Of a normal number.
function logarithmTwofold(x) {
  BITS.f64[0] = x;
  let exponent = (BITS.words[1] >>> 20) - 1022, m = x / powerOfTwo(exponent);
  if (m < Math.SQRT1_2) {
    m *= 2;
    exponent -= 1;
  }
  const z = divideTwofold(twoSum(m, -1), twoSum(m, 1)), square = multiplyTwofold(z, z);
  let sum = [0, 0];
  for (let i = LOGARITHM_TERMS - 1; i >= 0; i--)
    sum = addTwofold(multiplyTwofold(sum, square), divideTwofold([2, 0], [2 * i + 1, 0]));
  return addTwofold(multiplyTwofold(LN2, [exponent, 0]), multiplyTwofold(sum, z));
}

function exponentialOf(x) {
  const n = Math.floor(x[0] / LN2[0] + 0.5), r = addTwofold(x, multiplyTwofold(LN2, [-n, 0]));
  let sum = [1, 0];
  for (let i = EXPONENTIAL_TERMS; i > 0; i--)
    sum = addTwofold([1, 0], divideTwofold(multiplyTwofold(r, sum), [i, 0]));
  return (sum[0] + sum[1]) * powerOfTwo(n);
}

function frequencyOf(base, pair, width) {
  const share = divideTwofold([-2 * pair, 0], [width, 0]);
  return pair === 0 ? 1 : exponentialOf(multiplyTwofold(logarithmTwofold(base), share));
}

function plainPolynomial(terms, x) {
  return terms.reduce((sum, term) => sum * x + term);
}

function turnOf(position, frequency) {
  let angle = twoProduct(position, frequency);
  const n = (angle[0] * QUARTERS_A_RADIAN + ROUND_WHOLE) - ROUND_WHOLE;
  for (const part of QUARTER) angle = addTwofold(angle, twoProduct(-n, part));
  const [x, low] = angle, square = x * x, halved = square / 2, first = 1 - halved;
  const sine = x + (x * square * plainPolynomial(SINE_TERMS, square) + low * (1 - square / 2));
  const cosine = first + (((1 - first) - halved) +
    (square * square * plainPolynomial(COSINE_TERMS, square) - x * low));
  const quarter = ((n % 4) + 4) % 4;
  return { sine: [sine, cosine, -sine, -cosine][quarter],
    cosine: [cosine, -sine, -cosine, sine][quarter] };
}

// ---- activations: wide/activate.c ----

const LN2_43_BITS = 0x162e42fefa380 * 2 ** -49, LN2_BEYOND = 0x1ef35793c7673 * 2 ** -93;

function fusedPolynomial(terms, x) {
  return terms.reduce((sum, term) => fused64(sum, x, term));
}

// e^x as value + rest times a power of two.
function smallExponential([xHigh, xLow]) {
  const power = fused64(xHigh, 1.4426950408889634, ROUND_WHOLE) - ROUND_WHOLE;
  const high = fused64(power, -LN2_43_BITS, xHigh), low = fused64(power, -LN2_BEYOND, xLow);
  const r = high + low, first = 1 + high;
  const rest = ((1 - first) + high) + (low + r * r * fusedPolynomial(SERIES_TO_13, r));
  const value = first + rest;
  return { value: [value, rest - (value - first)], power };
}

function scaled(x, power) {
  const first = Math.max(power, -1000);
  return x * powerOfTwo(first) * powerOfTwo(power - first);
}

function quotientOf(a, d) {
  const inverse = 1 / d[0], high = a[0] * inverse;
  return [high, (fused64(-high, d[0], a[0]) + fused64(-high, d[1], a[1])) * inverse];
}

function timesTwofold(a, b) {
  const [high, low] = twoProduct(a[0], b[0]);
  return [high, low + (a[0] * b[1] + a[1] * b[0])];
}

function timesSigmoid(x, w) {
  const isNegative = x < 0;
  const { value, power } = smallExponential(isNegative ? w : [-w[0], -w[1]]);
  const whole = scaled(value[0], power), rest = scaled(value[1], power), first = 1 + whole;
  const share = quotientOf(timesTwofold([x, 0], isNegative ? value : [1, 0]),
    [first, ((1 - first) + whole) + rest]);
  return scaled(share[0] + share[1], isNegative ? power : 0);
}

const TANH_A = [0x19884533d43651 * 2 ** -52, -0x1cbc0d30ebfd15 * 2 ** -106];
const TANH_B = [0x12444f2a4d8b4b * 2 ** -56, -0x16c843a29d1c70 * 2 ** -113];

function geluTanh(x) {
  const cubic = timesTwofold(TANH_B, twoProduct(x, x)), sum = twoSum(TANH_A[0], cubic[0]);
  sum[1] += TANH_A[1] + cubic[1];
  return timesSigmoid(x, timesTwofold([x, 0], sum));
}

// A row of [digits, power of two below the point's place]: hexadecimal of the program's own.
function hexadecimals(rows) {
  return rows.map(([digits, power]) => digits * 2 ** (power - 52));
}

const ERFC_EVEN = hexadecimals([[-0x15a76571b8b2e7, -33], [0x15f2968ec86953, -28],
  [-0x173242b4b95b53, -25], [0x1ebe99a6dfe644, -23], [-0x1db1a19b882e11, -22],
  [-0x1829dfdc93baef, -17], [0x1fe35fae81e93d, -13], [-0x13b24087b5b1cc, -9],
  [-0x12b2bbaf34843c, -6], [-0x100cd0d6b9979c, -6], [0x1ac5c08ded2ec5, -4],
  [-0x113ba9fd2a639c, -2]]);
const ERFC_ODD = hexadecimals([[-0x1e42d542bfa382, -32], [0x1aa225d7545dd0, -28],
  [-0x17aa89bad66446, -25], [0x1286145b8c3d13, -22], [-0x1ee1b81820f7ca, -20],
  [0x1b2b5df6d0ef4f, -17], [-0x14f413661c9bf3, -14], [0x14a9ea21d740e4, -14],
  [0x1199829fc81564, -7], [0x19b36b7652efce, -6], [-0x1a0c86ccfb1034, -6],
  [-0x1ac262e751b6aa, -3]]);

function gelu(x) {
  const y = Math.abs(x), square = twoProduct(y, y);
  const { value, power } = smallExponential([-0.5 * square[0], -0.5 * square[1]]);
  const q = (y - 5) / (y + 5);
  const even = fusedPolynomial(ERFC_EVEN, q * q), odd = fusedPolynomial(ERFC_ODD, q * q);
  const slope = twoProduct(0.75, y), bottom = twoSum(1, slope[0]);
  bottom[1] += slope[1];
  const top = timesTwofold(timesTwofold(value, twoSum(1, fused64(q, odd, even))), [0.5 * y, 0]);
  const share = quotientOf(top, bottom), below = scaled(share[0] + share[1], power);
  return x < 0 ? -below : y - below;
}

// Beyond `most` a function of x is x, or nothing.
const ACTIVATIONS = {
  silu: { most: 800, of: (x) => timesSigmoid(x, [x, 0]) },
  gelu_tanh: { most: 22, of: geluTanh },
  gelu: { most: 40, of: gelu },
};

function activated(type, name, x) {
  if (name === 'relu' || name === 'relu2') return x <= 0 ? 0 : name === 'relu' ? x : type.round(x * x);
  const { most, of } = ACTIVATIONS[name];
  const value = type.round(x > most ? x : of(Math.max(x, -most)));
  return Math.abs(value) < type.smallest ? 0 : value;
}

// How they grow at x, in float64: model/parts.c.
const NEXT_TO_0 = 2 ** -60, ROOT_2_OVER_PI = 0.79788456080286535588, ROOT_2_PI = 2.50662827463100050242;

function shareLetThrough(name, x) {
  return Math.abs(x) < NEXT_TO_0 ? 0.5 : activated(TYPES.f64, name, x) / x;
}

const SLOPES = {
  relu: (x) => (x > 0 ? 1 : 0),
  relu2: (x) => (x > 0 ? 2 * x : 0),
  gelu: (x) => shareLetThrough('gelu', x) + x * (exponentials(TYPES.f64, [-(x * x) / 2], 0)[0] / ROOT_2_PI),
  gelu_tanh: (x) => {
    const share = shareLetThrough('gelu_tanh', x), left = 2 * share * (1 - share);
    return share + (left === 0 ? 0 : x * left * (ROOT_2_OVER_PI * (1 + 3 * 0.044715 * (x * x))));
  },
  silu: (x) => {
    const share = shareLetThrough('silu', x);
    return share * (1 + x * (1 - share));
  },
};

function slopeOf(name, x) {
  return SLOPES[name](x);
}

const TYPE = TYPES[DATA.type]; // that the page is computed in
const PLAIN = { ...TYPES.f64, fused: (x, y, sum) => x * y + sum }; // and what it has for the trace only
