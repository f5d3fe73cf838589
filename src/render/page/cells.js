// Tables of maps: which cell a table cell shows, its colour, its head.

const SHOWN = new Map(); // map → { table, caption, head, tabs }
const LEVELS = 8;

// The greatest magnitude among a head's finite numbers.
function greatestOf(map, head) {
  let greatest = 0;
  for (let row = 0; row < map.rows.length; row++) {
    for (const text of rowOf(map, head, row)) {
      const size = Math.abs(numberOf(text));
      if (size > greatest && size < Infinity) greatest = size;
    }
  }
  return greatest;
}

// The same eight levels as in the page as it comes.
function levelOf(map, value, greatest) {
  if (!Number.isFinite(value) || value === 0 || greatest === 0) return '';
  const part = Math.abs(value) / (map.share ? 1 : greatest);
  const level = Math.min(LEVELS, Math.max(1, Math.floor(part * LEVELS + 0.5)));
  return (map.share ? 'w' : value > 0 ? 'p' : 'n') + level;
}

function bodyOf(table) {
  return table.tBodies[0].rows;
}

// Cells in front of the numbers: the row's label, where there is one.
function labelsIn(row) {
  return row.cells[0].tagName === 'TH' ? 1 : 0;
}

function elementOf(place) {
  const shown = SHOWN.get(place.map);
  if (!shown || shown.head !== place.head) return null;
  const row = bodyOf(shown.table)[place.row];
  return row && row.cells[place.column + labelsIn(row)];
}

function placeAt(element) {
  const td = element.closest('.matrix[data-map] td');
  if (!td) return null;
  const row = td.parentNode, map = MAPS[td.closest('table').dataset.map];
  return { map, head: SHOWN.get(map).head, row: row.sectionRowIndex,
    column: td.cellIndex - labelsIn(row) };
}

function fillHead(map, head) {
  const shown = SHOWN.get(map), greatest = map.share ? 1 : greatestOf(map, head);
  [...bodyOf(shown.table)].forEach((row, i) => {
    const first = labelsIn(row);
    rowOf(map, head, i).forEach((text, j) => {
      row.cells[j + first].textContent = text;
      row.cells[j + first].className = levelOf(map, numberOf(text), greatest);
    });
  });
}

function showHead(map, head) {
  const shown = SHOWN.get(map);
  if (!shown || shown.head === head) return;
  shown.head = head;
  fillHead(map, head);
  shown.caption.textContent = map.name + TEXT.headOf(head + 1, map.heads);
  shown.tabs.forEach((tab, i) => {
    tab.setAttribute('aria-selected', i === head);
    tab.tabIndex = i === head ? 0 : -1;
  });
}

// ---- tabs of heads ----

function moveTab(event, map) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const shown = SHOWN.get(map), head = (shown.head + by + map.heads) % map.heads;
  showHead(map, head);
  shown.tabs[head].focus();
  event.stopPropagation();
  event.preventDefault();
}

function makeTabs(map, table) {
  const list = document.createElement('div');
  list.className = 'tabs';
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', TEXT.heads(map.name));
  list.addEventListener('keydown', (event) => moveTab(event, map));
  const tabs = range(0, map.heads, (head) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.textContent = TEXT.head(head + 1);
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', table.id);
    tab.setAttribute('aria-selected', head === Number(table.dataset.head));
    tab.tabIndex = head === Number(table.dataset.head) ? 0 : -1;
    tab.addEventListener('click', () => showHead(map, head));
    list.append(tab);
    return tab;
  });
  table.closest('figure').prepend(list);
  return tabs;
}

// ---- tables that the page does not have by itself: exp, row_max, row_sum ----

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

function makeTable(map, index) {
  const table = document.createElement('table');
  table.className = 'matrix';
  Object.assign(table.dataset, { map: index, head: 0 });
  const head = table.createTHead(), body = table.createTBody();
  if (map.columns.length > 1) {
    head.append(makeRow(map, '', 'th'));
    head.rows[0].cells[0].replaceWith(document.createElement('td'));
  }
  body.append(...map.rows.map((label) => makeRow(map, label, 'td')));
  return table;
}

function makeFigure(map, index) {
  const figure = document.createElement('figure'), scroll = document.createElement('div');
  const caption = figure.appendChild(document.createElement('figcaption'));
  caption.appendChild(document.createElement('b')).textContent =
    map.name + (map.heads > 1 ? TEXT.headOf(1, map.heads) : '');
  scroll.className = 'scroll';
  scroll.append(makeTable(map, index));
  figure.append(scroll);
  return figure;
}

// Before the table that is made of them, so that their cells can light up.
function addMissingTables() {
  const there = new Set([...document.querySelectorAll('.matrix[data-map]')]
    .map((table) => MAPS[table.dataset.map]));
  MAPS.forEach((map, index) => {
    const section = document.getElementById(`step-${map.step}`);
    const first = section && section.querySelector('figure:has([data-map])');
    if (!map.cells || !map.operation || there.has(map) || !first) return;
    const last = [...section.querySelectorAll('figure:has([data-map])')]
      .find((figure) => MAPS[figure.querySelector('table').dataset.map].share) || first;
    last.before(makeFigure(map, index));
  });
}

// The first table of a map shows all its heads in turn; the others go.
function takeTables() {
  addMissingTables();
  for (const table of document.querySelectorAll('.matrix[data-map]')) {
    const map = MAPS[table.dataset.map];
    if (!map.cells) {
      delete table.dataset.map;
    } else if (SHOWN.has(map)) {
      table.closest('figure').remove();
    } else {
      table.id = `matrix-${map.name}`;
      table.setAttribute('role', 'grid');
      const shown = { table, head: Number(table.dataset.head), tabs: [] };
      shown.caption = table.closest('figure').querySelector('b');
      SHOWN.set(map, shown);
      if (!map.blank && table.rows[table.rows.length - 1].cells[1].textContent === '')
        fillHead(map, shown.head);
      if (map.heads > 1 && !map.blank) shown.tabs = makeTabs(map, table);
      if (!map.blank) elementOf({ map, head: shown.head, row: 0, column: 0 }).tabIndex = 0;
    }
  }
}
