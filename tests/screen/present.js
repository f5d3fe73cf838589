'use strict';
// node present.js BROWSER FOLDER: FOLDER's pages in front of a class, at 1920 × 1080, 1440 × 900 and
// 1280 × 720: of each step, part by part, nothing is below the screen, and letters have at least 30 pixels; of
// documents side by side, which have half of the screen each, they have 24 on the smaller one.

const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');
const { until } = require('../until.js');

const [browserFile, folder] = process.argv.slice(2);
let passed = 0, failed = 0;

function check(name, holds, what) {
  if (holds) passed++;
  else {
    failed++;
    console.log(`FAIL screen: ${name}: ${what}`);
  }
}

// Runs in the page: which parts end below the screen, and the smallest letters of what is read.
function measureSteps() {
  const low = [], sizes = [], isSeen = (one) => one.getClientRects().length > 0;
  STEPS.sections.forEach((section, at) => {
    goToStep(at);
    do {
      const ends = [...section.querySelectorAll(':scope > * > *, h2, h3')].filter(isSeen)
        .map((one) => one.getBoundingClientRect().bottom);
      if (Math.max(...ends) > innerHeight + 1) low.push(`${section.id}, part ${PRESENT.revealed}: ${Math.round(Math.max(...ends))}`);
    } while (reveal(1));
    sizes.push(...[...section.querySelectorAll('.story > p:not(.note), .matrix td, .matrix th')].filter(isSeen)
      .map((one) => parseFloat(getComputedStyle(one).fontSize)));
  });
  return { low, least: Math.min(...sizes) };
}

(async () => {
  const browser = await chromium.launch({ executablePath: browserFile, args: ['--no-sandbox'] });
  for (const file of fs.readdirSync(folder).sort()) {
    for (const [width, height] of [[1920, 1080], [1440, 900], [1280, 720]]) {
      const page = await browser.newPage({ viewport: { width, height } }), isBound = file.startsWith('bound-');
      page.setDefaultTimeout(60000); // a machine may be busy
      await page.goto(`file://${path.join(folder, file)}#present`);
      await until(page, () => document.body.classList.contains('presenting'));
      const frames = isBound ? page.frames().slice(1) : [page.mainFrame()];
      check(file, frames.length > 0, 'it has no frames');
      for (const frame of frames) {
        const { low, least } = await frame.evaluate(measureSteps);
        check(file, low.length === 0, `at ${width} × ${height} these end below it: ${low.slice(0, 3).join('; ')}`);
        check(file, least >= (isBound && height < 1080 ? 24 : 30), `at ${width} × ${height} letters have ${least} pixels`);
      }
      await page.close();
    }
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
})().catch((error) => {
  console.log(String(error.stack).slice(0, 600));
  process.exit(1);
});
