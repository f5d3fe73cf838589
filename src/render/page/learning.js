// Steps of plain descent, as selfattn train takes them: each number that learns less the rate times
// its gradient, a fused multiply-add of the run's type (cli/train/train.c). However many steps they
// are, they are one change.

const USUAL_RATE = 0.1;

function lossMap() {
  return MAPS.find((map) => map.name === 'loss' && map.operation);
}

// Tables that layers look rows up in.
const TABLES_OF_ROWS = ['embedding', 'segment_embedding', 'position_embedding'];

// Why no step can be taken, or nothing. Of a batch, gradients are here as one sequence adds to them; of
// a table only the rows that are looked up are here.
function whyNoLearning() {
  if (lossMap() && MAPS.some((map) => TABLES_OF_ROWS.includes(map.name))) return TEXT.lossOfTables;
  if (lossMap()) return '';
  if (MAPS.some((map) => map.name === 'loss_part')) return TEXT.lossOfBatch;
  return DATA.learn ? TEXT.noSlopes : TEXT.noLoss;
}

// As selfattn train calls it: by the document's key, of layers by the way to it, where it comes first.
function nameOfLearner(map) {
  const isMemory = String(wayOf(map)) === 'memory';
  return isMemory ? 'memory' : DATA.rooms[sameAs(map)[0].room].way + keysOf(map).join('.');
}

// What all that it is gains, from the last layer to the first: of layers that come again each a part.
function gradientsOf(map) {
  const isOf = (one, name) => isMade(one) && [`${name}_grad`, `${name}_grad_part`].includes(fullName(one));
  const names = String(wayOf(map)) === 'memory' ? ['memory'] : sameAs(map).map((one) => DATA.rooms[one.room].way + keysOf(one).join('.'));
  return [...new Set(names)].map((name) => MAPS.find((one) => isOf(one, name))).filter((one) => one).reverse();
}

// What goes in and has a gradient, { name, map, gradients, isUsual }: whether it learns where nothing is
// named.
function learners() {
  const found = MAPS.filter(isInput).map((map) => {
    const name = nameOfLearner(map), ofLayers = [NORM_PART, HEAD_PART, FEED_FORWARD, ROUTED_BY, /^unembedding/];
    return { name, map, gradients: gradientsOf(map),
      isUsual: DATA.learn.includes(lastOf(wayOf(map))) || ofLayers.some((names) => names.test(map.name)) };
  });
  return found.filter(({ name, map, gradients: [gradient] }, i) => gradient &&
    sizeOf(gradient) === sizeOf(map) && found.findIndex((one) => one.name === name) === i);
}

// Those that are named, or without a name all that a model learns.
function learnersNamed(only) {
  const all = learners(), usual = all.filter(({ isUsual }) => isUsual);
  const names = String(only).split(',').filter((name) => name);
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined) throw new Error(TEXT.noLearner(unknown, all.map(({ name }) => name).join(', ')));
  const chosen = names.length > 0 ? all.filter(({ name }) => names.includes(name)) : usual;
  if (chosen.length === 0) throw new Error(TEXT.nothingLearns(all.map(({ name }) => name).join(', ')));
  return chosen;
}

// What is between these maps and the loss and their gradients, in order; nothing else changes a step.
function mapsOfStep(chosen) {
  const needed = new Set(inOrder([lossMap(), ...chosen.flatMap(({ gradients }) => gradients)]));
  const moved = new Set(chosen.flatMap(({ map }) => sameAs(map)));
  return EDITS.order.filter((map) => {
    if (!needed.has(map) || !isMade(map) || !takesFrom(map, moved)) return false;
    moved.add(map);
    return true;
  });
}

function descended({ map, gradients }, rate) {
  const by = TYPE.round(-rate), all = gradients.map((one) => NUMBERS.get(one));
  const slopes = all.reduce((sum, more) => sum.map((x, i) => TYPE.round(x + more[i])));
  return NUMBERS.get(map).map((x, i) => TYPE.fused(by, slopes[i], x));
}

function checkFinite(numbers, step, name, rate) {
  if (!numbers.every(Number.isFinite)) throw new Error(TEXT.rateTooLarge(step, name, rate));
}

// Takes the steps, and says what learnt, and each loss, after those of steps before.
function descend(chosen, steps, rate, before) {
  const maps = mapsOfStep(chosen), loss = lossMap(), losses = [...before];
  if (losses.length === 0) losses.push(NUMBERS.get(loss)[0]);
  checkFinite(losses, 0, TEXT.theLoss, rate);
  for (let left = steps; left > 0; left--) {
    const numbers = new Map(chosen.map((one) => [one.map, descended(one, rate)]));
    for (const { name, map } of chosen) checkFinite(numbers.get(map), losses.length, name, rate);
    putLearnt(numbers);
    maps.forEach(compute);
    checkFinite(NUMBERS.get(loss), losses.length, TEXT.theLoss, rate);
    losses.push(NUMBERS.get(loss)[0]);
  }
  return { losses, numbers: new Map(chosen.map(({ map }) => [map, NUMBERS.get(map)])) };
}

function putLearnt(numbers) {
  for (const [map, all] of numbers) sameAs(map).forEach((one) => NUMBERS.set(one, all));
  return [...numbers.keys()].flatMap(sameAs);
}

// before: the losses of steps that these go on from, in one change.
function setTrained(steps, rate, only, before = []) {
  const why = whyNoLearning();
  if (why) throw new Error(why);
  if (!(Number.isInteger(steps) && steps >= 0)) throw new Error(TEXT.noSteps(steps));
  if (!(typeof rate === 'number' && rate >= 0 && rate < Infinity)) throw new Error(TEXT.noRate(rate));
  const chosen = learnersNamed(only), names = String(only).split(',').filter((name) => name);
  takeAll();
  catchUp().forEach((map) => ENTRIES[ENTRY].stale.add(map)); // what is shown of it still waits
  const kept = new Map(NUMBERS), from = { numbers: new Map(chosen.map(({ map }) => [map, kept.get(map)])) };
  try {
    const to = descend(chosen, steps, rate, before), count = to.losses.length - 1;
    return [{ what: 'train', said: 'train', from, to: { ...to, value: [count, rate, ...names].join(',') } }];
  } finally {
    kept.forEach((numbers, map) => NUMBERS.set(map, numbers));
  }
}

// "train=100,0.1,wq,wv": steps, rate, and what learns where it is not the usual.
function trainingIn(said) {
  const [steps, rate, ...only] = said.slice('train='.length).split(',');
  return Object.assign(() => setTrained(Number(steps), Number(rate), only), { steps: Number(steps) || 1 });
}

// The loss before the first step and after each.
function train(steps = 1, rate = USUAL_RATE, only = []) {
  const [change] = setTrained(steps, rate, only);
  edit(steps > 0 ? [change] : []);
  return change.to.losses;
}

// The losses of all steps that were taken, each run of them { first, losses } with the number of its
// first step: a new one begins where something else was changed between.
function lossRuns() {
  const runs = [];
  let at = 0, isOn = false;
  for (const changes of EDITS.done) {
    const { losses } = changes[0]?.what === 'train' ? changes[0].to : {};
    if (losses && isOn) lastOf(runs).losses.push(...losses.slice(1));
    else if (losses) runs.push({ first: at, losses: [...losses] });
    at += losses ? losses.length - 1 : 0;
    isOn = Boolean(losses);
  }
  return runs;
}
