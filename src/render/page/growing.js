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

function takeLayout(operand) {
  const { map: index, at } = operand, size = ROWS.came.get(MAPS[index]);
  const strides = STRIDES.filter((name) => name in at).map((name) => [name, partsOfStride(at[name], size)]);
  const run = at.count > 1 ? partsOfStride(at.apart ?? 1, size) : null;
  LAYOUTS.set(operand, { at, run, strides: Object.fromEntries(strides) });
}

function axisOf(parts) {
  return ['rows', 'columns'].find((axis) => parts && !parts.head && parts[axis] > 0);
}

// Along which axes the rows and columns of a map go on in an operand, and from which index on.
function linksOf(operand) {
  const { at, strides: { base, row, column } } = LAYOUTS.get(operand);
  return [['rows', axisOf(row)], ['columns', at.pair ? undefined : axisOf(column)]]
    .filter(([, along]) => along).map(([as, along]) => ({ as, along, first: base[along] }));
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
        for (const { as, along, first } of linksOf(operand)) {
          if (axes.get(of)[along] !== undefined) say(map, as, axes.get(of)[along] - first);
          if (axes.get(map)[as] !== undefined) say(of, along, axes.get(map)[as] + first);
        }
      }
      const runs = operandsGiven(map).map((operand) => ({ of: MAPS[operand.map], along: axisOf(LAYOUTS.get(operand).run),
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
  return map.heads === 1 && (rows === undefined) !== (columns === undefined) && numbers.length === GROWN.came &&
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
  if (GROWN.came < 2) return TEXT.oneToken;
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
  const isCalled = own !== undefined || Boolean(GROWN.axes && isIdentity(map)), first = own ?? GROWN.axes?.get(map)[axis];
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
  const here = GROWN.axes.get(of), there = GROWN.axes.get(map), along = axisOf(run);
  for (const [name, { head, ...parts }] of Object.entries(strides)) {
    const index = (axis) => (name === 'base' ? indexNow(parts[axis], here[axis]) : parts[axis]);
    now[name] = (head * of.rows.length + index('rows')) * of.columns.length + index('columns');
  }
  if (along && here[along] !== undefined) {
    const first = strides.base[along], isAll = first <= here[along] && first + at.count >= here[along] + GROWN.came;
    if (isAll) now.count = at.count + ROWS.order.length - GROWN.came;
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

// A token that is there twice has its numbers, and sees and is seen as it is.
function numbersOf(map, tokens) {
  const numbers = NUMBERS.get(map);
  if (isIdentity(map)) return Float64Array.from({ length: tokens.length ** 2 }, (nothing, i) => Number(i % (tokens.length + 1) === 0));
  if (!mapsOfRows().includes(map)) return Float64Array.from(tokens, (token, place) => cameIn(map)[0] + place);
  return Float64Array.from(placesOf(map, 'rows', tokens).flatMap((row) =>
    [...numbers.subarray(row * map.columns.length, (row + 1) * map.columns.length)]));
}

function sightOfTokens(room, tokens) {
  const { causal, hidden } = sightOf(room), [map] = mapsThatSee(room);
  if (!hidden) return { causal, hidden };
  const rows = placesOf(map, 'rows', tokens), columns = placesOf(map, 'columns', tokens);
  return { causal, hidden: range(0, map.heads, (head) => rows.map((row) =>
    columns.map((column) => hidden[head * map.rows.length + row][column]))).flat() };
}

// tokens: of those that are there which one stands where.
function setTokens(said, value, tokens, order, names, row) {
  const why = whyNoTokens();
  if (why) throw new Error(why);
  const own = MAPS.filter((map) => !map.operation && Object.keys(GROWN.axes.get(map)).length > 0);
  const state = (all, called, which) => ({ order: [...all], names: called, value,
    numbers: new Map(own.map((map) => [map, which ? numbersOf(map, which) : NUMBERS.get(map)])),
    sights: DATA.rooms.map((nothing, room) => (which ? sightOfTokens(room, which) : sightOf(room))) });
  const { head, row: now } = focusOf(roomInFocus());
  return [{ what: 'tokens', said, from: state(ROWS.order, GROWN.names), to: state(order, names, tokens) },
    ...row === now ? [] : setFocus(row, head)];
}

function checkToken(at, most) {
  if (!(Number.isInteger(at) && at >= 0 && at <= most)) throw new Error(TEXT.noRow(at, most));
}

// A copy of the token before it, or of the first one.
function addToken(at, name) {
  const why = whyNoTokens(), { length } = ROWS.order, tokens = [...ROWS.order.keys()], token = GROWN.next++;
  if (why) throw new Error(why);
  checkToken(at, length);
  if (length === MOST_TOKENS) throw new Error(TEXT.manyTokens(length + 1, MOST_TOKENS));
  const order = [...ROWS.order], called = name || (DATA.source.tokens ? TEXT.newToken : ''), { row } = focusOf(roomInFocus());
  tokens.splice(at, 0, Math.max(0, at - 1));
  order.splice(at, 0, token);
  return setTokens('add', called ? `${at},${encodeURIComponent(called)}` : String(at), tokens, order,
    called ? new Map([...GROWN.names, [token, called]]) : GROWN.names, row + (row >= at ? 1 : 0));
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

const TOKEN_EDITS = { add: addToken, remove: removeToken, name: renameToken };

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
