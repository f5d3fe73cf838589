// Changing numbers on the page: in their cells, by sliders and switches. What follows from it is
// marked, and says what it was.

const EDITOR = { bar: null, lines: new Map(), controls: [], refreshes: false };

// ---- showing what was changed ----

// What is compared with: what was pinned, else what came; of rows that were moved where they stood,
// and of a query in focus nothing but the same one.
function textBefore(place) {
  const { map } = place, before = (axis) => rowBefore(map, axis, place[axis.slice(0, -1)], EDITS.pinnedOrder);
  const at = { ...place, row: before('rows'), column: before('columns') };
  if (map.focus && !isSameQuery(map)) return textOf(place);
  const { came, pinned } = ENTRIES[ENTRY];
  return textOfNumber((pinned || came).get(map)[indexOfPlace(at)]);
}

function isSameQuery(map) {
  const { room, focus: { row, head } } = map, [seen] = mapsThatSee(room);
  const before = ENTRIES[ENTRY].pinned ? EDITS.pinnedFocus[room] : DATA.rooms[room].focus;
  const query = isMoved(map) ? before.row : row;
  return head === before.head && rowBefore(seen, 'rows', row, EDITS.pinnedOrder) === query;
}

function markCell(cell, place) {
  const before = textBefore(place), isChanged = before !== textOf(place);
  cell.classList.toggle('changed', isChanged);
  if (isChanged) cell.title = (ENTRIES[ENTRY].pinned ? TEXT.pinnedAs : TEXT.was)(writtenOut(before));
  else cell.removeAttribute('title');
}

function fillCell(cell, place, isPart, greatest) {
  const text = inTable(textOf(place));
  if (cell.textContent !== text) cell.textContent = text;
  if (!isPart) {
    const kept = cell.className.split(' ').filter((name) => !/^[pnw]\d$/.test(name));
    cell.className = [levelOf(place.map, valueOf(place), greatest), ...kept].join(' ').trim();
  }
  markCell(cell, place);
}

// A table of numbers, or of a worked line's, which has no colours. What is as it was stays.
function refill(map, shown) {
  const greatest = greatestOf(map, shown.head), isPart = shown.table.matches('.part');
  const { came, pinned } = ENTRIES[ENTRY], { order } = ROWS, { entry = SHOWN_FIRST } = shown;
  const isAll = shown.greatest !== greatest || shown.pinned !== pinned || shown.order !== order || entry !== ENTRY;
  if (isAll) relabel(map, shown);
  const shownBefore = shown.numbers || came.get(map), now = NUMBERS.get(map);
  const changed = new Set();
  [...shown.body.rows].forEach((line, down) => {
    const cells = [...line.cells], first = labelsIn(line);
    for (let at = first; at < cells.length; at++) {
      const place = placeOfSlot(shown, map, down, at - first), index = place && indexOfPlace(place);
      if (!place || (!isAll && Object.is(shownBefore[index], now[index]))) continue;
      fillCell(cells[at], place, isPart, greatest);
      changed.add(at);
    }
  });
  Object.assign(shown, { greatest, pinned, order, entry: ENTRY, numbers: now });
  if (shown.summed) showSums(map, shown);
  if (!isPart) alignPoints(shown.body, changed);
}

// Heads that are put aside come back on paper.
function refillAside(map, shown) {
  for (const figure of shown.heads.filter((one) => one)) {
    const body = figure.querySelector('tbody[data-map]');
    refill(map, { ...shown, body, head: Number(body.dataset.head), heads: [] });
  }
}

function placeSaid(words) {
  const [map, head, row, column] = words.split(' ').map(Number);
  return { map: MAPS[map], head, row, column };
}

function placeOfLine(line) {
  return placeSaid(line.dataset.cell);
}

// "q[2]·k[1] = ", where the letters are of places and say no more than that. The columns of a weight
// whose heads lie side by side count on over all of them, others in their own.
function lettersOf({ map: { letters, operation, b }, row, column: ofAll }, ofHead) {
  const others = letters.replace(/[\w.]+\[[^\]]*\]|scale|slope|\b[pj]\b/g, '');
  if (!['dot', 'times', 'plus'].includes(operation) || /\p{L}/u.test(others)) return '';
  const column = operation === 'dot' && MAPS[b.map].slices > 1 ? ofAll : ofHead;
  return `${letters.replace(/\bi\b/g, row + 1).replace(/\bj\b/g, column + 1)} = `;
}

// A worked line is written anew; as it came again, it is what it was.
function rewriteLine(line, make = () => workedLine(placeOfLine(line))) {
  if (!EDITOR.lines.has(line)) EDITOR.lines.set(line, [...line.childNodes]);
  const isAsItCame = EDITS.done.length === 0;
  line.replaceChildren(...isAsItCame ? EDITOR.lines.get(line) : make());
}

function workedLine(place) {
  const { map, row } = place, width = map.columns.length / map.slices, { parts, cells, count } = arithmeticOf(place);
  const column = place.column % width, head = map.slices > 1 ? TEXT.inHead((place.column - column) / width + 1) : '';
  const isOne = map.columns.length === 1 && ['max', 'sum', 'entropy', 'plus_log'].includes(map.operation);
  const name = mathematics(`${map.name}[${row + 1}${isOne ? '' : `,${column + 1}`}]${head}`);
  const link = (part) => (typeof part === 'string' ? part : linkTo(part)), result = resultOf(place);
  if (map.operation === 'round' || (!parts && map.name === 'masked'))
    return [...name, ': ', link(cells[0]), ' → ', result];
  if (!parts) return [...name, ' = ', result];
  const line = [...name, ' = ', ...mathematics(lettersOf(place, column)), ...parts.map(link), ' = ', result];
  return count > MOST_TERMS ? [...line, ` ${TEXT.terms(count)}`] : line;
}

// The weighted values of a query, a row a line: those in focus, then the others'.
function rewriteRows(map) {
  const lines = [...document.querySelectorAll(`[id="step-${map.step}"] .line:not([data-cell])`)];
  const first = mapsOf(map.room).filter((one) => one.focus).indexOf(map) * map.rows.length;
  lines.slice(first, first + map.rows.length).forEach((line, row) => rewriteLine(line, () => rowLine(map, row)));
}

// What is out of sight waits for the frame after: of a large page it is much. The browser says what is
// in sight, frame by frame; asked between two changes, it would lay the page out each time.
const STALE = new Map(); // elements, and what brings them up to date
const PATIENCE = 8; // milliseconds at a time
const IN_SIGHT = new Set();

function watchSight() {
  const watch = new IntersectionObserver((seen) => seen.forEach(({ target, isIntersecting }) =>
    (isIntersecting ? IN_SIGHT.add(target) : IN_SIGHT.delete(target))));
  document.querySelectorAll('.matrix, .line, .tokens > svg').forEach((one) => watch.observe(one));
}

function bringUp(element, act) {
  STALE.delete(element);
  act();
}

function refreshUntil(end) {
  for (const [element, act] of STALE) {
    if (performance.now() > end) break;
    bringUp(element, act);
  }
}

function refreshAll() {
  refreshUntil(Infinity);
}

function refreshSome() {
  refreshUntil(performance.now() + PATIENCE);
  EDITOR.refreshes = STALE.size > 0;
  if (EDITOR.refreshes) setTimeout(refreshSome);
}

// After the frame, one slice after the other, however many changes there were.
function refreshLater() {
  if (EDITOR.refreshes) return;
  EDITOR.refreshes = true;
  requestAnimationFrame(() => setTimeout(refreshSome));
}

function refresh(element, act) {
  if (IN_SIGHT.has(element)) bringUp(element, act);
  else STALE.set(element, act);
}

// What came is computed while the reader reads, so that the first change is as quick as others. Where
// it can't be, that is said when something is changed.
function prepare() {
  const end = performance.now() + PATIENCE;
  try {
    if (!takeUntil(() => performance.now() > end)) setTimeout(prepare);
  } catch { /* then too */ }
}

function showEdits(maps) {
  for (const map of maps) {
    for (const shown of tablesOf(map)) {
      refresh(shown.table, () => {
        refill(map, shown);
        refillAside(map, shown);
      });
    }
  }
  for (const line of document.querySelectorAll('.line[data-cell]')) {
    const { map } = placeOfLine(line);
    if (maps.has(map) || takesFrom(map, maps)) refresh(line, () => rewriteLine(line));
  }
  [...maps].filter((map) => map.focus).forEach(rewriteRows);
  if (WORKED.shown !== WORKED.at) showFocus();
  VIEWS.filter((view) => maps.has(view.map)).forEach((view) => refresh(view.svg, () => drawView(view)));
  if (PANEL.chosen) show(PANEL.chosen);
  refreshLater();
}

// ---- the bar ----

function markEdits() {
  const isEdited = EDITS.done.length > 0;
  EDITOR.undo.disabled = EDITOR.reset.disabled = !isEdited;
  EDITOR.redo.disabled = EDITS.undone.length === 0;
  EDITOR.badge.textContent = EDITS.done.flat().some((one) => one.what !== 'focus') ? TEXT.edited : '';
  EDITOR.controls.forEach((show) => show());
  sayAddress();
}

function attempt(act, done) {
  try {
    act();
  } catch (error) {
    EDITOR.badge.textContent = error.message;
    return;
  }
  if (EDITOR.bar) markEdits();
  if (done) EDITOR.badge.textContent = done;
}

function takeAddress() {
  const { edits } = partsOfAddress();
  if (!edits) return;
  for (const make of editsIn(decodeURIComponent(edits.slice('edit='.length)))) attempt(() => edit(make()));
}

function pin() {
  takeAll();
  const isOn = !ENTRIES[ENTRY].pinned;
  ENTRIES.forEach((one, entry) => {
    if (isOn) inEntry(entry, catchUp);
    one.pinned = isOn ? new Map(one.numbers) : null;
  });
  EDITS.pinnedOrder = isOn && ROWS.order;
  EDITS.pinnedFocus = DATA.rooms.map((nothing, room) => focusOf(room));
  EDITOR.pin.setAttribute('aria-pressed', isOn);
  showEdits(new Set(SHOWN.keys()));
}

function copyDocument() {
  return copyWords(currentDocument(), `${nameOfFile()}.json`, 'application/json')
    .then((isCopied) => { if (isCopied) EDITOR.badge.textContent = TEXT.copied; });
}

function startBar() {
  const box = makeToggle(TEXT.change, () => {});
  const button = (words, act) => makeButton(words, () => attempt(act));
  Object.assign(EDITOR, { box: box.box, undo: button(TEXT.undo, undo),
    redo: button(TEXT.redo, redo), reset: button(TEXT.reset, asItCame), pin: button(TEXT.pin, pin),
    badge: makeElement('output', 'badge') });
  EDITOR.bar = makeElement('div', 'edits', box.label, EDITOR.undo, EDITOR.redo, EDITOR.reset, EDITOR.pin,
    button(TEXT.copy, copyDocument), EDITOR.badge);
  EDITOR.pin.setAttribute('aria-pressed', false);
  STEPS.bar.append(EDITOR.bar);
  STEPS.bar.nextElementSibling.append(` ${TEXT.changing}`);
}

// ---- in a cell ----

function endTyping(cell, place) {
  cell.textContent = inTable(textOf(place));
  if (EDITS.order) markCell(cell, place);
  focusCell(cell);
}

function typeInto(cell, place, typed) {
  const input = document.createElement('input');
  input.autocomplete = 'off';
  input.value = typed === undefined ? textOf(place) : typed;
  input.setAttribute('aria-label', TEXT.newNumber(roomOf(place.map) + nameOf(place)));
  cell.replaceChildren(input);
  cell.removeAttribute('title');
  input.focus();
  if (typed === undefined) input.select();
  let isDone = false; // an input that goes loses the focus
  const finish = (isTaken) => {
    if (isDone) return;
    isDone = true;
    const isSame = input.value === textOf(place), x = answerIn(input.value);
    endTyping(cell, place);
    if (isTaken && !isSame && !Number.isNaN(x)) attempt(() => edit(setNumber(place, x)));
  };
  input.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Enter' || event.key === 'Escape') finish(event.key === 'Enter');
  });
  input.addEventListener('blur', () => finish(true));
}

function canBeTyped(place) {
  return place && isInput(place.map) && place.row < rowsGiven(place.map);
}

function isOfMask(place) {
  return place && mapsThatSee(place.map.room)[0] === place.map &&
    place.column < place.map.columns.length - DATA.rooms[place.map.room].appended;
}

function toggleSight(place) {
  const { map, head, row, column } = place;
  attempt(() => edit(setMask(map.room, row, column, isOutOfSight(map, head, row, column))));
}

function changeCell(event, isAtOnce) {
  const place = placeAt(event.target), cell = event.target.closest('td');
  if (!place || event.target.tagName === 'INPUT') return;
  if (isOfMask(place) && isAtOnce) toggleSight(place);
  else if (canBeTyped(place)) typeInto(cell, place);
}

// A digit begins a new number, as in a spreadsheet.
function typeByKey(event) {
  const place = event.target.tagName === 'TD' && placeAt(event.target);
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (isPlain && canBeTyped(place) && /^([-\d.]|F2)$/.test(event.key)) {
    event.preventDefault();
    typeInto(event.target, place, event.key === 'F2' ? undefined : event.key);
  }
  const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z';
  if (isUndo && event.target.tagName !== 'INPUT') {
    event.preventDefault();
    attempt(event.shiftKey ? redo : undo);
  }
}

// ---- sliders and switches, in the steps that they are of ----

// show: brings it to the number that there is.
function addControl(section, show, ...parts) {
  section.append(makeElement('label', 'control', ...parts));
  EDITOR.controls.push(show);
  show();
}

// Of what has one number: from 0 to three times what came, or to all keys.
function addSlider(section, map) {
  const place = { map, head: 0, row: 0, column: 0 }, output = document.createElement('output');
  const came = numberOf(textOf(place));
  const most = isLength(map) ? keysThere(mapsThatSee(map.room)[0]) : 3 * Math.abs(came) || 1;
  const step = isLength(map) ? 1 : most / 300;
  const input = makeRange({ min: isLength(map) ? 0 : step, max: most, step },
    (x) => attempt(() => edit(setNumber(place, x), true)));
  const show = () => {
    const now = EDITS.order ? valueOf(place) : came;
    input.value = now;
    output.textContent = textOfNumber(now);
  };
  addControl(section, show, ...mathematics(map.name), input, output);
}

// Of powers of ten, each part of the way as many times as much.
function addPowers(section, [min, max], words, read, set) {
  const output = document.createElement('output');
  const input = makeRange({ min, max, step: 0.05 }, (power) => attempt(() => {
    takeAll();
    edit(set(10 ** power), true);
  }));
  const show = () => {
    input.value = Math.log10(read());
    output.textContent = textOfNumber(read());
  };
  addControl(section, show, ...words, input, output);
}

function addRound(section, room) {
  const output = document.createElement('output');
  const input = makeRange({ min: 0, max: 6, step: 1 }, (decimals) =>
    attempt(() => edit(setRound(room, decimals), true)));
  const show = () => { input.value = output.textContent = decimalsOf(room); };
  addControl(section, show, TEXT.round, input, output);
}

function addTemperature(section, room) {
  const names = new Set(mapsOfTemperature(room).map((map) => map.name));
  if (names.size === 0) return;
  addPowers(section, [-1, 1], mathematics(TEXT.temperature([...names].join(', '))),
    () => temperatureOf(room), (value) => setTemperature(room, Number(value.toPrecision(3))));
}

function addSwitch(section, words, read, act) {
  const input = document.createElement('input');
  input.type = 'checkbox';
  input.addEventListener('change', () => attempt(() => edit(act(input.checked))));
  addControl(section, () => { input.checked = read(); }, input, words);
}

// A head does not count where the rows of Wo that take it are 0.
function rowsOfHead(wo, head, heads) {
  const height = wo.rows.length / heads;
  return range(0, height, (i) => head * height + i).flatMap((row) =>
    wo.columns.map((nothing, column) => ({ map: wo, head: 0, row, column })));
}

function addHeads(section, room) {
  const wo = mapsOf(room).find((map) => map.key === 'wo');
  const { heads } = mapsOf(room).find((map) => map.name === 'weights');
  for (let head = 0; wo && isInput(wo) && heads > 1 && head < heads; head++) {
    const places = rowsOfHead(wo, head, heads);
    const counts = () => !EDITS.order || places.some((place) => valueOf(place) !== 0);
    addSwitch(section, TEXT.headCounts(head + 1), counts, (isOn) => {
      takeAll();
      return places.flatMap((place) =>
        setNumber(place, isOn ? cameIn(wo)[indexOfPlace(place)] : 0));
    });
  }
}

function sectionOf(room, ...steps) {
  const { way } = DATA.rooms[room];
  return steps.map((step) => document.getElementById(`step-${way}${step}`)).find((one) => one);
}

function startControls() {
  for (const map of MAPS) {
    const section = document.getElementById(`step-${map.step}`);
    const isNumber = map.heads * map.rows.length * map.columns.length === 1;
    if (section && isNumber && isInput(map)) addSlider(section, map);
  }
  DATA.rooms.forEach((nothing, room) => {
    const sees = sectionOf(room, 'mask', 'softmax'), joins = sectionOf(room, 'join');
    if (sees && mapsThatSee(room).length > 0)
      addSwitch(sees, TEXT.causal, () => sightOf(room).causal, (isOn) => setCausal(room, isOn));
    const divides = sectionOf(room, 'softmax');
    if (divides) addTemperature(divides, room);
    const rounds = sectionOf(room, 'round');
    if (rounds) addRound(rounds, room);
    if (joins) addHeads(joins, room);
    const turns = DATA.rooms[room].rope && sectionOf(room, 'rope');
    if (turns)
      addPowers(turns, [0, 6], [TEXT.base], () => baseOf(room), (base) => setBase(room, Math.round(base)));
  });
}

function startEditing() {
  if (!ALIVE || !MAPS.every(canBeComputed)) return;
  globalThis.selfattn = OWN_SCRIPTS;
  EDITS.told = showEdits;
  startBar();
  startControls();
  const main = document.querySelector('main');
  main.addEventListener('dblclick', (event) => changeCell(event, false));
  main.addEventListener('click', (event) => { if (EDITOR.box.checked) changeCell(event, true); });
  document.addEventListener('keydown', typeByKey);
  startMoving(main);
  startFocus(main);
  watchSight();
  takeAddress();
  markEdits();
  prepare();
}
