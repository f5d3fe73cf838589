// Tokens that are added, removed, and called otherwise: rows of x, and with them all that has a row or
// a column for each; and keys that are no rows of x in the same way. A map is as large as its labels, so
// a shape is a change like any other.

// stamp: another one whenever rows are added, moved or called otherwise; shown: the one that the page shows.
const GROWN = { stamp: null, shown: null };
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

// A number of each head lies a matrix apart, and one of each row a row, which goes unsaid where that
// has one number.
function takeLayout(operand) {
  const of = MAPS[operand.map], run = runOf(operand), isOfHeads = !run && of.heads > 1 && operand.at.count > 1;
  const at = isOfHeads || run === 'rows' ? { apart: 1, ...operand.at } : operand.at;
  const strides = Object.fromEntries(STRIDES.filter((name) => name in at)
    .map((name) => [name, partsOfStride(name === 'base' ? beginOf(at) : at[name], of)]));
  for (const { along, by } of axesOfOperand(operand)) if (by in strides) strides[by] = { head: 0, rows: 0, columns: 0, [along]: 1 };
  LAYOUTS.set(operand, { at, run, strides });
}

// Axes that go together have tokens together: of a result and what it is made of, and of operands whose
// numbers are taken one after the other. Of x its rows come first, and of keys the scores' columns.
function findAxes(group) {
  const axes = new Map(MAPS.map((map) => [map, {}])), ends = group.isWidth ? endsOfParts() : [];
  let isOn = true;
  const say = (map, axis, first) => {
    if (first === undefined || axes.get(map)[axis] !== undefined) return;
    axes.get(map)[axis] = first;
    isOn = true;
    if (wayOf(map)) sameAs(map).forEach((one) => say(one, axis, first));
  };
  group.begins.forEach(([map, axis, first]) => say(map, axis, first));
  while (isOn) {
    isOn = false;
    for (const [from, along, to] of ends) {
      say(to, 'columns', axes.get(from)[along]);
      say(from, along, axes.get(to).columns);
    }
    for (const map of MAPS) {
      for (const operand of operandsGiven(map)) {
        const of = MAPS[operand.map];
        const { base } = LAYOUTS.get(operand).strides;
        for (const { as, along } of linksOf(operand, map, group)) {
          const first = base[along];
          if (axes.get(of)[along] !== undefined) say(map, as, axes.get(of)[along] - first);
          if (axes.get(map)[as] !== undefined) say(of, along, axes.get(map)[as] + first);
        }
      }
      const runs = operandsGiven(map).map((operand) => ({ of: MAPS[operand.map], along: group.isWidth && operand.goes === '**' ? 'columns' : LAYOUTS.get(operand).run,
        base: LAYOUTS.get(operand).strides.base })).filter(({ along }) => along);
      const [first] = runs.filter(({ of, along }) => axes.get(of)[along] !== undefined)
        .map(({ of, along, base }) => axes.get(of)[along] - base[along]);
      for (const { of, along, base } of first === undefined ? [] : runs) say(of, along, base[along] + first);
    }
  }
  return axes;
}

// Keys go with their names wherever they are; where they stand in order, the place stays.
function takeKeys() {
  const [seen] = mapsSeeing();
  KEY_ROWS.order = mapsOfKeys().length > 0 && seen ? range(0, keysThere(seen), Number) : [];
  KEY_ROWS.count = KEY_ROWS.next = KEY_ROWS.order.length;
  KEY_ROWS.begins = KEY_ROWS.order.length > 0 ? mapsSeeing().map((map) => [map, 'columns', 0]) : [];
  KEY_ROWS.axes = findAxes(KEY_ROWS);
  for (const map of MAPS) KEY_ROWS.called.set(map, standsInOrder(map, KEY_ROWS) ? {} : KEY_ROWS.axes.get(map));
}

function takeTokens() {
  if (ROWS.axes) return;
  takeAll();
  MAPS.flatMap(operandsGiven).forEach(takeLayout);
  ROWS.begins = mapsOfRows().map((map) => [map, 'rows', 0]);
  ROWS.axes = findAxes(ROWS);
  takeKeys();
}

// Those whose columns are keys that are no tokens.
function mapsSeeing() {
  return DATA.rooms.flatMap((nothing, room) => mapsThatSee(room).slice(0, 1))
    .filter((map) => ROWS.axes.get(map).columns === undefined);
}

// Of places, 0, 1, 2, …: the next token stands at the next one.
function standsInOrder(map, { axes, count }) {
  const numbers = cameIn(map), { rows, columns } = axes.get(map);
  return !isInput(map) && map.heads === 1 && (rows === undefined) !== (columns === undefined) && numbers.length === count &&
    numbers.every((x, i) => x === numbers[0] + i);
}

// 1 where a token meets itself, and 0 elsewhere.
function isIdentity(map) {
  const { rows, columns } = ROWS.axes.get(map);
  return !map.operation && map.heads === 1 && rows === 0 && columns === 0 && cameIn(map).length === ROWS.count ** 2 &&
    cameIn(map).every((x, i) => x === Number(i % (ROWS.count + 1) === 0));
}

// Of a new token known by what came; a new key has the numbers of another one.
function isKnown(map, group) {
  return group.of().includes(map) || OWN_WORK.has(map) || standsInOrder(map, group) || (isOfKeys(group) ? isInput(map) : isIdentity(map));
}

// What a document gives for each token besides matrices.
const OF_NUMBERS = ['key_lengths', 'rope_positions', 'offset', 'labels', 'past_k', 'past_v'];

function hasSome(map, group) {
  return Object.keys(group.axes.get(map)).length > 0;
}

function whyNoTokens(group = ROWS) {
  const areKeys = isOfKeys(group), { none, batch, each, many } = textsOf(group);
  if (group.of().length === 0) return TEXT[none];
  if (ENTRIES.length > 1 || DATA.batch) return TEXT[batch];
  takeTokens();
  if (areKeys && (group.count === 0 || MAPS.some((map) => hasSome(map, group) && areBoth(map)))) return TEXT[none];
  if (!areKeys && DATA.source.loss !== undefined) return TEXT.eachToken('loss');
  const said = [DATA.source, ...DATA.source.layers || []], key = OF_NUMBERS.find((name) => said.some((of) => of[name] instanceof Object));
  if (key) return TEXT[each](key);
  if (group.count > MOST_TOKENS) return TEXT[many](group.count, MOST_TOKENS);
  if (!areKeys && !areQueriesOfX()) return TEXT.eachToken('q');
  const isPart = (map) => Object.entries(group.axes.get(map)).some(([axis, first]) => !hasAllTokens(map, axis, first, group));
  const other = MAPS.find((map) => hasSome(map, group) && (((!map.operation || map.length) && !isKnown(map, group)) || isPart(map)));
  if (other) return TEXT[each](fullName(other));
  return DATA.rooms.some((room) => room.endsAtKey) ? TEXT.before : '';
}

// An axis that is of keys and of tokens, or of queries, too.
function areBoth(map) {
  const { rows, columns } = KEY_ROWS.axes.get(map), of = ROWS.axes.get(map);
  return (rows !== undefined && (columns !== undefined || of.rows !== undefined)) || (columns !== undefined && of.columns !== undefined);
}

// ---- a shape ----

// A word goes with its token; a number, as "k[4]", with its place where there are more or fewer of them.
function labelOfToken({ names, count, order }, came, first, token, place, isCalled) {
  const name = isCalled ? names.get(token) : undefined, isNumber = /^\w*\[?[\d,]+\]?$/.test(came[first]);
  const isOfPlace = !isCalled || token >= count || (isNumber && order.length !== count);
  return name ?? (isOfPlace ? came[first].replace(/\d+(?=\D*$)/, place + 1) : came[first + token]);
}

function hasAllTokens(map, axis, first, { count }) {
  return first >= 0 && first + count <= LABELLED.get(map)[axis].length;
}

function labelsNow(map, axis) {
  const came = LABELLED.get(map)[axis], group = groupOf(map, axis), own = group?.called.get(map)[axis];
  if (!group) return came;
  if (group.isWidth) return range(0, came.length + moreAlong(map, axis), (i) => String(i + 1));
  const first = own ?? group.axes.get(map)[axis], isCalled = own !== undefined || Boolean(group.axes && (map.operation || isIdentity(map)));
  if (!hasAllTokens(map, axis, first, group)) return came.map((nothing, i) => came[rowBefore(map, axis, i)]);
  return [...came.slice(0, first), ...group.order.map((token, place) => labelOfToken(group, came, first, token, place, isCalled)),
    ...came.slice(first + group.count)];
}

// Where the tokens, or keys, begin among a map's rows or columns; undefined: it has none.
function firstAlong(map, axis) {
  return groupOf(map, axis)?.axes?.get(map)[axis];
}

// How many more there are than came.
function moreAlong(map, axis) {
  const group = groupOf(map, axis);
  return firstAlong(map, axis) === undefined ? 0 : (group.order.length - group.count) * timesAlong(map, axis);
}

// An index after the tokens moves with their number.
function indexNow(index, map, axis) {
  if (groupOf(map, axis)?.isWidth) return placeInWidth(index, groupOf(map, axis));
  return moreAlong(map, axis) !== 0 && index >= firstAlong(map, axis) + groupOf(map, axis).count ? index + moreAlong(map, axis) : index;
}

function addressNow(operand, map) {
  const of = MAPS[operand.map], { at, run, strides } = LAYOUTS.get(operand), now = { ...at };
  for (const [name, { head, ...parts }] of Object.entries(strides)) {
    const isToHead = name === 'head' || (name === 'apart' && !run); // from head to head
    const isMoved = (axis) => name === 'base' || (isToHead && groupOf(of, axis)?.isWidth);
    const index = (axis) => (isMoved(axis) ? indexNow(parts[axis], of, axis) : parts[axis]);
    now[name] = (head * of.rows.length + index('rows')) * of.columns.length + index('columns');
  }
  for (const { along, by } of axesOfOperand(operand)) // which goes unsaid where there is one
    if (moreAlong(of, along) !== 0 && by && !(by in strides)) now[by] = along === 'rows' ? of.columns.length : 1;
  const here = run && firstAlong(of, run);
  if (here !== undefined) {
    const { count = 1 } = at, first = strides.base[run], { isWidth, count: came, order } = groupOf(of, run);
    const isAll = first <= here && first + count >= here + came;
    if (isWidth) now.count = (count / came) * order.length;
    else if (isAll) now.count = count + moreAlong(of, run);
  }
  if (operand.goes === '**' && run === 'rows' && groupOf(of, 'columns')?.isWidth) // of one column, which may be several
    Object.assign(now, { count: (now.count ?? 1) * of.columns.length, apart: 1 });
  if (at.rows) now.rows = at.rows.map((row) => indexNow(row, map, 'rows'));
  if (at.columns !== undefined) now.columns = indexNow(at.columns, map, 'columns');
  if (at.from_column !== undefined) now.from_column = indexNow(at.from_column, map, 'columns');
  now.base -= beginOf({ ...now, base: 0 }); // so far it was where it begins
  return now;
}

// As large as the tokens make it; what is of one query is of one that is there.
function reshape(map) {
  for (const axis of ['rows', 'columns']) map[axis] = labelsNow(map, axis);
  map.cells = Array(map.heads * map.rows.length).fill(null);
  if (!map.focus || !isOfOther(map)) return;
  map.cameQuery ??= map.focus.row;
  map.focus.row = Math.min(map.cameQuery, queriesThere(map) - 1);
}

function queriesThere({ room }) {
  return labelsNow(mapsThatSee(room)[0], 'rows').length;
}

function putTokens(group, { order, names, numbers, sights }) {
  Object.assign(group, { order, names });
  GROWN.stamp = {};
  MAPS.forEach(reshape);
  for (const map of MAPS) for (const operand of operandsGiven(map)) operand.at = addressNow(operand, map);
  numbers.forEach((all, map) => NUMBERS.set(map, all));
  sights.forEach((sight, room) => ENTRIES[ENTRY].sight.set(room, sight));
  return MAPS.filter((map) => hasSome(map, group) || numbers.has(map));
}

// ---- changes ----

// Which of the indices that there are stands where, once the tokens are these of those that there are.
// -1 is a new one.
function placesOf(map, axis, tokens, { axes, order, isWidth }) {
  const first = axes.get(map)[axis], all = [...map[axis].keys()];
  if (isWidth && first !== undefined) return range(0, timesAlong(map, axis), (head) =>
    tokens.map((at) => (at < 0 ? at : head * order.length + at))).flat();
  return first === undefined ? all : [...all.slice(0, first), ...tokens.map((token) => first + token),
    ...all.slice(first + order.length)];
}

// A word that is there, or is in the vocabulary, or came, is known: the numbers of its row, or null.
function numbersIn(map, name) {
  const { columns: { length: width } } = map, { rows } = LABELLED.get(map);
  const rowIn = (numbers, row) => (row >= 0 ? [...numbers.subarray(row * width, (row + 1) * width)] : null);
  const vocab = Object.hasOwn(DATA.vocab || {}, name) ? DATA.vocab[name].flat().map(TYPE.round) : null;
  return rowIn(NUMBERS.get(map), map.rows.indexOf(name)) || (vocab?.length === width && vocab) || rowIn(cameIn(map), rows.indexOf(name));
}

// By map, where each that has a row of it knows it.
function numbersCalled(name, group = ROWS) {
  const known = new Map(group.of().map((map) => [map, map.heads === 1 ? numbersIn(map, name) : null]));
  return [...known.values()].every(Boolean) ? known : null;
}

function wordsKnown(group) {
  const [map] = group.of();
  return [...new Set([...LABELLED.get(map).rows, ...Object.keys(DATA.vocab || {})])].filter((name) => !/^\w*\[?\d+\]?$/.test(name));
}

// A token that is there twice has its numbers, and sees and is seen as it is; a known word has its own.
function numbersOf(map, tokens, known, group) {
  const numbers = NUMBERS.get(map), width = map.columns.length, [rows, columns] = ['rows', 'columns'].map((axis) => placesOf(map, axis, tokens, group));
  if (group === ROWS && isIdentity(map)) return Float64Array.from({ length: tokens.length ** 2 }, (nothing, i) => Number(i % (tokens.length + 1) === 0));
  if (standsInOrder(map, group)) return Float64Array.from(tokens, (token, place) => cameIn(map)[0] + place);
  return Float64Array.from(range(0, map.heads, (head) => rows.flatMap((row, place) => (known?.place === place && known.numbers.get(map) ||
    columns.map((column) => (Math.min(row, column) < 0 ? newNumberOf(map) : numbers[(head * map.rows.length + row) * width + column]))))).flat());
}

function sightOfTokens(room, tokens, group) {
  const { causal, hidden } = sightOf(room), [map] = mapsThatSee(room);
  if (!hidden) return { causal, hidden };
  const rows = placesOf(map, 'rows', tokens, group), columns = placesOf(map, 'columns', tokens, group);
  return { causal, hidden: range(0, map.heads, (head) => rows.map((row) =>
    columns.map((column) => hidden[head * map.rows.length + row][column]))).flat() };
}

// tokens: of those that are there which one stands where; known: { place, numbers } of one that has its own.
function setTokens(group, said, value, tokens, order, names, row, known) {
  const own = MAPS.filter((map) => !map.operation && !OWN_WORK.has(map) && hasSome(map, group));
  const state = (all, called, which) => ({ order: [...all], names: called, value,
    numbers: new Map(own.map((map) => [map, which ? numbersOf(map, which, known, group) : NUMBERS.get(map)])),
    sights: DATA.rooms.map((nothing, room) => (which ? sightOfTokens(room, which, group) : sightOf(room))) });
  const { head, row: now } = focusOf(roomInFocus());
  return [{ what: 'tokens', said: isOfKeys(group) ? `key-${said}` : said, group, from: state(group.order, group.names), to: state(order, names, tokens) },
    ...row === now || isOfKeys(group) ? [] : setFocus(row, head)];
}

function checkToken(at, most) {
  if (!(Number.isInteger(at) && at >= 0 && at <= most)) throw new Error(TEXT.noRow(at, most));
}

// A new one in front of these: a known word, or else a copy of the token before it, or of the first one.
// keeps: how many of the others stay.
function newToken(group, kind, at, name, keeps) {
  const why = whyNoTokens(group), places = [...group.order.keys()].slice(0, keeps), order = group.order.slice(0, keeps);
  if (why) throw new Error(why);
  const hasNames = isOfKeys(group) ? attentionsOf(DATA.source).some((of) => of.key_tokens) : DATA.source.tokens;
  const token = group.next++, called = name || (hasNames ? TEXT.newToken : ''), { row } = focusOf(roomInFocus());
  const numbers = name && numbersCalled(name, group);
  places.splice(at, 0, Math.max(0, at - 1));
  order.splice(at, 0, token);
  return setTokens(group, kind, called ? `${at},${encodeURIComponent(called)}` : String(at), places, order,
    called ? new Map([...group.names, [token, called]]) : group.names, row >= at && row < keeps ? row + 1 : Math.min(row, order.length - 1),
    numbers ? { place: at, numbers } : null);
}

// Refused where there are none of the group, or where their number stays.
function takeGroup(group) {
  const why = whyNoTokens(group);
  if (why) throw new Error(why);
}

function addToken(at, name, group = ROWS) {
  takeGroup(group);
  const { length } = group.order;
  checkToken(at, length);
  if (length === MOST_TOKENS) throw new Error(TEXT[textsOf(group).many](length + 1, MOST_TOKENS));
  return newToken(group, 'add', at, name, length);
}

// All others go: the first word of a sentence that is said from here on, or without a word this one.
function startSentence(at, name) {
  if (areKeysOfX()) throw new Error(TEXT.eachToken('q'));
  takeGroup(ROWS);
  checkToken(at, ROWS.order.length - 1);
  return name ? newToken(ROWS, 'start', 0, name, 0)
    : setTokens(ROWS, 'start', String(at), [at], [ROWS.order[at]], ROWS.names, 0);
}

function removeToken(at, group = ROWS) {
  takeGroup(group);
  const { row } = focusOf(roomInFocus()), others = [...group.order.keys()].filter((place) => place !== at);
  checkToken(at, group.order.length - 1);
  if (others.length === 0) throw new Error(TEXT[textsOf(group).last]);
  return setTokens(group, 'remove', String(at), others, others.map((place) => group.order[place]), group.names,
    Math.min(row - (row > at ? 1 : 0), others.length - 1));
}

function renameToken(at, name, group = ROWS) {
  takeGroup(group);
  checkToken(at, group.order.length - 1);
  if (typeof name !== 'string' || name.trim() === '') throw new Error(TEXT[textsOf(group).unnamed]);
  return setTokens(group, 'name', `${at},${encodeURIComponent(name)}`, [...group.order.keys()], group.order,
    new Map([...group.names, [group.order[at], name]]), focusOf(roomInFocus()).row);
}

const TOKEN_EDITS = { add: addToken, remove: removeToken, name: renameToken, start: startSentence,
  'key-add': (at, name) => addToken(at, name, groupOfKeys()), 'key-remove': (at) => removeToken(at, groupOfKeys()),
  'key-name': (at, name) => renameToken(at, name, groupOfKeys()) };

// "1,cat"
function tokensIn(kind, value) {
  const [at, name] = value.split(','), called = name === undefined ? [] : [decodeURIComponent(name)];
  return TOKEN_EDITS[kind](Number(at), ...called);
}

// ---- as it was before ----

// How many rows or columns a map had when its tokens stood so.
function sizeBefore(map, axis, orders) {
  const group = groupOf(map, axis), isOfTokens = firstAlong(map, axis) !== undefined;
  const before = isOfTokens && orders?.get(group);
  return LABELLED.get(map)[axis].length + (before ? (before.length - group.count) * timesAlong(map, axis) : 0);
}

function areTokensAsTheyCame() {
  return GROUPS.every(({ order, count, names }) => order.length === count && names.size === 0 && order.every((row, i) => row === i));
}

// The words of a document, whose tokens are these now.
function wordsOfTokens(came, { order, names, count } = ROWS) {
  return [...order.map((token) => names.get(token) ?? came[token] ?? ''), ...came.slice(count)];
}
