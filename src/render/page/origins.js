// Where a cell comes from: the cells of other maps that its operation takes.

function range(first, end, make) {
  return Array.from({ length: end - first }, (nothing, i) => make(first + i));
}

// Numbers of a head that belong together: the pair of a column, and whether it is the pair's first.
// Columns before and after the pairs have none.
function pairOf(map, column) {
  const at = (column % (map.columns.length / map.slices)) - (map.unpaired || 0), half = map.paired / 2;
  if (at < 0 || at >= map.paired) return null;
  if (map.interleaved)
    return { index: at >> 1, isFirst: at % 2 === 0, partner: column + (at % 2 === 0 ? 1 : -1) };
  return { index: at % half, isFirst: at < half, partner: column + (at < half ? half : -half) };
}

// Which head a cell is of, also where heads lie side by side, and which column of that head's.
function inHead({ map, head, column }) {
  const width = map.columns.length / map.slices;
  return { index: map.slices > 1 ? Math.floor(column / width) : head, column: column % width };
}

// The numbers that an operand is, as trace/operand.h says it: `first` among those of its map, `count`
// of them, each `step` after the one before; none where it has no part in this cell.
function strandOf({ map, at }, place) {
  const { base, query = 0, head = 0, group = 1, row = 0, column = 0, apart: step = 1 } = at;
  const { focus } = place.map, { index, column: own } = inHead(place), pair = at.pair && pairOf(place.map, own);
  const ofHead = focus ? focus.head : index;
  const [from, end] = at.rows || [0, Infinity];
  const isThere = place.row >= from && place.row < end && !(own >= at.columns) &&
    own >= (at.from_column || 0) && pair !== null;
  const j = !pair ? own : at.pair === 'number' ? pair.index : pair.partner;
  const first = base + query * (focus ? focus.row : 0) + head * Math.floor(ofHead / group) +
    row * place.row + column * j;
  return { map: MAPS[map], first, step, count: isThere ? at.count ?? 1 : 0 };
}

// Where the first cell that has it takes the first of its numbers.
function beginOf({ base, column = 0, from_column: from = 0 }) {
  return base + column * from;
}

// Whether all cells have it.
function isEverywhere({ at }) {
  return !(at.rows || at.pair || at.columns !== undefined || at.from_column !== undefined);
}

// The same of an operand that is a cell, for all cells of the row in its head.
function strandOfRow(operand, place) {
  const { columns, slices } = place.map, count = columns.length / slices;
  const first = { ...place, column: place.column - (place.column % count) };
  return { ...strandOf(operand, first), count, step: operand.at.column || 0 };
}

function cellAt(map, index) {
  const columns = map.columns.length, rows = map.rows.length, line = Math.floor(index / columns);
  return { map, head: Math.floor(line / rows), row: line % rows, column: index % columns };
}

function partsOf(operand, place) {
  const { map, first, count, step } = strandOf(operand, place);
  return range(0, count, (i) => cellAt(map, first + i * step));
}

// null where one of them is not on this page.
function cellsOf(operand, place) {
  const map = MAPS[operand.map];
  const cells = map.cells ? partsOf(operand, place) : null;
  return cells && cells.every((cell) => isKept(map, cell.head, cell.row)) ? cells : null;
}

// Which row it is of those that stand after the others and are not made like them, from 0.
function appendedOf(place) {
  return place.row - place.map.rows.length + (place.map.appended || 0);
}

// { a, b, c, d, e }, each a list of cells or undefined; null where one of them is not on this page.
function operandsOf(place) {
  const found = {}, { untouched, columns } = place.map;
  const isUntouched = untouched && place.column >= columns.length - untouched;
  for (const name of isUntouched ? ['a'] : OPERANDS) {
    if (!place.map[name]) continue;
    found[name] = cellsOf(place.map[name], place);
    if (!found[name]) return null;
  }
  return found.a ? found : null;
}
