// The numbers of the page's maps, and the arithmetic of each: laid out from what the program
// computed, never computed again. Texts of numbers are the program's own.

const DATA = JSON.parse(document.getElementById('data').textContent);
const MAPS = DATA.maps;
const DIGITS = DATA.digits; // decimals that numbers have at most

// Up to 16 terms are read one by one; of more, the first 8 and the last 3 say how it goes.
const MOST_TERMS = 16, FIRST_TERMS = 8, LAST_TERMS = 3;

// The digits of packed rows, whose places are told by the second byte: ASCII without ", < and \\.
const PACKED = Array.from({ length: 95 }, (nothing, i) => String.fromCharCode(32 + i))
  .filter((digit) => !'"<\\'.includes(digit)).join('');

const PACKED_VALUES = new Map([...PACKED].map((digit, i) => [digit, i]));

// 12500 is 1.25: the point is put back, and the zeros behind it go.
function textOfWhole(whole) {
  const digits = String(Math.floor(whole / 2)).padStart(DIGITS + 1, '0');
  const point = digits.length - DIGITS;
  let text = digits.slice(0, point);
  if (DIGITS > 0) text += `.${digits.slice(point)}`;
  if (DATA.trims) text = text.replace(/\.?0+$/, '');
  return (whole % 2 === 1 ? '-' : '') + text;
}

function unpack(text) {
  const places = Number(text[1]), numbers = [];
  for (let at = 2; at < text.length; at += places) {
    let whole = 0;
    for (let i = at; i < at + places; i++)
      whole = whole * PACKED.length + PACKED_VALUES.get(text[i]);
    numbers.push(textOfWhole(whole));
  }
  return numbers;
}

function isKept(map, head, row) {
  return !map.only || (map.only.head === head && map.only.row === row);
}

// The numbers of a row; null where a large map keeps only another one.
function rowOf(map, head, row) {
  if (!isKept(map, head, row)) return null;
  const at = map.only ? 0 : head * map.rows.length + row;
  const text = map.cells[at];
  if (typeof text === 'string') map.cells[at] = text[0] === '#' ? unpack(text) : text.split(' ');
  return map.cells[at];
}

function textOf(place) {
  return rowOf(place.map, place.head, place.row)[place.column];
}

// 'inf' and 'nan' are words of their own in JavaScript.
function numberOf(text) {
  if (text === 'inf') return Infinity;
  if (text === '-inf') return -Infinity;
  return Number(text);
}

// "weights-h0-r2-c1": what a link to a cell names, counted from 0.
function anchorOf(place) {
  return `${place.map.name}-h${place.head}-r${place.row}-c${place.column}`;
}

function placeOf(anchor) {
  const parts = /^#(\w+)-h(\d+)-r(\d+)-c(\d+)$/.exec(anchor);
  const map = parts && MAPS.find((one) => one.name === parts[1]);
  if (!map || !map.cells) return null;
  const place = { map, head: Number(parts[2]), row: Number(parts[3]), column: Number(parts[4]) };
  const isThere = place.head < map.heads && place.row < map.rows.length &&
    place.column < map.columns.length && isKept(map, place.head, place.row);
  return isThere ? place : null;
}

function nameOf(place) {
  const head = place.map.heads > 1 ? `${TEXT.head(place.head + 1)}, ` : '';
  return `${place.map.name}[${head}${place.row + 1},${place.column + 1}]`;
}

// Which head of `of`, and which of its columns, belong to a cell of `result`: heads may lie side
// by side in either, and several heads may share one of the keys' and values'.
function headAndColumns(of, result, place) {
  const isJoined = result.heads === 1 && result.slices > 1;
  const width = of.columns.length / of.slices;
  const all = { head: 0, first: 0, end: of.columns.length, column: place.column };
  if (of.slices > 1 && isJoined && of.slices === result.slices) {
    all.first = Math.floor(place.column / width) * width;
    all.end = all.first + width;
  } else if (of.heads > 1 && isJoined) {
    all.head = Math.floor(place.column / of.columns.length);
    all.column = place.column % of.columns.length;
  } else if (of.heads > 1) {
    all.head = Math.floor((place.head * of.heads) / result.heads);
  } else if (of.slices > 1 && result.heads > 1) {
    all.first = Math.floor((place.head * of.slices) / result.heads) * width;
    all.end = all.first + width;
    all.column += all.first;
  }
  return all;
}

function range(first, end, make) {
  return Array.from({ length: end - first }, (nothing, i) => make(first + i));
}

// Numbers of a head that belong together: the pair of a column, and whether it is the pair's first.
// Columns behind the pairs have none.
function pairOf(map, column) {
  const at = column % (map.columns.length / map.slices), half = map.paired / 2;
  if (at >= map.paired) return null;
  if (map.interleaved)
    return { index: at >> 1, isFirst: at % 2 === 0, partner: column + (at % 2 === 0 ? 1 : -1) };
  return { index: at % half, isFirst: at < half, partner: column + (at < half ? half : -half) };
}

function rowAndColumns(map, place) {
  const at = headAndColumns(map, place.map, place);
  at.row = map.rows.length === 1 ? 0 : place.row;
  return at;
}

// The cells that an operand is, in their order; none where it has no part in this cell.
function partsOf(operand, place) {
  const map = MAPS[operand.map], at = rowAndColumns(map, place), pair = pairOf(place.map, at.column);
  const cell = (row, column) => ({ map, head: at.head, row, column });
  const where = (holds, row, column) => (holds ? [cell(row, column)] : []);
  const below = place.row - (place.map.rows.length - map.rows.length);
  switch (operand.part) {
    case 'row-i': return range(at.first, at.end, (column) => cell(at.row, column));
    case 'row-j': return range(at.first, at.end, (column) => cell(place.column, column));
    case 'column-j': return range(0, map.rows.length, (row) => cell(row, at.column));
    case 'cell': return where(at.column < map.columns.length, at.row, at.column);
    case 'of-row': return [cell(at.row, 0)];
    case 'of-column': return [cell(0, at.column)];
    case 'partner': return where(pair, place.row, pair && pair.partner);
    case 'of-pair': return where(pair, place.row, pair && pair.index);
    case 'above': return where(place.row < map.rows.length, place.row, at.column);
    case 'below': return where(below >= 0, below, at.column);
    default: return [cell(0, 0)];
  }
}

// null where one of them is not on this page.
function cellsOf(operand, place) {
  const map = MAPS[operand.map];
  const cells = map.cells ? partsOf(operand, place) : null;
  return cells && cells.every((cell) => isKept(map, cell.head, cell.row)) ? cells : null;
}

// Which row it is of those that stand behind the others and are not made like them, from 0.
function appendedOf(place) {
  return place.row - place.map.rows.length + (place.map.appended || 0);
}

// { a, b, c, d }, each a list of cells or undefined; null where one of them is not on this page.
function operandsOf(place) {
  const found = {}, { untouched, columns } = place.map;
  const isUntouched = untouched && place.column >= columns.length - untouched;
  for (const name of isUntouched ? ['a'] : ['a', 'b', 'c', 'd']) {
    if (!place.map[name]) continue;
    found[name] = cellsOf(place.map[name], place);
    if (!found[name]) return null;
  }
  return found.a ? found : null;
}

// ---- expressions: lists of texts and cells ----

// A negative number behind an operator stands in parentheses.
function factor(cell) {
  return textOf(cell).startsWith('-') ? ['(', cell, ')'] : [cell];
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
  wave: ({ a, b }, place) =>
    [a[0], pairOf(place.map, place.column).isFirst ? ' + sin(' : ' + cos(', b[0], ')'],
  turn: ({ a, b, c }, place) => (b.length === 0 ? [a[0]] : [...factor(a[0]), '·cos(', c[0],
    pairOf(place.map, place.column).isFirst ? ') − ' : ') + ', ...factor(b[0]), '·sin(', c[0], ')']),
  stack: ({ a, b }) => [...a, ...b],
};

function isZero(cell) {
  return numberOf(textOf(cell)) === 0;
}

// Masked numbers and rows that see nothing have no arithmetic.
function exceptionOf(place, operands) {
  const isMask = place.map.name === 'masked' && textOf(place) === '-inf';
  if (isMask) return TEXT.hidden;
  const second = operands.b && operands.b.length > 0 && textOf(operands.b[0]);
  if (place.map.operation === 'divide' && second === '0') return TEXT.empty;
  if (place.map.operation === 'exp' && second === '-inf') return TEXT.empty;
  if (place.map.operation === 'normalize' && [...operands.b, operands.c[0]].every(isZero))
    return TEXT.noDirection;
  return null;
}

function arithmeticOfAppended(place) {
  const cells = appendedOf(place) === 0 && place.map.learned && cellsOf(place.map.learned, place);
  return cells ? { parts: cells, count: 1, cells } : { words: TEXT.zeros, cells: [] };
}

// The parts of the cell's arithmetic, or a text where there is none.
function arithmeticOf(place) {
  if (appendedOf(place) >= 0 && place.map.appended) return arithmeticOfAppended(place);
  if (!place.map.operation) return { words: place.map.letters ? '' : TEXT.given, cells: [] };
  const operands = operandsOf(place);
  if (!operands) return { words: TEXT.tooLarge, cells: [] };
  const words = exceptionOf(place, operands);
  const cells = [].concat(...Object.values(operands));
  if (words) return { words, cells };
  return { parts: EXPRESSIONS[place.map.operation](operands, place), count: operands.a.length,
    cells };
}
