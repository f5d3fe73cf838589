// Tables, lines and pictures as large as the tokens make them, and how a reader adds, removes and names
// one: next to the rows of x, by its label.

// ---- tables ----

// Which indices a table shows where it came with these: of all tokens it came with, those that there are.
function indicesNow(list, map, axis) {
  const first = firstAlong(map, axis);
  if (!list || first === undefined) return list;
  if (groupOf(map, axis).isWidth) return indicesOfWidth(list, groupOf(map, axis));
  const { count, order } = groupOf(map, axis), isAll = range(first, first + count, Number).every((index) => list.includes(index));
  if (!isAll) return list.map((index) => Math.min(index, map[axis].length - 1));
  return [...list.filter((index) => index < first), ...order.map((nothing, place) => first + place),
    ...list.filter((index) => index >= first + count).map((index) => indexNow(index, map, axis))];
}

// Of each head that it came with whole, all.
function indicesOfWidth(list, group) {
  const { count, order: { length } } = group, isWhole = (head) => range(head * count, (head + 1) * count, Number).every((index) => list.includes(index));
  return list.flatMap((index) => {
    const head = Math.floor(index / count), isLast = index === (head + 1) * count - 1;
    const more = isLast && isWhole(head) ? range(head * length + count, Math.max(head * length + count, (head + 1) * length), Number) : [];
    return [index < 0 ? index : placeInWidth(index, group), ...more].filter(Number.isFinite);
  });
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
  const sizes = (shown.isTurned ? ['columns', 'rows'] : ['rows', 'columns'])
    .map((axis, i) => Number(shown.size[i + 1]) + moreAlong(map, axis));
  span.textContent = `(${sizes.join(' × ')})`;
}

// A row of each head, as wide as that is.
function fitCut(map, shown) {
  if (!groupOf(map, 'columns')?.isWidth) return;
  shown.cut = map.columns.length / map.slices;
  for (const line of [...shown.body.rows, ...shown.table.tHead ? shown.table.tHead.rows : []])
    setCount(line, line.cells, labelsIn(shown.body.rows[0]) + shown.cut);
}

function fit(map, shown) {
  const { body, table, isTurned } = shown;
  if (!ROWS.axes || !GROUPS.some((group) => hasSome(map, group))) return;
  if (shown.cut) {
    fitCut(map, shown);
    return;
  }
  shown.came ||= { rows: shown.rows, columns: shown.columns };
  if (table.matches('.part')) Object.assign(shown, partInFocus(map, shown));
  else for (const axis of ['rows', 'columns']) shown[axis] = indicesNow(shown.came[axis], map, axis);
  const count = (axis) => (shown[axis] || map[axis]).length, [down, right] = isTurned ? ['columns', 'rows'] : ['rows', 'columns'];
  const wide = labelsIn(body.rows[0]) + count(right), cellsNow = body.rows[0].querySelectorAll(':scope > :not(.total)').length;
  if (body.rows.length !== count(down) || cellsNow !== wide) {
    table.querySelectorAll('.total').forEach((cell) => cell.remove());
    delete shown.summed;
    setCount(body, body.rows, count(down));
    for (const line of body.rows) setCount(line, line.cells, wide);
    if (table.tHead) setCount(table.tHead.rows[0], table.tHead.rows[0].cells, wide);
  }
  showSize(map, shown);
  table.closest('figure')?.classList.toggle('gone', isOfLostQuery(map));
}

// What is of one query stays with its number, and is not shown while there is no such query.
function isOfLostQuery(map) {
  return map.cameQuery !== undefined && map.cameQuery >= queriesThere(map);
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
  for (const axis of ['column', 'row']) {
    const series = new Map();
    for (const line of lines) {
      const place = placeOfLine(line), { map } = place, others = { ...place, map: MAPS.indexOf(map), [axis]: 0 };
      if (firstAlong(map, `${axis}s`) !== 0 || groupOf(map, `${axis}s`).isWidth || (axis === 'row' && line.dataset.shows !== 'row')) continue;
      const name = Object.values(others).join();
      series.set(name, [...series.get(name) || [], line]);
    }
    for (const all of series.values()) {
      const { order, count } = groupOf(placeOfLine(all[0]).map, `${axis}s`), [most, least] = [order.length, count].map((size) => Math.min(size, DATA.lines ?? Infinity));
      if (all.length < most && all.length >= least)
        range(all.length, most, Number).reduce((last, index) => addLine(last, axis, index), lastOf(all));
    }
  }
}

// ---- the diagram ----

function showShapes() {
  for (const link of document.querySelectorAll('.picture a')) {
    const shape = link.querySelector('.shape'), section = targetOf(link)?.closest('section');
    const map = section && mapsOf(Number(section.dataset.room)).find((one) => one.name === link.querySelector('text').textContent);
    if (!shape || !map) continue;
    const [rows, columns] = ['rows', 'columns'].map((axis) => map[axis].length - LABELLED.get(map)[axis].length);
    shape.dataset.came ??= shape.textContent;
    shape.textContent = shape.dataset.came.replace(/(\d+) × (\d+)$/, (all, tall, wide) => `${Number(tall) + rows} × ${Number(wide) + columns}`);
  }
}

// Before anything else is drawn; whether there is something to show.
function showTokensChanged() {
  const isOther = Boolean(ROWS.axes) && GROWN.shown !== GROWN.stamp;
  if (!isOther) return false;
  GROWN.shown = GROWN.stamp;
  STEPS.sections.forEach(growLines);
  showShapes();
  return true;
}

// ---- by hand ----

function focusLabel(map, row) {
  const [shown] = tablesOf(map);
  refreshAll();
  const label = shown.body.rows[Math.min(row, shown.body.rows.length - 1)].cells[0];
  if (label.tagName === 'TH') focusCell(label);
}

// Of the group whose row that is in the map: a token, or a key.
function groupWith(map) {
  return GROUPS.find((group) => group.of().includes(map));
}

function addByHand(map, at, name) {
  attempt(() => {
    takeAll();
    const group = groupWith(map), isKnown = Boolean(name && numbersCalled(name, group));
    edit(addToken(at, name, group));
    focusLabel(map, at);
    markEdits(isKnown ? TEXT[textsOf(group).addedWord](at + 1, name) : TEXT[textsOf(group).added](at + 1, Math.max(1, at)));
  });
}

function startByHand(map, name) {
  attempt(() => { edit(startSentence(0, name)); focusLabel(map, 0); }, TEXT.started);
}

function removeByHand(map, at) {
  const name = map.rows[at];
  attempt(() => { edit(removeToken(at, groupWith(map))); focusLabel(map, at); }, TEXT.removed(name));
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
    if (isTaken && value !== map.rows[row]) attempt(() => edit(renameToken(row, value, groupWith(map))));
  };
  input.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Enter' || event.key === 'Escape') finish(event.key === 'Enter');
  });
  input.addEventListener('blur', () => finish(true));
}

function isOfToken(at) {
  return Boolean(at && groupWith(at.map) && isWhole(at.shown.body) && at.label.tagName === 'TH');
}

const TOKEN_KEYS = { Insert: ({ map, row }) => addByHand(map, row + 1), Delete: ({ map, row }) => removeByHand(map, row), F2: nameByHand };

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
  if (groupOfKeys().of().length === 0 && mapsOfRows().length > 0) addHelp(TEXT.noKeys);
  for (const map of GROUPS.flatMap((group) => group.of())) {
    const group = groupWith(map), texts = textsOf(group);
    for (const shown of tablesOf(map).filter(({ body }) => isWhole(body) && labelsIn(body.rows[0]))) {
      const name = document.createElement('input'), words = document.createElement('datalist');
      Object.assign(name, { placeholder: TEXT.newToken, autocomplete: 'off', size: 10 });
      name.setAttribute('aria-label', TEXT[texts.nameOf]);
      name.setAttribute('list', Object.assign(words, { id: `words-${fullName(map)}` }).id);
      const saying = (label, act) => makeButton(label, () => {
        const said = name.value.trim();
        name.value = '';
        act(said);
      });
      const add = saying(TEXT[texts.add], (said) => addByHand(map, group.order.length || rowsGiven(map), said));
      const start = isOfKeys(group) ? [] : [saying(TEXT.startAnew, (said) => startByHand(map, said))];
      name.addEventListener('focus', () => {
        if (EDITS.order && !words.firstChild) words.append(...wordsKnown(group).map((word) => new Option(word)));
      });
      name.addEventListener('keydown', (event) => {
        event.stopPropagation();
        if (event.key !== 'Enter') return;
        add.click();
        name.focus();
      });
      const last = makeButton(TEXT.removeToken, () => removeByHand(map, rowsGiven(map) - 1));
      shown.table.closest('.scroll').after(makeElement('p', 'growing controls screen', name, words, add, last, ...start),
        makeElement('p', 'note screen', TEXT[texts.help]));
    }
  }
  main.addEventListener('keydown', growByKey);
  main.addEventListener('dblclick', growByClick);
  main.addEventListener('click', (event) => { // the keys are for it from then on
    const at = labelAt(event.target);
    if (isOfToken(at) && event.target.tagName !== 'INPUT') focusCell(at.label);
  });
}
