'use strict';
// node bound.js BROWSER FOLDER SELFATTN: several documents that are one page. FOLDER has pages, and of each
// NAME.1.json, NAME.2.json, … what the program computes of its documents: stages, as it shows them.
//
// steps    side by side each document has the same steps, and one that it has not says so; keys, links
//          and scrolling lead all of them on together
// differs  the numbers marked are those that differ on the screen, and of the weights as many as the
//          program's own differ; the sentence has that count
// edits    a number that was the same is changed in both, one that differs in its own document; what
//          each page shows then is what the program computes of its document, to the bit; Undo takes
//          both back, and an address brings both again
// narrow   on a phone one document is seen, and a tab shows the other at the same step
// present  a step of both fits three screens, and a key reveals in both
// chain    next and back, keys and the list lead from document to document; the address says which, and
//          changes stay
// access   axe-core finds nothing, light and dark

const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');
const { check, open: openFile, run } = require('./pages.js');

const [browserFile, folder, program] = process.argv.slice(2);
const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const WIDE = { width: 1400, height: 900 }, PHONE = { width: 390, height: 844 };
const open = (name, address, viewport = WIDE, options = {}) =>
  openFile(path.join(folder, `${name}.html`), address, { viewport, ...options });

// The documents' frames in their order: those of a chain come when they are looked at.
async function framesOf(page) {
  const handles = await page.locator('iframe').elementHandles();
  return Promise.all(handles.map((one) => one.contentFrame()));
}

const stepOf = (frame) => frame.evaluate(() => STEPS.at);

async function sameStep(page, name, doing) {
  const [first, ...others] = await Promise.all((await framesOf(page)).map(stepOf));
  check(name, others.every((at) => at === first), `after ${doing} the steps are ${[first, ...others]}`);
  return first;
}

// ---- steps ----

async function checkSteps(name, absent) {
  const page = await open(name), frames = await framesOf(page);
  const steps = await Promise.all(frames.map((frame) => frame.evaluate(() =>
    STEPS.sections.map((one) => `${one.firstElementChild.textContent.split(/[^\w. ]/)[0].slice(0, 12)} ${one.dataset.step}`))));
  check(name, steps.every((list) => String(list) === String(steps[0])), `they have the steps ${steps.join(' and ')}`);
  const lacks = await Promise.all(frames.map((frame) => frame.locator('.absent .differing').allTextContents()));
  check(name, JSON.stringify(lacks) === JSON.stringify(absent), `what lacks is ${JSON.stringify(lacks)}`);
  for (let i = 0; i < steps[0].length; i++) await page.keyboard.press('ArrowRight');
  check(name, await sameStep(page, name, 'keys') === steps[0].length - 1, 'keys do not lead to the last step');
  await frames[1].locator('.map a').first().click();
  await sameStep(page, name, 'a click on the map');
  // where one is scrolled to, the other is
  await frames[0].locator('body').hover();
  for (let i = 0; i < 4; i++) {
    await page.mouse.wheel(0, 300);
    await page.waitForTimeout(150);
    await sameStep(page, name, 'the wheel');
    const tops = await Promise.all(frames.map((frame) => frame.evaluate(() => placeOfStep().top)));
    check(name, Math.abs(tops[0] - tops[1]) < 3, `a step is at ${tops} of the two screens`);
  }
  await page.context().close();
}

// ---- what differs ----

// What a table of each map says, by its name.
const TABLES = () => Object.fromEntries([...SHOWN].map(([map, [shown]]) => [fullName(map),
  [...shown.body.rows].map((row) => [...row.cells].filter((cell) => cell.tagName === 'TD')
    .map((cell) => [ownOf(cell).textContent, cell.classList.contains('differs')]))]));

// Texts of four decimals, as numbers stand on a page.
const texts = (value) => (Array.isArray(value) ? value.flatMap(texts) : [value.toFixed(4)]);

async function checkMarks(name, page) {
  const [one, other] = await Promise.all((await framesOf(page)).map((frame) => frame.evaluate(TABLES)));
  let count = 0;
  for (const [map, rows] of Object.entries(one)) {
    const others = other[map];
    if (!others || others.length !== rows.length || others[0].length !== rows[0].length) continue;
    rows.forEach((cells, i) => cells.forEach(([text, isMarked], j) => {
      const [otherText, isOtherMarked] = others[i][j], differs = text !== otherText;
      count += differs;
      check(name, isMarked === differs && isOtherMarked === differs,
        `${map}[${i},${j}] is ${text} and ${otherText}, marked: ${isMarked} and ${isOtherMarked}`);
    }));
  }
  return count;
}

async function checkDiffers(name) {
  const page = await open(name);
  check(name, await checkMarks(name, page) > 0, 'nothing differs');
  const [one, other] = [1, 2].map((i) =>
    texts(JSON.parse(fs.readFileSync(path.join(folder, `${name}.${i}.json`))).weights));
  const count = one.filter((text, i) => text !== other[i]).length;
  for (const frame of await framesOf(page)) {
    const said = await frame.locator('#step-softmax .differing').textContent();
    check(name, said.includes(`${count} of ${one.length} weights`), `it says “${said}”, and the program ${count} of ${one.length}`);
  }
  const place = await page.locator('iframe').first().elementHandle().then((one) => one.contentFrame());
  await place.locator('#matrix-weights td.differs').first().click();
  const panel = await place.locator('.panel').textContent();
  check(name, /In “[^”]+” it is [\d.e-]+\./.test(panel), `the panel says “${panel}”`);
  await page.context().close();
}

// ---- edits ----

// What the program computes of the page's document is what the page has.
async function checkBits(name, frame) {
  const document = await frame.evaluate(() => selfattn.document());
  const run = spawnSync(program, ['run', '--quiet', '--emit', 'weights,attended', '--format', 'json', '-'], { input: document, encoding: 'utf8' });
  if (run.status !== 0) return check(name, false, `the program refuses the document: ${run.stderr}`);
  const result = JSON.parse(run.stdout);
  for (const stage of ['weights', 'attended']) {
    const shown = await frame.evaluate((map) => [...NUMBERS.get(mapCalled(map))], stage);
    const made = result[stage].flat(Infinity).map(Math.fround);
    check(name, made.length === shown.length && made.every((x, i) => Object.is(x, shown[i])), `${stage} is ${shown}, and by the program ${made}`);
  }
}

const numbers = async (page, map, at) => Promise.all((await framesOf(page)).map((frame) =>
  frame.evaluate(([one, place]) => selfattn.get(one, place), [map, at])));

// own: { frame, map, at } of a number that the documents have otherwise.
async function checkEdits(name, own) {
  const page = await open(name), frames = await framesOf(page), undo = page.locator('.binder > .bar button', { hasText: /^Undo$/ });
  const came = await numbers(page, 'x', [1, 0]);
  await frames[0].locator('#matrix-x tbody tr').nth(1).locator('td').first().dblclick();
  await page.keyboard.type('2.5');
  await page.keyboard.press('Enter');
  check(name, String(await numbers(page, 'x', [1, 0])) === '2.5,2.5', `a number that was the same is ${await numbers(page, 'x', [1, 0])}`);
  await frames[1].evaluate(() => { edit(setFocus(0, 0)); });
  const rows = await Promise.all(frames.map((frame) => frame.evaluate(() => focusOf(roomInFocus()).row)));
  check(name, String(rows) === '0,0', `the queries worked out are ${rows}`);
  if (own) {
    const before = await numbers(page, own.map, own.at);
    await frames[own.frame].evaluate(([map, at]) => selfattn.set(map, at, 0.75), [own.map, own.at]);
    const after = await numbers(page, own.map, own.at);
    check(name, after[own.frame] === 0.75 && after[1 - own.frame] === before[1 - own.frame], `a number that differs goes from ${before} to ${after}`);
  }
  // a key that both see is hidden in both, and one that only one sees there alone
  const hides = async ([row, column]) => {
    await frames[0].evaluate((at) => selfattn.mask(...at, false), [row, column]);
    return numbers(page, 'weights', [row, column]);
  };
  check(name, String(await hides([2, 0])) === '0,0', 'a key that both see is not hidden in both');
  const sight = await frames[1].evaluate(() => JSON.stringify(sightsOf(0)));
  check(name, (await hides([0, 2]))[0] === 0, 'a key is not hidden');
  const isOwn = await frames[1].evaluate(() => JSON.stringify(sightsOf(0))) === sight;
  check(name, isOwn === (name === 'masked'), `a key that ${name === 'masked' ? 'one sees' : 'both see'} is hidden in ${isOwn ? 'one' : 'both'}`);
  for (const frame of frames) await checkBits(name, frame);
  await page.evaluate(() => new Promise((done) => { setTimeout(done, 200); }));
  for (const frame of frames) await frame.evaluate(() => refreshAll());
  await checkMarks(`${name}, changed`, page);
  const address = await page.evaluate(() => location.hash), documents = await Promise.all(frames.map((frame) => frame.evaluate(() => selfattn.document())));
  const again = await open(name, address), repeated = await Promise.all((await framesOf(again)).map((frame) => frame.evaluate(() => selfattn.document())));
  check(name, String(documents) === String(repeated), `the address ${address} brings ${repeated} and not ${documents}`);
  for (const one of [page, again]) {
    const button = one.locator('.binder > .bar button', { hasText: /^Undo$/ });
    for (let i = 0; i < (own ? 5 : 4); i++) await button.click();
    check(name, await button.isDisabled() && String(await numbers(one, 'x', [1, 0])) === String(came), 'Undo does not lead back to what came');
  }
  await frames[1].locator('body').press('Control+y');
  check(name, String(await numbers(page, 'x', [1, 0])) === '2.5,2.5', 'Ctrl+Y in one brings back one');
  check(name, await undo.isEnabled(), 'the bar does not know that something was changed');
  await page.context().close();
  await again.context().close();
}

// ---- screens ----

async function checkNarrow(name) {
  const page = await open(name, '#step-softmax', PHONE), frames = page.locator('iframe');
  const seen = () => frames.evaluateAll((all) => all.map((one) => getComputedStyle(one).visibility));
  check(name, String(await seen()) === 'visible,hidden', `on a phone they are ${await seen()}`);
  await page.locator('.documents button').nth(1).click();
  check(name, String(await seen()) === 'hidden,visible', `after a tab they are ${await seen()}`);
  const top = await (await framesOf(page))[1].evaluate(() => placeOfStep());
  check(name, top.at > 0 && top.top >= 0 && top.top < 400, `the other document is at step ${top.at}, ${top.top} down`);
  check(name, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the phone');
  await page.context().close();
}

async function checkPresent(name, viewport) {
  const page = await open(name, '#present', viewport), frames = await framesOf(page);
  const count = await frames[0].evaluate(() => STEPS.sections.length);
  const sizes = await page.evaluate((all) => Array.from({ length: all }, (nothing, i) => {
    const pages = [...document.querySelectorAll('iframe')].map((frame) => frame.contentWindow);
    pages[i % 2].goToStep(i);
    return pages.map((one) => {
      const seen = [...one.document.querySelectorAll('section')].filter((section) => section.offsetHeight > 0);
      const { top, bottom } = seen[0].getBoundingClientRect();
      return [one.placeOfStep().at, seen.length, top >= -1 && bottom <= one.innerHeight + 1 ? 'fits' : `${top} to ${bottom}`];
    });
  }), count);
  sizes.forEach((both, i) => check(name, both.every((one) => String(one) === `${i},1,fits`), `at ${viewport.width} step ${i + 1} is ${both.join(' and ')}`));
  await frames[0].evaluate(() => goToStep(0));
  await page.keyboard.press('ArrowRight');
  const revealed = await Promise.all(frames.map((frame) => frame.evaluate(() => [STEPS.at, PRESENT.revealed].join(':'))));
  check(name, revealed[0] === revealed[1], `a key reveals ${revealed}`);
  await page.context().close();
}

async function checkAccess(name, address) {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(name, address, WIDE, { colorScheme });
    for (const frame of page.frames()) {
      await frame.evaluate(AXE);
      const { violations } = await frame.evaluate(() => axe.run(document, { resultTypes: ['violations'], iframes: false }));
      check(name, violations.length === 0, `axe, ${colorScheme}: ${violations.map((one) => `${one.id} ${one.nodes[0].html}`).join('; ').slice(0, 300)}`);
    }
    await page.context().close();
  }
}

// ---- a chain ----

async function checkChain(name, titles) {
  const page = await open(name), at = () => page.evaluate(() => [document.title, location.hash].join(' '));
  const bar = page.locator('.binder > .bar'), button = (words) => bar.getByRole('button', { name: words });
  const isAt = async (number, doing) => {
    const found = await at();
    check(name, found.startsWith(`${titles[number]} #${number + 1}`), `after ${doing} it is “${found}”`);
  };
  await isAt(0, 'opening');
  check(name, await button('Previous document').isDisabled(), 'there is one before the first');
  await button('Next document').click();
  await isAt(1, 'next');
  await page.keyboard.press('Shift+ArrowRight');
  await isAt(2, 'Shift and an arrow');
  check(name, await button('Next document').isDisabled(), 'there is one after the last');
  await bar.locator('select').selectOption('0');
  await isAt(0, 'the list');
  const frames = await framesOf(page);
  const of = async (number) => (await Promise.all(frames.map(async (frame) => [await frame.title(), frame])))
    .find(([title]) => title === titles[number])[1];
  const first = await of(0), steps = await first.evaluate(() => STEPS.sections.length);
  await first.evaluate(() => selfattn.set('x', [0, 0], 7));
  for (let i = 1; i < steps; i++) await page.keyboard.press('ArrowRight');
  await isAt(0, 'all of its steps');
  await page.keyboard.press('ArrowRight');
  await isAt(1, 'one more');
  check(name, await stepOf(await of(1)) === 0, 'the next document does not begin with its first step');
  await page.keyboard.press('ArrowLeft');
  await isAt(0, 'an arrow back');
  check(name, await stepOf(first) === steps - 1, 'it does not go back to the last step');
  await page.keyboard.press('Shift+ArrowRight');
  await isAt(1, 'an arrow again');
  const again = await open(name, await page.evaluate(() => location.hash));
  check(name, (await again.title()) === titles[1], 'the address leads to another document');
  await again.keyboard.press('Shift+ArrowLeft');
  const [, back] = await framesOf(again);
  check(name, await back.title() === titles[0] && await back.evaluate(() => selfattn.get('x', [0, 0])) === 7, 'a change of another document is not in the address');
  await again.evaluate(() => { location.hash = '#3&present'; });
  await again.waitForTimeout(300);
  check(name, await again.title() === titles[2] && await again.evaluate(() => document.body.classList.contains('presenting')), 'a new address is not followed');
  await again.context().close();
  await page.context().close();
}

run(browserFile, async () => {
  await checkSteps('masked', [['“Not causal: four rows that all see each other” has no such step.'], []]);
  for (const name of ['masked', 'scaled']) await checkDiffers(name);
  await checkEdits('masked');
  await checkEdits('scaled', { frame: 0, map: 'scale', at: [] });
  await checkNarrow('masked');
  for (const viewport of [{ width: 1920, height: 1080 }, { width: 1280, height: 720 }, PHONE]) await checkPresent('masked', viewport);
  await checkPresent('heads', { width: 1280, height: 720 });
  await checkAccess('masked', '#step-softmax');
  await checkAccess('chain', '#2');
  await checkChain('chain', ['First', 'Second', 'Third']);
});
