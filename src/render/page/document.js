// The document of what the page shows: the settings that came, and every number that goes in. What
// the program computes of it is the page's numbers, to the bit.

const LEFT_OUT = ['ids', 'embedding', 'vocab', 'segments', 'layout', 'mask_axis', 'expected', 'tol',
  'errata'];
const OF_SIGHT = ['window', 'key_lengths', 'mask', 'mask_true'];
const VECTORS = ['va', 'ba', 'bs', 'sinks', 'alibi', 'bias_k', 'bias_v', 'gain', 'bq', 'bk', 'bv', 'bo',
  'b1', 'b2'];
const APART = ['q', 'k', 'v', 'past_k', 'past_v'];

const MINUS_ZERO = '\u0000';

function jsonNumber(x) {
  if (Object.is(x, -0)) return MINUS_ZERO; // which JSON.stringify does not know
  if (Number.isFinite(x)) return x;
  return Number.isNaN(x) ? 'NaN' : `${x < 0 ? '-' : ''}Infinity`;
}

function matrixOf(map, head) {
  return range(0, rowsGiven(map), (row) => map.columns.map((nothing, column) =>
    jsonNumber(valueOf({ map, head, row, column }))));
}

// As many axes as its key takes.
function valuesOf(map, key) {
  const heads = range(0, map.heads, (head) => matrixOf(map, head));
  const isNumber = map.rows.length === 1 && map.columns.length === 1;
  if (['alibi', 'sinks', 'bs'].includes(key) && (map.heads > 1 || key !== 'bs'))
    return heads.map(([[x]]) => x);
  if (isNumber && Object.values(SETTING_KEYS).concat('eps', 'bs').includes(key)) return heads[0][0][0];
  const isVector = VECTORS.includes(key) || (key === 'bias' && NORM_PART.test(map.name));
  const values = isVector || key.endsWith('_gain') ? heads.map(([row]) => row) : heads;
  if (map.heads > 1) return DATA.batch && APART.includes(key) ? [values] : values;
  return values[0];
}

// What came as a default, and is as it came, stays unsaid; cross-attention would take it from its
// layer, where it is said by now.
function isSaid(map, key, of, document, way) {
  if (!(key === 'eps' || Object.values(SETTING_KEYS).includes(key)) || key === 'sinks') return true;
  const came = EDITS.came.get(map), isChanged = NUMBERS.get(map).some((x, i) => !Object.is(x, came[i]));
  const isOfLayer = way[2] === 'cross' && document.layers[way[1]][key] !== undefined;
  return isChanged || isOfLayer || (key === 'alibi' && Array.isArray(of[key]));
}

// Goes to where a way leads, making objects that lack.
function objectAt(root, way) {
  return way.reduce((at, name) => { at[name] ||= {}; return at[name]; }, root);
}

// Of a batch there is one entry.
function keepOfBatch(document) {
  const at = DATA.batch - 1, { key_lengths: lengths, rope_positions: positions } = document;
  if (Array.isArray(lengths) && lengths.length > 1) document.key_lengths = lengths[at];
  if (Array.isArray(positions) && Array.isArray(positions[0])) document.rope_positions = positions[at];
}

function leaveOut(document) {
  for (const name of LEFT_OUT) delete document[name];
  if (DATA.batch) keepOfBatch(document);
  for (const layer of document.layers || []) {
    leaveOut(layer);
    if (layer.cross) leaveOut(layer.cross);
  }
}

function isSameSight(room) {
  const { causal, hidden } = DATA.rooms[room], now = sightOf(room);
  return now.causal === causal && String(now.hidden && now.hidden.map((row) => row.map(Number).join('')))
    === String(hidden);
}

// What each query sees, key by key; causality too where something was changed.
function sayMask(of, room) {
  const [map] = mapsThatSee(room), { appended, first } = DATA.rooms[room], isSame = isSameSight(room);
  const keys = map.columns.length - appended, { hidden } = sightOf(room);
  const sees = (head, row, column) => (isSame ? !(hidden && hidden[head * map.rows.length + row][column])
    : !isOutOfSight(map, head, row, column));
  if (isSame && !hidden) return;
  const heads = range(0, map.heads, (head) =>
    map.rows.map((nothing, row) => range(0, keys, (column) => sees(head, row, column))));
  const isForAll = heads.every((one) => String(one) === String(heads[0]));
  if (!isSame) {
    for (const name of OF_SIGHT) delete of[name];
    of.causal = 'none';
    if (first > 0) of.offset = first;
  }
  delete of.mask_true;
  of.mask = isForAll ? heads[0] : heads;
  if (!isForAll) of.mask_axis = 'head';
}

// What else is said of rotary positions stays, wherever it is said; each room has its own by then.
function sayBase(of, room, layer, document) {
  const said = [document, layer, of].map((one) => one && one.rope).filter((one) => one).pop();
  const base = baseOf(room);
  of.rope = typeof said === 'object' ? { ...said, base } : base;
}

// The words of rows that were moved.
function moveTokens(document) {
  const hasKeys = MAPS.some((map) => map.name === 'weights' && ROWS.axes.get(map).columns === 0);
  for (const name of hasKeys ? ['tokens', 'key_tokens'] : ['tokens']) {
    const came = document[name];
    if (came && came.length >= ROWS.order.length)
      document[name] = came.map((nothing, i) => came[i in ROWS.order ? ROWS.order[i] : i]);
  }
}

function currentDocument() {
  takeAll();
  const document = JSON.parse(JSON.stringify(DATA.source));
  leaveOut(document);
  moveTokens(document);
  for (const map of MAPS) {
    const way = wayOf(map);
    if (!way) continue;
    const key = lastOf(way), of = objectAt(document, way.slice(0, -1));
    if (!isSaid(map, key, of, document, way)) continue;
    of[key] = valuesOf(map, key);
    if (key === 'bias' && map.heads > 1) of.mask_axis = 'head';
  }
  if (document.segment_embedding) document.segments = document.segment_embedding.map((row, i) => i);
  DATA.rooms.forEach((room, index) => {
    const at = /^(?:layer\.(\d+)\.(?:attention|(cross))\.)?$/.exec(room.way);
    if (!at || !mapsOf(index).some((map) => map.name === 'exp')) return;
    const way = [...at[1] ? ['layers', Number(at[1])] : [], ...at[2] ? ['cross'] : []];
    const of = objectAt(document, way);
    sayMask(of, index);
    if (DECIMALS.has(index)) of.round = room.keepsSum ? `${decimalsOf(index)}:keep-sum` : decimalsOf(index);
    if (room.rope) sayBase(of, index, document.layers && document.layers[at[1]], document);
  });
  return JSON.stringify(document).replaceAll(JSON.stringify(MINUS_ZERO), '-0.0');
}

// ---- for people's own scripts ----

function shapeOf(map) {
  const sizes = [map.heads, map.rows.length, map.columns.length];
  const first = sizes.findIndex((size) => size > 1);
  return first < 0 ? [] : sizes.slice(first);
}

function placeNamed(name, at = []) {
  const map = MAPS.find((one) => fullName(one) === name), [head, row, column] = [0, 0, 0, ...at].slice(-3);
  if (!map) throw new Error(TEXT.noNode(name));
  const isThere = head < map.heads && row < map.rows.length && column < map.columns.length;
  if (!isThere || at.length > 3) throw new Error(TEXT.noCell(name, shapeOf(map).join(' × ')));
  return { map, head, row, column };
}

// The room of its own name; without one, where there is one attention.
function roomNamed(name = '') {
  const room = DATA.rooms.findIndex((one) => one.way === (name && `${name}.`));
  if (room < 0 || mapsThatSee(room).length === 0) throw new Error(TEXT.noNode(name));
  return room;
}

const OWN_SCRIPTS = {
  nodes: () => MAPS.map((map) => ({ name: fullName(map), shape: shapeOf(map), input: isInput(map) })),
  get: (name, at) => { takeAll(); return valueOf(placeNamed(name, at)); },
  set: (name, at, x) => edit(setNumber(placeNamed(name, at), x)),
  mask: (query, key, mayAttend, room) => edit(setMask(roomNamed(room), query, key, mayAttend)),
  switch: (name, value, room) => edit(
    ({ base: setBase, round: setRound, temperature: setTemperature }[name] || setCausal)(roomNamed(room), value)),
  move: (from, to) => edit(moveRow(from, to)),
  undo, redo, reset: asItCame, pin: () => pin(),
  document: () => currentDocument(),
};
