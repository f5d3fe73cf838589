// What goes back on a page: which map is the gradient of which, what a number's gradient is made of,
// said as blame, and what the loss does where a number is nudged.

// ---- which is whose ----

// Gradients are called after stages and keys; in a batch a part is what the entry in focus adds.
// Without Wo what is attended to is what comes out, and of one head the context is its result. What was
// looked up for a row of layers is a row of its own here, and gains as the sum does that it is in.
const GRADIENTS_CALLED = { slope: ['slopes'], sink: ['sinks'], context: ['context', 'output'],
  attended: ['attended', 'context', 'output'], embedding: ['embedded'], vocab: ['embedded'],
  segment_embedding: ['embedded'], segmented: ['embedded'], position_embedding: ['embedded'] };

// Of a map its gradient, and of that the map; and what goes back, as far as it was asked.
const GRADIENTS = new Map(), FORWARD = new Map(), GOES_BACK = new Map(), BY_FULL_NAME = new Map();
let areGradientsTaken = false;

function isAlike(map, other) {
  return map.heads === other.heads && map.rows.length === other.rows.length &&
    map.columns.length === other.columns.length;
}

// The way back through layers has rooms of its own, with the same way to them.
function findGradient(map) {
  const { way } = DATA.rooms[map.room], named = (name) => BY_FULL_NAME.get(way + name);
  const names = (GRADIENTS_CALLED[map.name] || [map.name.toLowerCase()])
    .filter((name) => name !== 'output' || map.name === name || !named(name));
  const found = names.flatMap((name) => [named(`${name}_grad`), named(`${name}_grad_part`)]);
  return found.find((one) => one && one.cells && isAlike(map, one));
}

// A sheet that asks for numbers tells no gradients besides.
function takeGradients() {
  if (areGradientsTaken) return;
  areGradientsTaken = true;
  if (MAPS.some((map) => map.blank)) return;
  for (const map of MAPS) BY_FULL_NAME.set(fullName(map), map);
  for (const map of MAPS.filter((one) => one.cells)) {
    const gradient = findGradient(map);
    if (!gradient) continue;
    // Of a memory each layer gives a part.
    const ofAll = String(wayOf(map)) === 'memory' ? BY_FULL_NAME.get('memory_grad') : gradient;
    GRADIENTS.set(map, ofAll);
    if (!FORWARD.has(gradient) || gradient.name === `${map.name}_grad`) FORWARD.set(gradient, map);
    if (!FORWARD.has(ofAll)) FORWARD.set(ofAll, map);
  }
}

function gradientOf(map) {
  takeGradients();
  return GRADIENTS.get(map);
}

// The gradient's cell; undefined where the page has none.
function gradientAt(place) {
  const gradient = gradientOf(place.map);
  return gradient && isKept(gradient, place.head, place.row) ? { ...place, map: gradient } : undefined;
}

function forwardOf(map) {
  takeGradients();
  return FORWARD.get(map);
}

// Gradients, and what is made of them on the way: delta, or x_grad_by_q.
function goesBack(map) {
  if (!GOES_BACK.has(map))
    GOES_BACK.set(map, Boolean(forwardOf(map)) || nodesOf(map).some(goesBack));
  return GOES_BACK.get(map);
}

// ---- blame ----

// A gradient is a sum of what comes back from each cell that the number went into: what it would be if
// nothing came back from any other.
function shareFrom(place, letter, at) {
  // Of a sum of sums, each is its own share: it is worked out from what they are sums of.
  if (place.map.operation === 'terms') return listOf(place.map[letter], place)[at];
  const cell = { place };
  for (const name of OPERANDS) {
    const operand = place.map[name], numbers = listOf(operand, place);
    const isBack = operand && goesBack(MAPS[operand.map]);
    cell[name] = { first: 0, step: 1, count: numbers.length,
      numbers: isBack ? numbers.map((x, i) => (name === letter && i === at ? x : 0)) : numbers };
  }
  return workOf(place.map)(cell);
}

// A row's sum, which is a number of its own.
const ROW_SUMS = ['dot_less', 'norm_share', 'shares', 'share_back'];

// The same of what a rule makes, which says no shares: all that comes back is taken for 0 but one number, in
// its turn.
function sharesByRule(place) {
  const sources = nodesOf(place.map).filter(goesBack), came = sources.map((map) => NUMBERS.get(map)), shares = [];
  try {
    sources.forEach((map) => NUMBERS.set(map, new Float64Array(sizeOf(map))));
    sources.forEach((map, source) => came[source].forEach((x, at) => {
      if (x === 0) return;
      NUMBERS.get(map)[at] = x;
      const share = OWN_WORK.get(place.map)()[indexOfPlace(place)];
      NUMBERS.get(map)[at] = 0;
      if (share !== 0) shares.push({ place: cellAt(map, at), share });
    }));
  } finally {
    sources.forEach((map, source) => NUMBERS.set(map, came[source]));
  }
  return shares;
}

// What comes back by way of a sum that is no gradient itself comes from that sum's own terms.
function blameOn({ place, share }) {
  const forward = forwardOf(place.map);
  if (forward) return [{ place: { ...place, map: forward }, share }];
  if (!isMade(place.map) || ROW_SUMS.includes(place.map.operation)) return [{ place, share }];
  const terms = blamesOf(place);
  return terms.length === 1 ? [{ ...terms[0], share }] : terms;
}

// Of a gradient's cell: the cells of later stages that its number went into, each with its share.
function blamesOf(place) {
  if (OWN_WORK.has(place.map)) return sharesByRule(place).flatMap(blameOn);
  const letters = OPERANDS.filter((name) => place.map[name] && goesBack(MAPS[place.map[name].map]));
  return letters.flatMap((letter) => partsOf(place.map[letter], place).flatMap((cell, at) =>
    blameOn({ place: cell, share: shareFrom(place, letter, at) })));
}

// ---- nudging ----

// Settings that count something, or are next to nothing, are not nudged.
function isNudged(place) {
  return isInput(place.map) && place.row < rowsGiven(place.map) && Number.isFinite(valueOf(place)) &&
    !isLength(place.map) && !/eps$/.test(place.map.name);
}

// What the gradients are of: the loss, or where gradients of results are given each result by its own.
function partsOfLoss() {
  const named = (name) => MAPS.find((map) => fullName(map) === name);
  const ofOutput = named('output_grad'), ofRows = named('logsumexp_grad');
  const loss = named('loss') || named('loss_part');
  return { loss, output: !loss && forwardOf(ofOutput), ofOutput, ofRows, most: named('row_max'), sum: named('row_sum') };
}

function lossNow({ loss, output, ofOutput, ofRows, most, sum }) {
  const numbers = (map) => NUMBERS.get(map);
  let total = loss ? numbers(loss)[0] : 0;
  if (output) total = numbers(output).reduce((all, x, i) => all + x * numbers(ofOutput)[i], total);
  // A query that sees nothing has no logsumexp to gain by.
  if (ofRows) total = numbers(ofRows).reduce((all, x, i) =>
    (numbers(sum)[i] === 0 ? all : all + x * (numbers(most)[i] + Math.log(numbers(sum)[i]))), total);
  return total;
}

// The loss with other numbers in some maps; they are as they were after it.
function lossWith(parts, order, changed) {
  const came = new Map(NUMBERS), all = new Set(changed.keys());
  try {
    changed.forEach((numbers, map) => NUMBERS.set(map, numbers));
    for (const map of order) {
      if (!isMade(map) || all.has(map) || !takesFrom(map, all)) continue;
      all.add(map);
      compute(map);
    }
    return lossNow(parts);
  } finally {
    came.forEach((numbers, map) => NUMBERS.set(map, numbers));
  }
}

// Powers of two, so that numbers of a usual size move by just so much. A large step bends, and a small
// one drowns in the rounding of the loss.
const STEPS_TRIED = { f32: [-3, -5, -7, -9, -11], f64: [-10, -13, -16, -19] };

// Of a layer that comes again a gradient is what this one adds, and this one alone is nudged.
function nudgedWith(map) {
  return sameAs(map).filter((one) => (gradientOf(one) ?? gradientOf(map)) === gradientOf(map));
}

// The central difference by each step: of the two neighbours that differ least that of the smaller step.
function nudgeOf(place) {
  takeAll();
  catchUp();
  const parts = partsOfLoss(), x = valueOf(place), maps = nudgedWith(place.map);
  const order = inOrder(Object.values(parts).filter((map) => map)), round = place.map.wide ? Number : TYPE.round;
  const lossAt = (value) => lossWith(parts, order, new Map(maps.map((map) => {
    const numbers = NUMBERS.get(map).slice();
    numbers[indexOfPlace({ ...place, map })] = value;
    return [map, numbers];
  })));
  const tried = STEPS_TRIED[DATA.type].map((power) => {
    const step = 2 ** power * Math.max(1, 2 ** Math.floor(Math.log2(Math.abs(x) || 1)));
    const [above, below] = [round(x + step), round(x - step)], [more, less] = [lossAt(above), lossAt(below)];
    return { step, wide: above - below, more, less, quotient: (more - less) / (above - below) };
  });
  const changes = tried.slice(1).map(({ quotient }, i) => Math.abs(quotient - tried[i].quotient));
  return tried[changes.indexOf(Math.min(...changes)) + 1] || tried[0];
}
