// Exercises (--blank): cells to type in, and steps that open once what they go on with is right.
// Three hints help with a wrong answer: the formula, its operands, and the sum without its result. Once
// all is right, the page can be changed as any other; an answer stays as long as its number does.
// The page of an exam has no numbers to compare with: nothing is checked or opened, and answers are
// saved.

const EXERCISES = [];
const BLANKS = new Map(); // by the number asked for: of a large map it may be twice, in the table and in the row in focus

// ---- what is typed outlives a reload, where the browser allows it ----

const KEPT = { name: `selfattn answers ${location.pathname}`, typed: {} };

// A browser that forbids it throws at the mere name.
function loadTyped() {
  try {
    KEPT.typed = JSON.parse(localStorage.getItem(KEPT.name)) || {};
  } catch (forbidden) {
    KEPT.typed = {};
  }
}

function keepTyped(at, typed) {
  KEPT.typed[at] = typed;
  try {
    localStorage.setItem(KEPT.name, JSON.stringify(KEPT.typed));
  } catch (forbidden) {
    // the answers are on the page, and can be saved as a file
  }
}

// ---- one answer ----

// What the last decimal counts that is shown; of a large number, which is shown with an exponent, the
// last of its digits.
function lastDecimal(text) {
  const [, exponent] = text.split('e');
  return Math.max(10 ** -DIGITS, exponent ? 10 ** (Number(exponent) - 4) : 0);
}

// Within half of the last decimal that is shown, in whatever notation, and a little more: the rule of
// selfattn check --answers (answer.c, answer_is_right).
function isWithin(answer, wanted, text) {
  if (!Number.isFinite(wanted)) return answer === wanted;
  return Math.abs(answer - wanted) <= 0.5 * lastDecimal(text) * (1 + 1e-6) + 8 * 2 ** -23 * Math.abs(wanted);
}

function exactNumber({ map, head, row, column }) {
  return numberOf(rowOf(map, head, row, map.exact)[column]);
}

function isRight(typed, place) {
  return isWithin(answerIn(typed), exactNumber(place), textOf(place));
}

function makeBlank(place, shown, cell) {
  const input = document.createElement('input');
  input.autocomplete = 'off';
  input.setAttribute('aria-label', TEXT.answer(roomOf(place.map) + nameOf(place)));
  cell.replaceChildren(input);
  input.value = KEPT.typed[anchorOf(place)] || '';
  input.addEventListener('input', () => {
    keepTyped(anchorOf(place), input.value);
    mark({ input }, '');
  });
  const blank = { input, place, body: shown.body, tries: 0 }, at = anchorOf(place);
  BLANKS.set(at, [...BLANKS.get(at) || [], blank]);
  return blank;
}

function blanksAt(place) {
  return BLANKS.get(anchorOf(place)) || [];
}

function mark({ input }, className) {
  input.className = className;
  input.setAttribute('aria-invalid', className === 'wrong');
}

function isWrong(blank) {
  return blank.input.className === 'wrong';
}

function isNumber(typed) {
  return !Number.isNaN(answerIn(typed));
}

// Where nothing is typed yet, nothing is wrong; and what is no number costs no hint.
function judge(blank) {
  const typed = blank.input.value, right = isRight(typed, blank.place);
  mark(blank, right ? 'right' : typed.trim() === '' ? '' : 'wrong');
  if (right) SOLVED.add(anchorOf(blank.place));
  else if (isNumber(typed)) blank.tries++;
}

// "q 1, 0, 2", a link a number.
function operandLine(name, cells) {
  const line = makeElement('p', 'line', ...mathematics(name), ': ');
  cells.forEach((cell, i) => line.append(i > 0 ? ', ' : '', linkTo(cell)));
  return line;
}

// Where a number comes from; with which operands; the sum without its result.
const HINTS = [
  (place) => [formulaOf(place)],
  (place, made) => [...new Set(made.cells.map((cell) => cell.map))].map((map) =>
    operandLine(map.name, made.cells.filter((cell) => cell.map === map).slice(0, MOST_TERMS))),
  (place, made) => [partsLine(place, made.parts, '?')],
];

function isSolved({ place }) {
  return SOLVED.has(anchorOf(place));
}

// What is asked for and not yet known of these cells, or of what they wait for.
function mapsBefore(cells) {
  const unknown = cells.filter(isHidden).map((cell) => cell.map);
  const steps = new Set(unknown.flatMap((map) => (map.blank ? [] : DATA.waits[map.step])));
  return MAPS.filter((map) => unknown.includes(map) ? map.blank :
    map.blank && steps.has(map.step) && blanksIn(map).some((blank) => !isSolved(blank)));
}

// Which come first, and the operands that are known.
function hintOfUnknown({ map }, made, before) {
  const names = before.map((one) => (one.room === map.room ? '' : roomOf(one)) + one.name).join(', ');
  const known = { cells: made.cells.filter((cell) => !isHidden(cell)) };
  return [makeElement('p', 'line', ...mathematics(TEXT.first(names))), ...HINTS[1](null, known)];
}

// What helps with this cell, which is wrong; what has no operands has one hint.
function help(exercise, blank) {
  if (!isNumber(blank.input.value)) {
    exercise.help.replaceChildren(TEXT.noNumber(blank.input.value));
    return;
  }
  const made = arithmeticOf(blank.place), most = made.parts ? HINTS.length : 1;
  const number = Math.min(blank.tries, most), before = mapsBefore(made.cells);
  const slip = slipOf(blank.input.value, blank.place);
  exercise.help.replaceChildren(slip && makeElement('p', 'line', TEXT.slip(blank.input.value, slip)), TEXT.hint(number, most, nameOf(blank.place)), ' ',
    number === 1 ? TEXT.comesFrom : '', ...(number > 1 && before.length > 0
      ? hintOfUnknown(blank.place, made, before) : HINTS[number - 1](blank.place, made)));
}

// ---- what waits ----

function blanksIn(map) {
  return EXERCISES.filter((one) => one.map === map).flatMap((one) => one.blanks);
}

// A step that was asked for is right once all of its cells have been; one that has none never is.
function isAnswered(question) {
  const blanks = MAPS.filter((map) => map.blank && map.step === question).flatMap(blanksIn);
  return blanks.length > 0 && blanks.every(isSolved);
}

function openStep(section, items) {
  const made = document.createElement('template');
  made.innerHTML = mirror(items);
  section.querySelector('.closed').replaceWith(made.content);
  layOut(section);
  takeTables(section);
  markKeys(section);
}

// All that waited for nothing else, and says which steps these are.
function openSteps(exercise) {
  const before = Object.keys(DATA.waits).filter(isClosed);
  new Set(Object.values(DATA.waits).flat().filter(isAnswered)).forEach((one) => ANSWERED.add(one));
  const opened = before.filter((step) => !isClosed(step));
  if (opened.length === 0) return;
  const steps = opened.filter((step) => step in DATA.closed);
  for (const step of steps) openStep(document.getElementById(`step-${step}`), DATA.closed[step]);
  for (const map of MAPS.filter((one) => one.waits && opened.includes(one.step)))
    tablesOf(map).filter(({ rows, columns }) => !rows && !columns).forEach((shown) => fillHead(map, shown));
  startTokens();
  if (exercise && steps.length > 0) exercise.help.replaceChildren(TEXT.opened(steps.join(', ')));
}

// ---- once all is right ----

function isAllSolved() {
  return DATA.source !== undefined && EXERCISES.every(({ blanks }) => blanks.every(isSolved));
}

function comeAlive() {
  ALIVE.isNow = true;
  EXERCISES.forEach(({ map, shown }) => makeFocusable(shown, map));
}

// Which answer a cell shows: that of its place as it came, while the number is the same.
function answerOf(cell, place) {
  const { map } = place, blank = map.blank && blanksAt(place).find(({ body }) => body === cell.closest('tbody'));
  const isSame = blank && areTokensAsTheyCame() && (!map.focus || isFocusAsItCame(map.room)) &&
    Object.is(valueOf(place), cameIn(map)[indexOfPlace(place)]);
  return isSame ? blank.input : undefined;
}

// ---- all of them ----

function showScore(exercise) {
  const right = exercise.blanks.filter((blank) => blank.input.className === 'right').length;
  exercise.score.textContent = ` ${TEXT.rightOf(right, exercise.blanks.length)} `;
  exercise.help.replaceChildren();
  openSteps(exercise);
  if (ALIVE.isNow || !isAllSolved()) return;
  comeAlive();
  startEditing();
  if (EDITOR.bar) markEdits(TEXT.solved);
}

function check(exercise) {
  exercise.blanks.forEach(judge);
  showScore(exercise);
  const wrong = exercise.blanks.find(isWrong);
  if (wrong) help(exercise, wrong);
}

function isExam(exercise) {
  return !exercise.map.exact;
}

// Enter checks one answer; but for a wrong one it goes on to what is not yet right.
function enter(exercise, blank) {
  if (!isExam(exercise)) {
    judge(blank);
    showScore(exercise);
    if (isWrong(blank)) {
      help(exercise, blank);
      blank.input.select();
      return;
    }
  }
  const all = EXERCISES.flatMap((one) => one.blanks), at = all.indexOf(blank);
  const next = [...all.slice(at + 1), ...all.slice(0, at)]
    .find((one) => one.input.className !== 'right');
  if (next) next.input.focus();
}

// Those to be filled in; not what a worked line of a later step shows of it.
function blanksOf(map) {
  return map.blank ? tablesOf(map).filter((shown) => !shown.table.matches('.part')) : [];
}

function makeExercise(map, shown) {
  const exercise = { map, shown, blanks: [], score: document.createElement('output'),
    help: makeElement('div', 'hint') };
  exercise.help.append(TEXT.digits(DIGITS));
  exercise.help.setAttribute('aria-live', 'polite');
  for (let row = 0; row < map.rows.length; row++) {
    for (let column = 0; column < map.columns.length; column++) {
      const place = { map, head: shown.head, row, column }, cell = cellIn(shown, place);
      if (!cell) continue;
      const blank = makeBlank(place, shown, cell);
      blank.input.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') enter(exercise, blank);
      });
      exercise.blanks.push(blank);
    }
  }
  shown.table.setAttribute('role', 'table');
  const figure = shown.table.closest('figure');
  if (!isExam(exercise)) figure.append(makeButton(TEXT.check, () => check(exercise)), exercise.score);
  figure.append(exercise.help);
  EXERCISES.push(exercise);
}

// ---- answers as a file, which selfattn check --answers reads ----

// What is typed for a number. None where it is not asked for.
function typedFor(place) {
  const typed = blanksAt(place).map(({ input }) => input.value);
  return typed.find((one) => one.trim() !== '') || typed[0];
}

function answerAt(place) {
  const answer = answerIn(typedFor(place) || '');
  if (Number.isNaN(answer)) return null;
  return Number.isFinite(answer) ? answer : String(answer);
}

// The map as the stage of its name: what `at` says of each place.
function stageOf(map, at) {
  const rowsOf = (head) => range(0, map.rows.length, (row) =>
    range(0, map.columns.length, (column) => at({ map, head, row, column })));
  if (map.focus) return stageInFocus(map, rowsOf);
  return map.heads > 1 ? range(0, map.heads, rowsOf) : rowsOf(0);
}

// What belongs to one query of one head, among all queries of all heads.
function stageInFocus({ focus, a: { map } }, rowsOf) {
  const rows = rowsOf(0), nothing = rowsOf(-1); // no table shows that head
  const queriesOf = (head) => MAPS[map].rows.map((label, query) =>
    (head === focus.head && query === focus.row ? rows : nothing));
  return focus.heads > 1 ? range(0, focus.heads, queriesOf) : queriesOf(0);
}

// All maps that are asked for, as stages; next to one that is asked for in part, of which cells.
function answersOf(maps) {
  const answers = {};
  for (const map of maps) {
    const asked = stageOf(map, (place) => (typedFor(place) === undefined ? 0 : 1));
    answers[fullName(map)] = stageOf(map, answerAt);
    if (asked.flat(Infinity).includes(0)) answers[`_asked.${fullName(map)}`] = asked;
  }
  return answers;
}

function saveAnswers() {
  const maps = [...SHOWN.keys()].filter((map) => map.stage && blanksOf(map).length > 0);
  const answers = answersOf(maps);
  answers._document = DATA.document;
  if (DATA.command) answers._command = DATA.command;
  if (DATA.batch) answers._batch = DATA.batch;
  const who = KEPT.typed.name ? `-${inFileName(KEPT.typed.name)}` : '';
  saveFile(`${JSON.stringify(answers)}\n`, TEXT.answersFile(nameOfFile() + who), 'application/json');
}

// An exam has a place for a name, on paper too; the file that is saved is called after it.
function addName() {
  const input = makeElement('input', 'student');
  input.value = KEPT.typed.name || '';
  input.addEventListener('input', () => keepTyped('name', input.value));
  document.querySelector('header').append(makeElement('label', '', `${TEXT.student} `, input));
}

function startExercises() {
  const maps = [...SHOWN.keys()].filter((map) => blanksOf(map).length > 0);
  loadTyped();
  for (const map of maps) blanksOf(map).forEach((shown) => makeExercise(map, shown));
  // What was right before a reload is so after it.
  for (const { blanks } of EXERCISES.filter((one) => !isExam(one)))
    blanks.filter(({ input, place }) => isRight(input.value, place)).forEach(judge);
  if (DATA.closed) openSteps();
  if (DATA.waits && isAllSolved()) comeAlive();
  if (EXERCISES.some(isExam)) addName();
  if (maps.length > 0) STEPS.tools.append(makeButton(TEXT.save, saveAnswers));
}
