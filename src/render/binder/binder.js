'use strict';

// Several pages as one, each in a frame with a script of its own: side by side, where their steps and
// what they have in common go together (page/bound.js), or in a chain, one after the other. Here is the
// bar above them, and the address of them all. What a page says is its own.

// One for each document: where it stands without a script, its frame, and what its page offers.
const PAGES = [...document.querySelectorAll('article')].map((article) =>
  ({ article, title: article.dataset.title, frame: null, page: null }));
const IS_BESIDE = document.body.classList.contains('beside');
const STILL = 2000; // milliseconds without the mouse until the bar goes, as in a page

// at: the page that is looked at, or was used last; isReady: all that is to be there is there.
const BINDER = { at: 0, isReady: false, stage: null, bar: null, rest: 0 };

function make(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function makeButton(words, act, label = words) {
  const made = make('button', '', words);
  made.type = 'button';
  made.setAttribute('aria-label', label);
  made.addEventListener('click', act);
  return made;
}

function current() {
  return PAGES[BINDER.at];
}

function opened() {
  return PAGES.filter(({ page }) => page);
}

// Documents of one title are told apart by where they came from.
function tellApart() {
  const titles = PAGES.map(({ title }) => title);
  PAGES.forEach((one, i) => {
    const isAmbiguous = titles.indexOf(one.title) !== titles.lastIndexOf(one.title);
    const { source } = one.article.dataset;
    if (isAmbiguous) one.title = `${one.title} (${source || i + 1})`;
  });
}

// ---- steps that only some have ----

function stepsOf({ article }) {
  const counts = new Map();
  return [...article.querySelectorAll('section[data-step]')].map((section) => {
    const count = counts.get(section.id) || 0;
    counts.set(section.id, count + 1);
    return { section, key: `${section.id} ${count}` };
  });
}

// All steps in an order that each document has: what an earlier one lacks comes after what is before it.
function allSteps(lists) {
  const all = [];
  for (const list of lists) {
    let at = -1;
    for (const step of list) {
      const there = all.findIndex(({ key }) => key === step.key);
      if (there < 0) all.splice(at + 1, 0, step);
      at = there < 0 ? at + 1 : there;
    }
  }
  return all;
}

function makeAbsent({ section }, before, after) {
  const made = make('section', 'absent', section.firstElementChild.cloneNode(true));
  const { step } = section.dataset, { room } = (before || after).dataset;
  Object.assign(made.dataset, { room, step });
  made.id = `absent-${section.id}`;
  if (before) before.after(made);
  else after.before(made);
  return made;
}

// Each page gets a place for each of them, so that they go together by their number.
function alignSteps() {
  const lists = PAGES.map(stepsOf), all = allSteps(lists);
  for (const list of lists) {
    let before = null;
    all.forEach((step, i) => {
      const own = list.find(({ key }) => key === step.key);
      before = own ? own.section : makeAbsent(step, before, list[0].section);
      const [number] = before.firstElementChild.childNodes;
      number.textContent = number.textContent.replace(/^\d+/, i + 1);
    });
  }
}

// ---- frames ----

function open(one, hash) {
  const frame = make('iframe', ''), script = document.getElementById('page').textContent;
  frame.title = one.title;
  frame.allow = 'fullscreen';
  BINDER.stage.append(frame);
  one.frame = frame;
  const { contentDocument: inside, contentWindow } = frame;
  inside.open(); // of an empty document this makes one with the address of this one
  inside.write('<!DOCTYPE html><html lang=en><head><meta charset=utf-8></head><body></body></html>');
  inside.close();
  inside.title = one.title;
  for (const style of document.querySelectorAll('style'))
    inside.head.append(Object.assign(inside.createElement('style'), { textContent: style.textContent }));
  inside.body.className = `bound ${IS_BESIDE ? 'beside' : 'chain'}`;
  inside.body.append(...[...one.article.childNodes].map((child) => inside.adoptNode(child)));
  if (hash) contentWindow.history.replaceState(null, '', `#${hash}`);
  inside.body.append(Object.assign(inside.createElement('script'), { textContent: script }));
}

function pageOf(inside) {
  return PAGES.find(({ frame }) => frame && frame.contentWindow === inside);
}

// The page that is used leads: where it is scrolled to, others are.
function follow(one) {
  if (!IS_BESIDE || one !== current() || !BINDER.isReady) return;
  const place = one.page.placeOfStep();
  for (const other of opened()) if (other !== one) other.page.alignStep(place);
}

function listen(one) {
  const { contentDocument } = one.frame;
  const lead = () => { if (IS_BESIDE) BINDER.at = PAGES.indexOf(one); };
  for (const name of ['pointerdown', 'pointermove', 'wheel', 'touchstart', 'keydown'])
    contentDocument.addEventListener(name, lead, { capture: true, passive: true });
  contentDocument.addEventListener('scroll', () => follow(one), { passive: true });
  contentDocument.addEventListener('keydown', turnByKey);
  contentDocument.addEventListener('mousemove', wake);
}

// ---- from document to document ----

function look(at) {
  BINDER.at = at;
  PAGES.forEach(({ frame }, i) => { if (frame) frame.classList.toggle('away', i !== at); });
}

// Where the chain goes on by a step, at the step next to the one that it comes from.
function turn(by, isByStep) {
  const to = BINDER.at + by, { page } = current();
  if (!(to in PAGES)) return;
  showDocument(to, page.isPresenting());
  if (isByStep) current().page.goToStep(by > 0 ? 0 : current().page.steps.sections.length - 1);
}

function showDocument(to, isPresenting) {
  if (!PAGES[to].frame) open(PAGES[to], hashOf(to));
  look(to);
  const { page, frame } = PAGES[to];
  if (page.isPresenting() !== isPresenting) page.present(isPresenting);
  frame.contentWindow.focus();
  show();
}

function turnByKey(event) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const isTyped = event.target.matches?.('input:not([type=checkbox]), select');
  if (IS_BESIDE || !by || !event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || isTyped) return;
  event.preventDefault();
  turn(by, false);
}

// ---- the address: "#2&scores-h0-r0-c1&edit=…&present" ----

// An edit is "2.x-h0-r0-c0=1": that of the second document, which others may have followed.
function editsIn(text) {
  return text.split('|').map((one) => /^(\d+)\.(.*)$/s.exec(one)).filter((found) => found)
    .map(([, number, said]) => ({ at: Number(number) - 1, said }));
}

function partsOfAddress() {
  const parts = location.hash.slice(1).split('&'), modes = ['backward', 'present'];
  const number = Number(parts.find((part) => /^\d+$/.test(part)) || 1);
  const edits = parts.find((part) => part.startsWith('edit='));
  return { at: number - 1 in PAGES ? number - 1 : 0, edits: edits ? editsIn(decodeURIComponent(edits.slice('edit='.length))) : [],
    modes: parts.filter((part) => modes.includes(part)),
    anchor: parts.find((part) => part && !/^\d+$/.test(part) && !part.startsWith('edit=') && !modes.includes(part)) || '' };
}

function textOfEdits() {
  const all = PAGES.map(({ page }) => (page ? page.textsOfEdits() : []));
  const most = Math.max(...all.map((texts) => texts.length));
  return Array.from({ length: most }, (nothing, i) => all.flatMap((texts, at) => (texts[i] ? [`${at + 1}.${texts[i]}`] : [])))
    .flat().join('|');
}

// Of documents that were not opened edits are kept.
function sayAddress() {
  const { page } = current(), others = partsOfAddress().edits.filter(({ at }) => !PAGES[at]?.page);
  const edits = [textOfEdits(), ...others.map(({ at, said }) => `${at + 1}.${said}`)].filter((text) => text).join('|');
  const parts = [!IS_BESIDE && `${BINDER.at + 1}`, page.anchor(), edits && `edit=${encodeURIComponent(edits)}`,
    page.isBackward() && 'backward', page.isPresenting() && 'present'].filter((part) => part);
  const hash = parts.length > 0 ? `#${parts.join('&')}` : '';
  if (location.hash !== hash) history.replaceState(null, '', hash || location.pathname + location.search);
}

function hashOf(at) {
  const { edits, anchor, modes } = partsOfAddress(), own = edits.filter((one) => one.at === at).map(({ said }) => said);
  const isHere = IS_BESIDE || at === partsOfAddress().at;
  return [isHere && anchor, !IS_BESIDE && own.length > 0 && `edit=${encodeURIComponent(own.join(';'))}`, ...modes]
    .filter((part) => part).join('&');
}

function followAddress() {
  const { at, anchor, modes } = partsOfAddress();
  if (!IS_BESIDE) showDocument(at, modes.includes('present'));
  if (anchor) current().frame.contentWindow.location.hash = `#${anchor}`;
}

// ---- the bar ----

function wake() {
  clearTimeout(BINDER.rest);
  document.body.classList.remove('still');
  BINDER.rest = setTimeout(() => document.body.classList.add('still'), STILL);
}

// As the pages are by now.
function show() {
  if (!BINDER.isReady) return;
  const { page, title } = current(), isOn = page.isPresenting();
  document.body.classList.toggle('presenting', isOn);
  document.title = IS_BESIDE ? PAGES.map((one) => one.title).join(' | ') : title;
  BINDER.bar.draw(page);
  sayAddress();
}

function makeChainBar({ TEXT }) {
  const choice = make('select', '', ...PAGES.map(({ title }, i) => new Option(`${i + 1}. ${title}`, i)));
  const back = makeButton('‹', () => turn(-1, false), TEXT.previousDocument), count = make('output', '');
  const next = makeButton('›', () => turn(1, false), TEXT.nextDocument);
  choice.setAttribute('aria-label', TEXT.documents);
  choice.title = TEXT.chainKeys;
  choice.addEventListener('change', () => showDocument(Number(choice.value), current().page.isPresenting()));
  const draw = () => {
    choice.value = BINDER.at;
    count.textContent = TEXT.documentOf(BINDER.at + 1, PAGES.length);
    back.disabled = BINDER.at === 0;
    next.disabled = BINDER.at === PAGES.length - 1;
  };
  return { parts: [back, count, next, choice], draw };
}

function makeToggle(words, act) {
  const box = Object.assign(make('input', ''), { type: 'checkbox' });
  box.addEventListener('change', () => act(box.checked));
  return { box, label: make('label', '', box, ` ${words}`) };
}

function presentAll(isOn) {
  current().page.present(isOn);
  if (isOn) document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) document.exitFullscreen();
  current().frame.contentWindow.focus();
}

// On a narrow screen one document is seen, and the bar has a tab for each.
function makeTabs(TEXT) {
  const buttons = PAGES.map(({ title }, i) => makeButton(title, () => {
    look(i);
    current().page.goToStep(current().page.steps.at);
    show();
  }));
  const list = make('div', 'documents', ...buttons);
  list.setAttribute('role', 'group');
  list.setAttribute('aria-label', TEXT.documents);
  return { list, draw: () => buttons.forEach((button, i) => button.setAttribute('aria-pressed', i === BINDER.at)) };
}

function makeBesideBar({ TEXT }) {
  const act = (name) => () => current().page[name]();
  const step = (by) => () => { const { page } = current(); page.goToStep(page.steps.at + by); };
  const output = make('output', ''), tabs = makeTabs(TEXT);
  const undo = makeButton(TEXT.undo, act('undo')), redo = makeButton(TEXT.redo, act('redo')), reset = makeButton(TEXT.reset, act('asItCame'));
  const presenting = makeToggle(TEXT.present, presentAll);
  const backward = makeToggle(TEXT.backward, (isOn) => current().page.setBackward(isOn));
  backward.label.hidden = !PAGES.every(({ page }) => page.hasGradients());
  const legend = make('span', 'legend', PAGES.length > 2 ? TEXT.differsMarkOfMany : TEXT.differsMark);
  legend.title = TEXT.comparing;
  const draw = (page) => {
    const { at, sections } = page.steps;
    output.textContent = TEXT.stepOf(at + 1, sections.length, sections[at].dataset.step);
    undo.disabled = reset.disabled = !page.canUndo();
    redo.disabled = !page.canRedo();
    presenting.box.checked = page.isPresenting();
    backward.box.checked = page.isBackward();
    tabs.draw();
  };
  return { draw, parts: [makeButton('‹', step(-1), TEXT.previous), output, makeButton('›', step(1), TEXT.next),
    make('span', 'edits', undo, redo, reset), backward.label, presenting.label, tabs.list, legend, make('p', 'note', TEXT.reachesAll)] };
}

// A key that is pressed up here means what it means in the page below.
function passOn(event) {
  const { contentDocument: { body }, contentWindow: { KeyboardEvent: Key } } = current().frame;
  if (event.target.matches('input:not([type=checkbox]), select')) return;
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  const there = new Key('keydown', { key, altKey, ctrlKey, metaKey, shiftKey, bubbles: true, cancelable: true });
  if (!body.dispatchEvent(there)) event.preventDefault();
}

function startBar() {
  const { page } = current();
  BINDER.bar = IS_BESIDE ? makeBesideBar(page) : makeChainBar(page);
  const bar = make('nav', 'bar', make('h1', 'unseen', document.title), ...BINDER.bar.parts);
  bar.setAttribute('aria-label', page.TEXT.documents);
  document.body.prepend(bar);
  document.addEventListener('mousemove', wake);
  document.addEventListener('keydown', passOn);
}

// ---- on paper: each page as it stands, its title, which is in its bar, above it ----

function preparePaper() {
  for (const { page, frame, article, title } of opened()) {
    const heading = IS_BESIDE ? [make('h1', '', title)] : [];
    page.preparePaper();
    article.replaceChildren(...heading, ...[...frame.contentDocument.body.children].map((child) => document.importNode(child, true)));
    page.clearPaper();
  }
}

// ---- all of it ----

globalThis.selfattnBinder = {
  isBeside: IS_BESIDE,
  titleOf: (inside) => pageOf(inside).title,
  enter: (inside, page) => {
    const one = pageOf(inside), others = (all, but) => all.filter((other) => other !== but);
    one.page = page;
    listen(one);
    if (!IS_BESIDE || opened().length < PAGES.length) return;
    const pages = PAGES.map((other) => other.page);
    pages.forEach((other, i) => other.startComparing(others(pages, other), i === 0 ? pages.slice(1) : [pages[0]]));
  },
  turn,
  show,
};

// For people's own scripts: those of the pages, as a page alone has them.
globalThis.selfattn = { pages: () => PAGES.map(({ page }) => page && page.scripts) };

// What was changed is changed again as it was: what followed follows.
function startBeside() {
  const { edits } = partsOfAddress();
  alignSteps();
  PAGES.forEach((one, at) => open(one, hashOf(at)));
  for (const { at, said } of edits) PAGES[at]?.page.repeatEdit(said);
  look(Math.max(0, PAGES.findIndex(({ page }) => page.steps.at > 0)));
  const { page } = current();
  if (page.steps.at > 0) page.goToStep(page.steps.at);
}

function start() {
  BINDER.stage = make('div', 'stage');
  BINDER.stage.setAttribute('role', 'main');
  document.body.append(BINDER.stage);
  document.body.classList.add('scripted');
  tellApart();
  if (IS_BESIDE) startBeside();
  else {
    const { at } = partsOfAddress();
    open(PAGES[at], hashOf(at));
    look(at);
  }
  startBar();
  BINDER.isReady = true;
  show();
  wake();
  current().frame.contentWindow.focus();
  addEventListener('hashchange', followAddress);
  addEventListener('beforeprint', preparePaper);
}

start();
