'use strict';
// node words.js BROWSER FOLDER: what pages say to who asks for something that is not there or can't be
// done, by their own scripts and by hand, and that what can be done is done.
//
// hooks    what is not there, or what the program would refuse, is refused, and nothing changes;
//          sliders, boxes, the badge, Undo and the address follow what is done
// hand     a click on any number of a key hides it; what is typed is taken, or it is said why not
// seen     what is said of a query that sees nothing, and of more keys than have lines, goes and comes
//          with the mask and with the query that is worked out
// lines    lines that name a row, a key or where a number comes from follow what is changed
// cells    shares have four decimals, zeros stay where a number is rounded, and the page says that it
//          computes with all digits
// masked   what the softmax takes is called masked as long as something is hidden
// grown    a token is added, named and taken out by keys and by its button, its table, lines and diagram
//          follow, an address leads there, and what came comes back; what can't grow says why
// said     a page of one word is dictated the others by keys alone, each with its row of the vocabulary;
//          lines, tables, products and sums follow; a new sentence begins; an address leads there
// heads    another number of heads is chosen by keys: tabs, sentences, captions and the document are of it,
//          and scores of all heads add up to those of one; a change made before stays, Undo and Redo lead from
//          one to the other, and so does an address; what has one number only says why
//          of layers, and of a batch, it is chosen too; what was pinned stays pinned, and what is chosen chosen
// widths   a width of two heads is raised by keys: columns, labels, the diagram, the scale with its root and
//          the document follow, and scores stay until a new number is another one than 0; Undo and an address
//          lead there and back, what is pinned stays, another number of heads is refused, and what can't be is
// solved   an exercise can't be changed before its last answer is right; then it can, by keys: an answer
//          stays as long as its number does, and comes back with it
// words    of a generation another word is put by keys; labels, the map and the step's own words follow; its
//          address leads there, and Undo back; what is no word, or a number, says so
// address  1,500 changes are made one after the other and shown once; more than 10,000 are refused
// still    a page whose numbers can't be changed says why, and what page has them all

const path = require('path');
const { check, open: openFile, run } = require('./pages.js');

const [browserFile, folder] = process.argv.slice(2);
const open = (name, address) => openFile(path.join(folder, `${name}.html`), address);

// Of a page the calls that it refuses, each with some of its words.
const REFUSED = {
  '001-walkthrough': [
    ["switch('foo', true)", 'no switch foo'],
    ["switch('constructor', true)", 'no switch constructor'],
    ["switch('causal', 'yes')", 'yes is neither true nor false'],
    ["switch('backward', true)", 'no gradients here'],
    ["switch('base', 3)", 'no rotary positions'],
    ["switch('temperature', 2)", 'computed here'],
    ["switch('round', 1.5)", '0 to 15 decimals'],
    ['mask(9, 9, false)', 'no query 9 with a key 9'],
    ['mask(-1, 0, false)', 'no query -1'],
    ['mask(0, 0.5, false)', 'key 0.5'],
    ['mask()', 'no query undefined'],
    ['mask(0, 0)', 'neither true nor false'],
    ["mask(0, 0, true, 'layer.7')", 'no part “layer.7”'],
    ["set('x', [0, 0], null)", 'null is not a number'],
    ["set('x', [0, 0], '5')", '5 is not a number'],
    ["set('x', [0, 0], NaN)", 'not a finite number'],
    ["set('x', [0, 9], 1)", 'x has no such number'],
    ["set('x', [-1, 0], 1)", 'x has no such number'],
    ["set('scores', [0, 0], 1)", 'scores is computed'],
    ["get('nothing')", 'no node nothing'],
    ["move(0, 9)", 'no row 9'],
    ["move(-1, 0)", 'no row -1'],
    ['add(9)', 'no row 9'],
    ['remove(3)', 'no row 3'],
    ["rename(0, ' ')", 'a token has a name'],
    ['heads(2)', 'no cut into 2 heads: there are 1, 3'],
    ['addKey(0)', 'no rows of their own'],
    ["width('Wq', 0)", 'from 1 to 64'],
    ["width('Wq', 65)", 'from 1 to 64'],
    ["width('Wk', 2)", 'no width Wk: there are x, Wq, Wv'],
  ],
  'asad-two-heads-wo': [["width('Wq', 1)", 'nothing to divide scores by']],
  '000-batch': [["width('x', 3)", 'as wide each']],
  rope: [["width('q', 3)", 'turns columns in pairs']],
  'appended-heads': [["width('x', 3)", 'has a part of the columns that are 4 wide']],
  nothing: [["width('q', 2)", 'came with width 1'], ['add(0)', 'tokens are its rows'], ['addKey(9)', 'no row 9'], ["renameKey(0, ' ')", 'a key has a name']],
  'seed-encoder': [
    ['heads(3)', 'no cut into 3 heads: there are 1, 2'],
    ["set('layer.0.ln1.eps', [], -5)", 'layer.0.ln1.eps must be a number from 0'],
    ['mask(0, 0, false)', 'name one of layer.0.attention'],
  ],
  statistics: [['heads(2)', 'where there are few numbers']],
  'backward-walkthrough': [["switch('backward', 'yes')", 'yes is neither true nor false']],
  'soft-cap': [["set('C', [], 0)", 'C must be a number above 0'], ["set('C', [], -1)", 'C must be a number above 0']],
};

async function checkRefused(name, calls) {
  const page = await open(name);
  for (const [call, words] of calls) {
    const said = await page.evaluate((one) => {
      try {
        return `took it: ${(0, eval)(`selfattn.${one}`)}`;
      } catch (error) {
        return error.message;
      }
    }, call);
    check(name, said.includes(words), `${call} says “${said}”`);
  }
  check(name, await page.evaluate(() => EDITS.done.length) === 0, 'what was refused has changed something');
  await page.close();
}

async function checkFollowing(name) {
  const page = await open(name);
  const bar = () => page.evaluate(async () => {
    while (STALE.size > 0) await new Promise(requestAnimationFrame);
    return { badge: document.querySelector('.badge').textContent,
    undo: EDITOR.undo.disabled, reset: EDITOR.reset.disabled, edits: Boolean(partsOfAddress().edits),
    causal: [...document.querySelectorAll('.control')].find((one) => one.textContent.includes('causal')).querySelector('input').checked,
    scale: [...document.querySelectorAll('.control output')].map((one) => one.textContent)[0] };
  });
  await page.evaluate(() => { selfattn.set('scale', [], 1.5); selfattn.switch('causal', true); });
  const told = JSON.stringify(await bar());
  check(name, told === JSON.stringify({ badge: await page.evaluate(() => TEXT.edited), undo: false, reset: false,
    edits: true, causal: true, scale: '1.5' }), `after the hooks the bar is ${told}`);
  await page.evaluate(() => selfattn.reset());
  const again = await bar();
  check(name, again.badge === '' && again.undo && again.reset && !again.edits && !again.causal,
    `after reset() the bar is ${JSON.stringify(again)}`);
  await page.close();
}

async function checkHand(name) {
  const page = await open(name), badge = () => page.locator('.badge').textContent();
  const done = () => page.evaluate(() => EDITS.done.length);
  const ofTable = (map) => page.locator(`#matrix-${map} tbody td`).first();
  for (const typed of ['abc', '50%', '1 000', 'NaN']) {
    await ofTable('x').dblclick();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(typed);
    await page.keyboard.press('Enter');
    check(name, (await badge()).startsWith(`“${typed}” is not a number`), `${typed} is typed, and it says “${await badge()}”`);
  }
  await ofTable('scores').dblclick();
  check(name, (await badge()).includes('scores is computed'), `a computed number says “${await badge()}”`);
  await ofTable('weights').click();
  await page.keyboard.type('5');
  check(name, (await badge()).includes('weights is computed'), `5 on a weight says “${await badge()}”`);
  await page.keyboard.press('Escape');
  check(name, await done() === 0, 'something was changed');
  await page.evaluate(() => EDITOR.box.click());
  for (const map of ['scores', 'scaled', 'exp', 'weights']) {
    const weight = () => page.evaluate(() => selfattn.get('weights', [0, 0, 0]));
    await ofTable(map).click();
    check(name, await weight() === 0, `a click on ${map} does not hide the key`);
    await ofTable(map).click();
    check(name, await weight() > 0, `another click on ${map} does not show it`);
  }
  await page.evaluate(() => EDITOR.box.click());
  const before = await done();
  for (const [key, count] of [['Control+z', before - 1], ['Control+y', before], ['Control+z', before - 1], ['Control+Shift+Z', before]]) {
    await page.keyboard.press(key);
    check(name, await done() === count, `${key} leaves ${await done()} changes`);
  }
  await page.close();
}

// Query 1 sees none of eight keys, query 2 all; six lines are spelled out.
async function checkSeen(name) {
  const page = await open(name), rest = '… and so on for all keys whose scores change.';
  const said = () => page.evaluate(async () => {
    while (STALE.size > 0) await new Promise(requestAnimationFrame);
    const shown = (step) => [...document.querySelectorAll(`#step-${step} > div > p`)]
      .filter((one) => one.getClientRects().length > 0).map((one) => one.textContent.replace(/\s+/g, ' '));
    const find = (step, words) => shown(step).filter((one) => one.startsWith(words));
    return { masked: find('mask', 'masked[').filter((one) => one.includes('→')).length, rest: find('mask', '…').join(),
      nothing: find('softmax', 'The softmax turns scores into weights, but').length,
      softmax: find('softmax', 'The softmax turns the scores of').length, formula: find('softmax', 'row_max[i]').length,
      exp: find('softmax', 'exp[').filter((one) => !one.includes('[i')).map((one) => one.split(' = ').pop()).join() };
  });
  const nothing = { masked: 6, rest, nothing: 1, softmax: 0, formula: 0, exp: '' };
  const something = { masked: 6, rest: '', nothing: 0, softmax: 1, formula: 1, exp: '1,1,0,0,0,0' };
  const everything = { masked: 0, rest: '', nothing: 0, softmax: 1, formula: 1, exp: '1,1,1,1,1,1' };
  const show = (keys) => page.evaluate((all) => all.forEach((key) => selfattn.mask(0, key, true)), keys);
  const tell = async (what, wanted) => {
    const found = JSON.stringify(await said());
    check(name, found === JSON.stringify(wanted), `${what}: it says ${found} and not ${JSON.stringify(wanted)}`);
  };
  await tell('as it came', nothing);
  await show([0, 1]);
  await tell('query 1 sees two keys', something);
  await page.evaluate(() => selfattn.mask(0, 1, false));
  await tell('query 1 sees one key', { ...something, rest, exp: '1,0,0,0,0,0' });
  await page.evaluate(() => selfattn.mask(0, 0, false));
  await tell('it sees none again', nothing);
  await page.locator('#matrix-scores tbody th').nth(1).click();
  await tell('query 2 is worked out', everything);
  await page.evaluate(() => EDITOR.reset.click());
  await tell('as it came again', nothing);
  await page.close();
}

// What is done to a page, and the lines of a step that begin so, as they are then: by hand. Of scores 0, 0
// and -1 the weights are 1/(2 + 1/e) twice, and of 0 and -1 the greater is 1/(1 + 1/e).
const FOLLOWING = [
  ['alibi', "selfattn.set('slope', [1, 0, 0], -0.3)", 'mask', 'slope of head 1', ['slope of head 1 = 0.0625']],
  ['decoder-one-head', "selfattn.set('layer.0.attention.scale', [], 1)", 'layer\\.0\\.cross\\.scale', 'scale =',
    ['scale = 0.5']],
  ['decoder-clip-backward', "selfattn.width('layer.0.attention.Wq', 3)", 'layer\\.0\\.cross\\.scale', 'scale =',
    ['scale = 1/√dk = 1/√4 = 0.5']],
  ['backward-clip', "selfattn.set('bq', [1], 1)", 'projections', 'q[3,',
    ['q[3,2] in head 1 = max(−clip, min(q_sum[3,2], clip)) = max(−1.3, min(1.875, 1.3)) = 1.3']],
  ['appended-heads', "document.querySelectorAll('#matrix-scores tbody th')[1].click()", 'softmax', 'share of the sink',
    /row_sum\[2\] = /],
  ['no-strongest-key', "selfattn.set('sink', [0, 0, 0], 0)", 'statistics', 'The',
    ['The strongest keys, in the order of their weights:']],
  ['statistics', "selfattn.set('q', [0, 0], -1)", 'statistics', 'top[', ['top[1,1] is key 1: weights[1,1] = 0.4223',
    'top[1,2] is key 2: weights[1,2] = 0.4223', 'top[1,3] is key 3: weights[1,3] = 0.1554']],
  ['statistics', "selfattn.set('q', [0, 0], -1); selfattn.mask(0, 0, false)", 'statistics', 'top[',
    ['top[1,1] is key 2: weights[1,2] = 0.7311', 'top[1,2] is key 3: weights[1,3] = 0.2689']],
];

async function checkLines([name, doing, step, begins, wanted]) {
  const page = await open(name);
  const found = await page.evaluate(([act, section, words]) => {
    (0, eval)(act);
    refreshAll();
    return [...document.querySelectorAll(`#step-${section} > div > p`)].filter((one) => one.getClientRects().length > 0)
      .map((one) => one.textContent.replace(/\s+/g, ' ')).filter((one) => one.startsWith(words));
  }, [doing, step, begins]);
  const isRight = wanted instanceof RegExp ? found.length === 1 && wanted.test(found[0]) : found.join() === wanted.join();
  check(name, isRight, `after ${doing} it says ${found.join('; ')} and not ${wanted}`);
  await page.close();
}

const MANY = 1500, MOST = 10000;

async function checkAddress(name) {
  const edits = (count) => `#edit=${encodeURIComponent(Array.from({ length: count }, (nothing, i) =>
    (i % 3 === 2 ? `causal-0=${(i + 1) % 2}` : `x-h0-r0-c${i % 2}=${i}`)).join(';'))}`;
  const page = await open(name, edits(MANY));
  const told = () => page.evaluate(() => [EDITS.done.length, selfattn.get('x', [0, 0])].join());
  check(name, await told() === `${MANY},${MANY - 2}`, `${MANY} changes leave ${await told()}`);
  const shown = await page.evaluate(() => {
    const { told: show } = EDITS, { edits: words } = partsOfAddress();
    let times = 0;
    EDITS.told = (maps) => { times++; show(maps); };
    asItCame();
    editAll(editsIn(decodeURIComponent(words.slice('edit='.length))));
    return times;
  });
  check(name, shown === 2, `${MANY} changes are taken back and made, and shown ${shown} times`);
  await page.close();
  const other = await open(name, edits(MOST + 1));
  check(name, (await other.locator('.badge').textContent()).includes(`${MOST + 1} changes`) &&
    await other.evaluate(() => EDITS.done.length) === 0, `more than ${MOST} changes are taken`);
  await other.close();
}

// The seed's own numbers, softmax of (2, 4, 4) and of (4, 16, 12): 6.0337e-06 is none of four decimals.
async function checkCells(name) {
  const page = await open(name), said = await page.evaluate(() => ({
    weights: [...document.querySelectorAll('#matrix-weights tbody tr')].slice(0, 2).map((row) =>
      [...row.querySelectorAll('td')].map((cell) => ownOf(cell).textContent).join()).join(';'),
    scores: [...document.querySelectorAll('#matrix-scores tbody tr:first-child td')].map((cell) => ownOf(cell).textContent).join(),
    line: STEPS.line.textContent }));
  check(name, said.weights === '0.0634,0.4683,0.4683;0.0000,0.9820,0.0180', `weights are ${said.weights}`);
  check(name, said.scores === '2,4,4', `whole scores are ${said.scores}`);
  check(name, said.line.includes('4 decimals, computed with all digits'), `it says ${said.line}`);
  await page.locator('#matrix-weights tbody tr').nth(1).locator('td').first().click();
  const panel = await page.locator('.panel .result').first().textContent();
  check(name, panel === '6.0337e−06', `the panel says ${panel}`);
  await page.close();
}

async function checkMasked(name) {
  const page = await open(name);
  const said = () => page.evaluate(async () => {
    while (STALE.size > 0) await new Promise(requestAnimationFrame);
    return [...document.querySelectorAll('#step-softmax :is(.formula, .note)')].filter((one) => one.getClientRects().length > 0)
      .map((one) => one.textContent).filter((one) => /masked|scaled/.test(one)).join('; ');
  });
  const came = 'row_max[i] = maxⱼ scaled[i,j]; exp[i,j] = exp(scaled[i,j] − row_max[i])';
  const hidden = `masked[i,j] is scaled[i,j], or −∞ where query i may not see key j:; ${came.replaceAll('scaled', 'masked')}`;
  check(name, await said() === came, `it says ${await said()}`);
  await page.evaluate(() => selfattn.mask(0, 1, false));
  check(name, await said() === hidden, `with a hidden key it says ${await said()}`);
  await page.evaluate(() => selfattn.undo());
  check(name, await said() === came, `without it says ${await said()}`);
  await page.close();
}

async function checkGrown(name) {
  const page = await open(name), label = (row) => page.locator('#matrix-x tbody th').nth(row);
  const said = (one = page) => one.evaluate(async () => {
    while (STALE.size > 0) await new Promise(requestAnimationFrame);
    const texts = (selector) => [...document.querySelectorAll(selector)].filter((part) => part.getClientRects().length > 0)
      .map((part) => part.textContent);
    return JSON.stringify({ rows: texts('#matrix-x tbody th'), columns: texts('#matrix-weights thead th'),
      lines: texts('#step-scores .line').map((line) => line.split(' = ')[0]), shape: texts('.picture .shape')[0],
      tokens: JSON.parse(selfattn.document()).tokens });
  });
  const wanted = (names, shape) => JSON.stringify({ rows: names, columns: names,
    lines: names.map((nothing, i) => `scores[1,${i + 1}]`), shape, tokens: names });
  const expect = async (names, shape, what, one) => {
    const found = await said(one);
    check(name, found === wanted(names, shape), `${what}: it says ${found}`);
  };
  await label(1).click();
  await page.keyboard.press('Insert');
  await page.keyboard.press('F2');
  await page.keyboard.type('cat');
  await page.keyboard.press('Enter');
  await page.locator('#matrix-scores tbody th').first().click(); // lines are of query 1 then
  await expect(['Input 1', 'Input 2', 'cat', 'Input 3'], '4 × 4', 'a token is added and named');
  const badge = await page.locator('.badge').textContent();
  check(name, badge.includes('query 1'), `the badge says ${badge}`);
  const other = await open(name, await page.evaluate(() => location.hash));
  await expect(['Input 1', 'Input 2', 'cat', 'Input 3'], '4 × 4', 'the address leads elsewhere', other);
  await other.close();
  await label(0).click();
  await page.keyboard.press('Delete');
  await expect(['Input 2', 'cat', 'Input 3'], '3 × 4', 'the first one is taken out');
  await page.locator('.growing input').fill('dog');
  await page.locator('.growing button').first().click();
  await expect(['Input 2', 'cat', 'Input 3', 'dog'], '4 × 4', 'one is added at the end');
  const copy = await page.evaluate(() => [2, 3].map((row) => [0, 1, 2, 3].map((i) => selfattn.get('x', [row, i])).join()));
  check(name, copy[0] === copy[1], `it has ${copy[1]}, and the one before it ${copy[0]}`);
  await page.evaluate(() => selfattn.reset());
  await expect(['Input 1', 'Input 2', 'Input 3'], '3 × 4', 'as it came');
  await page.close();
}

// The seed's own scores, by hand: of a copy of a key they are the key's.
async function checkKeys(name, rows) {
  const page = await open(name), label = (row) => page.locator(`#matrix-${rows} tbody th`).nth(row);
  const said = (one = page) => one.evaluate(() => refreshAll() || JSON.stringify([
    ...['thead tr', 'tbody tr'].flatMap((line) => [...document.querySelectorAll(`#matrix-scores ${line}`)].map((row) => row.innerText.trim().split(/\s+/).join(' '))),
    [...document.querySelectorAll('#matrix-v tbody th')].map((cell) => cell.textContent).join(' '),
    document.querySelectorAll('#step-scores .line:not(.gone)').length, JSON.parse(selfattn.document()).key_tokens.join(' ')]));
  const expect = async (keys, scores, what, one) => {
    const wanted = JSON.stringify([keys, ...scores, keys, keys.split(' ').length, keys]), found = await said(one);
    check(name, found === wanted, `${what}: it says ${found}, not ${wanted}`);
  };
  const came = ['le 3 2 7', 'chat 3 4 9'], four = ['le 3 3 2 7', 'chat 3 3 4 9'];
  await expect('the black cat', came, 'as it came');
  await label(0).click();
  await page.keyboard.press('Insert');
  check(name, (await page.locator('.badge').textContent()).includes('key 2 has the numbers of key 1'), 'the badge says no key');
  await page.keyboard.press('F2');
  await page.keyboard.type('dog');
  await page.keyboard.press('Enter');
  await expect('the dog black cat', four, 'a key is added and named');
  const other = await open(name, await page.evaluate(() => location.hash));
  await expect('the dog black cat', four, 'the address leads elsewhere', other);
  await other.close();
  await label(2).click();
  await page.keyboard.press('Delete');
  await expect('the dog cat', ['le 3 3 7', 'chat 3 3 9'], 'one is taken out');
  await page.locator('.growing').last().locator('input').fill('black');
  await page.locator('.growing').last().locator('button').first().click();
  await expect('the dog cat black', ['le 3 3 7 2', 'chat 3 3 9 4'], 'a word that came has its numbers');
  await page.locator('h1').click();
  for (let i = 0; i < 4; i++) await page.keyboard.press('Control+z');
  await expect('the black cat', came, 'taken back');
  for (let i = 0; i < 2; i++) await page.keyboard.press('Control+y');
  await expect('the dog black cat', four, 'done again');
  await page.close();
}

async function waitForHeads(page, heads) { // a page that goes answers nothing
  const now = () => page.evaluate(() => (globalThis.selfattn && CUT.now === CUT.wanted ? CUT.now : 0)).catch(() => 0);
  for (let i = 0; i < 600 && await now() !== heads; i++) await page.waitForTimeout(50);
}

async function putHeads(page, heads) {
  await page.evaluate((one) => selfattn.heads(one), heads);
  await waitForHeads(page, heads);
}

// The number whose arithmetic the panel has is chosen on the other page, too, where it is there.
async function checkChosen(name) {
  const page = await open(name), cell = page.locator('#matrix-scores tbody td').first();
  const expect = async (heads, wanted, what) => {
    await putHeads(page, heads);
    const found = await page.evaluate(() => (PANEL.element.hidden ? 'closed' : anchorOf(PANEL.chosen)));
    check(name, found === wanted, `of ${heads} heads the panel is ${found}, not ${wanted}, ${what}`);
  };
  await cell.click();
  await page.keyboard.press('ArrowRight');
  await expect(1, 'scores-h0-r0-c1', 'which an arrow went to');
  await expect(4, 'scores-h0-r0-c1', 'which came along');
  await page.evaluate(() => choose(placeOf('#scores-h3-r1-c0')));
  await expect(2, 'closed', 'of a head that is not there');
  await cell.click();
  await page.keyboard.press('Escape');
  await expect(1, 'closed', 'as it was closed before');
  await page.close();
}

// A product of rows is the sum of those of their parts: scores of one head are those of two, or four, added.
async function checkHeads(name) {
  const page = await open(name);
  const said = (one = page) => one.evaluate(() => refreshAll() || ({ tabs: document.querySelectorAll('[aria-label="Heads of scores"] button').length,
    caption: document.querySelector('#step-scores figcaption').textContent.replace(/ \(.*/, ''), chosen: document.querySelector('.heads-chosen').value,
    heads: JSON.parse(selfattn.document()).heads, x: selfattn.get('x', [0, 0]) }));
  const expect = async (count, x, what, one) => {
    const caption = `scores, head 1 of ${count}`, tabs = count > 1 ? count : 0;
    const wanted = JSON.stringify({ tabs, caption, chosen: String(count), heads: count, x }), found = JSON.stringify(await said(one));
    check(name, found === wanted, `${what}: it says ${found}, not ${wanted}`);
  };
  const scores = () => page.evaluate(() => {
    const map = MAPS.find((one) => one.name === 'scores');
    return [0, 1].map((row) => range(0, map.heads, (head) => valueOf({ map, head, row, column: 0 })).reduce((sum, x) => sum + x));
  });
  await page.evaluate(() => selfattn.set('x', [0, 0], 3));
  const came = await scores(), near = (all) => all.every((x, i) => Math.abs(x - came[i]) < 1e-5 * (1 + Math.abs(x)));
  for (const [key, count] of [['ArrowDown', 4], ['Home', 1]]) {
    await page.locator('.heads-chosen').focus();
    await page.keyboard.press(key);
    await waitForHeads(page, count);
    await expect(count, 3, 'chosen by keys');
    check(name, near(await scores()), `with ${count} heads the scores are ${await scores()}, and with two ${came}`);
    check(name, await page.evaluate(() => document.activeElement.matches('.heads-chosen')), 'the keys are lost');
  }
  const other = await open(name, await page.evaluate(() => location.hash));
  await waitForHeads(other, 1);
  await expect(1, 3, 'the address leads elsewhere', other);
  await other.close();
  for (const [keys, count, x] of [['Control+z', 4, 3], ['Control+z', 2, 3], ['Control+y', 4, 3], ['Control+y', 1, 3], ['Control+z', 4, 3], ['Control+z', 2, 3]]) {
    await page.locator('.heads-chosen').focus();
    await page.keyboard.press(keys);
    await waitForHeads(page, count);
    await expect(count, x, `${keys} leads elsewhere`);
  }
  check(name, await page.evaluate(() => EDITS.done.length === 1 && EDITS.undone.length === 2), 'what was taken back is lost');
  check(name, String(await scores()) === String(came), 'the numbers do not come back');
  await page.close();
}

// What was pinned is compared with on the page of another number of heads, where a matrix is as large there,
// and on the first one again.
async function checkPinned(name) {
  const page = await open(name);
  const titles = () => page.evaluate(() => refreshAll() || [EDITOR.pin.getAttribute('aria-pressed'),
    ...['x', 'Wq', 'scores'].map((one) => document.querySelector(`#matrix-${one} tbody`).rows[0].cells[1].title)].join('; '));
  const expect = async (count, wanted) => {
    await putHeads(page, count);
    check(name, await titles() === wanted, `of ${count} heads it says “${await titles()}”, not “${wanted}”`);
  };
  await page.evaluate(() => { selfattn.set('x', [0, 0], 2); pin(); selfattn.set('x', [0, 0], 3); });
  await expect(1, 'true; pinned: 2; ; it was not there');
  await expect(2, 'true; pinned: 2; ; pinned: 8');
  await page.evaluate(() => pin());
  await expect(1, 'false; it was 1; ; it was 8');
  await page.close();
}

// Of layers, and of each sequence of a batch, scores of two heads add up to those of one.
async function checkOtherHeads(name, way, sets) {
  const page = await open(name), scores = () => page.evaluate((at) => {
    takeAll();
    const map = mapNamed(`${at}scores`), cells = [0, 1].flatMap((row) => [0, 1].map((column) => ({ row, column })));
    return JSON.stringify([...ENTRIES.keys()].map((entry) => inEntry(entry, () => catchUp() && cells.map((cell) =>
      range(0, map.heads, (head) => valueOf({ map, head, ...cell })).reduce((sum, x) => sum + x)))));
  }, way);
  await page.evaluate((all) => all.forEach((one) => selfattn.set(...one)), sets);
  const came = await scores(), from = await page.evaluate(() => CUT.now), to = 3 - from;
  for (const count of [to, from]) {
    await putHeads(page, count);
    const [heads, said] = [await page.evaluate(() => JSON.parse(selfattn.document()).heads ?? 1), await scores()];
    check(name, heads === count, `its document has ${heads} heads, and ${count} are chosen`);
    const [one, other] = [came, said].map((all) => JSON.parse(all).flat());
    check(name, one.length === other.length && one.every((x, i) => Math.abs(x - other[i]) < 1e-5 * (1 + Math.abs(x))), `of ${count} heads it is ${said}, and was ${came}`);
  }
  await page.close();
}

// By hand: x is (1, 2) and (3, 4), Wq the identity and its columns exchanged, and Wk the other way round. A
// new column of q is x[·,1] once the new number of Wq's first row is 1.
async function checkWidths(name) {
  const page = await open(name);
  const said = (one = page) => one.evaluate(() => refreshAll() || JSON.stringify({
    chosen: [...document.querySelectorAll('.width-chosen')].map((select) => select.value).join(),
    labels: [...document.querySelectorAll('#matrix-q thead th')].map((label) => label.textContent).join(),
    caption: document.querySelector('#step-projections figcaption').textContent,
    shape: [...document.querySelectorAll('.picture a')].filter((link) => link.textContent.startsWith('q')).map((link) => link.textContent).join(),
    wq: JSON.parse(selfattn.document()).wq.join(' '), scale: document.querySelector('#step-scale .line').textContent,
    scores: [0, 1].map((key) => selfattn.get('scores', [0, 0, key])).join(), isSaid: typeof JSON.parse(selfattn.document()).scale }));
  const expect = async (wanted, what, one) => {
    const found = JSON.parse(await said(one)), other = Object.keys(wanted).filter((key) => found[key] !== wanted[key]);
    check(name, other.length === 0, `${what}: ${other.map((key) => `${key} is ${found[key]}, not ${wanted[key]}`)}`);
  };
  const isThere = (one) => one.waitForSelector('.width-chosen');
  await isThere(page);
  const came = { chosen: '2,2,2,2', labels: '1,2,3,4', caption: 'q (2 × 4)', shape: 'q2 × 4', wq: '1,0,0,1 0,1,1,0',
    scale: 'scale = 1/√dk = 1/√2 = 0.7071', scores: '4,10', isSaid: 'string' };
  await expect(came, 'as it came');
  await page.evaluate(() => pin());
  await page.locator('.width-chosen').nth(1).focus();
  await page.keyboard.press('ArrowDown');
  const wider = { chosen: '2,3,2,2', labels: '1,2,3,4,5,6', caption: 'q (2 × 6)', shape: 'q2 × 6', wq: '1,0,0,0,1,0 0,1,0,1,0,0',
    scale: 'scale = 1/√dk = 1/√3 = 0.5774', scores: '4,10', isSaid: 'string' };
  await expect(wider, 'raised by keys');
  const badge = await page.locator('.badge').textContent();
  check(name, badge.startsWith('new numbers are 0'), `the badge says ${badge}`);
  const marks = await page.evaluate(() => [0, 1, 2, 3].map((column) => document.querySelector('#matrix-Wq tbody').rows[0].cells[column + 1].title).join());
  check(name, marks === ',,it was not there,', `it marks ${marks}`);
  await page.evaluate(() => { selfattn.set('Wq', [0, 2], 1); selfattn.set('Wk', [0, 2], 1); });
  const changed = { ...wider, wq: '1,0,1,0,1,0 0,1,0,1,0,0', scores: '5,13' };
  await expect(changed, 'a new number is another one');
  const heads = await page.evaluate(() => { try { return `took it: ${selfattn.heads(1)}`; } catch (error) { return error.message; } });
  check(name, heads.includes('take the change of a width back first'), `another number of heads says ${heads}`);
  const other = await open(name, await page.evaluate(() => location.hash));
  await isThere(other);
  await expect(changed, 'the address leads elsewhere', other);
  await other.close();
  for (let i = 0; i < 3; i++) await page.keyboard.press('Control+z');
  await expect(came, 'undone');
  await page.keyboard.press('Control+y');
  await expect(wider, 'done again');
  await page.evaluate(() => { selfattn.reset(); selfattn.width('Wv', 1); });
  const narrow = await page.evaluate(() => [selfattn.nodes().find((node) => node.name === 'Wo').shape, selfattn.get('output', [0, 0]), selfattn.get('context', [0, 1])].join());
  check(name, narrow.startsWith('2,2,'), `of one column each, Wo and numbers are ${narrow}`);
  await page.close();
}

// Scores of the words by hand, from the vocabulary of testdata/seeds/000-cat-walks.json: the (-0.5, -0.5, 0),
// cat (1.5, 1, 0), walks (1, 1.5, 0.5), street (1, 0, 1.5).
async function checkSaid(name) {
  const page = await open(name), said = (one = page) => one.evaluate(() => refreshAll() || JSON.stringify([
    ...[...document.querySelectorAll('#matrix-scores tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent).join(' ')),
    document.querySelectorAll('#step-scores .line:not(.gone)').length, document.querySelectorAll('#step-scores .product .part:nth-of-type(2) td').length / 3,
    document.querySelectorAll('#step-sum figure .part tbody:not(.sum) tr').length, JSON.parse(selfattn.document()).tokens.join(' ')]));
  const expect = async (rows, words, what, one) => {
    const { length } = rows, wanted = JSON.stringify([...rows, length, length, length, words]), found = await said(one);
    check(name, found === wanted, `${what}: it says ${found}, not ${wanted}`);
  };
  await expect(['the 0.5'], 'the', 'as it came');
  const came = await said();
  await page.locator('.growing input').focus();
  for (const word of ['cat', 'walks']) {
    await page.keyboard.type(word);
    await page.keyboard.press('Enter');
  }
  const three = ['the 0.5 -1.25 -1.25', 'cat -1.25 3.25 3', 'walks -1.25 3 3.5'];
  await expect(three, 'the cat walks', 'two words are said');
  check(name, (await page.locator('.badge').textContent()).includes('token 3 has the numbers of “walks”'), 'the badge says no word');
  const other = await open(name, await page.evaluate(() => location.hash));
  await expect(three, 'the cat walks', 'the address leads elsewhere', other);
  await other.close();
  await page.keyboard.type('street');
  for (const key of ['Tab', 'Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
  await expect(['street 3.25'], 'street', 'a new sentence begins');
  await page.locator('.growing input').focus();
  await page.keyboard.type('fox');
  await page.keyboard.press('Enter');
  await expect(['street 3.25 3.25', 'fox 3.25 3.25'], 'street fox', 'an unknown word is a copy');
  await page.locator('h1').click();
  for (let i = 0; i < 4; i++) await page.keyboard.press('Control+z');
  check(name, await said() === came, `taken back it says ${await said()}`);
  await page.close();
}

// The seed's own scores, and with 5 in x[1,1] those of the first row and column by hand: q[1] = (5, 0, 6),
// k[1] = (0, 1, 5), Wq and Wk being the seed's.
async function checkSolved(name) {
  const page = await open(name), badge = () => page.locator('.badge').textContent();
  const said = () => page.evaluate(() => refreshAll() || [...document.querySelectorAll('#matrix-scores tbody td')].map((cell) =>
    (cell.querySelector('input') ? `${cell.querySelector('input').value} ${cell.querySelector('input').className}` : cell.textContent)).join());
  const answers = [2, 4, 4, 4, 16, 12, 4, 12, 10], right = answers.map((x) => `${x} right`);
  await page.locator('#matrix-scores input').first().focus();
  for (const [i, answer] of answers.entries()) {
    check(name, await page.evaluate(() => !globalThis.selfattn), `it can be changed after ${i} answers`);
    await page.keyboard.type(String(answer));
    await page.keyboard.press('Enter');
  }
  check(name, (await badge()).startsWith('All is right'), `the last answer is right, and it says ${await badge()}`);
  await page.locator('#matrix-x tbody td').first().focus();
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  const edited = ['30', '20', '16', '12', ...right.slice(4, 6), '16', ...right.slice(7)].join();
  check(name, await said() === edited, `scores are ${await said()}`);
  check(name, await page.evaluate(() => String(answersOf(MAPS.filter((map) => map.blank)).scores)) === String(answers), 'an answer is lost');
  const again = await page.evaluate(() => location.href);
  await page.keyboard.press('Control+z');
  check(name, await said() === right.join(), `taken back, they are ${await said()}`);
  await page.goto('about:blank');
  await page.goto(again);
  check(name, await said() === edited, `opened again, they are ${await said()}`);
  await page.close();
}

// What selfattn generate says of ids 3 1 4, and of 3 1 4 7: tests/alive compares all numbers.
async function checkWords(name) {
  const page = await open(name), word = (at) => page.locator('.sentence .word').nth(at);
  const said = (one = page) => one.evaluate(() => refreshAll() || JSON.stringify({ words: selfattn.words(),
    keys: [...document.querySelectorAll('#step-step\\.2\\.layer\\.0\\.attention\\.scores .matrix thead')].pop().textContent.trim(),
    floors: [...document.querySelectorAll('.map summary')].map((floor) => floor.textContent).join(),
    why: [...document.querySelectorAll('#step-step\\.0\\.choice p')].filter((one) => one.getClientRects().length > 0).map((one) => one.textContent).join(' '),
    line: document.querySelector('#step-step\\.1\\.embedded .line').textContent.split(' =')[1].trim() }));
  const came = await said();
  check(name, came.includes('"words":["id 3","id 1","id 4","id 24","id 24","id 24"]'), `it comes with ${came}`);
  await word(3).focus();
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  const now = JSON.stringify({ words: ['id 3', 'id 1', 'id 4', 'id 7', 'id 26', 'id 11'], keys: 'id 3id 1id 4id 7id 26',
    floors: 'step 1: id 7,step 2: id 26,step 3: id 11', why: 'id 7 was put here. The greatest logit is that of id 24.',
    line: 'embedding[id 7, 1] + position_embedding[position 3, 1]' });
  check(name, await said() === now, `with another word it says ${await said()}`);
  const other = await open(name, await page.evaluate(() => location.hash));
  check(name, await said(other) === now, `its address leads to ${await said(other)}`);
  await other.close();
  await page.locator('#step-step\\.1\\.choice .word').fill('id 24');
  await page.keyboard.press('Enter');
  check(name, (await said()).includes('"id 7","id 24"'), `where a step chooses, it says ${await said()}`);
  for (const [typed, words] of [['cat', 'there is no word “cat”'], ['30', 'there is no word “30”']]) {
    await word(0).fill(typed);
    await page.keyboard.press('Enter');
    check(name, (await page.locator('.badge').textContent()).includes(words), `${typed} is put, and it says ${await page.locator('.badge').textContent()}`);
  }
  await page.locator('.matrix:not(.mini) tbody td').first().dblclick();
  check(name, (await page.locator('.badge').textContent()).includes('not numbers'), 'a number is not refused');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  check(name, await said() === came, `taken back it says ${await said()}`);
  await page.close();
}

const STILL = { many: 'scores has 160000 numbers, and a page holds 131072; one made with --full', stopped: 'with --stop',
  exercise: 'once all answers are right', exam: 'they are asked for' };

run(browserFile, async () => {
  for (const [name, calls] of Object.entries(REFUSED)) await checkRefused(name, calls);
  await checkFollowing('asad-two-heads-wo');
  await checkHand('asad-two-heads-wo');
  await checkSeen('nothing');
  await checkCells('001-walkthrough');
  await checkMasked('asad-two-heads-wo');
  await checkGrown('001-walkthrough');
  await checkKeys('004-cross-attention', 'xk');
  await checkKeys('keys', 'x');
  await checkSaid('one-word');
  await checkHeads('asad-two-heads-wo');
  await checkPinned('asad-two-heads-wo');
  await checkChosen('asad-two-heads-wo');
  await checkOtherHeads('000-batch', '', [['x', [0, 0, 0], 3]]);
  await checkOtherHeads('seed-encoder', 'layer.0.attention.', ['Wq', 'Wk'].flatMap((name) =>
    [0, 1].map((i) => [`layer.0.attention.${name}`, [i, i], 2 + i])));
  await checkWidths('asad-two-heads-wo');
  await checkSolved('exercise');
  await checkWords('generation');
  const keys = await open('keys-of-x-named-query');
  await keys.locator('#matrix-x tbody th').nth(1).click();
  check('keys of x', await keys.evaluate(() => EDITS.done.length) === 0, 'a click on a key works out query 2 of 1');
  await keys.close();
  const labels = await open('labels');
  const words = () => labels.evaluate(() => refreshAll() || [...document.querySelectorAll(':is(.story, .matrices) > p')].map((one) => one.textContent).join());
  const came = await words();
  await labels.evaluate(() => selfattn.move(0, 1));
  check('labels', (await words()).includes('query 2 (incomprehensibilities-and-more)'), 'a row that is moved is not called by its whole name');
  await labels.evaluate(() => selfattn.reset());
  check('labels', await words() === came, 'a long name does not come back');
  await labels.close();
  for (const one of FOLLOWING) await checkLines(one);
  await checkAddress('001-walkthrough');
  for (const [name, words] of Object.entries(STILL)) {
    const page = await open(name), said = await page.locator('.bar').textContent();
    check(name, said.includes(words), `its bar says ${said}`);
    await page.close();
  }
  const page = await open('asad-two-heads-wo');
  check('no Wo', await (await open('001-walkthrough')).evaluate(() => selfattn.get('output', [0, 0]) === selfattn.get('attended', [0, 0])),
    'get does not know the output');
  await page.close();
});
