// The page's tables, and those that it does not have by itself: exp, row_max, row_sum, angles.

const OWN = '.matrix:not(.part, .mini) > [data-map]', FIGURES = `figure:has(${OWN}), .unseen`;

function makeRow(map, label, tag) {
  const row = document.createElement('tr');
  const head = document.createElement('th');
  head.scope = 'row';
  head.textContent = label;
  row.append(head);
  for (const column of map.columns) {
    const cell = document.createElement(tag);
    if (tag === 'th') cell.textContent = column;
    else if (map.blank) cell.className = 'blank';
    row.append(cell);
  }
  return row;
}

// A single column has no label, but the rows next to it do: so they stay level.
function makeHeading(map) {
  const row = makeRow(map, '', 'th');
  for (const cell of map.columns.length > 1 ? [row.cells[0]] : [...row.cells]) {
    const empty = document.createElement('td');
    empty.textContent = '\u00a0';
    cell.replaceWith(empty);
  }
  return row;
}

function makeTable(map, index, of) {
  const table = document.createElement('table');
  const labels = map.only ? [map.rows[map.only.row]] : map.rows;
  table.className = 'matrix';
  const head = table.createTHead(), body = table.createTBody();
  Object.assign(body.dataset, { map: index, head: of });
  if (map.only) body.dataset.rows = map.only.row;
  head.append(makeHeading(map));
  body.append(...labels.map((label) => makeRow(map, label, 'td')));
  return table;
}

function makeFigure(map, index, head) {
  const figure = makeElement('figure', isOfOther(map) ? 'of-focus' : ''), scroll = document.createElement('div');
  const caption = figure.appendChild(document.createElement('figcaption'));
  caption.append(makeElement('b', '', ...mathematics(map.name),
    map.heads > 1 ? TEXT.headOf(head + 1, map.heads) : '',
    map.only ? TEXT.row(map.only.row + 1) : ''));
  scroll.className = 'scroll';
  scroll.append(makeTable(map, index, head));
  figure.append(scroll);
  return figure;
}

// One, whose tabs show the other heads; of an exercise, those of the heads that it asks for.
function makeFigures(map, index, section) {
  const heads = map.blank && map.heads > 1 ? [...section.querySelectorAll(OWN)]
    .filter((body) => MAPS[body.dataset.map].heads === map.heads)
    .map((body) => Number(body.dataset.head)) : [];
  const some = heads.length > 0 ? [...new Set(heads)] : [map.head];
  return some.map((head) => makeFigure(map, index, head));
}

// What is of a query by itself, "weighted[2]", is no help to who is asked for another one's.
function isWorthATable(map) {
  if (isOfOther(map) && MAPS.some((one) => one.step === map.step && one.blank)) return false;
  if (map.waits && isClosed(map.step)) return false;
  return map.unseen || (map.cells &&
    (map.operation || isLength(map) || map.rows.length * map.columns.length > 1));
}

// Rows and columns of what would be a table, and is too large for one; nothing of others.
function unseenSize(map) {
  const size = [map.rows.length, map.columns.length];
  return map.unseen || (!map.only && size[0] * size[1] > DATA.mostMade ? size : null);
}

// What stands in its place.
function makeNote(map, index) {
  const note = makeElement('p', 'note', TEXT.unseen(map.name, ...unseenSize(map)));
  note.dataset.map = index;
  return makeElement('div', 'unseen', note);
}

function indexOf(figure) {
  return Number(figure.querySelector('[data-map]').dataset.map);
}

function isMadeOf(map, index) {
  return nodesOf(map).includes(MAPS[index]);
}

// What a table is made of stands before it, in the order of the maps.
function firstBeside(figure, index, result) {
  const before = figure.previousElementSibling;
  const isLater = before && before.matches(FIGURES) && indexOf(before) > index &&
    isMadeOf(result, indexOf(before));
  return isLater ? firstBeside(before, index, result) : figure;
}

// Before the table that is made of them, so that their cells can light up: the last one first.
// What nothing in the step is made of comes after what it is made of itself.
function addMissingTables(root) {
  const there = new Set([...root.querySelectorAll(OWN)].map((body) => MAPS[body.dataset.map]));
  for (let index = MAPS.length - 1; index >= 0; index--) {
    const map = MAPS[index], section = document.getElementById(`step-${map.step}`);
    if (!root.contains(section) || !isWorthATable(map) || there.has(map)) continue;
    const figures = [...section.querySelectorAll(FIGURES)];
    const made = unseenSize(map) ? [makeNote(map, index)] : makeFigures(map, index, section);
    const result = figures.find((figure) => isMadeOf(MAPS[indexOf(figure)], index));
    const before = figures.filter((figure) => isMadeOf(map, indexOf(figure))).pop();
    if (result) firstBeside(result, index, MAPS[indexOf(result)]).before(...made);
    else if (before) before.after(...made);
    else if (figures[0]) figures[0].before(...made);
    else matricesOf(section).append(...made);
  }
}

function isWhole(body) {
  return body.dataset.rows === undefined;
}

// The first number of a table is what Tab leads to.
function makeFocusable(shown, map) {
  const place = placeOfSlot(shown, map, 0, 0), cell = place && cellIn(shown, place);
  if (cell) cell.tabIndex = 0;
}

function showBody(map, body) {
  const shown = { body, table: body.parentNode, head: Number(body.dataset.head), tabs: [],
    heads: [], rows: indicesOf(body.dataset.rows), columns: indicesOf(body.dataset.columns),
    isTurned: body.dataset.turned !== undefined, cut: Number(body.dataset.cut || 0) };
  SHOWN.set(map, [...tablesOf(map), shown]);
  shown.table.setAttribute('role', 'grid');
  compareTable(map, shown);
  return shown;
}

function lastOf(list) {
  return list[list.length - 1];
}

function takeTable(map, body) {
  const count = tablesOf(map).length, hasTabs = !map.blank && map.heads > 1 && isWhole(body);
  const came = hasTabs && body.closest('figure').cloneNode(true), shown = showBody(map, body);
  shown.table.id = `matrix-${fullName(map)}${count > 0 ? `-${count}` : ''}`;
  shown.caption = shown.table.closest('figure').querySelector('b');
  if (map.blank) return;
  if (lastOf(lastOf(body.rows).cells).textContent === '') fillHead(map, shown);
  if (hasTabs) {
    shown.heads[shown.head] = came;
    shown.tabs = makeHeadTabs(map, shown);
    showHead(map, map.head);
    mendSentence(shown.table);
  }
  makeFocusable(shown, map);
}

// The first table of a map shows all its heads in turn, that in focus first; the others go, and come
// back on paper. Parts of a large one stay, and so do those that stand in worked lines, and those of
// an exercise. All of the page, or of a step that was closed.
function takeTables(root = document) {
  addMissingTables(root);
  for (const body of root.querySelectorAll(OWN)) {
    const map = MAPS[body.dataset.map];
    if (SHOWN.has(map) && isWhole(body) && !map.blank) {
      const figure = body.closest('figure');
      figure.remove();
      tablesOf(map)[0].heads[body.dataset.head] = figure;
    } else takeTable(map, body);
  }
  for (const body of root.querySelectorAll('.part > [data-map]')) {
    const map = MAPS[body.dataset.map];
    makeFocusable(showBody(map, body), map);
  }
  root.querySelectorAll('.matrix tbody').forEach((body) => alignPoints(body));
  root.querySelectorAll('.scroll').forEach(watchEdges);
}

// A table that goes on beyond an edge fades there.
function watchEdges(scroll) {
  const mark = () => {
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = scroll;
    scroll.classList.toggle('goes-right', scrollLeft + clientWidth < scrollWidth - 1);
    scroll.classList.toggle('goes-down', scrollTop + clientHeight < scrollHeight - 1);
  };
  scroll.addEventListener('scroll', mark, { passive: true });
  new ResizeObserver(mark).observe(scroll);
}
