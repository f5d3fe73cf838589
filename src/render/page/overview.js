// All heads of all layers at a look, as the run's weights are: a row a layer, a picture a head, drawn
// from the numbers where the page has them, and else from squares that the program made
// (html_overview.c). Below each the entropy of its queries as a line. A click on one makes it large.

const OVERVIEW = { element: null, layers: [], views: [], inks: [], tokens: null, large: null, pointed: null, chosen: new Set(), isDue: false };
const GOT_PLACES = 4, GOT_DECIMALS = 1e4, FAINT = 0.2, MOST_LINES = 200;

// ---- what is drawn ----

// A square's level goes from 0 to 1: the root of the greatest weight in it.
function squaresOfHead(map, head) {
  const tall = Math.ceil(map.rows.length / MOST_SQUARES), wide = Math.ceil(map.columns.length / MOST_SQUARES);
  const rows = Math.ceil(map.rows.length / tall), columns = Math.ceil(map.columns.length / wide);
  const levels = new Float32Array(rows * columns), most = PACKED.length - 1;
  if (map.squares) [...map.squares[2 + head]].forEach((digit, i) => { levels[i] = PACKED_VALUES.get(digit) / most; });
  for (let row = 0; row < map.rows.length && !map.squares; row++) {
    numbersOfRow(map, head, row).forEach((weight, column) => {
      const at = Math.floor(row / tall) * columns + Math.floor(column / wide);
      levels[at] = Math.max(levels[at], Math.sqrt(Math.min(1, Math.max(0, weight) || 0)));
    });
  }
  return { rows, columns, tall, wide, levels };
}

// What each key gets of all queries together; null where there are too many of them.
function gotOf(map, head) {
  if (!map.squares) {
    const all = range(0, map.rows.length, (row) => numbersOfRow(map, head, row));
    return map.columns.map((nothing, column) => all.reduce((sum, row) => sum + (row[column] || 0), 0));
  }
  const digits = map.got && map.got[head];
  const wholeAt = (at) => [...digits.slice(at, at + GOT_PLACES)].reduce((whole, digit) => whole * PACKED.length + PACKED_VALUES.get(digit), 0);
  return digits ? map.columns.map((nothing, column) => wholeAt(column * GOT_PLACES) / GOT_DECIMALS) : null;
}

// Queries that see nothing have none.
function entropiesOf(map, head) {
  const entropy = mapsOf(map.room).find((other) => other.name === 'entropy');
  return range(0, map.rows.length, (row) => Number(numbersOfRow(entropy, head, row)[0]));
}

function meanOf(numbers) {
  const finite = numbers.filter(Number.isFinite);
  return finite.reduce((sum, one) => sum + one, 0) / finite.length;
}

// ---- pictures ----

// The colours of shares, and of what chosen tokens get; by day or by night.
function readInks() {
  const style = getComputedStyle(document.documentElement);
  OVERVIEW.inks = ['--share', '--above'].map((name) => style.getPropertyValue(name).match(/\d+/g).map(Number));
}

// The row and the column of the token that is pointed at stay, and the others fade.
function paintHead(canvas, { rows, columns, tall, wide, levels }) {
  const { pointed, chosen, inks: [share, above] } = OVERVIEW, context = canvas.getContext('2d');
  const isFar = (at, count) => pointed !== null && Math.floor(pointed / count) !== at;
  const strips = new Set([...chosen].map((token) => Math.floor(token / wide)));
  Object.assign(canvas, { width: columns, height: rows });
  const image = context.createImageData(columns, rows), { data } = image;
  for (let row = 0, at = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, at++) {
      const ink = strips.has(column) ? above : share, isFaint = isFar(row, tall) && isFar(column, wide);
      for (let i = 0; i < 3; i++) data[4 * at + i] = ink[i];
      data[4 * at + 3] = 255 * levels[at] * (isFaint ? FAINT : 1);
    }
  }
  context.putImageData(image, 0, 0);
}

// As many points as there are rows of squares, each the mean of its queries.
function lineOf(map, { rows, tall }, entropies) {
  const most = Math.log(map.columns.length) || 1;
  const means = range(0, rows, (row) => meanOf(entropies.slice(row * tall, (row + 1) * tall)));
  return means.map((mean, row) => (Number.isFinite(mean) ? `${row}.5 ${(1 - mean / most).toFixed(3)}` : ''))
    .filter((point) => point).map((point, i) => `${i > 0 ? 'L' : 'M'}${point}`).join('');
}

// Below it a number: what the chosen tokens get, or else the mean of the entropies.
function drawHead(map, { button, canvas, path, line, words }, head) {
  const squares = squaresOfHead(map, head), entropies = entropiesOf(map, head), got = OVERVIEW.chosen.size > 0 && gotOf(map, head);
  const mean = meanOf(entropies).toFixed(2), all = got ? [...OVERVIEW.chosen].reduce((sum, token) => sum + (got[token] || 0), 0).toFixed(2) : '';
  paintHead(canvas, squares);
  line.setAttribute('viewBox', `0 0 ${squares.rows} 1`);
  path.setAttribute('d', lineOf(map, squares, entropies));
  words.textContent = got ? all : mean;
  button.title = `${TEXT.head(head + 1)}: ${TEXT.entropyOf(mean)}${got ? `, ${TEXT.getsOf(all, map.rows.length)}` : ''}`;
}

function makeHead(map, head) {
  const canvas = document.createElement('canvas'), words = makeElement('small'), path = makeSvg('path', {});
  const line = makeSvg('svg', { class: 'spread', preserveAspectRatio: 'none', 'aria-hidden': true });
  line.append(path);
  const button = makeButton('', () => showLarge(map, head), `${roomOf(map)}${TEXT.head(head + 1)}`);
  button.append(canvas, line, words);
  return { button, canvas, path, line, words };
}

function makeLayer(map) {
  const heads = range(0, map.heads, (head) => makeHead(map, head));
  const name = makeElement('h3', '', DATA.rooms[map.room].floor || map.name);
  return { map, heads, element: makeElement('div', 'layer', name, ...heads.map(({ button }) => button)) };
}

// ---- tokens ----

function pointAtToken(token) {
  OVERVIEW.pointed = token;
  drawOverviewLater();
}

function chooseToken(token) {
  if (!OVERVIEW.chosen.delete(token)) OVERVIEW.chosen.add(token);
  drawOverviewLater();
}

function makeTokenButton(label, token) {
  const button = makeButton(label, () => chooseToken(token));
  for (const name of ['pointerenter', 'focus']) button.addEventListener(name, () => pointAtToken(token));
  for (const name of ['pointerleave', 'blur']) button.addEventListener(name, () => pointAtToken(null));
  return button;
}

// The keys of the layer that has most of them; they are made anew where they are others.
function drawTokens() {
  const { layers, tokens, chosen } = OVERVIEW;
  const labels = layers.map(({ map }) => map.columns).reduce((most, some) => (some.length > most.length ? some : most));
  if (labels.join('\n') !== [...tokens.children].map((button) => button.textContent).join('\n'))
    tokens.replaceChildren(...labels.map(makeTokenButton));
  [...tokens.children].forEach((button, token) => button.setAttribute('aria-pressed', chosen.has(token)));
}

// ---- one of them, large ----

function labelOfSquare(labels, first, count) {
  return count === 1 ? labels[first] : `${labels[first]} … ${labels[Math.min(first + count, labels.length) - 1]}`;
}

// The strongest lines, of the token that is pointed at or of all, from queries at the left to keys.
function drawLarge() {
  if (!OVERVIEW.large) return;
  const { map, head, canvas, svg } = OVERVIEW.large, squares = squaresOfHead(map, head), { rows, columns, tall, wide, levels } = squares;
  const { pointed } = OVERVIEW, rowLabels = range(0, rows, (row) => labelOfSquare(map.rows, row * tall, tall));
  const columnLabels = range(0, columns, (column) => labelOfSquare(map.columns, column * wide, wide));
  const left = roomFor(rowLabels), right = left + LINE.length, width = right + roomFor(columnLabels);
  const height = heightAt(Math.max(rows, columns)) - LINE.height / 2, at = pointed === null ? null : Math.floor(pointed / tall);
  paintHead(canvas, squares);
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height })) svg.setAttribute(name, value);
  const lines = [...levels].map((level, i) => ({ level, row: Math.floor(i / columns), column: i % columns }))
    .filter(({ level, row }) => level > 0 && (at === null || row === at)).sort((one, other) => other.level - one.level).slice(0, MOST_LINES);
  const words = (labels, x, anchor, isQuery) => labels.map((label, i) => {
    const made = makeSvg('text', { x, y: heightAt(i) + 5, 'text-anchor': anchor }, label);
    if (isQuery) made.addEventListener('pointerenter', () => pointAtToken(i * tall));
    return made;
  });
  svg.replaceChildren(...lines.map(({ level, row, column }) => makeSvg('line', { x1: left, x2: right, y1: heightAt(row), y2: heightAt(column),
    'stroke-width': (level * level * LINE.widest).toFixed(2), 'stroke-opacity': (0.2 + 0.7 * level).toFixed(2), class: hueOf(head) })),
  ...words(rowLabels, left - LINE.gap, 'end', true), ...words(columnLabels, right + LINE.gap, 'start', false));
}

// The step that it is worked out in, or else the one that says what its weights come to.
function stepOfHead(map) {
  const entropy = mapsOf(map.room).find((other) => other.name === 'entropy');
  return document.getElementById(`step-${map.step}`) || document.getElementById(`step-${entropy.step}`);
}

function showLarge(map, head) {
  if (OVERVIEW.large) closeLarge();
  const layer = OVERVIEW.layers.find((one) => one.map === map), canvas = document.createElement('canvas');
  const svg = makeSvg('svg', { role: 'img', 'aria-label': TEXT.tokensOf(map.name) }), { tall, wide } = squaresOfHead(map, head);
  const onward = makeButton(TEXT.itsSteps, () => {
    const entropy = mapsOf(map.room).find((other) => other.name === 'entropy');
    for (const one of [map, entropy]) chooseHead(one, head);
    goToTarget(stepOfHead(map));
  });
  const element = makeElement('figure', 'large',
    makeElement('figcaption', '', makeElement('b', '', `${roomOf(map)}${TEXT.head(head + 1)}`), ' ', onward, ' ', makeButton(TEXT.close, closeLarge)),
    ...(tall * wide > 1 ? [makeElement('p', 'note', TEXT.eachSquare(tall, wide))] : []),
    makeElement('div', 'large-parts', canvas, makeElement('div', 'tokens scroll', svg)));
  svg.addEventListener('pointerleave', () => pointAtToken(null));
  OVERVIEW.large = { map, head, canvas, svg, element };
  layer.element.after(element);
  layer.heads[head].button.setAttribute('aria-expanded', true);
  drawLarge();
  element.scrollIntoView({ block: 'nearest' });
}

function closeLarge() {
  const { element, map, head } = OVERVIEW.large, { button } = OVERVIEW.layers.find((one) => one.map === map).heads[head];
  element.remove();
  OVERVIEW.large = null;
  button.setAttribute('aria-expanded', false);
  button.focus();
}

// ---- all of it ----

function drawLayer({ map, heads }) {
  heads.forEach((one, head) => drawHead(map, one, head));
}

// What the pointer and the boxes ask for, however many tokens it goes over: what is in sight first.
function drawOverview() {
  readInks();
  drawTokens();
  drawLarge();
  const isSeen = ({ element }) => IN_SIGHT.has(element);
  for (const view of [...OVERVIEW.views.filter(isSeen), ...OVERVIEW.views]) STALE.add(view);
  refreshLater();
}

function drawOverviewLater() {
  if (OVERVIEW.isDue) return;
  OVERVIEW.isDue = true;
  requestAnimationFrame(() => {
    OVERVIEW.isDue = false;
    drawOverview();
  });
}

function hasSpread(map) {
  return map.name === 'weights' && (map.squares || (map.cells && !map.only)) && map.columns.length > 0 &&
    mapsOf(map.room).some((other) => other.name === 'entropy' && document.getElementById(`step-${other.step}`));
}

function startOverview() {
  OVERVIEW.element = document.querySelector('.overview');
  if (!OVERVIEW.element) return;
  OVERVIEW.layers = MAPS.filter(hasSpread).map(makeLayer);
  OVERVIEW.tokens = makeElement('div', 'tokens-chosen');
  OVERVIEW.element.style.setProperty('--layers', OVERVIEW.layers.length);
  OVERVIEW.element.append(makeElement('p', 'note', TEXT.spread), makeElement('p', 'note', TEXT.tokensGet),
    OVERVIEW.tokens, ...OVERVIEW.layers.map(({ element }) => element));
  for (const layer of OVERVIEW.layers) addView(layer.element, (maps) => maps.has(layer.map), () => drawLayer(layer));
  OVERVIEW.views = SCREEN.slice(-OVERVIEW.layers.length);
  addView(OVERVIEW.tokens, (maps) => OVERVIEW.layers.some(({ map }) => maps.has(map)), () => { drawTokens(); drawLarge(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawOverview);
  drawOverview();
}
