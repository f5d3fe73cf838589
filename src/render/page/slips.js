// What a wrong answer is, where one slip alone gives it: the rules of selfattn check --answers
// (answer.c).

function mapsMadeOf(map, found = new Set()) {
  for (const name of OPERANDS) {
    const operand = map[name] && MAPS[map[name].map];
    if (!operand || operand.room !== map.room || found.has(operand)) continue;
    found.add(operand);
    mapsMadeOf(operand, found);
  }
  return found;
}

function isOfSameCells(one, other) {
  return one !== other && one.room === other.room && !one.focus && one.cells && one.heads === other.heads &&
    one.slices === other.slices && ['rows', 'columns'].every((axis) => one[axis].join('\n') === other[axis].join('\n'));
}

// A number that its matrix has twice is no cell's own.
function isOwn(place) {
  const { map, head } = place, text = textOf(place);
  return range(0, map.rows.length, (row) => rowOf(map, head, row)).flat().filter((one) => one === text).length === 1;
}

function placesElsewhere({ map, head, row, column }) {
  const turned = { map, head, row: column, column: row }, before = mapsMadeOf(map);
  const heads = range(0, map.heads, (other) => ({ map, head: other, row, column }));
  const named = (other) => (before.has(other) ? 'slipBefore' : mapsMadeOf(other).has(map) ? 'slipAfter' : 'slipOther');
  const at = MAPS.indexOf(map), like = MAPS.filter((other) => isOfSameCells(other, map));
  const cells = [
    ...range(0, map.rows.length, (other) => ({ slip: 'slipRow', place: { map, head, row: other, column } })),
    ...range(0, map.columns.length, (other) => ({ slip: 'slipColumn', place: { map, head, row, column: other } })),
  ].filter(({ place }) => map.slices <= 1 && (place.row !== row || place.column !== column));
  const near = [...like.filter((other) => MAPS.indexOf(other) < at).reverse(), ...like.filter((other) => MAPS.indexOf(other) > at)];
  return [
    ...(row !== column && column < map.rows.length && row < map.columns.length && map.slices <= 1
      ? [{ slip: 'slipTurned', place: turned }] : []),
    ...heads.filter((other) => other.head !== head).map((place) => ({ slip: 'slipHead', place })),
    ...near.map((other) => ({ slip: named(other), place: { map: other, head, row, column } })),
    ...cells,
  ].filter(({ place }) => isKept(place.map, place.head, place.row));
}

// What is done on the way from one map to the other, where that has a word.
function doneBetween(before, after) {
  const maps = [...mapsMadeOf(after), after].filter((map) => map.done && map.a && MAPS[map.a.map] === before);
  return maps.length > 0 ? maps.at(-1).done : '';
}

// The name of the sentence, and what is done.
function sentenceOf({ slip, place }, of) {
  const done = slip === 'slipBefore' ? doneBetween(place.map, of.map) : slip === 'slipAfter' && place.map.done;
  return done ? [{ slipBefore: 'slipNotYet', slipAfter: 'slipLater' }[slip], done] : [slip, ''];
}

// exp or weights of the scores as they are before scaling; NaN where that is not asked.
function ofUnscaled({ map, head, row, column }) {
  const named = (name) => MAPS.find((other) => other.room === map.room && other.name === name);
  const scores = named('scores'), masked = named('masked');
  if (!scores?.cells || !named('scaled') || !['exp', 'weights'].includes(map.name) || !isKept(scores, head, row)) return NaN;
  const hides = (j) => masked?.cells && rowOf(masked, head, row)[j] === '-inf';
  const numbers = rowOf(scores, head, row).map((text, j) => (hides(j) ? -Infinity : numberOf(text)));
  const most = Math.max(...numbers), powers = numbers.map((number) => Math.exp(number - most));
  return map.name === 'exp' ? powers[column] : powers[column] / powers.reduce((sum, one) => sum + one, 0);
}

function decimalsRight(answer, wanted) {
  return range(1, DIGITS, (fewer) => DIGITS - fewer)
    .find((decimals) => Math.abs(answer * 10 ** decimals - Math.round(wanted * 10 ** decimals)) <= 1e-6);
}

// The sentence, or nothing.
function slipOf(typed, place) {
  const answer = answerIn(typed), wanted = exactNumber(place);
  const isNumber = (number, at = place) => isWithin(answer, number, textOf(at));
  const decimals = Number.isFinite(wanted) && decimalsRight(answer, wanted);
  if (decimals) return TEXT.slipDecimals(decimals, DIGITS);
  if (!Number.isFinite(answer) || answer === 1 || isNumber(0)) return '';
  const found = [
    ...(isNumber(-wanted) ? [{ slip: 'slipSign' }] : []),
    ...(place.map.share && isWithin(answer / 100, wanted, textOf(place)) ? [{ slip: 'slipPercent' }] : []),
    ...placesElsewhere(place).filter((other) => isNumber(numberOf(textOf(other.place)), other.place) &&
      (['slipBefore', 'slipAfter'].includes(other.slip) || isOwn(other.place))),
    ...(isNumber(ofUnscaled(place)) ? [{ slip: 'slipUnscaled' }] : []),
  ];
  const [first] = found, isOne = first && found.every(({ slip }) => slip === first.slip);
  if (!isOne) return '';
  const [name, done] = sentenceOf(first, place), { row, column } = first.place || place;
  const meant = Number((first.slip === 'slipPercent' ? answer / 100 : -answer).toPrecision(12));
  const words = TEXT[name];
  return typeof words === 'string' ? words
    : words(typed, first.place && nameOf(first.place), done, meant, row + 1, column + 1);
}
