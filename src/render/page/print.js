// Paper has no tabs: all heads that the page came with are printed. Nor does it scroll: the letters
// of a table that is too wide become smaller, and where they would become too small to be read, it
// is printed as blocks of columns. Where all tables are small, a sheet has two columns, as a
// newspaper has.

const PAPER = {
  width: 186, // millimetres of A4 between the margins
  letters: 2.2, // millimetres of the smallest: 6 points
  column: 32, // letters, as tables have them: 2.7 millimetres wide, in half of the width
  opened: [],
  made: [],
};

const MOST_EMS = PAPER.width / PAPER.letters;

// From cell to cell of its longest row, in letters.
function measureTable(table) {
  const row = lastOf([...table.tBodies[0].rows]), cells = [...row.cells], labels = labelsIn(row);
  const letter = parseFloat(getComputedStyle(table).fontSize);
  const { left } = table.getBoundingClientRect();
  const ends = cells.map((cell) => (cell.getBoundingClientRect().right - left) / letter);
  return { labels, ends, columns: cells.length - labels, ems: table.offsetWidth / letter };
}

function cutRow(row, labels, first, end) {
  const cut = row.cloneNode(false), cells = [...row.cells];
  cut.append(...[...cells.slice(0, labels), ...cells.slice(labels + first, labels + end)]
    .map((cell) => cell.cloneNode(true)));
  return cut;
}

// With the rows' labels, which each block has.
function widthOf({ labels, ends }, [first, end]) {
  return first === 0 ? ends[labels + end - 1] :
    ends[labels + end - 1] - ends[labels + first - 1] + (labels > 0 ? ends[0] : 0);
}

function makeBlock(table, size, [first, end]) {
  const made = document.createElement('table');
  made.className = table.className;
  for (const group of table.children) {
    const cut = made.appendChild(document.createElement(group.tagName));
    cut.className = group.className;
    cut.append(...[...group.rows].map((row) => cutRow(row, size.labels, first, end)));
  }
  made.style.setProperty('--ems', widthOf(size, [first, end]).toFixed(2));
  const words = makeElement('p', 'note', TEXT.columns(first + 1, end, size.columns));
  return makeElement('div', 'block', words, made);
}

// So many ranges of about as many columns each.
function rangesOf(columns, count) {
  const begin = (at) => Math.round((at * columns) / count);
  return range(0, count, (at) => [begin(at), begin(at + 1)]);
}

// As few blocks as fit.
function cutTable(table, size) {
  let count = Math.min(size.columns, Math.ceil(size.ems / MOST_EMS));
  const isTooWide = (one) => widthOf(size, one) > MOST_EMS;
  while (count < size.columns && rangesOf(size.columns, count).some(isTooWide)) count++;
  const blocks = makeElement('div', 'paper',
    ...rangesOf(size.columns, count).map((one) => makeBlock(table, size, one)));
  table.classList.add('screen');
  table.after(blocks);
  PAPER.made.push(blocks);
}

function fitTable(table, size) {
  if (size.ems > MOST_EMS) cutTable(table, size);
  else table.style.setProperty('--ems', size.ems.toFixed(2));
}

// The head that is shown stays in its place.
function spreadHeads({ table, head, heads }) {
  const figure = table.closest('figure');
  heads.forEach((other, at) => { if (at < head) figure.before(other); });
  figure.after(...heads.slice(head + 1).flat());
}

function tabbedTables() {
  return [...SHOWN.values()].map(([first]) => first).filter(({ heads }) => heads.flat().length > 1);
}

// All steps of all floors are printed, whatever of them is shown.
function preparePaper() {
  refreshAll();
  if (document.body.classList.contains('printing')) return;
  document.body.classList.add('printing');
  PAPER.opened = [...document.querySelectorAll('details:not([open], .map *, .menu)')];
  for (const floor of PAPER.opened) floor.open = true;
  tabbedTables().forEach(spreadHeads);
  const tables = [...document.querySelectorAll('main .matrix:not(.mini)')], sizes = tables.map(measureTable);
  document.body.classList.toggle('two-columns', sizes.every(({ ems }) => ems <= PAPER.column));
  tables.forEach((table, i) => fitTable(table, sizes[i]));
}

function clearPaper() {
  document.body.classList.remove('printing', 'two-columns');
  for (const floor of PAPER.opened) floor.open = false;
  for (const blocks of PAPER.made) {
    blocks.previousElementSibling.classList.remove('screen');
    blocks.remove();
  }
  PAPER.made = [];
  for (const { heads } of tabbedTables()) heads.forEach((figure) => figure.remove());
}

function startPaper() {
  document.body.classList.add('scripted');
  window.addEventListener('beforeprint', preparePaper);
  window.addEventListener('afterprint', clearPaper);
}
