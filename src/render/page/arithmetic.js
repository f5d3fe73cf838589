// The arithmetic of a cell as a list of texts and cells: laid out from what the program computed,
// never computed again.

// Up to 16 terms are read one by one; of more, the first 8 and the last 3 say how it goes.
const MOST_TERMS = 16, FIRST_TERMS = 8, LAST_TERMS = 3;

// A negative number behind an operator stands in parentheses.
function factor(cell) {
  return shownText(cell).startsWith('-') ? ['(', cell, ')'] : [cell];
}

// What is shown of many terms, with … for the rest.
function joined(count, between, term) {
  const parts = [];
  for (let i = 0; i < count; i++) {
    if (i > 0) parts.push(between);
    if (count > MOST_TERMS && i === FIRST_TERMS) {
      parts.push('…', between);
      i = count - LAST_TERMS;
    }
    parts.push(...term(i));
  }
  return parts;
}

function plus(parts, cells) {
  return cells && cells.length > 0 ? [...parts, ' + ', ...factor(cells[0])] : parts;
}

function sumOf(cells) {
  return joined(cells.length, ' + ', (i) => (i > 0 ? factor(cells[i]) : [cells[i]]));
}

// The score loses so much for each place between its query and its key.
function withoutSlope(parts, slope, from, column) {
  return slope ? [...parts, ' − ', ...factor(slope[0]), '·|', from[0], ` − ${column + 1}|`] : parts;
}

// What is done to a hidden number.
const ACTIVATIONS = {
  relu: (x) => ['max(', x, ', 0)'],
  gelu: (x) => [...factor(x), '·Φ(', x, ')'],
  gelu_tanh: (x) => [...factor(x), ' / 2·(1 + tanh(√(2/π)·(', x, ' + 0.044715·', ...factor(x),
    '³)))'],
  silu: (x) => [...factor(x), ' / (1 + exp(−', ...factor(x), '))'],
};

const EXPRESSIONS = {
  dot: ({ a, b, c }) =>
    plus(joined(a.length, ' + ', (i) => [...factor(a[i]), '·', ...factor(b[i])]), c),
  additive: ({ a, b, c, d }) => joined(a.length, ' + ', (i) =>
    [...factor(c[i]), '·tanh(', ...plus(plus([a[i]], [b[i]]), [d[i]]), ')']),
  times: ({ a, b }) => [...factor(a[0]), '·', ...factor(b[0])],
  cap: ({ a, b }) => [...factor(b[0]), '·tanh(', a[0], ' / ', ...factor(b[0]), ')'],
  plus: ({ a, b, c, d }, place) => withoutSlope(plus([a[0]], b), c, d, place.column),
  exp: ({ a, b }) => ['exp(', a[0], ' − ', ...factor(b[0]), ')'],
  sum: ({ a, c }) => plus(sumOf(a), c),
  max: ({ a, c }) => ['max(', ...joined(a.length, ', ', (i) => [a[i]]),
    ...(c ? [', ', c[0]] : []), ')'],
  divide: ({ a, b }) => [a[0], ' / ', ...factor(b[0])],
  round: ({ a }) => [a[0]],
  normalize: ({ a, b, c, d }) => [a[0], ' / √((',
    ...joined(b.length, ' + ', (i) => [...factor(b[i]), '²']), `)/${b.length} + `, c[0], ')',
    ...(d ? ['·', ...factor(d[0])] : [])],
  wave: ({ a, b, c }, place) =>
    [...plus([a[0]], c), pairOf(place.map, place.column).isFirst ? ' + sin(' : ' + cos(', b[0], ')'],
  turn: ({ a, b, c }, place) => (b.length === 0 ? [a[0]] : [...factor(a[0]), '·cos(', c[0],
    pairOf(place.map, place.column).isFirst ? ') − ' : ') + ', ...factor(b[0]), '·sin(', c[0], ')']),
  stack: ({ a, b }) => [...a, ...b],
  mean: ({ a, b }) => ['(', ...sumOf([...a, ...(b || [])]), `) / ${a.length + (b || []).length}`],
  minus: ({ a, b }) => [a[0], ' − ', ...factor(b[0])],
  activate: ({ a, b }, place) => [...ACTIVATIONS[place.map.function](a[0]),
    ...(b ? ['·', ...factor(b[0])] : [])],
};

function isZero(cell) {
  return numberOf(textOf(cell)) === 0;
}

// Masked numbers and rows that see nothing have no arithmetic.
function exceptionOf(place, operands) {
  const isMask = place.map.name === 'masked' && textOf(place) === '-inf';
  if (isMask) return TEXT.hidden;
  const [second] = operands.b || [];
  if (place.map.operation === 'divide' && place.map.share && isZero(second)) return TEXT.empty;
  if (place.map.operation === 'exp' && textOf(second) === '-inf') return TEXT.empty;
  if (place.map.operation === 'normalize' && [...operands.b, operands.c[0]].every(isZero))
    return TEXT.noDirection;
  return null;
}

function arithmeticOfAppended(place) {
  const cells = appendedOf(place) === 0 && place.map.learned && cellsOf(place.map.learned, place);
  return cells ? { parts: cells, count: 1, cells } : { words: TEXT.zeros, cells: [] };
}

function tooLarge(map) {
  const isBeyond = ['a', 'b', 'c', 'd'].some((name) => map[name] && MAPS[map[name].map].beyond);
  return isBeyond ? TEXT.beyond : TEXT.tooLarge;
}

// The parts of the cell's arithmetic, or a text where there is none.
function arithmeticOf(place) {
  if (appendedOf(place) >= 0 && place.map.appended) return arithmeticOfAppended(place);
  if (!place.map.operation) return { words: place.map.letters ? '' : TEXT.given, cells: [] };
  const operands = operandsOf(place);
  if (!operands) return { words: tooLarge(place.map), cells: [] };
  const words = exceptionOf(place, operands);
  const cells = [].concat(...Object.values(operands));
  if (words) return { words, cells };
  return { parts: EXPRESSIONS[place.map.operation](operands, place), count: operands.a.length,
    cells };
}
