// The page's numbers, computed again as the program computes them: each map out of those that its
// operation takes, by the arithmetic of real.js. What the page came with stays as it is until
// something is changed.

const NUMBERS = new Map(); // of a map: all of its numbers, head by head and row by row
const OPERANDS = ['a', 'b', 'c', 'd'];

function sizeOf(map) {
  return map.heads * map.rows.length * map.columns.length;
}

function indexOfPlace({ map, head, row, column }) {
  return (head * map.rows.length + row) * map.columns.length + column;
}

function textsComputed(map, line) {
  const width = map.columns.length;
  return Array.from(NUMBERS.get(map).subarray(line * width, (line + 1) * width), textOfNumber);
}

function valueOf(place) {
  return NUMBERS.get(place.map)[indexOfPlace(place)];
}

// ---- what goes in ----

// All digits of a map, five to a word of 32 bits.
function unpackBits(text) {
  const words = new Uint32Array((text.length - 1) / 5);
  for (let i = 0; i < words.length; i++) {
    for (let at = 1 + 5 * i; at < 6 + 5 * i; at++)
      words[i] = words[i] * PACKED.length + PACKED_VALUES.get(text[at]);
  }
  return Float64Array.from(text[0] === '8' ? new Float64Array(words.buffer)
    : new Float32Array(words.buffer));
}

function numbersShown(map) {
  const isWide = map.wide || DATA.type === 'f64';
  const numbers = new Float64Array(sizeOf(map));
  let at = 0;
  for (let head = 0; head < map.heads; head++) {
    for (let row = 0; row < map.rows.length; row++) {
      for (const text of rowOf(map, head, row))
        numbers[at++] = isWide ? numberOf(text) : Math.fround(numberOf(text));
    }
  }
  return numbers;
}

function takeInput(map) {
  NUMBERS.set(map, map.bits ? unpackBits(map.bits) : numbersShown(map));
}

// ---- what a cell takes ----

function readStrand({ map, head, row, column, count, along }) {
  const numbers = NUMBERS.get(map), first = indexOfPlace({ map, head, row, column });
  const columns = map.columns.length;
  const step = { column: 1, row: columns, head: columns * map.rows.length }[along];
  return { numbers, first, step, count };
}

function listOf(operand, place) {
  if (!operand) return [];
  const { numbers, first, step, count } = readStrand(strandOf(operand, place));
  return Array.from({ length: count }, (nothing, i) => numbers[first + i * step]);
}

function numberAt(operand, place) {
  return listOf(operand, place)[0];
}

// ---- masks ----

// Of each room what may not be seen: whether causality hides, and what else does, a row of each head
// after the other.
const SIGHT = new Map();

function sightOf(room) {
  const { causal, hidden } = DATA.rooms[room];
  if (!SIGHT.has(room))
    SIGHT.set(room, { causal, hidden: hidden && hidden.map((row) => [...row].map((digit) => digit === '1')) });
  return SIGHT.get(room);
}

function isOutOfSight(map, head, row, column) {
  const { causal, hidden } = sightOf(map.room), { appended, first } = DATA.rooms[map.room];
  if (column >= map.columns.length - appended) return false;
  return (causal && column > first + row) ||
    Boolean(hidden && hidden[head * map.rows.length + row][column]);
}

// Scores that the softmax takes; a run without masks has no stage in which they are hidden.
function maskedRow(operand, place) {
  const row = listOf(operand, place), { map } = strandOf(operand, place);
  if (map.name === 'masked') return row;
  return row.map((x, j) => (isOutOfSight(map, place.head, place.row, j) ? -Infinity : x));
}

// ---- products ----

// A chain of fused multiply-adds, and +0 after it.
function chainOf(a, b, fused) {
  let sum = 0;
  for (let p = 0; p < a.count; p++)
    sum = fused(a.numbers[a.first + p * a.step], b.numbers[b.first + p * b.step], sum);
  return sum + 0;
}

function plainSum(a, b) {
  let sum = 0;
  for (let p = 0; p < a.count; p++)
    sum += a.numbers[a.first + p * a.step] * b.numbers[b.first + p * b.step];
  return sum;
}

// The rollout's own chain, of the type: nodes between its first and last are float64 for the trace.
function rolloutOf(map) {
  const numbers = (of) => {
    if (of.operation === 'mean') return { numbers: NUMBERS.get(of).map(TYPE.round) };
    return { numbers: rolloutOf(of) };
  };
  const n = map.rows.length, a = numbers(MAPS[map.a.map]), b = numbers(MAPS[map.b.map]);
  return Float64Array.from({ length: n * n }, (nothing, at) => chainOf(
    { ...a, first: at - (at % n), step: 1, count: n }, { ...b, first: at % n, step: n },
    TYPE.fused));
}

function dot(place) {
  const { map } = place, a = readStrand(strandOf(map.a, place));
  const b = readStrand(strandOf(map.b, place));
  if (map.made) return plainSum(a, b);
  const sum = chainOf(a, b, TYPE.fused), bias = numberAt(map.c, place);
  return bias === undefined ? sum : TYPE.round(sum + bias);
}

// ---- norms ----

// A norm is computed out of its rows at once; centered rows and unit ones are there to be looked at.
function normOf(map) {
  const of = map.operation === 'normalize' ? map : map.a && MAPS[map.a.map];
  const isNorm = of && of.operation === 'normalize' && !map.made && (map === of || of.made);
  return isNorm ? of : null;
}

function normRow(map, norm, place) {
  const centered = MAPS[norm.a.map], isCentered = centered.operation === 'minus';
  const at = { ...place, map: norm };
  const row = isCentered ? listOf({ ...centered.a, part: 'row-i' }, { ...place, map: centered })
    : listOf(norm.b, at);
  const strand = (operand) => operand &&
    row.map((nothing, j) => numberAt(operand, { ...place, column: place.column + j }));
  const gain = map === norm ? map.d : map.operation === 'dot' && map.b;
  const bias = map === norm ? null : map.operation === 'dot' ? map.c : map.b;
  return normalized(TYPE, row, isCentered ? middleOf(TYPE, row) : [0, 0], numberAt(norm.c, at),
    strand(gain), strand(bias));
}

function meanOf(row) {
  return row.reduce((sum, x) => sum + x, 0) / row.length;
}

function unit(place) {
  const { map } = place, row = listOf(map.b, place);
  const root = Math.sqrt(meanOf(row.map((x) => x * x)) + numberAt(map.c, place));
  return root === 0 ? 0 : numberAt(map.a, place) / root;
}

// ---- rounding by hand: attn/engine/rounding.c ----

function shareOf(weight, tens, key) {
  const product = weight * tens, lost = fused64(weight, tens, -product), whole = Math.floor(product);
  if (product === whole && lost < 0) return { whole: whole - 1, rest: 1, lost, key };
  return { whole, rest: product - whole, lost, key };
}

function settle(shares, missing) {
  const turns = Math.max(0, Math.floor(missing / shares.length));
  for (const share of shares) share.whole += turns;
  let left = missing - turns * shares.length;
  for (let i = 0; left > 0; i++, left--) shares[i].whole += 1;
  for (let i = shares.length - 1; i >= 0 && left < 0; i--) {
    if (shares[i].whole <= 0) continue;
    shares[i].whole -= 1;
    left += 1;
  }
}

function roundedRow(place) {
  const { decimals, keepsSum } = DATA.rooms[place.map.room];
  const row = listOf({ ...place.map.a, part: 'row-i' }, place), tens = 10 ** decimals;
  const shares = row.map((weight, key) => shareOf(weight, tens, key));
  if (!keepsSum)
    return shares.map(({ whole, rest, lost }) =>
      TYPE.round((whole + ((rest - 0.5) + lost >= 0 ? 1 : 0)) / tens));
  const some = shares.filter(({ key }) => row[key] !== 0);
  some.sort((a, b) => (b.rest - a.rest) + (b.lost - a.lost) || a.key - b.key);
  if (some.length > 0) settle(some, tens - some.reduce((sum, { whole }) => sum + whole, 0));
  return shares.map(({ whole }) => TYPE.round(whole / tens));
}

// ---- the operations ----

function sumOf(place) {
  const row = listOf(place.map.a, place), { appended } = DATA.rooms[place.map.room];
  const keys = row.length - (appended || 0);
  let [sum, rest] = totalOf(TYPE, row.slice(0, keys));
  for (const more of [...row.slice(keys), ...listOf(place.map.c, place)]) {
    const [whole, low] = twoSum(sum, more);
    sum = whole;
    rest += low;
  }
  return TYPE.round(sum + rest);
}

function shareIn(x, sum) {
  const share = TYPE.round(x / (sum === 0 ? 1 : sum));
  return share < TYPE.smallest ? 0 : share;
}

function plus(place) {
  const { map } = place;
  let x = numberAt(map.a, place);
  const isOwn = !map.untouched || place.column < map.columns.length - map.untouched;
  if (map.name === 'masked' && isOutOfSight(map, place.head, place.row, place.column))
    return -Infinity;
  for (const more of isOwn ? listOf(map.b, place) : []) x = TYPE.round(x + more);
  if (!isOwn || !map.c) return x;
  const distance = TYPE.round(Math.abs(numberAt(map.d, place) - (place.column + 1)));
  return TYPE.round(x - TYPE.round(TYPE.round(numberAt(map.c, place)) * distance));
}

function additive(place) {
  const { round, fused } = TYPE, [a, b, c, d] = OPERANDS.map((x) => listOf(place.map[x], place));
  return a.reduce((sum, x, p) =>
    fused(c[p], tangent(TYPE, round(round(x + b[p]) + (d[p] || 0))), sum), 0) + 0;
}

function times(place) {
  const { map } = place, a = numberAt(map.a, place), b = numberAt(map.b, place);
  if (map.made) return a * b;
  if (map.a.part === 'of-focus') return a === 0 ? 0 : TYPE.round(a * b) + 0;
  return TYPE.round(a * TYPE.round(b));
}

function angleOf(place) {
  const angle = strandOf(place.map.b && place.map.operation === 'wave' ? place.map.b : place.map.c,
    place);
  const at = { map: angle.map, head: angle.head, row: angle.row, column: angle.column };
  return turnOf(numberAt(angle.map.a, at), numberAt(angle.map.b, at));
}

function wave(place) {
  const { sine, cosine } = angleOf(place);
  const { isFirst } = pairOf(place.map, place.column);
  const x = listOf(place.map.c, place).reduce((sum, more) => TYPE.round(sum + more),
    numberAt(place.map.a, place));
  return TYPE.round(x + (isFirst ? sine : cosine));
}

function turn(place) {
  const a = numberAt(place.map.a, place), b = numberAt(place.map.b, place);
  if (b === undefined) return a;
  const { sine, cosine } = angleOf(place);
  return TYPE.round(pairOf(place.map, place.column).isFirst ? a * cosine - b * sine
    : a * cosine + b * sine);
}

function mean(place) {
  const { map } = place, row = [...listOf(map.a, place), ...listOf(map.b, place)];
  if (map.made) return meanOf(row);
  return TYPE.round(row.reduce((sum, x) => TYPE.round(sum + x)) / row.length);
}

function activate(place) {
  const x = activated(TYPE, place.map.function, numberAt(place.map.a, place));
  return listOf(place.map.b, place).reduce((value, gate) => TYPE.round(value * gate), x);
}

function entropy(place) {
  return TYPE.round(0 - listOf(place.map.a, place).reduce((sum, weight) =>
    (weight === 0 ? sum : fused64(weight, logarithm(weight), sum)), 0));
}

function cap(place) {
  const c = TYPE.round(numberAt(place.map.b, place));
  const x = numberAt(place.map.a, place);
  return TYPE.round(c * tangent(TYPE, TYPE.round(x / c)));
}

// One cell each.
const WORK = {
  copy: (place) => (place.map.made ? (x) => x : TYPE.round)(numberAt(place.map.a, place)),
  dot, additive, times, cap, plus, wave, turn, mean, activate, entropy,
  sum: sumOf,
  max: (place) => Math.max(...maskedRow(place.map.a, place), ...listOf(place.map.c, place)) + 0,
  divide: (place) => shareIn(numberAt(place.map.a, place), numberAt(place.map.b, place)),
  plus_log: (place) => TYPE.round(numberAt(place.map.b, place) === 0 ? -Infinity
    : numberAt(place.map.a, place) + logarithm(numberAt(place.map.b, place))),
  minus: (place) => numberAt(place.map.a, place) - numberAt(place.map.b, place),
  normalize: unit,
  stack: (place) => [...listOf(place.map.a, place), ...listOf(place.map.b, place)][0],
};

// A whole row each.
const ROW_WORK = {
  exp: (place) => exponentials(TYPE, place.map.made ? listOf(place.map.a, place)
    : maskedRow({ ...place.map.a, part: 'row-i' }, place), numberAt(place.map.b, place)),
  round: roundedRow,
};

function rowWorkOf(map) {
  const norm = normOf(map);
  return norm ? (place) => normRow(map, norm, place) : ROW_WORK[map.operation];
}

// ---- maps ----

// Rows that are appended are not made: the learned one, then zeros; later forms have them as they
// are.
function appendedNumber(place) {
  const { map } = place;
  const of = map.operation === 'turn' ? map.a : appendedOf(place) === 0 && map.learned;
  return of ? numberAt(of, place) : 0;
}

function fillRow(map, head, row, numbers) {
  const width = map.columns.length / map.slices, byRow = rowWorkOf(map), work = WORK[map.operation];
  const first = (head * map.rows.length + row) * map.columns.length;
  const place = { map, head, row, column: 0 };
  if (appendedOf(place) < 0 && !map.operation) return;
  if (map.appended && appendedOf(place) >= 0) {
    for (; place.column < map.columns.length; place.column++)
      numbers[first + place.column] = appendedNumber(place);
    return;
  }
  for (; place.column < map.columns.length; place.column += byRow ? width : 1) {
    if (byRow) numbers.set(byRow(place), first + place.column);
    else numbers[first + place.column] = work(place);
  }
}

function isRollout(map) {
  return map.operation === 'dot' && !map.made && Boolean(MAPS[map.a.map].made) && !normOf(map);
}

function makeNumbers(map) {
  const numbers = map.operation ? new Float64Array(sizeOf(map)) : NUMBERS.get(map).slice();
  if (map.operation && isRollout(map)) return rolloutOf(map);
  for (let head = 0; head < map.heads; head++) {
    for (let row = 0; row < map.rows.length; row++) fillRow(map, head, row, numbers);
  }
  return numbers;
}

// Every map after those that it is made of.
function inOrder(maps) {
  const done = new Set();
  const visit = (map) => {
    if (done.has(map)) return;
    done.add(map);
    for (const name of [...OPERANDS, 'learned']) {
      if (map[name]) visit(MAPS[map[name].map]);
    }
    ordered.push(map);
  };
  const ordered = [];
  maps.forEach(visit);
  return ordered;
}
