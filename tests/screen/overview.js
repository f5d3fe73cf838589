'use strict';
// node overview.js BROWSER FOLDER: all heads at a look. Of each page NAME.html of FOLDER the pictures,
// the means of entropies and what tokens get are those of the weights in NAME.json, the program's own.
//
// few      the page has the numbers, and they follow a change
// many     it has not: squares are drawn from what the program says of them
// asked    no page that asks for numbers has the pictures; nor has one that was not asked for them

const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');

const [browserFile, folder] = process.argv.slice(2);
let passed = 0, failed = 0;

function check(name, holds, what) {
  if (holds) passed++;
  else {
    failed++;
    console.log(`FAIL screen: ${name}: ${what}`);
  }
}

// What is drawn once all of it is: of each head the strength of each pixel, and the number below.
function drawn() {
  const idle = new Promise((done) => {
    const wait = () => (STALE.size === 0 && !OVERVIEW.isDue ? done() : setTimeout(wait, 20));
    setTimeout(wait, 50);
  });
  return idle.then(() => OVERVIEW.layers.map(({ heads }) => heads.map(({ canvas, words }) => {
    const { width, height } = canvas, { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    return { width, height, words: words.textContent, alpha: [...data].filter((one, i) => i % 4 === 3) };
  })));
}

const entropyOf = (row) => -row.reduce((sum, weight) => sum + (weight > 0 ? weight * Math.log(weight) : 0), 0);
const meanOf = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

function checkPictures(name, layers, pictures) {
  const flat = pictures.flat();
  check(name, flat.length === layers.flat().length, `${flat.length} pictures of ${layers.flat().length} heads`);
  layers.flat().forEach((weights, i) => {
    const { width, height, alpha } = flat[i], wide = Math.ceil(weights[0].length / 64), tall = Math.ceil(weights.length / 64);
    check(name, width === Math.ceil(weights[0].length / wide) && height === Math.ceil(weights.length / tall), `picture ${i} is ${width} × ${height}`);
    const most = Array.from({ length: height }, (none, row) => Array.from({ length: width }, (nothing, column) =>
      Math.max(...weights.slice(row * tall, (row + 1) * tall).flatMap((line) => line.slice(column * wide, (column + 1) * wide)))));
    const far = most.flat().findIndex((weight, at) => Math.abs(Math.sqrt(weight) * 255 - alpha[at]) > 5);
    check(name, far < 0, `square ${far} of picture ${i} is ${alpha[far]}, its weight ${most.flat()[far]}`);
  });
}

// A number to two decimals, of numbers of which a page may show four.
function checkNumbers(name, what, wanted, pictures) {
  const flat = pictures.flat();
  wanted.forEach((number, i) => check(name, Math.abs(number - Number(flat[i].words)) <= 0.011,
    `${what} of picture ${i} is ${flat[i].words}, and not ${number}`));
}

function weightsIn(file) {
  const result = JSON.parse(fs.readFileSync(path.join(folder, file)));
  return Object.keys(result).filter((one) => one.endsWith('attention.weights')).map((one) => result[one]);
}

async function checkPage(browser, name, change) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } }), errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`file://${path.join(folder, name)}.html`);
  let layers = weightsIn(`${name}.json`), pictures = await page.evaluate(drawn);
  checkPictures(name, layers, pictures);
  checkNumbers(name, 'the entropy', layers.flat().map((rows) => meanOf(rows.map(entropyOf))), pictures);
  if (change) {
    await page.evaluate(change);
    layers = weightsIn(`${name}-changed.json`);
    pictures = await page.evaluate(drawn);
    checkPictures(`${name}, changed`, layers, pictures);
  }
  await page.locator('.tokens-chosen button').nth(1).click();
  await page.locator('.tokens-chosen button').nth(4).click();
  await page.mouse.move(5, 5);
  const gets = (rows) => rows.reduce((sum, row) => sum + row[1] + row[4], 0);
  checkNumbers(name, 'what two tokens get', layers.flat().map(gets), await page.evaluate(drawn));
  await page.evaluate(() => OVERVIEW.layers[1].heads[2].button.click());
  const title = await page.locator('.large b').textContent();
  check(name, title.includes('layer 2') && title.includes('head 3'), `a click makes “${title}” large`);
  await page.locator('.large .tokens text').first().hover();
  await page.evaluate(drawn);
  const ends = await page.evaluate(() => [...new Set([...document.querySelectorAll('.large line')].map((one) => one.getAttribute('y1')))]);
  check(name, ends.length === 1, `of the token that is pointed at there are lines from ${ends.length} rows`);
  await page.locator('.large button').first().click();
  const at = await page.evaluate(() => STEPS.sections[STEPS.at].id);
  check(name, at.includes('layer.1.attention'), `its steps are ${at}`);
  check(name, errors.length === 0, errors.join());
  await page.close();
}

(async () => {
  const browser = await chromium.launch({ executablePath: browserFile, args: ['--no-sandbox'] });
  await checkPage(browser, 'few', () => selfattn.set('x', [0, 0], 3));
  await checkPage(browser, 'many');
  for (const name of ['asked', 'plain']) {
    const page = await browser.newPage();
    await page.goto(`file://${path.join(folder, name)}.html`);
    check(name, await page.locator('.overview').count() === 0, 'it has the pictures');
    await page.close();
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
})().catch((error) => {
  console.log(String(error.stack).slice(0, 600));
  process.exit(1);
});
