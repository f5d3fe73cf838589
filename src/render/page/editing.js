// Changing numbers on the page: in their cells, by sliders and switches. What follows from it is
// marked, and says what it was.

const EDITOR = { bar: null };

// ---- showing what was changed ----

// What is compared with: what was pinned, else what came; of rows that were moved where they stood,
// and of a query in focus nothing but the same one; null: it was not there.
function textBefore(place) {
  const { came, pinned } = ENTRIES[ENTRY];
  if (place.map.focus && !isSameQuery(place.map)) return textOf(place);
  const number = numberBefore(place, pinned || came, EDITS.pinnedOrders);
  return number === null ? null : textOfNumber(number);
}

// Among the numbers of all maps as they were then.
function numberBefore({ map, head, ...at }, numbers, orders) {
  const [row, column] = ['row', 'column'].map((axis) => rowBefore(map, `${axis}s`, at[axis], orders));
  const [rows, columns] = ['rows', 'columns'].map((axis) => sizeBefore(map, axis, orders));
  return row === null || column === null || !numbers.has(map) ? null : numbers.get(map)[(head * rows + row) * columns + column];
}

function isSameQuery(map) {
  const { room, focus: { row, head } } = map, [seen] = mapsThatSee(room);
  const before = ENTRIES[ENTRY].pinned ? EDITS.pinnedFocus[room] : DATA.rooms[room].focus;
  const query = isMoved(map) ? before.row : row;
  return head === before.head && rowBefore(seen, 'rows', row, EDITS.pinnedOrders) === query;
}

function markCell(cell, place) {
  const before = textBefore(place), isChanged = before !== textOf(place);
  cell.classList.toggle('changed', isChanged);
  if (before === null) cell.title = TEXT.isNew;
  else if (isChanged) cell.title = (ENTRIES[ENTRY].pinned ? TEXT.pinnedAs : TEXT.was)(writtenOut(before));
  else cell.removeAttribute('title');
}

function fillCell(cell, place, isPart, greatest) {
  const text = inCell(place.map, textOf(place), valueOf(place)), own = ownOf(cell), answer = answerOf(cell, place);
  if (answer) cell.replaceChildren(answer);
  else if (own.textContent !== text) own.textContent = text;
  if (!isPart) {
    const kept = cell.className.split(' ').filter((name) => !/^[pnw]\d$/.test(name));
    cell.className = [levelOf(place.map, valueOf(place), greatest), ...kept].join(' ').trim();
  }
  markCell(cell, place);
}

// Of heads that lie side by side a table has one; one of which columns are left out knows all.
function isOfSome(map, { columns, cut }) {
  return Boolean(columns) && map.slices > 1 && !cut && !columns.includes(-1);
}

// A table of numbers, or of a worked line's, which has no colours. What is as it was stays.
function refill(map, shown) {
  const heads = shown.cut ? range(0, map.heads, Number) : [shown.head], isPart = shown.table.matches('.part');
  const greatest = Math.max(...heads.map((head) => greatestOf(map, head, isOfSome(map, shown) ? shown.columns : null)));
  const { came, pinned } = ENTRIES[ENTRY], { stamp } = GROWN, { at } = WORKED;
  const now = { greatest, pinned, stamp, at, numbers: NUMBERS.get(map) };
  const isAll = Object.keys(now).some((name) => name !== 'numbers' && shown[name] !== now[name]);
  if (isAll) relabel(map, shown);
  const numbers = shown.numbers || came.get(map);
  const changed = new Set();
  [...shown.body.rows].forEach((line, down) => {
    const cells = [...line.cells], first = labelsIn(line);
    for (let at = first; at < cells.length; at++) {
      const place = placeOfSlot(shown, map, down, at - first), index = place && indexOfPlace(place);
      if (!place || (!isAll && Object.is(numbers[index], now.numbers[index]))) continue;
      fillCell(cells[at], place, isPart, greatest);
      changed.add(at);
    }
  });
  Object.assign(shown, now);
  if (shown.summed) showSums(map, shown);
  if (!isPart) alignPoints(shown.body, changed);
  showGradients(map, shown);
  showDifferences(map, shown);
}

// What came is computed while the reader reads, so that the first change is as quick as others. Where
// it can't be, that is said when something is changed.
function prepare() {
  const end = performance.now() + PATIENCE;
  try {
    if (!takeUntil(() => performance.now() > end)) setTimeout(prepare);
    else if (!goesOn()) startWidths();
  } catch { /* then too */ }
}

// Of a large matrix, as it comes: render/html_items.c, add_sampled. Squares that each show the number of
// the greatest magnitude among those that they stand for, those of one colour in one path.
const MOST_SQUARES = 64; // a side

function drawSampled(picture, map, head) {
  const tall = Math.ceil(map.rows.length / MOST_SQUARES), wide = Math.ceil(map.columns.length / MOST_SQUARES);
  const greatest = greatestOf(map, head), strokes = {};
  for (let top = 0; top < map.rows.length; top += tall) {
    const some = range(top, Math.min(top + tall, map.rows.length), (row) => [...numbersOfRow(map, head, row)]);
    const levels = range(0, Math.ceil(map.columns.length / wide), (square) => levelOf(map, some
      .flatMap((row) => row.slice(square * wide, (square + 1) * wide)).filter(Number.isFinite)
      .reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most), 0), greatest));
    levels.forEach((level, square) => {
      if (level === '' || levels[square - 1] === level) return;
      const end = levels.findIndex((other, at) => at > square && other !== level);
      strokes[level] = `${strokes[level] || ''}M${square} ${top / tall}h${(end < 0 ? levels.length : end) - square}`;
    });
  }
  picture.querySelector('g').replaceChildren(...Object.entries(strokes).map(([level, d]) =>
    makeSvg('path', { class: level, d })));
}

function startScreen() {
  for (const [map, all] of SHOWN) {
    const picture = all[0].table.closest('figure')?.querySelector(':scope > .sampled');
    if (picture) addView(picture, (maps) => maps.has(map), () => drawSampled(picture, map, all[0].head));
    for (const shown of all) {
      addView(shown.table, (maps) => maps.has(map) || maps.has(gradientOf(map)), () => {
        refill(map, shown); // first: it keeps the labels as they came, for those put aside too
        shownAside(shown).forEach((one) => refill(map, one));
      });
    }
  }
  startLines();
  startWhile();
  startCuts();
  for (const view of VIEWS) addView(view.svg.closest('.tokens'), (maps) => maps.has(view.map), () => drawView(view));
  watchSight();
}

function showEdits(maps) {
  const isMoved = showTokensChanged() || WORKED.shown !== WORKED.at;
  if (isMoved) showFocus();
  refresh(maps, isMoved);
  if (!PANEL.element.hidden && !isThere(PANEL.shown)) close();
  if (!PANEL.element.hidden) show(PANEL.shown);
  markEdits();
  tellShown(maps, isMoved);
  setTimeout(openCut); // once all is done
}

// ---- the bar ----

// message: what an attempt has to say besides.
function markEdits(message = '') {
  const isEdited = EDITS.done.length > 0;
  EDITOR.undo.disabled = EDITOR.reset.disabled = !isEdited;
  EDITOR.redo.disabled = EDITS.undone.length === 0;
  // A focus and a number of heads have sentences of their own.
  const isOther = EDITS.done.flat().some(({ what }) => what !== 'focus' && what !== 'heads');
  EDITOR.badge.textContent = [message, isOther ? TEXT.edited : ''].filter((words) => words).join(' · ');
  if (!LEARNING.series) sayAddress(); // browsers forbid it many times a second
}

function attempt(act, done) {
  try {
    act();
  } catch (error) {
    markEdits(error.message);
    return;
  }
  if (done) markEdits(done);
}

function takeAddress() {
  const { edits } = partsOfAddress();
  markEdits();
  if (edits) attempt(() => {
    editAll(editsIn(decodeURIComponent(edits.slice('edit='.length))));
    refreshAll(); // nothing else is seen first
  });
}

function pin() {
  takeAll();
  const isOn = !ENTRIES[ENTRY].pinned;
  ENTRIES.forEach((one, entry) => {
    if (isOn) inEntry(entry, catchUp);
    one.pinned = isOn ? new Map(one.numbers) : null;
  });
  CUT.pinned = null;
  EDITS.pinnedOrders = isOn ? new Map(GROUPS.map((group) => [group, group.order])) : null;
  EDITS.pinnedFocus = DATA.rooms.map((nothing, room) => focusOf(room));
  EDITOR.pin.setAttribute('aria-pressed', isOn);
  showEdits(new Set(SHOWN.keys()));
}

function copyDocument() {
  return copyWords(currentDocument(), `${nameOfFile()}.json`, 'application/json')
    .then((isCopied) => { if (isCopied) markEdits(TEXT.copied); });
}

function startBar() {
  const button = (words, act) => makeButton(words, () => attempt(act));
  Object.assign(EDITOR, { undo: button(TEXT.undo, undo), redo: button(TEXT.redo, redo), reset: button(TEXT.reset, asItCame), pin: button(TEXT.pin, pin),
    badge: makeElement('output', 'badge') });
  EDITOR.bar = makeElement('div', 'edits', EDITOR.undo, EDITOR.redo, EDITOR.pin);
  EDITOR.pin.setAttribute('aria-pressed', false);
  STEPS.tools.prepend(EDITOR.bar);
  STEPS.bar.append(EDITOR.badge);
  EDITOR.more = makeElement('div', 'edits', EDITOR.reset);
  addToMenu(EDITOR.more);
}

// Numbers that were given, and what may be seen.
function startChanging(main) {
  const box = makeToggle(TEXT.change, () => {});
  EDITOR.box = box.box;
  EDITOR.more.before(box.label);
  EDITOR.more.append(makeButton(TEXT.copy, () => attempt(copyDocument)));
  addHelp(TEXT.changing);
  startControls();
  startHeads();
  startLearning();
  main.addEventListener('dblclick', (event) => changeCell(event, false));
  main.addEventListener('click', (event) => { if (EDITOR.box.checked) changeCell(event, true); });
  document.addEventListener('keydown', editByKey);
  startMoving(main);
  startGrowing(main);
  startFocus(main);
}

// ---- in a cell ----

function endTyping(cell, place) {
  const of = BACKWARD.isOn && gradientAt(place);
  cell.textContent = inTable(textOf(place));
  if (of) showGradient(cell, of);
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
    const { value } = input, x = answerIn(value);
    endTyping(cell, place);
    if (!isTaken || value === textOf(place)) return;
    if (Number.isNaN(x)) markEdits(TEXT.notTyped(value));
    else attempt(() => edit(setNumber(place, x)));
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

// Numbers with a column for each key, from the scores on.
const OF_KEYS = ['scores', 'scaled', 'capped', 'masked', 'exp', 'weights', 'rounded'];

function isOfMask(place) {
  const [seen] = mapsThatSee(place.map.room);
  return Boolean(seen) && OF_KEYS.includes(place.map.name) && place.column < keysThere(seen);
}

function toggleSight({ map: { room }, head, row, column }) {
  const [seen] = mapsThatSee(room);
  attempt(() => edit(setMask(room, row, column, isOutOfSight(seen, head, row, column))));
}

function sayComputed(place) {
  markEdits(TEXT.notAnInput(fullName(place.map)));
}

function changeCell(event, isAtOnce) {
  const place = placeAt(event.target), cell = event.target.closest('td');
  if (!place || event.target.tagName === 'INPUT') return;
  if (isAtOnce && isOfMask(place)) toggleSight(place);
  else if (canBeTyped(place)) typeInto(cell, place);
  else sayComputed(place);
}

// A digit begins a new number, as in a spreadsheet.
function typeByKey(event) {
  const place = event.target.tagName === 'TD' && placeAt(event.target);
  if (place && /^([-\d.]|F2)$/.test(event.key)) {
    event.preventDefault();
    if (canBeTyped(place)) typeInto(event.target, place, event.key === 'F2' ? undefined : event.key);
    else sayComputed(place);
  }
}

// Ctrl+Z, and what brings it again: with Shift, or Ctrl+Y.
function undoByKey(event) {
  const isWithControl = (event.ctrlKey || event.metaKey) && !event.altKey;
  if (!isWithControl || !/^[zy]$/i.test(event.key)) return;
  const isUndo = { z: !event.shiftKey, y: false }[event.key.toLowerCase()];
  event.preventDefault();
  attempt(isUndo ? undo : redo);
}

function editByKey(event) {
  if (event.target.tagName === 'INPUT' && event.target.type !== 'checkbox' && event.target.type !== 'range') return;
  undoByKey(event);
  if (!event.ctrlKey && !event.metaKey && !event.altKey) typeByKey(event);
}

// ---- sliders and switches, in the steps that they are of ----

// show: brings it to the number that there is.
function addControl(section, show, ...parts) {
  const label = makeElement('label', 'control', ...parts);
  partOf(section, 'story').append(label);
  addView(label, () => true, show);
  label.addEventListener('change', show); // after the deed, which may have been refused
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
    const places = () => rowsOfHead(wo, head, heads);
    const counts = () => places().some((place) => (EDITS.order ? valueOf(place) : numberOf(textOf(place))) !== 0);
    addSwitch(section, TEXT.headCounts(head + 1), counts, (isOn) => {
      takeAll();
      return places().flatMap((place) =>
        setNumber(place, isOn ? numberBefore(place, ENTRIES[ENTRY].came) ?? newNumberOf(wo) : 0));
    });
  }
}

// Of the room itself: the way back has another one with the same way to it.
function sectionOf(room, ...steps) {
  const { way } = DATA.rooms[room], found = steps.map((step) => document.getElementById(`step-${way}${step}`));
  return found.find((one) => one && one.dataset.room === String(room));
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

// Why the numbers stay as they are, where they do, and what page has them all.
function whyStill() {
  const [key, ...about] = DATA.still || (ALIVE.isNow || goesOn() ? [] : ['stillUnsolved']), unknown = MAPS.find((map) => !canBeComputed(map));
  if (key) return about.length > 0 ? TEXT[key](...about) : TEXT[key];
  return unknown ? TEXT.stillUnknown(fullName(unknown), unknown.operation) : '';
}

function startEditing() {
  const words = whyStill();
  STEPS.bar.querySelector('.badge')?.remove(); // why not, before an exercise was solved
  if (words) {
    STEPS.bar.append(makeElement('output', 'badge', words));
    return;
  }
  globalThis.selfattn = goesOn() ? OF_WORDS : OWN_SCRIPTS;
  EDITS.told = goesOn() ? showChosen : showEdits;
  startBar();
  (goesOn() ? startWords : startChanging)(document.querySelector('main'));
  startScreen();
  if (goesOn()) startNames();
  takeAddress();
  takeUndone();
  takePinned();
  prepare();
}
