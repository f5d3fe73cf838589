// Layers with experts: what of them no spelling says, by the program's rules (model/experts.c). A row
// chooses, and what is changed may lead it to others.

// ---- scores, of float64 ----

function sigmoidOf(x) {
  const [power] = exponentials(TYPES.f64, [-Math.abs(x)], 0);
  return (x < 0 ? power : 1) / (1 + power);
}

function softmaxOf(row) {
  const { smallest } = TYPES.f64, all = exponentials(TYPES.f64, row, greatestIn(row, []));
  const total = totalOf(TYPES.f64, [...all]).reduce((sum, rest) => sum + rest) || 1;
  return Array.from(all, (x) => (x / total < smallest ? 0 : x / total));
}

// Of the logits that are chosen, and 0 for others.
function softmaxOfChosen(place) {
  const isChosen = listOf(place.map.c, place), logits = listOf(place.map.d, place);
  const shares = softmaxOf(logits.filter((nothing, i) => isChosen[i]));
  return isChosen.map((is) => (is ? shares.shift() : 0));
}

// The factor of all weights is of float64 too.
function route({ a, b, c, d }) {
  const weight = b.count > 0 ? numberIn(a) * numberIn(b) : numberIn(a);
  return TYPE.round((c.count > 0 && weight !== 0 ? weight / numberIn(c) : weight) * (d.count > 0 ? numberIn(d) : 1));
}

// ---- a choice ----

// The first of the greatest that is not taken yet, and so on.
function bestOf(numbers, count) {
  const best = [];
  while (best.length < count)
    best.push(numbers.reduce((at, x, i) => (!best.includes(i) && (at < 0 || x > numbers[at]) ? i : at), -1));
  return best;
}

// What is in none of the best groups is chosen by 0.
function inBestGroups(by, [count, top, each]) {
  const groups = range(0, count, (i) => by.slice(i * by.length / count, (i + 1) * by.length / count));
  const best = bestOf(groups.map((group) => bestOf(group, each).reduce((sum, i) => sum + group[i], 0)), top);
  return groups.flatMap((group, i) => (best.includes(i) ? group : group.map(() => 0)));
}

// ---- a row through an expert: model/feed_forward.c ----

const SHARP = 1.702, LIMIT = 7; // of clamped: model/parts.c

function rowTimes(row, w, bias) {
  const numbers = NUMBERS.get(w), step = w.columns.length, a = { numbers: row, first: 0, step: 1, count: row.length };
  return range(0, step, (j) => {
    const sum = chainOf(a, { numbers, first: j, step }, TYPE.fused);
    return bias ? TYPE.round(sum + NUMBERS.get(bias)[j]) : sum;
  });
}

function activatedInside(name, x) {
  if (name !== 'clamped') return activated(TYPE, name, x);
  const sharp = TYPE.round((Math.min(x, LIMIT) + 0) * TYPE.round(SHARP));
  return TYPE.round(activated(TYPE, 'silu', sharp) * TYPE.round(1 / SHARP));
}

function openedGate(name, x) {
  return name === 'clamped' ? TYPE.round(Math.max(-LIMIT, Math.min(x, LIMIT)) + 1) : x;
}

function through({ w1, b1, w2, b2, w3, b3, name }, row) {
  const hidden = rowTimes(row, w1, b1), made = hidden.map((x) => activatedInside(name, x));
  const gate = w3 && rowTimes(row, w3, b3), open = gate && gate.map((x) => openedGate(name, x));
  return rowTimes(gate ? made.map((x, i) => TYPE.round(x * open[i])) : made, w2, b2);
}

// What each part of a layer's experts joins, a matrix's axis and the columns of another one: their hidden
// numbers have no nodes.
function endsOfExperts() {
  return MAPS.filter(({ name }) => /^(experts\.\d+|shared)\.w1$/.test(name)).flatMap((w1) => {
    const here = mapsOf(w1.room), named = (name) => here.find((map) => map.name === name);
    const [b1, w2, b2, w3, b3] = ['b1', 'w2', 'b2', 'w3', 'b3'].map((key) => named(w1.name.replace('w1', key)));
    return [[w1, 'rows', w2], [w3, 'rows', w2], [named('router'), 'rows', w2], [named('shared_gate'), 'rows', w2],
      [b2, 'columns', w2], [w2, 'rows', w1], [w3, 'columns', w1], [b1, 'columns', w1], [b3, 'columns', w1]];
  });
}

// ---- the nodes of a layer ----

function linesOf(map) {
  const { length } = map.columns;
  return map.rows.map((nothing, i) => [...NUMBERS.get(map).subarray(i * length, (i + 1) * length)]);
}

// A number of the row times its weight, as kernels weigh.
function weighed(x, weight) {
  return weight === 0 ? 0 : TYPE.round(x * weight) + 0;
}

function mix({ a, b, c }) {
  const made = listIn(b), sum = listIn(a).reduce((all, weight, i) => TYPE.round(all + weighed(made[i], weight)), 0);
  return c.count > 0 ? TYPE.round(sum + numberIn(c)) : sum;
}

// Before anything is taken: how each node that a rule makes follows from others, besides the one whose rows
// it has.
function takeMixes() {
  for (const choice of MAPS.filter(({ name }) => name === 'ffn.choice')) linkMix(DATA.rooms[choice.room].way);
}

function linkMix(way) {
  const named = Object.fromEntries(MAPS.filter((map) => DATA.rooms[map.room].way === way).map((map) => [map.name, map]));
  const all = (...names) => names.map((name) => named[name]).filter((map) => map);
  const expert = (of, name) => ({ ...Object.fromEntries(['w1', 'b1', 'w2', 'b2', 'w3', 'b3'].map((key) => [key, named[`${of}.${key}`]])), name });
  const link = (name, takes, make) => {
    named[name].takes = takes;
    OWN_WORK.set(named[name], () => Float64Array.from(make().flat()));
  };
  const { 'ffn.choice': choice, 'ffn.router': router, 'ffn.chosen': chosen, choice_bias: bias } = named;
  const x = MAPS[router.a.map], scores = named['ffn.scores'] || router, groups = all('groups', 'top_groups', 'top_of_group');
  const weightsOf = (pattern) => Object.values(named).filter(({ name }) => pattern.test(name));
  const inOrderOf = (row) => row.map((is, i) => (is ? i : -1)).filter((i) => i >= 0);
  link('ffn.choice', [...all('choice_bias'), ...groups], () => linesOf(scores).map((row) => {
    const by = bias ? row.map((score, i) => score + NUMBERS.get(bias)[i]) : row;
    return bestOf(groups.length > 0 ? inBestGroups(by, groups.map((map) => NUMBERS.get(map)[0])) : by, choice.columns.length);
  }));
  link('ffn.chosen', [choice], () => linesOf(choice).map((row) => router.columns.map((nothing, i) => Number(row.includes(i)))));
  const routing = named['ffn.routing'];
  link('ffn.chosen_routing', [chosen], () => {
    const weights = linesOf(routing);
    return linesOf(chosen).map((row, i) => inOrderOf(row).map((nth) => weights[i][nth]));
  });
  const experts = router.columns.map((nothing, i) => expert(`experts.${i}`, named['ffn.experts'].function));
  link('ffn.experts', [chosen, ...weightsOf(/^experts\.\d+\.[wb]\d$/)], () => {
    const rows = linesOf(x);
    return linesOf(chosen).map((row, i) => inOrderOf(row).flatMap((nth) => through(experts[nth], rows[i])));
  });
  if (!named['ffn.shared']) return;
  const shared = expert('shared', named['ffn.shared'].function), { shared_gate: gate } = named;
  link('ffn.shared', weightsOf(/^shared(\.[wb]\d|_gate)$/), () => linesOf(x).map((row) => {
    const made = through(shared, row), open = gate && TYPE.round(sigmoidOf(rowTimes(row, gate)[0]));
    return gate ? made.map((one) => weighed(one, open)) : made;
  }));
}
