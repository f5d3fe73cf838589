// The bar of steps: a slider, arrow keys, one step at a time, and a question before each.

// brought: the last element that the page was made to scroll to.
// heldAt: how far down the page was when it got there, null on the way. The step stays the current
// one, wherever it is on the screen, until the reader scrolls from there.
const STEPS = { sections: [], at: 0, heldAt: 0, brought: null };

function nameOfStep(section) {
  return section.dataset.step;
}

// What a link of a picture leads to; one in an SVG has no hash of its own.
function targetOf(link) {
  return document.getElementById(link.getAttribute('href').slice(1));
}

// A link leads to a step, or in the house to a room with its steps, there and back.
function isAt(link, section) {
  const { room, back } = link.dataset;
  return room ? [room, back].includes(section.dataset.room) : targetOf(link) === section;
}

// A floor that is folded is unfolded when something in it is to be seen.
function unfold(element) {
  const floor = element.closest('details');
  if (floor) floor.open = true;
}

function markStep() {
  const { sections, at, slider, output } = STEPS;
  sections.forEach((section, i) => section.classList.toggle('here', i === at));
  slider.value = at + 1;
  output.textContent = TEXT.stepOf(at + 1, sections.length, nameOfStep(sections[at]));
  slider.setAttribute('aria-valuetext', output.textContent);
  for (const link of document.querySelectorAll('.picture a'))
    link.classList.toggle('here', isAt(link, sections[at]));
  markOnMap(sections[at]);
  for (const symbol of document.querySelectorAll('.whole [data-steps]')) {
    const steps = symbol.dataset.steps.split(' ');
    symbol.classList.toggle('here', steps.includes(nameOfStep(sections[at])));
  }
  showNotes();
  BOUND.holder?.show();
}

function answerQuestion(section) {
  const question = section.querySelector('.question');
  if (question) question.remove();
  section.classList.remove('asked');
}

// There is something to expect where something is worked out.
function askQuestion(section) {
  if (!STEPS.ask.checked || section.dataset.seen || !section.querySelector('.line:not([hidden])')) return;
  section.dataset.seen = 'yes';
  section.classList.add('asked');
  const words = makeElement('p', '', TEXT.question(nameOfStep(section)));
  const button = makeButton(TEXT.show, () => answerQuestion(section));
  section.firstElementChild.after(makeElement('div', 'question', words, button));
}

function goToStep(at) {
  const by = at - STEPS.at;
  STEPS.at = Math.min(STEPS.sections.length - 1, Math.max(0, at));
  const section = STEPS.sections[STEPS.at];
  close();
  unfold(section);
  markStep();
  sayAddress(section.id);
  askQuestion(section);
  presentStep(by);
  bring(section.firstElementChild, { block: 'start' });
  tell((peer) => peer.goToStep(STEPS.at));
}

// Makes the step visible in which something is to be shown.
function revealStep(section) {
  STEPS.at = STEPS.sections.indexOf(section);
  unfold(section);
  answerQuestion(section);
  markStep();
  tell((peer) => peer.goToStep(STEPS.at));
}

// ---- where the page is scrolled to ----

// What has passed this height is being read: it is a little below the bar, and on the last screen
// goes down to its end, so that steps get their turn that can't come up to the bar.
function readingHeight() {
  const top = STEPS.bar.offsetHeight + 48, most = document.documentElement.scrollHeight - innerHeight;
  const last = Math.min(innerHeight, most), left = Math.max(0, most - scrollY);
  return left < last ? top + (innerHeight - top) * (1 - left / last) : top;
}

function stepInView() {
  const height = readingHeight();
  const below = STEPS.sections.findIndex((one) => one.getBoundingClientRect().top > height);
  return Math.max(0, (below < 0 ? STEPS.sections.length : below) - 1);
}

function isInView(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

function followScroll() {
  const isHeld = STEPS.heldAt === null || Math.abs(scrollY - STEPS.heldAt) < 2;
  if (isHeld || document.body.classList.contains('single')) return;
  STEPS.heldAt = scrollY;
  const at = stepInView();
  if (at === STEPS.at) return;
  STEPS.at = at;
  markStep();
  if (PANEL.chosen && !elementsOf(PANEL.chosen).some(isInView)) close();
}

// The bar may have several lines, and covers none of what is gone to.
function measureBar() {
  document.documentElement.style.setProperty('--bar', `${STEPS.bar.offsetHeight}px`);
}

// Where arrows move something else: in what is typed in, chosen from, or slid.
function takesArrows(element) {
  return element.matches('input:not([type=checkbox]), select, td, th');
}

const STEP_KEYS = { ArrowRight: 1, ArrowLeft: -1, PageDown: 1, PageUp: -1 };

function stepByKey(event) {
  const by = STEP_KEYS[event.key], isArrow = event.key.startsWith('Arrow');
  if (!by || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (isArrow && takesArrows(event.target)) return;
  goOnward(by);
  event.preventDefault();
}

function makeToggle(words, change) {
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.addEventListener('change', change);
  return { box, label: makeElement('label', '', box, ` ${words}`) };
}

// To a step; to a floor, which is unfolded, the first of its steps.
function goToTarget(target) {
  const section = target.closest('section[data-step]') || target.querySelector('section[data-step]');
  if (section) goToStep(STEPS.sections.indexOf(section));
}

function followPicture(event) {
  const link = event.target.closest('a');
  if (!link) return;
  goToTarget(targetOf(link));
  event.preventDefault();
}

function startSteps() {
  STEPS.sections = [...document.querySelectorAll('section[data-step]')];
  STEPS.slider = makeRange({ min: 1, max: STEPS.sections.length }, (step) => goToStep(step - 1));
  STEPS.slider.setAttribute('aria-label', TEXT.step);
  STEPS.output = document.createElement('output');
  const single = makeToggle(TEXT.single, () => {
    document.body.classList.toggle('single', single.box.checked);
    goToStep(STEPS.at);
  });
  const ask = makeToggle(TEXT.ask, () => {
    STEPS.sections.forEach(answerQuestion);
    goToStep(STEPS.at);
  });
  STEPS.ask = ask.box;
  STEPS.tools = makeElement('div', 'tools');
  const bar = makeElement('div', 'bar',
    makeButton('‹', () => goToStep(STEPS.at - 1), TEXT.previous), STEPS.output,
    makeButton('›', () => goToStep(STEPS.at + 1), TEXT.next), STEPS.tools);
  bar.setAttribute('role', 'group');
  bar.setAttribute('aria-label', TEXT.step);
  startMenu(bar, STEPS.slider, single.label, ask.label);
  STEPS.single = single.box;
  STEPS.line = makeElement('p', 'note screen', `${TEXT.pointing} ${TEXT.shownWith(DIGITS)}`);
  document.querySelector('main').prepend(bar, STEPS.line);
  addHelp(TEXT.legend);
  STEPS.bar = bar;
  new ResizeObserver(measureBar).observe(bar);
  document.addEventListener('scroll', followScroll, { passive: true });
  document.addEventListener('keydown', stepByKey);
  for (const picture of document.querySelectorAll('.picture'))
    picture.addEventListener('click', followPicture);
  markStep();
}
