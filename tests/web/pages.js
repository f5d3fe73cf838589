'use strict';
// node pages.js BROWSER FOLDER: opens each NAME.html of the folder from its file, and all
// examples, their numbers and arithmetic, and their index.
//
// quiet       no console message, no error, no request but the page's own
// numbers     every cell's text is the number of NAME.stages.json, the stages of the same run
// arithmetic  every kind of cell, clicked, of the head that is shown and of the last: what the panel
//             writes out makes its result again, and the numbers in it are links to cells that exist
// steps       the arrow keys walk all steps, and back, after a click on a control too, and so do
//             PageDown and PageUp; the bar follows the scrolling, and the panel of a cell closes where
//             another step is gone to
// picture     a box that is clicked leads to its step, and is marked; in a house its room is too
// link        an address with a cell's name opens it
// access      axe-core finds nothing, light and dark, on pages that between them have every part
// narrow      360 and 1,600 pixels: nothing but tables and pictures is scrolled sideways
// paper       it prints, and every number and picture is between the margins, with the script and
//             without it, of as many heads; then the page is as it was
// plain       without script, all steps and tables can be read
// large       (large.html, 100 tokens) the row in focus has all its cells, and says so
// heads       (six-heads.html) tabs show what the page without script leaves out, and
//             (asad-two-heads-wo.html) the head in focus first
// house       the names of floors are next to their rooms, not after them
// unseen      (some/vocabulary.html, 70 ids; some/large-vocabulary.html, 5,000) a line stands where a
//             table would be too large, in the order of the tables, and the panel says so too
// floors      stacks of layers have the same checks; of large ones (some/), few cells of a table,
//             and so has a generation, step by step
// digits      (digits/nothing.html, fixed decimals) a row that sees nothing has no arithmetic
// index       (all/index.html) no message, no request but its pictures', and links that lead to files
// changes     a number that is typed into a cell, undone and redone, a click on the mask, a switch:
//             what follows changes with it, and a reload keeps it
// focus       a click on the label of another query, of another head, and of another entry of a batch,
//             works that one out: lines, products and what names them are those of the program's page of it
// entries     (batch-lengths.html) their labels go by keys too; a length that is typed hides keys of its
//             own entry, a weight changes all of them, and a reload keeps both
// pictures    (six-heads.html) one a head: pointed at, by the keyboard too, its lines alone are there;
//             a token that is pointed at lets the others fade; a click works the head out
// sums        keys that are chosen above the weights, by the keyboard too, are added up in a last column
// saving      a picture is saved as SVG, which has its looks without the page's style, and as PNG; a table
//             is copied in four forms
// backward    (backward-walkthrough.html) gradients below numbers can be read by all, on a narrow screen and
//             on paper; from a number of Wq the panel leads to the output, blame by blame, each with the
//             gradient of testdata; a nudge is near it, and leaves the page as it was
// temperature of the softmax: a slider divides what makes the scores, and is undone at once
// learning    (learning.html) steps are taken by buttons, and are those of `selfattn train`, a series
//             undone at once; what is typed as a rate or chosen counts; Stop and a change end a series,
//             and too large a rate with words; a reload takes the steps again
// moving      a row of x goes to another place, by keys and by the pointer, and a reload keeps it; each
//             token has its own output then, but where places count
// presenting  one step in large type, part by part, and back; none of some pages' steps is taller than
//             three screens; notes in a window of their own follow
// exercise    (exercise*.html) right and wrong answers are told apart, in any notation; help comes in
//             steps, about the cell that is wrong; what is typed outlives a reload; what is saved is
//             what selfattn check --answers marks; what goes on with an answer opens once it is
//             right; an exam checks and opens nothing

const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');
const { chromium } = require('playwright-core');
const { until } = require('../until.js');
const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [browserFile, folder] = process.argv.slice(2);
const LARGE = { row: 40, columns: 100 }; // of large.html: what run.sh asks for, from 0
const MOST_CELLS = 30; // of one map: every row and column of it, in a pattern
let passed = 0, failed = 0;

function check(name, holds, what) {
  if (holds) passed++;
  else {
    failed++;
    console.log(`FAIL web: ${name}: ${what}`);
  }
}

// ---- numbers, written and read again ----

// At most 4 decimals, as C's printf would write them; zeros at the end stay where digits follow.
function written(value) {
  if (typeof value === 'string') return { NaN: 'nan', Infinity: 'inf', '-Infinity': '-inf' }[value];
  const number = Math.fround(value), size = Math.abs(number);
  if (number === 0) return '0';
  if (size >= 0.000999995 && size < 1e7) {
    const all = number.toFixed(4), fixed = Math.fround(Number(all)) === number ? all.replace(/\.?0+$/, '') : all;
    return fixed === '-0' ? '0' : fixed;
  }
  const [digits, exponent] = number.toExponential(4).split('e');
  const tail = exponent.slice(1).padStart(2, '0');
  const isWhole = Math.fround(Number(`${digits}e${exponent}`)) === number;
  return `${isWhole ? digits.replace(/\.?0+$/, '') : digits}e${exponent[0]}${tail}`;
}

// JavaScript rounds a tie up, C to even: both are the number.
function isWritten(text, value) {
  if (text === written(value)) return true;
  return /^-?\d+(\.\d{1,4})?$/.test(text) &&
    Math.abs(Math.abs(Number(text) - Math.fround(value)) - 0.00005) < 1e-12;
}

function isSame(shown, stage) {
  return shown.every((head, h) => head.every((row, i) => !row || row.every((text, j) =>
    isWritten(text, stage[h][i][j]))));
}

function depthOf(value) {
  return Array.isArray(value) ? 1 + depthOf(value[0]) : 0;
}

// What belongs to one query of one head: weighted, of the first batch.
function inFocus(stage, focus) {
  if (!focus) return stage;
  while (depthOf(stage) > 4) stage = stage[0];
  return [depthOf(stage) === 4 ? stage[focus.head][focus.row] : stage[focus.row]];
}

// A stage of the first batch as heads × rows × columns; a gradient may be a row, or a number.
function headsOf(stage, heads) {
  if (depthOf(stage) < 2) return [[[stage].flat()]];
  while (depthOf(stage) > 3 || (depthOf(stage) === 3 && heads === 1)) stage = stage[0];
  return depthOf(stage) === 2 ? [stage] : stage;
}

// The normal distribution by its series x + x³/3 + x⁵/15 + … (Abramowitz and Stegun, 26.2.11), which
// is exact enough wherever four decimals of it are not 0 or 1.
function normal(x) {
  let term = x, sum = x;
  for (let n = 3; n < 200; n += 2) sum += term *= (x * x) / n;
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

// The value of an expression as the panel writes it; null where terms are left out.
function valueOf(expression) {
  if (expression.includes('…')) return null;
  const script = expression.replace(/−|-/g, '-').replace(/·/g, '*')
    .replace(/∞/g, 'Infinity').replace(/√\(/g, 'Math.sqrt(').replace(/π/g, 'Math.PI')
    .replace(/(\([^()]*\)|[0-9.]+(?:e[-+]?[0-9]+)?)²/g, '($1)**2')
    .replace(/(\([^()]*\)|[0-9.]+(?:e[-+]?[0-9]+)?)³/g, '($1)**3')
    .replace(/\|([^|]*)\|/g, 'Math.abs($1)')
    .replace(/\b(exp|max|tanh|cos|sin)\(/g, 'Math.$1(').replace(/\bln\(/g, 'Math.log(').replace(/\binf\b/g, 'Infinity');
  return Function('Φ', `"use strict"; return (${script.replace(/--/g, '- -')});`)(normal);
}

// Operands have four decimals, so a sum of products is off by a little for each term.
function isNear(value, text, expression) {
  const wanted = text === '−∞' ? -Infinity : Number(text);
  if (!Number.isFinite(wanted)) return value === wanted;
  const words = expression.match(/[0-9.]+(e[−-][0-9]+)?/g) || [];
  const operands = words.map((word) => Math.abs(Number(word.replace('−', '-'))));
  const greatest = Math.max(1, ...operands);
  return Math.abs(value - wanted) <= 2e-4 * greatest * (operands.length + 1) + 2e-3 * Math.abs(wanted);
}

// ---- one page ----

async function open(browser, name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  if (options.forbids) await page.addInitScript(() => Object.defineProperty(window, 'localStorage',
    { get() { throw new Error('forbidden'); } }));
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  page.on('request', (request) => {
    if (!request.url().endsWith(`/${name}.html`)) said.push(request.url());
  });
  await page.goto(`file://${folder}/${name}.html${options.anchor || ''}`);
  return { page, said, close: () => context.close() };
}

// What stands in the menu of the bar: it is opened, and closed again.
async function inMenu(page, act) {
  await page.locator('.menu > summary').click();
  await act();
  if (await page.locator('.menu[open]').count()) await page.locator('.menu > summary').click();
}

async function checkNumbers(name, page) {
  const stages = JSON.parse(fs.readFileSync(path.join(folder, `${name}.stages.json`)));
  const maps = await page.evaluate(() => MAPS.filter((map) => map.cells).map((map) => ({
    name: fullName(map), focus: map.focus,
    heads: Array.from({ length: map.heads }, (nothing, head) =>
      map.rows.map((label, row) => rowOf(map, head, row))),
  })));
  let compared = 0;
  for (const map of maps.filter((one) => stages[one.name])) {
    check(name, isSame(map.heads, headsOf(inFocus(stages[map.name], map.focus), map.heads.length)),
      `${map.name} has other numbers than the stage`);
    compared++;
  }
  check(name, compared >= 5, `only ${compared} stages were compared`);
}

// What the panel says of a cell that is clicked.
async function clickCells(page, most) {
  return page.evaluate((limit) => {
    const told = [];
    const clickAll = (map, shown) => {
      const cells = [...shown.body.querySelectorAll('td')].filter(placeAt);
      const most = shown.table.matches('.part') ? Math.min(limit, 8) : limit;
      const step = Math.max(1, Math.ceil(cells.length / most));
      for (let i = 0; i < cells.length; i += step) {
        cells[i].click();
        const line = PANEL.element.querySelector('.line');
        const links = [...line.querySelectorAll('a')];
        told.push({ map: map.name, operation: map.operation, isShare: map.share, text: cells[i].textContent,
          line: line.textContent, links: links.every((link) => placeOf(link.hash)),
          lit: document.querySelectorAll('td.chosen').length });
      }
    };
    for (const [map, all] of SHOWN) {
      for (const shown of all) {
        clickAll(map, shown);
        if (shown.tabs.length === 0) continue;
        shown.tabs[map.heads - 1].click();
        refreshAll(); // it may be the one that is worked out from then on
        clickAll(map, shown);
      }
    }
    return told;
  }, most);
}

function checkTold(name, told) {
  const [left, ...rest] = told.line.split(' = ');
  const parts = told.operation === 'round' ? rest.join(' = ').split(' → ') : rest;
  const result = parts.pop().replace(/ \(.*$/, '').replace('−', '-');
  const at = `${told.line} (${told.text})`;
  check(name, !told.line.includes('undefined'), `a word is missing: ${at}`);
  // A share has four decimals in its cell, and all digits that the page shows in the panel.
  const isSmallShare = told.isShare && result.includes('e') && Number(result).toFixed(4) === told.text;
  check(name, (isSmallShare || result === told.text.replace('−', '-')) &&
    left.toLowerCase().startsWith(told.map.toLowerCase().split('[')[0]), `another result: ${at}`);
  check(name, told.links && told.lit > 0, `a link or a light is missing: ${at}`);
  if (parts.length === 0 || told.operation === 'round') return;
  const value = valueOf(parts[0]);
  if (value !== null) check(name, isNear(value, told.text, parts[0]), `is not what it says: ${at}`);
}

async function checkArithmetic(name, page, most = MOST_CELLS) {
  const told = await clickCells(page, most);
  check(name, told.length > 10, 'hardly a cell can be clicked');
  told.forEach((one) => checkTold(name, one));
  await page.keyboard.press('Escape');
}

async function checkSteps(name, page) {
  const count = await page.evaluate(() => { document.activeElement.blur(); goToStep(0);
    return STEPS.sections.length; });
  for (let i = 1; i < count; i++) await page.keyboard.press('ArrowRight');
  check(name, (await page.textContent('.bar output')).startsWith(`${count}/${count} `),
    'the arrow keys do not lead to the last step');
  for (let i = 1; i < count; i++) await page.keyboard.press('ArrowLeft');
  check(name, (await page.textContent('.bar output')).startsWith('1/'), 'nor back');
  await checkHurry(name, page);
  await checkKeys(name, page);
}

// Who goes on before a step has come up is not led back to it.
async function checkHurry(name, page) {
  const [first, ...tops] = await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame), seen = [];
    goToStep(0);
    await frame();
    seen.push(scrollY);
    goToStep(STEPS.sections.length - 1);
    for (let i = 0; i < 4; i++) {
      seen.push(scrollY);
      await frame();
    }
    return seen;
  });
  check(name, tops.every((top) => top > first), `the first step comes back: ${tops.join(', ')}`);
}

// A reader clicks a control, and goes on by the keyboard.
async function checkKeys(name, page) {
  const at = () => page.evaluate(() => STEPS.at);
  const lasts = async (keys, by, after) => {
    for (const key of keys) {
      await page.evaluate(() => goToStep(1));
      await after();
      const before = await at();
      await page.keyboard.press(key);
      check(name, (await at()) === before + by, `${key} does not step after ${after.name}`);
    }
  };
  const next = () => page.click('.bar button >> nth=1');
  const box = () => inMenu(page, async () => {
    await page.getByLabel('ask first').click();
    await page.getByLabel('ask first').click();
  });
  const slider = async () => {
    await page.evaluate(() => { MENU.element.open = true; });
    await page.focus('.bar input[type=range]');
  };
  const cell = async () => {
    await page.evaluate(() => goToStep(STEPS.sections.findIndex((one, i) => i > 0 &&
      one.querySelector('td[tabindex="0"]'))));
    await page.locator('section.here td[tabindex="0"]').first().click();
    await page.keyboard.press('Escape');
  };
  for (const after of [next, box, cell]) {
    await lasts(['ArrowRight', 'PageDown'], 1, after);
    await lasts(['ArrowLeft', 'PageUp'], -1, after);
  }
  await lasts(['ArrowRight', 'PageDown'], 1, slider);
  await lasts(['ArrowLeft', 'PageUp'], -1, slider);
  await page.evaluate(() => { document.activeElement.blur(); goToStep(0); });
}

async function checkPicture(name, page) {
  await page.evaluate(() => document.querySelectorAll('.about').forEach((one) => { one.open = true; }));
  const links = await page.locator('.picture a').all();
  check(name, links.length > 3, 'hardly a box leads anywhere');
  for (const link of links) {
    await link.locator('text').first().click();
    const told = await link.evaluate((one) => {
      const target = document.getElementById(one.getAttribute('href').slice(1));
      const section = STEPS.sections[STEPS.at];
      return { isThere: target.contains(section), isMarked: one.classList.contains('here'),
        isFloor: !target.matches('section'), href: one.getAttribute('href'),
        box: getComputedStyle(one.querySelector('rect, circle') || one).strokeWidth,
        others: [...document.querySelectorAll('.picture a.here:not([data-room])')]
          .filter((other) => other.getAttribute('href') !== `#${section.id}`).length };
    });
    check(name, told.isThere, `the box of ${told.href} leads elsewhere`);
    check(name, told.isFloor || (told.isMarked && told.box === '3px'), `the box of ${told.href} is not marked`);
    check(name, told.others === 0, `another box than that of ${told.href} is marked`);
  }
}

function isAtStep(page, number) {
  return until(page, (at) => document.querySelector('.bar output').textContent.startsWith(`${at}/`), number, 2)
    .then(() => true, () => false);
}

// As a person scrolls, with the wheel: to each step, to the end, and to the begin.
async function checkScroll(name, page) {
  const count = await page.evaluate(() => STEPS.sections.length);
  const next = Math.min(4, count - 1);
  await page.mouse.move(600, 450);
  await page.mouse.wheel(0, 300); // where a step was gone to, it stays until then
  for (let times = 0; times < 3; times++) { // parts that come into view get their true heights
    const way = await page.evaluate((at) =>
      STEPS.sections[at].getBoundingClientRect().top - STEPS.bar.offsetHeight, next);
    await page.mouse.wheel(0, way);
    await page.waitForTimeout(60);
  }
  const isLong = await page.evaluate(() =>
    document.documentElement.scrollHeight - innerHeight - scrollY > innerHeight);
  if (isLong) {
    check(name, await isAtStep(page, next + 1), `scrolled to step ${next + 1}, it says another`);
    await page.click('.bar button >> nth=1');
    check(name, await isAtStep(page, Math.min(count, next + 2)), '› does not go on from there');
  }
  for (let times = 0; times < 3; times++) {
    await page.mouse.wheel(0, 1e6);
    await page.waitForTimeout(60);
  }
  check(name, await isAtStep(page, count), 'scrolled to the end, it says another than the last step');
  for (let times = 0; times < 3; times++) {
    await page.mouse.wheel(0, -1e6);
    await page.waitForTimeout(60);
  }
  check(name, await isAtStep(page, 1), 'scrolled to the begin, it says another than the first step');
  await page.evaluate(() => document.querySelector('[data-map] td[tabindex="0"]').click());
  const wasOpen = await page.locator('.panel').isVisible();
  await page.mouse.move(0, 0); // and not on a cell
  await page.evaluate(() => document.querySelectorAll('.bar button')[1].click());
  check(name, wasOpen && !(await page.locator('.panel').isVisible()),
    'the panel stays where another step is gone to');
}

// The numbers of each table of a map, a line a row, and what sticks out of the paper.
const ON_PAPER = (width) => {
  const isShown = (one) => one.getClientRects().length > 0;
  const all = [...document.querySelectorAll('.matrix, svg, .words, .line, .formula')].filter(isShown);
  const captions = [...document.querySelectorAll('figcaption')].filter(isShown);
  return {
    captions: captions.map((one) => one.querySelector('b').textContent),
    out: all.filter((one) => one.getBoundingClientRect().right > width + 1)
      .map((one) => one.closest('section, nav').id + one.className),
    tables: [...document.querySelectorAll('.matrix:not(.block *, .mini)')].map((table) => {
      const parts = isShown(table) ? [table] : [...table.nextElementSibling.querySelectorAll('table')];
      const linesOf = (one) => [...one.rows].map((row) => [...row.querySelectorAll('td')]
        .map((cell) => cell.textContent).filter((word) => word.trim() !== ''));
      const printed = parts.filter(isShown).map(linesOf);
      return linesOf(table).every((line, i) =>
        line.join() === printed.flatMap((lines) => lines[i]).join());
    }),
    letters: Math.min(...[...document.querySelectorAll('.matrix tbody td')].filter(isShown)
      .map((cell) => parseFloat(getComputedStyle(cell).fontSize))),
  };
};

const PAPERS = { A4: 703, letter: 725 }; // pixels between the margins of 12 mm

async function checkPaper(name) {
  const { page, close } = await open(browser, name);
  const before = await page.content();
  let all = [];
  await page.emulateMedia({ media: 'print' });
  for (const [paper, width] of Object.entries(PAPERS)) {
    await page.setViewportSize({ width, height: 1000 });
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const { out, tables, letters, captions } = await page.evaluate(ON_PAPER, width);
    all = captions;
    check(name, out.length === 0, `on ${paper}, beyond the margin: ${out.slice(0, 3).join(', ')}`);
    check(name, tables.length > 0 && tables.every((holds) => holds), `on ${paper}, lost numbers`);
    check(name, letters >= 7.9, `on ${paper}, letters of ${letters} pixels`);
    check(name, !(await page.locator('.bar, .panel, .tabs, button').evaluateAll((all) =>
      all.some((one) => one.getClientRects().length > 0))), `on ${paper}, a button`);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  }
  const words = (html) => html.replace(/ style="[^"]*"| class="[^"]*"/g, '');
  check(name, words(await page.content()) === words(before), 'printed, the page is another');
  await close();
  const plain = await open(browser, name, { javaScriptEnabled: false,
    viewport: { width: PAPERS.A4, height: 1000 } });
  await plain.page.emulateMedia({ media: 'print' });
  const { out, captions } = await plain.page.evaluate(ON_PAPER, PAPERS.A4);
  check(name, out.length === 0, `without script, beyond the margin: ${out.slice(0, 3).join(', ')}`);
  const lost = captions.filter((one) => !all.includes(one));
  check(name, lost.length === 0, `printed without script alone: ${lost.slice(0, 3).join('; ')}`);
  await plain.close();
}

async function checkHouse(name, page) {
  const hidden = await page.locator('.house').evaluateAll((houses) => houses.flatMap((house) => {
    const rooms = [...house.querySelectorAll('rect:not(.floor), circle, path')]
      .map((one) => one.getBoundingClientRect());
    return [...house.querySelectorAll('text.name')].filter((words) => {
      const name = words.getBoundingClientRect();
      return rooms.some((room) => room.left < name.right && room.right > name.left &&
        room.top < name.bottom && room.bottom > name.top);
    }).map((words) => words.textContent);
  }));
  check(name, hidden.length === 0, `after a room or a line: ${hidden.join(', ')}`);
}

// Dark differs in its colours alone.
async function checkAccess(name) {
  const { page, close } = await open(browser, name, { bypassCSP: true });
  await page.evaluate(AXE);
  for (const [colorScheme, rules] of [['light', {}], ['dark', { runOnly: ['color-contrast'] }]]) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate((which) =>
      axe.run(document, { resultTypes: ['violations'], ...which }), rules);
    for (const one of found.violations)
      check(name, false, `axe, ${colorScheme}: ${one.id}: ${one.help}: ${one.nodes[0].html}`);
    check(name, found.violations.length === 0, `axe, ${colorScheme}`);
  }
  await close();
}

async function checkWidths(name, anchor = '') {
  for (const width of [360, 1600]) {
    const { page, close } = await open(browser, name, { anchor, viewport: { width, height: 800 } });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(name, wide <= width, `at ${width} pixels the page${anchor} is ${wide} wide`);
    await close();
  }
}

async function checkPlain(name) {
  const { page, close } = await open(browser, name, { javaScriptEnabled: false });
  const sections = await page.locator('section').count();
  const headings = page.locator('section > :is(h2, h3):visible');
  check(name, sections > 3 && (await headings.count()) === sections,
    'without script a step can not be read');
  check(name, (await page.locator('td:visible').count()) > 3, 'without script there is no table');
  await close();
}

async function checkLink(name, weights) {
  const { page, close } = await open(browser, name,
    { anchor: `#${weights}-h0-r${name === 'large' ? LARGE.row : 0}-c0`, viewport: { width: 360, height: 800 } });
  await page.waitForTimeout(300);
  const box = await page.locator('section td.chosen').first().boundingBox();
  check(name, box && box.y > 0 && box.y < 800, 'a linked cell is not in view');
  check(name, /^(.*: )?weights(, head 1)?: .+/.test(await page.textContent('.panel h3')) &&
    (await page.evaluate(() => document.activeElement.tagName)) === 'TD',
  'a link to a cell does not open it');
  await close();
}

// The row in focus of a matrix that is too large for the page.
async function checkLarge(name, page) {
  const row = page.locator('#matrix-weights tbody tr'), figure = page.locator('#step-softmax figure');
  check(name, (await row.count()) === 1 && (await row.locator('td').count()) === LARGE.columns,
    'the row in focus has not all its cells');
  const words = (await figure.allTextContents()).join(' ');
  check(name, words.includes(`Row ${LARGE.row + 1} with all its ${LARGE.columns} columns`) &&
    words.includes('Each square stands for'), 'it does not say what it shows');
  await row.locator('td').last().click();
  check(name, /^weights\[head 1, 41,100\] = .* \/ .* = /.test(await page.textContent('.panel .line')),
    'a cell of the row in focus does not open');
}

async function checkHeads(name, page) {
  const said = await page.locator('#step-scores .other-heads').textContent();
  check(name, said === 'The tabs show the other heads.', `with tabs there it says: ${said}`);
  const plain = await open(browser, name, { javaScriptEnabled: false });
  const left = await plain.page.locator('#step-scores .other-heads').textContent();
  check(name, left === 'The other 5 heads are left out.', `without script it says: ${left}`);
  await plain.close();
}

// --focus row=2,head=2: what is worked out is in the table below it.
async function checkFocus(name, page) {
  const said = await page.locator('figure:has(#matrix-scores) figcaption').textContent();
  const tab = await page.locator('figure:has(#matrix-scores) [aria-selected=true]').textContent();
  check(name, said.startsWith('scores, head 2 of 2') && tab === 'head 2',
    `head 2 is in focus, and shown are ${said} and the tab of ${tab}`);
}

const ACCESSED = ['001-walkthrough', '000-complete-module', '000-nothing-to-attend', 'asad-two-heads-wo',
  'six-heads', 'rope', 'batch-lengths', 'rollout', 'marks'];

async function checkPage(name) {
  const { page, said, close } = await open(browser, name);
  if (name === 'asad-two-heads-wo') await checkFocus(name, page);
  if (name === 'large') await checkLarge(name, page);
  if (name === 'six-heads') await checkHeads(name, page);
  check(name, !(await page.textContent('body')).replace(/<.*?>/gs, '').includes('; --') &&
    !(await page.locator('main').innerText()).replace(/with --full/, '').includes('--'), 'an option stands on the page');
  await checkNumbers(name, page);
  await checkArithmetic(name, page);
  await checkSteps(name, page);
  await checkPicture(name, page);
  await checkScroll(name, page);
  await checkHouse(name, page);
  check(name, (await page.pdf()).length > 10000, 'it does not print');
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  const weights = await page.evaluate(() => fullName(MAPS.find((map) => map.name === 'weights')));
  await close();
  await checkLink(name, weights);
  if (ACCESSED.includes(name)) await checkAccess(name);
  await checkWidths(name);
  await checkPlain(name);
  await checkPaper(name);
}

// Captions of tables, and lines in the place of one, of the step of logits; and what the panel says
// of a logit.
const UNSEEN = {
  'some/vocabulary': { words: 'unembedding (16 × 70) is too large to be shown here.',
    panel: 'what it is made of is too large to be on this page' },
  'some/large-vocabulary': { words: 'unembedding (16 × 5000) is too large to be shown here.',
    panel: 'what it is made of is too large for any page' },
};

async function checkUnseen(name, page) {
  const { words, panel } = UNSEEN[name];
  const told = await page.locator('[id="step-step.0.logits"] :is(figcaption b, .unseen)').allTextContents();
  check(name, told.join() === `output.last,${words},logits`, `of its logits it shows: ${told.join()}`);
  await page.locator('[id^="matrix-step.0.logits"] td[tabindex]').first().click();
  check(name, (await page.textContent('.panel')).includes(panel), 'the panel does not say why');
}

async function checkExample(name, most) {
  const { page, said, close } = await open(browser, name);
  if (UNSEEN[name]) await checkUnseen(name, page);
  await checkNumbers(name, page);
  await checkArithmetic(name, page, most);
  await checkHouse(name, page);
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

async function checkDigits(name) {
  const { page, said, close } = await open(browser, name, { anchor: '#weights-h0-r0-c0' });
  const told = await page.textContent('.panel');
  check(name, told.includes('may attend to nothing'), `of a row that sees nothing it says: ${told}`);
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

async function checkIndex(name) {
  const { page, said, close } = await open(browser, name);
  const links = await page.locator('a[href]').evaluateAll((all) => all.map((link) => link.href));
  const pictures = await page.locator('img').evaluateAll((all) => all.map((one) => one.src));
  const lost = [...links, ...pictures].filter((url) => !fs.existsSync(new URL(url)));
  check(name, links.length > 30 && pictures.length > 10, 'hardly a link or a picture');
  check(name, lost.length === 0, `no such file: ${lost.join(', ')}`);
  const other = said.filter((one) => !pictures.includes(one));
  check(name, other.length === 0, `it says or asks for: ${other.join(', ')}`);
  await page.locator('img').last().scrollIntoViewIfNeeded();
  await page.waitForLoadState('networkidle');
  const wide = await page.locator('img').last().evaluate((one) => one.naturalWidth);
  check(name, wide > 0, 'a picture is not shown');
  await close();
  await checkAccess(name);
  await checkWidths(name);
}

// What is to be filled in, its last number, the formula that helps and the arithmetic of that number:
// the scores of seed 001 as the seed prints them, and the sums of testdata/stacks/seed-encoder.json
// as it expects them. So many numbers are asked for, and so many of them belong to stages, each
// counted once: of large matrices only the first, the last and the row in focus are shown, and of
// weighted one query of one head. The options say what is asked for, as in run.sh.
const EXERCISES = {
  exercise: { options: ['--blank', 'scores,weights'], matrix: 'scores', numbers: [2, 4, 4, 4, 16, 12, 4, 12, 10], label: 'scores[3,3]',
    formula: 'q[i]·k[j]',
    operands: 'k: 2, 3, 1', arithmetic: '2·2 + 1·3 + 3·1 = 10', later: 'rounded-h0-r0-c1',
    opens: { scores: ['round', 'weighted', 'sum'], softmax: ['round', 'weighted', 'sum'] }, document: 'seeds/001-walkthrough.json', asked: 33, marks: 33 },
  'exercise-floors': { options: ['--blank', 'residual,layer.0.ln2'], matrix: 'layer.0.attention_sum', numbers: [3, -2, 3, -2, 1, 0, 3, -2],
    label: 'layer 1, attention_sum: attention_sum[4,2]', formula: 'x[i,j] + attention.output[i,j]',
    operands: 'context: −1',
    arithmetic: '−1 + (−1) = −2', later: 'ffn.hidden-h0-r0-c0',
    opens: { 'layer.0.attention_sum': ['ffn', 'output'], 'layer.0.ln2': ['ffn', 'output'] }, document: 'stacks/seed-encoder.json', asked: 36, marks: 16 },
  'exercise-exam': { options: ['--blank', 'scores'], numbers: [2, 4, 4, 4, 16, 12, 4, 12, 10], document: 'seeds/001-walkthrough.json',
    marks: 9 },
  'exercise-heads': { options: ['--blank', 'scores,softmax'], document: 'examples/asad-two-heads-wo.json', asked: 32, marks: 32 },
  // as decode computes it, the softmax of 4 heads and 3 rows with the heads' mean; and the second
  // entry of a batch
  'exercise-decoder': { options: ['--blank', 'layer.1.attention.weights'], document: 'stacks/generator.json', asked: 4 * (9 + 9 + 3 + 3) + 9,
    marks: 4 * (9 + 9 + 3 + 3) + 9 },
  'exercise-batch': { options: ['--blank', 'scores,mask,softmax', '--focus', 'batch=2'], document: 'seeds/000-batch-padding.json', asked: 42, marks: 42 },
  'exercise-projections': { options: ['--blank', 'projections'], document: 'seeds/001-walkthrough.json', asked: 27, marks: 27 },
  'exercise-weighted': { options: ['--blank', 'weighted', '--focus', 'row=2,head=2'], document: 'examples/asad-two-heads-wo.json', asked: 4, marks: 4 },
  // q, k, v with 12 of 100 rows; row_max and row_sum of a head, and exp and weights of one query of
  // it; its weighted values, 4 wide
  'exercise-large': { options: ['--blank', 'projections,softmax,weighted', '--focus', 'row=41'], document: path.join(folder, 'documents/asked-large.json'),
    asked: 3 * 12 * 8 + 4 * 100 + 100 * 4, marks: 3 * 12 * 8 + 4 * 100 + 100 * 4 },
  // q, k, v with 11 of 80 columns, and one row with all, where 11 are asked for again
  'exercise-wide': { options: ['--blank', 'projections,weighted', '--focus', 'row=2'], document: path.join(folder, 'documents/asked-wide.json'),
    asked: 3 * (3 * 11 + 80) + 3 * 40, marks: 3 * (2 * 11 + 80) + 3 * 40 },
};

// What the button saves, marked by the program: 'ok' or 'FAIL', and how many are right.
async function savedMarks(name, page) {
  const [download] = await Promise.all([page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save answers' }).click()]);
  const file = path.join(folder, `${name}.answers.json`);
  await download.saveAs(file);
  const { document } = EXERCISES[name];
  check(name, download.suggestedFilename() === `${path.basename(document, '.json')}-answers.json`,
    `the answers are called ${download.suggestedFilename()}`);
  const told = spawnSync('selfattn', ['check', '--answers', file, path.resolve('testdata', document),
    ...EXERCISES[name].options], { encoding: 'utf8' });
  return told.stdout.split('\n')[0].replace(/ +[^ ]+:| \(.*\)$/g, '') + told.stderr;
}

// All that a page asks for, of all heads; what it asks for twice is filled in once.
async function checkSaved(name) {
  const { page, said, close } = await open(browser, name);
  const count = await page.evaluate(() => {
    const inputs = [...document.querySelectorAll('.blank input')];
    const last = new Map(inputs.map((input) => [anchorOf(placeAt(input)), input]));
    for (const input of last.values()) input.value = textOf(placeAt(input));
    return inputs.length;
  });
  const { asked, marks } = EXERCISES[name];
  check(name, count === asked, `it asks for ${count} numbers`);
  const told = await savedMarks(name, page);
  check(name, told === `ok ${marks} of ${marks} answers are right`, `all is saved, and marked: ${told}`);
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

// Weights of seed 001 as a student types them: softmax(2, 4, 4), 6.0337e-06 and 2.9539e-04.
const TYPED = {
  0: { right: ['0.0634', '0,0634', '.0634', '6.34e-2', '634/10000', '1/15.78', '(e^2)/(e^2 + 2·e^4)',
    'exp(−2)/(exp(−2) + 2)', '√(0.00402)', '+0.0634'],
  wrong: ['0.0635', '0.063', '-0.0634', '1/0', 'alert(1)', 'constructor', '0.0634 0', '1/',
    '(0.0634', '0.0634)', '0x1', 'nan', 'inf'] },
  3: { right: ['0.0000', '0', '6e-6', '6.0337e-06', '1/165736'], wrong: ['0.0001', '6e-5', '-6e-5'] },
  6: { right: ['0.0003', '2.95e-4', '2.9539E-04', '3/10000'], wrong: ['0.0002', '0.0004', '3e-5', '0'] },
};

async function checkTyped(name, page) {
  const inputs = page.locator('figure:has([id="matrix-weights"]) input');
  const button = page.locator('figure:has([id="matrix-weights"]) button');
  for (const [at, { right, wrong }] of Object.entries(TYPED)) {
    for (const typed of [...right, ...wrong]) {
      await inputs.nth(at).fill(typed);
      await button.click();
      const told = await inputs.nth(at).getAttribute('class');
      check(name, told === (right.includes(typed) ? 'right' : 'wrong'), `“${typed}” is ${told}`);
    }
    for (const typed of ['', ' ']) {
      await inputs.nth(at).fill('1');
      await button.click();
      await inputs.nth(at).fill(typed);
      await button.click();
      check(name, (await inputs.nth(at).getAttribute('class')) === '', `“${typed}” is told wrong`);
    }
  }
}

// Hints of the weights of seed 001, where nothing is known yet: they are about the cell that is wrong,
// not about those before it that are empty, which cost none, and nor do words.
async function checkHints(name) {
  const { page, said, close } = await open(browser, name);
  const figure = page.locator('figure:has([id="matrix-weights"])'), cell = figure.locator('input').nth(4);
  const hintOf = async (typed) => {
    await cell.fill(typed);
    await figure.locator('button').click();
    return figure.locator('.hint').textContent();
  };
  const told = [];
  for (const typed of ['', 'four', '', '0.5', '0.5']) told.push(await hintOf(typed));
  const right = ['', 'four is not a number.', '',
    'Hint 1 of 3 for weights[2,2]: it comes fromweights[i,j] = exp[i,j] / row_sum[i]',
    'Hint 2 of 3 for weights[2,2]: Compute exp, row_sum first.'];
  check(name, told.join() === right.join(), `hints are ${told.join(' | ')}`);
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

// Wrong answers that one slip gives are told as that: q·k is 1, 5, 5, 0, the scale 1/2; e^-2 is 0.1353,
// e^-2.5 0.0821; the weights are 0.1192, 0.8808, 0.9241, 0.0759, and softmax(1, 5) 0.0180, 0.9820.
const SLIPS = [
  ['scores', 0, '-1', 'that is 1 with its sign turned'],
  ['scores', 1, '5/2', 'that is scaled[1,2], divided by √d_k, which comes later'],
  ['scores', 2, '7', ''], ['scaled', 1, '5', 'that is scores[1,2], not yet divided by √d_k'],
  ['scores', 2, '1', ''], ['scaled', 0, '0', ''],
  ['scaled', 2, '0,5', 'that is scaled[1,1], of another row'],
  ['weights', 0, '11.92', 'it is a share of 1: 11.92 % is 0.1192'],
  ['weights', 3, '0.0821', "that is exp[2,2], not yet divided by the row's sum"],
  ['weights', 1, '0,982', 'that is the softmax of the unscaled scores'],
  ['weights', 2, '0.92', 'right to 2, and 4 decimals count'],
];

async function checkSlips(name) {
  const { page, said, close } = await open(browser, name);
  for (const [map, at, typed, slip] of SLIPS) {
    const figure = page.locator(`figure:has([id="matrix-${map}"])`), cell = figure.locator('input').nth(at);
    await cell.fill(typed);
    await cell.press('Enter');
    const told = await figure.locator('.hint .line').first().textContent({ timeout: 500 }).catch(() => '');
    check(name, told === (slip && `${typed}: ${slip}.`), `${typed} for ${map} ${at} is “${told}”`);
    await page.reload();
    await page.evaluate(() => localStorage.clear());
    await page.reload();
  }
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

// Solved question after question, in the order of the page and then the other way round: a step is
// closed until all that it waits for is right, and a reload leaves it so.
async function checkOpening(name) {
  const { page, said, close } = await open(browser, name);
  const closed = () => page.evaluate(() =>
    [...document.querySelectorAll('.closed')].map((note) => note.closest('section').id.replace('step-', '')).join());
  const count = (part) => page.locator(part).count();
  const { opens } = EXERCISES[name], questions = Object.keys(opens);
  for (const order of [questions, [...questions].reverse()]) {
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    const left = new Set(Object.values(opens).flat()), wrong = new Set(questions);
    check(name, await closed() === [...left].join(), `at first these are closed: ${await closed()}`);
    for (const question of order) {
      await page.evaluate((step) => EXERCISES.filter(({ map }) => map.step === step).forEach((exercise) => {
        for (const { input, place } of exercise.blanks) {
          input.value = textOf(place);
          input.dispatchEvent(new Event('input'));
        }
        check(exercise);
      }), question);
      wrong.delete(question);
      for (const step of left)
        if (![...wrong].some((one) => opens[one].includes(step))) left.delete(step);
      check(name, await closed() === [...left].join(), `with ${question} right these are closed: ${await closed()}`);
    }
    const lines = await count('.line'), tables = await count('[data-map]');
    await page.reload();
    check(name, await closed() === '' && await count('.line') === lines && await count('[data-map]') === tables,
      'a reload closes what was open');
  }
  check(name, !(await page.locator('main').textContent()).includes('□'), 'something is not told at the end');
  await page.evaluate((later) => choose(placeOf(`#${later}`)), EXERCISES[name].later);
  check(name, await page.locator('.panel').isVisible(), 'the panel does not tell a later number');
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

async function checkExercise(name) {
  const { page, said, close } = await open(browser, name);
  const { matrix, numbers, label, formula, operands, arithmetic, later } = EXERCISES[name];
  const figure = page.locator(`figure:has([id="matrix-${matrix}"])`);
  const right = numbers.slice(0, -1), [last] = numbers.slice(-1);
  const type = async (typed) => {
    for (let i = 0; i < typed.length; i++)
      await figure.locator('input').nth(i).fill(String(typed[i]));
    await figure.locator('button').click();
  };
  const says = async (part, words) =>
    (await figure.locator(part).textContent()).includes(words);
  const labelled = await figure.locator('input').last().getAttribute('aria-label');
  check(name, labelled.endsWith(label), `the last cell is labelled ${labelled}`);
  const isToldLater = await page.evaluate((anchor) => {
    choose(placeOf(`#${anchor}`));
    return !PANEL.element.hidden;
  }, later);
  check(name, !isToldLater, 'a later number is told');
  const lastInput = figure.locator('input').last(), isTold = async () => {
    await lastInput.hover();
    await page.waitForTimeout(300); // the panel waits for a rest
    return (await page.locator('.panel').textContent()).includes(arithmetic);
  };
  check(name, !await isTold(), 'the panel tells an answer');
  await type([...right, last + 1]);
  check(name, await says('output', `${right.length} of ${numbers.length}`), 'one is wrong');
  check(name, await says('.hint', `it comes from${matrix.split('.').pop()}[i,j] = ${formula}`), 'no formula');
  check(name, !await says('.hint', '?'), 'more than the formula');
  await figure.locator('button').click();
  check(name, await says('.hint', operands), 'no operands');
  await figure.locator('button').click();
  check(name, await says('.hint', arithmetic.replace(/= [^ ]+$/, '= ?')), 'no arithmetic');
  check(name, !await says('.hint', arithmetic), 'the hint is the answer');
  await type([...right, (last + Math.sign(last) * 0.00001).toFixed(5).replace('.', ',')]);
  check(name, await says('output', `${numbers.length} of ${numbers.length}`), 'all are right');
  check(name, await isTold(), 'the panel does not tell what is right');
  const told = await savedMarks(name, page), { marks } = EXERCISES[name];
  if (name === 'exercise') await checkTyped(name, page);
  check(name, told === `FAIL ${numbers.length} of ${marks} answers are right`,
    `the others are empty, and it is marked: ${told}`);
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
  await checkSaved(name);
  await checkKept(name);
  await checkOpening(name);
  if (name === 'exercise') await checkHints(name);
  await checkAccess(name);
}

// An exam: nothing is checked and no hint is given, Enter goes on, and what is saved is marked. The
// answers are seed 001's scores, and the document is asked for by its exercise.
async function checkExam(name) {
  const { page, said, close } = await open(browser, name);
  const inputs = page.locator('.blank input');
  check(name, (await page.getByRole('button', { name: 'Check' }).count()) === 0, 'it checks');
  await inputs.first().focus();
  for (const number of EXERCISES[name].numbers) {
    await page.keyboard.type(String(number));
    await page.keyboard.press('Enter');
  }
  check(name, (await inputs.evaluateAll((all) => all.map((input) => input.className).join(''))) === '',
    'an answer is marked');
  await inputs.last().hover();
  await page.waitForTimeout(300);
  const told = await savedMarks(name, page), { marks } = EXERCISES[name];
  check(name, told === `ok ${marks} of ${marks} answers are right`, `it is marked: ${told}`);
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
  await checkAccess(name);
}

// Typed with Enter, which checks and goes on; a reload brings it back, and where nothing may be kept
// the page works as well.
async function checkKept(name) {
  const { matrix, numbers } = EXERCISES[name];
  const { page, said, close } = await open(browser, name);
  const inputs = page.locator(`figure:has([id="matrix-${matrix}"]) input`);
  const focused = () => inputs.evaluateAll((all) => all.indexOf(document.activeElement));
  await inputs.first().focus();
  await page.keyboard.type(`${numbers[0] + 1}`);
  await page.keyboard.press('Enter');
  check(name, (await focused()) === 0 && (await inputs.first().getAttribute('class')) === 'wrong',
    'Enter goes on after a wrong answer');
  for (const [i, number] of numbers.entries()) {
    check(name, (await focused()) === i, `Enter does not go on to number ${i}`);
    await page.keyboard.type(String(number));
    await page.keyboard.press('Enter');
  }
  await page.reload();
  const typed = await inputs.evaluateAll((all) => all.map((input) => input.value));
  check(name, typed.join() === numbers.join(), `after a reload there is ${typed.join()}`);
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
  const other = await open(browser, name, { forbids: true });
  await other.page.locator('.blank input').first().fill('1');
  check(name, other.said.length === 0, `without storage it says: ${other.said.join(', ')}`);
  await other.close();
}

// ---- changes (tests/alive has their numbers) ----

const CHANGED = ['001-walkthrough', 'causal-mask-bias', 'asad-two-heads-wo', 'rollout'];

async function checkChanges(name) {
  const { page, said, close } = await open(browser, name);
  const texts = () => page.evaluate(() => refreshAll() ||
    [...document.querySelectorAll('main :is(.matrix td, .line)')].map((one) => one.textContent).join(' '));
  const marked = () => page.locator('td.changed').count();
  const came = await texts(), cell = page.locator('main [data-map] td[tabindex]').first();
  await cell.dblclick();
  await page.keyboard.type('-1/4');
  await page.keyboard.press('Enter');
  const changed = await texts();
  check(name, (await cell.textContent()) === '-0.25', `the cell says ${await cell.textContent()}`);
  check(name, changed !== came && await marked() > 1, 'nothing follows');
  check(name, (await cell.getAttribute('title')).startsWith('it was'), 'it does not say what it was');
  check(name, (await page.textContent('.badge')).startsWith('Edited'), 'no badge');
  await page.reload();
  check(name, (await texts()) === changed, 'a reload loses the change');
  await page.getByRole('button', { name: 'Undo' }).click();
  check(name, (await texts()) === came && (await marked()) === 0, 'undo does not bring it back');
  check(name, !page.url().includes('edit='), 'the address keeps what was undone');
  await page.keyboard.press('Control+Shift+Z');
  check(name, (await texts()) === changed, 'the keys do not bring it again');
  await cell.click();
  await page.keyboard.press('Escape');
  await cell.focus();
  await page.keyboard.type('7');
  await page.keyboard.press('Escape');
  check(name, (await texts()) === changed, 'Escape takes what was typed');
  check(name, JSON.parse(await page.evaluate(() => selfattn.document())) !== null, 'no document');
  await inMenu(page, () => page.getByRole('button', { name: 'As it came' }).click());
  check(name, (await texts()) === came, 'it does not come back');
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

// The words of causal-mask-bias have places in its mask; without masks an output is its token's.
const MOVED = { '001-walkthrough': false, 'asad-two-heads-wo': false, 'causal-mask-bias': true };

async function checkMoving(name) {
  const { page, said, close } = await open(browser, name);
  const labels = () => page.locator('#matrix-x tbody th').allTextContents();
  const came = await labels(), last = came.length - 1;
  await page.locator('#matrix-x tbody td').first().focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Alt+ArrowDown');
  check(name, (await labels()).join() === [came[1], came[0], ...came.slice(2)].join(),
    `moved by keys they are ${await labels()}`);
  check(name, (await page.textContent('.badge')).startsWith(`“${came[0]}” is now row 2 of`), 'it is not said');
  check(name, (await page.evaluate(() => document.activeElement.textContent)) === came[0],
    'the label loses the focus');
  const marked = await page.evaluate(() => refreshAll() ||
    document.querySelectorAll('[id^=matrix-attended] td.changed').length > 0);
  check(name, marked === MOVED[name], `what is attended is ${marked ? '' : 'not '}marked`);
  await inMenu(page, () => page.getByRole('button', { name: 'As it came' }).click());
  const at = (row) => page.locator('#matrix-x tbody th').nth(row).boundingBox();
  await page.evaluate(() => goToStep(0));
  const [from, to] = [await at(last), await at(0)];
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 5, to.y + 5);
  await page.mouse.up();
  const dragged = [came[last], ...came.slice(0, last)].join();
  check(name, (await labels()).join() === dragged, `dragged they are ${await labels()}`);
  await page.reload();
  check(name, (await labels()).join() === dragged, 'a reload loses the order');
  await page.getByRole('button', { name: 'Undo' }).click();
  check(name, (await labels()).join() === came.join(), 'undo does not bring the labels back');
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

// One step fills the screen in large type, and the address says which; a key reveals the next part of
// its story before it goes on; the bar goes while the mouse rests.
async function checkPresenting(name) {
  const { page, said, close } = await open(browser, name);
  const sizes = () => page.evaluate(() => [getComputedStyle(document.documentElement).fontSize,
    [...document.querySelectorAll('section[data-step]')].filter((one) => one.offsetHeight).length].join());
  const parts = () => page.evaluate(() => storyOf(STEPS.sections[STEPS.at]).filter((one) => !one.matches('.later')).length);
  const came = await sizes();
  await page.getByLabel('present').check();
  await page.evaluate(() => goToStep(1));
  check(name, (await sizes()) === '30px,1', `presenting has ${await sizes()}`);
  const step = await page.evaluate(() => STEPS.sections[1].id);
  check(name, page.url().endsWith(`#${step}&present`), `the address ends at ${page.url()}`);
  const [notes] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('n')]);
  const told = () => notes.locator('body').innerText();
  const sentence = await page.locator('section.here .story > p').first().innerText();
  check(name, (await told()).includes(sentence), `the notes are ${await told()}`);
  const count = await page.evaluate(() => storyOf(STEPS.sections[STEPS.at]).length);
  for (let at = 1; at <= count; at++) {
    check(name, (await parts()) === at, `after ${at - 1} keys ${await parts()} parts are revealed`);
    await notes.keyboard.press('PageDown');
  }
  check(name, (await told()).startsWith(await page.evaluate(() => STEPS.sections[2].firstElementChild.firstChild.textContent)),
    `a key in the notes leads to ${await told()}`);
  check(name, (await notes.title()).startsWith('Notes: '), `they are called ${await notes.title()}`);
  await notes.close();
  await page.keyboard.press('PageUp');
  check(name, (await parts()) === count, `back, ${await parts()} parts of ${count} are revealed`);
  await page.reload();
  check(name, (await sizes()) === '30px,1', `a reload presents ${await sizes()}`);
  await checkFits(name, page);
  await page.evaluate(async () => {
    while (!document.body.classList.contains('still')) await new Promise(requestAnimationFrame);
  });
  await page.mouse.move(300, 300);
  check(name, !await page.evaluate(() => document.body.classList.contains('still')), 'the bar does not come with the mouse');
  await page.getByLabel('present').uncheck();
  check(name, (await sizes()) === came, `after it there is ${await sizes()}`);
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

// All that have a part of their own, and one that is large.
const PRESENTED = ['000-complete-module', 'rope', 'six-heads', 'backward-walkthrough', 'asad-two-heads-wo',
  'allennlp-additive-1', 'large', 'batch-lengths', 'alibi', 'sinks'];

async function checkPresented(name) {
  const { page, said, close } = await open(browser, name, { anchor: '#present' });
  await checkFits(name, page);
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

const SCREENS = [[1920, 1080], [1280, 720], [1024, 768]];

// Of each step, with all that its keys reveal, nothing is taller than the screen, and its result is there.
async function checkFits(name, page) {
  for (const [width, height] of SCREENS) {
    await page.setViewportSize({ width, height });
    const wrong = await page.evaluate(() => STEPS.sections.flatMap((section, at) => {
      goToStep(at);
      const found = [];
      do {
        const shown = [...section.querySelectorAll('.matrices > figure')].filter((one) => one.offsetHeight);
        const lowest = Math.max(section.getBoundingClientRect().bottom, MAP.element.getBoundingClientRect().bottom);
        if (document.documentElement.scrollHeight > innerHeight + 1 || lowest > innerHeight + 1) found.push('too tall');
        if (section.querySelector('.matrices > figure') && shown.length === 0) found.push('no matrix');
        if (shown.some((one) => one.getBoundingClientRect().bottom > innerHeight + 1)) found.push('a matrix is cut');
        if (storyOf(section).length > 0 && !storyOf(section).some((one) => one.offsetHeight)) found.push('no word');
      } while (reveal(1));
      return [...new Set(found)].map((what) => `${section.id}: ${what}`);
    }));
    check(name, wrong.length === 0, `presented at ${width} × ${height}: ${wrong.join(', ')}`);
  }
}

// A click lets a query see a key, and hides it; a switch does so for causality.
async function checkSight(name) {
  const { page, said, close } = await open(browser, name);
  const cell = page.locator('#step-mask [data-map] td', { hasText: /^−∞$/ }).first();
  const [id, row, column] = await cell.evaluate((one) =>
    [one.closest('table').id, placeAt(one).row, placeAt(one).column]);
  const td = page.locator(`[id="${id}"] tbody tr`).nth(row).locator('td').nth(column);
  await inMenu(page, () => page.getByLabel('change by a click').check());
  for (const isHidden of [false, true]) {
    await td.click();
    check(name, ((await td.textContent()) === '−∞') === isHidden, 'a click does not change what is seen');
  }
  await inMenu(page, () => page.getByRole('button', { name: 'As it came' }).click());
  await page.getByLabel('causal').uncheck();
  check(name, await page.locator('td.changed').count() > 0, 'the switch changes nothing');
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

// The row, the head and the entry of the batch, from 1, of a document.
const FOCUSED = { '001-walkthrough': ['testdata/seeds', 3, 1], 'causal-mask-bias': ['tests/trace/documents', 2, 2],
  'six-heads': ['tests/trace/documents', 2, 5], alibi: ['testdata/variants', 2, 2],
  'batch-lengths': ['tests/trace/documents', 2, 2, 3] };

async function checkFocused(name) {
  const [documents, row, head, entry = 1] = FOCUSED[name], other = `${name}-focus`;
  // What a small page shows of all rows at once is there only where no row was asked for.
  const texts = (page) => page.evaluate(() => refreshAll() ||
    [...document.querySelectorAll(':is(.story, .matrices) > p:not(.formula, .note, .of-focus, .other-heads), .product, ' +
      'figure:not(.of-focus) > .part')]
      .filter((one) => ![one, one.previousElementSibling].some((at) => at?.textContent === 'All rows at once:'))
      .map((one) => one.textContent.replace(/\s+/g, ' ').replaceAll('−', '-').replace(/bQ\[\d+,/, 'bQ['))
      .filter((words) => !words.endsWith(' is spelled out.')));
  const program = spawnSync('selfattn', ['--quiet', '--trace-format', 'html', '--trace-output',
    path.join(folder, `${other}.html`), '-o', '/dev/null', '--focus', `row=${row},head=${head},batch=${entry}`,
    `${documents}/${name}.json`]);
  check(name, program.status === 0, 'the program has no page of another focus');
  const { page, said, close } = await open(browser, name), wanted = await open(browser, other);
  const came = await texts(page);
  await page.locator('#matrix-scores tbody th').nth(row - 1).click();
  if (head > 1) await page.locator('#step-scores .tabs button').nth(head - 1).click();
  if (entry > 1) await page.locator('.bar [role=tab]').nth(entry - 1).click();
  const all = await texts(page), lines = await texts(wanted.page);
  const lost = [all.filter((one) => !lines.includes(one)), lines.filter((one) => !all.includes(one))];
  // what causality hides of this query alone has no line where the page came with a query that sees it
  const isHidden = (one) => /^masked\[.* → -∞$/.test(one);
  check(name, lost[0].length === 0 && lost[1].every(isHidden), `its lines are other ones: ${lost.join(' | ')}`);
  check(name, (await page.textContent('.badge')).includes(`query ${row}`), 'it is not said');
  const focus = await page.locator('#matrix-scores tr.focus').evaluateAll((rows) =>
    rows.map((one) => one.sectionRowIndex).join());
  check(name, focus === String(row - 1), `the row in focus is ${focus}`);
  await inMenu(page, () => page.getByRole('button', { name: 'As it came' }).click());
  check(name, (await texts(page)).join() === came.join(), 'it does not come back');
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await wanted.close();
  await close();
}

async function checkEntries(name) {
  const { page, said, close } = await open(browser, name);
  const tabs = page.locator('.bar [role=tab]'), length = page.locator('#matrix-key_lengths tbody td').first();
  const hidden = () => page.evaluate(() => refreshAll() || [...document.querySelectorAll('#matrix-masked tbody tr')]
    .map((row) => [...row.querySelectorAll('td')].filter((cell) => cell.textContent === '−∞').length).join());
  const outputs = () => page.evaluate(() => [0, 1, 2].map((entry) => selfattn.get('output', [entry, 0, 0])));
  const chosen = () => page.locator('.bar [aria-selected=true]').textContent();
  const came = await outputs(), masked = await hidden();
  await tabs.first().focus();
  await page.keyboard.press('ArrowRight');
  check(name, (await chosen()) === 'sequence 2', `the arrow leads to ${await chosen()}`);
  check(name, (await page.evaluate(() => document.activeElement.textContent)) === 'sequence 2', 'its label loses the focus');
  check(name, (await length.textContent()) === '3', `its length is ${await length.textContent()}`);
  for (const [typed, shown] of [['7', '3'], ['0', '0']]) {
    await length.dblclick();
    await page.keyboard.type(typed);
    await page.keyboard.press('Enter');
    check(name, (await length.textContent()) === shown, `${typed} is typed, and it says ${await length.textContent()}`);
    const words = await page.textContent('.badge');
    check(name, words.startsWith(typed === '7' ? 'a length goes from 0 to 3 keys' : 'Edited'), `${typed} is typed, and the badge says ${words}`);
  }
  check(name, (await hidden()) === '3,3,3', `of no keys that are there ${await hidden()} are hidden`);
  const [first, second] = await outputs();
  check(name, Object.is(first, came[0]) && second === 0, 'a length of one entry changes another, or not its own');
  await page.locator('#matrix-Wo tbody td').first().dblclick();
  await page.keyboard.type('9');
  await page.keyboard.press('Enter');
  await page.reload();
  check(name, (await chosen()) === 'sequence 2' && (await length.textContent()) === '0', 'a reload loses the entry');
  const last = await outputs();
  check(name, [0, 2].every((entry) => last[entry] !== came[entry]), `a weight of all makes ${last} of ${came}`);
  await tabs.first().click();
  check(name, (await hidden()) === masked, `the first entry hides ${await hidden()}, and hid ${masked}`);
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

async function checkPictures(name) {
  const { page, said, close } = await open(browser, name);
  const buttons = page.locator('.heads button'), pressed = () => page.locator('.heads [aria-pressed=true]').allTextContents();
  const heads = () => page.evaluate(() => [...new Set([...document.querySelectorAll('.tokens [data-head]:not(.away)')]
    .map((line) => line.dataset.head))].join());
  const cells = await page.evaluate(() => [...document.querySelectorAll('.heads .sampled')].map((one) =>
    [...one.querySelectorAll('path')].map((path) => path.getAttribute('d').split('M').length - 1)
      .reduce((all, some) => all + some)).join());
  const wanted = await page.evaluate(() => [0, 1, 2, 3, 4, 5].map((head) => VIEWS[0].map.rows
    .flatMap((nothing, row) => rowOf(VIEWS[0].map, head, row)).filter((text) => Number(text) !== 0).length).join());
  check(name, cells === wanted, `the pictures have ${cells} cells`);
  check(name, (await pressed()).join() === ' head 1' && await heads() === '0', 'the head in focus is not shown first');
  await buttons.nth(3).focus();
  check(name, await heads() === '3', `of the head that has the focus there are lines of ${await heads()}`);
  await buttons.nth(4).click();
  check(name, (await pressed()).join() === ' head 5' && (await page.locator('#step-scores [aria-selected=true]')
    .first().textContent()) === 'head 5', 'a click does not work it out');
  await page.locator('.tokens select').selectOption('all');
  await page.locator('.tokens h3').hover();
  await page.evaluate(() => document.activeElement.blur());
  check(name, await heads() === '0,1,2,3,4,5', `of all heads there are ${await heads()}`);
  await page.locator('.tokens > svg text').first().hover();
  const rows = await page.locator('.tokens line[data-row]:not(.away)').evaluateAll((all) =>
    [...new Set(all.map((one) => one.dataset.row))].join());
  check(name, rows === '0', `a query is pointed at, and there are ${rows}`);
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

// What is saved by a button of the lines from queries to keys.
async function saved(page, form) {
  const [download] = await Promise.all([page.waitForEvent('download'),
    page.locator('.tokens').getByRole('button', { name: form }).click()]);
  const file = path.join(folder, `saved.${form.toLowerCase()}`);
  await download.saveAs(file);
  return { name: download.suggestedFilename(), bytes: fs.readFileSync(file) };
}

const COPIED = { sheet: ['\tk[1]\tk[2]', 'q[1]\t0.0142\t0.9858'], csv: [',k[1],k[2]', 'q[1],0.0142,0.9858'],
  md: ['|  | k[1] | k[2] |', '| :-- | --: | --: |'],
  tex: ['\\begin{tabular}{lrr}', ' & k[1] & k[2] \\\\', 'q[1] & $0.0142$ & $0.9858$ \\\\'] };

async function checkSaving(name) {
  const { page, said, close } = await open(browser, name);
  const png = await saved(page, 'PNG'), svg = await saved(page, 'SVG');
  const size = await page.locator('.tokens > svg').boundingBox();
  check(name, png.name === `${name}-rounded.png` || png.name === `${name}-weights.png`, `it is called ${png.name}`);
  check(name, png.bytes.subarray(1, 4).toString() === 'PNG' && Math.abs(png.bytes.readUInt32BE(16) / 2 - size.width) <= 1 &&
    png.bytes.length > 2000, `the PNG is ${png.bytes.readUInt32BE(16)} wide, of ${png.bytes.length} bytes`);
  const plain = await browser.newPage({ viewport: { width: 800, height: 800 } });
  await plain.setContent(svg.bytes.toString());
  const looks = (one) => one.evaluate((all) => [...document.querySelectorAll(all)].map((part) => {
    const { stroke, strokeWidth, fill, textAnchor, fontSize } = getComputedStyle(part);
    return [stroke, strokeWidth, fill, textAnchor, fontSize].join(' ');
  }).join('\n'), page === one ? '.tokens > svg :is(line, text)' : 'line, text');
  check(name, (await looks(page)) === (await looks(plain)), 'the SVG looks otherwise alone');
  await plain.close();
  const copied = await page.evaluate(() => {
    const lines = linesOfTable({ map: MAPS.find((map) => map.name === 'weights'), head: 0 });
    return Object.fromEntries(Object.entries(TABLES).map(([form, make]) => [form, make(lines)]));
  });
  for (const [form, wanted] of Object.entries(COPIED))
    check(name, wanted.every((line) => copied[form].split('\n').includes(line)), `${form} is ${copied[form]}`);
  await page.locator('#matrix-weights tbody td').first().click();
  check(name, (await page.locator('.panel .saving button').allTextContents()).join() ===
    'a spreadsheet,CSV,Markdown,LaTeX', 'the panel does not offer them');
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

async function checkSums(name) {
  const { page, said, close } = await open(browser, name);
  const totals = () => page.locator('#matrix-weights td.total').allTextContents();
  const sums = () => page.evaluate(() => MAPS.find((map) => map.name === 'weights').rows.map((nothing, row) =>
    textOfNumber([0, 1].reduce((sum, column) => sum + selfattn.get('weights', [0, row, column]), 0))));
  await page.locator('#matrix-weights thead th').first().click();
  await page.locator('#matrix-weights tbody td').first().focus();
  for (const key of ['ArrowRight', 'ArrowUp']) await page.keyboard.press(key);
  await page.keyboard.press('Enter');
  check(name, (await totals()).join() === (await sums()).join() && (await totals()).length > 1,
    `the sums are ${await totals()}`);
  await page.evaluate(() => selfattn.set('x', [0, 0], 3));
  check(name, (await page.evaluate(() => refreshAll()), (await totals()).join()) === (await sums()).join(),
    'the sums do not follow');
  for (const nth of [0, 1]) await page.locator('#matrix-weights thead th').nth(nth).click();
  check(name, (await totals()).length === 0, 'the sums stay');
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

// It divides the scale: weights come nearer to each other.
async function checkTemperature(name) {
  const { page, said, close } = await open(browser, name);
  const slider = page.getByLabel('temperature'), output = slider.locator('xpath=../output');
  const now = () => page.evaluate(() => [selfattn.get('scale'),
    Math.max(...[0, 1].map((key) => selfattn.get('weights', [0, 0, key])))]);
  const [scale, most] = await now();
  for (let times = 0; times < 4; times++) await slider.press('ArrowRight');
  const [divided, less] = await now(), value = Number(await output.textContent());
  check(name, value > 1.5 && Math.abs(divided * value - scale) < 1e-9 && less < most,
    `a temperature of ${value} makes ${scale} to ${divided}, ${most} to ${less}`);
  await page.reload();
  check(name, (await now())[0] === divided, 'a reload loses the temperature');
  await page.goto(page.url().split('#')[0]);
  for (let times = 0; times < 4; times++) await slider.press('ArrowRight');
  await page.getByRole('button', { name: 'Undo' }).click();
  check(name, (await now())[0] === scale, 'the way of the slider is not undone at once');
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

// Numbers of backward-walkthrough.json, by testdata/worked/calculate.py.
const BLAMED = ['Wq[1,1]', 'q[1,1]', 'scores[1,2]', 'weights[1,2]', 'attended[1,2]'];

async function checkBackward(name) {
  const { page, said, close } = await open(browser, name, { anchor: '#Wq-h0-r0-c0' });
  const { expected } = JSON.parse(fs.readFileSync(`testdata/variants/${name}.json`));
  const state = () => page.evaluate(() => JSON.stringify([EDITS.done, location.hash, document.querySelector('.badge').textContent,
    ...MAPS.map((map) => [...NUMBERS.get(map)].map(String)), ...[...document.querySelectorAll('main td')].map((td) => td.textContent)]));
  const panel = page.locator('.panel'), before = await state();
  await panel.getByRole('button', { name: 'nudge' }).click();
  const quotient = Number((await panel.locator('.quotient').textContent()).replace('−', '-'));
  check(name, Math.abs(quotient - expected.wq_grad[0][0]) < 1e-3, `a nudge of Wq[1,1] makes ${quotient}`);
  check(name, (await panel.locator('.nudged').textContent()).includes('some 7 digits'), 'it does not say how near it can be');
  check(name, await state() === before, 'a nudge changes the page');
  for (const [i, at] of BLAMED.entries()) {
    const [, stage, row, column] = /^(\w+)\[(\d),(\d)\]$/.exec(at), key = stage === 'attended' ? 'output' : stage.toLowerCase();
    const all = expected[`${key}_grad`] ?? expected.masked_grad, wanted = all[row - 1][column - 1];
    const line = await panel.locator('.line').last().textContent(), got = Number(line.split(' = ').pop().replace('−', '-'));
    check(name, Math.abs(got - wanted) < 1e-4 && line.includes('_grad'), `${at} is blamed for ${line}, and should be for ${wanted}`);
    if (i + 1 === BLAMED.length) break;
    await panel.locator('.blames a', { hasText: BLAMED[i + 1] }).click();
    await until(page, (was) => [...document.querySelectorAll('.panel .line')].pop()?.textContent !== was, line);
  }
  check(name, (await panel.locator('.blames').count()) === 0, 'the output is blamed on more than the loss');
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
  await checkGraded(name);
}

async function checkGraded(name) {
  const { page, close } = await open(browser, name, { anchor: '#backward', bypassCSP: true });
  const below = page.locator('section td small');
  check(name, (await below.count()) > 50, `below ${await below.count()} numbers is a gradient`);
  await page.evaluate(AXE);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
    check(name, violations.length === 0, `axe, backward, ${colorScheme}: ${violations.map((one) => one.nodes[0].html)}`);
  }
  await checkWidths(name, '#backward');
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: PAPERS.A4, height: 1000 });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  const { out, tables } = await page.evaluate(ON_PAPER, PAPERS.A4);
  const isPrinted = await below.evaluateAll((all) => all.every((one) => one.getClientRects().length > 0 &&
    getComputedStyle(one).printColorAdjust === 'exact'));
  check(name, out.length === 0 && tables.every((holds) => holds) && isPrinted, `on paper gradients are lost, or beyond the margin: ${out}`);
  await close();
}

// The losses that the program says, of the document of the page.
function lossesBy(name, ...options) {
  const file = path.join(folder, `${name}.trained`);
  spawnSync('selfattn', ['train', '--quiet', '--losses', file, '-o', '/dev/null', ...options,
    path.join(folder, `${name}.document`)]);
  return fs.readFileSync(file, 'utf8').trim().split('\n').slice(1).map((line) => Math.fround(line.split(',')[1]));
}

async function checkLearning(name) {
  const { page, said, close } = await open(browser, name);
  const losses = () => page.evaluate(() => LEARNING.points.map(({ loss }) => loss));
  const isOn = () => page.evaluate(() => Boolean(LEARNING.series));
  const press = (words) => {
    const button = page.getByRole('button', { name: words, exact: true });
    return words === 'As it came' ? inMenu(page, () => button.click()) : button.click();
  };
  const ended = async () => { while (await isOn()) await page.waitForTimeout(20); };
  const rate = page.getByLabel('rate, typed'), badge = () => page.textContent('.badge');
  const shown = async () => `${await page.textContent('.learning output')} ${await page.locator('.learning .tokens svg').innerHTML()}`;
  const came = await shown();
  await rate.fill('1/5');
  await rate.press('Tab');
  await press('Step');
  check(name, String(await losses()) === String(lossesBy(name, '--rate', '0.2')), `a step comes to ${await losses()}`);
  check(name, await shown() !== came, 'the picture stays as it was');
  await press('10 steps');
  await ended();
  check(name, String(await losses()) === String(lossesBy(name, '--rate', '0.2', '--steps', '11')), `10 more come to ${await losses()}`);
  const trained = await shown();
  await page.reload();
  check(name, await shown() === trained, 'a reload leads elsewhere');
  await press('Undo');
  check(name, (await losses()).length === 2, '10 steps are not undone at once');
  await press('As it came');
  check(name, await shown() === came, 'it does not come back');
  await page.locator('.learning').getByLabel('WQ').uncheck();
  await page.locator('.learning').getByLabel('WK').uncheck();
  await press('Step');
  check(name, String(await losses()) === String(lossesBy(name, '--only', 'wv')), `Wv alone comes to ${await losses()}`);
  await press('As it came');
  await press('100 steps');
  await press('Stop');
  const { length } = await losses();
  await page.waitForTimeout(100);
  check(name, length < 101 && (await losses()).length === length && !await isOn(), `Stop ends it after ${length}`);
  await press('100 steps');
  await page.evaluate(() => selfattn.set('x', [0, 0], 2));
  await ended();
  check(name, await page.evaluate(() => EDITS.done.length) === 3, 'it goes on after a change');
  await press('As it came');
  await rate.fill('1e39');
  await rate.press('Tab');
  await press('10 steps');
  check(name, (await badge()).startsWith('after step 1 wv is not finite: a rate below 1e+39'), `it says ${await badge()}`);
  await rate.fill('-1');
  await rate.press('Tab');
  check(name, (await badge()).startsWith('-1 is not a rate'), `it says ${await badge()} of a rate below 0`);
  check(name, await page.evaluate(() => EDITS.done.length) === 0, 'a step that is refused changes something');
  check(name, said.length === 0, `it says or asks for: ${said.join(', ')}`);
  await close();
}

function pagesIn(directory) {
  const files = fs.existsSync(directory) ? fs.readdirSync(directory) : [];
  return files.filter((file) => file.endsWith('.html')).map((file) => path.basename(file, '.html'));
}

let browser;
(async () => {
  browser = await chromium.launch({ executablePath: browserFile, args: ['--no-sandbox'] });
  const names = pagesIn(folder);
  const every = Number(process.env.WEB_EVERY) || 1, turn = Number(process.env.TURN ?? 0) % every;
  for (const [i, name] of names.entries()) {
    if (name === 'exercise-exam') await checkExam(name);
    else if (name === 'exercise-slips') await checkSlips(name);
    else if (EXERCISES[name] && EXERCISES[name].numbers) await checkExercise(name);
    else if (EXERCISES[name]) await checkSaved(name);
    else if (i % every === turn) await checkPage(name);
    if (CHANGED.includes(name)) await checkChanges(name);
    if (name === 'asad-two-heads-wo') {
      await checkTemperature(name);
      await checkSaving(name);
    }
    if (name === 'learning') await checkLearning(name);
    if (name === 'six-heads') await checkPictures(name);
    if (name === 'batch-lengths') await checkEntries(name);
    if (name === '001-walkthrough') await checkSums(name);
    if (name === 'backward-walkthrough') await checkBackward(name);
    if (name in FOCUSED) await checkFocused(name);
    if (name in MOVED) await checkMoving(name);
    if (name === 'causal-mask-bias') await checkSight(name);
    if (name === '001-walkthrough' || name === 'rollout') await checkPresenting(name);
    if (PRESENTED.includes(name)) await checkPresented(name);
  }
  for (const name of pagesIn(path.join(folder, 'some'))) await checkExample(`some/${name}`, 6);
  for (const name of pagesIn(path.join(folder, 'digits'))) await checkDigits(`digits/${name}`);
  for (const [i, name] of pagesIn(path.join(folder, 'all')).entries()) {
    if (name === 'index') await checkIndex('all/index');
    else if (i % every === turn) await checkExample(`all/${name}`, 12);
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed, 0 skipped`);
  process.exitCode = failed > 0 ? 1 : 0;
})();
