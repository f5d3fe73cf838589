// The block in which a reader takes steps of learning: buttons, the rate, what learns, the loss as a
// line, and the weights after each step.

// series: the steps that are being taken, one a frame, { left, change }, or nothing.
const LEARNING = { series: null, rate: USUAL_RATE, boxes: [], buttons: [] };
const SERIES = [1, 10, 100];

// ---- a series of steps ----

function chosenNames() {
  const all = LEARNING.boxes.filter(({ input }) => input.checked).map(({ name }) => name);
  const usual = LEARNING.boxes.filter(({ isUsual }) => isUsual).map(({ name }) => name);
  return String(all) === String(usual) ? [] : all;
}

function showSeries() {
  for (const button of LEARNING.buttons) button.disabled = Boolean(LEARNING.series);
  LEARNING.stop.disabled = !LEARNING.series;
}

function endSeries(message) {
  LEARNING.series = null;
  showSeries();
  markEdits(message);
}

// In the one change that the series is.
function stepOnce(series) {
  const { change } = series, [next] = setTrained(1, series.rate, series.only, change?.to.losses);
  edit([next], Boolean(change));
  series.change ||= next;
  series.left -= 1;
}

// Until all are taken, one is refused, or something else was changed meanwhile.
function stepOn() {
  const { series } = LEARNING, [last] = lastOf(EDITS.done) || [];
  if (!series) return;
  let message = '';
  try {
    if (series.change && series.change !== last) series.left = 0;
    else stepOnce(series);
  } catch (error) {
    message = error.message;
  }
  if (message || series.left === 0) endSeries(message);
  else requestAnimationFrame(stepOn);
}

function startSeries(steps) {
  const all = LEARNING.boxes.some(({ input }) => input.checked);
  attempt(() => {
    if (!all) throw new Error(TEXT.nothingLearns(LEARNING.boxes.map(({ name }) => name).join(', ')));
    takeAll();
    LEARNING.series = { left: steps, rate: LEARNING.rate, only: chosenNames(), change: null };
    showSeries();
    stepOn();
  });
}

// ---- the loss, as a line ----

const CHART = { width: 480, height: 240, left: 64, right: 14, top: 14, bottom: 38 };

// Round numbers between, some four of them.
function ticksBetween(least, most) {
  const size = 10 ** Math.floor(Math.log10((most - least) / 4));
  const step = [1, 2, 5, 10].map((times) => times * size).find((one) => (most - least) / one <= 5);
  const first = Math.ceil(least / step), last = Math.floor(most / step);
  return range(first, Math.max(first, last) + 1, (i) => Number((i * step).toPrecision(12)));
}

// A loss from 0 stands on 0.
function spanOf(losses) {
  const least = losses.reduce((x, y) => Math.min(x, y)), most = losses.reduce((x, y) => Math.max(x, y));
  if (least === 0 && most === 0) return [0, 1];
  return [Math.min(least, 0), Math.max(most, 0)];
}

function lossShown() {
  const place = { map: lossMap(), head: 0, row: 0, column: 0 };
  return EDITS.order ? valueOf(place) : numberOf(textOf(place));
}

// Where each loss stands, { step, loss, x, y }, run by run, and the axes it stands on.
function chartOf(runs) {
  const { width, height, left, right, top, bottom } = CHART;
  const losses = runs.flatMap((run) => run.losses), [least, most] = spanOf(losses);
  const { first, losses: { length } } = lastOf(runs), end = Math.max(10, first + length - 1);
  const x = (step) => left + (step / end) * (width - left - right);
  const y = (loss) => top + ((most - loss) / (most - least)) * (height - top - bottom);
  return { x, y, end, least, most, points: runs.map((run) => run.losses.map((loss, i) =>
    ({ step: run.first + i, loss, x: x(run.first + i), y: y(loss) }))) };
}

function drawAxes(chart) {
  const { width, height, left, right, bottom } = CHART, base = height - bottom;
  const text = (x, y, anchor, words) => makeSvg('text', { x, y, 'text-anchor': anchor }, words);
  const line = (x1, y1, x2, y2) => makeSvg('line', { x1, y1, x2, y2, class: 'grid' });
  const rows = ticksBetween(chart.least, chart.most).flatMap((tick) => {
    const y = chart.y(tick);
    return [line(left, y, width - right, y), text(left - 8, y + 4, 'end', writtenOut(String(tick)))];
  });
  const columns = ticksBetween(0, chart.end).filter(Number.isInteger).flatMap((tick) =>
    [line(chart.x(tick), base, chart.x(tick), base + 5), text(chart.x(tick), base + 20, 'middle', String(tick))]);
  return [...rows, ...columns, text(width - right, height - 3, 'end', TEXT.stepAxis)];
}

function sayLoss({ step, loss, x, y }) {
  LEARNING.said.textContent = TEXT.lossAfter(step, writtenOut(textOfNumber(loss)));
  for (const [name, value] of Object.entries({ cx: x, cy: y })) LEARNING.mark.setAttribute(name, value);
}

function drawLoss() {
  const now = lossShown(), runs = lossRuns();
  if (runs.length === 0 || lastOf(lastOf(runs).losses) !== now) {
    const { first = 0, losses = [now] } = lastOf(runs) || {};
    runs.push({ first: first + losses.length - 1, losses: [now] });
  }
  const chart = chartOf(runs), at = ({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const line = chart.points.map((run) => `M${run.map(at).join('L')}`).join('');
  const dots = chart.points.flat().map((point) => `M${at(point)}h0`).join('');
  LEARNING.points = chart.points.flat();
  LEARNING.chart.replaceChildren(...drawAxes(chart), makeSvg('path', { class: 'loss', d: line }),
    makeSvg('path', { class: 'loss dots', d: dots }), LEARNING.mark);
  sayLoss(lastOf(LEARNING.points));
}

// The nearest step, of which the last loss: after a change both stand there.
function pointAtLoss(event) {
  const { left, width } = LEARNING.chart.getBoundingClientRect();
  const x = ((event.clientX - left) / width) * CHART.width, far = (point) => Math.abs(point.x - x);
  sayLoss(LEARNING.points.reduce((near, point) => (far(point) <= far(near) ? point : near)));
}

function makeChart() {
  const { width, height } = CHART;
  LEARNING.chart = makeSvg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
    'aria-label': TEXT.lossLine });
  LEARNING.mark = makeSvg('circle', { r: 5, class: 'mark' });
  LEARNING.said = document.createElement('output');
  LEARNING.chart.addEventListener('pointermove', pointAtLoss);
  LEARNING.chart.addEventListener('pointerleave', () => sayLoss(lastOf(LEARNING.points)));
  return makeElement('div', 'loss-line', makeElement('p', '', LEARNING.said), LEARNING.chart,
    savingOf(LEARNING.chart, 'loss'));
}

// ---- the block ----

// A slider of powers of ten, and the number itself, which may be typed.
function makeRate() {
  const typed = document.createElement('input');
  const slider = makeRange({ min: -4, max: 2, step: 0.05 }, (power) => take(Number((10 ** power).toPrecision(2))));
  const take = (rate) => {
    LEARNING.rate = rate;
    typed.value = String(rate);
    slider.value = Math.log10(rate);
  };
  typed.autocomplete = 'off';
  typed.setAttribute('aria-label', TEXT.rateTyped);
  typed.addEventListener('change', () => {
    const rate = answerIn(typed.value), isRate = rate >= 0 && rate < Infinity;
    if (!isRate) markEdits(TEXT.noRate(typed.value));
    take(isRate ? rate : LEARNING.rate);
  });
  take(USUAL_RATE);
  return [makeElement('label', 'control', `${TEXT.rate} `, slider), typed];
}

// Of layers the whole way says which.
function makeChoice({ name, map, isUsual }) {
  const input = document.createElement('input'), { way } = DATA.rooms[map.room];
  input.type = 'checkbox';
  input.checked = isUsual;
  LEARNING.boxes.push({ name, input, isUsual });
  return makeElement('label', 'control', input, ...way ? [name] : mathematics(map.name));
}

function makeLearning(room) {
  const rooms = [room, ...DATA.rooms.keys()], weights = rooms.map(weightsOf).find((map) => map);
  const view = weights && makeView(weights);
  LEARNING.buttons = SERIES.map((steps) => makeButton(steps === 1 ? TEXT.step : TEXT.steps(steps),
    () => startSeries(steps)));
  LEARNING.stop = makeButton(TEXT.stop, () => endSeries());
  const block = makeElement('div', 'learning screen', makeElement('h3', '', TEXT.learning),
    makeElement('p', 'note', TEXT.aboutLearning),
    makeElement('div', 'controls', ...LEARNING.buttons, LEARNING.stop, ...makeRate()),
    makeElement('div', 'controls', TEXT.whatLearns, ...learners().map(makeChoice)),
    makeElement('div', 'shown', makeChart(), ...view ? [makeElement('div', 'tokens', view.svg)] : []));
  addView(block, () => true, () => {
    drawLoss();
    if (view) drawView(view);
  });
  return block;
}

function startLearning() {
  const { room } = lossMap() || {}, section = room !== undefined && sectionOf(room, 'loss');
  const why = whyNoLearning();
  if (section && !why) {
    partOf(section, 'story').append(makeLearning(room));
    drawLoss();
    showSeries();
  } else if ([TEXT.lossOfBatch, TEXT.lossOfTables].includes(why)) {
    const step = document.getElementById('step-loss');
    if (step) partOf(step, 'story').append(makeElement('p', 'note screen', why));
  }
}
