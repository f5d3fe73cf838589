'use strict';
// What playwright's own waitForFunction is for. That one asks again by eval, which the policy of a page
// forbids: it ends with an error wherever the condition does not hold at once.
const SECONDS = 60, BETWEEN_MS = 20; // a machine may be busy

// Waits until the page says that the condition holds.
async function until(page, condition, argument, seconds = SECONDS) {
  const end = Date.now() + seconds * 1000;
  while (!await page.evaluate(condition, argument)) {
    if (Date.now() > end) throw new Error(`after ${seconds} s this does not hold: ${condition}`);
    await new Promise((again) => { setTimeout(again, BETWEEN_MS); });
  }
}

module.exports = { until };
