// Tables, lines and pictures as large as the tokens make them, and how a reader adds, removes and names
// one: next to the rows of x, by its label.

// ---- tables ----

// Which indices a table shows where it came with these: of all tokens it came with, those that there are.
function indicesNow(list, map, axis) {
  const first = GROWN.axes && GROWN.axes.get(map)[axis];
  if (!list || first === undefined || first === null) return list;
  const isAll = range(first, first + GROWN.came, Number).every((index) => list.includes(index));
  if (!isAll) return list.map((index) => Math.min(index, map[axis].length - 1));
  return [...list.filter((index) => index < first), ...ROWS.order.map((nothing, place) => first + place),
    ...list.filter((index) => index >= first + GROWN.came).map((index) => indexNow(index, first))];
}

function setCount(parent, children, count) {
  while (children.length > count) children[children.length - 1].remove();
  while (children.length < count) {
    const made = children[children.length - 1].cloneNode(true);
    made.className = '';
    made.removeAttribute('tabindex');
    parent.append(made);
  }
}

// "(3 × 4)", of the matrix that is shown.
function showSize(map, shown) {
  const span = shown.table.closest('figure')?.querySelector('figcaption span');
  shown.size ??= span && /^\((\d+) × (\d+)\)$/.exec(span.textContent);
  if (!shown.size) return;
  const axes = GROWN.axes.get(map), more = ROWS.order.length - GROWN.came;
  const sizes = (shown.isTurned ? ['columns', 'rows'] : ['rows', 'columns'])
    .map((axis, i) => Number(shown.size[i + 1]) + (axes[axis] === undefined ? 0 : more));
  span.textContent = `(${sizes.join(' × ')})`;
}

function fit(map, shown) {
  const { body, table, isTurned } = shown, axes = GROWN.axes && GROWN.axes.get(map);
  if (!axes || shown.cut || Object.keys(axes).length === 0) return;
  shown.came ||= { rows: shown.rows, columns: shown.columns };
  if (table.matches('.part')) Object.assign(shown, partInFocus(map, shown));
  else for (const axis of ['rows', 'columns']) shown[axis] = indicesNow(shown.came[axis], map, axis);
  const count = (axis) => (shown[axis] || map[axis]).length, [down, right] = isTurned ? ['columns', 'rows'] : ['rows', 'columns'];
  table.querySelectorAll('.total').forEach((cell) => cell.remove());
  delete shown.summed;
  setCount(body, body.rows, count(down));
  for (const line of body.rows) setCount(line, line.cells, labelsIn(line) + count(right));
  if (table.tHead) setCount(table.tHead.rows[0], table.tHead.rows[0].cells, labelsIn(body.rows[0]) + count(right));
  showSize(map, shown);
  table.closest('figure')?.classList.toggle('gone', isOfLostQuery(map));
}

// What is of one query stays with its number, and is not shown while there is no such query.
function isOfLostQuery(map) {
  return map.cameQuery >= ROWS.order.length;
}

const MOST_OF_LABEL = 16; // as in the page as it comes: render/number_text.c

function labelNow(words) {
  const letters = [...words];
  return letters.length > MOST_OF_LABEL ? `${letters.slice(0, MOST_OF_LABEL - 1).join('')}…` : words;
}

// ---- lines ----

// A token may have been taken out.
function isThere({ map, row, column }) {
  return row < map.rows.length && column < map.columns.length && !isOfLostQuery(map);
}

// A line a key, or a row: as many as the program spells out.
function isLineThere(line) {
  return isThere(placeOfLine(line));
}

function addLine(last, axis, index) {
  const line = last.cloneNode(true), said = LINES.get(last), { map } = placeOfLine(last);
  const cellAfter = (words) => {
    const { head, ...place } = { ...placeSaid(words), [axis]: index };
    return [MAPS.indexOf(map), head, place.row, place.column].join(' ');
  };
  line.dataset.cell = cellAfter(said.cell); // as if it had come, too
  LINES.set(line, { ...said, nodes: [] });
  LINES.set(line, { ...said, nodes: [], cell: line.dataset.cell, head: [...makeElement('span', '', ...headOfLine(line)).childNodes] });
  line.dataset.cell = cellAfter(last.dataset.cell);
  last.after(line);
  addView(line, (maps) => maps.has(map) || takesFrom(map, maps), () => drawLine(line));
  return line;
}

// Lines of one map, one after the other, that go on by a token each.
function growLines(section) {
  const lines = [...section.querySelectorAll('.line[data-cell]')].filter((line) => ['cell', 'row', 'masked'].includes(line.dataset.shows || 'cell'));
  const most = Math.min(ROWS.order.length, DATA.lines ?? Infinity);
  for (const axis of ['column', 'row']) {
    const series = new Map();
    for (const line of lines) {
      const place = placeOfLine(line), { map } = place, others = { ...place, map: MAPS.indexOf(map), [axis]: 0 };
      if (GROWN.axes.get(map)[`${axis}s`] !== 0 || (axis === 'row' && line.dataset.shows !== 'row')) continue;
      const name = Object.values(others).join();
      series.set(name, [...series.get(name) || [], line]);
    }
    for (const all of [...series.values()].filter(({ length }) => length < most && length >= Math.min(GROWN.came, DATA.lines ?? Infinity)))
      range(all.length, most, Number).reduce((last, index) => addLine(last, axis, index), lastOf(all));
  }
}

// ---- the diagram ----

function showShapes() {
  for (const link of document.querySelectorAll('.picture a')) {
    const shape = link.querySelector('.shape'), section = targetOf(link)?.closest('section');
    const map = section && mapsOf(Number(section.dataset.room)).find((one) => one.name === link.querySelector('text').textContent);
    if (!shape || !map) continue;
    const [rows, columns] = ['rows', 'columns'].map((axis) => map[axis].length - ROWS.came.get(map)[axis].length);
    shape.dataset.came ??= shape.textContent;
    shape.textContent = shape.dataset.came.replace(/(\d+) × (\d+)$/, (all, tall, wide) => `${Number(tall) + rows} × ${Number(wide) + columns}`);
  }
}

// Before anything else is drawn; whether there is something to show.
function showTokensChanged() {
  const isOther = Boolean(GROWN.axes) && GROWN.shown !== ROWS.order;
  if (!isOther) return false;
  GROWN.shown = ROWS.order;
  STEPS.sections.forEach(growLines);
  showShapes();
  return true;
}

// ---- by hand ----

function focusLabel(row) {
  const [map] = mapsOfRows(), [shown] = tablesOf(map);
  refreshAll();
  const label = shown.body.rows[Math.min(row, shown.body.rows.length - 1)].cells[0];
  if (label.tagName === 'TH') focusCell(label);
}

function addByHand(at, name) {
  attempt(() => {
    takeAll();
    const isKnown = Boolean(name && numbersCalled(name));
    edit(addToken(at, name));
    focusLabel(at);
    markEdits(isKnown ? TEXT.addedWord(at + 1, name) : TEXT.added(at + 1, Math.max(1, at)));
  });
}

function startByHand(name) {
  attempt(() => { edit(startSentence(0, name)); focusLabel(0); }, TEXT.started);
}

function removeByHand(at, name) {
  attempt(() => { edit(removeToken(at)); focusLabel(at); }, TEXT.removed(name));
}

function nameByHand({ label, map, row }) {
  const input = document.createElement('input'), nodes = [...label.childNodes];
  let isDone = false; // an input that goes loses the focus
  input.value = map.rows[row];
  input.setAttribute('aria-label', TEXT.newName(map.rows[row]));
  label.replaceChildren(input);
  input.focus();
  input.select();
  const finish = (isTaken) => {
    if (isDone) return;
    isDone = true;
    const { value } = input;
    label.replaceChildren(...nodes);
    focusCell(label);
    if (isTaken && value !== map.rows[row]) attempt(() => edit(renameToken(row, value)));
  };
  input.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Enter' || event.key === 'Escape') finish(event.key === 'Enter');
  });
  input.addEventListener('blur', () => finish(true));
}

function isOfToken(at) {
  return Boolean(at && mapsOfRows().includes(at.map) && isWhole(at.shown.body) && at.label.tagName === 'TH');
}

const TOKEN_KEYS = { Insert: ({ row }) => addByHand(row + 1), Delete: ({ map, row }) => removeByHand(row, map.rows[row]), F2: nameByHand };

function growByKey(event) {
  const at = event.target.tagName === 'TH' && labelAt(event.target), act = TOKEN_KEYS[event.key];
  if (!act || !isOfToken(at)) return;
  event.preventDefault();
  event.stopPropagation();
  act(at);
}

function growByClick(event) {
  const at = labelAt(event.target);
  if (isOfToken(at) && event.target.tagName !== 'INPUT') nameByHand(at);
}

function startGrowing(main) {
  for (const map of mapsOfRows()) {
    for (const shown of tablesOf(map).filter(({ body }) => isWhole(body) && labelsIn(body.rows[0]))) {
      const name = document.createElement('input'), words = document.createElement('datalist');
      Object.assign(name, { placeholder: TEXT.newToken, autocomplete: 'off', size: 10 });
      name.setAttribute('aria-label', TEXT.nameOfToken);
      name.setAttribute('list', Object.assign(words, { id: `words-${fullName(map)}` }).id);
      const saying = (label, act) => makeButton(label, () => {
        const said = name.value.trim();
        name.value = '';
        act(said);
      });
      const add = saying(TEXT.addToken, (said) => addByHand(ROWS.order.length || map.rows.length, said));
      const start = saying(TEXT.startAnew, startByHand);
      name.addEventListener('focus', () => {
        if (EDITS.order && !words.firstChild) words.append(...wordsKnown().map((word) => new Option(word)));
      });
      name.addEventListener('keydown', (event) => {
        event.stopPropagation();
        if (event.key !== 'Enter') return;
        add.click();
        name.focus();
      });
      const last = makeButton(TEXT.removeToken, () => removeByHand(map.rows.length - 1, lastOf(map.rows)));
      shown.table.closest('.scroll').after(makeElement('p', 'growing controls screen', name, words, add, last, start),
        makeElement('p', 'note screen', TEXT.growing));
    }
  }
  main.addEventListener('keydown', growByKey);
  main.addEventListener('dblclick', growByClick);
  main.addEventListener('click', (event) => { // the keys are for it from then on
    const at = labelAt(event.target);
    if (isOfToken(at) && event.target.tagName !== 'INPUT') focusCell(at.label);
  });
}
