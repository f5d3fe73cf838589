'use strict';
// node screen.js BROWSER FOLDER: changes pages of the documents that FOLDER/documents names as a
// reader does, and reads what a reader reads: the page is scrolled through, and what is in view then
// is noted down, cell by cell and line by line.
//
// program   every number, line, label, line of a picture, slider and switch of a changed page is what
//           the program's own page of the page's document has
// address   and with the badge, the buttons, the tabs and the marks it is what the address opens
// undone    all of it taken back is the page as it came
// owned     whatever shows a number is one of the page's views
//
// backward  with gradients below the numbers all of this holds of both, where a page has them; and by the
//           key, the box, the hook and the address there are as many, each that of the node
//
// The changes are drawn from a seed: by mouse and by keys, in sight and out of sight, by sliders and
// switches, by people's own scripts, taken back and done again.

const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');
const { check, open, run } = require('./pages.js');
const { until } = require('../until.js');

const [browserFile, folder] = process.argv.slice(2);
const ROUNDS = 2, CHANGES = 4, TOLD = 5;

// A generator of numbers from 0 to 1 (Numerical Recipes, 7.1: the quick one).
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

// The same with any WORD: djb2, whose low bits are spread.
function seedOf(name) {
  return Math.imul([...name].reduce((hash, letter) => Math.imul(hash, 33) ^ letter.charCodeAt(0), 5381), 2654435761);
}

// ---- what a reader reads ----

// Runs in the page: { key: text } of what has been in view, from the top to the end. What reads
// otherwise when it is seen once more is told under the key with a ?.
async function readPage() {
  // A frame, and what the browser then says of what is in sight: to observers in the order in which they
  // were made, and so to the page's before this one.
  const seen = {}, frame = () => new Promise((done) => new IntersectionObserver((nothing, own) => {
    own.disconnect();
    done();
  }).observe(document.body));
  const note = (key, text) => {
    const said = text.replace(/\s+/g, ' ').trim();
    if (key in seen && seen[key] !== said) seen[`${key} ?`] = `${seen[key]} | ${said}`;
    seen[key] = said;
  };
  const nameIn = (map) => fullName(map).split('[')[0] + (map.focus ? ` of query ${map.focus.row}` : '');
  const kindOf = (one) => (/^\w*\[?[\d,]+\]?$/.test(one.textContent) ? 'place' : 'label');
  const stepOf = (one) => one.closest('section')?.id || 'page';
  const tableOf = (shown) => [stepOf(shown.body), nameIn(MAPS[shown.body.dataset.map]),
    shown.table.matches('.part') ? `part of ${shown.rows} × ${shown.columns}` : '', shown.head].join('|');
  const notes = {
    '.matrix [data-map] td, .matrix [data-map] th, .matrix thead th': (one) => {
      const body = one.closest('table').querySelector('tbody[data-map]'), own = one.closest('tbody') || body;
      const shown = tablesOf(MAPS[own.dataset.map]).find((all) => all.body === own);
      if (!shown) return;
      const place = one.tagName === 'TD' && placeAt(one);
      if (place) {
        const at = `${tableOf(shown)}|${place.head},${place.row},${place.column}`;
        const level = shown.table.matches('.part') ? '' : (/\b[pnw]\d\b/.exec(one.className) || [''])[0];
        const below = one.querySelector('small');
        note(`cell ${at}`, `${ownOf(one).textContent} ${level}`);
        if (below) note(`gradient ${at}`, `${below.textContent} ${below.className}`);
        note(`mark ${at}`, one.classList.contains('changed') ? one.title : '');
      } else {
        const at = own === one.closest('tbody') ? one.parentNode.sectionRowIndex : `top ${one.cellIndex - labelsIn(own.rows[0])}`;
        note(`${kindOf(one)} ${tableOf(shown)}|${at}`, one.textContent);
      }
    },
    'section .line': (one) => {
      const left = /^(.*?)(?: = |: )/.exec(one.textContent);
      const before = [...one.closest('section').querySelectorAll('.line')].filter((other) =>
        other.textContent.startsWith(left[0]));
      note(`line ${stepOf(one)}|${left[1].replace(/\s+/g, ' ')}|${before.indexOf(one)}`, one.textContent);
    },
    ':is(.story, .matrices) > p[data-while]:not(.line, .formula)': (one) => {
      const begins = one.textContent.slice(0, 12), alike = [...one.closest('section').querySelectorAll('[data-while]')]
        .filter((other) => other.textContent.startsWith(begins));
      note(`line ${stepOf(one)}|${begins}|${alike.indexOf(one)}`, one.textContent);
    },
    '[data-clipped]': (one) => note(`line ${stepOf(one)}|${one.textContent.split(':')[0]}`, one.textContent),
    '.control': (one) => {
      const input = one.querySelector('input, select'), output = one.querySelector('output');
      const words = [...one.childNodes].filter((part) => !['INPUT', 'OUTPUT', 'SELECT'].includes(part.tagName));
      const isAt = !output || Math.abs(input.value - Number(output.textContent)) <= (input.max - input.min) / 20 ||
        Number(output.textContent) > input.max || input.max < 7;
      note(`control ${stepOf(one)}|${words.map((part) => part.textContent).join('')}`,
        output ? output.textContent + (isAt ? '' : ` at ${input.value}`) : String(input.checked ?? input.value));
    },
    '.tokens > svg line': (one) => note(`look ${stepOf(one)}|${one.dataset.head} ${one.dataset.row} ${one.dataset.column}`,
      `${one.getAttribute('stroke-width')} ${one.textContent.split(': ').pop()}`),
    '.tokens > svg text': (one) => note(`${kindOf(one)} ${stepOf(one)}|of a line ` +
      [...one.parentNode.querySelectorAll('text')].indexOf(one), one.textContent),
    '.heads path': (one) => note(
      `look ${stepOf(one)}|picture ${[...document.querySelectorAll('.heads path')].indexOf(one)}`, one.getAttribute('d')),
    'figure > .sampled path': (one) => note(`look ${stepOf(one)}|map ${[...one.closest('section')
      .querySelectorAll('figure .sampled')].indexOf(one.closest('svg'))} ${one.getAttribute('class')}`, one.getAttribute('d')),
    '.badge': (one) => note('bar badge', one.textContent.includes(TEXT.edited) ? 'edited' : ''),
    '.edits button': (one) => note(`bar ${one.textContent}`, `${one.disabled} ${one.getAttribute('aria-pressed')}`),
    '[role=tab]': (one) => note(`bar tab ${stepOf(one)} ${one.closest('figure')?.querySelector('table').id} ${one.textContent}`,
      String(one.getAttribute('aria-selected'))),
  };
  scrollTo(0, 0);
  for (;;) {
    await frame();
    await frame();
    for (const [selector, act] of Object.entries(notes)) {
      for (const one of document.querySelectorAll(selector)) {
        const { top, bottom, height } = one.getBoundingClientRect(), map = one.closest('.map')?.getBoundingClientRect();
        const isCut = map && (top < map.top || bottom > map.bottom); // scrolled out of the map
        if (bottom >= 0 && top <= innerHeight && (height > 0 || one.ownerSVGElement) && !isCut) act(one);
      }
    }
    const before = scrollY;
    scrollBy(0, innerHeight * 0.7);
    if (scrollY <= before + 1) break;
  }
  const { edits } = partsOfAddress();
  note('bar address', edits ? decodeURIComponent(edits) : '');
  return seen;
}

// Numbers that no view shows: of what is not a sentence, a label or a caption.
function unownedIn() {
  const views = SCREEN.map((view) => view.element);
  // "scale = 1/√d_k = 1/√1 = 1", where nothing is scaled.
  const isOfSize = (one) => /^scale = /.test(one.textContent) && !MAPS.some((map) => map.name === 'scale');
  const isOwned = (one) => views.some((element) => element === one || element.contains(one));
  return [...document.querySelectorAll('main :is(td, .line, .tokens svg, svg.sampled, .control output)')]
    .filter((one) => /\d/.test(one.textContent) || one.tagName === 'svg')
    .filter((one) => !one.closest('.words') && !isOwned(one) && !isOfSize(one))
    .map((one) => `${one.closest('section').id}: ${one.outerHTML.slice(0, 80)}`);
}

// The page's document has rows that were looked up as they are: "vocab[the, 1]" is "x[1,1]" in it, and
// each row has a segment of its own; what stands for a word there is called by its number.
function asGiven(seen, words) {
  const OF_ROW = / = (?:vocab|embedding)\[.+?, (\d+)\]/, OF_ROWS = /\b(?:vocab|embedding)\[(·, )?[^·\]]+\]/;
  return Object.fromEntries(Object.entries(seen).map(([key, text]) => {
    const [, row] = /^line .*\|(?:embedded|segmented|embed\.output)\[(\d+),/.exec(key) || [];
    const [, number] = /^label step-loss\|.*\|top (\d+)$/.exec(key) || [];
    if (number && words[number] === text) return [key, `id ${number}`];
    if (row) return [key, text.replace(OF_ROW, ` = x[${row},$1]`).replace(OF_ROWS, `x[${row}]`)
      .replace(/segment \d+/, `segment ${row - 1}`)];
    return [key, text.replace(/^(embed\.w_grad\[.*? = )\w+\[·, [^\]]+\]/, (whole, left) =>
      `${left}x[·,${/\[(\d+),/.exec(left)[1]}]`)];
  }));
}

// What reads otherwise, of what both have; and lines that are missed in a step of both, or are too many
// there, unless the other page shows fewer. What comes back through the softmax is called after the mask
// where there is one, and so has other lines where a page's mask has no step. How another head's slope is made is not said;
// nor is what a table of distances gains, which is a bias in the page's document.
function differences(one, other, kinds, isLess = false) {
  const stepOf = (key) => key.replace(/^\w+ /, '').split('|')[0], stepsOf = (seen) => new Set(Object.keys(seen).map(stepOf));
  const steps = [stepsOf(one), stepsOf(other)];
  for (const step of [...steps[0]].filter((name) => name.endsWith('softmax_back'))) {
    const mask = step.replace(/softmax_back$/, 'mask');
    if (steps[0].has(mask) !== steps[1].has(mask)) steps[0].delete(step);
  }
  const isOfOne = (key) => /^line (?!.*\|(slope of head|relative_bias_grad))/.test(key) && (isLess ? !(key in one) : !(key in one && key in other)) &&
    steps.every((all) => all.has(stepOf(key)));
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => kinds.test(key))
    .filter((key) => key.endsWith('?') || isOfOne(key) || (key in one && key in other && one[key] !== other[key]))
    .map((key) => `${key}: “${one[key]}”, and should be “${other[key]}”`);
}

// The document says what causality hides key by key, and has what a temperature divides; labels that
// are places only go with their rows.
const SHARED = /^(cell|gradient|label|line|control(?!.*(causal|temperature))|look)/;
// And of rows that were looked up: what a table gains by its rows is not worked out there, nor what it
// gains besides by the logits.
const LOOKED_UP = /^(?!line (step-embedded_grad\|x_grad|step-loss\|unembedding_grad))(cell|gradient|label|line|control(?!.*(causal|temperature))|look)/;

// What was taken back is in no address.
const KEPT = /^(?!bar Redo)/;

// ---- changes ----

const VALUES = ['0', '-1.5', '2', '0.25', '-0.3', '1/3', '3', '-2', '0.7071', '5'];

async function scrollAbout(page, random) {
  await page.evaluate((part) => scrollTo(0, document.documentElement.scrollHeight * part), random());
}

async function cellToChange(page, random) {
  const cells = page.locator('main .matrix:not(.part, .mini) [data-map] td');
  const all = await cells.evaluateAll((tds) => tds.map((td, i) => [i, td.getClientRects().length > 0 && placeAt(td)])
    .filter(([, place]) => place && canBeTyped(place) && !/^(scale|C|qk_eps|key_lengths)$|eps$/.test(place.map.name))
    .map(([i]) => i));
  return all.length > 0 ? cells.nth(all[Math.floor(random() * all.length)]) : null;
}

// Each gives words that say what it did, or nothing where the page has no such thing.
const GESTURES = {
  mouse: async (page, random, value) => {
    const cell = await cellToChange(page, random);
    if (!cell) return '';
    await cell.dblclick();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(value);
    await page.keyboard.press('Enter');
    return `double-click, ${value}`;
  },
  keys: async (page, random, value) => {
    const cell = await cellToChange(page, random);
    if (!cell) return '';
    await cell.click();
    await page.keyboard.type(value);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    return `keys, ${value}`;
  },
  slider: async (page, random) => {
    const all = await page.locator('.control input[type=range]').all();
    if (all.length === 0) return '';
    const slider = all[Math.floor(random() * all.length)], key = random() < 0.5 ? 'ArrowRight' : 'ArrowLeft';
    for (let i = 0; i < 5; i++) await slider.press(key);
    return `slider ${key}`;
  },
  box: async (page, random) => {
    // What learns is no part of the document, and not undone.
    const all = await page.locator('.control:not(.learning *) input[type=checkbox]').all();
    if (all.length === 0) return '';
    await all[Math.floor(random() * all.length)].click();
    return 'box';
  },
  row: async (page, random) => {
    const all = await page.locator('.matrix:not(.part) tbody[data-map] th').elementHandles();
    const some = [];
    for (const one of all)
      if (await one.evaluate((th) => th.getClientRects().length > 0 && labelAt(th) && isOfQueries(labelAt(th).map))) some.push(one);
    if (some.length === 0) return '';
    await some[Math.floor(random() * some.length)].click();
    return 'label of a row';
  },
  head: async (page, random) => {
    const all = await page.locator('.tabs [role=tab]').all();
    if (all.length === 0) return '';
    await all[Math.floor(random() * all.length)].click();
    return 'tab';
  },
  sight: async (page, random) => page.evaluate(([one, two, three]) => {
    const rooms = DATA.rooms.map((nothing, i) => i).filter((i) => mapsThatSee(i).length > 0);
    if (rooms.length === 0) return '';
    const room = rooms[Math.floor(one * rooms.length)], [map] = mapsThatSee(room);
    const row = Math.floor(two * map.rows.length), column = Math.floor(three * keysThere(map));
    const way = DATA.rooms[room].way.replace(/\.$/, '');
    try {
      selfattn.mask(row, column, one * 10 % 1 < 0.5, way);
    } catch (refused) {
      if (refused.message !== TEXT.before) throw refused;
    }
    return `mask(${row}, ${column}) of ${way}`;
  }, [random(), random(), random()]),
  set: async (page, random, value) => page.evaluate(([one, two, three, x]) => {
    const all = selfattn.nodes().filter(({ input, name }) => input && !/(^|\.)(scale|C|qk_eps|key_lengths)$|eps$/.test(name));
    const { name, shape } = all[Math.floor(one * all.length)], part = [two, three, one * 7 % 1, two * 7 % 1];
    const at = shape.map((size, i) => Math.floor(part[i] * size));
    try {
      selfattn.set(name, at, x);
    } catch (refused) {
      if (refused.message !== TEXT.notAnInput(name)) throw refused; // an appended row
    }
    return `set(${name}, ${at}, ${x})`;
  }, [random(), random(), random(), Number(value) || 0.5]),
  width: async (page, random) => {
    await until(page, () => EDITS.order && (WIDTHS.length === 0 || document.querySelector('.width-chosen') || WIDTHS.every(whyNoWidth)));
    const all = await page.locator('.width-chosen').all();
    if (all.length === 0) return '';
    const select = all[Math.floor(random() * all.length)], key = random() < 0.6 ? 'ArrowDown' : 'ArrowUp';
    await select.focus();
    await page.keyboard.press(key);
    return `width ${key}`;
  },
  undo: async (page, random) => {
    await page.keyboard.press(random() < 0.6 ? 'Control+z' : 'Control+Shift+Z');
    return 'undo or redo';
  },
  move: async (page) => {
    const label = page.locator('.movable tbody th').first();
    if (await label.count() === 0) return '';
    await page.evaluate(() => goToStep(0));
    await label.evaluate((one) => focusCell(one));
    await page.keyboard.press('Alt+ArrowDown');
    return 'row 1 down';
  },
};
const KINDS = ['mouse', 'keys', 'set', 'sight', 'mouse', 'slider', 'box', 'row', 'head', 'set', 'keys', 'undo', 'move', 'width'];

async function change(page, random) {
  for (;;) {
    const kind = KINDS[Math.floor(random() * KINDS.length)], value = VALUES[Math.floor(random() * VALUES.length)];
    if (random() < 0.7) await scrollAbout(page, random);
    const said = await GESTURES[kind](page, random, value);
    if (said) return said;
  }
}

// ---- pages ----

// What nobody changes is read in fewer looks.
const TALL = { viewport: { width: 1200, height: 4000 } };

function pageOf(document, file, type, focus) {
  const words = focus ? ['--focus', focus] : [];
  return spawnSync('selfattn', ['run', '--quiet', '--dtype', type, '--trace-format', 'html', '--trace-output', file,
    '-o', '/dev/null', ...words, document], { encoding: 'utf8' });
}

function tell(name, kind, did, found, count) {
  const more = found.length > TOLD ? `\n    and ${found.length - TOLD} more` : '';
  check(name, found.length === 0 && count > 20, `${kind}: ${did.join('; ')}: of ${count} ` +
    `${found.length} read otherwise:\n    ${found.slice(0, TOLD).join('\n    ')}${more}`);
}

// Of pages with gradients, what opens them below the numbers.
function backwardIn(page) {
  return page.url().includes('backward') ? '#backward' : '';
}

// Runs in the page: below how many numbers something stands, and what is not the gradient's number, or has
// not its sign and its part of the greatest.
function gradientsIn() {
  const wayOf = (room) => DATA.rooms[room].way; // of layers the gradient is in a room on the way back
  const amiss = [], all = [...document.querySelectorAll('td small')], calls = { slope: 'slopes', sink: 'sinks',
    vocab: 'embedded', segmented: 'embedded', embedding: 'embedded', segment_embedding: 'embedded', position_embedding: 'embedded' };
  for (const below of all) {
    const place = placeAt(below), { name, room } = place.map, called = `${calls[name] || name.toLowerCase()}_grad`;
    const ofAll = MAPS.filter((map) => name === 'xk' && map.name === 'memory_grad').pop(); // by all layers
    const of = ofAll || [called, `${called}_part`, 'context_grad', 'output_grad'].map((one) =>
      MAPS.find((map) => wayOf(map.room) === wayOf(room) && map.name === one)).find((one) => one);
    const cells = of && rowOf(of, place.head, place.row), text = cells?.[place.column] ?? '';
    const sign = text.startsWith('-') ? 'n' : 'p', isNone = Number(text) === 0;
    const level = isNone ? below.className === '' : below.className.startsWith(sign);
    if (below.textContent !== (isNone || sign === 'n' ? text : `+${text}`) || !level)
      amiss.push(`${fullName(place.map)}[${place.head},${place.row},${place.column}] has ${below.textContent} below it, and its gradient is ${text}`);
  }
  return { count: all.length, amiss };
}

async function tryBackward(name, page) {
  const told = () => page.evaluate(() => [document.querySelectorAll('td small').length > 0, BACKWARD.box.checked,
    location.hash.includes('backward'), /m7 -4l-7 4l7 4$/.test(document.querySelector('.picture path')?.getAttribute('d') ?? 'm7 -4l-7 4l7 4')].join());
  const box = page.getByLabel('backward'), ways = [['the key', () => page.keyboard.press('b')], ['the box', () => box.click()],
    ['the hook', () => page.evaluate(() => selfattn.switch('backward', !BACKWARD.isOn))]];
  for (const [way, act] of ways) {
    const before = await told();
    await act();
    const isOn = !before.startsWith('true'), now = await told();
    check(name, now === Array(4).fill(String(isOn)).join(), `${way} leads from ${before} to ${now}`);
  }
  const { count, amiss } = await page.evaluate(gradientsIn);
  check(name, count > 20 && amiss.length === 0, `of ${count} gradients: ${amiss.slice(0, TOLD).join('; ')}`);
}

async function compareWithProgram(name, page, type, did, now, { vocab, ids }) {
  const words = Object.keys(vocab || {});
  const kinds = vocab || ids ? LOOKED_UP : SHARED;
  const file = path.join(folder, 'edited.html'), document = path.join(folder, 'edited.json');
  const inFocus = () => {
    const { row, head } = focusOf(roomInFocus());
    return `row=${row + 1},head=${head + 1}${ENTRIES.length > 1 ? `,batch=${ENTRY + 1}` : ''}`;
  };
  fs.writeFileSync(document, await page.evaluate(() => selfattn.document()));
  const focus = await page.evaluate(inFocus), isMoved = !await page.evaluate(() => isFocusAsItCame(roomInFocus()));
  // The page that came works out other rows too where it is small, one whose focus was moved only that
  // row, as with --focus; and which row comes by default follows from the mask.
  for (const asked of isMoved ? [focus] : [undefined, focus]) {
    const ran = pageOf(document, file, type, asked);
    if (ran.status !== 0) {
      check(name, false, `${did.join('; ')}: the program refuses the page's document: ${ran.stderr}`);
      return;
    }
    const fresh = await open(file, backwardIn(page), TALL), isSame = await fresh.evaluate(inFocus) === focus;
    if (isSame) {
      const wanted = await fresh.evaluate(readPage);
      tell(name, 'program', did, differences(asGiven(now, words), wanted, kinds, asked && !isMoved), Object.keys(wanted).filter((key) => key in now).length);
    }
    await fresh.close();
    if (isSame) return;
  }
  check(name, false, `${did.join('; ')}: the program has no page of ${focus}`);
}

async function tryDocument(document, index) {
  const type = index % 2 === 0 ? 'f32' : 'f64', name = `${document}, ${type}`, random = generator(seedOf(document.replace(folder, '')));
  const file = path.join(folder, `${index}.html`);
  const ran = pageOf(document, file, type);
  if (ran.status !== 0) { // it is of an error, or of a type of its own
    if (ran.status === null) check(name, false, `the program ends with ${ran.signal}`);
    return;
  }
  const page = await open(file);
  if (!await page.evaluate(() => Boolean(globalThis.selfattn))) {
    check(name, false, 'its page can not be changed');
    return;
  }
  const unowned = await page.evaluate(unownedIn);
  check(name, unowned.length === 0, `no view shows ${unowned.slice(0, TOLD).join(' ')}`);
  if (await page.evaluate(() => hasGradients())) await tryBackward(name, page);
  const came = await page.evaluate(readPage), did = [], given = JSON.parse(fs.readFileSync(document, 'utf8'));
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) did.push(await GESTURES.width(page, random));
    for (let i = 0; i < CHANGES; i++) did.push(await change(page, random));
    const now = await page.evaluate(readPage);
    await compareWithProgram(name, page, type, did, now, given);
    const again = await open(file, new URL(page.url()).hash), wanted = await again.evaluate(readPage);
    tell(name, 'address', did, differences(now, wanted, KEPT), Object.keys(wanted).length);
    await again.close();
  }
  await page.evaluate(() => selfattn.reset());
  tell(name, 'undone', did, differences(await page.evaluate(readPage), came, /^(cell|gradient|mark|label|place|line|control|look|bar (badge|Undo|As|address|tab))/),
    Object.keys(came).length);
  await page.close();
}

run(browserFile, async () => {
  const documents = fs.readFileSync(path.join(folder, 'documents'), 'utf8').trim().split('\n');
  for (const [index, document] of documents.entries()) {
    try {
      await tryDocument(document, index);
    } catch (error) {
      check(document, false, String(error.stack || error));
    }
  }
});
