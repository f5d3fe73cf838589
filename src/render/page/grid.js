// One grid for all of the page: a bar of one row on top, the map on the left (map.js), and of each
// step its story in the middle and its matrices on the right. page.css says how wide, and what of it
// a phone has.

const MENU = { element: null };

// What stands among a step's matrices. A sentence that leads to a table, or is about it, goes with it.
const MATRICES = 'figure, .unseen, .other-heads, .tokens';

function isOfMatrices(child) {
  const next = child.nextElementSibling;
  return child.matches(MATRICES) ||
    Boolean(next && next.matches('figure') && child.matches('p:not(.line, .formula)') && child.textContent.endsWith(':'));
}

function partOf(section, name) {
  const there = section.querySelector(`:scope > .${name}`);
  if (!there) section.append(makeElement('div', name));
  return there || section.lastChild;
}

function matricesOf(section) {
  return partOf(section, 'matrices');
}

// A step as it came, or what has opened in one: below its heading the two parts, in their order.
function layOut(section) {
  const story = partOf(section, 'story'), matrices = matricesOf(section);
  for (const child of [...section.children].slice(1)) {
    if (child !== story && child !== matrices && !child.matches('.question')) story.append(child);
  }
  matrices.append(...[...story.children].filter(isOfMatrices));
  section.classList.toggle('plain', matrices.children.length === 0);
}

// One line until it is asked for: what the document says of itself, and a house, of which the map has
// the floors.
function fold(words, elements) {
  if (elements.length === 0) return;
  const folded = makeElement('details', 'about', makeElement('summary', '', words));
  elements[0].before(folded);
  folded.append(...elements);
}

function foldHead() {
  fold(TEXT.about, [...document.querySelectorAll('header > p:not(.whole)')]);
  fold(TEXT.house, [...document.querySelectorAll('.picture.house')]);
}

// ---- the menu: all that a lesson does not need at hand ----

function startMenu(bar, ...parts) {
  MENU.element = makeElement('details', 'menu', makeElement('summary', '', '⋯'), makeElement('div', '', ...parts));
  MENU.element.firstChild.setAttribute('aria-label', TEXT.menu);
  bar.append(MENU.element);
  document.addEventListener('click', (event) => {
    if (!MENU.element.contains(event.target)) MENU.element.open = false;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') MENU.element.open = false;
  });
}

function addToMenu(...parts) {
  MENU.element.lastChild.append(...parts);
}

// The words of help stand at the end of the menu, one paragraph for each kind of help.
function addHelp(words) {
  MENU.element.lastChild.append(makeElement('p', 'note', words));
}

// Matrices stay in sight next to a long story; those that are taller than the screen, by their end.
function sayHeights(changes) {
  for (const { target } of changes) target.style.setProperty('--tall', `${target.offsetHeight}px`);
}

function startGrid() {
  const watch = new ResizeObserver(sayHeights);
  foldHead();
  for (const section of document.querySelectorAll('section[data-step]')) {
    layOut(section);
    watch.observe(matricesOf(section));
  }
}
