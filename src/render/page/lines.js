// Worked lines, written anew as the program writes them (render/expression.c): what is computed, in
// letters, with the numbers, and what comes out.

const LINES = new Map(); // by element: what it was, the words before its numbers, a setting of its layer

// A worked line's numbers have the minus of the tables; − is a sign of arithmetic.
function linkInLine(part) {
  return typeof part === 'string' ? part : linkTo(part, inTable);
}

function placeSaid(words) {
  const [map, head, row, column] = words.split(' ').map(Number);
  return { map: MAPS[map], head, row, column };
}

// The program's rule: trace/steps_scores.c, build_first_clipped.
function firstCut(place) {
  const { a, b, c, operation, columns, slices } = place.map, width = columns.length / slices;
  const [sums, clip] = operation === 'clip' ? [a, b] : [b, c];
  const first = place.column - place.column % width, all = range(first, first + width, (column) => ({ ...place, column }));
  const isCut = (one) => Math.abs(valueOf(partsOf(sums, one)[0])) > TYPE.round(valueOf(partsOf(clip, one)[0]));
  return all.find(isCut) || all[0];
}

// Once numbers can be others.
function placeOfLine(line) {
  const place = placeSaid(line.dataset.cell), isClipped = ['clip', 'clip_back'].includes(place.map.operation);
  return isClipped && EDITS.order ? firstCut(place) : place;
}

// A row of what is looked up is called by what it was looked up by, "id 4": it goes with the rows of x,
// and a position or a segment stays.
function rowSaid(of, row) {
  return (of.calledNow || of.called)?.[GROUPS.some((group) => group.of().includes(of)) ? rowBefore(of, 'rows', row) : row] ?? String(row + 1);
}

function namedOperands(map) {
  return OPERANDS.map((name) => map[name]).filter((one) => one)
    .map((one) => ({ at: one.at, goes: one.goes, of: MAPS[one.map], name: one.as ?? MAPS[one.map].name }));
}

// The first cell of what is taken of an operand.
function firstTaken(name, place) {
  const letter = OPERANDS.find((one) => place.map[one] && (place.map[one].as ?? MAPS[place.map[one].map].name) === name);
  const { map, first } = strandOf(place.map[letter], place);
  return cellAt(map, first);
}

// Of a column that is taken whole, which one: heads may share it, and a head by itself counts its own
// (trace/derivation.c, add_column).
function columnTaken(name, place) {
  return place.map.heads > 1 ? place.column : firstTaken(name, place).column;
}

// "q[2]·k[1] = ", where the letters are of places and say no more than that. The columns of a weight
// whose heads lie side by side count on over all of them, others in their own.
function lettersOf(place, ofHead) {
  const { map, row, column: ofAll } = place;
  const { letters, operation, b } = map, others = letters.replace(/^Σ |[\w.]+\[[^\]]*\]|scale|slope|\b[pj]\b/g, '');
  if (!['dot', 'times', 'plus', 'copy', 'add_up'].includes(operation) || /\p{L}/u.test(others)) return '';
  const column = operation === 'dot' && MAPS[b.map].slices > 1 ? ofAll : ofHead, operands = namedOperands(map);
  return letters.replace(/([\w.]+)\[(?:i,|·,|(\d+),)?j\]|\bi\b|\bj\b/g, (words, name, learned) => {
    if (!name) return { i: row + 1, j: column + 1 }[words];
    const of = operands.find((one) => one.name === name)?.of, width = of && of.columns.length / of.slices;
    if (of?.isRowAHead) return `${name}[${Math.floor(ofAll / width) + 1},${ofAll % width + 1}]`;
    if (learned) return `${name}[${learned},${firstTaken(name, place).column + 1}]`;
    if (words.endsWith('[·,j]')) return `${name}[·,${columnTaken(name, place) + 1}]`;
    if (words.endsWith('[j]')) return `${name}[${(of?.rows.length > 1 ? firstTaken(name, place).row : column) + 1}]`;
    return `${name}[${of?.called ? `${rowSaid(of, row)}, ` : `${row + 1},`}${column + 1}]`;
  });
}

// Which column of an operand a letter means: its own of a head that lies as the cell's do, else of all
// (trace/derivation.c, add_column).
function columnSaid(of, name, place) {
  const isAlike = of.slices === place.map.slices && of.rows.length > 1;
  return (isAlike ? inHead(place) : firstTaken(name, place)).column + 1;
}

// The letters that came, of another row or column: "q[1,1]·cos(angle[1,1])". Only operands that go with
// the row of the cell are of another one, and of another column those that go with that.
function lettersMoved(letters, place, came) {
  const literally = (words) => words.replace(/\W/g, '\\$&'), { row } = place;
  const isMoved = ({ at, goes, of }) => of.calledNow || goes === '.j' || (at.row && of.rows.length > 1);
  return namedOperands(place.map).filter(isMoved).reduce((words, { at, goes, of, name }) => {
    const [now, before] = [place, came].map((one) => (/^[i.]j$/.test(goes) ? columnSaid(of, name, one) : inHead(one).column + 1));
    if (goes === '.j')
      return words.replace(new RegExp(`(?<![\\w.])${literally(`${name}[${before}]`)}`, 'g'), `${name}[${now}]`);
    const from = literally(`${name}[${of.called ? of.called[came.row] : came.row + 1}`);
    return words.replace(new RegExp(`(?<![\\w.])${from}(?:(,)${before})?(?=[,\\]])`, 'g'), (whole, comma) =>
      `${name}[${rowSaid(of, row)}${comma ? `,${at.column ? now : before}` : ''}`);
  }, letters);
}

// "scores[2,1] = q[2]·k[1]": as it came, or of another query or head, or of rows that were moved.
function headOfLine(line) {
  const { head, cell } = LINES.get(line), place = placeOfLine(line), camePlace = placeSaid(cell);
  const [left, ...came] = wordsOf(head).split(' = '), letters = came.join(' = '), moved = lettersMoved(letters, place, camePlace);
  if (line.dataset.cell === cell && place.column === camePlace.column) return moved === letters ? [...head] : mathematics(`${left} = ${moved}`);
  const { map, row } = place, { index, column } = inHead(place);
  const number = map.isColumn ? row + 1 : `${row + 1},${column + 1}`;
  const ofHead = left.endsWith(TEXT.inHead(inHead(placeNow(camePlace)).index + 1)) ? TEXT.inHead(index + 1) : '';
  const said = came.length > 0 && (lettersOf(place, column) || moved);
  const name = left.startsWith(`${map.name}[`) ? `${map.name}[${number}]${ofHead}`
    : ofHead ? `${map.name}${ofHead}` : left;
  return mathematics(`${name}${said ? ` = ${said}` : ''}`);
}

// ---- what is inside, worked out ----

const INSIDE = {
  cap: ({ a, b }) => [tangent(TYPE, TYPE.round(valueOf(a[0]) / valueOf(b[0])))],
  additive: ({ a, b, d }) => a.map((x, i) => {
    const sum = TYPE.round(valueOf(x) + valueOf(b[i]));
    return tangent(TYPE, d ? TYPE.round(sum + valueOf(d[i])) : sum);
  }),
  normalize: ({ b, c }) =>
    [b.reduce((sum, x) => sum + valueOf(x) * valueOf(x), 0) / b.length + valueOf(c[0])],
};

class InnerPrinter extends Printer {
  constructor(operands, place) {
    super(operands, place);
    this.inside = INSIDE[place.map.operation](operands);
  }

  place(name) {
    if (name === 'inner') this.add(inTable(textOfNumber(this.inside[this.term])), this.inside[this.term] < 0, false);
    else super.place(name);
  }
}

function innerOf(place, operands) {
  const spelled = DATA.insides[place.map.operation];
  if (!spelled) return [];
  const printer = new InnerPrinter(operands, place);
  printer.print(spelled);
  return [' = ', ...printer.parts.map(linkInLine)];
}

// ---- kinds of lines ----

// Weights that are rounded to many decimals are shown with more of them than other numbers.
function roundedTexts(from, to) {
  const decimals = decimalsOf(to.map.room), isShort = !DATA.trims || decimals < DIGITS;
  return isShort ? [inTable(textOf(from)), inTable(textOf(to))]
    : [fixed(valueOf(from), decimals + 2), fixed(valueOf(to), decimals)];
}

function cellLine(line, head = headOfLine(line)) {
  const place = placeOfLine(line), { map } = place, operands = operandsOf(place);
  const result = inTable(textOf(place));
  if (map.operation === 'round') {
    const [from, to] = roundedTexts(operands.a[0], place);
    return [...head, ': ', from, ' → ', to];
  }
  const isItself = ['copy', 'beside'].includes(map.operation) || (map.operation === 'sum' && operands.a.length === 1 && !operands.c);
  const { parts, count } = isItself ? { parts: [] } : spelledOut(place, operands);
  const more = count > MOST_TERMS ? ` ${(map.operation === 'max' ? TEXT.numbers : TEXT.terms)(count)}` : '';
  return [...head, ...parts.length > 0 ? [' = ', ...parts.map(linkInLine)] : [], ...innerOf(place, operands),
    ' = ', `${result}${more}`];
}

// A layer's setting is its cross-attention's too, unless that has one of its own.
function settingOfLayer(map) {
  const [layers, layer, cross, ...key] = wayOf(map) || [];
  return cross === 'cross' ? MAPS.find((one) => String(wayOf(one)) === String([layers, layer, ...key])) : undefined;
}

// What was given, or follows from a size: once it is another one, the page's document gives it.
function settingLine(line) {
  const place = placeOfLine(line), { nodes, head, ofLayer } = LINES.get(line), [name] = wordsOf(head).split(' = ');
  const isOfLayer = ofLayer && isChanged(ofLayer) && !isByRoot(ofLayer);
  if (isByRoot(place.map) && isChanged(place.map) && !isOfLayer) return [...head, ` = 1/√${widthOfRoot(place.map.room)} = `, inTable(textOf(place))];
  const isGiven = isChanged(place.map) || isOfLayer;
  return !isGiven && line.dataset.cell === LINES.get(line).cell ? nodes : [name, ' = ', inTable(textOf(place))];
}

function wordsOf(nodes) {
  return nodes.map((node) => node.textContent).join('');
}

function varianceLine(line) {
  const { map, head } = placeOfLine(line), size = map.rows.length * map.columns.length;
  const numbers = NUMBERS.get(map).subarray(head * size, (head + 1) * size);
  const mean = numbers.reduce((sum, x) => sum + x / size, 0);
  const variance = numbers.reduce((sum, x) => sum + (x - mean) * (x - mean), 0) / size;
  return [renamed(wordsOf(LINES.get(line).head), map.room, map.heads), ' = ', inTable(textOfNumber(variance))];
}

// What of a query's weight its sink has.
function shareLine(line) {
  const place = placeOfLine(line), sum = { ...place, map: mapsOf(place.map.room).find((one) => one.name === 'row_sum') };
  const words = `${wordsOf(LINES.get(line).head).replace(/\[\d+\]$/, '')}[${place.row + 1}]`;
  return [...mathematics(words), ' = ', linkTo(place, inTable), ' / ', linkTo(sum, inTable), ' = ',
    inTable(textOfNumber(valueOf(place) / valueOf(sum)))];
}

function listOfLinks(places) {
  const links = places.map((place) => [', ', linkTo(place, inTable)]), isLong = places.length > MOST_TERMS;
  const some = isLong ? [...links.slice(0, FIRST_TERMS), [', …'], ...links.slice(-LAST_TERMS)] : links;
  return ['[', ...some.flat().slice(1), ']'];
}

// A row of numbers in one line: weights[1,2]·v[2] = 0.5·[1, 2] = [0.5, 1].
function rowLine(line) {
  const { map, row } = placeOfLine(line), [a, b] = [map.a, map.b].map((of) => MAPS[of.map].name);
  const places = map.columns.map((nothing, column) => ({ map, head: 0, row, column })), operands = places.map(operandsOf);
  const query = map.focus.row + 1, key = row + 1, [weight] = operands[0].a;
  const isNegative = valueOf(weight) < 0, number = linkTo(weight, inTable);
  return [`${map.name.split('[')[0]}[${query},${key}] = ${a}[${query},${key}]·${b}[${key}] = `,
    ...isNegative ? ['(', number, ')'] : [number], '·', ...listOfLinks(operands.map((one) => one.b[0])),
    ' = ', ...listOfLinks(places)];
}

function hiddenLine(line) {
  const place = placeOfLine(line), { map, row, column } = place;
  return [`${map.name}[${row + 1},${column + 1}]: `, linkTo(operandsOf(place).a[0], inTable), ' → ', inTable(textOf(place))];
}

// ---- the lines of masked: one for each key whose score is changed, as many as are spelled out ----

function isSpelled(place) {
  const { map, column } = place;
  return valueOf(place) === -Infinity || (Boolean(map.b || map.c) && column < keysThere(map));
}

// The program's rule: trace/steps_scores.c, show_masked_row.
function countSpelled(place, end) {
  return range(0, end, (column) => ({ ...place, column })).filter(isSpelled).length;
}

function isSpelledOut(place) {
  return isSpelled(place) && countSpelled(place, place.column) < (DATA.lines ?? Infinity);
}

function maskedLine(line) {
  const place = placeOfLine(line), { map, row, column } = place;
  if (valueOf(place) === -Infinity) return hiddenLine(line);
  return cellLine(line, mathematics(`${map.name}[${row + 1},${column + 1}] = ${lettersOf(place, column)}`));
}

function drawMasked(line) {
  const { nodes } = LINES.get(line), isAsItCame = EDITS.done.length === 0;
  line.hidden = isAsItCame ? nodes.length === 0 : !isSpelledOut(placeOfLine(line));
  line.replaceChildren(...isAsItCame ? nodes : line.hidden ? [] : maskedLine(line));
}

// Those of keys that may be hidden yet wait, empty, where they belong.
function addMasked(map) {
  const [shown] = tablesOf(map), { row, head } = DATA.rooms[map.room].focus, figure = shown?.table.closest('figure');
  if (!figure) return;
  const lines = map.columns.map((nothing, column) => {
    const cell = [MAPS.indexOf(map), headAmong(map.heads, head, map.room), row, column].join(' ');
    const made = makeElement('p', 'line');
    Object.assign(made.dataset, { cell, shows: 'masked' });
    return figure.closest('section').querySelector(`.line[data-cell="${cell}"]`) || made;
  });
  const there = lines.find((line) => line.isConnected), mark = document.createComment('');
  const rest = figure.closest('section').querySelector('[data-while=more]');
  (there || rest || figure).before(mark);
  mark.replaceWith(...lines);
  for (const line of lines) line.dataset.shows = 'masked';
}

// ---- the strongest keys: the program's rule is attn/engine/rows.c, statistics_top ----

const TOP = /^top\[\d+,(\d+)\]/;

// Those that have a weight, of equal ones the earlier first.
function keysByStrength(place) {
  const weightOf = (column) => valueOf({ ...place, column });
  return [...place.map.columns.keys()].filter((column) => weightOf(column) > 0)
    .sort((one, other) => weightOf(other) - weightOf(one));
}

// Undefined: no more keys have a weight.
function keyAtTop(line) {
  return keysByStrength(placeOfLine(line))[TOP.exec(wordsOf(LINES.get(line).head))[1] - 1];
}

function topLine(line) {
  const place = placeOfLine(line), { map, row } = place, key = keyAtTop(line), number = key + 1;
  if (key === undefined) return [];
  const [, rank] = TOP.exec(wordsOf(LINES.get(line).head));
  return [...mathematics(`top[${row + 1},${rank}] is key ${number}${nameIn(map, 'columns', key)}: weights[${row + 1},${number}]`),
    ' = ', inTable(textOf({ ...place, column: key }))];
}

const MADE_LINES = { cell: cellLine, setting: settingLine, variance: varianceLine, share: shareLine, row: rowLine,
  hidden: hiddenLine, top: topLine };

// ---- what is said only while something is so, of the query and head in focus ----

// On the way back through layers, of the room there, which has the same way to it.
function rowInFocus(room, name) {
  const full = DATA.rooms[room].way + name, { row, head } = focusOf(room);
  const map = MAPS.find((one) => fullName(one) === full);
  return { map, head: headAmong(map.heads, head, room), row, column: 0 };
}

// The program's rules: trace/steps_values.c, make_softmax and make_statistics, trace/steps_back.c,
// say_saturated, and the one of the lines of masked.
const WHILE = {
  seen: (room) => valueOf(rowInFocus(room, 'row_sum')) !== 0,
  unseen: (room) => valueOf(rowInFocus(room, 'row_sum')) === 0,
  more: (room) => {
    const place = rowInFocus(room, 'masked');
    return countSpelled(place, place.map.columns.length) > DATA.lines;
  },
  top: (room, line) => keyAtTop(line) !== undefined,
  strong: (room) => keysByStrength(rowInFocus(room, 'weights')).length > 0,
  weak: (room) => WHILE.seen(room) && !WHILE.strong(room),
  sure: (room) => {
    const place = rowInFocus(room, 'weights');
    return place.map.columns.some((_, column) => valueOf({ ...place, column }) >= 0.9999);
  },
};

function startWhile() {
  for (const one of document.querySelectorAll('[data-while]')) {
    const room = Number(one.closest('section').dataset.room);
    const { while: holds } = one.dataset, of = rowInFocus(room, holds === 'more' ? 'masked' : 'weights').map;
    addView(one, (maps) => maps.has(of), () => { one.hidden = !WHILE[holds](room, one); });
  }
}

// ---- how many numbers a clip cuts, of all heads ----

// The program's rule and its words: trace/steps_scores.c, show_projection.
function startCuts() {
  for (const one of document.querySelectorAll('[data-clipped]')) {
    const { a, b } = MAPS[one.dataset.clipped], [sums, clip] = [a, b].map((of) => MAPS[of.map]);
    addView(one, (maps) => maps.has(sums) || maps.has(clip), () => {
      const all = NUMBERS.get(sums), most = TYPE.round(NUMBERS.get(clip)[0]);
      const cut = all.filter((x) => Math.abs(x) > most).length;
      one.lastChild.textContent = one.lastChild.textContent.replace(/\d+ of \d+/, `${cut} of ${all.length}`);
    });
  }
}

// ---- what the softmax takes, where a page came without a mask ----

// The program calls it masked then, and so does the page once something is hidden.
function withoutMask(map) {
  const of = ['max', 'exp'].includes(map.operation) && !map.made && MAPS[map.a.map];
  return of && of.name !== 'masked' ? of : null;
}

function isHiding(room) {
  const { causal, hidden } = sightOf(room);
  return causal || Boolean(hidden);
}

function lettersNow(map, letters) {
  const of = ALIVE.isNow && withoutMask(map);
  return of && isHiding(map.room) ? letters.replace(`${of.name}[`, 'masked[') : letters;
}

function addUnmasked(map) {
  const section = document.getElementById(`step-${map.step}`), of = withoutMask(map);
  const formulas = [...section?.querySelectorAll('.formula') || []].filter((one) => one.textContent.startsWith(`${map.name}[`));
  for (const formula of formulas) {
    const nodes = [...formula.childNodes], note = makeElement('p', 'note', TEXT.maskedHere(of.name));
    if (map.operation === 'max') formula.before(note);
    const draw = () => {
      note.hidden = !isHiding(map.room);
      formula.replaceChildren(...note.hidden ? nodes : mathematics(lettersNow(map, wordsOf(nodes))));
    };
    addView(formula, (maps) => maps.has(map), draw);
    draw();
  }
}

// As it came again, it is what it was.
function drawLine(line) {
  line.classList.toggle('gone', !isLineThere(line));
  if (!isLineThere(line)) return;
  if (line.dataset.shows === 'masked') {
    drawMasked(line);
    return;
  }
  const { nodes } = LINES.get(line), isAsItCame = EDITS.done.length === 0;
  line.replaceChildren(...isAsItCame ? nodes : MADE_LINES[line.dataset.shows || 'cell'](line));
}

function startLines() {
  MAPS.filter((map) => map.name === 'masked').forEach(addMasked);
  MAPS.filter(withoutMask).forEach(addUnmasked);
  for (const line of document.querySelectorAll('.line[data-cell]')) {
    const [first] = line.children, head = first?.matches('.head') ? [...first.childNodes] : [];
    if (head.length > 0) first.replaceWith(...head);
    const { map } = placeSaid(line.dataset.cell), ofLayer = line.dataset.shows === 'setting' && settingOfLayer(map);
    LINES.set(line, { nodes: [...line.childNodes], head, cell: line.dataset.cell, ofLayer });
    addView(line, (maps) => maps.has(map) || maps.has(ofLayer) || takesFrom(map, maps), () => drawLine(line));
    if (line.dataset.shows === 'masked') drawMasked(line);
  }
}
