'use strict';
// node edits.js SCRIPTS FOLDER: the scripts of pages, in the folder SCRIPTS, with the data of a page
// of each document that FOLDER/documents names, in float32 and float64 by turns.
//
// as it came   every node of every entry of a batch, computed again by the page, is what the trace has,
//              bit for bit, and its texts are those of the page
// operands     of a product, the numbers that a reader is shown of the last cell are what it was made of
// edits        after five changes, drawn from a seed, of numbers, of lengths, of temperatures, of what
//              may be seen, of the order of rows and of what is worked out, the program computes of the
//              page's document every number of every entry that the page has,
//              bit for bit, and calls rows and columns as the page does
// undo         brings back what came
// cases        the same after changes that once went wrong
// gradients    of a number that is nudged the loss grows as its gradient says, and nothing of the page
//              is another one afterwards; what a gradient is blamed on adds up to it, a number each of
//              what is no gradient, or a row's sum
// planted      an operation that the program has not is worked out from its row alone
// scripts      no two functions of a page have one name
//
// A changed node that nobody looks at, or fewer than 1,000 changes of all documents, or 100 nudges, are failures.

const fs = require('fs');
const path = require('path');
const vm = require('vm');
const { spawnSync } = require('child_process');

const [scripts, folder] = process.argv.slice(2);
const PARTS = ['document', 'edits', 'evaluate', 'focus', 'formula', 'gradients', 'numbers', 'origins', 'real', 'texts'];
const SCRIPT = PARTS.map((name) => fs.readFileSync(path.join(scripts, `${name}.js`), 'utf8')).join('\n');
const EDITS = 5, LEAST = 1000, LEAST_NUDGES = 100;
const CASES = {
  // a layer's cross-attention rounds as the layer does, unless it says so itself
  'decoder-seen-by-all': ['edit(setRound(13, 3))'],
  // rows of x that are no queries are moved, and the query in focus stays
  'keys-of-x-named-query': ['edit(moveRow(0, 1))'],
  // queries that stand at the last key of their entry, of which one is moved by its length
  'key-lengths': ['edit(setNumber({ map: MAPS.find(isLength), head: 0, row: 0, column: 0 }, 5, 1))',
    'edit(setMask(0, 0, 4, true, 1))'],
  // a bias stays where it is, and is called as the scores are
  'batch-lengths': ['edit(moveRow(0, 1))'],
  // one length is for all entries, of which one query comes to see a key beyond it
  'batch-window': ['edit(setMask(0, 0, 3, true, 0))',
    "if (numberNamed('weights', [1, 2, 3]) !== 0) throw new Error('another entry sees it too')"],
  // causality lets one query see more, in one entry; in all it is said key by key from then on
  'rope-lengths': ['edit(setMask(0, 0, 1, true, 0))'],
};
// What each makes of a row i of q, j of k, the scores, weights and a number of each row; or of a column
// i, a transpose.
const PLANTED = [
  ['{(a)}·({b} − {c})', 'weights[i,j] scores[i,j] row_max[i]', ([a], [b], [c]) => a * (b - c)],
  ['{a}·(1 − ({b}/{c})²)', 'weights[i,j] scores[i,j] row_sum[i]', ([a], [b], [c]) => a * (1 - (b / c) ** 2)],
  ['<({a} − {b})²;\n + >', 'q[i] k[j]', (a, b) => sumOf(a.map((x, p) => (x - b[p]) ** 2))],
  ['<|{a} − {b}|;+>', 'q[i] k[j]', (a, b) => sumOf(a.map((x, p) => Math.abs(x - b[p])))],
  ['<{a};+>', 'q[i]', (a) => sumOf(a)],
  ['−2·<{a};+>/{n}[d? + {d}]', 'k[j]', (a) => -2 * sumOf(a) / a.length],
  ['(<{ab};\n + >) / {n}', 'q[i] k[j]', (a, b) => sumOf([...a, ...b]) / (a.length + b.length)],
  ['<{(a)}·{b};\n + >[c?\n + {c}]', 'weights[·,i] scores[·,j] scores[j,i]',
    (a, b, [c]) => sumOf(a.map((x, p) => x * b[p])) + c],
  ['√(|{a}|) + {j}', 'scores[i,j]', ([a], b, c, j) => Math.sqrt(Math.abs(a)) + j + 1],
];
const sumOf = (list) => list.reduce((sum, x) => sum + x, 0);
const SPECIAL = { NaN, Infinity, '-Infinity': -Infinity };
let passed = 0, failed = 0, changes = 0, nudges = 0;

function check(name, holds, what) {
  if (holds) passed++;
  else {
    failed++;
    console.log(`FAIL alive: ${name}: ${what}`);
  }
}

function selfattn(...options) {
  const ran = spawnSync('selfattn', options, { maxBuffer: 1 << 28, encoding: 'utf8' });
  return { text: ran.stdout, said: (ran.stderr || String(ran.error)).trim(), isDone: ran.status === 0,
    isLost: ran.status === null };
}

// What a page holds, out of the page itself.
function dataOf(document, type, ...options) {
  const page = path.join(folder, 'page.html');
  const ran = selfattn('run', '--quiet', '--dtype', type, '--trace-format', 'html', '--trace-output', page,
    '-o', '/dev/null', ...options, document);
  if (ran.isLost) check(document, false, `the program is lost: ${ran.said}`);
  if (!ran.isDone) return null;
  return /id=data>([^]*?)<\/script>/.exec(fs.readFileSync(page, 'utf8'))[1];
}

function traceOf(document, type, ...options) {
  const ran = selfattn('run', '--quiet', '--dtype', type, '--trace', '--trace-format', 'json', ...options,
    document);
  return ran.isDone ? JSON.parse(ran.text) : ran.said;
}

// ---- in the page ----

function open(data) {
  const page = vm.createContext({
    document: { getElementById: () => ({ textContent: data }) },
    lastOf: (list) => list[list.length - 1],
  });
  vm.runInContext(`${SCRIPT}
    const NODES = (entry) => { takeAll(); return inEntry(entry, () => { catchUp(); return MAPS.map((map) =>
      ({ name: fullName(map), focus: map.focus, isWide: Boolean(map.wide), numbers: [...NUMBERS.get(map)] })); }); };
    const FOCUS = () => focusOf(roomInFocus());
    const act = (words) => { takeAll(); (0, eval)(words); return words; };
    const isEdited = () => EDITS.done.length > 0, canBeChanged = MAPS.every(canBeComputed);
    const productsAmiss = () => MAPS.filter((map) => map.operation === 'dot' && map.cells).filter((map) => {
      const place = { map, head: map.heads - 1, row: map.rows.length - 1 - (map.appended || 0), column: map.columns.length - 1 };
      const found = isKept(map, place.head, place.row) && operandsOf(place);
      if (!found) return false;
      const numbers = (cells) => cells.map(valueOf), [a, b, c] = [found.a, found.b, found.c || []].map(numbers);
      const terms = [...a.map((x, i) => x * b[i]), ...c], add = (sum, x) => sum + x;
      const far = Math.abs(terms.reduce(add, 0) - valueOf(place));
      return a.length !== b.length || far > 1e-5 * terms.map(Math.abs).reduce(add, 1);
    }).map(fullName);
    const gradientsAmiss = (random) => {
      takeAll();
      const pick = (count) => Math.floor(random() * count), all = MAPS.filter(gradientOf), amiss = [];
      const cellOf = (map, rows) => ({ map, head: pick(map.heads), row: pick(rows), column: pick(map.columns.length) });
      for (const map of all) {
        const place = cellOf(map, map.rows.length), of = gradientAt(place), terms = blamesOf(of);
        const shares = terms.map(({ share }) => share), add = (sum, x) => sum + x;
        const most = shares.map(Math.abs).reduce(add, 1e-30) * (DATA.type === 'f32' ? 1e-5 : 1e-13);
        if (terms.length === 0 && of.map.name !== 'output_grad') amiss.push(anchorOf(of) + ' is blamed on nothing');
        if (terms.length > 0 && !(Math.abs(shares.reduce(add) - valueOf(of)) <= most)) amiss.push(anchorOf(of) + ' is not ' + shares.join(' + '));
        for (const { place: { map: on } } of terms)
          if (forwardOf(on) ? true : goesBack(on) && on.name !== 'delta' && !on.name.endsWith('_share')) amiss.push(anchorOf(of) + ' is blamed on ' + on.name);
      }
      for (const map of all.filter(isInput)) {
        const place = cellOf(map, rowsGiven(map)), of = gradientAt(place), before = String(NODES(ENTRY).map(({ numbers }) => numbers));
        if (!isNudged(place)) continue;
        const { quotient, step } = nudgeOf(place);
        const greatest = NUMBERS.get(of.map).reduce((most, x) => Math.max(most, Math.abs(x)), 0.01);
        nudges++;
        if (!(Math.abs(quotient - valueOf(of)) <= greatest * (DATA.type === 'f32' ? 0.02 : 1e-5)))
          amiss.push(anchorOf(place) + ' ± ' + step + ': the loss grows by ' + quotient + ', and the gradient is ' + valueOf(of));
        if (String(NODES(ENTRY).map(({ numbers }) => numbers)) !== before) amiss.push(anchorOf(place) + ' is nudged, and the page is another');
      }
      return amiss;
    };
    let nudges = 0;
    const LABELS = () => new Map(MAPS.map((map) => [fullName(map), [...map.rows, ...map.columns]]));
    globalThis.page = { NODES, LABELS, productsAmiss, gradientsAmiss, nudges: () => nudges, DATA, FOCUS, draw, plant, act, undo, isEdited, canBeChanged, currentDocument,
      entries: [...ENTRIES.keys()] };
    ${draw}
    ${plant}`, page);
  return page.page;
}

// A change that random() draws; what may not be changed there is left.
function draw(random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const entry = pick([...ENTRIES.keys()]), ofBatch = ENTRIES.length > 1 ? ` of entry ${entry}` : '';
  const rooms = DATA.rooms.map((room, i) => i).filter((i) => mapsThatSee(i).length > 0);
  const kind = random();
  try {
    if (mapsOfRows().length > 0 && kind < 0.15) {
      takeAll();
      const [from, to] = [pick([...ROWS.order.keys()]), pick([...ROWS.order.keys()])];
      edit(moveRow(from, to));
      return `row ${from} to ${to}`;
    }
    const [of] = MAPS.filter((map) => map.focus).map((map) => map.room);
    if (of !== undefined && kind < 0.2) {
      const row = pick([...mapsThatSee(of)[0].rows.keys()]), head = Math.floor(random() * DATA.rooms[of].focus.heads);
      edit(setFocus(row, head, entry));
      return `focus ${row} ${head}${ofBatch}`;
    }
    if (kind < 0.75 || rooms.length === 0) {
      const map = pick(MAPS.filter(isInput)), now = () => valueOf(place);
      const place = { map, head: pick([...Array(map.heads).keys()]),
        row: pick([...Array(rowsGiven(map)).keys()]), column: pick([...map.columns.keys()]) };
      takeAll();
      const isAboveZero = /^(scale|C|qk_eps)$|eps$/.test(map.name);
      const x = isLength(map) ? Math.floor(random() * (keysThere(mapsThatSee(map.room)[0]) + 1))
        : isAboveZero ? Math.abs(now()) * (0.5 + random()) + 0.001 : (random() - 0.5) * 4;
      edit(setNumber(place, x, entry));
      return `${fullName(map)}[${place.head},${place.row},${place.column}]${ofBatch} = ${x}`;
    }
    const room = pick(rooms), [map] = mapsThatSee(room);
    if (DATA.rooms[room].rope && random() < 0.5) {
      const base = 1 + random() * 20000;
      takeAll();
      edit(setBase(room, base));
      return `base ${room} ${base}`;
    }
    if (mapsRounded(room).length > 0 && random() < 0.5) {
      const decimals = Math.floor(random() * 5);
      edit(setRound(room, decimals));
      return `round ${room} ${decimals}`;
    }
    if (kind < 0.8 && mapsOfTemperature(room).length > 0) {
      const temperature = 0.2 + random() * 4;
      edit(setTemperature(room, temperature));
      return `temperature ${room} ${temperature}`;
    }
    if (kind < 0.87) {
      const isOn = random() < 0.5;
      edit(setCausal(room, isOn));
      return `causal ${room} ${isOn}`;
    }
    const row = pick([...map.rows.keys()]);
    const column = Math.floor(random() * (map.columns.length - DATA.rooms[room].appended));
    const maySee = random() < 0.5;
    edit(setMask(room, row, column, maySee, entry));
    return `mask ${room} ${row} ${column}${ofBatch} ${maySee}`;
  } catch (refused) {
    if (refused.message !== TEXT.before) throw refused;
    return refused.message;
  }
}

// ---- what is compared ----

// A node of such an operation in the page, as wide as the scores: its numbers.
function plant(spelled, operands) {
  takeAll();
  const { name, room, heads, slices, rows, columns } = MAPS.find((map) => map.name === 'scores');
  const map = { name, room, heads, slices, rows, columns, operation: 'planted' };
  DATA.operations.planted = spelled;
  operands.forEach((operand, i) => {
    const [, of, where] = /(\w+)\[(.+)\]/.exec(operand), index = MAPS.findIndex((one) => one.name === of);
    const width = MAPS[index].columns.length, count = MAPS[index].rows.length;
    map['abcd'[i]] = { map: index, at: { base: 0, ...{
      'i,j': { row: width, column: 1 }, 'j,i': { row: 1, column: width },
      i: { row: width, count: width }, j: { column: width, count: width },
      '·,i': { row: 1, count, apart: width }, '·,j': { column: 1, count, apart: width } }[where] } };
  });
  return [...makeNumbers(map)];
}

// The same by what each operand's letters say.
function differenceOfPlanted(page, type, [spelled, words, by]) {
  const operands = words.split(' '), nodes = page.NODES(0), got = page.plant(spelled, operands);
  const { rows } = page.DATA.maps.find((map) => map.name === 'scores'), n = rows.length;
  const numbersAt = (operand, place) => {
    const [, name, where] = /(\w+)\[(.+)\]/.exec(operand), [row, column] = where.split(',');
    const index = page.DATA.maps.findIndex((map) => map.name === name), { numbers } = nodes[index];
    const width = page.DATA.maps[index].columns.length;
    return numbers.filter((x, at) => (row === '·' || Math.floor(at / width) === place[row]) &&
      (column === undefined || at % width === place[column]));
  };
  const wrong = got.find((x, at) => {
    const place = { i: Math.floor(at / n), j: at % n };
    const wanted = by(...[0, 1, 2].map((k) => operands[k] && numbersAt(operands[k], place)), place.j);
    return !(Math.abs(x - wanted) <= (type === 'f32' ? 1e-5 : 1e-13) * (1 + Math.abs(wanted)));
  });
  return wrong === undefined ? null : `${spelled} of ${words} comes to ${wrong}`;
}

function numbersOf(node, type, isWide) {
  return node.values.flat(2).map((x) => (typeof x === 'string' ? SPECIAL[x] : x))
    .map((x) => (type === 'f32' && !isWide ? Math.fround(x) : x));
}

// The first node of the page that is another one in the trace; what is looked up by a word or an id
// is x in the page's document.
function firstDifference(nodes, trace, type) {
  const others = new Map(trace.nodes.map((node) => [node.name, node]));
  for (const { name, isWide, numbers } of nodes) {
    const node = others.get(name);
    if (!node && /^(embedding|vocab)$/.test(name)) continue;
    if (!node) return `${name} is not there`;
    const wanted = numbersOf(node, type, isWide);
    const at = wanted.findIndex((x, i) => !Object.is(x, numbers[i]));
    if (wanted.length !== numbers.length || at >= 0)
      return `${name}, number ${at + 1}: ${numbers[at]} on the page, ${wanted[at]} by the program`;
  }
  return null;
}

// A generator of numbers from 0 to 1 (Numerical Recipes, 7.1: the quick one).
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function seedOf(name) {
  return [...name].reduce((hash, letter) => Math.imul(hash, 33) ^ letter.charCodeAt(0), 5381);
}

// What a small page has of each query, "weighted[2]", stays where the focus moves.
function weightedOf(nodes, file, type, batch) {
  return nodes.filter(({ name }) => /\bweighted\[/.test(name)).map(({ name, focus: { head, row } }) => {
    const words = [`head=${head + 1}`, `row=${row + 1}`, ...batch];
    const trace = traceOf(file, type, '--focus', words.join(','));
    return { ...trace.nodes.find((one) => one.name === name.split('[')[0]), name };
  });
}

// The first label that the program's page of the document has otherwise. One that says a place
// goes with its row on the page.
function labelDifference(page, file, type, focus) {
  const others = open(dataOf(file, type, '--focus', focus.join(','))).LABELS();
  for (const [name, labels] of page.LABELS()) {
    const wanted = others.get(name) || [];
    const at = labels.findIndex((label, i) => wanted[i] !== undefined && wanted[i] !== label && !/^\w*\[?\d+\]?$/.test(wanted[i]));
    if (at >= 0) return `${name}, label ${at + 1}: ${labels[at]} on the page, ${wanted[at]} by the program`;
  }
  return null;
}

// Of all entries, where the page has several.
function differenceIn(page, file, type, focus) {
  for (const entry of page.entries) {
    const batch = page.entries.length > 1 ? [`batch=${entry + 1}`] : [], words = [...focus, ...batch];
    const trace = traceOf(file, type, ...words.length > 0 ? ['--focus', words.join(',')] : []);
    const nodes = page.NODES(entry);
    if (trace.nodes) trace.nodes.push(...weightedOf(nodes, file, type, batch));
    const difference = typeof trace === 'string' ? trace : firstDifference(nodes, trace, type);
    if (difference !== null) return `${batch}: ${difference}`;
  }
  return null;
}

function allNumbers(page) {
  return String(page.entries.flatMap((entry) => page.NODES(entry).map((node) => node.numbers)));
}

function checkGradients(name, page, did) {
  const before = page.nudges(), amiss = page.gradientsAmiss(generator(seedOf(name)));
  nudges += page.nudges() - before;
  check(name, amiss.length === 0, `${did.join('; ')}: ${amiss.slice(0, 5).join('; ')}`);
}

function tryEdits(name, page, type, acts) {
  const came = allNumbers(page), said = acts.map((act) => act());
  changes += acts.length;
  const file = path.join(folder, 'edited.json');
  fs.writeFileSync(file, page.currentDocument());
  const { head, row } = page.FOCUS();
  const focus = [`head=${head + 1}`, `row=${row + 1}`];
  const difference = differenceIn(page, file, type, focus) || labelDifference(page, file, type, focus);
  check(name, difference === null, `${said.join('; ')}: ${difference}`);
  checkGradients(name, page, said);
  while (page.isEdited()) page.undo();
  check(name, allNumbers(page) === came, 'undo does not bring it back');
}

// All scripts of a page share their names, and of two functions of one name the last one is there.
const names = fs.readdirSync(scripts).filter((file) => file.endsWith('.js'))
  .flatMap((file) => fs.readFileSync(path.join(scripts, file), 'utf8').match(/(?<=^(?:function\*? |class ))\w+/gm) || []);
const twice = names.filter((name, i) => names.indexOf(name) !== i);
check('scripts', twice.length === 0, `several functions are called ${twice}`);

const documents = fs.readFileSync(path.join(folder, 'documents'), 'utf8').trim().split('\n');
documents.forEach((document, i) => {
  const type = i % 2 === 0 ? 'f32' : 'f64', data = dataOf(document, type);
  if (data === null) return; // it is of an error, or of a type of its own
  const page = open(data), name = `${document}, ${type}`;
  if (!page.DATA.source || !page.canBeChanged) {
    check(name, false, 'its page can not be changed');
    return;
  }
  const difference = differenceIn(page, document, type, []);
  check(name, difference === null, `as it came: ${difference}`);
  const amiss = page.productsAmiss();
  checkGradients(name, page, ['as it came']);
  check(name, amiss.length === 0, `operands of ${amiss} are not what it was made of`);
  for (const seed of [2 * i, 2 * i + 1]) {
    const random = generator(seed);
    tryEdits(name, page, type, Array.from({ length: EDITS }, () => () => page.draw(random)));
  }
  for (const row of name.includes('/001-walkthrough') ? PLANTED : []) {
    let wrong;
    try {
      wrong = differenceOfPlanted(page, type, row);
    } catch (error) {
      wrong = `${row[0]}: ${error.message}`;
    }
    check(name, wrong === null, `planted: ${wrong}`);
  }
  const words = CASES[path.basename(document, '.json')] || [];
  if (words.length > 0) tryEdits(name, page, type, words.map((one) => () => page.act(one)));
});
if (documents.length > 100) check('all', changes >= LEAST, `only ${changes} changes`);
if (documents.length > 100) check('all', nudges >= LEAST_NUDGES, `only ${nudges} numbers are nudged`);
console.log(`${passed} passed, ${failed} failed`);
