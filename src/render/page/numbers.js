// The numbers of the page's maps, and the arithmetic of each: laid out from what the program
// computed, never computed again. Texts of numbers are the program's own.

const DATA = JSON.parse(document.getElementById('data').textContent);
const MAPS = DATA.maps;
const DIGITS = DATA.digits; // decimals that numbers have at most

// Up to 16 terms are read one by one; of more, the first 8 and the last 3 say how it goes.
const MOST_TERMS = 16, FIRST_TERMS = 8, LAST_TERMS = 3;

function rowOf(map, head, row) {
  const at = head * map.rows.length + row;
  if (typeof map.cells[at] === 'string') map.cells[at] = map.cells[at].split(' ');
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
    place.column < map.columns.length;
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
  if (of.heads > 1 && isJoined) {
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

// The cells that an operand is, in their order.
function cellsOf(operand, place) {
  const map = MAPS[operand.map];
  if (!map.cells) return null;
  const at = headAndColumns(map, place.map, place);
  const cell = (row, column) => ({ map, head: at.head, row, column });
  switch (operand.part) {
    case 'row-i': return range(at.first, at.end, (column) => cell(place.row, column));
    case 'row-j': return range(at.first, at.end, (column) => cell(place.column, column));
    case 'column-j': return range(0, map.rows.length, (row) => cell(row, at.column));
    case 'cell': return [cell(map.rows.length === 1 ? 0 : place.row, at.column)];
    case 'of-row': return [cell(place.row, 0)];
    case 'of-column': return [cell(0, place.column)];
    default: return [cell(0, 0)];
  }
}

// { a, b, c }, each a list of cells or undefined; null where one of them is not on this page.
function operandsOf(place) {
  const found = {};
  for (const name of ['a', 'b', 'c']) {
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
  return cells ? [...parts, ' + ', ...factor(cells[0])] : parts;
}

const EXPRESSIONS = {
  dot: ({ a, b, c }) =>
    plus(joined(a.length, ' + ', (i) => [...factor(a[i]), '·', ...factor(b[i])]), c),
  times: ({ a, b }) => [...factor(a[0]), '·', ...factor(b[0])],
  cap: ({ a, b }) => [...factor(b[0]), '·tanh(', a[0], ' / ', ...factor(b[0]), ')'],
  plus: ({ a, b }) => plus([a[0]], b),
  exp: ({ a, b }) => ['exp(', a[0], ' − ', ...factor(b[0]), ')'],
  sum: ({ a, c }) => plus(joined(a.length, ' + ', (i) => (i > 0 ? factor(a[i]) : [a[i]])), c),
  max: ({ a }) => ['max(', ...joined(a.length, ', ', (i) => [a[i]]), ')'],
  divide: ({ a, b }) => [a[0], ' / ', ...factor(b[0])],
  round: ({ a }) => [a[0]],
};

// Masked numbers and rows that see nothing have no arithmetic.
function exceptionOf(place, operands) {
  const isMask = place.map.name === 'masked' && textOf(place) === '-inf';
  if (isMask) return TEXT.hidden;
  const second = operands.b && textOf(operands.b[0]);
  if (place.map.operation === 'divide' && second === '0') return TEXT.empty;
  if (place.map.operation === 'exp' && second === '-inf') return TEXT.empty;
  return null;
}

// The parts of the cell's arithmetic, or a text where there is none.
function arithmeticOf(place) {
  const operands = place.map.operation && operandsOf(place);
  if (!operands) return { words: place.map.letters ? '' : TEXT.given, cells: [] };
  const words = exceptionOf(place, operands);
  const cells = [].concat(...Object.values(operands));
  if (words) return { words, cells };
  return { parts: EXPRESSIONS[place.map.operation](operands), count: operands.a.length, cells };
}
