// The panel below: the arithmetic of the number that is pointed at, chosen or has the focus.

const PANEL = { element: null, chosen: null, shown: null, lit: [], rest: 0 };
const REST = 150; // milliseconds

function makeElement(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function makeButton(words, act, label) {
  const made = makeElement('button', '', words);
  made.type = 'button';
  if (label) made.setAttribute('aria-label', label);
  made.addEventListener('click', act);
  return made;
}

function makeRange(limits, act) {
  const input = document.createElement('input');
  Object.assign(input, { type: 'range', ...limits });
  input.addEventListener('input', () => act(Number(input.value)));
  return input;
}

// ---- lights ----

function clearLights() {
  for (const element of PANEL.lit) element.classList.remove('lit', 'chosen');
  PANEL.lit = [];
}

function addLight(place, className) {
  for (const element of elementsOf(place)) {
    element.classList.add(className);
    PANEL.lit.push(element);
  }
}

function light(place, cells) {
  clearLights();
  addLight(place, 'chosen');
  for (const cell of cells) addLight(cell, 'lit');
}

// ---- words ----

function linkTo(place, write = writtenOut) {
  const link = makeElement('a', '', write(shownText(place)));
  link.href = `#${anchorOf(place)}`;
  link.title = roomOf(place.map) + nameOf(place);
  return link;
}

// "dog, column 3", or of two tokens "dog → cat"; what is called by its place only is "row 2".
function labelsOf(place) {
  const { rows, columns } = place.map, row = rows[place.row], column = columns[place.column];
  const isPlace = (label, index) => label === '' || label === String(index + 1);
  if (!isPlace(row, place.row) && !isPlace(column, place.column)) return `${row} → ${column}`;
  return [isPlace(row, place.row) ? TEXT.rowLabel(place.row + 1) : row,
    isPlace(column, place.column) ? TEXT.columnLabel(place.column + 1) : column].join(', ');
}

function titleOf(place) {
  const { head, heads } = headOf(place);
  return `${roomOf(place.map)}${place.map.name}${heads > 1 ? `, ${TEXT.head(head + 1)}` : ''}: `;
}

// Wq as W with a small Q, d_k as d with a small k (html_words.c does the same).
function mathematics(text) {
  return text.split(/((?<![\w.])(?:[Wb][qkvo]|[a-z]_[a-z])(?!\w))/).map((part, i) => {
    if (i % 2 === 0) return part;
    const letter = lastOf(part);
    return makeElement('span', '', part[0],
      makeElement('sub', '', part[1] === '_' ? letter : letter.toUpperCase()));
  });
}

// As mathematics writes them.
function writtenOut(text) {
  return text.replace('-', '−').replace('inf', '∞');
}

function resultOf(place) {
  return makeElement('span', 'result', writtenOut(textOf(place)));
}

function formulaOf(place) {
  const { name } = place.map;
  const letters = appendedOf(place) < 0 || !place.map.appended ? lettersNow(place.map, place.map.letters) : null;
  return makeElement('p', 'formula', ...(letters ? mathematics(`${name}[i,j] = ${letters}`) : [TEXT.given]));
}

function partsLine(place, parts, result) {
  const line = makeElement('p', 'line', ...mathematics(nameOf(place)), ' = ');
  if (parts) {
    line.append(...parts.map((part) => (typeof part === 'string' ? part : linkTo(part))));
    line.append(place.map.operation === 'round' ? ' → ' : ' = ');
  }
  line.append(result);
  return line;
}

// ---- the panel itself ----

function show(place) {
  const made = arithmeticOf(place), panel = PANEL.element;
  if (isHidden(place)) return;
  const head = makeElement('h3', '', titleOf(place),
    makeElement('bdi', '', labelsOf(place)));
  const line = partsLine(place, made.parts, resultOf(place));
  if (made.count > MOST_TERMS) line.append(` ${TEXT.terms(made.count)}`);
  const blame = blameFor(place), madeOf = blame.length > 0 ? [makeElement('h4', '', TEXT.madeOf)] : [];
  panel.replaceChildren(makeButton(TEXT.close, close), head, ...madeOf, formulaOf(place), line);
  if (made.words && made.words !== TEXT.given) panel.append(makeElement('p', 'note', made.words));
  panel.append(...elsewhereOf(place), ...blame, ...nudgeFor(place));
  if (!place.map.only && !place.map.blank) panel.append(copyingOf(place));
  panel.hidden = false;
  PANEL.shown = place;
  light(place, made.cells);
  placePanel(place);
}

// Below, or above where it would cover the number that it is about; where there are columns, in that
// which the number is not in.
function placePanel(place) {
  const panel = PANEL.element, here = elementsOf(place).filter(isInView)[0];
  const isOnRight = Boolean(here && here.closest('.matrices'));
  panel.classList.remove('above');
  panel.classList.toggle('left', isOnRight);
  const { top, left, right } = panel.getBoundingClientRect();
  const isCovered = elementsOf(place).some((element) => {
    const box = element.getBoundingClientRect();
    return box.bottom > top && box.top < innerHeight && box.right > left && box.left < right;
  });
  panel.classList.toggle('above', isCovered);
}

function close() {
  clearTimeout(PANEL.rest);
  PANEL.chosen = null;
  PANEL.element.hidden = true;
  clearLights();
}

// The tables that a chosen number comes from show its head.
function choose(place) {
  PANEL.chosen = place;
  for (const cell of arithmeticOf(place).cells) {
    if (!cell.map.blank) showHead(cell.map, cell.head);
  }
  show(place);
  sayAddress(anchorOf(place));
}

// What is above may get another height by it, as a floor that is unfolded: so once more when it has,
// unless something else is gone to meanwhile.
function bring(element, options) {
  STEPS.heldAt = null;
  STEPS.brought = element;
  element.scrollIntoView(options);
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (STEPS.brought !== element) return;
    element.scrollIntoView(options);
    STEPS.heldAt = scrollY;
  }));
}

// The address names a cell or a step, and holds what was changed, whether gradients are shown and
// whether it is presented: "#scores-h0-r0-c1&edit=…&backward&present".
function partsOfAddress() {
  const parts = location.hash.slice(1).split('&');
  const isEdit = (part) => part.startsWith('edit='), modes = ['backward', 'present'];
  return { anchor: parts.find((part) => !isEdit(part) && !modes.includes(part)) || '', edits: parts.find(isEdit),
    isBackward: parts.includes('backward'), isPresented: parts.includes('present') };
}

function anchorInAddress() {
  return partsOfAddress().anchor;
}

function sayAddress(anchor = anchorInAddress()) {
  const edits = textOfEdits(), parts = [anchor, edits && `edit=${encodeURIComponent(edits)}`,
    BACKWARD.isOn && 'backward', PRESENT.isOn && 'present'];
  const hash = parts.filter((part) => part).map((part, i) => (i > 0 ? '&' : '#') + part).join('');
  if (location.hash !== hash) history.replaceState(null, '', hash || location.pathname + location.search);
  BOUND.holder?.show();
}

// Opens the cell or the step that the address names.
function followAddress() {
  const anchor = anchorInAddress(), { isPresented } = partsOfAddress(), place = placeOf(`#${anchor}`);
  const target = document.getElementById(decodeURIComponent(anchor));
  if (isPresented !== document.body.classList.contains('presenting')) present(isPresented);
  if (!place && target) goToTarget(target);
  if (!place) return;
  showHead(place.map, place.head);
  const element = elementsOf(place)[0];
  if (element) {
    revealStep(element.closest('section'));
    bring(element, { block: 'center', inline: 'center' });
    focusCell(element);
  }
  choose(place);
}

// ---- pointing, clicking, moving ----

function focusCell(element) {
  for (const other of element.closest('table').querySelectorAll('[tabindex="0"]'))
    other.tabIndex = -1;
  element.tabIndex = 0;
  element.focus({ preventScroll: true });
}

// A short rest first: a page that is scrolled moves numbers past the pointer.
function point(event) {
  const place = placeAt(event.target);
  clearTimeout(PANEL.rest);
  if (place && !PANEL.chosen) PANEL.rest = setTimeout(() => show(place), REST);
}

function leave(event) {
  if (!PANEL.chosen && !(event.relatedTarget && event.relatedTarget.closest('.matrix, .panel')))
    close();
}

function click(event) {
  const place = placeAt(event.target);
  if (!place || isHidden(place) || event.target.tagName === 'INPUT') return;
  focusCell(event.target.closest('td'));
  choose(place);
}

function cellBeside(cell, [down, right]) {
  const { rows } = cell.closest('table'), line = rows[cell.parentNode.rowIndex + down];
  return (line && line.cells[cell.cellIndex + right]) || null;
}

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function moveCell(event) {
  const place = event.target.tagName === 'TD' && placeAt(event.target), by = MOVES[event.key];
  const isIn = place || labelAt(event.target) || keyAt(event.target);
  if (event.key === 'Escape') {
    close();
    if (isIn) event.target.blur(); // from then on arrows step again
  }
  if (!isIn) return;
  if (place && (event.key === 'Enter' || event.key === ' ')) choose(place);
  else if (by) {
    const next = cellBeside(event.target, by);
    if (next && (placeAt(next) || labelAt(next) || keyAt(next))) focusCell(next);
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

function startPanel() {
  PANEL.element = makeElement('aside', 'panel');
  PANEL.element.hidden = true;
  PANEL.element.setAttribute('aria-label', TEXT.panel);
  PANEL.element.setAttribute('aria-live', 'polite');
  document.body.append(PANEL.element);
  const main = document.querySelector('main');
  main.addEventListener('pointerover', point);
  main.addEventListener('pointerout', leave);
  main.addEventListener('click', click);
  main.addEventListener('focusin', (event) => {
    const place = event.target.tagName === 'TD' && placeAt(event.target);
    if (place) { PANEL.chosen = place; show(place); }
  });
  document.addEventListener('keydown', moveCell);
  window.addEventListener('hashchange', followAddress);
}
