// The token view: a picture of each head's weights, and a line from each query to each key, as wide as
// its weight, a colour a head. What is pointed at stays, and the others fade.

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

// More heads than hues have broken lines.
function hueOf(head) {
  return `k${head % LINE.hues}${head < LINE.hues ? '' : ' broken'}`;
}

// A small shift keeps the lines of several heads apart.
function makeLine(view, head, row, column, weight) {
  const shift = view.map.heads > 1 ? ((head % LINE.hues) - (LINE.hues - 1) / 2) : 0;
  const line = makeSvg('line', {
    x1: view.left, x2: view.left + LINE.length,
    y1: heightAt(row) + shift, y2: heightAt(column) + shift,
    'stroke-width': (weight * LINE.widest).toFixed(2),
    'stroke-opacity': (0.25 + 0.65 * weight).toFixed(2),
    class: hueOf(head), 'data-head': head, 'data-row': row, 'data-column': column,
  });
  line.append(makeSvg('title', {}, `${TEXT.head(head + 1)}: ${view.map.rows[row]} → ` +
    `${view.map.columns[column]}: ${rowOf(view.map, head, row)[column]}`));
  return line;
}

function drawLines(view) {
  const least = Number(view.threshold.value), { head: pointed } = view.pointed;
  const chosen = pointed !== undefined && view.select.value !== 'all' ? String(pointed) : view.select.value;
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
  fadeOthers(view);
}

// Of the head, the query or the key that is pointed at.
function fadeOthers({ map, pointed, lines, pictures, select }) {
  const [[name, at] = []] = Object.entries(pointed);
  for (const line of lines.children)
    line.classList.toggle('away', name !== undefined && line.dataset[name] !== String(at));
  pictures.forEach(({ button, mark }, head) => {
    button.classList.toggle('away', name === 'head' && head !== at);
    button.setAttribute('aria-pressed', [String(head), 'all'].includes(select.value));
    const all = { x: 0, y: 0, width: map.columns.length, height: map.rows.length };
    const strip = { row: { ...all, y: at, height: 1 }, column: { ...all, x: at, width: 1 } }[name];
    for (const [key, value] of Object.entries(strip || { ...all, width: 0 })) mark.setAttribute(key, value);
  });
}

function pointAt(view, pointed) {
  const isOfHeads = 'head' in view.pointed || 'head' in pointed;
  view.pointed = pointed;
  if (isOfHeads) drawLines(view);
  else fadeOthers(view);
}

// ---- the pictures of heads ----

// A path for each level, in eighths of the greatest weight: a stroke a cell.
function drawPicture({ map }, { paths }, head, greatest) {
  const strokes = Array.from({ length: LEVELS }, () => []);
  map.rows.forEach((nothing, row) => {
    numbersOfRow(map, head, row).forEach((weight, column) => {
      const level = Number(levelOf(map, weight, greatest).slice(1));
      if (level > 0) strokes[level - 1].push(`M${column} ${row + 0.5}h1`);
    });
  });
  paths.forEach((path, level) => path.setAttribute('d', strokes[level].join('')));
}

function makePicture(view, head) {
  const { rows, columns } = view.map;
  const svg = makeSvg('svg', { class: 'sampled', viewBox: `0 0 ${columns.length} ${rows.length}` });
  const paths = range(1, LEVELS + 1, (level) => makeSvg('path', { class: `w${level}` }));
  const mark = makeSvg('rect', { class: 'mark' }), key = makeSvg('svg', { class: 'key', viewBox: '0 0 24 6' });
  key.append(makeSvg('line', { x1: 0, x2: 24, y1: 3, y2: 3, 'stroke-width': 4, class: hueOf(head) }));
  svg.append(...paths, mark);
  const button = makeButton('', () => {
    view.select.value = head;
    chooseHead(view.map, head);
    drawLines(view);
  });
  button.append(makeElement('span', '', key, ` ${TEXT.head(head + 1)}`), svg);
  for (const name of ['pointerenter', 'focus']) button.addEventListener(name, () => pointAt(view, { head }));
  for (const name of ['pointerleave', 'blur']) button.addEventListener(name, () => pointAt(view, {}));
  return { button, mark, paths };
}

// As many labels as there are tokens, and the room that they need.
function layOutView(view) {
  const { map, svg } = view, rows = Math.max(map.rows.length, map.columns.length);
  const height = heightAt(rows) - LINE.height / 2;
  view.left = roomFor(map.rows);
  const width = view.left + LINE.length + roomFor(map.columns);
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height })) svg.setAttribute(name, value);
  view.labels.forEach(({ words }) => words.remove());
  view.labels = [];
  addLabels(view, 'rows', view.left - LINE.gap, 'end');
  addLabels(view, 'columns', view.left + LINE.length + LINE.gap, 'start');
  view.stamp = GROWN.stamp;
  for (const { button } of view.pictures)
    button.querySelector('.sampled').setAttribute('viewBox', `0 0 ${map.columns.length} ${map.rows.length}`);
}

function drawView(view) {
  if (view.stamp !== GROWN.stamp) layOutView(view);
  const { map, pictures } = view, rows = [...map.rows.keys()];
  const greatest = numberShown(Math.max(...pictures.flatMap((nothing, head) =>
    rows.map((row) => greatestIn(numbersOfRow(map, head, row), [])))));
  pictures.forEach((picture, head) => drawPicture(view, picture, head, greatest));
  drawLines(view);
}

function addLabels(view, axis, x, anchor) {
  const name = axis.slice(0, -1);
  view.map[axis].forEach((nothing, i) => {
    const words = makeSvg('text', { x, y: heightAt(i) + 5, 'text-anchor': anchor });
    view.labels.push({ words, axis, i });
    words.addEventListener('pointerenter', () => pointAt(view, { [name]: i }));
    words.addEventListener('pointerleave', () => pointAt(view, {}));
    view.svg.append(words);
  });
}

function makeSelect(map) {
  const select = document.createElement('select');
  select.append(new Option(TEXT.allHeads, 'all'));
  for (let head = 0; head < map.heads; head++) select.append(new Option(TEXT.head(head + 1), head));
  return select;
}

function controlsOf(view) {
  const heads = makeElement('label', '', `${TEXT.whichHead} `, view.select);
  heads.hidden = view.map.heads === 1;
  const least = makeElement('label', '', `${TEXT.threshold} `, view.threshold, ' ', view.output);
  view.select.addEventListener('input', () => drawLines(view));
  return makeElement('div', 'controls', heads, least);
}

// What the longest of the labels needs next to the lines.
function roomFor(labels) {
  const context = document.createElement('canvas').getContext('2d');
  context.font = `${TOKEN_FONT}px ${getComputedStyle(document.body).fontFamily}`;
  return Math.ceil(Math.max(...labels.map((label) => context.measureText(label).width))) + LINE.gap;
}

function makeView(map) {
  const threshold = makeRange({ min: 0, max: 1, step: 0.01, value: 0.02 }, () => drawLines(view));
  const view = { map, select: makeSelect(map), threshold,
    output: document.createElement('output'), labels: [], pictures: [], pointed: {} };
  view.svg = makeSvg('svg', { role: 'img', 'aria-label': TEXT.tokensOf(map.name) });
  view.select.value = map.head;
  view.lines = makeSvg('g', {});
  view.svg.append(view.lines);
  if (map.heads > 1) view.pictures = range(0, map.heads, (head) => makePicture(view, head));
  drawView(view);
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
    if (map && !map.blank && !VIEWS.some((view) => view.map === map)) showTokens(map);
  });
}

function showTokens(map) {
  const view = makeView(map);
  VIEWS.push(view);
  const heads = makeElement('div', 'heads', ...view.pictures.map(({ button }) => button));
  const help = map.heads > 1 ? `${TEXT.tokensHelp} ${TEXT.headsHelp}` : TEXT.tokensHelp;
  const block = makeElement('div', 'tokens', makeElement('h3', '', TEXT.tokens),
    makeElement('p', 'note', help), heads, controlsOf(view), view.svg, savingOf(view.svg, fullName(map)));
  matricesOf(tablesOf(map)[0].table.closest('section')).append(block);
}
