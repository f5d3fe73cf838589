// Rows of x in another order: dragged by their labels, or moved by Alt and an arrow. What is marked
// then is what a token has otherwise than it had.

// The row that a label at the left is of; null where it is of none.
function labelAt(element) {
  const label = element.closest?.('.matrix tbody[data-map] th');
  if (!label) return null;
  const body = label.closest('tbody'), map = MAPS[body.dataset.map];
  const shown = tablesOf(map).find((one) => one.body === body);
  const row = shown && !shown.isTurned ? indexAt(shown.rows, label.parentNode.sectionRowIndex) : -1;
  return row >= 0 && !body.matches('.sum') ? { label, map, shown, row } : null;
}

// Labels of a table at the left, and of those above it.
function labelsOfTable({ body, table, isTurned }) {
  const above = table.tHead ? [...table.tHead.rows[0].cells] : [];
  return isTurned ? {} : { rows: [...body.rows].map((line) => labelsIn(line) && line.cells[0]),
    columns: above.slice(labelsIn(body.rows[0])) };
}

// "weighted[2,1]": it says where a number stands, and stays there.
function isOfPlace(label) {
  return /\[[\d,]+\]$/.test(label.textContent);
}

// As the rows stand now; a label that is not in this table stays.
function relabel(map, shown) {
  shown.labels ||= Object.fromEntries(Object.entries(labelsOfTable(shown)).map(([axis, all]) =>
    [axis, all.map((label) => label && [...label.childNodes])]));
  fit(map, shown);
  const labels = labelsOfTable(shown), isPart = shown.table.matches('.part');
  for (const [axis, came] of Object.entries(shown.labels)) {
    labels[axis].forEach((label, slot) => {
      const index = indexAt(shown[axis], slot), before = rowBefore(map, axis, index);
      const from = before === null ? -1 : slotOf(ROWS.axes && shown.came ? shown.came[axis] : shown[axis], before);
      const isCalledSo = map[axis][index] === LABELLED.get(map)[axis][before];
      if (ROWS.axes && isPart && label && isOfPlace(label) && came.length > 1) label.textContent = label.textContent.replace(/\d+\]$/, `${index + 1}]`);
      if (!label || (isPart && isOfPlace(label))) return;
      if (came[from] && isCalledSo) label.replaceChildren(...came[from].map((one) => one.cloneNode(true)));
      else if (ROWS.axes && index >= 0 && (map[axis].length > 1 || firstAlong(map, axis) !== undefined)) label.textContent = labelNow(map[axis][index]);
    });
  }
}

function move(map, row, to) {
  const shown = tablesOf(map)[0], label = map.rows[row];
  if (to < 0 || to >= map.rows.length) return;
  attempt(() => edit(moveRow(row, to)), TEXT.moved(label, to + 1, map.rows.length));
  focusCell(shown.body.rows[to].cells[0]);
}

function isMovable(at) {
  return Boolean(at && mapsOfRows().includes(at.map) && isWhole(at.shown.body));
}

function moveByKey(event) {
  const at = labelAt(event.target), by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!event.altKey || !by || !isMovable(at)) return;
  event.preventDefault();
  event.stopPropagation();
  move(at.map, at.row, at.row + by);
}

// Until the pointer is let go it marks the row whose place is taken.
function drag(event) {
  const from = labelAt(event.target);
  if (!isMovable(from) || event.button > 0) return;
  let over = from;
  const show = (isOn) => over.label.classList.toggle('over', isOn && over.row !== from.row);
  const follow = ({ clientX, clientY }) => {
    const at = labelAt(document.elementFromPoint(clientX, clientY) || document.body);
    if (!at || at.shown !== from.shown) return;
    show(false);
    over = at;
    show(true);
  };
  const end = ({ type }) => {
    show(false);
    for (const [name, act] of acts) removeEventListener(name, act);
    if (type === 'pointerup' && over.row !== from.row) move(from.map, from.row, over.row);
  };
  const acts = [['pointermove', follow], ['pointerup', end], ['pointercancel', end]];
  for (const [name, act] of acts) addEventListener(name, act);
  event.preventDefault();
}

function startMoving(main) {
  for (const map of mapsOfRows()) {
    for (const shown of tablesOf(map).filter(({ body }) => isWhole(body) && labelsIn(body.rows[0]))) {
      shown.table.classList.add('movable');
      shown.table.closest('.scroll').after(makeElement('p', 'note screen', TEXT.moving));
    }
  }
  main.addEventListener('keydown', moveByKey);
  main.addEventListener('pointerdown', drag);
}
