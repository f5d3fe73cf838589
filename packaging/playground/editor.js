// The document's editor: a text area whose letters have their colours from what lies below it, its
// lines' numbers, marks where a message says that something is wrong, and completion.

const at = (id) => document.getElementById(id);
const EDITOR = { area: at('document'), marks: [], list: [], chosen: 0, token: null };
const MOST_COLOURED = 50000; // letters; beyond, each key pressed would take too long
const MOST_CHOICES = 200;

function element(name, properties = {}, ...inside) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
}

// ---- what it looks like ----

function kindOf(tokens, i) {
  const { word } = tokens[i];
  if (isKey(tokens, i)) return 'key';
  if (word[0] === '"') return 'string';
  return /^[{}[\],:]$/.test(word) ? '' : 'number';
}

function paint() {
  const text = EDITOR.area.value, lines = text.split('\n'), parts = [];
  const wrong = new Set(EDITOR.marks.map(({ line }) => line));
  const numbers = lines.map((line, i) =>
    element('span', { className: wrong.has(i + 1) ? 'wrong' : '' }, `${i + 1}\n`));
  at('numbers').replaceChildren(...numbers);
  const isPainted = text.length <= MOST_COLOURED;
  EDITOR.area.classList.toggle('painted', isPainted);
  let done = 0;
  const tokens = isPainted ? tokensOf(text) : [];
  tokens.forEach(({ word, at: from, end }, i) => {
    const isWrong = EDITOR.marks.some(({ place }) => place >= from && place < end);
    const kind = kindOf(tokens, i) + (isWrong ? ' wrong' : '');
    if (kind === '') return;
    parts.push(text.slice(done, from), element('span', { className: kind }, word));
    done = end;
  });
  const isAtEnd = EDITOR.marks.some(({ place }) => place >= text.length);
  const end = element('span', { className: isAtEnd ? 'wrong end' : '' }, ' ');
  parts.push(isPainted ? text.slice(done) : '', end, '\n');
  at('colours').replaceChildren(...parts);
  followScroll();
}

function followScroll() {
  const { scrollLeft, scrollTop } = EDITOR.area;
  at('colours').style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
  at('numbers').style.transform = `translateY(${-scrollTop}px)`;
}

// marks: {line, column, place}.
function mark(marks) {
  const isSame = JSON.stringify(marks) === JSON.stringify(EDITOR.marks);
  EDITOR.marks = marks;
  if (!isSame) paint();
}

function write(text) {
  Object.assign(EDITOR, { marks: [] }).area.value = text;
  EDITOR.area.scrollTop = EDITOR.area.scrollLeft = 0;
  paint();
}

function goTo(place) {
  const { area } = EDITOR;
  const token = tokensOf(area.value).find((one) => place >= one.at && place < one.end);
  area.focus();
  area.setSelectionRange(place, token?.end ?? place);
  const { left, top, height } = caretAt(place);
  area.scrollTop += top - area.clientHeight / 2 + height / 2;
  if (left < 0 || left > area.clientWidth) area.scrollLeft += left - area.clientWidth / 2;
}

// In the text area's own pixels.
function caretAt(place) {
  const { area } = EDITOR, looks = getComputedStyle(area);
  const before = area.value.slice(0, place).split('\n');
  const pen = document.createElement('canvas').getContext('2d'), height = parseFloat(looks.lineHeight);
  pen.font = looks.font;
  return {
    left: parseFloat(looks.paddingLeft) + pen.measureText(before.at(-1)).width - area.scrollLeft,
    top: parseFloat(looks.paddingTop) + (before.length - 1) * height - area.scrollTop, height,
  };
}

// ---- completion ----

function closeChoices() {
  at('choices').hidden = true;
  EDITOR.list = [];
  EDITOR.area.removeAttribute('aria-activedescendant');
}

function offer(isAsked) {
  const { area } = EDITOR, place = area.selectionStart;
  if (area.selectionEnd !== place || area.value.length > MOST_COLOURED) return closeChoices();
  const { token, list } = choicesAt(area.value, place);
  // By itself only where a word has begun.
  if (list.length === 0 || !(isAsked || place > token.at)) return closeChoices();
  Object.assign(EDITOR, { token, list: list.slice(0, MOST_CHOICES), chosen: 0 });
  at('choices').replaceChildren(...EDITOR.list.map(({ name, help }, i) => {
    const one = element('li', { id: `choice-${i}` }, element('b', {}, name), element('span', {}, help));
    one.setAttribute('role', 'option');
    one.addEventListener('mousedown', (event) => {
      event.preventDefault();
      EDITOR.chosen = i;
      take();
    });
    return one;
  }));
  const { left, top, height } = caretAt(token.at), popup = at('choices');
  const room = area.clientHeight - top - height;
  popup.hidden = false;
  popup.style.left = `${Math.max(0, Math.min(left, area.clientWidth - popup.offsetWidth))}px`;
  popup.style.top = `${room < popup.offsetHeight && top > room ? top - popup.offsetHeight : top + height}px`;
  choose(0);
}

function choose(by) {
  const { list } = EDITOR;
  EDITOR.chosen = (EDITOR.chosen + by + list.length) % list.length;
  for (const [i, one] of Array.from(at('choices').children).entries())
    one.setAttribute('aria-selected', i === EDITOR.chosen);
  EDITOR.area.setAttribute('aria-activedescendant', `choice-${EDITOR.chosen}`);
  at('choices').children[EDITOR.chosen].scrollIntoView({ block: 'nearest' });
}

function take() {
  const { area, token, list, chosen } = EDITOR, { text, isKey: isOne } = list[chosen];
  const goesOn = /^\s*:/.test(area.value.slice(token.end));
  area.setSelectionRange(token.at, token.end);
  // What was there can be had back: only this command is undone by the browser.
  document.execCommand('insertText', false, isOne && !goesOn ? `${text}: ` : text);
  closeChoices();
}

const KEYS = {
  ArrowDown: () => choose(1), ArrowUp: () => choose(-1), Enter: take, Tab: take, Escape: closeChoices,
};

function begunEditor(changed) {
  const { area } = EDITOR;
  area.addEventListener('input', () => {
    EDITOR.marks = [];
    paint();
    offer(false);
    changed();
  });
  area.addEventListener('scroll', () => {
    followScroll();
    closeChoices();
  });
  area.addEventListener('blur', closeChoices);
  area.addEventListener('click', closeChoices);
  area.addEventListener('keydown', (event) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (event.key === ' ' && event.ctrlKey) offer(true);
    else if (isPlain && !at('choices').hidden && KEYS[event.key]) KEYS[event.key]();
    else {
      if (event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End') closeChoices();
      return;
    }
    event.preventDefault();
  });
}
