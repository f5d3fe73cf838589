// What is changed on the page: numbers that go in, and what a query may see. The rest follows. A page
// is alive when the program put into it what that takes.

// order: the maps as they are computed; taking: what came, while it is; told: what shows them.
const EDITS = { done: [], undone: [], order: null, taking: null, told: () => {} };

// ---- what can be changed ----

// The keys of settings that are nodes.
const SETTING_KEYS = { scale: 'scale', C: 'softcap', qk_eps: 'qk_eps', latent_eps: 'latent_eps', slope: 'alibi',
  sink: 'sinks', key_lengths: 'key_lengths', routing_scale: 'routing_scale' };
const LOOKED_UP = ['segment_embedding', 'position_embedding', 'unembedding', 'unembedding_bias'];
const NORM_PART = /^(ln\w+|head\.norm)\.(gain|bias|eps)$/, HEAD_PART = /^(head|embed)\.[wb]$/,
  FEED_FORWARD = /^((experts\.\d+|shared)\.)?[wb][123]$/, ROUTED_BY = /^(router(_bias)?|choice_bias|shared_gate)$/;

function keysOf(map) {
  if (map.name === 'embedding' || map.name === 'vocab') return ['x'];
  if (map.key) return [map.key];
  if (SETTING_KEYS[map.name]) return [SETTING_KEYS[map.name]];
  if ([NORM_PART, HEAD_PART, FEED_FORWARD].some((names) => names.test(map.name))) return map.name.split('.');
  return ROUTED_BY.test(map.name) || LOOKED_UP.includes(map.name) ? [map.name] : null;
}

// Where the document has what is in a room: ["layers", 0, "cross"]. Layers that are repeated are there
// once.
function wayOfRoom(room) {
  const at = /^layer\.(\d+)\.(cross\.)?/.exec(DATA.rooms[room].way), count = DATA.source?.layers?.length ?? Infinity;
  return at ? ['layers', Number(at[1]) % count, ...at[2] ? ['cross'] : []] : [];
}

// Attentions whose settings are those of this one.
function roomsAs(room) {
  const way = String(wayOfRoom(room));
  return range(0, DATA.rooms.length, Number).filter((one) => one === room || (mapsThatSee(one).length > 0 && String(wayOfRoom(one)) === way));
}

// Where the document has what this node is: ["layers", 0, "cross", "wq"]; null: nowhere.
function wayOf(map) {
  const keys = map.operation || map.a ? null : keysOf(map);
  if (!keys) return null;
  const way = wayOfRoom(map.room);
  return way[2] === 'cross' && keys[0] === 'xk' ? ['memory'] : [...way, ...keys];
}

// Nodes that are the same numbers of the document.
const SAME = new Map(); // by their way

function sameAs(map) {
  if (SAME.size === 0) {
    for (const one of MAPS) {
      const way = String(wayOf(one));
      if (!SAME.has(way)) SAME.set(way, []);
      SAME.get(way).push(one);
    }
  }
  return SAME.get(String(wayOf(map)));
}

function isInput(map) {
  return ALIVE.isNow && wayOf(map) !== null;
}

// Those that are not appended.
function rowsGiven(map) {
  return map.rows.length - (map.appended || 0);
}

// ---- computing ----

const OWN_WORK = new Map(); // of a map that no operation makes, or not as in other places

function isMade(map) {
  return Boolean(map.operation || map.learned || OWN_WORK.has(map));
}

function compute(map) {
  if (isMade(map)) NUMBERS.set(map, (OWN_WORK.get(map) || makeNumbers)(map));
}

// A page that another program made, or a browser that computes otherwise, is not to be trusted.
function isAsShown(map) {
  return range(0, map.cells.length, Number).every((line) =>
    String(textsComputed(map, line)) ===
      String(rowOf(map, Math.floor(line / map.rows.length), line % map.rows.length)));
}

// What came, of the entry that is shown first and then of others, map by map.
function* takeMaps() {
  takeSteps();
  takeMixes();
  const order = inOrder(MAPS), others = [...ENTRIES.keys()].filter((entry) => entry !== SHOWN_FIRST);
  for (const entry of [SHOWN_FIRST, ...others]) {
    for (const map of order) {
      inEntry(entry, () => {
        if (!map.operation) takeInput(map);
        compute(map);
      });
      if (entry === SHOWN_FIRST && !isAsShown(map)) throw new Error(TEXT.notTheSame);
      yield;
    }
    ENTRIES[entry].came = new Map(ENTRIES[entry].numbers);
  }
  ROWS.order = mapsOfRows().slice(0, 1).flatMap((map) => [...map.rows.keys()]);
  ROWS.count = ROWS.next = ROWS.order.length;
  MAPS.forEach((map) => LABELLED.set(map, { rows: map.rows, columns: map.columns }));
  order.forEach(takeAxes);
  EDITS.order = order;
}

// As much of it as there is time for; whether that was all.
function takeUntil(isTime) {
  EDITS.taking ||= takeMaps();
  while (!EDITS.taking.next().done) if (isTime()) return false;
  return true;
}

function takeAll() {
  if (!EDITS.order) takeUntil(() => false);
  if (!EDITS.order) throw new Error(TEXT.notTheSame);
}

function cameIn(map) {
  return ENTRIES[ENTRY].came?.get(map);
}

function isChanged(map) {
  return ENTRIES.some(({ numbers, came }) => numbers.get(map).some((x, i) => !Object.is(x, came.get(map)[i])));
}

function takesFrom(map, maps) {
  const nodes = nodesOf(map);
  const norm = map.operation && normOf(map); // which takes what its own rows were made of
  return nodes.some((one) => maps.has(one)) || Boolean(norm && norm !== map && takesFrom(norm, maps));
}

// All that depends on what waits in the entry, and that too.
function catchUp() {
  const { stale } = ENTRIES[ENTRY], all = new Set(stale);
  stale.clear();
  if (all.size === 0) return all;
  for (const map of EDITS.order) {
    if (isMade(map) && (all.has(map) || takesFrom(map, all))) {
      all.add(map);
      compute(map);
    }
  }
  return all;
}

// ---- changes ----

const BASES = new Map(); // of rotary positions, by room, where it was changed

function baseOf(room) {
  return BASES.get(room) ?? DATA.rooms[room].rope.base;
}

const TEMPERATURES = new Map(); // by room, where it was changed

function temperatureOf(room) {
  return TEMPERATURES.get(room) ?? 1;
}

const DECIMALS = new Map(); // that weights are rounded to, by room, where that was changed

function decimalsOf(room) {
  return DECIMALS.get(room) ?? DATA.rooms[room].decimals;
}

function mapsRounded(room) {
  return mapsOf(room).filter((map) => map.operation === 'round');
}

function entriesWith(map, entry) {
  return OF_ENTRY.has(map) ? [ENTRIES[entry]] : ENTRIES;
}

// { place, entry, from, to } of a number; { room, from, to } of what may be seen, an entry each, of a
// base, of decimals, and of a temperature, there { value, numbers }, those of each map that it divides,
// an entry each; { from, to } of a row that moves, each [from where, to where], and of the focus; of
// steps of learning { value, numbers, losses }, numbers of each map that learns; of tokens { value, order,
// names, numbers, sights }, numbers of each map that is given for each, sights by room, and the group, which
// may be a width, of words
// that are chosen the ids that were put somewhere; of heads how many.
// Putting one gives the maps that it concerns; `fresh` are numbers that nobody else has.
const CHANGES = {
  number: ({ place, entry }, value, fresh) => {
    const maps = sameAs(place.map);
    for (const map of maps) {
      const all = entriesWith(map, entry), now = all[0].numbers.get(map);
      const numbers = fresh.has(now) ? now : now.slice();
      fresh.add(numbers);
      numbers[indexOfPlace({ ...place, map })] = value;
      for (const one of all) one.numbers.set(map, numbers);
    }
    return maps;
  },
  base: ({ room }, base) => {
    const rooms = roomsAs(room), all = rooms.map((one) => mapsOf(one).find((map) => map.name === 'frequency'));
    rooms.forEach((one) => BASES.set(one, base));
    const numbers = Float64Array.from(all[0].columns,
      (nothing, pair) => frequencyOf(base, pair, DATA.rooms[room].rope.width));
    for (const one of ENTRIES) all.forEach((map) => one.numbers.set(map, numbers));
    return all;
  },
  round: ({ room }, decimals) => {
    const rooms = roomsAs(room);
    rooms.forEach((one) => DECIMALS.set(one, decimals));
    return rooms.flatMap(mapsRounded);
  },
  temperature: ({ room }, { value, numbers }) => {
    roomsAs(room).forEach((one) => TEMPERATURES.set(one, value));
    numbers.forEach((maps, entry) => maps.forEach((all, map) => ENTRIES[entry].numbers.set(map, all)));
    return [...numbers[0].keys()];
  },
  sight: ({ room }, sights) => {
    const rooms = roomsAs(room);
    sights.forEach((sight, entry) => rooms.forEach((one) => ENTRIES[entry].sight.set(one, sight)));
    return rooms.flatMap(mapsThatSee);
  },
  focus: (nothing, at) => takeFocus(at),
  train: (nothing, { numbers }) => putLearnt(numbers),
  word: (nothing, ids) => putIds(ids),
  heads: (nothing, heads) => putHeads(heads),
  tokens: ({ group }, state) => putTokens(group, state),
  row: (nothing, [from, to]) => {
    const maps = mapsOfRows(), order = [...ROWS.order];
    order.splice(to, 0, ...order.splice(from, 1));
    for (const { numbers } of ENTRIES) {
      for (const map of maps) {
        const width = map.columns.length, rows = range(0, order.length, (row) =>
          numbers.get(map).subarray(row * width, (row + 1) * width));
        rows.splice(to, 0, ...rows.splice(from, 1));
        numbers.set(map, Float64Array.from(rows.flatMap((row) => [...row])));
      }
    }
    ROWS.order = order;
    GROWN.stamp = {};
    for (const map of MAPS) for (const axis of ['rows', 'columns']) map[axis] = labelsNow(map, axis);
    return MAPS.filter((map) => Object.keys(ROWS.called.get(map)).length > 0);
  },
};

// ---- the rows of x, in another order ----

// order: which row, as the page came, stands where; count: how many came; next: the number of the next
// new one; names: by order's numbers, of those that are called otherwise; called: of each map, at which of
// its rows and columns they begin, and go with their names; begins: [map, axis, index] of which that is
// known; axes: all such, once one is added or taken out; of: the maps whose rows they are; texts: what is
// said of them. Widths are such groups too (widths.js).
const ROWS = { order: [], count: 0, next: 0, names: new Map(), called: new Map(), begins: [], axes: null, of: mapsWithRows,
  texts: { none: 'noTokens', batch: 'tokensOfBatch', each: 'eachToken', many: 'manyTokens', last: 'lastToken', unnamed: 'noName',
    add: 'addToken', nameOf: 'nameOfToken', help: 'growing', added: 'added', addedWord: 'addedWord' } };
const KEY_ROWS = { order: [], count: 0, next: 0, names: new Map(), called: new Map(), begins: [], axes: null, of: mapsOfKeys,
  texts: { none: 'noKeys', batch: 'keysOfBatch', each: 'eachKey', many: 'manyKeys', last: 'lastKey', unnamed: 'noKeyName',
    add: 'addKey', nameOf: 'nameOfKey', help: 'growingKeys', added: 'addedKey', addedWord: 'addedKeyWord' } };
const GROUPS = [ROWS, KEY_ROWS];
const LABELLED = new Map(); // by map, how its rows and columns were called when the page came

function mapsOfRows() {
  const x = MAPS.find((map) => isInput(map) && String(wayOf(map)) === 'x');
  return x ? sameAs(x) : [];
}

function mapsGiven(names) {
  return MAPS.filter((map) => isInput(map) && names.includes(lastOf(wayOf(map))));
}

// Where queries are given, the rows of x are keys alone.
function areKeysOfX() {
  return mapsOfRows().length > 0 && mapsGiven(['q']).length > 0;
}

// Of keys, those of their values too.
function mapsWithRows() {
  return [...mapsOfRows(), ...areKeysOfX() ? mapsGiven(['k', 'xv', 'v']) : []];
}

// Where keys are not made of x.
function mapsOfKeys() {
  const isApart = !areKeysOfX() && mapsGiven(['xk', 'memory', 'k']).length > 0;
  return isApart ? mapsGiven(['xk', 'memory', 'k', 'xv', 'v']) : [];
}

function groupOfKeys() {
  return areKeysOfX() ? ROWS : KEY_ROWS;
}

function isOfKeys(group) {
  return group === groupOfKeys();
}

function textsOf(group) {
  return isOfKeys(group) ? KEY_ROWS.texts : group.texts;
}

// Whose rows a map's rows, or columns, are.
function groupOf(map, axis) {
  return GROUPS.find(({ called, axes }) => (called.get(map)?.[axis] ?? axes?.get(map)[axis]) !== undefined);
}

function areQueriesOfX() {
  takeAll();
  const [seen] = mapsThatSee(roomInFocus());
  return Boolean(seen) && ROWS.called.get(seen).rows === 0;
}

// By which of the result's axes, if by any, each axis of an operand goes on, and which number of its
// address says how far. (trace/operand.h)
const GOES_BY = { i: { as: 'rows', by: 'row' }, j: { as: 'columns', by: 'column' }, f: { by: 'query' }, '*': { by: 'apart' } };

function axesOfOperand({ goes }) {
  return ['rows', 'columns'].map((along, i) => ({ along, ...GOES_BY[goes[i]] }));
}

// Of one head, as it came.
function lengthInHead(map, axis) {
  return (LABELLED.get(map) || map)[axis].length / (axis === 'columns' ? map.slices : 1);
}

// Those that go on with the result's. Where the page came with one token, one of one is as many, too; and
// a width is taken wherever a result has one column.
function linksOf(operand, result, { count, isWidth } = ROWS) {
  const { map, at } = operand;
  return axesOfOperand(operand).filter(({ along, as, by }) =>
    as && (at[by] || (isWidth ? lengthInHead(result, as) === 1 : count === 1 && MAPS[map][along].length === 1)));
}

function takeAxes(map) {
  const axes = mapsOfRows().includes(map) ? { rows: 0 } : {};
  for (const operand of [...OPERANDS, 'follows'].map((name) => map[name]).filter((one) => one)) {
    const { map: index, at } = operand, of = MAPS[index], from = ROWS.called.get(of);
    for (const { as, along } of linksOf(operand, map)) {
      const first = from && from[along];
      if (first !== undefined) axes[as] = first - (as === 'rows' ? Math.floor(beginOf(at) / of.columns.length) : 0);
    }
  }
  ROWS.called.set(map, axes);
  for (const operand of OPERANDS.map((name) => map[name]).filter((one) => one)) takeNames(MAPS[operand.map], operand, map);
}

// What is of each row's place, a bias or an angle, stays where it is, and is called as what takes it is.
function takeNames(of, by, map) {
  const axes = ROWS.called.get(of), taken = ROWS.called.get(map);
  const isCalledSo = (along, as) => String(of[along]) === String(map[as]) && of[along].some((name, i) => name !== String(i + 1));
  const isOwn = Object.keys(axes).length > 0 && isMade(of), more = (isOwn ? [] : linksOf(by, map))
    .filter(({ as, along }) => taken[as] !== undefined && isCalledSo(along, as) && axes[along] === undefined);
  for (const { as, along } of more) axes[along] = taken[as];
  for (const operand of OPERANDS.map((name) => more.length > 0 && of[name]).filter((one) => one))
    takeNames(MAPS[operand.map], operand, of);
}

// Where something stood that stands there now, or when groups had these orders; null: nowhere.
function rowBefore(map, axis, index, orders) {
  const group = groupOf(map, axis), first = group?.isWidth ? 0 : group?.called.get(map)?.[axis], at = index - first, order = orders && orders.get(group);
  if (!(at >= 0)) return index;
  const count = order ? order.length : group.count;
  if (group.isWidth) {
    const { length } = group.order, within = index % length;
    return within < count ? Math.floor(index / length) * count + within : null;
  }
  if (at >= group.order.length) return index - group.order.length + count;
  const before = order ? order.indexOf(group.order[at]) : group.order[at];
  return before >= 0 && before < count ? first + before : null;
}

function mapsOf(room) {
  if (!EDITS.rooms) {
    EDITS.rooms = DATA.rooms.map(() => []);
    for (const map of MAPS) EDITS.rooms[map.room].push(map);
  }
  return EDITS.rooms[room];
}

// Where keys are hidden: in the scores that the softmax takes, or where it takes them; what has a
// column for each key first.
function mapsThatSee(room) {
  const named = (name) => mapsOf(room).filter((map) => map.name === name);
  const masked = named('masked');
  return masked.length > 0 ? masked : [...named('exp'), ...named('row_max')];
}

function take(changes, isBack, fresh) {
  for (const change of isBack ? [...changes].reverse() : changes) {
    for (const map of CHANGES[change.what](change, isBack ? change.from : change.to, fresh))
      ENTRIES.forEach(({ stale }) => stale.add(map));
  }
}

// However many changes they are, what follows from them is computed and shown once. Other entries
// follow when they are looked at.
function together(act) {
  const before = NUMBERS;
  act(new Set());
  const all = catchUp();
  MAPS.filter((map) => NUMBERS.get(map) !== before.get(map)).forEach((map) => all.add(map));
  for (const map of all) map.cells.fill(null);
  EDITS.told(all);
}

// A slider's changes of one number, one after the other, are undone at once.
function edit(changes, isOnward = false) {
  if (changes.length === 0) return;
  takeAll();
  const last = EDITS.done[EDITS.done.length - 1];
  const isMerged = Boolean(isOnward && last && last.length === 1 && last[0].said === changes[0].said);
  if (isMerged) last[0].to = changes[0].to;
  else EDITS.done.push(changes);
  EDITS.undone = [];
  together((fresh) => take(changes, false, fresh));
  tellEdit(changes, isMerged);
}

const MOST_EDITS = 10000; // that an address may ask for

// One after the other; one that is refused leaves out itself alone. Each step of learning counts.
function editAll(makers) {
  const count = makers.reduce((all, { steps = 1 }) => all + steps, 0);
  let refused = null;
  if (!(count <= MOST_EDITS)) throw new Error(TEXT.tooManyEdits(count, MOST_EDITS));
  takeAll();
  together((fresh) => makers.forEach((make) => {
    try {
      const changes = make();
      if (changes.length > 0) EDITS.done.push(changes);
      take(changes, false, fresh);
    } catch (error) {
      refused = error;
    }
  }));
  if (refused) throw refused;
}

function putLast(from, to, isBack, count = 1) {
  if (from.length === 0) return;
  together((fresh) => {
    for (const changes of from.splice(-count).reverse()) {
      to.push(changes);
      take(changes, isBack, fresh);
    }
  });
}

function undo() {
  putLast(EDITS.done, EDITS.undone, true);
  tell((peer) => peer.undo());
}

function redo() {
  putLast(EDITS.undone, EDITS.done, false);
  tell((peer) => peer.redo());
}

function asItCame() {
  putLast(EDITS.done, EDITS.undone, true, EDITS.done.length);
  tell((peer) => peer.asItCame());
}

// ---- what they are made of ----

function setNumber(place, value, entry = ENTRY) {
  takeAll();
  const isSetting = place.map.wide && !place.map.made; // which no type of the run rounds
  const to = isSetting ? value : TYPE.round(value);
  if (!isInput(place.map) || place.row >= rowsGiven(place.map)) throw new Error(TEXT.notAnInput(fullName(place.map)));
  if (typeof value !== 'number') throw new Error(TEXT.notANumber(value));
  if (Number.isNaN(to) || (!Number.isFinite(to) && place.map.key !== 'bias')) throw new Error(TEXT.notFinite);
  const key = lastOf(wayOf(place.map));
  if (/eps$/.test(key) && to < 0) throw new Error(TEXT.from0(fullName(place.map)));
  if (key === 'softcap' && to <= 0) throw new Error(TEXT.above0(fullName(place.map)));
  if (isLength(place.map)) inEntry(entry, () => checkLength(place.map, to));
  const from = ENTRIES[entry].numbers.get(place.map)[indexOfPlace(place)];
  const said = anchorOf(place) + (OF_ENTRY.has(place.map) ? `-b${entry}` : '');
  return Object.is(from, to) ? [] : [{ what: 'number', said, place, entry, from, to }];
}

// How many of the keys are there.
function isLength(map) {
  return map.name === 'key_lengths';
}

function isOfPlaces(room) {
  return mapsOf(room).some((map) => ['p', 'q_position', 'x_position'].includes(map.name));
}

function keysThere(map) {
  return map.columns.length - DATA.rooms[map.room].appended;
}

// Queries that stand at the last key move with it, and with them what places hide.
function checkLength({ room }, length) {
  const [map] = mapsThatSee(room), { endsAtKey } = DATA.rooms[room];
  if (!(Number.isInteger(length) && length >= 0 && length <= keysThere(map)))
    throw new Error(TEXT.noLength(keysThere(map)));
  if (endsAtKey && (isOfPlaces(room) || sightOf(room).hidden)) throw new Error(TEXT.before);
}

function sightsOf(room) {
  return range(0, ENTRIES.length, (entry) => inEntry(entry, () => sightOf(room)));
}

function firstsOf(map) {
  return range(0, ENTRIES.length, (entry) => inEntry(entry, () => firstOf(map)));
}

// Queries that stand before the keys stand there by settings that hide keys too.
function setSight(room, said, to) {
  const [map] = mapsThatSee(room);
  if (isOfPlaces(room) && firstsOf(map).some((first) => first < 0)) throw new Error(TEXT.before);
  return [{ what: 'sight', said, room, from: sightsOf(room), to }];
}

function setBase(room, to) {
  if (!DATA.rooms[room].rope) throw new Error(TEXT.noRope);
  const from = baseOf(room), said = `base-${room}`;
  if (typeof to !== 'number') throw new Error(TEXT.notANumber(to));
  if (!(to >= 1 && to < Infinity)) throw new Error(TEXT.notFinite);
  return from === to ? [] : [{ what: 'base', said, room, from, to }];
}

const MOST_DECIMALS = 15; // so many a float64 has

function setRound(room, to) {
  const from = decimalsOf(room), said = `round-${room}`;
  if (!(Number.isInteger(to) && to >= 0 && to <= MOST_DECIMALS)) throw new Error(TEXT.noDecimals);
  if (mapsRounded(room).length === 0) throw new Error(TEXT.noRounding);
  return from === to ? [] : [{ what: 'round', said, room, from, to }];
}

// What the numbers that the softmax takes are made of besides products: all of it divided by a
// temperature, they are too. None where some of it is not given.
function mapsOfTemperature(room) {
  const all = mapsOf(room).filter((map) => ['scale', 'C', 'slope', 'sink'].includes(map.name) ||
    map.key === 'bias' || map.name === 'bias');
  return all.some((map) => map.name === 'scale') && all.every(isInput) ? all : [];
}

// A number that was changed meanwhile stays so.
function setTemperature(room, value) {
  if (!(typeof value === 'number' && value > 0 && value < Infinity)) throw new Error(TEXT.above0('temperature'));
  takeAll();
  const now = temperatureOf(room), maps = mapsOfTemperature(room).flatMap(sameAs);
  if (maps.length === 0) throw new Error(TEXT.noTemperature);
  const divided = (map) => NUMBERS.get(map).map((x, i) => {
    const round = map.wide && !map.made ? Number : TYPE.round, came = cameIn(map)[i];
    return round((Object.is(round(came / now), x) ? came : x * now) / value);
  });
  const numbers = (of) => range(0, ENTRIES.length, (entry) =>
    inEntry(entry, () => new Map(maps.map((map) => [map, of(map)]))));
  return now === value ? [] : [{ what: 'temperature', said: `temperature-${room}`, room,
    from: { value: now, numbers: numbers((map) => NUMBERS.get(map)) },
    to: { value, numbers: numbers(divided) } }];
}

function moveRow(from, to) {
  takeTokens();
  const absent = [from, to].find((row) => !(row in ROWS.order));
  if (absent !== undefined) throw new Error(TEXT.noRow(absent, ROWS.order.length - 1));
  if (from === to) return [];
  const rows = [...ROWS.order.keys()], { row, head } = focusOf(roomInFocus());
  rows.splice(to, 0, ...rows.splice(from, 1));
  return [{ what: 'row', said: 'row', from: [to, from], to: [from, to] },
    ...areQueriesOfX() ? setFocus(rows.indexOf(row), head) : []];
}

function setCausal(room, causal) {
  if (typeof causal !== 'boolean') throw new Error(TEXT.notABoolean(causal));
  takeAll();
  return sightOf(room).causal === causal ? [] : setSight(room, `causal-${room}=${Number(causal)}`,
    sightsOf(room).map((sight) => ({ ...sight, causal })));
}

// What is hidden key by key, where `hides` says so.
function hiddenBy(map, hides) {
  return range(0, map.heads * map.rows.length, (line) => map.columns.map((nothing, column) =>
    hides(Math.floor(line / map.rows.length), line % map.rows.length, column)));
}

// Of all heads of an entry. Where a query comes to see beyond its place, or beyond the keys that are
// there, what else causality hid, or their number, is hidden key by key from then on.
function setMask(room, row, column, maySee, entry = ENTRY) {
  takeAll();
  const [map] = mapsThatSee(room);
  if (!(row in map.rows && column >= 0 && column < keysThere(map) && Number.isInteger(column)))
    throw new Error(TEXT.noKey(row, column, map.rows.length - 1, keysThere(map) - 1));
  if (typeof maySee !== 'boolean') throw new Error(TEXT.notABoolean(maySee));
  return inEntry(entry, () => {
    const { causal } = sightOf(room), isFreed = maySee && causal && column > firstOf(map) + row;
    const isBeyond = maySee && column >= lengthOf(map), length = isBeyond && MAPS[map.length.map];
    const longer = isBeyond ? setNumber({ map: length, head: 0, row: 0, column: 0 }, keysThere(map)) : [];
    const to = sightsOf(room).map((sight, other) => inEntry(other, () => {
      const isLonger = isBeyond && entriesWith(length, entry).includes(ENTRIES[other]);
      const hides = isLonger ? isOutOfSight : isMasked;
      return { causal: causal && !isFreed, hidden: isFreed || isLonger
        ? hiddenBy(map, (...at) => hides(map, ...at)) : sight.hidden };
    }));
    const { hidden } = to[entry];
    to[entry].hidden = hiddenBy(map, (head, i, j) => (i === row && j === column ? !maySee
      : Boolean(hidden && hidden[head * map.rows.length + i][j])));
    const which = ENTRIES.length > 1 ? `-${entry}` : '';
    return [...setSight(room, `mask-${room}-${row}-${column}${which}=${Number(maySee)}`, to), ...longer];
  });
}

// ---- in the address ----

function textOfChange(change) {
  if (change.what === 'word') return `word=${change.place},${change.id}`;
  return change.what === 'sight' ? change.said : `${change.said}=${change.to.value ?? change.to}`;
}

function textOfEdits() {
  return EDITS.done.flat().map(textOfChange).join(';');
}

// What such a text says, one after the other; what is not of this page is passed over.
function editsIn(text) {
  return text.split(';').map((said) => (said.startsWith('train=') ? trainingIn(said) : () => {
    const [what, value] = said.split('=');
    const [, kind, ...at] = /^(causal|mask|base|round|temperature)-(\d+)(?:-(\d+)-(\d+)(?:-(\d+))?)?$/.exec(what) || [];
    const [room, row, column, ofMask = ENTRY] = at.filter((digits) => digits).map(Number);
    if (what === 'focus') return setFocus(...value.split(',').map(Number));
    if (Object.hasOwn(TOKEN_EDITS, what)) return tokensIn(what, value);
    if (what === 'heads') return setHeads(Number(value));
    if (what.startsWith('width-')) return setWidth(what.slice('width-'.length), Number(value));
    if (what === 'word') return goesOn() ? chooseWord(...value.split(',').map(Number)) : [];
    if (what === 'row') return moveRow(...value.split(',').map(Number));
    if (kind === 'causal') return setCausal(room, value === '1');
    if (kind === 'base') return setBase(room, Number(value));
    if (kind === 'round') return setRound(room, Number(value));
    if (kind === 'temperature') return setTemperature(room, Number(value));
    if (kind === 'mask') return setMask(room, row, column, value === '1', ofMask);
    const [anchor, entry = ENTRY] = what.split(/-b(?=\d+$)/), place = placeOf(`#${anchor}`);
    return place && entry in ENTRIES ? setNumber(place, Number(value), Number(entry)) : [];
  }));
}
