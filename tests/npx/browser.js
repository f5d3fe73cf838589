'use strict';
// node browser.js BROWSER FOLDER: a page from a server loads the module of the package that npm
// installed in FOLDER, and computes what Node does.
const assert = require('assert/strict');
const fs = require('fs');
const http = require('http');
const path = require('path');
const { chromium } = require('playwright-core');
const { until } = require('../until.js');

const [browserFile, folder] = process.argv.slice(2);
const TYPES = { '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
const PAGE = `<!doctype html><script type="module">
  import { load } from './index.mjs';
  window.selfattn = await load();
</script>`;

async function compute() {
  const x = { shape: [2, 2], data: new Float32Array([0.1, 2, 3, 4]) };
  const { output } = await window.selfattn.run({ x, heads: 2 }, { causal: true });
  const example = await window.selfattn.command(['example', 'walkthrough']);
  const trace = await window.selfattn.command(['--trace', '-'], { stdin: example.stdout });
  return { shape: output.shape, data: Array.from(output.data), trace: trace.stdout };
}

async function main() {
  const packaged = path.join(folder, 'node_modules', 'selfattn');
  const server = http.createServer((request, answer) => {
    const name = path.basename(request.url) || 'page.html';
    const file = path.join(packaged, name);
    answer.writeHead(name === 'page.html' || fs.existsSync(file) ? 200 : 404,
      { 'content-type': TYPES[path.extname(name)] || 'text/plain' });
    answer.end(name === 'page.html' ? PAGE : fs.existsSync(file) ? fs.readFileSync(file) : '');
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  const browser = await chromium.launch({ executablePath: browserFile, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    page.on('pageerror', (error) => console.log(String(error)));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await until(page, () => Boolean(window.selfattn));
    const there = await page.evaluate(compute);
    global.window = { selfattn: await (await import(path.resolve(packaged, 'index.mjs'))).load() };
    assert.deepEqual(there, await compute());
    assert(there.trace.length > 1000);
  } finally {
    await browser.close();
    server.close();
  }
}

main().catch((error) => {
  console.log(error);
  process.exitCode = 1;
});
