// A generation that goes on: where another word is chosen, every step after it is computed again by the
// program's arithmetic, its choice too, of the greatest logit, or with the numbers that were drawn.

// ids: by place in the sequence, what was put there; rows: what goes in of each id; names: of the
// sequence as it came; labels: which maps have them, { map, axis, first }; steps: the maps of each.
const CHOSEN = { ids: new Map(), rows: null, names: [], labels: [], steps: [] };
function goesOn() {
  return DATA.choices !== undefined;
}

function stepOfRoom(room) {
  return Number(/^step\.(\d+)\./.exec(DATA.rooms[room].way)[1]);
}

function mapsInStep(step) {
  return MAPS.filter((map) => stepOfRoom(map.room) === step);
}

function wayInStep(map) {
  return fullName(map).replace(/^step\.\d+\./, '');
}

function rowOfId(id) {
  CHOSEN.rows ||= unpackBits(DATA.choices.rows);
  const width = CHOSEN.rows.length / DATA.choices.ids.length;
  return CHOSEN.rows.subarray(id * width, (id + 1) * width);
}

// ---- how the next id follows: model/generation.c, choose ----

function greatestAt(logits) {
  let most = NaN, at = 0;
  logits.forEach((one, id) => {
    if (!(one > most || (Number.isNaN(most) && !Number.isNaN(one)))) return;
    most = one;
    at = id;
  });
  return at;
}

function drawnAt(shares, part) {
  let sum = 0, id = 0;
  for (let i = 0; i < shares.length && sum <= part; i++) {
    sum += shares[i];
    id = i;
  }
  return id;
}

function nextOf({ logits, exponentials: shares, total, drawn }) {
  if (!drawn) return greatestAt(NUMBERS.get(logits));
  takeBits(drawn);
  return drawnAt(NUMBERS.get(shares), NUMBERS.get(drawn)[0] * NUMBERS.get(total)[0]);
}

// ---- what the program knows of a step from the one before ----

// What logits are made of: the output, or what a head made of it (model/head.c).
function lastMade(maps) {
  return maps['head.norm'] || maps['head.activated'] || maps['head.hidden'] || maps.output;
}

// By map: what it takes besides its operands, and its numbers. Probabilities are of float64 in any run.
const WORK_OF_STEPS = {
  choice: (maps, step) => ({ after: maps.total || maps.logits,
    make: () => [CHOSEN.ids.get(DATA.choices.first + step) ?? nextOf(maps)] }),
  'output.last': (maps) => {
    const made = lastMade(maps);
    return { after: made, make: () => NUMBERS.get(made).slice(-made.columns.length) };
  },
  tempered: ({ logits, temperature }) => ({ after: logits, make: () => NUMBERS.get(logits).map((x) => x / NUMBERS.get(temperature)[0]) }),
  most: ({ tempered }) => ({ after: tempered, make: () => [greatestIn(NUMBERS.get(tempered), [])] }),
  exponentials: ({ tempered, most }) => ({ after: most,
    make: () => exponentials(TYPES.f64, [...NUMBERS.get(tempered)], NUMBERS.get(most)[0]) }),
  total: (maps) => ({ after: maps.exponentials,
    make: () => [totalOf(TYPES.f64, NUMBERS.get(maps.exponentials)).reduce((sum, rest) => sum + rest)] }),
  probabilities: (maps) => ({ after: maps.total,
    make: () => NUMBERS.get(maps.exponentials).map((x) => x / NUMBERS.get(maps.total)[0]) }),
};

// Of the prompt those that came, where no other one was put there; after it the row of the last choice.
function rowsThatGoIn(map, step, choice) {
  const came = cameIn(map) || NUMBERS.get(map);
  if (step > 0) return rowOfId(NUMBERS.get(choice)[0]);
  return came.map((x, at) => {
    const width = map.columns.length, id = CHOSEN.ids.get(Math.floor(at / width));
    return id === undefined ? x : rowOfId(id)[at % width];
  });
}

// A cache is what the step before made: the same numbers, as they are shown.
function cacheBefore(map, before) {
  const way = wayInStep(map).replace(/past_[kv]$/, ''), letter = lastOf([...map.name]);
  const texts = (one) => String(range(0, one.heads, (head) => one.rows.map((nothing, row) => rowOf(one, head, row))));
  return before.filter((one) => wayInStep(one).startsWith(way) && one.name.includes(letter) && one !== map &&
    sizeOf(one) === sizeOf(map)).reverse().find((one) => texts(one) === texts(map));
}

// Before anything is taken: which maps follow from others besides those that operations make.
function linkSteps() {
  for (let step = 0; step < CHOSEN.steps.length; step++) {
    const maps = CHOSEN.steps[step], named = Object.fromEntries(maps.map((map) => [wayInStep(map), map]));
    const before = CHOSEN.steps[step - 1] || [], choice = before.find((map) => map.name === 'choice');
    const link = (map, after, make) => {
      map.takes = after && [after];
      OWN_WORK.set(map, () => Float64Array.from(make()));
    };
    for (const [name, work] of Object.entries(WORK_OF_STEPS)) {
      if (!named[name]) continue;
      const { after, make } = work(named, step);
      link(named[name], after, make);
    }
    const goesIn = named.embedding || named.vocab || named.x;
    link(goesIn, choice, () => rowsThatGoIn(goesIn, step, choice));
    for (const map of maps.filter(({ name }) => step > 0 && /^past_[kv]$/.test(name))) {
      const of = cacheBefore(map, before);
      if (of) link(map, of, () => NUMBERS.get(of));
    }
  }
}

// ---- names ----

function wordOfId(id) {
  const name = DATA.choices.ids[id];
  return name === String(id) ? `id ${id}` : name;
}

function countOfPlaces() {
  return DATA.choices.first + CHOSEN.steps.length;
}

// The id at a place of the sequence that was chosen, or put there; undefined where only its name is known.
function idAt(place) {
  const step = place - DATA.choices.first, choice = step >= 0 && CHOSEN.steps[step].find((map) => map.name === 'choice');
  if (!choice) return CHOSEN.ids.get(place);
  return (NUMBERS.get(choice) || [Number(textOf({ map: choice, head: 0, row: 0, column: 0 }))])[0];
}

function nameAt(place) {
  const id = idAt(place);
  return id === undefined ? CHOSEN.names[place] : wordOfId(id);
}

// Which labels are the sequence's: as many as its keys, its rows, or the last of these, and called so.
function takeWords() {
  const { first } = DATA.choices;
  const lists = CHOSEN.steps.map((nothing, step) => ({ end: first + step, rows: step === 0 ? first : 1 }));
  const keysOf = CHOSEN.steps.map((maps) => maps.find((map) => map.name === 'weights'));
  CHOSEN.names = [...keysOf[0].columns, ...CHOSEN.steps.map((nothing, step) => wordOfId(idAt(first + step)))];
  CHOSEN.steps.forEach((maps, step) => maps.forEach((map) => {
    const { end, rows } = lists[step];
    for (const axis of ['rows', 'columns']) {
      const places = [[0, end], [end - rows, end], [end - 1, end], [end, end + 1]].find(([from, to]) =>
        to - from === map[axis].length && map[axis].every((name, i) => isCut(name, CHOSEN.names[from + i])));
      if (places) CHOSEN.labels.push({ map, axis, first: places[0] });
    }
  }));
}

function isCut(name, whole) {
  return name === whole || (name.endsWith('…') && whole.startsWith(name.slice(0, -1)));
}

// After a change; a line says by what a row was looked up.
function nameSteps() {
  for (const { map, axis, first } of CHOSEN.labels) {
    map[axis] = map[axis].map((nothing, i) => nameAt(first + i));
    if (map.called && axis === 'rows' && OWN_WORK.has(map)) map.calledNow = map.rows;
  }
}

// ---- changes ----

function putIds(ids) {
  CHOSEN.ids = ids;
  return CHOSEN.steps.flatMap((maps, step) => maps.filter((map) => map.name === 'choice' || (step === 0 && OWN_WORK.has(map))));
}

// What was put at a later place was for the words that came before it then.
function chooseWord(place, id) {
  takeAll();
  const { ids, first } = DATA.choices;
  if (!(Number.isInteger(place) && place >= 0 && place < countOfPlaces())) throw new Error(TEXT.noPlace(place, countOfPlaces() - 1));
  if (!(Number.isInteger(id) && id >= 0 && id < ids.length)) throw new Error(TEXT.noId(id, ids.length - 1));
  if (idAt(place) === id) return [];
  const kept = [...CHOSEN.ids].filter(([other]) => other < Math.max(place, first));
  return [{ what: 'word', said: 'word', from: CHOSEN.ids, to: new Map([...kept, [place, id]]), place, id }];
}

function idNamed(name) {
  const { ids } = DATA.choices, at = ids.indexOf(name.trim().replace(/^id (?=\d+$)/, ''));
  if (at < 0) throw new Error(TEXT.noWord(name, ids[0], lastOf(ids)));
  return at;
}

// Before anything is taken.
function takeSteps() {
  if (!goesOn() || CHOSEN.steps.length > 0) return;
  CHOSEN.steps = range(0, stepOfRoom(DATA.rooms.length - 1) + 1, mapsInStep);
  linkSteps();
  takeWords();
}
