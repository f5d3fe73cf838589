// The token view: a line from each query to each key, as wide as its weight, a colour a head.

const SVG = 'http://www.w3.org/2000/svg';
const LINE = { height: 26, length: 240, top: 18, widest: 9, hues: 8, gap: 12 };
const TOKEN_FONT = 14; // as in the style
const VIEWS = [];

function makeSvg(tag, attributes, words) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (words !== undefined) made.textContent = words;
  return made;
}

function heightAt(index) {
  return LINE.top + index * LINE.height;
}

// A small shift keeps the lines of several heads apart.
function makeLine(view, head, row, column, weight) {
  const shift = view.map.heads > 1 ? ((head % LINE.hues) - (LINE.hues - 1) / 2) : 0;
  const line = makeSvg('line', {
    x1: view.left, x2: view.left + LINE.length,
    y1: heightAt(row) + shift, y2: heightAt(column) + shift,
    'stroke-width': (weight * LINE.widest).toFixed(2),
    'stroke-opacity': (0.25 + 0.65 * weight).toFixed(2),
    class: `k${head % LINE.hues}`, 'data-row': row,
  });
  line.append(makeSvg('title', {}, `${TEXT.head(head + 1)}: ${view.map.rows[row]} → ` +
    `${view.map.columns[column]}: ${rowOf(view.map, head, row)[column]}`));
  return line;
}

function drawLines(view) {
  const least = Number(view.threshold.value), chosen = view.select.value;
  view.lines.replaceChildren();
  for (const { words, axis, i } of view.labels) words.textContent = view.map[axis][i];
  view.output.textContent = least.toFixed(2);
  for (let head = 0; head < view.map.heads; head++) {
    if (chosen !== 'all' && Number(chosen) !== head) continue;
    for (let row = 0; row < view.map.rows.length; row++) {
      rowOf(view.map, head, row).forEach((text, column) => {
        const weight = Number(text);
        if (weight > 0 && weight >= least)
          view.lines.append(makeLine(view, head, row, column, weight));
      });
    }
  }
}

// Only the lines of the query that is pointed at stay.
function pointAtQuery(view, row) {
  for (const line of view.lines.children)
    line.classList.toggle('away', row !== null && line.dataset.row !== String(row));
}

function addLabels(view, axis, x, anchor, act) {
  view.map[axis].forEach((nothing, i) => {
    const words = makeSvg('text', { x, y: heightAt(i) + 5, 'text-anchor': anchor });
    view.labels.push({ words, axis, i });
    if (act) {
      words.addEventListener('pointerenter', () => act(i));
      words.addEventListener('pointerleave', () => act(null));
    }
    view.svg.append(words);
  });
}

function makeSelect(map) {
  const select = document.createElement('select');
  select.append(new Option(TEXT.allHeads, 'all'));
  for (let head = 0; head < map.heads; head++) select.append(new Option(TEXT.head(head + 1), head));
  return select;
}

function makeThreshold() {
  const input = document.createElement('input');
  Object.assign(input, { type: 'range', min: 0, max: 1, step: 0.01, value: 0.02 });
  return input;
}

function controlsOf(view) {
  const heads = makeElement('label', '', `${TEXT.whichHead} `, view.select);
  heads.hidden = view.map.heads === 1;
  const least = makeElement('label', '', `${TEXT.threshold} `, view.threshold, ' ', view.output);
  for (const control of [view.select, view.threshold])
    control.addEventListener('input', () => drawLines(view));
  return makeElement('div', 'controls', heads, least);
}

// What the longest of the labels needs next to the lines.
function roomFor(labels) {
  const context = document.createElement('canvas').getContext('2d');
  context.font = `${TOKEN_FONT}px ${getComputedStyle(document.body).fontFamily}`;
  return Math.ceil(Math.max(...labels.map((label) => context.measureText(label).width))) + LINE.gap;
}

function makeView(map) {
  const rows = Math.max(map.rows.length, map.columns.length);
  const height = heightAt(rows) - LINE.height / 2;
  const left = roomFor(map.rows), width = left + LINE.length + roomFor(map.columns);
  const view = { map, left, select: makeSelect(map), threshold: makeThreshold(),
    output: document.createElement('output'), labels: [] };
  view.svg = makeSvg('svg', { viewBox: `0 0 ${width} ${height}`, width, height,
    role: 'img', 'aria-label': TEXT.tokensOf(map.name) });
  view.select.value = map.head;
  view.lines = makeSvg('g', {});
  view.svg.append(view.lines);
  addLabels(view, 'rows', left - LINE.gap, 'end', (row) => pointAtQuery(view, row));
  addLabels(view, 'columns', left + LINE.length + LINE.gap, 'start');
  drawLines(view);
  return view;
}

// Of a room's weights those that are used: the last ones of all its heads.
function weightsOf(room) {
  const all = MAPS.filter((one) => one.room === room && one.share && one.cells && !one.only &&
    SHOWN.has(one));
  const most = Math.max(...all.map((one) => one.heads));
  return all.filter((one) => one.heads === most).pop();
}

function startTokens() {
  DATA.rooms.forEach((room, index) => {
    const map = weightsOf(index);
    if (map && !map.blank) showTokens(map);
  });
}

function showTokens(map) {
  const view = makeView(map);
  VIEWS.push(view);
  const block = makeElement('div', 'tokens', makeElement('h3', '', TEXT.tokens),
    makeElement('p', 'note', TEXT.tokensHelp), controlsOf(view), view.svg);
  tablesOf(map)[0].table.closest('section').append(block);
}
