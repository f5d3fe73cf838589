'use strict';
// node chromium.js BROWSER PAGE FOLDER EVERY [WORD]: the playground, opened as a file, without a
// network. EVERY'th documents are taken; WORD picks claims by what they say.
//
// documents   every one, in all views: the bytes, the status and the words of the native program, run
//             by the command line that stands next to them
// page        a trace's page works in its frame, without a word of its policies
// nothing     leaves the page: no request, no connection that a script of the page could open
// first       the first example's result is there before a program; that of a link is not another's
// examples    are those of `selfattn example`, each whole, with the command that computes it
// options     each option of each command has a field, and what is typed is in the command line
// errors      stand at their line, at their letters, at their option
// completion  keys and words of the schema, in layers too, by the keyboard alone
// files       CSV, NPY, NPZ and safetensors that are dropped give what the program reads of them
// link        holds all of a case, in a page that was closed; too large a one says so, a broken one too
// stop        ends a long run, during which the page answers
// access      axe-core finds nothing, light and dark; tabs follow arrows

const assert = require('assert/strict');
const fs = require('fs');
const http = require('http');
const path = require('path');
const { spawnSync } = require('child_process');
const { chromium } = require('playwright-core');
const { VIEWS, documents, native, packed, readable } = require('./cases.js');
const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [browserFile, file, folder, every, word = ''] = process.argv.slice(2);
const address = `file://${path.resolve(file)}`, work = path.join(folder, 'work');
const said = []; // of any page: errors, policies that were in the way
const asked = []; // requests
let passed = 0, failed = 0, browser;

function selfattn(...args) {
  const ran = spawnSync('selfattn', args, { maxBuffer: 1 << 28, input: '' });
  assert.equal(ran.status, 0, String(ran.stderr));
  return ran.stdout;
}

async function opened(letters = '', options = {}) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('console', (message) => said.push(message.text()));
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${address}${letters && `#${letters}`}`);
  await page.waitForSelector('#result[data-runs]');
  return page;
}

const runs = (page) => page.evaluate(() => Number(document.getElementById('result').dataset.runs ?? 0));

// Does something, and waits until what follows of it is shown.
async function after(page, act) {
  const before = await runs(page);
  await act();
  await page.waitForSelector(`#result:not([data-runs="${before}"])`);
}

async function shown(page) {
  return page.evaluate(() => ({
    line: document.getElementById('line').textContent, text: document.getElementById('text').textContent,
    kind: ['text', 'page', 'picture'].find((id) => !document.getElementById(id).hidden),
    status: Number(/^Status (\d+)/.exec(document.getElementById('state').textContent)[1]),
    // eslint-disable-next-line no-undef
    bytes: btoa(Array.from(SHOWN.bytes, (byte) => String.fromCharCode(byte)).join('')),
  }));
}

async function compare(page, given, name) {
  await after(page, () => page.evaluate((letters) => { location.hash = letters; }, packed(given)));
  const here = await shown(page), there = native(work, here.line, given);
  assert.equal(here.status, there.status, `${name}: ${here.line}: status`);
  assert(Buffer.from(here.bytes, 'base64').equals(there.bytes), `${name}: ${here.line}: other bytes`);
  if (here.kind === 'text') assert.equal(here.text, readable(there), `${name}: ${here.line}`);
  return { here, there };
}

async function type(page, text) {
  await page.fill('#document', '');
  await page.focus('#document');
  await page.keyboard.type(text);
}

async function drop(page, files) {
  const list = Object.entries(files).map(([name, bytes]) => ({ name, bytes: bytes.toString('base64') }));
  const transfer = await page.evaluateHandle((all) => {
    const made = new DataTransfer();
    for (const { name, bytes } of all)
      made.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], name));
    return made;
  }, list);
  await after(page, () => page.dispatchEvent('#document', 'drop', { dataTransfer: transfer }));
}

const CLAIMS = {
  documents: async () => {
    const page = await opened(), names = documents(Number(every));
    let drawn = 0;
    assert(names.length > 200 / every);
    for (const name of names) {
      const document = fs.readFileSync(path.join('testdata', name), 'utf8');
      for (const view of VIEWS) {
        const { here } = await compare(page, { document, view }, name);
        if (here.kind === view) drawn++;
      }
    }
    assert(drawn > names.length, 'pages and pictures are shown as such');
  },
  page: async () => {
    const document = String(selfattn('example', 'walkthrough'));
    const page = await opened(packed({ document, view: 'page' }));
    const frame = page.frameLocator('#page');
    await frame.locator('#step-scores td').first().click();
    await frame.locator('.panel, #panel').first().waitFor({ timeout: 5000 });
    const edited = await page.frames()[1].evaluate(() => {
      window.selfattn.set('x', [0, 0], 5);
      return [window.selfattn.get('x', [0, 0]), location.hash];
    });
    assert.deepEqual(edited, [5, '#q-h0-r0-c0&edit=x-h0-r0-c0%3D5'], 'its address is its own');
    const picture = await opened(packed({ document, view: 'picture' }));
    assert(await picture.evaluate(() => document.querySelector('#picture img').decode().then(() => true)));
  },
  nothing: async () => {
    let heard = 0;
    const server = http.createServer((request, answer) => {
      heard++;
      answer.end();
    });
    await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
    const to = `http://127.0.0.1:${server.address().port}/`;
    const page = await opened('', { offline: false });
    const tried = await page.evaluate(async (there) => {
      const made = (name, src) => document.body.append(Object.assign(document.createElement(name), { src }));
      for (const name of ['img', 'iframe', 'script', 'video']) made(name, there);
      navigator.sendBeacon(there, 'x');
      const inWorker = `fetch('${there}').then(() => postMessage('got'), () => postMessage('refused'))`;
      const one = new Worker(URL.createObjectURL(new Blob([inWorker])));
      const answer = await new Promise((done) => { one.onmessage = ({ data }) => done(data); });
      return [answer, await fetch(there).then(() => 'got', () => 'refused')];
    }, to);
    await page.waitForTimeout(500);
    server.close();
    assert.deepEqual(tried, ['refused', 'refused']);
    assert.equal(heard, 0);
    said.length = 0; // its policy said so
    asked.length = 0;
  },
  first: async () => {
    const context = await browser.newContext({ offline: true }), document = String(selfattn('example', 'walkthrough'));
    await context.addInitScript(() => { // a program that never answers
      window.Worker = class {
        postMessage() {}

        terminate() {}
      };
    });
    const read = async (letters) => {
      const page = await context.newPage();
      await page.goto(`${address}${letters}`);
      return page.evaluate(() => ['line', 'text', 'state'].map((id) => document.getElementById(id).textContent));
    };
    const [line, text, state] = await read('');
    assert.equal(text, readable(native(work, line, { document, view: 'trace' })));
    assert.match(state, /when this page was made|Running/);
    assert.equal((await read(`#${packed({ document, view: 'result' })}`))[1], '');
    await context.close();
  },
  examples: async () => {
    const page = await opened();
    const names = String(selfattn('example')).trimEnd().split('\n').map((line) => line.split(' ')[0]);
    const listed = await page.$$eval('#examples option', (all) => all.map((one) => one.value).filter(Boolean));
    assert.deepEqual(listed, names);
    for (const name of names) {
      await after(page, () => page.selectOption('#examples', name));
      assert.equal(await page.inputValue('#document'), String(selfattn('example', name)), name);
      const { line, status } = await shown(page);
      assert.equal(status, 0, name);
      assert(String(selfattn('help', name)).includes(`| ${line.replace(' document.json', '')}\n`), `${name}: ${line}`);
    }
  },
  options: async () => {
    const page = await opened();
    await page.click('#tab-options');
    const commands = await page.$$eval('#command option', (all) => all.map((one) => one.value));
    assert(['run', 'check', 'encode', 'decode', 'generate', 'train', 'info'].every((one) => commands.includes(one)));
    for (const command of commands) {
      await after(page, () => page.selectOption('#command', command));
      const help = String(selfattn(command, '--help'));
      const wanted = [...help.matchAll(/^(?: {2}-[a-zA-Z], | {6})--([a-z0-9-]+)(?=[ [])/gm)].map((one) => one[1]);
      const fields = await page.$$eval('#options .option > label', (all) => all.map((one) => one.textContent));
      assert.deepEqual(fields, wanted, command);
    }
    await after(page, () => page.selectOption('#command', 'run'));
    await after(page, () => page.fill('#option-digits', '2'));
    await after(page, () => page.check('#option-causal'));
    await after(page, () => page.fill('#option-window', '-1,0'));
    await after(page, () => page.fill('#option-write', "weights=a'b.csv output=o.csv"));
    assert.equal((await shown(page)).line, "selfattn run --causal --window=-1,0 --write 'weights=a'\\''b.csv' "
      + '--write output=o.csv --digits 2 --trace document.json');
    const document = await page.inputValue('#document'), { line, text } = await shown(page);
    assert.equal(text, readable(native(work, line, { document })));
    assert.deepEqual(await page.$$eval('#written button', (all) => all.map((one) => one.textContent).sort()),
      ["Save a'b.csv", 'Save o.csv']);
    await after(page, () => page.fill('#option-causal-value', 'lower-right'));
    assert((await shown(page)).line.includes('--causal=lower-right'));
    await page.click('.option:has(#option-scale) .more');
    const words = String(selfattn('help', '--scale')).trimEnd();
    await page.waitForSelector('.option pre');
    assert.equal(await page.textContent('.option pre'), words);
    await page.fill('#find', 'decimals');
    assert.deepEqual(await page.$$eval('.option:not([hidden]) > label', (all) => all.map((one) => one.textContent)),
      ['round', 'digits']);
    await after(page, () => page.click('#clear'));
    assert.equal((await shown(page)).line, 'selfattn run --trace document.json');
  },
  errors: async () => {
    const page = await opened();
    await after(page, () => page.fill('#document', '{\n  "tokens": ["é", "ü"], "x": [[1, 2],\n    [3, "ä"]]\n}'));
    assert.equal(await page.textContent('#colours .wrong'), '"ä"');
    assert.equal(await page.textContent('#numbers .wrong'), '3\n');
    assert.match(await page.textContent('#problems .wrong'), /^Line 3expected a number, found "ä"$/);
    const chosen = () => page.evaluate(() => {
      const area = document.getElementById('document');
      return area.value.slice(area.selectionStart, area.selectionEnd);
    });
    await page.click('#problems button');
    assert.equal(await chosen(), '"ä"');
    await after(page, () => page.fill('#document', '{"tokens": ["éééééééééé"], "haeds": 1, "x": [[1]]}'));
    assert.equal(await page.textContent('#colours .wrong'), '"haeds"');
    assert.match(await page.textContent('#problems .wrong'), /did you mean "heads"\?/);
    await after(page, () => page.fill('#document', '{"x": [[1]]'));
    assert.equal(await page.locator('#colours .wrong.end').count(), 1);
    await after(page, () => page.fill('#document', '{"x": [[1]]}'));
    assert.equal(await page.locator('#colours .wrong, #problems .wrong').count(), 0);
    // The editor ends lines as it does, whatever the file does.
    await drop(page, { 'windows.json': Buffer.from('{\r\n  "x": [[1, 2],\r\n    [3, "ä"]]\r\n}\r\n') });
    assert.equal(await page.textContent('#numbers .wrong'), '3\n');
    await page.click('#problems button');
    assert.equal(await chosen(), '"ä"');
    await after(page, () => page.fill('#document', '{"x": [[1]]}'));
    await page.click('#tab-options');
    await after(page, () => page.fill('#option-heads', '3x'));
    await page.click('#tab-document');
    await page.click('#problems button');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'option-heads');
    assert.equal(await page.locator('.option.wrong').count(), 1);
  },
  completion: async () => {
    const page = await opened(), listed = () => page.$$eval('#choices b', (all) => all.map((one) => one.textContent));
    await type(page, '{"x": [[1]], "cau');
    assert.deepEqual(await listed(), ['causal']);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Space');
    assert.deepEqual(await listed(), ['upper-left', 'lower-right', 'none', 'true', 'false']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await after(page, () => page.keyboard.type('}'));
    assert.equal(await page.inputValue('#document'), '{"x": [[1]], "causal": "lower-right"}');
    assert.equal((await shown(page)).status, 0);
    for (let i = 0; i < 4 && await page.inputValue('#document') !== '{"x": [[1]], "cau'; i++)
      await page.keyboard.press('Control+Z');
    assert.equal(await page.inputValue('#document'), '{"x": [[1]], "cau', 'what is taken can be undone');
    await type(page, '{"layers": [{"ln1": {"ga');
    assert.deepEqual(await listed(), ['gain']);
    await page.keyboard.press('Escape');
    assert(await page.isHidden('#choices'));
    await type(page, '{"layers": [{"norm');
    assert((await listed()).every((one) => one.startsWith('norm')) && (await listed()).length > 0);
    await type(page, '{"x": [[1]], "tokens": ["hea');
    assert(await page.isHidden('#choices'));
    // Each key of the schema is offered, except for one that is there.
    const { $defs: { attention } } = JSON.parse(String(selfattn('help', 'schema')));
    await type(page, '{"x": [[1]], ');
    await page.keyboard.press('Control+Space');
    const all = await listed();
    assert.deepEqual(Object.keys(attention.properties).filter((one) => !all.includes(one)), ['x']);
  },
  files: async () => {
    const json = '{"x": [[1, 2], [3, 4.5]], "wq": [[0.1, -1], [2, 3]]}', matrix = path.join(folder, 'all.json');
    fs.writeFileSync(matrix, json);
    const made = (name, of) => {
      selfattn('convert', '--quiet', '--force', of, path.join(folder, name));
      return fs.readFileSync(path.join(folder, name));
    };
    const wanted = selfattn('run', '--quiet', matrix);
    const all = [
      [{ 'x.csv': made('x.csv', `${matrix}:x`), 'wq.npy': made('wq.npy', `${matrix}:wq`) },
        'selfattn run --input x.csv --wq wq.npy'],
      [{ 'some weights.npz': made('a.npz', matrix) }, "selfattn run --bundle 'some weights.npz'"],
      [{ 'a.safetensors': made('a.safetensors', matrix) }, 'selfattn run --bundle a.safetensors'],
    ];
    for (const [files, line] of all) {
      const page = await opened();
      await page.click('#view-result');
      await drop(page, files);
      const here = await shown(page);
      assert.equal(here.line, line);
      assert.equal(here.text, native(work, line, { files }).bytes.toString());
      assert(Object.keys(files).length < 2 || wanted.equals(Buffer.from(here.bytes, 'base64')));
    }
    const page = await opened();
    await drop(page, { 'any.json': Buffer.from(json) });
    assert.equal(await page.inputValue('#document'), json);
    await page.setInputFiles('#several', { name: 'result.json', mimeType: '', buffer: wanted });
    await page.click('#tab-files');
    await after(page, () => page.selectOption('#command', 'check'));
    await after(page, () => page.selectOption('#files select', 'actual'));
    const { line, text } = await shown(page);
    assert.equal(line, 'selfattn check --actual result.json document.json');
    assert.match(text, /^ok {4}document.json: /);
    await after(page, () => page.click('#files button'));
    assert.equal((await shown(page)).line, 'selfattn check document.json');
  },
  link: async () => {
    const given = { document: '{"tokens": ["é", "</script>"]}', command: 'run', view: 'result',
      options: { input: 'x.csv', 'allow-nonfinite': true, digits: '3' }, files: { 'x.csv': Buffer.from('1,2\n3,4\n') } };
    const first = await opened(packed(given));
    const letters = await first.evaluate(() => location.hash.slice(1));
    const page = await opened(letters), here = await shown(page);
    assert.equal(here.line, 'selfattn run --input x.csv --allow-nonfinite --digits 3 document.json');
    assert.equal(here.text, readable(native(work, here.line, given)));
    assert.equal(await page.inputValue('#document'), given.document);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('#share');
    await page.locator('#state', { hasText: 'The link is copied' }).waitFor();
    await page.click('#copy');
    await page.locator('#state', { hasText: 'The command line is copied' }).waitFor();
    // One that is followed at the moment in which a run ends, and says its own address.
    const raced = await opened();
    await raced.evaluate((next) => {
      const replace = history.replaceState.bind(history);
      history.replaceState = (...given) => {
        history.replaceState = replace;
        location.hash = next;
        replace(...given);
      };
    }, packed(given));
    await after(raced, () => raced.click('#view-result'));
    await raced.locator('#line', { hasText: '--digits 3' }).waitFor({ timeout: 5000 });
    const noise = Buffer.from(Array.from({ length: 60000 }, (nothing, i) => (i * i * 7919 >> 5) & 255 ^ (i % 251)));
    const large = await opened(packed({ ...given, files: { 'x.csv': noise } }));
    await large.click('#share');
    await large.locator('#state', { hasText: 'Save the document' }).waitFor();
    assert.equal(await large.evaluate(() => location.hash), '');
    const broken = await opened('abc');
    await broken.locator('#state', { hasText: 'not whole' }).waitFor();
    const strange = await opened(packed({ document: '{"x": [[1]]}', command: 'rm', view: 'no', options: { nobody: '1', heads: 3 } }));
    assert.equal((await shown(strange)).line, 'selfattn run --trace document.json');
  },
  stop: async () => {
    const page = await opened();
    await after(page, () => page.selectOption('#examples', 'learning'));
    await after(page, () => page.selectOption('#command', 'train'));
    await page.click('#tab-options');
    await page.fill('#option-steps', '1000000');
    await page.locator('#stop').waitFor();
    await page.click('#tab-document'); // the page answers meanwhile
    assert(await page.isVisible('#document'));
    await page.selectOption('#examples', 'causal'); // it waits for the run, and comes after it
    await page.click('#stop');
    await page.locator('#line', { hasText: 'selfattn run' }).waitFor();
    assert.equal(await page.inputValue('#document'), String(selfattn('example', 'causal')));
    await after(page, () => page.selectOption('#examples', 'learning'));
    await after(page, () => page.selectOption('#command', 'train'));
    await page.click('#tab-options');
    await page.fill('#option-steps', '2');
    await after(page, () => page.click('#run'));
    assert.equal((await shown(page)).status, 0);
  },
  access: async () => {
    for (const colorScheme of ['light', 'dark']) {
      const page = await opened('', { colorScheme });
      const audit = async () => {
        await page.evaluate(AXE);
        // eslint-disable-next-line no-undef
        return page.evaluate(async () => (await axe.run({ exclude: ['#page'] })).violations.map((one) =>
          `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`));
      };
      assert.deepEqual(await audit(), []);
      await after(page, () => page.fill('#document', '{"x": [[1]], "haeds": 1}'));
      assert.deepEqual(await audit(), []);
      await page.focus('#tab-document');
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-options');
      assert(await page.isVisible('#option-heads'));
      assert.deepEqual(await audit(), []);
    }
    const narrow = await opened('', { viewport: { width: 360, height: 740 } });
    assert(await narrow.evaluate(() => document.documentElement.scrollWidth <= 360), 'it is as wide as a phone');
  },
};

async function main() {
  browser = await chromium.launch({ executablePath: browserFile, args: ['--no-sandbox'] });
  for (const [name, claim] of Object.entries(CLAIMS)) {
    if (!name.includes(word)) continue;
    try {
      await claim();
      assert.deepEqual(said, [], 'nothing is said in the console');
      const others = asked.filter((one) => !one.startsWith(address) && !one.startsWith('blob:'));
      assert.deepEqual(others, [], 'nothing else is asked for');
      passed++;
    } catch (wrong) {
      failed++;
      console.log(`FAIL playground: ${name}: ${wrong.message.slice(0, 2000)}`);
    }
    said.length = asked.length = 0;
    for (const context of browser.contexts()) await context.close();
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
}

main();
