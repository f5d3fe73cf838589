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

// The nodes of a layer, forth and back, by their names.
class Mix {
  constructor(way) {
    this.named = Object.fromEntries(MAPS.filter((map) => DATA.rooms[map.room].way === way).map((map) => [map.name, map]));
    const { 'ffn.router': router, 'ffn.experts': made, 'ffn.shared': shared } = this.named;
    const partsOf = (of, { function: name }) =>
      ({ ...Object.fromEntries(Object.keys(GAINS).map((key) => [key, this.named[`${of}.${key}`]])), name });
    this.x = MAPS[router.a.map];
    this.experts = router.columns.map((nothing, i) => partsOf(`experts.${i}`, made));
    this.shared = shared && partsOf('shared', shared);
  }

  has(name) {
    return Boolean(this.named[name]);
  }

  rows(name) {
    return linesOf(this.named[name]);
  }

  // Each row's experts, in the order of their numbers.
  chosen() {
    return this.rows('ffn.chosen').map((row) => [...row.keys()].filter((i) => row[i]));
  }

  // What a row of the shared expert counts, where it has a gate.
  open(i) {
    return TYPE.round(sigmoidOf(NUMBERS.get(this.named['ffn.shared_gate'])[i]));
  }

  throughShared(row, i) {
    return this.has('shared_gate') ? row.map((x) => weighed(x, this.open(i))) : row;
  }

  // What comes back to what an expert made of each row; nothing where that has not chosen it.
  gradsOf(parts) {
    if (parts === this.shared) return this.rows('ffn.output_grad').map((row, i) => this.throughShared(row, i));
    const all = this.rows('ffn.experts_grad'), { length } = this.x.columns, number = this.experts.indexOf(parts);
    return this.chosen().map((row, i) => {
      const nth = row.indexOf(number);
      return nth < 0 ? [] : all[i].slice(nth * length, (nth + 1) * length);
    });
  }

  // Rows to which nothing but 0 comes back gain nothing, and nothing gains of them.
  waysBack(parts) {
    const grads = this.gradsOf(parts);
    return linesOf(this.x).flatMap((row, i) => (grads[i].some((x) => x !== 0) ? [{ i, ...backThrough(parts, row, grads[i]) }] : []));
  }
}

const OF_EXPERTS = 'ffn\\.chosen|experts\\.\\d+\\.[wb]\\d', OF_SHARED = 'shared\\.[wb]\\d|ffn\\.shared_gate';

// By name, [what a node takes besides x and the node that it follows, its rows].
const RULES = {
  'ffn.choice': ['choice_bias|groups|top_groups|top_of_group', ({ named }) => {
    const { 'ffn.choice': { columns }, 'ffn.scores': scores = named['ffn.router'], choice_bias: bias, groups } = named;
    const counts = groups && ['groups', 'top_groups', 'top_of_group'].map((name) => NUMBERS.get(named[name])[0]);
    return linesOf(scores).map((row) => {
      const by = bias ? row.map((score, i) => score + NUMBERS.get(bias)[i]) : row;
      return bestOf(groups ? inBestGroups(by, counts) : by, columns.length);
    });
  }],
  'ffn.chosen': ['ffn\\.choice', (mix) => mix.rows('ffn.choice').map((row) => mix.experts.map((nothing, i) => Number(row.includes(i))))],
  'ffn.chosen_routing': ['ffn\\.chosen', (mix) => {
    const weights = mix.rows('ffn.routing');
    return mix.chosen().map((row, i) => row.map((expert) => weights[i][expert]));
  }],
  'ffn.experts': [OF_EXPERTS, (mix) => {
    const rows = linesOf(mix.x);
    return mix.chosen().map((row, i) => row.flatMap((expert) => through(mix.experts[expert], rows[i]).output));
  }],
  'ffn.shared': [OF_SHARED, (mix) => linesOf(mix.x).map((row, i) => mix.throughShared(through(mix.shared, row).output, i))],
  'ffn.routing_grad': ['ffn\\.chosen|ffn\\.chosen_routing_grad', (mix) => {
    const grads = mix.rows('ffn.chosen_routing_grad');
    return mix.rows('ffn.chosen').map((row, i) => row.map((is) => (is ? grads[i].shift() : 0)));
  }],
  'ffn.shared_gate_grad': [OF_SHARED, (mix) => {
    const grads = mix.rows('ffn.output_grad');
    return linesOf(mix.x).map((row, i) => {
      const sum = through(mix.shared, row).output.reduce((all, x, j) => all + grads[i][j] * x, 0), open = mix.open(i);
      return TYPE.round(sum * (open * (1 - open)));
    });
  }],
  'ffn.x_grad': [`ffn\\.(experts|router|shared_gate)_grad|router|shared_gate|${OF_EXPERTS}|${OF_SHARED}`, (mix) => {
    const sums = linesOf(mix.x).map((row) => row.map(() => 0));
    const add = (i, more) => { sums[i] = sums[i].map((x, j) => TYPE.round(x + more[j])); };
    for (const parts of [...mix.experts, ...mix.shared ? [mix.shared] : []])
      mix.waysBack(parts).forEach(({ i, ofRow }) => add(i, ofRow));
    for (const name of ['shared_gate', 'router'].filter((one) => mix.has(one)))
      mix.rows(`ffn.${name}_grad`).forEach((row, i) => add(i, rowBack(row, mix.named[name])));
    return sums;
  }],
};

// The same of what the matrices gain.
function ruleOf(name) {
  const [, of, number] = /^(experts|shared)(?:\.(\d+))?\.[wb]\d_grad/.exec(name) || [];
  if (!of) return RULES[name];
  return [of === 'shared' ? `ffn\\.output_grad|${OF_SHARED}` : `ffn\\.experts_grad|${OF_EXPERTS}`,
    (mix) => gainOf(mix.named[name], mix.waysBack(number ? mix.experts[number] : mix.shared))];
}

// Before anything is taken: what follows from others by a rule.
function takeMixes() {
  for (const choice of MAPS.filter(({ name }) => name === 'ffn.choice')) {
    const mix = new Mix(DATA.rooms[choice.room].way), all = Object.values(mix.named);
    for (const map of all.filter(({ name }) => ruleOf(name))) {
      const [taken, make] = ruleOf(map.name), names = new RegExp(`^(${taken})$`);
      map.takes = [mix.x, ...all.filter(({ name }) => names.test(name))];
      OWN_WORK.set(map, () => Float64Array.from(make(mix).flat()));
    }
  }
}
