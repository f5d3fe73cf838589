// The way back on the page: a switch that puts below each number its gradient and turns the diagram's
// arrows round; and in a number's panel what its gradient comes from, and what a nudge of it does.

// arrows: of a path how it came; ways: of a link where it leads, there and back.
const BACKWARD = { isOn: false, box: null, arrows: new Map(), ways: new Map() };

function hasGradients() {
  return MAPS.some(gradientOf);
}

// ---- below the numbers of tables ----

// Where a cell has its own number: of one with a gradient it is the part above that.
function ownOf(cell) {
  return cell.querySelector(':scope > .own') || cell;
}

function withSign(text) {
  return (numberOf(text) > 0 ? '+' : '') + inTable(text);
}

function clearGradient(cell) {
  if (!cell.classList.contains('graded')) return;
  cell.replaceChildren(ownOf(cell).textContent);
  cell.classList.remove('graded');
}

// Of a cell that is not being typed into.
function showGradient(cell, place, greatest = greatestOf(place.map, place.head)) {
  if (cell.querySelector('input')) return;
  if (ownOf(cell) === cell)
    cell.replaceChildren(makeElement('span', 'own', cell.textContent), document.createElement('small'));
  cell.classList.add('graded');
  cell.lastChild.textContent = withSign(textOf(place));
  cell.lastChild.className = levelOf(place.map, numberOf(textOf(place)), greatest);
}

// Parts of worked lines have their numbers alone.
function showGradients(map, shown) {
  const gradient = gradientOf(map);
  if (!gradient || shown.table.matches('.part')) return;
  const heads = shown.cut ? range(0, map.heads, Number) : [shown.head];
  const greatest = Math.max(...heads.map((head) => greatestOf(gradient, head)));
  [...shown.body.rows].forEach((line, down) => {
    const first = labelsIn(line);
    [...line.cells].slice(first).forEach((cell, right) => {
      const place = placeOfSlot(shown, map, down, right), of = place && gradientAt(place);
      if (!BACKWARD.isOn) clearGradient(cell);
      else if (of) showGradient(cell, of, greatest);
    });
  });
}

// ---- the arrows of the diagram ----

// The head that a path ends with goes to its begin: to the left, or of what comes up there down.
function turnedRound(path) {
  const [, begin, line, x] = /^(M[\d.]+ [\d.]+)(.*?)m(-\d+) .*$/.exec(path);
  return `${begin}${line}${begin}${x === '-4' ? 'm-4 -7l4 7l4 -7' : 'm7 -4l-7 4l7 4'}`;
}

function turnArrows() {
  for (const path of document.querySelectorAll('.picture path')) {
    if (!BACKWARD.arrows.has(path)) BACKWARD.arrows.set(path, path.getAttribute('d'));
    const came = BACKWARD.arrows.get(path);
    path.setAttribute('d', BACKWARD.isOn ? turnedRound(came) : came);
  }
}

// ---- the rooms of the house ----

// The way back through a room has one of its own, to which the house leads while "backward" is on.
function takeRoomsBack() {
  for (const link of document.querySelectorAll('.house a[data-room]')) {
    const { way, name } = DATA.rooms[link.dataset.room], back = way || name !== 'output' ? `${name}_grad` : 'loss';
    const room = DATA.rooms.findIndex((one) => one.way === way && one.name === back);
    const section = document.querySelector(`section[data-room="${room}"]`);
    if (!section) continue;
    link.dataset.back = room;
    BACKWARD.ways.set(link, [link.getAttribute('href'), `#${section.id}`]);
  }
}

function leadBack() {
  for (const [link, hrefs] of BACKWARD.ways) link.setAttribute('href', hrefs[Number(BACKWARD.isOn)]);
}

// ---- the switch ----

function showBackward(isOn) {
  BACKWARD.isOn = BACKWARD.box.checked = isOn;
  for (const [map, all] of SHOWN) {
    for (const shown of all) [shown, ...shownAside(shown)].forEach((one) => showGradients(map, one));
  }
  turnArrows();
  leadBack();
}

function setBackward(isOn) {
  if (typeof isOn !== 'boolean') throw new Error(TEXT.notABoolean(isOn));
  if (!hasGradients()) throw new Error(TEXT.noGradients);
  showBackward(isOn);
  sayAddress();
  tell((peer) => peer.setBackward(isOn));
}

function backwardByKey(event) {
  const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey;
  if (event.key !== 'b' || !isPlain || event.target.matches('input:not([type=checkbox], [type=range]), select')) return;
  setBackward(!BACKWARD.isOn);
}

function startBackward() {
  if (!hasGradients()) return;
  const { box, label } = makeToggle(TEXT.backward, () => setBackward(box.checked));
  BACKWARD.box = box;
  takeRoomsBack();
  label.title = TEXT.backwardKey;
  STEPS.tools.append(label);
  addHelp(TEXT.goingBack);
  document.addEventListener('keydown', backwardByKey);
  if (partsOfAddress().isBackward) showBackward(true); // and the address keeps edits that are not made yet
}

// ---- in the panel ----

function makeShare(share, greatest) {
  return makeElement('small', `share ${levelOf({}, share, greatest)}`, withSign(textOfNumber(share)));
}

function linkToName(place) {
  return linkTo(place, () => nameOf(place));
}

// The cells that it went into, each with what comes back from it.
function blamesLine(place) {
  const all = blamesOf(place), greatest = Math.max(...all.map(({ share }) => Math.abs(share)));
  const terms = all.map((one) => [', ', linkToName(one.place), ' ', makeShare(one.share, greatest)]);
  const some = terms.length > MOST_TERMS ? [...terms.slice(0, FIRST_TERMS), [', …'], ...terms.slice(-LAST_TERMS)] : terms;
  const line = makeElement('p', 'blames', `${TEXT.wentInto} `, ...some.flat().slice(1));
  if (terms.length > MOST_TERMS) line.append(` ${TEXT.terms(terms.length)}`);
  return all.length > 0 ? [line] : [];
}

// What a page knows with all digits once its numbers can be changed.
function isLive() {
  if (!EDITOR.bar) return false;
  try {
    takeAll();
  } catch {
    return false;
  }
  return true;
}

function blameFor(place) {
  const of = gradientAt(place);
  if (!of) return [];
  const made = arithmeticOf(of), line = partsLine(of, made.parts, resultOf(of));
  if (made.count > MOST_TERMS) line.append(` ${TEXT.terms(made.count)}`);
  return [makeElement('h4', '', TEXT.blamedFor), line, ...isLive() ? blamesLine(of) : []];
}

function sayNudge(place, line) {
  const { step, wide, more, less, quotient } = nudgeOf(place), of = gradientAt(place);
  const digits = DATA.type === 'f32' ? 7 : 16, isLoss = Boolean(partsOfLoss().loss);
  const text = (x, count) => writtenOut(String(Number(x.toPrecision(count))));
  line.replaceChildren(TEXT.nudged(nameOf(place), text(step, 6), isLoss ? TEXT.theLoss : TEXT.theProduct,
    text(more, digits + 1), text(less, digits + 1), text(wide, 6)), ' ',
  makeElement('b', 'quotient', text(quotient, digits - 2)), '. ',
  ...of ? [`${TEXT.besides} `, linkTo(of, () => text(valueOf(of), digits - 2)), '. '] : [],
  ...nudgedWith(place.map).length < sameAs(place.map).length ? [`${TEXT.nudgedHere} `] : [],
  TEXT.nudgeDigits(digits));
  placePanel(place);
  PANEL.element.scrollTop = line.offsetTop; // on a phone the panel has no room for all of it
}

function nudgeFor(place) {
  if (!hasGradients() || !isLive() || !isNudged(place)) return [];
  const line = makeElement('p', 'nudged'), button = makeButton(TEXT.nudge, () => attempt(() => sayNudge(place, line)));
  button.title = TEXT.nudgeHelp;
  return [makeElement('p', 'saving', button), line];
}
