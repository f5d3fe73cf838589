// What is worked out in lines is of one query and one head. A click on the label of another one puts
// it in their place: lines and products are of it then, and so are words that only name it. What may
// not hold of it is hidden.

// at: the query, the head and the entry of a batch that were chosen, from 0.
const WORKED = { at: null, shown: null, words: new Map() };

function focusOf(room) {
  const came = DATA.rooms[room].focus, { row, head } = WORKED.at || came;
  return { row, head: head < came.heads ? head : came.head };
}

function isFocusAsItCame(room) {
  const { row, head } = focusOf(room), came = DATA.rooms[room].focus;
  return row === came.row && head === came.head && ENTRY === SHOWN_FIRST;
}

// Which of so many heads, where some share one.
function headAmong(heads, head, room) {
  return Math.floor((head * heads) / DATA.rooms[room].focus.heads);
}

// The rows of a weight's gradient are the weight's; ffn.router has rows of its own.
const WEIGHT_CALLED = /^(?!ffn\.)(.*\.)?(w[a-z]?\d?|wk?[qv]_down|ua|router|shared_gate|unembedding)$/i;

function isOfRows(map) {
  const isOfWeight = WEIGHT_CALLED.test(forwardOf(map)?.name);
  return map.rows.length > 1 && !map.focus && !isOfWeight &&
    Boolean(map.operation || map.follows || ['x', 'xk', 'xv', 'q', 'k', 'v'].includes(map.key || map.name));
}

// Without those that are appended to the keys; what is made of all keys has them as its own.
function rowsOfOwn(map) {
  const keys = mapsOf(map.room).find((one) => (one.key || one.name) === 'k');
  return rowsGiven(keys && /^k/.test(map.name) ? keys : map);
}

// What a place of the focus that came is in this one.
function inFocus(place) {
  const { map } = place, { heads, ...came } = DATA.rooms[map.room].focus, { row, head } = focusOf(map.room);
  const moved = placeNow(place), among = (count, one) => headAmong(count, one, map.room);
  if (map.focus) return moved;
  if (map.heads > 1) moved.head = among(map.heads, head);
  else if (map.slices > 1 && heads > 1)
    moved.column += (among(map.slices, head) - among(map.slices, came.head)) * (map.columns.length / map.slices);
  const within = (one) => (one < rowsOfOwn(map) ? one : 0); // a memory has fewer rows: then the first
  if (isOfRows(map) && place.row === within(came.row)) moved.row = within(row);
  return moved;
}

// Of layers, the first room has no heads.
function roomInFocus() {
  return (MAPS.find((map) => map.focus) || { room: 0 }).room;
}

// The rows go with their tokens.
function setFocus(row, head, entry = ENTRY) {
  const now = focusOf(roomInFocus()), value = String(ENTRIES.length > 1 ? [row, head, entry] : [row, head]);
  const isSame = now.row === row && now.head === head && entry === ENTRY;
  return isSame || !(entry in ENTRIES) ? []
    : [{ what: 'focus', said: 'focus', from: WORKED.at, to: { row, head, entry, value } }];
}

// Small pages have what is of one query, "weighted[2]", of the others too, which stay.
function isOfOther(map) {
  return map.name.includes('[');
}

function isMoved(map) {
  return map.focus && !isOfOther(map);
}

function takeFocus(at) {
  WORKED.at = at;
  lookAt(at ? at.entry : SHOWN_FIRST);
  const maps = MAPS.filter(isMoved);
  for (const map of maps) {
    Object.assign(map.focus, focusOf(map.room));
    map.letters = map.letters.replace(/\[\d+,i\]/, `[${map.focus.row + 1},i]`);
  }
  return maps;
}

// ---- showing it ----

// " (dog)", whole where labels cut it, or nothing where it has a number only.
function nameIn(map, axis, index) {
  const whole = map[{ rows: 'wholeRows', columns: 'wholeColumns' }[axis]], label = map[axis][index];
  return /^(\d+|\w+\[.*)$/.test(label) ? '' : ` (${whole?.[rowBefore(map, axis, index)] ?? label})`;
}

function nameOfQuery(room, row) {
  const [seen] = mapsThatSee(room);
  return seen ? nameIn(seen, 'rows', row) : '';
}

// In what the page came with: "query 1 (dog)", "in head 1", "attended[1]", "of sequence 1".
function renamed(text, room, heads) {
  const came = DATA.rooms[room].focus, { head, row } = focusOf(room);
  const name = nameOfQuery(room, row), number = (one) => headAmong(heads, one, room) + 1;
  return text.replace(new RegExp(`\\b([Qq]uery) ${came.row + 1}( \\([^)]*\\))?`), `$1 ${row + 1}${name}`)
    .replace(new RegExp(`\\bhead ${number(came.head)}\\b(?! the first)`), `head ${number(head)}`)
    .replace(new RegExp(`\\[${came.row + 1}(?=[\\],])`), `[${row + 1}`)
    .replace(new RegExp(`\\b(sequence|this is number) ${DATA.batch}\\b`), `$1 ${ENTRY + 1}`);
}

// The parts of a product are of as many heads as their tables.
function rename(element, room) {
  if (!WORKED.words.has(element)) WORKED.words.set(element, [...element.childNodes]);
  // A sentence has a name whole that a label cuts.
  if (isFocusAsItCame(room) && areTokensAsTheyCame()) {
    element.replaceChildren(...WORKED.words.get(element));
    return;
  }
  const heads = [...element.matches('.name') ? element.parentNode.querySelectorAll('[data-map]') : []]
    .map((body) => MAPS[body.dataset.map]).map((map) => Math.max(map.heads, map.slices));
  let part = 0;
  const put = (node) => {
    node.childNodes.forEach(put);
    if (node.nodeType !== Node.TEXT_NODE) return;
    node.textContent = node.textContent.split(/( [×=] )/).map((words, i) => {
      part += i % 2;
      return renamed(words, room, heads[part] || DATA.rooms[room].focus.heads);
    }).join('');
  };
  element.replaceChildren(...WORKED.words.get(element).map((one) => one.cloneNode(true)));
  element.childNodes.forEach(put);
}

function showFocusIn(section) {
  const room = Number(section.dataset.room), isOther = !isFocusAsItCame(room);
  for (const line of section.querySelectorAll('.line[data-cell]')) {
    const { map, head, row, column } = inFocus(placeSaid(LINES.get(line).cell));
    line.dataset.cell = [MAPS.indexOf(map), head, row, column].join(' ');
  }
  for (const one of section.querySelectorAll('.of-focus:not([data-shows=variance])')) one.hidden = isOther;
  for (const one of section.querySelectorAll(
    ':is(.story, .matrices) > p:not(.formula, .line, .of-focus, .other-heads, .note, [data-clipped]), .product .name, .part th'))
    if (one.tagName !== 'TH' || isOfPlace(one)) rename(one, room);
}

function showFocusOf(map, shown) {
  const line = shown.body.querySelector('.focus');
  if (line && isOfRows(map)) {
    line.classList.remove('focus');
    const row = slotOf(shown.rows, focusOf(map.room).row);
    if (shown.body.rows[row]) shown.body.rows[row].classList.add('focus');
  }
  if (shown.table.matches('.mini') && map.heads > 1) {
    shown.head = headOnMap(map);
    refill(map, shown);
  }
  if (!shown.table.matches('.part')) return;
  shown.came ||= { rows: shown.rows, columns: shown.columns };
  Object.assign(shown, partInFocus(map, shown), { greatest: undefined });
  refill(map, shown);
}

// Of one row that a page of one token came with: what is multiplied by, and weighted values, have all rows.
function hasAllRows(map, { came, table }) {
  const isOfToken = ROWS.count === 1 && ROWS.axes?.get(map).rows === came.rows[0];
  const isMultipliedBy = table.matches('.product > .part:nth-of-type(2):not(:last-of-type)');
  return came.rows.length > 1 || groupOf(map, 'rows')?.isWidth || (isOfToken && Boolean(map.focus || isMultipliedBy));
}

// What of its map a part of a worked line shows.
function partInFocus(map, shown) {
  const [row] = shown.came.rows, [column] = shown.came.columns, isOfAll = hasAllRows(map, shown);
  const moved = inFocus({ map, head: shown.head, row: isOfAll ? -1 : row, column });
  const [width, now] = [LABELLED.get(map) || map, map].map(({ columns }) => columns.length / map.slices);
  const headsShown = shown.came.columns.map((one) => Math.floor(one / width)), by = (Math.floor(moved.column / now) - headsShown[0]) * width;
  const isOfHead = new Set(headsShown).size === 1; // and not all heads side by side, of which some are left out
  return { head: moved.head, rows: isOfAll ? indicesNow(shown.came.rows, map, 'rows') : [Math.min(moved.row, map.rows.length - 1)],
    columns: indicesNow(isOfHead ? shown.came.columns.map((one) => one + by) : shown.came.columns, map, 'columns') };
}

function showFocus() {
  WORKED.shown = WORKED.at;
  for (const [map, all] of SHOWN) {
    const { heads } = DATA.rooms[map.room].focus;
    if (heads > 1 && map.heads > 1) showHead(map, headAmong(map.heads, focusOf(map.room).head, map.room));
    for (const shown of all) showFocusOf(map, shown);
  }
  STEPS.sections.forEach(showFocusIn);
  for (const view of VIEWS) {
    if (view.select.value !== 'all') view.select.value = focusOf(view.map.room).head;
    drawLines(view);
  }
}

// ---- choosing it ----

function workOut(row, head, room, entry = ENTRY) {
  const { heads } = DATA.rooms[room].focus;
  attempt(() => edit(setFocus(row, head, entry)), TEXT.worked(row + 1, nameOfQuery(room, row)) +
    (heads > 1 ? `, ${TEXT.head(head + 1)}` : '') + (ENTRIES.length > 1 ? `, ${TEXT.sequence(entry + 1)}` : ''));
}

function chooseEntry(entry) {
  const room = roomInFocus(), { row, head } = focusOf(room);
  workOut(row, head, room, entry);
}

// Labels of the entries in the bar, as those of heads above their tables.
function startEntries() {
  if (ENTRIES.length === 1) return;
  const words = range(1, ENTRIES.length + 1, (number) => TEXT.sequence(number));
  const { list, tabs } = makeTabs(TEXT.sequences, words, chooseEntry);
  EDITOR.bar.before(list);
  markTab(tabs, ENTRY);
  addView(list, () => true, () => markTab(tabs, ENTRY));
}

function isOfQueries(map) {
  const isOfX = mapsOfRows().length > 0, [seen] = mapsThatSee(map.room);
  if (isOfX && areQueriesOfX()) return ROWS.called.get(map).rows === 0 && isOfRows(map);
  const isOfKeys = isOfX && ROWS.called.get(map).rows === 0;
  return isOfRows(map) && !isOfKeys && Boolean(seen) && seen.rows.length === map.rows.length;
}

function chooseRow(event) {
  const at = labelAt(event.target), isKey = event.type === 'keydown';
  if (!at || (isKey && event.key !== 'Enter' && event.key !== ' ') || !isOfQueries(at.map)) return;
  if (isKey) event.preventDefault();
  workOut(at.row, focusOf(at.map.room).head, at.map.room);
}

// Without changes only the table shows it.
function chooseHead(map, head) {
  if (!EDITOR.bar || goesOn()) showHead(map, head);
  else workOut(focusOf(map.room).row, Math.ceil((head * DATA.rooms[map.room].focus.heads) / map.heads), map.room);
}

function startFocus(main) {
  startEntries();
  main.addEventListener('click', chooseRow);
  main.addEventListener('keydown', chooseRow);
}
