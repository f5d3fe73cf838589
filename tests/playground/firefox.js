'use strict';
// node firefox.js FIREFOX PAGE FOLDER EVERY: every so many'th document in Firefox, as a trace and as its
// result: what is read there is what the native program prints.

const assert = require('assert/strict');
const fs = require('fs');
const path = require('path');
const { withFirefox } = require('../marionette.js');
const { documents, native, packed, readable } = require('./cases.js');

const [firefox, file, folder, every] = process.argv.slice(2);
const address = `file://${path.resolve(file)}`, work = path.join(folder, 'work-firefox');
const TIME = 60000; // milliseconds, for what takes one
let passed = 0, failed = 0;

const IN_PAGE = `
  const [letters, done] = arguments, result = document.getElementById('result'), before = result.dataset.runs;
  const watched = new MutationObserver(() => {
    watched.disconnect();
    done({ line: document.getElementById('line').textContent, text: document.getElementById('text').textContent,
      status: Number(/^Status (\\d+)/.exec(document.getElementById('state').textContent)[1]) });
  });
  watched.observe(result, { attributes: true });
  location.hash = letters;
`;

async function compare(say, name) {
  const document = fs.readFileSync(path.join('testdata', name), 'utf8');
  for (const view of ['trace', 'result']) {
    const given = { document, view };
    const { value } = await say('WebDriver:ExecuteAsyncScript', { script: IN_PAGE, args: [packed(given)] });
    const there = native(work, value.line, given);
    assert.equal(value.status, there.status, `${name}: ${value.line}: status`);
    assert.equal(value.text, readable(there), `${name}: ${value.line}`);
  }
}

async function main() {
  try {
    await withFirefox(firefox, async (say) => {
      await say('WebDriver:SetTimeouts', { script: TIME });
      await say('WebDriver:Navigate', { url: address });
      const first = `const done = arguments[0], result = document.getElementById('result');
        const look = () => (result.dataset.runs ? done(true) : setTimeout(look, 50)); look();`;
      await say('WebDriver:ExecuteAsyncScript', { script: first, args: [] });
      for (const name of documents(Number(every))) await compare(say, name);
    });
    passed++;
  } catch (wrong) {
    failed++;
    console.log(`FAIL playground: Firefox: ${wrong.message.slice(0, 2000)}`);
  }
  console.log(`${passed} passed, ${failed} failed`);
}

main();
