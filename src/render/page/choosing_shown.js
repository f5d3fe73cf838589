// The sentence of a generation, word by word: a reader puts another one anywhere, in the sentence on top
// or where a step chooses it, and the steps after it follow.

// One for the whole page: an input per word leads to it.
function makeWordList() {
  const list = makeElement('datalist', '', ...DATA.choices.ids.map((nothing, id) => new Option(wordOfId(id))));
  list.id = 'words';
  return list;
}

// As wide as its word.
function makeWordInput(place) {
  const input = document.createElement('input');
  input.setAttribute('list', 'words');
  Object.assign(input, { autocomplete: 'off', className: 'word' });
  input.setAttribute('aria-label', TEXT.wordAt(place + 1));
  const show = () => {
    input.value = nameAt(place);
    input.size = Math.max(3, [...input.value].length);
    input.classList.toggle('changed', EDITS.done.length > 0 && input.value !== CHOSEN.names[place]);
  };
  input.addEventListener('focus', () => input.select());
  input.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Escape') show();
  });
  input.addEventListener('change', () => {
    attempt(() => edit(chooseWord(place, idNamed(input.value))));
    show();
  });
  addView(input, () => true, show);
  show();
  return input;
}

function makeSentence() {
  const { first } = DATA.choices, words = range(0, countOfPlaces(), makeWordInput);
  words.slice(first).forEach((input) => input.classList.add('made'));
  return makeElement('div', 'sentence screen', ...words, makeElement('p', 'note', TEXT.choosing));
}

// Why the step has this id now, once the page is not as it came.
function whyChosen(step) {
  const maps = CHOSEN.steps[step], named = Object.fromEntries(maps.map((map) => [wayInStep(map), map]));
  const place = DATA.choices.first + step, word = wordOfId(nextOf(named)), isPut = CHOSEN.ids.has(place);
  const said = named.drawn ? TEXT.nextDrawn(word) : TEXT.nextGreatest(word);
  return isPut ? `${TEXT.nextPut(nameAt(place))} ${said}` : said;
}

// Its sentences and lines are of the id that came.
function addChoice(step) {
  const map = CHOSEN.steps[step].find(({ name }) => name === 'choice'), section = document.getElementById(`step-${map.step}`);
  if (!section) return;
  const came = [...section.querySelectorAll('.story > p')], now = makeElement('p', '');
  section.querySelector('.story').prepend(now);
  const show = () => {
    const isOther = EDITS.done.length > 0;
    came.forEach((one) => one.classList.toggle('gone', isOther));
    now.classList.toggle('gone', !isOther);
    if (isOther) now.textContent = whyChosen(step);
  };
  addView(now, () => true, show);
  show();
  partOf(section, 'story').append(makeElement('label', 'control', TEXT.putHere, ' ', makeWordInput(DATA.choices.first + step)));
}

// Labels of tables, which call rows and keys by their words.
function nameTable({ map, axis, first }, shown) {
  const labels = labelsOfTable(shown)[axis] || [];
  labels.forEach((label, slot) => {
    const index = indexAt(shown[axis], slot);
    if (label && index >= 0 && label.textContent && !isOfPlace(label)) label.textContent = labelNow(nameAt(first + index));
  });
}

function startNames() {
  for (const named of CHOSEN.labels) {
    for (const shown of tablesOf(named.map)) {
      addView(shown.table, () => true, () => {
        if (EDITS.done.length + EDITS.undone.length > 0) nameTable(named, shown);
      });
    }
  }
  DATA.rooms.forEach(({ name }, room) => {
    const shape = name === 'choice' && document.querySelector(`.house a[data-room="${room}"] .shape`);
    if (shape) addView(shape, () => true, () => { shape.textContent = labelNow(nameAt(DATA.choices.first + stepOfRoom(room))); });
  });
}

// The map's floors are called "step 1: cat".
function nameFloors() {
  document.querySelectorAll('.map details > summary').forEach((summary, step) => {
    summary.textContent = summary.textContent.replace(/: .*$/, `: ${labelNow(nameAt(DATA.choices.first + step))}`);
  });
}

function showChosen(maps) {
  nameSteps();
  nameFloors();
  showEdits(maps);
}

const OF_WORDS = {
  nodes: () => OWN_SCRIPTS.nodes(), get: numberNamed, undo, redo, reset: asItCame, pin: () => pin(),
  words: () => range(0, countOfPlaces(), nameAt),
  choose: (place, id) => edit(chooseWord(place, typeof id === 'string' ? idNamed(id) : id)),
};

function startWords(main) {
  takeSteps();
  document.body.append(makeWordList());
  document.querySelector('header').append(makeSentence());
  CHOSEN.steps.forEach((nothing, step) => addChoice(step));
  main.addEventListener('dblclick', (event) => { if (placeAt(event.target)) markEdits(TEXT.wordsOnly); });
  document.addEventListener('keydown', undoByKey);
}
