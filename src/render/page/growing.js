// Tokens that are added, removed, and called otherwise: rows of x, and with them all that has a row or
// a column for each. A map is as large as its labels, so a shape is a change like any other.

// came: how many rows x came with; next: the number of the next new one; names: by ROWS.order's numbers,
// of those that are called otherwise; axes: of each map, at which of its rows and columns tokens begin;
// shown: the order that the page shows.
const GROWN = { came: 0, next: 0, names: new Map(), axes: null, shown: null };
const MOST_TOKENS = 64; // of so many a table shows all rows

// ---- where numbers lie ----

const STRIDES = ['base', 'query', 'head', 'row', 'column', 'apart'];
const LAYOUTS = new Map(); // by operand: its address as it came, and its strides in heads, rows and columns

function operandsGiven(map) {
  return TAKEN.map((name) => map[name]).filter((one) => one);
}

// What is before the first row has none of a head.
function partsOfStride(stride, { rows: { length: rows }, columns: { length: columns } }) {
  const head = stride < 0 ? 0 : Math.floor(stride / (rows * columns)), rest = stride - head * rows * columns;
  return { head, rows: Math.floor(rest / columns), columns: rest - Math.floor(rest / columns) * columns };
}

// An operand's numbers are taken one after the other along a row, or along a column.
function runOf({ goes, map: index }) {
  const axis = ['rows', 'columns'].filter((nothing, i) => goes[i] === '*');
  return axis.length === 2 && MAPS[index].columns.length > 1 ? 'columns' : axis[0];
}

// A number of each head lies a matrix apart, which goes unsaid where that has one number.
function takeLayout(operand) {
  const of = MAPS[operand.map], run = runOf(operand), isOfHeads = !run && of.heads > 1 && operand.at.count > 1;
  const at = isOfHeads ? { apart: 1, ...operand.at } : operand.at;
  const strides = Object.fromEntries(STRIDES.filter((name) => name in at).map((name) => [name, partsOfStride(at[name], of)]));
  for (const { along, by } of axesOfOperand(operand)) if (by in strides) strides[by] = { head: 0, rows: 0, columns: 0, [along]: 1 };
  LAYOUTS.set(operand, { at, run, strides });
}

// Axes that go together have tokens together: of a result and what it is made of, and of operands whose
// numbers are taken one after the other.
function findAxes() {
  const axes = new Map(MAPS.map((map) => [map, {}]));
  let isOn = true;
  const say = (map, axis, first) => {
    if (first === undefined || axes.get(map)[axis] !== undefined) return;
    axes.get(map)[axis] = first;
    isOn = true;
  };
  mapsOfRows().forEach((map) => say(map, 'rows', 0));
  while (isOn) {
    isOn = false;
    for (const map of MAPS) {
      for (const operand of operandsGiven(map)) {
        const of = MAPS[operand.map];
        const { base } = LAYOUTS.get(operand).strides;
        for (const { as, along } of linksOf(operand)) {
          const first = base[along];
          if (axes.get(of)[along] !== undefined) say(map, as, axes.get(of)[along] - first);
          if (axes.get(map)[as] !== undefined) say(of, along, axes.get(map)[as] + first);
        }
      }
      const runs = operandsGiven(map).map((operand) => ({ of: MAPS[operand.map], along: LAYOUTS.get(operand).run,
        base: LAYOUTS.get(operand).strides.base })).filter(({ along }) => along);
      const [first] = runs.filter(({ of, along }) => axes.get(of)[along] !== undefined)
        .map(({ of, along, base }) => axes.get(of)[along] - base[along]);
      for (const { of, along, base } of first === undefined ? [] : runs) say(of, along, base[along] + first);
    }
  }
  return axes;
}

function takeTokens() {
  if (GROWN.axes) return;
  takeAll();
  MAPS.flatMap(operandsGiven).forEach(takeLayout);
  GROWN.axes = findAxes();
}

// Of places, 0, 1, 2, …: the next token stands at the next one.
function standsInOrder(map) {
  const numbers = cameIn(map), { rows, columns } = GROWN.axes.get(map);
  return !isInput(map) && map.heads === 1 && (rows === undefined) !== (columns === undefined) && numbers.length === GROWN.came &&
    numbers.every((x, i) => x === numbers[0] + i);
}

// 1 where a token meets itself, and 0 elsewhere.
function isIdentity(map) {
  const { rows, columns } = GROWN.axes.get(map);
  return !map.operation && map.heads === 1 && rows === 0 && columns === 0 && cameIn(map).length === GROWN.came ** 2 &&
    cameIn(map).every((x, i) => x === Number(i % (GROWN.came + 1) === 0));
}

// Of a new token known by what came.
function isKnown(map) {
  return mapsOfRows().includes(map) || standsInOrder(map) || isIdentity(map);
}

// What a document gives for each token besides matrices.
const OF_NUMBERS = ['key_lengths', 'rope_positions', 'offset', 'labels', 'past_k', 'past_v'];

function whyNoTokens() {
  if (mapsOfRows().length === 0) return TEXT.noTokens;
  if (ENTRIES.length > 1 || DATA.batch) return TEXT.tokensOfBatch;
  takeTokens();
  if (DATA.source.loss !== undefined) return TEXT.eachToken('loss');
  const said = [DATA.source, ...DATA.source.layers || []], key = OF_NUMBERS.find((name) => said.some((of) => of[name] instanceof Object));
  if (key) return TEXT.eachToken(key);
  if (GROWN.came > MOST_TOKENS) return TEXT.manyTokens(GROWN.came, MOST_TOKENS);
  if (!areQueriesOfX()) return TEXT.eachToken('q');
  const hasTokens = (map) => Object.keys(GROWN.axes.get(map)).length > 0;
  const isPart = (map) => Object.entries(GROWN.axes.get(map)).some(([axis, first]) => !hasAllTokens(map, axis, first));
  const other = MAPS.find((map) => hasTokens(map) && (((!map.operation || map.length) && !isKnown(map)) || isPart(map)));
  if (other) return TEXT.eachToken(fullName(other));
  return DATA.rooms.some((room) => room.endsAtKey) ? TEXT.before : '';
}

// ---- a shape ----

// A word goes with its token; a number, as "k[4]", with its place where there are more or fewer of them.
function labelOfToken(came, first, token, place, isCalled) {
  const name = isCalled ? GROWN.names.get(token) : undefined, isNumber = /^\w*\[?[\d,]+\]?$/.test(came[first]);
  const isOfPlace = !isCalled || token >= GROWN.came || (isNumber && ROWS.order.length !== GROWN.came);
  return name ?? (isOfPlace ? came[first].replace(/\d+(?=\D*$)/, place + 1) : came[first + token]);
}

function hasAllTokens(map, axis, first) {
  return first >= 0 && first + GROWN.came <= ROWS.came.get(map)[axis].length;
}

function labelsNow(map, axis) {
  const came = ROWS.came.get(map)[axis], own = ROWS.axes.get(map)[axis];
  const first = own ?? GROWN.axes?.get(map)[axis], isCalled = own !== undefined || Boolean(GROWN.axes && (map.operation || isIdentity(map)));
  if (first === undefined) return came;
  if (!hasAllTokens(map, axis, first)) return came.map((nothing, i) => came[rowBefore(map, axis, i)]);
  return [...came.slice(0, first), ...ROWS.order.map((token, place) => labelOfToken(came, first, token, place, isCalled)),
    ...came.slice(first + GROWN.came)];
}

// An index after the tokens moves with their number.
function indexNow(index, first) {
  return first !== undefined && index >= first + GROWN.came ? index + ROWS.order.length - GROWN.came : index;
}

function addressNow(operand, map) {
  const of = MAPS[operand.map], { at, run, strides } = LAYOUTS.get(operand), now = { ...at };
  const here = GROWN.axes.get(of), there = GROWN.axes.get(map);
  for (const [name, { head, ...parts }] of Object.entries(strides)) {
    const index = (axis) => (name === 'base' ? indexNow(parts[axis], here[axis]) : parts[axis]);
    now[name] = (head * of.rows.length + index('rows')) * of.columns.length + index('columns');
  }
  for (const { along, by } of axesOfOperand(operand)) // which goes unsaid where there is one
    if (here[along] !== undefined && by && !(by in strides)) now[by] = along === 'rows' ? of.columns.length : 1;
  if (here[run] !== undefined) {
    const { count = 1 } = at, first = strides.base[run], isAll = first <= here[run] && first + count >= here[run] + GROWN.came;
    if (isAll) now.count = count + ROWS.order.length - GROWN.came;
  }
  if (at.rows) now.rows = at.rows.map((row) => indexNow(row, there.rows));
  if (at.columns !== undefined) now.columns = indexNow(at.columns, there.columns);
  return now;
}

// As large as the tokens make it; what is of one query is of one that is there.
function reshape(map) {
  for (const axis of ['rows', 'columns']) map[axis] = labelsNow(map, axis);
  map.cells = Array(map.heads * map.rows.length).fill(null);
  if (!map.focus || !isOfOther(map)) return;
  map.cameQuery ??= map.focus.row;
  map.focus.row = Math.min(map.cameQuery, ROWS.order.length - 1);
}

function putTokens({ order, names, numbers, sights }) {
  Object.assign(ROWS, { order });
  GROWN.names = names;
  MAPS.forEach(reshape);
  for (const map of MAPS) for (const operand of operandsGiven(map)) operand.at = addressNow(operand, map);
  numbers.forEach((all, map) => NUMBERS.set(map, all));
  sights.forEach((sight, room) => ENTRIES[ENTRY].sight.set(room, sight));
  return MAPS.filter((map) => Object.keys(GROWN.axes.get(map)).length > 0);
}

// ---- changes ----

// Which of the indices that there are stands where, once the tokens are these of those that there are.
function placesOf(map, axis, tokens) {
  const first = GROWN.axes.get(map)[axis], all = [...map[axis].keys()];
  return first === undefined ? all : [...all.slice(0, first), ...tokens.map((token) => first + token),
    ...all.slice(first + ROWS.order.length)];
}

// A word that is there, or is in the vocabulary, or came, is known: the numbers of its row, or null.
function numbersCalled(name) {
  const [map] = mapsOfRows(), { columns: { length: width } } = map, { rows } = ROWS.came.get(map);
  const rowIn = (numbers, row) => (row >= 0 ? [...numbers.subarray(row * width, (row + 1) * width)] : null);
  const vocab = Object.hasOwn(DATA.vocab || {}, name) ? DATA.vocab[name].flat().map(TYPE.round) : null;
  return rowIn(NUMBERS.get(map), map.rows.indexOf(name)) || vocab || rowIn(cameIn(map), rows.indexOf(name));
}

function wordsKnown() {
  const [map] = mapsOfRows();
  return [...new Set([...ROWS.came.get(map).rows, ...Object.keys(DATA.vocab || {})])].filter((name) => !/^\w*\[?\d+\]?$/.test(name));
}

// A token that is there twice has its numbers, and sees and is seen as it is; a known word has its own.
function numbersOf(map, tokens, known) {
  const numbers = NUMBERS.get(map);
  if (isIdentity(map)) return Float64Array.from({ length: tokens.length ** 2 }, (nothing, i) => Number(i % (tokens.length + 1) === 0));
  if (!mapsOfRows().includes(map)) return Float64Array.from(tokens, (token, place) => cameIn(map)[0] + place);
  return Float64Array.from(placesOf(map, 'rows', tokens).flatMap((row, place) => (known?.place === place ? known.numbers
    : [...numbers.subarray(row * map.columns.length, (row + 1) * map.columns.length)])));
}

function sightOfTokens(room, tokens) {
  const { causal, hidden } = sightOf(room), [map] = mapsThatSee(room);
  if (!hidden) return { causal, hidden };
  const rows = placesOf(map, 'rows', tokens), columns = placesOf(map, 'columns', tokens);
  return { causal, hidden: range(0, map.heads, (head) => rows.map((row) =>
    columns.map((column) => hidden[head * map.rows.length + row][column]))).flat() };
}

// tokens: of those that are there which one stands where; known: { place, numbers } of one that has its own.
function setTokens(said, value, tokens, order, names, row, known) {
  const why = whyNoTokens();
  if (why) throw new Error(why);
  const own = MAPS.filter((map) => !map.operation && Object.keys(GROWN.axes.get(map)).length > 0);
  const state = (all, called, which) => ({ order: [...all], names: called, value,
    numbers: new Map(own.map((map) => [map, which ? numbersOf(map, which, known) : NUMBERS.get(map)])),
    sights: DATA.rooms.map((nothing, room) => (which ? sightOfTokens(room, which) : sightOf(room))) });
  const { head, row: now } = focusOf(roomInFocus());
  return [{ what: 'tokens', said, from: state(ROWS.order, GROWN.names), to: state(order, names, tokens) },
    ...row === now ? [] : setFocus(row, head)];
}

function checkToken(at, most) {
  if (!(Number.isInteger(at) && at >= 0 && at <= most)) throw new Error(TEXT.noRow(at, most));
}

// A new one in front of these: a known word, or else a copy of the token before it, or of the first one.
// keeps: how many of the others stay.
function newToken(kind, at, name, keeps) {
  const why = whyNoTokens(), places = [...ROWS.order.keys()].slice(0, keeps), order = ROWS.order.slice(0, keeps);
  if (why) throw new Error(why);
  const token = GROWN.next++, called = name || (DATA.source.tokens ? TEXT.newToken : ''), { row } = focusOf(roomInFocus());
  const numbers = name && numbersCalled(name);
  places.splice(at, 0, Math.max(0, at - 1));
  order.splice(at, 0, token);
  return setTokens(kind, called ? `${at},${encodeURIComponent(called)}` : String(at), places, order,
    called ? new Map([...GROWN.names, [token, called]]) : GROWN.names, row >= at && row < keeps ? row + 1 : Math.min(row, order.length - 1),
    numbers ? { place: at, numbers } : null);
}

function addToken(at, name) {
  takeAll();
  const { length } = ROWS.order;
  checkToken(at, length);
  if (length === MOST_TOKENS) throw new Error(TEXT.manyTokens(length + 1, MOST_TOKENS));
  return newToken('add', at, name, length);
}

// All others go: the first word of a sentence that is said from here on, or without a word this one.
function startSentence(at, name) {
  takeAll();
  checkToken(at, ROWS.order.length - 1);
  return name ? newToken('start', 0, name, 0)
    : setTokens('start', String(at), [at], [ROWS.order[at]], GROWN.names, 0);
}

function removeToken(at) {
  const { row } = focusOf(roomInFocus()), others = [...ROWS.order.keys()].filter((place) => place !== at);
  checkToken(at, ROWS.order.length - 1);
  if (others.length === 0) throw new Error(TEXT.lastToken);
  return setTokens('remove', String(at), others, others.map((place) => ROWS.order[place]), GROWN.names,
    Math.min(row - (row > at ? 1 : 0), others.length - 1));
}

function renameToken(at, name) {
  checkToken(at, ROWS.order.length - 1);
  if (typeof name !== 'string' || name.trim() === '') throw new Error(TEXT.noName);
  return setTokens('name', `${at},${encodeURIComponent(name)}`, [...ROWS.order.keys()], ROWS.order,
    new Map([...GROWN.names, [ROWS.order[at], name]]), focusOf(roomInFocus()).row);
}

const TOKEN_EDITS = { add: addToken, remove: removeToken, name: renameToken, start: startSentence };

// "1,cat"
function tokensIn(kind, value) {
  const [at, name] = value.split(',');
  return TOKEN_EDITS[kind](Number(at), name === undefined ? undefined : decodeURIComponent(name));
}

// ---- as it was before ----

// How many rows or columns a map had when its tokens stood so.
function sizeBefore(map, axis, order) {
  const isOfTokens = GROWN.axes && GROWN.axes.get(map)[axis] !== undefined;
  return ROWS.came.get(map)[axis].length + (isOfTokens && order ? order.length - GROWN.came : 0);
}

function areTokensAsTheyCame() {
  return ROWS.order.length === GROWN.came && GROWN.names.size === 0 && ROWS.order.every((row, i) => row === i);
}

// The words of a document, whose tokens are these now.
function wordsOfTokens(came) {
  return [...ROWS.order.map((token) => GROWN.names.get(token) ?? came[token] ?? ''), ...came.slice(GROWN.came)];
}
