// The page's numbers, computed again as the program computes them: each map out of those that its
// operation takes, by the arithmetic of real.js. What the page came with stays as it is until
// something is changed.

const OPERANDS = ['a', 'b', 'c', 'd', 'e'], TAKEN = [...OPERANDS, 'learned', 'length', 'follows'];

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

// All digits where they are known, else those that the page shows; none of a row that it lacks.
function numbersOfRow(map, head, row) {
  if (map.cells?.length === 0) takeBits(map);
  if (!NUMBERS.has(map)) return (rowOf(map, head, row) || []).map(numberOf);
  const first = indexOfPlace({ map, head, row, column: 0 });
  return NUMBERS.get(map).subarray(first, first + map.columns.length);
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
  const { given } = ENTRIES[ENTRY], own = given && given.rooms[map.room].maps[MAPS.indexOf(map)];
  const of = own ? { ...map, bits: undefined, ...own } : map;
  NUMBERS.set(map, given && !own ? ENTRIES[SHOWN_FIRST].came.get(map)
    : of.bits ? unpackBits(of.bits) : numbersShown(of));
}

// Before anything is computed.
function takeBits(map) {
  if (!NUMBERS.has(map)) takeInput(map);
}

// ---- what a cell takes ----

// Numbers of an operand: so many from the first one on, every step'th; nothing of what is not there.
const NOTHING = { numbers: [], first: 0, step: 0, count: 0 };

function strandIn(operand, place) {
  if (!operand) return NOTHING;
  const { map, first, step, count } = strandOf(operand, place);
  return { numbers: NUMBERS.get(map), first, step, count };
}

function listIn({ numbers, first, step, count }) {
  const list = [];
  for (let i = 0; i < count; i++) list.push(numbers[first + i * step]);
  return list;
}

function listOf(operand, place) {
  return listIn(strandIn(operand, place));
}

// Of an operand that is a cell, the numbers that the row's cells have.
function rowIn(operand, place) {
  const { map, ...strand } = strandOfRow(operand, place);
  return listIn({ numbers: NUMBERS.get(map), ...strand });
}

// The only one, or undefined.
function numberIn({ numbers, first, count }) {
  return count > 0 ? numbers[first] : undefined;
}

function numberAt(operand, place) {
  return numberIn(strandIn(operand, place));
}

// How far a strand is from that of the cell before, where the same columns of a head go on; where it
// may end, or means a pair, each cell is asked for.
function strideOf({ at }) {
  return at.pair || at.columns !== undefined ? undefined : at.column || 0;
}

// A cell with the strands of its operands, which moves along its row from column to column.
class Cell {
  constructor(map, head, row) {
    this.place = { map, head, row, column: 0 };
    this.strides = OPERANDS.map((name) => map[name] && strideOf(map[name]));
    this.width = map.columns.length / map.slices;
    this.a = this.b = this.c = this.d = this.e = NOTHING;
  }

  moveTo(column) {
    const goesOn = column % this.width > 0;
    this.place.column = column;
    this.a = this.moved(this.a, 0, goesOn);
    this.b = this.moved(this.b, 1, goesOn);
    this.c = this.moved(this.c, 2, goesOn);
    this.d = this.moved(this.d, 3, goesOn);
    this.e = this.moved(this.e, 4, goesOn);
  }

  moved(strand, i, goesOn) {
    const { place, strides } = this, operand = place.map[OPERANDS[i]], stride = strides[i];
    if (!operand) return NOTHING;
    if (!goesOn || stride === undefined || strand.count === 0) return strandIn(operand, place);
    strand.first += stride;
    return strand;
  }
}

// ---- masks ----

// What may not be seen in a room: whether causality hides, and what else does, a row of each head
// after the other; besides, keys from its length on.
function sightOf(room) {
  const { sight, rooms } = ENTRIES[ENTRY], { causal, hidden } = rooms[room];
  if (!sight.has(room))
    sight.set(room, { causal, hidden: hidden && hidden.map((row) => [...row].map((digit) => digit === '1')) });
  return sight.get(room);
}

function lengthOf(map) {
  return map.length ? NUMBERS.get(MAPS[map.length.map])[0] : Infinity;
}

// Where query 1 stands among the keys.
function firstOf(map) {
  const { endsAtKey, first } = ENTRIES[ENTRY].rooms[map.room];
  return endsAtKey && map.length ? lengthOf(map) - map.rows.length : first;
}

function isMasked(map, head, row, column) {
  const { causal, hidden } = sightOf(map.room);
  return column < map.columns.length - DATA.rooms[map.room].appended &&
    ((causal && column > firstOf(map) + row) || Boolean(hidden && hidden[head * map.rows.length + row][column]));
}

function isOutOfSight(map, head, row, column) {
  const isOfKeys = column < map.columns.length - DATA.rooms[map.room].appended;
  return (isOfKeys && column >= lengthOf(map)) || isMasked(map, head, row, column);
}

// Scores that the softmax takes; a run without masks has no stage in which they are hidden.
function maskedRow(row, { map: index }, place) {
  const map = MAPS[index];
  const { causal, hidden } = sightOf(map.room);
  if (map.name === 'masked' || (!causal && !hidden)) return row;
  return row.map((x, j) => (isOutOfSight(map, place.head, place.row, j) ? -Infinity : x));
}

// What the softmax takes of them is shown as it takes it.
function markUnseen({ map, head, row }, { a }) {
  if (!['max', 'exp'].includes(map.operation) || map.made) return;
  const { causal, hidden } = sightOf(map.room);
  for (const cell of a.filter((one) => one.map.name !== 'masked' && (causal || hidden)))
    if (isOutOfSight(cell.map, head, row, cell.column)) cell.text = '-inf';
}

function greatestIn(row, more) {
  let greatest = -Infinity;
  for (const x of row) greatest = Math.max(greatest, x);
  for (const x of more) greatest = Math.max(greatest, x);
  return greatest + 0;
}

// ---- products ----

// A chain of fused multiply-adds, which may go on from a number, and +0 after it.
function chainOf(a, b, fused, first = 0) {
  let sum = first;
  for (let p = 0; p < a.count; p++)
    sum = fused(a.numbers[a.first + p * a.step], b.numbers[b.first + p * b.step], sum);
  return sum + 0;
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
  const row = isCentered ? rowIn(centered.a, { ...place, map: centered })
    : listOf(norm.b, at);
  const width = map.columns.length / map.slices, first = row.length > width ? 0 : place.column;
  const strand = (operand) => operand &&
    row.map((nothing, j) => numberAt(operand, { ...place, column: first + j }));
  const gain = map === norm ? map.d : map.operation === 'dot' && map.b;
  const bias = map === norm ? null : map.operation === 'dot' ? map.c : map.b;
  const made = normalized(TYPE, row, isCentered ? middleOf(TYPE, row) : [0, 0], numberAt(norm.c, at),
    strand(gain), strand(bias)); // of all heads where one norm spans them
  return row.length > width ? made.slice(place.column, place.column + width) : made;
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
  const { keepsSum } = DATA.rooms[place.map.room], tens = 10 ** decimalsOf(place.map.room);
  const row = rowIn(place.map.a, place);
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

function sumOf({ place, a, c }) {
  const row = listIn(a), keys = row.length - (DATA.rooms[place.map.room].appended || 0);
  let [sum, rest] = totalOf(TYPE, row.slice(0, keys));
  for (const more of [...row.slice(keys), ...listIn(c)]) {
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

function plus({ place: { map, head, row, column }, a, b, c, d }) {
  let x = numberIn(a);
  const isOwn = !map.untouched || column < map.columns.length - map.untouched;
  if (map.name === 'masked' && isOutOfSight(map, head, row, column)) return -Infinity;
  if (isOwn && b.count > 0) x = TYPE.round(x + numberIn(b));
  if (!isOwn || c.count === 0) return x;
  const distance = TYPE.round(Math.abs(numberIn(d) - (column + 1)));
  return TYPE.round(x - TYPE.round(TYPE.round(numberIn(c)) * distance));
}

// The weight that a query in focus gives: what has none counts for nothing.
function weighted({ a, b }) {
  const x = numberIn(a);
  return x === 0 ? 0 : TYPE.round(x * numberIn(b)) + 0;
}

// The sine and cosine of the angle that an operand is, out of what that is made of.
function turnIn(operand, place) {
  const { map, first } = strandOf(operand, place), at = cellAt(map, first);
  return turnOf(numberAt(map.a, at), numberAt(map.b, at));
}

function wave({ place, a, c }) {
  const { sine, cosine } = turnIn(place.map.b, place);
  const x = c.count > 0 ? TYPE.round(numberIn(a) + numberIn(c)) : numberIn(a);
  return TYPE.round(x + (pairOf(place.map, place.column).isFirst ? sine : cosine));
}

function turn({ place, a, b, c, d }) {
  const x = numberIn(a), other = numberIn(b);
  if (c.count === 0) return x;
  const turned = turnIn(place.map.c, place), times = d.count > 0 ? numberIn(d) : 1;
  const sine = times * turned.sine, cosine = times * turned.cosine;
  const isBack = place.map.operation.endsWith('back');
  return TYPE.round(pairOf(place.map, place.column).isFirst !== isBack ? x * cosine - other * sine
    : x * cosine + other * sine);
}

// The slope of the function, times what comes back to its result.
function activateBack({ place: { map }, a, b }) {
  return TYPE.round(slopeOf(map.function, numberIn(a)) * numberIn(b));
}

// As it is spelled, and each 0 is +0.
function withoutMinusZero(cell) {
  return workSpelled(cell.place.map)(cell) + 0;
}

function activate({ place: { map }, a, b }) {
  const x = activated(TYPE, map.function, numberIn(a));
  return b.count > 0 ? TYPE.round(x * numberIn(b)) : x;
}

function entropy({ a }) {
  return TYPE.round(0 - listIn(a).reduce((sum, weight) =>
    (weight === 0 ? sum : fused64(weight, logarithm(weight), sum)), 0));
}

// What the pairs of a cell give by their tanhs, added to a sum one after the other: attn/engine/back_block.c.
function addPairs(sum, { place: { map }, a, b, c, d, e }) {
  const isBack = map.operation === 'tanh_back', shift = numberIn(isBack ? e : d), own = numberIn(c);
  for (let p = 0; p < a.count; p++) {
    const gain = a.numbers[a.first + p * a.step], other = b.numbers[b.first + p * b.step];
    if (gain === 0) continue;
    const t = tangent(TYPE, TYPE.round(TYPE.round(own + other) + shift));
    sum = isBack ? TYPE.round(sum + TYPE.round(gain * numberIn(d) * (1 - t * t))) : TYPE.fused(gain, t, sum);
  }
  return sum;
}

function pairsOf({ place, a }) {
  const map = MAPS[place.map.a.map];
  let sum = 0;
  for (let p = 0; p < a.count; p++) {
    const { head, row, column } = cellAt(map, a.first + p * a.step), term = new Cell(map, head, row);
    term.moveTo(column);
    sum = addPairs(sum, term);
  }
  return sum;
}

// One cell each: what has an order of its own, or is a function of its own. All else is worked out as
// it is spelled (formula.js).
const WORK = {
  plus, wave, turn, turn_by: turn, turn_back: turn, turn_by_back: turn, activate, entropy,
  softmax_back: withoutMinusZero, cap_back: withoutMinusZero, scale_back: withoutMinusZero,
  slope_back: withoutMinusZero, sink_back: withoutMinusZero, gather: withoutMinusZero,
  norm_share: withoutMinusZero, shares: withoutMinusZero, // sums that begin with +0
  activate_back: activateBack, sigmoid: ({ a }) => TYPE.round(sigmoidOf(numberIn(a))), route, mix, route_back: routeBack,
  exponential: ({ a, b }) => exponentials(TYPES.f64, [numberIn(a)], numberIn(b))[0],
  wide_sum: ({ a }) => totalOf(TYPES.f64, listIn(a)).reduce((sum, rest) => sum + rest),
  go_on: ({ a, b, c }) => chainOf(a, b, TYPE.fused, numberIn(c)),
  tanh_back: (cell) => addPairs(0, cell), tanh_sum: (cell) => addPairs(0, cell), terms: pairsOf,
  sum: sumOf,
  max: ({ place, a, c }) => greatestIn(maskedRow(listIn(a), place.map.a, place), listIn(c)),
  clip: ({ a, b }) => Math.max(-TYPE.round(numberIn(b)), Math.min(numberIn(a), TYPE.round(numberIn(b)))),
  clip_back: ({ a, b, c }) => (Math.abs(numberIn(b)) <= TYPE.round(numberIn(c)) ? numberIn(a) : 0),
  divide: ({ a, b }) => shareIn(numberIn(a), numberIn(b)),
  plus_log: ({ a, b }) => TYPE.round(numberIn(b) === 0 ? -Infinity
    : numberIn(a) + logarithm(numberIn(b))),
};

function workOf(map) {
  return map.focus ? weighted : WORK[map.operation] || workSpelled(map);
}

// A whole row each.
const ROW_WORK = {
  exp: (place) => exponentials(TYPE, place.map.made ? listOf(place.map.a, place)
    : maskedRow(rowIn(place.map.a, place), place.map.a, place), numberAt(place.map.b, place)),
  round: roundedRow,
  softmax: ({ map, ...at }) => softmaxOf(listOf(map.b, { map, ...at })).map(TYPE.round),
  softmax_of: softmaxOfChosen,
};

function rowWorkOf(map) {
  const norm = normOf(map);
  return norm ? (place) => normRow(map, norm, place) : ROW_WORK[map.operation];
}

// An operation that is no arithmetic, and that only the program knows, leaves its page as it came.
function canBeComputed(map) {
  try {
    return !map.operation || Boolean(ROW_WORK[map.operation] || workOf(map));
  } catch {
    return false;
  }
}

// ---- maps ----

// Rows that are appended are not made: the learned one, then zeros; later forms have them as they
// are.
function appendedNumber(place) {
  const { map } = place;
  const of = /^turn/.test(map.operation) ? map.a : appendedOf(place) === 0 && map.learned;
  return of ? numberAt(of, place) : 0;
}

function fillRow(map, head, row, numbers) {
  const byRow = rowWorkOf(map), columns = map.columns.length;
  const first = (head * map.rows.length + row) * columns, place = { map, head, row, column: 0 };
  const isAppended = Boolean(map.appended) && appendedOf(place) >= 0;
  if (!isAppended && !map.operation) return;
  const cell = !isAppended && !byRow && new Cell(map, head, row);
  const work = cell && workOf(map);
  for (; place.column < columns; place.column += cell || isAppended ? 1 : columns / map.slices) {
    if (isAppended) numbers[first + place.column] = appendedNumber(place);
    else if (byRow) numbers.set(byRow(place), first + place.column);
    else {
      cell.moveTo(place.column);
      numbers[first + place.column] = work(cell);
    }
  }
}

function isRollout(map) {
  return map.operation === 'dot' && map.name === 'rollout';
}

// Of all rows, or of those that are named.
function makeNumbers(map, rows) {
  const isNew = map.operation && !rows;
  const numbers = isNew ? new Float64Array(sizeOf(map)) : NUMBERS.get(map).slice();
  if (map.operation && isRollout(map)) return rolloutOf(map);
  for (let head = 0; head < map.heads; head++) {
    for (const row of rows || map.rows.keys()) fillRow(map, head, row, numbers);
  }
  return numbers;
}

// What a map is made of: operands, and what a rule takes besides (`takes`).
function nodesOf(map) {
  return [...TAKEN.filter((name) => map[name]).map((name) => MAPS[map[name].map]), ...map.takes || []];
}

// Every map after those that it is made of.
function inOrder(maps) {
  const done = new Set();
  const visit = (map) => {
    if (done.has(map)) return;
    done.add(map);
    nodesOf(map).forEach(visit);
    ordered.push(map);
  };
  const ordered = [];
  maps.forEach(visit);
  return ordered;
}
