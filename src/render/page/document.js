// The document of what the page shows: the settings that came, and every number that goes in. What
// the program computes of it is the page's numbers, to the bit.

const LEFT_OUT = ['ids', 'embedding', 'embedding_scale', 'vocab', 'segments', 'layout', 'mask_axis',
  'expected', 'tol', 'errata', 'logits'];
const OF_SIGHT = ['window', 'mask', 'mask_true'];
const VECTORS = ['va', 'ba', 'bs', 'sinks', 'alibi', 'bias_k', 'bias_v', 'gain', 'bq', 'bk', 'bv', 'bo',
  'bq_down', 'bkv_down', 'b1', 'b2', 'b3', 'b', 'unembedding_bias', 'router_bias', 'choice_bias'];
const APART = ['q', 'k', 'v', 'past_k', 'past_v', 'output_grad', 'logsumexp_grad', 'target'];

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
  if (map.isRowAHead) return range(0, map.slices, (head) => {
    const [[row]] = heads, width = row.length / map.slices;
    return row.slice(head * width, (head + 1) * width);
  });
  if (key === 'key_bias') return heads.map(([row]) => row);
  const isVector = VECTORS.includes(key) || (key === 'bias' && NORM_PART.test(map.name));
  const values = isVector || key.endsWith('_gain') ? heads.map(([row]) => row) : heads;
  if (map.heads > 1) return DATA.batch && ENTRIES.length === 1 && APART.includes(key) ? [values] : values;
  return values[0];
}

// One after the other, where each entry has its own; a bias has all its axes then.
function valuesOfAll(map, key) {
  if (!OF_ENTRY.has(map)) return valuesOf(map, key);
  return range(0, ENTRIES.length, (entry) => inEntry(entry, () => (key === 'bias'
    ? range(0, map.heads, (head) => matrixOf(map, head)) : valuesOf(map, key))));
}

// What came as a default, and is as it came, stays unsaid; cross-attention would take it from its
// layer, where it is said by now.
function isSaid(map, key, of, document, way) {
  if (!(key === 'eps' || Object.values(SETTING_KEYS).includes(key)) || key === 'sinks') return true;
  const isOfLayer = way[2] === 'cross' && document.layers[way[1]][key] !== undefined;
  const isOther = key === 'scale' && DATA.rooms[map.room].root ? !isByRoot(map) : isChanged(map);
  return isOther || isOfLayer || (key === 'alibi' && Array.isArray(of[key]));
}

// Goes to where a way leads, making objects that lack.
function objectAt(root, way) {
  return way.reduce((at, name) => { at[name] ||= {}; return at[name]; }, root);
}

// Of a batch that is larger than the page there is one entry.
function keepOfBatch(document) {
  const at = DATA.batch - 1, { key_lengths: lengths, rope_positions: positions, labels } = document;
  if (Array.isArray(lengths) && lengths.length > 1) document.key_lengths = lengths[at];
  if (labels) document.labels = labels[at];
  if (Array.isArray(positions) && Array.isArray(positions[0])) document.rope_positions = positions[at];
}

function leaveOut(document) {
  for (const name of LEFT_OUT) delete document[name];
  if (DATA.batch && ENTRIES.length === 1) keepOfBatch(document);
  for (const layer of document.layers || []) {
    leaveOut(layer);
    if (layer.cross) leaveOut(layer.cross);
  }
}

function isSameSight(room) {
  return sightsOf(room).every(({ causal, hidden }, entry) => {
    const came = ENTRIES[entry].rooms[room];
    return causal === came.causal && String(hidden && hidden.map((row) => row.map(Number).join('')))
      === String(came.hidden);
  });
}

// What each query sees, key by key, how many there are apart; causality too where something was changed.
function sayMask(of, room) {
  const [map] = mapsThatSee(room), isSame = isSameSight(room), sights = sightsOf(room);
  if (isSame && sights.every(({ hidden }) => !hidden)) return;
  const sees = ({ hidden }, head, row, column) => (isSame
    ? !(hidden && hidden[head * map.rows.length + row][column]) : !isMasked(map, head, row, column));
  const entries = sights.map((sight, entry) => inEntry(entry, () => range(0, map.heads, (head) =>
    map.rows.map((nothing, row) => range(0, keysThere(map), (column) => sees(sight, head, row, column))))));
  const firsts = firstsOf(map), isAlike = (list) => list.every((one) => String(one) === String(list[0]));
  if (!isSame) {
    for (const name of OF_SIGHT) delete of[name];
    of.causal = 'none';
    if (firsts.some((first) => first > 0)) of.offset = isAlike(firsts) ? firsts[0]
      : firsts.map((first) => map.rows.map((nothing, row) => first + row));
  }
  delete of.mask_true;
  of.mask = !isAlike(entries) ? entries : isAlike(entries[0]) ? entries[0][0] : entries[0];
  if (of.mask === entries[0]) of.mask_axis = 'head';
}

// What is said last of this room, of its layer and of all of them, before a room has its own.
function saidOf(key, [layers, layer, cross]) {
  const { source } = DATA, ofLayer = layers && source.layers[layer];
  return [source, ofLayer, cross && ofLayer[cross]].map((one) => one?.[key]).filter((one) => one !== undefined).pop();
}

// No more strongest keys than there are.
function sayTop(of, room, way) {
  const [map] = mapsThatSee(room), said = saidOf('top', way);
  if (said !== undefined) of.top = Math.min(said, keysThere(map));
}

// What else is said of rotary positions stays, wherever it is said; each room has its own by then.
function sayBase(of, room, way) {
  const said = saidOf('rope', way), base = baseOf(room);
  of.rope = typeof said === 'object' ? { ...said, base } : base;
}

// What says names of keys that are no tokens: of layers each cross-attention.
function attentionsOf(document) {
  return document.layers ? document.layers.flatMap(({ cross }) => cross || []) : [document];
}

// The words of rows that were moved, added, or called otherwise.
function moveTokens(document) {
  const hasKeys = MAPS.some((map) => map.name === 'weights' && ROWS.called.get(map).columns === 0);
  const called = areKeysOfX() ? 'key_tokens' : 'tokens'; // tokens are the queries then
  for (const name of [...called === 'tokens' ? [called] : [], ...hasKeys ? ['key_tokens'] : []]) {
    const came = document[name];
    if (came && came.length >= ROWS.count) document[name] = wordsOfTokens(came);
  }
  if (!document[called] && ROWS.names.size > 0) document[called] = wordsOfTokens([]);
  for (const of of attentionsOf(document))
    if (of.key_tokens || KEY_ROWS.names.size > 0) of.key_tokens = wordsOfTokens(of.key_tokens || [], KEY_ROWS);
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
    of[key] = valuesOfAll(map, key);
    if (key === 'bias' && map.heads > 1 && !OF_ENTRY.has(map)) of.mask_axis = 'head';
  }
  if (document.head && !document.head.w) delete document.head; // no logits are on the page
  if (document.segment_embedding) document.segments = document.segment_embedding.map((row, i) => i);
  DATA.rooms.forEach((room, index) => {
    const isAttention = /^(layer\.\d+\.(attention|cross)\.)?$/.test(room.way);
    if (!isAttention || !mapsOf(index).some((map) => map.name === 'exp')) return;
    const way = wayOfRoom(index), of = objectAt(document, way);
    sayMask(of, index);
    sayTop(of, index, way);
    if (DECIMALS.size > 0 && room.decimals >= 0) // a layer's are also those of its cross-attention
      of.round = room.keepsSum ? `${decimalsOf(index)}:keep-sum` : decimalsOf(index);
    if (room.rope) sayBase(of, index, way);
  });
  return JSON.stringify(document).replaceAll(JSON.stringify(MINUS_ZERO), '-0.0');
}

// ---- for people's own scripts ----

// Maps that have an axis of entries: an entry's own, and what is made of those.
function mapsOfBatch() {
  if (!EDITS.batched) {
    EDITS.batched = new Set(OF_ENTRY);
    for (const map of inOrder(MAPS)) if (isMade(map) && takesFrom(map, EDITS.batched)) EDITS.batched.add(map);
  }
  return EDITS.batched;
}

// Without axes of one at the beginning; a matrix of each entry has its rows in any case.
function shapeOf(map) {
  const sizes = [map.heads, map.rows.length, map.columns.length], isOfBatch = mapsOfBatch().has(map);
  const first = sizes.findIndex((size) => size > 1);
  if (first < 0) return isOfBatch ? [ENTRIES.length] : [];
  return isOfBatch ? [ENTRIES.length, ...sizes.slice(Math.min(first, 1))] : sizes.slice(first);
}

// Without Wo what is attended to is what comes out, as the program emits it.
function mapNamed(name) {
  const found = (one) => MAPS.find((map) => fullName(map) === one);
  const way = /^(.*\.)?output$/.exec(name)?.[1] ?? '';
  return found(name) || (/(^|\.)output$/.test(name) ? found(`${way}context`) || found(`${way}attended`) : undefined);
}

function placeNamed(name, at = []) {
  const map = mapNamed(name);
  if (!map) throw new Error(TEXT.noNode(name));
  const shape = shapeOf(map), isOfBatch = mapsOfBatch().has(map);
  const [entry, ...others] = isOfBatch ? at : [ENTRY, ...at], [head, row, column] = [0, 0, 0, ...others].slice(-3);
  const sizes = [ENTRIES.length, map.heads, map.rows.length, map.columns.length];
  const isThere = [entry, head, row, column].every((index, axis) => Number.isInteger(index) && index >= 0 && index < sizes[axis]);
  if (!isThere || others.length > 3 || (isOfBatch && at.length < shape.length))
    throw new Error(TEXT.noCell(name, shape.join(' × ')));
  return { map, entry, head, row, column };
}

function numberNamed(name, at) {
  takeAll();
  const place = placeNamed(name, at);
  return inEntry(place.entry, () => { catchUp(); return valueOf(place); });
}

function changeNamed(name, at, x) {
  const { entry, ...place } = placeNamed(name, at);
  edit(setNumber(place, x, entry));
}

// The room of its own name; without one, where there is one attention.
function roomNamed(name = '') {
  const attentions = DATA.rooms.filter((one, room) => mapsThatSee(room).length > 0);
  const room = DATA.rooms.findIndex((one) => attentions.includes(one) && one.way === (name && `${name}.`));
  if (room < 0) throw new Error(TEXT.noPart(name, attentions.map(({ way }) => way.slice(0, -1)).join(', ')));
  return room;
}

const SWITCHES = { causal: setCausal, base: setBase, round: setRound, temperature: setTemperature };

function switchNamed(name) {
  if (!Object.hasOwn(SWITCHES, name)) throw new Error(TEXT.noSwitch(name, [...Object.keys(SWITCHES), 'backward'].join(', ')));
  return SWITCHES[name];
}

const OWN_SCRIPTS = {
  nodes: () => MAPS.map((map) => ({ name: fullName(map), shape: shapeOf(map), input: isInput(map) })),
  get: numberNamed,
  set: changeNamed,
  mask: (query, key, mayAttend, room) => edit(setMask(roomNamed(room), query, key, mayAttend)),
  switch: (name, value, room) => (name === 'backward' ? setBackward(value)
    : edit(switchNamed(name)(roomNamed(room), value))),
  move: (from, to) => edit(moveRow(from, to)),
  add: (at, name) => edit(addToken(at, name)),
  remove: (at) => edit(removeToken(at)),
  rename: (at, name) => edit(renameToken(at, name)),
  addKey: (at, name) => edit(addToken(at, name, groupOfKeys())),
  removeKey: (at) => edit(removeToken(at, groupOfKeys())),
  renameKey: (at, name) => edit(renameToken(at, name, groupOfKeys())),
  start: (name) => edit(startSentence(0, name)),
  heads: (count) => edit(setHeads(count)),
  width: (name, count) => edit(setWidth(name, count)),
  train,
  undo, redo, reset: asItCame, pin: () => pin(),
  document: () => currentDocument(),
};
