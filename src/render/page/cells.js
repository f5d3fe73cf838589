// Tables of maps: which cell a table cell shows, its colour, its head.

// A map's tables, each { body, table, caption, head, tabs, heads, rows, columns, isTurned }: one
// with a tab for each head, or of a large map one a head and one of the row in focus; after them
// parts, which stand in worked lines. heads are figures as the page came, one a head; rows and
// columns say what a body's places are, -1 for …; null where it has them all. One that is turned
// has the map's rows as its columns; one that is cut has all of the map's numbers in rows of so many,
// as va with a row for each head.
const SHOWN = new Map();
const LEVELS = 8;

function tablesOf(map) {
  return SHOWN.get(map) || [];
}

function indicesOf(text) {
  return text === undefined ? null : text.split(' ').map((one) => (one === '-' ? -1 : Number(one)));
}

// Colours are of numbers as they are shown, since of what came the page may know no more.
function numberShown(value) {
  return numberOf(textOfNumber(value));
}

// The greatest magnitude among a head's finite numbers, or those of some of its columns; shares are
// of 1.
function greatestOf(map, head, columns = null) {
  let greatest = map.share ? 1 : 0;
  for (let row = 0; row < map.rows.length && !map.share; row++) {
    const numbers = numbersOfRow(map, head, row);
    for (const x of columns ? columns.map((column) => numbers[column]) : numbers) {
      const size = Math.abs(x);
      if (size > greatest && size < Infinity) greatest = size;
    }
  }
  return numberShown(greatest);
}

// The same eight levels as in the page as it comes.
function levelOf(map, value, greatest) {
  const shown = numberShown(value);
  if (!Number.isFinite(shown) || shown === 0 || greatest === 0) return '';
  const part = Math.abs(shown) / greatest;
  const level = Math.min(LEVELS, Math.max(1, Math.floor(part * LEVELS + 0.5)));
  return (map.share ? 'w' : shown > 0 ? 'p' : 'n') + level;
}

// Cells in front of the numbers: the row's label, where there is one.
function labelsIn(row) {
  return row.cells[0].tagName === 'TH' ? 1 : 0;
}

// Where a table has an index, or which one a place of it has.
function slotOf(indices, index) {
  return indices ? indices.indexOf(index) : index;
}

function indexAt(indices, slot) {
  return indices ? indices[slot] : slot;
}

function cellIn(shown, place) {
  const { cut } = shown, index = indexOfPlace(place);
  const row = slotOf(shown.rows, cut ? Math.floor(index / cut) : place.row);
  const column = slotOf(shown.columns, cut ? index % cut : place.column);
  const found = shown.body.rows[shown.isTurned ? column : row];
  const slot = shown.isTurned ? row : column;
  return (found && slot >= 0 && found.cells[slot + labelsIn(found)]) || null;
}

// All that show this number, its own table first.
function elementsOf(place) {
  return tablesOf(place.map).filter((shown) => shown.cut || shown.head === place.head)
    .map((shown) => cellIn(shown, place)).filter((cell) => cell);
}

function placeAt(element) {
  const td = element.closest('.matrix [data-map] td');
  if (!td) return null;
  const line = td.parentNode, body = line.parentNode, map = MAPS[body.dataset.map];
  const shown = tablesOf(map).find((one) => one.body === body);
  return placeOfSlot(shown, map, line.sectionRowIndex, td.cellIndex - labelsIn(line));
}

// Of what stands so far down and right of the labels; null where a table leaves something out, or has
// more than the map.
function placeOfSlot(shown, map, down, right) {
  const slots = shown.isTurned ? [right, down] : [down, right];
  const row = indexAt(shown.rows, slots[0]), column = indexAt(shown.columns, slots[1]);
  if (!(row >= 0 && column >= 0 && column < (shown.cut || map.columns.length))) return null;
  return shown.cut ? cellAt(map, row * shown.cut + column) : { map, head: shown.head, row, column };
}

// How many places a number takes after its point, and the point; none of what has an exponent.
function placesAfter(text) {
  const point = text.indexOf('.');
  return point < 0 || text.includes('e') ? 0 : text.length - point;
}

// Each number has as many places after it as the one of its column that has most: the points stand
// below each other. A class says how many lack. Of these columns, where only some have changed.
function alignPoints(body, columns = range(labelsIn(body.rows[0]), body.rows[0].cells.length, Number)) {
  const rows = [...body.rows];
  for (const at of columns) {
    const cells = rows.map((row) => row.cells[at]).filter((cell) => cell);
    const texts = cells.map((cell) => ownOf(cell).textContent), places = texts.map(placesAfter);
    const most = Math.max(...places);
    cells.forEach((cell, i) => {
      const lacks = most > places[i] && /^-?\d+(\.\d+)?$/.test(texts[i]);
      const mark = lacks ? ` ${places[i] === 0 ? 'i' : 'm'}${most - places[i]}` : '';
      const plain = cell.className.replace(/ ?\b[im]\d+\b/, '');
      if (cell.className !== plain + mark) cell.className = plain + mark;
    });
  }
}

function inTable(text) {
  return text.replace('-inf', '−∞').replace('inf', '∞');
}

// A share as small as 4.5394e-05 is 0.0000 among others (html_items.c); the panel has its digits.
function inCell(map, text, value = numberOf(text)) {
  return inTable(map.share && DATA.trims && text.includes('e') ? fixed(value, DIGITS) : text);
}

function fillHead(map, shown) {
  shown.greatest = undefined; // all of it is another head's
  if (EDITS.order) {
    refill(map, shown);
    return;
  }
  const greatest = greatestOf(map, shown.head), hides = isHidden({ map });
  [...shown.body.rows].forEach((row, i) => {
    const first = labelsIn(row);
    rowOf(map, shown.head, indexAt(shown.rows, i)).forEach((text, j) => {
      ownOf(row.cells[j + first]).textContent = hides ? ASKED : inCell(map, text);
      row.cells[j + first].className = hides ? '' : levelOf(map, numberOf(text), greatest);
    });
  });
  if (shown.summed) showSums(map, shown);
  alignPoints(shown.body);
  showGradients(map, shown);
  showDifferences(map, shown);
}

// Heads that are put aside come back on paper.
function shownAside(shown) {
  return shown.heads.filter((one) => one).map((figure) => {
    const body = figure.querySelector('tbody[data-map]');
    return { ...shown, body, head: Number(body.dataset.head), heads: [] };
  });
}

// Does nothing where each head has a table of its own.
function showHead(map, head) {
  const shown = tablesOf(map)[0];
  if (!shown || shown.head === head || shown.tabs.length === 0) return;
  shown.head = head;
  fillHead(map, shown);
  shown.caption.replaceChildren(...mathematics(map.name), TEXT.headOf(head + 1, map.heads));
  markTab(shown.tabs, head);
}

// ---- tabs: of heads, and of the entries of a batch ----

function markTab(tabs, at) {
  tabs.forEach((tab, i) => {
    tab.setAttribute('aria-selected', i === at);
    tab.tabIndex = i === at ? 0 : -1;
  });
}

function moveTab(event, tabs) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const next = tabs[(tabs.indexOf(event.target) + by + tabs.length) % tabs.length];
  next.click();
  next.focus();
  event.stopPropagation();
  event.preventDefault();
}

function makeTabs(label, words, choose) {
  const list = makeElement('div', 'tabs'), tabs = words.map((word, i) => makeButton(word, () => choose(i)));
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', label);
  list.addEventListener('keydown', (event) => moveTab(event, tabs));
  for (const tab of tabs) tab.setAttribute('role', 'tab');
  list.append(...tabs);
  return { list, tabs };
}

function makeHeadTabs(map, { table, body }) {
  const words = range(1, map.heads + 1, (head) => TEXT.head(head));
  const { list, tabs } = makeTabs(TEXT.heads(map.name), words, (head) => chooseHead(map, head));
  for (const tab of tabs) tab.setAttribute('aria-controls', table.id);
  markTab(tabs, Number(body.dataset.head));
  table.closest('figure').prepend(list);
  return tabs;
}

// The sentence below that sends the reader elsewhere for the other heads is for paper only.
function mendSentence(table) {
  const next = table.closest('figure').nextElementSibling;
  if (!next || next.className !== 'other-heads') return;
  next.className = 'paper';
  next.after(makeElement('p', 'other-heads screen', TEXT.otherHeads));
}
