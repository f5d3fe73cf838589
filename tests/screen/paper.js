'use strict';
// node paper.js BROWSER FOLDER: FOLDER's pages on sheets of A4.
//
// sheets   an exam of 33 numbers is two, with a place for a name on the first, and a walkthrough four
// columns  where there are two columns, no table, line or picture is wider than its column; after
//          printing the page is as it was

const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');

const [browserFile, folder] = process.argv.slice(2);
const MOST = { exam: 2, '001-walkthrough': 4 };
let passed = 0, failed = 0;

function check(name, holds, what) {
  if (holds) passed++;
  else {
    failed++;
    console.log(`FAIL screen: ${name}: ${what}`);
  }
}

// Runs in the page, which is as wide as paper between its margins: what sticks out of its column.
function sticksOut() {
  preparePaper();
  const isTwo = document.body.matches('.two-columns'), main = document.querySelector('main').getBoundingClientRect();
  const gap = parseFloat(getComputedStyle(document.querySelector('main')).columnGap) || 0;
  const width = isTwo ? (main.width - gap) / 2 : main.width;
  const out = [...document.querySelectorAll('main :is(.matrix:not(.screen), .line, .product, .words, .tokens > svg)')]
    .filter((one) => one.getClientRects().length > 0 && one.getBoundingClientRect().width > width + 2)
    .map((one) => `${one.closest('section').id}: ${one.className || one.tagName}`);
  clearPaper();
  return { isTwo, out, left: document.body.className };
}

(async () => {
  const browser = await chromium.launch({ executablePath: browserFile, args: ['--no-sandbox'] });
  for (const file of fs.readdirSync(folder).sort()) {
    const name = path.basename(file, '.html'), page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`file://${path.join(folder, file)}`);
    const before = await page.evaluate(() => document.body.className);
    const pdf = (await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1');
    const sheets = (pdf.match(/\/Type \/Page\b/g) || []).length, most = MOST[name.split('-')[0]] || MOST[name];
    check(name, sheets > 0 && sheets <= (most || Infinity), `it is ${sheets} sheets, and ${most} is the most`);
    await page.setViewportSize({ width: 703, height: 1000 }); // 186 mm
    await page.emulateMedia({ media: 'print' });
    const { isTwo, out, left } = await page.evaluate(sticksOut);
    check(name, out.length === 0, `wider than their column: ${out.slice(0, 3).join('; ')}`);
    check(name, left === before, `after printing the page is “${left}”, and it was “${before}”`);
    if (name.startsWith('exam')) {
      check(name, isTwo, 'small tables have no two columns');
      check(name, await page.locator('header .student').isVisible(), 'there is no place for a name');
    }
    await page.close();
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
})().catch((error) => {
  console.log(String(error.stack).slice(0, 600));
  process.exit(1);
});
