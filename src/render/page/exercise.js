// Exercises (--blank): cells to type in, checked with the tolerance of the digits asked for.
// The first wrong answer shows the formula, the second one the arithmetic.

// Half a unit of the last decimal, and a little for what binary fractions can't hold; a number with
// an exponent is given to five digits.
function toleranceOf(text) {
  const unit = text.includes('e') ? Math.abs(numberOf(text)) * 1e-4 : 10 ** -DIGITS;
  return 0.5 * unit * (1 + 1e-6);
}

// NaN where nothing is typed, or no number.
function answerIn(typed) {
  return typed.trim() === '' ? NaN : numberOf(typed.trim().replace(',', '.').replace('−', '-'));
}

function isRight(typed, text) {
  const answer = answerIn(typed);
  if (Number.isNaN(answer)) return false;
  const wanted = numberOf(text);
  if (!Number.isFinite(wanted)) return answer === wanted;
  return Math.abs(answer - wanted) <= toleranceOf(text);
}

function makeInput(place, cell) {
  const input = document.createElement('input');
  input.inputMode = 'decimal';
  input.autocomplete = 'off';
  input.setAttribute('aria-label', TEXT.answer(roomOf(place.map) + nameOf(place)));
  cell.replaceChildren(input);
  return { input, place, tries: 0 };
}

function judge(blank) {
  const right = isRight(blank.input.value, textOf(blank.place));
  blank.input.className = right ? 'right' : 'wrong';
  blank.input.setAttribute('aria-invalid', !right);
  if (!right) blank.tries++;
  return right;
}

// What helps with the first cell that is wrong.
function help(exercise, blank) {
  exercise.help.replaceChildren(`${TEXT.hint} `);
  if (blank.tries < 2) exercise.help.append(formulaOf(blank.place));
  else exercise.help.append(numbersLine(blank.place, arithmeticOf(blank.place)));
}

function check(exercise) {
  const wrong = exercise.blanks.filter((blank) => !judge(blank));
  const right = exercise.blanks.length - wrong.length;
  exercise.score.textContent = ` ${TEXT.rightOf(right, exercise.blanks.length)} `;
  exercise.help.replaceChildren();
  if (wrong.length > 0) help(exercise, wrong[0]);
}

function makeExercise(map, shown) {
  const exercise = { blanks: [], score: document.createElement('output'),
    help: makeElement('div', 'hint') };
  exercise.help.append(TEXT.digits(DIGITS));
  exercise.help.setAttribute('aria-live', 'polite');
  for (let row = 0; row < map.rows.length; row++) {
    for (let column = 0; column < map.columns.length; column++) {
      const place = { map, head: shown.head, row, column }, cell = cellIn(shown, place);
      if (cell) exercise.blanks.push(makeInput(place, cell));
    }
  }
  shown.table.setAttribute('role', 'table');
  shown.table.closest('figure').append(makeButton(TEXT.check, () => check(exercise)),
    exercise.score, exercise.help);
}

// ---- answers as a file, which selfattn check --answers reads ----

function answerAt(place) {
  const cell = elementsOf(place)[0], answer = cell ? answerIn(cell.firstElementChild.value) : NaN;
  if (Number.isNaN(answer)) return null;
  return Number.isFinite(answer) ? answer : String(answer);
}

// The map as the stage of its name, with null where nothing is typed or asked for.
function answersTo(map) {
  const rowsOf = (head) => range(0, map.rows.length, (row) =>
    range(0, map.columns.length, (column) => answerAt({ map, head, row, column })));
  if (map.focus) return answersInFocus(map, rowsOf(0));
  return map.heads > 1 ? range(0, map.heads, rowsOf) : rowsOf(0);
}

// What belongs to one query of one head, among all queries of all heads.
function answersInFocus({ focus, a: { map } }, rows) {
  const nothing = rows.map((row) => row.map(() => null));
  const queriesOf = (head) => MAPS[map].rows.map((label, query) =>
    (head === focus.head && query === focus.row ? rows : nothing));
  return focus.heads > 1 ? range(0, focus.heads, queriesOf) : queriesOf(0);
}

function saveAnswers() {
  const maps = [...SHOWN.keys()].filter((map) => map.blank && map.stage);
  const answers = Object.fromEntries(maps.map((map) => [fullName(map), answersTo(map)]));
  if (DATA.command) answers._command = DATA.command;
  if (DATA.batch) answers._batch = DATA.batch;
  const file = new Blob([JSON.stringify(answers), '\n'], { type: 'application/json' });
  const name = DATA.document.replace(/[^\p{L}\p{N}._-]+/gu, '-');
  Object.assign(document.createElement('a'),
    { href: URL.createObjectURL(file), download: TEXT.answersFile(name) }).click();
}

function startExercises() {
  const blanks = [...SHOWN].filter(([map]) => map.blank);
  for (const [map, tables] of blanks) tables.forEach((shown) => makeExercise(map, shown));
  if (blanks.length > 0) STEPS.bar.append(makeButton(TEXT.save, saveAnswers));
}
