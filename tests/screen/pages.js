'use strict';
// What the suites of this folder share: a browser, pages in it, and the count of what holds.

const { chromium } = require('playwright-core');

const COUNTS = { passed: 0, failed: 0 };
let browser;

function check(name, holds, what) {
  COUNTS[holds ? 'passed' : 'failed']++;
  if (!holds) console.log(`FAIL screen: ${name}: ${what}`);
}

// A page in a context of its own, which goes with it. An error in it is a failure of its name.
async function open(file, address = '', { viewport = { width: 1200, height: 800 }, ...options } = {}) {
  const page = await browser.newPage({ viewport, ...options }), name = file.replace(/.*\//, '');
  page.setDefaultTimeout(60000); // a machine may be busy
  page.on('pageerror', (error) => check(name, false, `an error: ${error.stack.slice(0, 300)}`));
  page.on('console', (message) => check(name, message.type() !== 'error', message.text()));
  await page.goto(`file://${file}${address}`);
  return page;
}

async function run(browserFile, checkAll) {
  try {
    browser = await chromium.launch({ executablePath: browserFile, args: ['--no-sandbox'] });
    await checkAll();
    await browser.close();
    console.log(`${COUNTS.passed} passed, ${COUNTS.failed} failed`);
  } catch (error) {
    console.log(String(error.stack).slice(0, 600));
    process.exit(1);
  }
}

module.exports = { check, open, run };
