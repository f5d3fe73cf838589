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

// Of those that are chosen.
function routeBack({ a, b, c, d }) {
  return numberIn(d) === 0 || numberIn(c) === 0 ? 0 : TYPE.round((numberIn(a) - numberIn(b)) / numberIn(c));
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

// The row on its way: what it is inside, and what comes out.
function through({ w1, b1, w2, b2, w3, b3, name }, row) {
  const hidden = rowTimes(row, w1, b1), made = hidden.map((x) => activatedInside(name, x));
  const gate = w3 && rowTimes(row, w3, b3), open = gate && gate.map((x) => openedGate(name, x));
  const activated = gate ? timesEach(made, open) : made;
  return { row, hidden, made, gate, open, activated, output: rowTimes(activated, w2, b2) };
}

function timesEach(row, other) {
  return row.map((x, i) => TYPE.round(x * other[i]));
}

// By a matrix turned, a chain for each number that may go on from one.
function rowBack(row, w, first = []) {
  const numbers = NUMBERS.get(w), count = w.columns.length, a = { numbers: row, first: 0, step: 1, count };
  return range(0, w.rows.length, (i) => chainOf(a, { numbers, first: i * count, step: 1 }, TYPE.fused, first[i]));
}

function slopeInside(name, x) {
  if (name !== 'clamped') return slopeOf(name, x);
  return x > LIMIT ? 0 : slopeOf('silu', SHARP * x);
}

// What comes back to what a row is inside, and to the row.
function backThrough(parts, row, grad) {
  const { w1, w2, w3, name } = parts, way = through(parts, row), back = rowBack(grad, w2);
  const ofGate = w3 && timesEach(way.made, back)
    .map((x, i) => (name === 'clamped' && Math.abs(way.gate[i]) > LIMIT ? 0 : x));
  const ofMade = w3 ? timesEach(back, way.open) : back;
  const ofHidden = way.hidden.map((x, i) => TYPE.round(slopeInside(name, x) * ofMade[i]));
  const ofRow = rowBack(ofHidden, w1);
  return { ...way, grad, ofHidden, ofGate, ofRow: w3 ? rowBack(ofGate, w3, ofRow) : ofRow };
}

// What each matrix took of a row, and what came back to what it made.
const GAINS = { w1: ['row', 'ofHidden'], w3: ['row', 'ofGate'], w2: ['activated', 'grad'], b1: ['', 'ofHidden'],
  b3: ['', 'ofGate'], b2: ['', 'grad'] };

// What a matrix gains of the rows that went through its expert.
function gainOf(map, ways) {
  const [took, gained] = GAINS[/[wb]\d(?=_grad)/.exec(map.name)], columns = [...map.columns.keys()];
  if (!took) return columns.map((j) => ways.reduce((sum, way) => TYPE.round(sum + way[gained][j]), 0));
  return map.rows.flatMap((nothing, i) => columns.map((j) =>
    ways.reduce((sum, way) => TYPE.fused(way[took][i], way[gained][j], sum), 0) + 0));
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

// A number times its weight, as kernels weigh.
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
  const like = (pattern) => Object.values(named).filter(({ name }) => pattern.test(name));
  const partsOf = (of, name) => ({ ...Object.fromEntries(Object.keys(GAINS).map((key) => [key, named[`${of}.${key}`]])), name });
  const link = (name, takes, make) => {
    if (!named[name]) return;
    named[name].takes = takes;
    OWN_WORK.set(named[name], () => Float64Array.from(make().flat()));
  };
  const { 'ffn.choice': choice, 'ffn.router': router, 'ffn.chosen': chosen, choice_bias: bias, shared_gate: gate } = named;
  const [x, output, made, shares] = [MAPS[router.a.map], ...['output_grad', 'experts', 'experts_grad'].map((name) => named[`ffn.${name}`])];
  const experts = router.columns.map((nothing, i) => partsOf(`experts.${i}`, made.function));
  const ofExperts = [chosen, ...like(/^experts\.\d+\.[wb]\d$/)], ofShared = [...like(/^shared\.[wb]\d$/), ...all('ffn.shared_gate')];
  const shared = named['ffn.shared'] && partsOf('shared', named['ffn.shared'].function);
  const groups = all('groups', 'top_groups', 'top_of_group'), scores = named['ffn.scores'] || router;
  const chosenBy = () => linesOf(chosen).map((row) => [...row.keys()].filter((i) => row[i]));
  link('ffn.choice', [...all('choice_bias'), ...groups], () => linesOf(scores).map((row) => {
    const by = bias ? row.map((score, i) => score + NUMBERS.get(bias)[i]) : row;
    return bestOf(groups.length > 0 ? inBestGroups(by, groups.map((map) => NUMBERS.get(map)[0])) : by, choice.columns.length);
  }));
  link('ffn.chosen', [choice], () => linesOf(choice).map((row) => router.columns.map((nothing, i) => Number(row.includes(i)))));
  link('ffn.chosen_routing', [chosen], () => {
    const weights = linesOf(named['ffn.routing']);
    return chosenBy().map((row, i) => row.map((expert) => weights[i][expert]));
  });
  link('ffn.experts', ofExperts, () => {
    const rows = linesOf(x);
    return chosenBy().map((row, i) => row.flatMap((expert) => through(experts[expert], rows[i]).output));
  });
  const openOf = (i) => TYPE.round(sigmoidOf(NUMBERS.get(named['ffn.shared_gate'])[i]));
  link('ffn.shared', ofShared, () => linesOf(x).map((row, i) => {
    const { output: one } = through(shared, row);
    return gate ? one.map((number) => weighed(number, openOf(i))) : one;
  }));

  // ---- back ----
  link('ffn.routing_grad', [chosen, ...all('ffn.chosen_routing_grad')], () => {
    const grads = linesOf(named['ffn.chosen_routing_grad']);
    return linesOf(chosen).map((row, i) => row.map((is) => (is ? grads[i].shift() : 0)));
  });
  link('ffn.shared_gate_grad', [x, ...ofShared], () => {
    const grads = linesOf(output);
    return linesOf(x).map((row, i) => {
      const open = openOf(i), sum = through(shared, row).output.reduce((total, one, j) => total + grads[i][j] * one, 0);
      return TYPE.round(sum * (open * (1 - open)));
    });
  });
  // The rows that something comes back to by an expert, the last one of all being the shared one.
  const gradsOf = (parts) => {
    if (parts === shared) return linesOf(output).map((grad, i) => (gate ? grad.map((one) => weighed(one, openOf(i))) : grad));
    const grads = linesOf(shares), { length } = output.columns;
    return chosenBy().map((row, i) => row.map((expert, nth) => (experts[expert] === parts ? grads[i].slice(nth * length, (nth + 1) * length) : [])).flat());
  };
  const waysThrough = (parts) => {
    const grads = gradsOf(parts);
    return linesOf(x).flatMap((row, i) => (grads[i].some((one) => one !== 0) ? [{ i, ...backThrough(parts, row, grads[i]) }] : []));
  };
  const grads = all('ffn.experts_grad', 'ffn.router_grad', 'ffn.shared_gate_grad', 'router');
  link('ffn.x_grad', [x, ...grads, ...ofExperts, ...ofShared, ...all('shared_gate')], () => {
    const sums = linesOf(x).map((row) => row.map(() => 0));
    const add = (i, more) => { sums[i] = sums[i].map((one, j) => TYPE.round(one + more[j])); };
    for (const parts of [...experts, ...shared ? [shared] : []]) waysThrough(parts).forEach(({ i, ofRow }) => add(i, ofRow));
    for (const [of, w] of [['ffn.shared_gate_grad', gate], ['ffn.router_grad', named.router]])
      if (named[of]) linesOf(named[of]).forEach((row, i) => add(i, rowBack(row, w)));
    return sums;
  });
  for (const map of like(/^(experts\.\d+|shared)\.[wb]\d_grad(_part)?$/)) {
    const [of, number] = map.name.split('.'), isShared = of === 'shared';
    link(map.name, isShared ? [x, output, ...ofShared] : [x, shares, ...ofExperts],
      () => gainOf(map, waysThrough(isShared ? shared : experts[number])));
  }
}
