'use strict';
// node edits.js SCRIPTS FOLDER [learning] [generations]: the scripts of pages, in the folder SCRIPTS, with the data of
// a page of each document that FOLDER/documents names, in float32 and float64 by turns.
//
// as it came   every node of every entry of a batch, computed again by the page, is what the trace has,
//              bit for bit, and its texts are those of the page
// operands     of a product, the numbers that a reader is shown of the last cell are what it was made of
// edits        after five changes, drawn from a seed, of numbers, of lengths, of temperatures, of what
//              may be seen, of the order of rows and of what is worked out, and after five more among
//              which tokens, and keys that are no tokens, are added, taken out and named, the program computes of the
//              page's document every number of every entry that the page has,
//              bit for bit, and calls rows and columns as the page does
// undo         brings back what came
// solved       the same of an exercise, once it can be changed
// one token    the same of a document that is cut to its first token, and grows
// dictated     of a document whose words have a vocabulary, a page of the first word, to which the others
//              are added, is the program's of all of them
// cases        the same after changes that once went wrong
// gradients    of a number that is nudged the loss grows as its gradient says, and nothing of the page
//              is another one afterwards; what a gradient is blamed on adds up to it, a number each of
//              what is no gradient, or a row's sum
// planted      an operation that the program has not is worked out from its row alone
// scripts      no two functions of a page have one name
// widths       the same after widths are raised and lowered among five changes, of each document that has any
// heads        with each other number of heads that a page has, what was changed on it is changed there, too, and
//              all numbers are the program's of the document that the page would save
// generations  after another first word, or another choice, every number of the steps that follow is the
//              program's of these words, greedy and drawn; undo and the address do the same
// learning     after 1, 10 and 100 steps each number, text and loss is what `selfattn train` leads to, in
//              float32 and float64; undo and redo bring back each series, and an address all of them;
//              a step that can't be taken is refused, and changes nothing
//
// A changed node that nobody looks at, or fewer than 1,000 changes of all documents, 100 nudges, or 20 documents
// of one token that grow, or whose keys do, or whose widths are others, or 20 other numbers of heads,
// as many of layers, as many of a batch, are failures.

const fs = require('fs');
const path = require('path');
const vm = require('vm');
const { spawnSync } = require('child_process');

const [scripts, folder, ...words] = process.argv.slice(2);
const [learning, generations] = ['learning', 'generations'].map((word) => words.includes(word));
const PARTS = ['bound', 'choosing', 'document', 'edits', 'evaluate', 'experts', 'focus', 'formula', 'gradients', 'growing', 'heads', 'learning', 'numbers', 'origins',
  'real', 'texts', 'widths'];
const SCRIPT = PARTS.map((name) => fs.readFileSync(path.join(scripts, `${name}.js`), 'utf8')).join('\n');
const EDITS = 5, LEAST = 1000, LEAST_NUDGES = 100, LEAST_CUT = 20, EACH_CUT = 3;
const CASES = {
  // a layer's cross-attention rounds as the layer does, unless it says so itself
  'decoder-seen-by-all': ['edit(setRound(13, 3))'],
  // two of three strongest keys are asked for, and nothing is masked
  'decoder-weights': ["if (JSON.parse(currentDocument()).layers[0].cross.top !== 2) throw new Error('another number of keys is named')"],
  // rows of x that are no queries are moved, and the query in focus stays
  'keys-of-x-named-query': ['edit(moveRow(0, 1))', "edit(tokensIn('key-add', '3'))", "edit(tokensIn('key-remove', '0'))"],
  // queries keep their names
  'keys-of-x-named': ['edit(moveRow(0, 1))', "edit(tokensIn('key-add', '1,so'))"],
  // keys that are rows of x, and their values, by the names of keys
  'keys-of-x': ["edit(tokensIn('key-add', '1,so'))", "edit(tokensIn('key-add', '4,b'))", "edit(tokensIn('key-remove', '0'))",
    "edit(tokensIn('key-name', '0,as'))", 'edit(moveRow(0, 2))'],
  // queries that stand at the last key of their entry, of which one is moved by its length
  'key-lengths': ['edit(setNumber({ map: MAPS.find(isLength), head: 0, row: 0, column: 0 }, 5, 1))',
    'edit(setMask(0, 0, 4, true, 1))'],
  // a bias stays where it is, and is called as the scores are
  'batch-lengths': ['edit(moveRow(0, 1))'],
  // one length is for all entries, of which one query comes to see a key beyond it
  'batch-window': ['edit(setMask(0, 0, 3, true, 0))',
    "if (numberNamed('weights', [1, 2, 3]) !== 0) throw new Error('another entry sees it too')"],
  // rows that come to other experts, by the router, by themselves, and by what is told of a layer before
  'encoder-experts': ["changeNamed('layer.0.router_bias', [2], 20)",
    "if (numberNamed('layer.0.ffn.choice', [4, 0]) !== 2) throw new Error('row 5 has not chosen expert 2')",
    "changeNamed('x', [0, 1], 3); changeNamed('layer.0.experts.2.w2', [0, 0], 2); changeNamed('layer.0.experts.2.b3', [1], -3)",
    "changeNamed('layer.1.router', [1, 0], 9)",
    "for (const i of [0, 1, 2, 3]) changeNamed('layer.1.router', [i, 1], numberNamed('layer.1.router', [i, 0]))",
    "if (numberNamed('layer.1.ffn.choice', [3, 0]) !== 0) throw new Error('of equal experts the first is not chosen')"],
  // the choice alone is biased; a group that wins by it; the shared one and what it counts
  'encoder-experts-groups': ["if (numberNamed('layer.0.ffn.choice', [0, 0, 0]) === 5) throw new Error('row 1 has chosen expert 5')",
    "changeNamed('layer.0.choice_bias', [5], 3)", "if (numberNamed('layer.0.ffn.choice', [0, 0, 0]) !== 5) throw new Error('row 1 has not chosen expert 5')",
    "changeNamed('layer.0.shared.w3', [1, 2], -2); changeNamed('layer.0.shared_gate', [0, 0], 1.5)",
    "changeNamed('layer.1.experts.1.w1', [3, 1], 4)", "changeNamed('layer.0.choice_bias', [5], -3); changeNamed('layer.1.choice_bias', [0], 9)",
    "for (const i of [0, 1, 2, 3, 4]) changeNamed('layer.0.choice_bias', [i], -4 - i)"],
  'decoder-experts': ["changeNamed('layer.0.router', [2, 0], 30)", "changeNamed('layer.0.routing_scale', [], 0.75)",
    "changeNamed('layer.1.cross.xk', [1, 1], 5)", "changeNamed('layer.0.experts.0.w1', [3, 2], 40)"],
  // the same back: what an expert gains is of other rows then, and of none
  'encoder-experts-backward': ["if (numberNamed('layer.0.experts.3.w1_grad', [1, 0]) !== 0) throw new Error('expert 3 has rows')",
    "changeNamed('layer.0.router_bias', [3], 20)", "if (numberNamed('layer.0.experts.3.w1_grad', [1, 0]) === 0) throw new Error('expert 3 has no rows')",
    "changeNamed('layer.1.experts.0.w2', [1, 0], -3)"],
  'encoder-experts-groups-backward': ["changeNamed('layer.0.choice_bias', [2], 4)", "changeNamed('layer.1.routing_scale', [], -0.5)"],
  'decoder-experts-backward': ["changeNamed('layer.0.router', [0, 4], 20)", "changeNamed('layer.0.shared_gate', [1, 0], -2)"],
  'encoder-experts-repeat-backward': ["changeNamed('layer.1.router', [2, 0], 9)", "changeNamed('layer.0.experts.0.b2', [1], 2)"],
  // gradients that begin with ones have no names of their own, and are called as the tokens are
  'norm-all-heads': ["edit(startSentence(2, 'so'))"],
  // causality lets one query see more, in one entry; in all it is said key by key from then on
  'rope-lengths': ['edit(setMask(0, 0, 1, true, 0))'],
};
const DICTATED = ['000-cat-walks', 'street'];
// Steps that are asked for.
const SOLVED_EXERCISES = { '001-walkthrough': 'scores,softmax', 'asad-two-heads-wo': 'scores,sum', 'seed-encoder': 'scores,softmax' };
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
// Documents that learn: x of 3 rows, and matrices of these rows and columns. Keys with a list of
// sizes are drawn.
const PLAIN = { x: [3, 4], wq: [4, 2], wk: [4, 2], wv: [4, 3] };
const ONE_HEAD = { ...PLAIN, loss: 'square', target: [3, 3] };
const TWO_GROUPS = { x: [3, 4], wq: [4, 8], wk: [4, 4], wv: [4, 4], wo: [8, 3], heads: 4, kv_heads: 2 };
const SQUARE = { wq: [4, 4], wk: [4, 4], wv: [4, 4] }, HIDDEN = { w1: [4, 3], w2: [3, 4] };
const LEARNT = {
  'one head': ONE_HEAD,
  'x alone': { x: [3, 2], loss: 'square', target: [3, 2] },
  causal: { ...PLAIN, causal: true, loss: 'mean' },
  masked: { ...PLAIN, mask: [[1, 0, 1], [0, 0, 0], [1, 1, 0]], loss: 'sum', score: 'dot' },
  groups: { ...TWO_GROUPS, loss: 'square', target: [3, 3], causal: true },
  biases: { ...TWO_GROUPS, bq: [8], bk: [4], bv: [4], bo: [3], bias: [3, 3], sinks: [4], loss: 'mean' },
  heads: { x: [3, 4], wq: [2, 4, 2], wk: [2, 4, 2], wv: [2, 4, 1], loss: 'square', target: [3, 2] },
  turned: { ...ONE_HEAD, rope: true, softcap: 2 },
  norms: { ...ONE_HEAD, qk_norm: 'rms', q_gain: [2], k_gain: [2] },
  additive: { ...ONE_HEAD, score: 'additive', wa: [2, 3], ua: [2, 3], va: [3], ba: [3] },
  latents: { x: [3, 4], wq_down: [4, 2], bq_down: [2], q_latent_gain: [2], wq: [2, 6], wkv_down: [4, 4], bkv_down: [4],
    kv_latent_gain: [3], wk: [3, 4], bk: [4], wv: [3, 4], heads: 2, causal: true, loss: 'square', target: [3, 4] },
  general: { ...ONE_HEAD, score: 'general', ws: [2, 2] },
  // two layers, of norms before parts, with gates, and after them, with memory
  encoder: { x: [3, 4], norm: 'pre', activation: 'gelu', heads: 2, loss: 'square', target: [3, 4], ln_f: { gain: [4], bias: [4] },
    layers: [{ ...SQUARE, wo: [4, 4], bq: [4], ln1: { gain: [4] }, ln2: {}, ...HIDDEN, w3: [4, 3], b1: [3] },
      { ...SQUARE, ln1: { gain: [4], bias: [4] }, ...HIDDEN, b2: [4] }] },
  decoder: { x: [3, 4], memory: [2, 4], norm_kind: 'rms', activation: 'silu', loss: 'cross-entropy', labels: { ids: [1, -100, 4] },
    unembedding: [4, 5], unembedding_bias: [5], layers: [1, 2].map(() => ({ ...SQUARE, cross: SQUARE, ...HIDDEN, ln1: { gain: [4] } })) },
  // two layers that come twice, and one three times
  repeated: { x: [3, 4], activation: 'gelu', heads: 2, loss: 'square', target: [3, 4], repeat: 2,
    layers: [{ ...SQUARE, bq: [4], ln1: { gain: [4] }, ...HIDDEN }, { ...SQUARE, wo: [4, 4], ...HIDDEN, b2: [4] }] },
  'repeated decoder': { x: [3, 4], memory: [2, 4], norm_kind: 'rms', repeat: 3, loss: 'cross-entropy', labels: { ids: [1, -100, 4] },
    unembedding: [4, 5], causal: true, layers: [{ ...SQUARE, cross: SQUARE, ...HIDDEN, ln1: { gain: [4] } }] },
  // rows that come to other experts as these learn, by each routing, with a shared one and its gate, twice
  experts: { x: [3, 4], norm: 'pre', activation: 'silu', top_experts: 2, loss: 'square', target: [3, 4], layers: [{ ...SQUARE, router: [4, 3],
    router_bias: [3], experts: [1, 2, 3].map(() => ({ ...HIDDEN, w3: [4, 3], b1: [3], b3: [3], b2: [4] })) }] },
  'grouped experts': { x: [3, 4], activation: 'gelu', routing: 'sigmoid', groups: 2, top_groups: 1, top_experts: 1, routing_scale: 1.5, loss: 'square',
    target: [3, 4], layers: [{ ...SQUARE, router: [4, 4], choice_bias: [4], experts: [1, 2, 3, 4].map(() => HIDDEN), shared: HIDDEN, shared_gate: [4, 1] }] },
  'repeated experts': { x: [3, 4], activation: 'clamped', routing: 'top-softmax', top_experts: 2, repeat: 2, loss: 'square', target: [3, 4], layers: [{ ...SQUARE,
    router: [4, 3], experts: [1, 2, 3].map(() => ({ ...HIDDEN, w3: [4, 3] })), shared: { ...HIDDEN, w3: [4, 3], b2: [4] } }] },
  'masked model': { x: [3, 4], activation: 'gelu', loss: 'cross-entropy', labels: { ids: [1, -100, 4] }, unembedding: [3, 5],
    unembedding_bias: [5], head: { w: [4, 3], b: [3], norm: { gain: [3], bias: [3] } }, layers: [{ ...SQUARE, ...HIDDEN }] },
  // a product before the layers, after a norm or before positions, and a head without an activation
  projected: { x: [3, 5], loss: 'square', target: [3, 4], ln_e: { gain: [5], bias: [5] }, embed: { w: [5, 4], b: [4] },
    layers: [{ ...SQUARE, ...HIDDEN }] },
  'projected first': { x: [3, 5], loss: 'cross-entropy', labels: { ids: [1, -100, 4] }, unembedding: [3, 5],
    embed: { w: [5, 4], before: 'positions' }, head: { w: [4, 3], activation: 'none' }, layers: [{ ...SQUARE, ...HIDDEN }] },
};
const SERIES = [[1, 0.1], [10, 0.05], [100, 0.01]];
const sumOf = (list) => list.reduce((sum, x) => sum + x, 0);
const SPECIAL = { NaN, Infinity, '-Infinity': -Infinity };
let passed = 0, failed = 0, changes = 0, nudges = 0;
const cuts = { tokens: 0, heads: 0, layers: 0, entries: 0 }, withKeys = new Set(), withWidths = new Set();

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

// What a page holds, out of the page itself; and with other numbers of heads.
function dataOf(document, type, ...options) {
  return datasOf(document, type, ...options)?.[0] ?? null;
}

function datasOf(document, type, ...options) {
  const page = path.join(folder, 'page.html');
  const ran = selfattn('run', '--quiet', '--dtype', type, '--trace-format', 'html', '--trace-output', page,
    '-o', '/dev/null', ...options, document);
  if (ran.isLost) check(document, false, `the program is lost: ${ran.said}`);
  if (!ran.isDone) return null;
  const text = fs.readFileSync(page, 'utf8'), [came, ...others] = [...text.matchAll(/id=data>([^]*?)<\/script>/g)].map(([, data]) => data);
  const words = JSON.stringify(JSON.parse(came).words);
  return [came, ...others.map((data) => `{"words":${words},${data.slice(1)}`)];
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
    takeCut: () => {},
  });
  vm.runInContext(`${SCRIPT}
    const NODES = (entry) => { takeAll(); return inEntry(entry, () => { catchUp(); return MAPS.map((map) =>
      ({ name: fullName(map), focus: map.focus, isWide: Boolean(map.wide), numbers: [...NUMBERS.get(map)] })); }); };
    const FOCUS = () => focusOf(roomInFocus());
    const act = (words) => { takeAll(); (0, eval)(words); return words; };
    const isAlive = () => ALIVE.isNow, solve = () => { ALIVE.isNow = true; };
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
    // A clip that cuts other numbers within a nudge bends the loss there, and rows that come to other experts do.
    const cutNow = () => { catchUp(); return String([...MAPS.filter((map) => map.operation === 'clip')
      .map((map) => [...NUMBERS.get(map)].map((x) => Math.abs(x) === TYPE.round(NUMBERS.get(MAPS[map.b.map])[0]))),
    ...MAPS.filter((map) => map.name === 'ffn.choice').map((map) => [...NUMBERS.get(map)])]); };
    const bendsWithin = (place, step) => [step, -step].some((by) => {
      const x = valueOf(place), before = cutNow();
      edit(setNumber(place, x + by));
      const isOther = cutNow() !== before;
      undo();
      return isOther;
    });
    const gradientsAmiss = (random) => {
      takeAll();
      const pick = (count) => Math.floor(random() * count), all = MAPS.filter(gradientOf), amiss = [];
      const cellOf = (map, rows) => ({ map, head: pick(map.heads), row: pick(rows), column: pick(map.columns.length) });
      for (const map of all) {
        const place = cellOf(map, map.rows.length), of = gradientAt(place), terms = blamesOf(of);
        const shares = terms.map(({ share }) => share), add = (sum, x) => sum + x;
        const most = shares.map(Math.abs).reduce(add, 1e-30) * (DATA.type === 'f32' ? 1e-5 : 1e-13);
        if (terms.length === 0 && valueOf(of) !== 0 && !['output_grad', 'logits_grad'].includes(of.map.name)) amiss.push(anchorOf(of) + ' is blamed on nothing');
        if (terms.length > 0 && !(Math.abs(shares.reduce(add) - valueOf(of)) <= most)) amiss.push(anchorOf(of) + ' is not ' + shares.join(' + '));
        for (const { place: { map: on } } of terms)
          if (forwardOf(on) ? true : goesBack(on) && on.name !== 'delta' && !/[._](share|back_mean)$/.test(on.name)) amiss.push(anchorOf(of) + ' is blamed on ' + on.name);
      }
      for (const map of all.filter(isInput)) {
        const place = cellOf(map, rowsGiven(map)), of = gradientAt(place), before = String(NODES(ENTRY).map(({ numbers }) => numbers));
        if (!isNudged(place)) continue;
        const { quotient, step } = nudgeOf(place);
        const greatest = NUMBERS.get(of.map).reduce((most, x) => Math.max(most, Math.abs(x)), 0.01);
        nudges++;
        if (!(Math.abs(quotient - valueOf(of)) <= greatest * (DATA.type === 'f32' ? 0.02 : 1e-5)) && !bendsWithin(place, step))
          amiss.push(anchorOf(place) + ' ± ' + step + ': the loss grows by ' + quotient + ', and the gradient is ' + valueOf(of));
        if (String(NODES(ENTRY).map(({ numbers }) => numbers)) !== before) amiss.push(anchorOf(place) + ' is nudged, and the page is another');
      }
      return amiss;
    };
    let nudges = 0;
    const LABELS = () => new Map(MAPS.map((map) => [fullName(map), [...map.rows, ...map.columns]]));
    const TEXTS = () => MAPS.filter((map) => map.cells).map((map) => [fullName(map),
      range(0, map.heads, (head) => map.rows.map((nothing, row) => rowOf(map, head, row)))]);
    const choose = (place, id) => edit(chooseWord(place, id));
    const idsUpTo = (end) => range(DATA.choices.first, end, idAt);
    const replayed = () => {
      const words = textOfEdits(), wanted = String(NODES(ENTRY).map(({ numbers }) => numbers));
      while (isEdited()) undo();
      replay(words);
      return String(NODES(ENTRY).map(({ numbers }) => numbers)) === wanted ? null : words;
    };
    const cutFrom = (came, heads) => { CUT.all = [came, heads]; CUT.wanted = came; };
    const headsShown = () => Math.max(...DATA.rooms.map(({ focus }) => focus.heads));
    const replay = (words) => editAll(editsIn(words));
    globalThis.page = { choose, idsUpTo, replayed, TEXTS, replay, train, redo, textOfEdits, lossRuns, NODES, LABELS, productsAmiss, gradientsAmiss, nudges: () => nudges, DATA, FOCUS, draw, drawWidth, plant, act, whyNoTokens, cutFrom, headsShown, undo, isEdited, isAlive, solve, canBeChanged, currentDocument,
      entries: [...ENTRIES.keys()] };
    ${draw}
    ${drawWidth}
    ${plant}`, page);
  return page.page;
}

// A change that random() draws; what may not be changed there is left.
function draw(random, grows) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const entry = pick([...ENTRIES.keys()]), ofBatch = ENTRIES.length > 1 ? ` of entry ${entry}` : '';
  const rooms = DATA.rooms.map((room, i) => i).filter((i) => mapsThatSee(i).length > 0);
  const kind = random();
  try {
    if (grows && kind < 0.3 && !areKeysOfX() && whyNoTokens() === '') {
      const { length } = ROWS.order, at = Math.floor(random() * length);
      const [did, act] = pick([['add', () => addToken(at + 1, 'so' + at)], ['add', () => addToken(at)],
        ['remove', () => removeToken(at)], ['rename', () => renameToken(at, 'as, ' + at)],
        ['start', () => startSentence(at)], ['start with a word', () => startSentence(at, 'so')]]);
      edit(act());
      return `${did} ${at}`;
    }
    if (grows && kind < 0.5 && whyNoTokens(groupOfKeys()) === '') {
      const { length } = groupOfKeys().order, at = Math.floor(random() * length);
      const [did, act] = pick([['add key', () => addToken(at + 1, 'so' + at, groupOfKeys())], ['add key', () => addToken(at, undefined, groupOfKeys())],
        ['remove key', () => removeToken(at, groupOfKeys())], ['rename key', () => renameToken(at, 'as, ' + at, groupOfKeys())]]);
      edit(act());
      return `${did} ${at}`;
    }
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
    if (![TEXT.before, TEXT.lastToken, TEXT.lastKey].includes(refused.message)) throw refused;
    return refused.message;
  }
}

// A width that is one more or one less, where one may be.
function drawWidth(random) {
  const free = widthsHere().filter((group) => whyNoWidth(group) === '');
  if (free.length === 0) return draw(random, true);
  const group = free[Math.floor(random() * free.length)], to = group.order.length + (random() < 0.6 ? 1 : -1);
  try {
    edit(setWidth(group.name, to));
    return `width of ${group.name} ${to}`;
  } catch (refused) {
    if (!refused.isRefusal) throw refused;
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
// is x in the page's document, and what is added by distance a bias.
function firstDifference(nodes, trace, type) {
  const others = new Map(trace.nodes.map((node) => [node.name, node]));
  for (const { name, isWide, numbers } of nodes) {
    const node = others.get(name);
    if (!node && /^(embedding|vocab)$|(^|\.)((in_)?bucket|relative_bias_grad(_part)?)$/.test(name)) continue;
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
// goes with its row on the page; an id keeps its word, which the document has no more.
function labelDifference(page, file, type, focus) {
  const others = open(dataOf(file, type, '--focus', focus.join(','))).LABELS();
  for (const [name, labels] of page.LABELS()) {
    const wanted = others.get(name) || [];
    const at = labels.findIndex((label, i) => wanted[i] !== undefined && wanted[i] !== label && !/^(\w*\[?|id )\d+\]?$/.test(wanted[i]));
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

// Whose labels differ where the address of these changes is opened; { data } of the page.
function labelOfAddress(page, data) {
  const address = page.textOfEdits(), other = open(data);
  other.replay(address);
  const [ours, theirs] = [page, other].map((one) => [...one.LABELS()].map(String)), at = ours.findIndex((said, i) => said !== theirs[i]);
  return at < 0 ? null : `${theirs[at]} by the address ${address}, and ${ours[at]} before`;
}

function tryEdits(name, page, type, acts, data) {
  const came = allNumbers(page), said = acts.map((act) => act());
  changes += acts.length;
  if (said.some((one) => /^(add|remove) key/.test(one))) withKeys.add(name.split(',')[0]);
  if (said.some((one) => /^width of/.test(one))) withWidths.add(name.split(',')[0]);
  const file = path.join(folder, 'edited.json');
  fs.writeFileSync(file, page.currentDocument());
  const { head, row } = page.FOCUS();
  const focus = [`head=${head + 1}`, `row=${row + 1}`];
  const difference = differenceIn(page, file, type, focus) || labelDifference(page, file, type, focus);
  check(name, difference === null, `${said.join('; ')}: ${difference}`);
  checkGradients(name, page, said);
  const other = data ? labelOfAddress(page, data) : null;
  check(name, other === null, `${said.join('; ')}: ${other}`);
  while (page.isEdited()) page.undo();
  check(name, allNumbers(page) === came, 'undo does not bring it back');
}

// ---- of one token ----

// Without what is said of all tokens; -0 stays what it is.
function tryOneToken(name, document, type, seed) {
  const given = JSON.parse(fs.readFileSync(document, 'utf8'), (key, x) => (Object.is(x, -0) ? '\u0000' : x));
  if (!Array.isArray(given.x?.[0]) || Array.isArray(given.x[0][0]) || given.x.length < 2) return;
  const { expected, loss, output_grad, target, labels, ...others } = given, file = path.join(folder, 'cut.json');
  const cut = { ...others, x: given.x.slice(0, 1), ...given.tokens ? { tokens: given.tokens.slice(0, 1) } : {} };
  fs.writeFileSync(file, JSON.stringify(cut).replaceAll('"\\u0000"', '-0.0'));
  const data = dataOf(file, type), page = data && open(data), random = generator(seed);
  if (!page?.canBeChanged || page.whyNoTokens() !== '') return;
  cuts.tokens++;
  const acts = ['edit(addToken(1))', "edit(addToken(0, 'so'))"].map((words) => () => page.act(words));
  tryEdits(`${name}, one token`, page, type, [...acts, ...Array.from({ length: EDITS }, () => () => page.draw(random, true))]);
}

function tryDictation(document, type) {
  const given = JSON.parse(fs.readFileSync(document, 'utf8')), file = path.join(folder, 'cut.json');
  fs.writeFileSync(file, JSON.stringify({ ...given, tokens: given.tokens.slice(0, 1), expected: undefined }));
  const page = open(dataOf(file, type));
  given.tokens.slice(1).forEach((word, i) => page.act(`edit(addToken(${i + 1}, ${JSON.stringify(word)}))`));
  const difference = differenceIn(page, document, type, ['head=1', 'row=1']);
  check(`${document}, dictated`, difference === null, `${difference}`);
  changes += given.tokens.length - 1;
}

// ---- other numbers of heads ----

function tryHeads(name, document, type, seed) {
  const [came, ...others] = datasOf(document, type), random = generator(seed), page = open(came);
  const said = others.length > 0 ? Array.from({ length: EDITS }, () => page.draw(random, true)) : [];
  for (const data of others) {
    const other = open(data), heads = other.headsShown(), file = path.join(folder, 'edited.json');
    other.cutFrom(page.headsShown(), heads);
    try {
      other.replay([page.textOfEdits(), `heads=${heads}`].filter((words) => words).join(';'));
    } catch (refused) {
      said.push(refused.message);
    }
    fs.writeFileSync(file, other.currentDocument());
    cuts.heads++;
    cuts.layers += other.DATA.rooms.length > 1;
    cuts.entries += other.entries.length > 1;
    check(name, JSON.parse(fs.readFileSync(file, 'utf8')).heads === heads, `its document has no ${heads} heads`);
    const { head, row } = other.FOCUS(), focus = [`head=${head + 1}`, `row=${row + 1}`];
    const difference = differenceIn(other, file, type, focus) || labelDifference(other, file, type, focus);
    check(name, difference === null, `${heads} heads; ${said.join('; ')}: ${difference}`);
    checkGradients(name, other, [`${heads} heads`, ...said]);
  }
}

// ---- generations ----

// By name: the document, its steps, and options of both.
const GENERATED = { greedy: ['testdata/stacks/generator.json', 4, []],
  drawn: ['testdata/stacks/generator.json', 4, ['--temperature', '1.5', '--seed', '3']],
  scaled: ['tests/trace/stacks/generation-softcap.json', 3, []],
  projected: ['tests/trace/stacks/generation-projected.json', 3, []],
  experts: ['tests/trace/stacks/generation-experts.json', 3, []] };

function generationOf(document, type, steps, options, format) {
  const file = path.join(folder, `generated.${format}`);
  selfattn('generate', '--quiet', '--dtype', type, '--length', steps, ...options, '--trace-format', format, '--trace-output', file,
    '-o', '/dev/null', document);
  return fs.readFileSync(file, 'utf8');
}

// Of the page what is of a step from `from` on, and of the program's run what is of as many fewer.
function differenceInSteps(page, trace, type, from, nodesOf = () => true) {
  const stepOf = (name) => Number(/^step\.(\d+)/.exec(name)[1]);
  const nodes = page.NODES(0).filter(({ name }) => stepOf(name) >= from)
    .map((node) => ({ ...node, name: node.name.replace(/^step\.\d+/, `step.${stepOf(node.name) - from}`) }));
  return firstDifference(nodes.filter(({ name }) => nodesOf(name)), trace, type);
}

// The first word that goes in is another one: the program's run of that prompt is the page. One that is
// chosen is another one: what follows is the program's run of all words up to it, whose first step has
// their rows at once.
function tryGeneration(name, type, [document, steps, options]) {
  const page = open(/id=data>([^]*?)<\/script>/.exec(generationOf(document, type, steps, options, 'html'))[1]);
  const came = allNumbers(page), text = fs.readFileSync(document, 'utf8'), given = JSON.parse(text), random = generator(seedOf(name));
  const tell = (difference, what) => check(name, difference === null, `${what}: ${difference}`);
  const run = (ids, count) => {
    const file = path.join(folder, 'words.json');
    fs.writeFileSync(file, text.replace(/"ids": \[[^\]]*\]/, `"ids": [${ids}]`)); // and each -0 as it was
    return JSON.parse(generationOf(file, type, count, options, 'json'));
  };
  tell(differenceInSteps(page, run(given.ids, steps), type, 0), 'as it came');
  for (let i = 0; i < 4; i++) {
    const place = Math.floor(random() * given.ids.length), id = Math.floor(random() * given.embedding.length);
    const ids = given.ids.map((one, at) => (at === place ? id : one));
    page.choose(place, id);
    tell(differenceInSteps(page, run(ids, steps), type, 0), `${id} at ${place}`);
    while (page.isEdited()) page.undo();
  }
  for (let step = 0; step < steps - 1 && options.length === 0; step++) {
    const id = Math.floor(random() * given.embedding.length);
    page.choose(given.ids.length + step, id);
    const ids = page.idsUpTo(given.ids.length + step + 1), trace = run([...given.ids, ...ids], steps - step - 1);
    tell(differenceInSteps(page, trace, type, step + 1, (one) => !one.startsWith('step.0.') || /^step\.0\.(logits|choice)$/.test(one)), `${id} chosen by step ${step}`);
    check(name, page.replayed() === null, 'its address leads elsewhere');
    changes++;
  }
  while (page.isEdited()) page.undo();
  check(name, allNumbers(page) === came, 'undo does not bring it back');
}

// ---- learning ----

// { ids } stay as they are.
function drawn(document, random) {
  const draw = ([size, ...more]) => Array.from({ length: size }, () => (more.length > 0 ? draw(more) : Math.fround(2 * random() - 1)));
  const of = (value) => {
    if (!(value instanceof Object)) return value;
    if (!Array.isArray(value)) return value.ids || drawn(value, random);
    return Array.isArray(value[0]) ? value : typeof value[0] === 'number' ? draw(value) : value.map(of);
  };
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, of(value)]));
}

// A matrix of the two documents that has other numbers, or of their layers.
function matrixDifference(ours, wanted, type) {
  const round = type === 'f32' ? Math.fround : Number, isObject = (one) => one instanceof Object && !Array.isArray(one);
  const numbers = (matrix) => String([matrix].flat(3).map(round));
  return Object.keys(wanted).find((name) => {
    const [one, other] = [ours[name], wanted[name]];
    if (isObject(other)) return matrixDifference(one, other, type);
    if (Array.isArray(other) && isObject(other[0])) return other.some((layer, i) => matrixDifference(one[i], layer, type));
    return Array.isArray(other) && numbers(one) !== numbers(other);
  });
}

// What the page has otherwise than the program after the steps, and all that it shows.
function differenceAfter(page, losses, said, file, type) {
  const wanted = said.trim().split('\n').slice(1).map((line) => Number(line.split(',')[1]));
  const round = type === 'f32' ? Math.fround : Number, texts = open(dataOf(file, type)).TEXTS();
  if (String(wanted.map(round)) !== String(losses)) return `losses are ${losses}, and ${wanted} by the program`;
  const [ours, theirs] = [page.currentDocument(), fs.readFileSync(file, 'utf8')].map((text) => JSON.parse(text));
  const matrix = matrixDifference(ours, theirs, type);
  if (matrix) return `its document has another ${matrix}`;
  const other = texts.find(([, rows], i) => String(rows) !== String(page.TEXTS()[i][1]));
  return other ? `it shows another ${other[0]}` : differenceIn(page, file, type, []);
}

// One series after the other, undone, done again, and once more as an address says them.
function tryLearning(name, document, type, only) {
  const files = [0, ...SERIES].map((nothing, i) => path.join(folder, `learnt-${i}.json`));
  fs.writeFileSync(files[0], JSON.stringify(document));
  const data = dataOf(files[0], type), page = open(data), numbers = [allNumbers(page)];
  const runs = [];
  SERIES.forEach(([steps, rate], i) => {
    const losses = page.train(steps, rate, only);
    const by = selfattn('train', '--dtype', type, '--steps', steps, '--rate', rate, ...only.length > 0
      ? ['--only', only] : [], '--losses', '-', '-o', files[i + 1], files[i]);
    const difference = by.isDone ? differenceAfter(page, losses, by.text, files[i + 1], type) : by.said;
    check(name, difference === null, `${steps} steps at ${rate}: ${difference}`);
    numbers.push(allNumbers(page));
    runs.push(...losses.slice(i > 0 ? 1 : 0));
    check(name, String(page.lossRuns().map((run) => run.losses)) === String(runs), 'the line has other losses');
  });
  const address = page.textOfEdits(), other = open(data);
  other.replay(address);
  check(name, allNumbers(other) === numbers[3], `an address leads elsewhere: ${address}`);
  const back = SERIES.map(() => page.undo() || allNumbers(page)), again = SERIES.map(() => page.redo() || allNumbers(page));
  check(name, String(back) === String(numbers.slice(0, 3).reverse()), 'undo does not bring each series back');
  check(name, String(again) === String(numbers.slice(1)), 'redo does not bring each series again');
}

// What is refused says why, as the program does, and nothing changes.
function tryRefusals(name, document, rows) {
  const file = path.join(folder, 'refused.json');
  fs.writeFileSync(file, JSON.stringify(document));
  const page = open(dataOf(file, 'f32')), came = allNumbers(page);
  for (const [words, ...asked] of rows) {
    let said = '';
    try {
      page.train(...asked);
    } catch (error) {
      said = error.message;
    }
    check(name, said.includes(words), `it says '${said}', not '${words}'`);
    check(name, allNumbers(page) === came && !page.isEdited(), `it changes though it says '${said}'`);
  }
}

function checkLearning() {
  Object.entries(LEARNT).forEach(([name, sizes], i) => {
    const document = drawn(sizes, generator(100 + i)), only = document.wv || document.layers ? '' : 'x';
    for (const type of ['f32', 'f64']) tryLearning(`learning, ${name}, ${type}`, document, type, only);
  });
  const one = drawn(ONE_HEAD, generator(1)), { loss, target, ...still } = one;
  tryLearning('learning, Wv alone', one, 'f64', 'wv');
  tryLearning('learning, x and Wq', one, 'f32', 'x,wq');
  tryLearning('learning, of experts', drawn(LEARNT.experts, generator(4)), 'f32', 'layer.0.router,layer.0.experts.1.w2');
  tryLearning('learning, of a layer', drawn(LEARNT.decoder, generator(2)), 'f32', 'memory,layer.0.cross.wv,layer.1.ln1.gain');
  tryRefusals('learning, refused', one, [['wq is not finite', 1, 1e39], ['after step', 20, 1e9],
    ['the loss is not finite', 20, 1e9], ['a rate below 1000000000', 20, 1e9], ['no matrix heads', 1, 0.1, 'heads'],
    ['not a rate', 1, NaN], ['not a rate', 1, Infinity], ['not a rate', 1, -1], ['not a rate', 1, '1'],
    ['not a number of steps', 0.5, 1]]);
  tryRefusals('learning, no loss', still, [['no loss here', 1, 0.1]]);
  tryRefusals('learning, a batch', { ...one, x: [one.x, one.x], target: [target, target] }, [['the part of one', 1, 0.1]]);
  tryRefusals('learning, a table', drawn({ ...LEARNT.decoder, position_embedding: [3, 4] }, generator(3)), [['as a whole', 1, 0.1]]);
  tryRefusals('learning, nothing', { x: one.x, loss: 'sum' }, [['nothing is chosen that learns: there are x', 1, 0.1]]);
}

// All scripts of a page share their names, and of two functions of one name the last one is there.
const names = fs.readdirSync(scripts).filter((file) => file.endsWith('.js'))
  .flatMap((file) => fs.readFileSync(path.join(scripts, file), 'utf8').match(/(?<=^(?:function\*? |class ))\w+/gm) || []);
const twice = names.filter((name, i) => names.indexOf(name) !== i);
check('scripts', twice.length === 0, `several functions are called ${twice}`);

// Choices of experts are of float64 whatever the type.
function typesOf(document, i) {
  return /experts/.test(path.basename(document)) ? ['f32', 'f64'] : [i % 2 === 0 ? 'f32' : 'f64'];
}

function tryDocument(document, type, i) {
  const data = dataOf(document, type);
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
    tryEdits(`${name}, growing`, page, type, Array.from({ length: EDITS }, () => () => page.draw(random, true)), data);
    tryEdits(`${name}, widths`, page, type, Array.from({ length: EDITS }, (nothing, at) => () => (at % 2 === 0 ? page.drawWidth(random) : page.draw(random, true))));
  }
  if (i % EACH_CUT === 0 || documents.length < EACH_CUT) tryOneToken(name, document, type, i);
  tryHeads(name, document, type, i);
  if (DICTATED.includes(path.basename(document, '.json'))) tryDictation(document, type);
  for (const row of name.includes('/001-walkthrough') ? PLANTED : []) {
    let wrong;
    try {
      wrong = differenceOfPlanted(page, type, row);
    } catch (error) {
      wrong = `${row[0]}: ${error.message}`;
    }
    check(name, wrong === null, `planted: ${wrong}`);
  }
  const blank = SOLVED_EXERCISES[path.basename(document, '.json')];
  if (blank) {
    const exercise = open(dataOf(document, type, '--blank', blank)), random = generator(i);
    check(name, !exercise.isAlive(), 'an exercise can be changed before it is solved');
    exercise.solve();
    tryEdits(`${name}, solved`, exercise, type, Array.from({ length: 2 * EDITS }, () => () => exercise.draw(random, true)));
  }
  const words = CASES[path.basename(document, '.json')] || [];
  if (words.length > 0) tryEdits(name, page, type, words.map((one) => () => page.act(one)));
}
const documents = fs.readFileSync(path.join(folder, 'documents'), 'utf8').trim().split('\n').filter((line) => line);
documents.forEach((document, i) => typesOf(document, i).forEach((type) => tryDocument(document, type, i)));
for (const [name, row] of generations ? Object.entries(GENERATED) : [])
  for (const type of ['f32', 'f64']) tryGeneration(`generation, ${name}, ${type}`, type, row);
if (learning) checkLearning();
if (documents.length > 100) check('all', changes >= LEAST, `only ${changes} changes`);
if (documents.length > 100) check('all', withKeys.size >= LEAST_CUT, `only ${withKeys.size} documents have keys that are added or taken out`);
if (documents.length > 100) check('all', withWidths.size >= LEAST_CUT, `only ${withWidths.size} documents have other widths`);
if (documents.length > 100) check('all', nudges >= LEAST_NUDGES, `only ${nudges} numbers are nudged`);
if (documents.length > 100) check('all', Math.min(...Object.values(cuts)) >= LEAST_CUT,
  `only ${cuts.tokens} documents of one token grow, and ${cuts.heads} other numbers of heads are there, ${cuts.layers} of layers, ${cuts.entries} of a batch`);
console.log(`${passed} passed, ${failed} failed`);
