'use strict';
// node firefox.js FIREFOX PAGE...: each page in Firefox, by its own protocol (Marionette), whose engine
// is another one than Chromium's and node's. After changes of numbers the program computes of the
// page's document every number that the page has, bit for bit.

const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');
const { withFirefox } = require('../marionette.js');

const [firefox, ...pages] = process.argv.slice(2);
const CHANGES = 8;
const SPECIAL = { NaN, Infinity, '-Infinity': -Infinity };
let passed = 0, failed = 0;

function check(holds, what) {
  if (holds) passed++;
  else {
    failed++;
    console.log(`FAIL web: Firefox: ${what}`);
  }
}

// ---- in the page: as texts, since JSON has neither −0 nor what is not finite ----

const IN_PAGE = `
  const { selfattn } = window.wrappedJSObject, nodes = JSON.parse(JSON.stringify(selfattn.nodes()));
  const handed = (at) => Components.utils.cloneInto(at, window);
  const cells = ({ shape }) => shape.reduce((all, size) =>
    all.flatMap((at) => Array.from({ length: size }, (nothing, i) => [...at, i])), [[]]);
  const said = (x) => (Object.is(x, -0) ? '-0' : String(x));
  // Lengths are whole numbers.
  const inputs = nodes.filter((node) => node.input && !/lengths$/.test(node.name));
  let state = 1;
  const drawn = (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * count);
  };
  for (let i = 0; i < ${CHANGES}; i++) {
    const node = inputs[drawn(inputs.length)], all = cells(node);
    selfattn.set(node.name, handed(all[drawn(all.length)]), 0.25 + drawn(2000) / 1000);
  }
  return { document: selfattn.document(), nodes: nodes.map((node) => ({ name: node.name,
    numbers: cells(node).map((at) => said(selfattn.get(node.name, handed(at)))) })) };
`;

function firstDifference(nodes, trace) {
  const others = new Map(trace.nodes.map((node) => [node.name, node]));
  const isSame = (x, got) => [x, Math.fround(x)].some((one) => Object.is(one, Number(got)));
  for (const { name, numbers } of nodes) {
    const wanted = others.get(name)?.values.flat(2).map((x) => SPECIAL[x] ?? x);
    const at = wanted ? wanted.findIndex((x, i) => !isSame(x, numbers[i])) : 0;
    if (at >= 0) return `${name}, number ${at + 1}: ${numbers[at]} on the page, ${wanted?.[at]} by the program`;
  }
  return null;
}

async function tryPage(say, page, folder) {
  await say('WebDriver:Navigate', { url: `file://${page}` });
  const { value } = await say('WebDriver:ExecuteScript', { script: IN_PAGE, args: [], sandbox: 'system' });
  const file = path.join(folder, 'edited.json');
  fs.writeFileSync(file, value.document);
  const ran = spawnSync('selfattn', ['run', '--quiet', '--trace', '--trace-format', 'json', file],
    { maxBuffer: 1 << 28, encoding: 'utf8' });
  const difference = ran.status === 0 ? firstDifference(value.nodes, JSON.parse(ran.stdout)) : ran.stderr;
  check(difference === null, `${path.basename(page)}: ${difference}`);
}

async function main() {
  try {
    await withFirefox(firefox, async (say, folder) => {
      for (const page of pages) await tryPage(say, page, folder);
    });
  } catch (wrong) {
    check(false, wrong.message);
  }
  console.log(`${passed} passed, ${failed} failed`);
}

main();
