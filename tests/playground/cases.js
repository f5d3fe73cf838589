'use strict';
// What both browsers are asked: documents, as links to the page, and what the native program prints of
// them where the page says which command line does the same.

const fs = require('fs');
const path = require('path');
const zlib = require('zlib');
const { spawnSync } = require('child_process');

const VIEWS = ['trace', 'result', 'page', 'picture'];
const FILES = { page: 'page.html', picture: 'weights.svg' };

// What comes after # in a link, made without the page.
function packed(given) {
  const { files = {}, ...rest } = { command: 'run', view: 'trace', options: {}, document: '', ...given };
  const list = Object.entries(files), sizes = list.map(([name, bytes]) => [name, bytes.length]);
  const head = Buffer.from(`${JSON.stringify({ ...rest, files: sizes })}\n`);
  return zlib.deflateRawSync(Buffer.concat([head, ...list.map(([, bytes]) => bytes)])).toString('base64url');
}

// In a folder of its own that has what the page has: {status, said, bytes}, as that view shows it.
function native(folder, line, given) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
  const files = { ...given.files, 'document.json': Buffer.from(given.document ?? '') };
  for (const [name, bytes] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), bytes);
  const ran = spawnSync('sh', ['-c', line], { cwd: folder, maxBuffer: 1 << 28, input: '' });
  const file = FILES[given.view] && path.join(folder, FILES[given.view]);
  const bytes = !file ? ran.stdout : fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
  return { status: ran.status, said: String(ran.stderr), bytes };
}

// What a reader reads: words about what went wrong where there is nothing else.
function readable({ status, said, bytes }) {
  return bytes.length === 0 && status !== 0 ? said : bytes.toString('utf8');
}

// $TURN, which goes on by one from commit to commit (.ci/run), says which ones.
function documents(every) {
  const names = fs.readdirSync('testdata', { recursive: true }).filter((name) => name.endsWith('.json')).sort();
  return names.filter((name, i) => i % every === Number(process.env.TURN ?? 0) % every);
}

module.exports = { VIEWS, documents, native, packed, readable };
