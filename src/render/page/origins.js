// Where a cell comes from: the cells of other maps that its operation takes.

// Which head of `of`, and which of its columns, belong to a cell of `result`: heads may lie side
// by side in either, and several heads may share one of the keys' and values'.
function headAndColumns(of, result, place) {
  const { head, heads } = headOf(place), isJoined = heads === 1 && result.slices > 1;
  const width = of.columns.length / of.slices;
  const all = { head: 0, first: 0, end: of.columns.length, column: place.column };
  if (of.slices > 1 && isJoined && of.slices === result.slices) {
    all.first = Math.floor(place.column / width) * width;
    all.end = all.first + width;
  } else if (of.heads > 1 && isJoined) {
    all.head = Math.floor(place.column / of.columns.length);
    all.column = place.column % of.columns.length;
  } else if (of.heads > 1) {
    all.head = Math.floor((head * of.heads) / heads);
  } else if (of.slices > 1 && heads > 1) {
    all.first = Math.floor((head * of.slices) / heads) * width;
    all.end = all.first + width;
    all.column += all.first;
  }
  return all;
}

function range(first, end, make) {
  return Array.from({ length: end - first }, (nothing, i) => make(first + i));
}

// Numbers of a head that belong together: the pair of a column, and whether it is the pair's first.
// Columns after the pairs have none.
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

// The cells that an operand is: so many from the first one on, side by side, below each other, or
// of one head after the other; none where it has no part in this cell.
function strandOf(operand, place) {
  const map = MAPS[operand.map], at = rowAndColumns(map, place), pair = pairOf(place.map, at.column);
  const strand = (row, column, count = 1, along = 'column') =>
    ({ map, head: at.head, row, column, count, along });
  const where = (holds, row, column) => strand(row, column, holds ? 1 : 0);
  const below = place.row - (place.map.rows.length - map.rows.length);
  switch (operand.part) {
    case 'row':
    case 'row-i': return strand(at.row, at.first, at.end - at.first);
    case 'row-j': return strand(place.column, at.first, at.end - at.first);
    case 'column-j': return strand(0, at.column, map.rows.length, 'row');
    case 'cell': return where(at.column < map.columns.length, at.row, at.column);
    case 'of-row': return strand(at.row, 0);
    case 'of-column': return strand(0, at.column);
    case 'partner': return where(pair, place.row, pair && pair.partner);
    case 'of-pair': return where(pair, place.row, pair && pair.index);
    case 'above': return where(place.row < map.rows.length, place.row, at.column);
    case 'of-focus': return strand(place.map.focus.row, place.row);
    case 'of-heads': return { ...strand(at.row, at.column, map.heads, 'head'), head: 0 };
    case 'below': return where(below >= 0, below, at.column);
    default: return strand(0, 0);
  }
}

function partsOf(operand, place) {
  const { map, head, row, column, count, along } = strandOf(operand, place);
  return range(0, count, (i) => {
    const cell = { map, head, row, column };
    cell[along] += i;
    return cell;
  });
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
