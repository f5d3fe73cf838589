// Widths: the columns of a matrix, and with them all rows and columns that products join them to, once
// in each head. A width is a group of axes, as tokens are (growing.js): the last column is taken out, and
// a new one is put after it.

// Matrices whose columns may be of a width of their own, in the order in which they are offered.
const WIDTH_KEYS = ['x', 'memory', 'xk', 'xv', 'wq_down', 'wq', 'q', 'wkv_down', 'wk', 'k', 'wv', 'v', 'wa', 'wo', 'w1'];
const MOST_WIDTH = 64; // of so many a table shows all columns
const WIDTHS = []; // such groups; each is one of GROUPS too

function makeWidth(map) {
  const count = map.columns.length / map.slices;
  const group = { isWidth: true, name: fullName(map), order: range(0, count, Number), count, names: new Map(),
    called: new Map(MAPS.map((one) => [one, {}])), of: () => [], begins: [[map, 'columns', 0]] };
  group.axes = findAxes(group);
  return group;
}

// Each part of a layer leads back to the width that it came from, also where nothing is added to it.
function endsOfParts() {
  const forward = MAPS.filter((map) => map.name === 'w1').map((w1) => [w1, 'rows', mapsOf(w1.room).find((map) => map.name === 'w2')]);
  const attentions = DATA.rooms.filter(({ way }) => /^layer\.\d+\.(attention|cross)\.$/.test(way))
    .map(({ way }) => [mapNamed(`${way}x`), 'columns', mapNamed(`${way}output`)]);
  return [...forward, ...attentions, ...endsOfExperts()].filter(([first, axis, last]) => first && last);
}

// Once all is taken: those that the page came with.
function widthsHere() {
  takeTokens();
  if (WIDTHS.length > 0) return WIDTHS;
  const given = WIDTH_KEYS.flatMap((key) => MAPS.filter((map) => isInput(map) && lastOf(wayOf(map)) === key));
  for (const map of given) {
    const group = groupOf(map, 'columns') ? null : makeWidth(map);
    if (!group) continue;
    WIDTHS.push(group);
    GROUPS.push(group);
  }
  return WIDTHS;
}

// In how many heads side by side an axis has the width; otherwise 1.
function timesAlong(map, axis) {
  const { isWidth, count } = groupOf(map, axis) || {};
  return isWidth ? LABELLED.get(map)[axis].length / count : 1;
}

// The place that an index of a width came with, in each head, has now; Infinity where it is taken out.
function placeInWidth(index, { count, order: { length } }) {
  const head = Math.floor(index / count), within = index - head * count;
  return within < length ? head * length + within : Infinity;
}

// Where in its head it stands, what came there is now.
function placeNow(place) {
  const at = (axis, index) => (index >= 0 && groupOf(place.map, axis)?.isWidth ? placeInWidth(index, groupOf(place.map, axis)) : index);
  return { ...place, row: at('rows', place.row), column: at('columns', place.column) };
}

function whyNoWidth(group) {
  if (ENTRIES.length > 1 || DATA.batch) return TEXT.widthOfBatch;
  const all = MAPS.filter((map) => hasSome(map, group)), axesOf = (map) => Object.entries(group.axes.get(map));
  const turned = all.find((map) => map.paired);
  if (turned) return TEXT.widthOfPairs(fullName(turned));
  const endsWithin = ({ at }) => at.columns !== undefined || at.from_column !== undefined; // a head
  const isPart = (map) => axesOf(map).some(([axis, first]) => first !== 0 || groupOf(map, axis) !== group ||
    LABELLED.get(map)[axis].length % group.count > 0 || (axis === 'columns' && operandsGiven(map).some(endsWithin)));
  const part = all.find((map) => isPart(map) || !(map.operation || OWN_WORK.has(map) || isInput(map)));
  if (part) return TEXT.widthOfPart(fullName(part), group.count);
  return group.count > MOST_WIDTH ? TEXT.noWidth(MOST_WIDTH) : '';
}

// ---- the scale that follows from a width ----

// Whose width the scale of a room is 1 by the root of; undefined where it was given, or there is none.
function mapOfRoot(room) {
  const named = (name) => mapsOf(room).find((map) => map.name === name), { root } = DATA.rooms[room];
  return root === 'x' ? named('x') ?? MAPS[named('q').a.map] : root && named(root);
}

// As wide as that is now.
function widthOfRoot(room) {
  const map = mapOfRoot(room);
  return map && map.columns.length / map.slices;
}

// It stays unsaid in the document, as it follows there too; unless a temperature divides it.
function isByRoot(map, temperature = 1) {
  const width = map.name === 'scale' && widthOfRoot(map.room);
  return Boolean(width) && Object.is(NUMBERS.get(map)[0], 1 / Math.sqrt(width) / temperature);
}

// Those of rooms whose scale goes with this width, and was not changed otherwise. The program
// has no step that divides by √1, and neither has the page.
function scalesOf(group, to) {
  return DATA.rooms.flatMap((nothing, room) => {
    const of = mapOfRoot(room), scale = mapsOf(room).find((map) => map.name === 'scale');
    if (!of || groupOf(of, 'columns') !== group) return [];
    if (!scale && to > 1) throw refusalOf(TEXT.widthUnscaled(to));
    if (!scale || !isByRoot(scale, temperatureOf(room))) return [];
    if (to === 1) throw refusalOf(TEXT.widthOfOne);
    return sameAs(scale).map((map) => [map, Float64Array.of(1 / Math.sqrt(to) / temperatureOf(room))]);
  });
}

// What says how many numbers a norm's mean is of, on the way back, or the loss, and what each of those has.
function countsOf(group, to) {
  const isOf = (map) => map.b && ['width', 'count'].includes(lastOf(MAPS[map.b.map].name.split('.'))) && groupOf(MAPS[map.a.map], 'columns') === group;
  return MAPS.filter(isOf).flatMap(({ b }) => {
    const map = MAPS[b.map], count = (NUMBERS.get(map)[0] / group.order.length) * to;
    const each = map.name === 'count' ? mapsOf(map.room).filter(({ name }) => name === 'each') : [];
    return [[map, Float64Array.of(count)], ...each.map((one) => [one, Float64Array.of(1 / count)])];
  });
}

// ---- changes ----

function refusalOf(words) {
  return Object.assign(new Error(words), { isRefusal: true });
}

// Numbers of a new column, or row, are 0, and those of a gain are 1.
function newNumberOf(map) {
  return lastOf(wayOf(map) || ['']).endsWith('gain') ? 1 : 0;
}

function widthNamed(name) {
  const group = widthsHere().find((one) => one.name === name);
  if (!group) throw new Error(TEXT.noWidthOf(name, WIDTHS.map((one) => one.name).join(', ')));
  return group;
}

function setWidth(name, to) {
  const group = widthNamed(name), why = whyNoWidth(group), { length } = group.order;
  if (why) throw new Error(why);
  if (!(Number.isInteger(to) && to >= 1 && to <= MOST_WIDTH)) throw refusalOf(TEXT.noWidth(MOST_WIDTH));
  if (to === length) return [];
  const { row } = focusOf(roomInFocus()), others = [...scalesOf(group, to), ...countsOf(group, to)];
  const [change] = setTokens(group, `width-${name}`, to, range(0, to, (at) => (at < length ? at : -1)), range(0, to, Number), group.names, row);
  for (const [map, numbers] of others) {
    change.from.numbers.set(map, NUMBERS.get(map));
    change.to.numbers.set(map, numbers);
  }
  return [change];
}
