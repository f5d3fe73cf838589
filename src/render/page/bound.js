// A page among others, in a binder (render/binder/binder.js). Side by side its steps and its changes go
// together with theirs, and what differs is marked. Alone, all of this does nothing.

// holder: what holds the pages, and whether they stand side by side; title: this one's among them;
// peers: the others that it goes together with, as they offer themselves below; compared: those of them
// that it is compared with; isFollowing: what happens here follows from what happened there; views: of
// what differs.
const BOUND = { holder: globalThis.frameElement?.ownerDocument.defaultView.selfattnBinder, title: '',
  peers: [], compared: [], isFollowing: false, views: [] };

function isBeside() {
  return Boolean(BOUND.holder?.isBeside);
}

// What is done here is done by the others too.
function tell(act) {
  if (BOUND.isFollowing) return;
  for (const peer of BOUND.peers) peer.heed(() => act(peer));
}

function heed(act) {
  BOUND.isFollowing = true;
  try {
    act();
  } finally {
    BOUND.isFollowing = false;
  }
}

// What fills the screen.
function screenDocument() {
  return BOUND.holder ? globalThis.frameElement.ownerDocument : document;
}

// ---- steps ----

// One part further, or one step; at either end of a chained page to the next one.
function goOnward(by) {
  const to = STEPS.at + by, isBeyond = !(to in STEPS.sections);
  const revealed = [reveal(by), ...BOUND.peers.map((peer) => peer.reveal(by))];
  if (revealed.some((isSo) => isSo)) return;
  if (isBeyond && BOUND.holder && !isBeside()) BOUND.holder.turn(by, true);
  else goToStep(to);
}

// How far down on the screen the step is that is read: peers have it there too.
function placeOfStep() {
  return { at: STEPS.at, top: STEPS.sections[STEPS.at].getBoundingClientRect().top };
}

function alignStep({ at, top }) {
  const section = STEPS.sections[at];
  unfold(section);
  scrollBy(0, section.getBoundingClientRect().top - top);
}

// ---- changes ----

function isSame(a, b) {
  return typeof a === 'number' ? Object.is(a, b) : JSON.stringify(a) === JSON.stringify(b);
}

// A switch is thrown only where it stands otherwise, and so stood as the other one; of a key that is
// hidden or shown that is looked at.
function isSightChanged({ said, room }) {
  const [, row, column, maySee] = /^mask-\d+-(\d+)-(\d+)(?:-\d+)?=(\d)$/.exec(said) || [];
  return row === undefined || isMasked(mapsThatSee(room)[0], 0, Number(row), Number(column)) === (maySee === '1');
}

// A row that is worked out is looked for in both; anything else is common where it was the same in
// both before. Learning is each document's own.
function isCommon(made, change, rooms) {
  const { way } = rooms[change.room] || {};
  if (made.what === 'focus') return made.to.row < mapsThatSee(roomInFocus())[0]?.rows.length;
  const wasSame = made.what === 'sight' ? isSightChanged(made) : isSame(made.from, change.from);
  return made.what !== 'train' && wasSame && (change.room === undefined || DATA.rooms[change.room].way === way);
}

function asHere(change, rooms) {
  try {
    return editsIn(textOfChange(change)).flatMap((make) => make()).filter((made) => isCommon(made, change, rooms));
  } catch {
    return []; // here is no such number, or it may not be so
  }
}

// What is not common is a change of nothing here, so that undoing goes together.
function follow(changes, isMerged, rooms) {
  if (!EDITOR.bar) return; // nothing can be changed here
  takeAll();
  const own = changes.flatMap((change) => asHere(change, rooms)), last = lastOf(EDITS.done);
  if (isMerged && (last.length === 0 || own.length === 0)) return;
  if (isMerged) last[0].to = own[0].to;
  else EDITS.done.push(Object.assign(own, { isFollowed: true }));
  EDITS.undone = [];
  together((fresh) => take(own, false, fresh));
}

function tellEdit(changes, isMerged) {
  tell((peer) => peer.follow(changes, isMerged, DATA.rooms));
}

// ---- what differs ----

const CALLED = new Map();

function mapCalled(name) {
  if (CALLED.size === 0) for (const map of MAPS) CALLED.set(fullName(map), map);
  return CALLED.get(name);
}

// The other page's number of the same name and place, or undefined; compared are texts, as they stand
// on the pages.
function textElsewhere(peer, { map, head, row, column }) {
  const other = peer.mapCalled(fullName(map));
  return other && hasSameSize(map, other) ? peer.rowOf(other, head, row)?.[column] : undefined;
}

function isShownWhole(map) {
  return Boolean(map?.cells) && !map.only && !isHidden({ map });
}

function hasSameSize(map, other) {
  return isShownWhole(map) && isShownWhole(other) && map.heads === other.heads &&
    map.rows.length === other.rows.length && map.columns.length === other.columns.length;
}

function differsAt(place) {
  return BOUND.compared.some((peer) => {
    const other = textElsewhere(peer, place);
    return other !== undefined && other !== textOf(place);
  });
}

// Parts of worked lines are numbers of tables.
function showDifferences(map, shown) {
  if (!isBeside() || shown.table.matches('.part') || !isShownWhole(map)) return;
  [...shown.body.rows].forEach((line, down) => {
    const first = labelsIn(line);
    [...line.cells].slice(first).forEach((cell, right) => {
      const place = placeOfSlot(shown, map, down, right);
      if (place) cell.classList.toggle('differs', differsAt(place));
    });
  });
}

function countDifferences(map, other, peer) {
  let count = 0;
  for (let head = 0; head < map.heads; head++) {
    for (const row of map.rows.keys()) {
      const there = peer.rowOf(other, head, row);
      count += rowOf(map, head, row).filter((text, column) => text !== there[column]).length;
    }
  }
  return count;
}

function sizeText(map) {
  return [...map.heads > 1 ? [map.heads] : [], map.rows.length, map.columns.length].join(' × ');
}

// "12 of 16 weights differ.", and of matrices that are not alike their sizes. Where there is but one
// other page, its name goes without saying.
function differencesOf(maps, peer) {
  const isOnly = BOUND.compared.length === 1, pairs = maps.map((map) => [map, peer.mapCalled(fullName(map))])
    .filter(([map, other]) => isShownWhole(map) && isShownWhole(other));
  const sizes = pairs.filter((pair) => !hasSameSize(...pair))
    .map(([map, other]) => TEXT[isOnly ? 'otherSize' : 'otherSizeIn'](map.name, sizeText(map), sizeText(other), peer.title));
  const counts = pairs.filter((pair) => hasSameSize(...pair)).map(([map, other]) => [countDifferences(map, other, peer), map])
    .filter(([count]) => count > 0).map(([count, map]) => TEXT.someOf(count, sizeOf(map), map.name)).join(', ');
  if (!counts && sizes.length === 0) return isOnly ? TEXT.nothingDiffers : TEXT.nothingDiffersFrom(peer.title);
  return [...counts ? [isOnly ? TEXT.differ(counts) : TEXT.differFrom(counts, peer.title)] : [], ...sizes].join(' ');
}

// The matrices that a step makes, and not those that it takes.
function mapsMadeIn(section) {
  return MAPS.filter((map) => `step-${map.step}` === section.id && map.room === Number(section.dataset.room));
}

function sentenceOfDifferences(section, peer) {
  if (peer.isAbsent(STEPS.sections.indexOf(section))) return TEXT.noStep(peer.title);
  return differencesOf(mapsMadeIn(section), peer);
}

function addSentences(section) {
  const maps = mapsMadeIn(section), line = makeElement('p', 'differing');
  const draw = () => {
    line.textContent = section.matches('.absent') ? TEXT.noStep(BOUND.title)
      : BOUND.compared.map((peer) => sentenceOfDifferences(section, peer)).join(' ');
  };
  section.firstElementChild.after(line);
  addView(line, (changed) => maps.some((map) => changed.has(map)), draw);
  BOUND.views.push(lastOf(SCREEN));
  draw();
}

function compareTable(map, shown) {
  if (BOUND.compared.length === 0) return;
  BOUND.views.push({ element: shown.table, takes: (maps) => maps.has(map), draw: () => showDifferences(map, shown) });
  showDifferences(map, shown);
}

// In the panel of a number.
function elsewhereOf(place) {
  return BOUND.compared.map((peer) => [peer, isBeside() ? textElsewhere(peer, place) : undefined])
    .filter(([, text]) => text !== undefined)
    .map(([peer, text]) => makeElement('p', 'note', text === textOf(place) ? TEXT.sameAs(peer.title)
      : TEXT.elsewhere(peer.title, writtenOut(text))));
}

// After a change there: what shows these here may differ otherwise.
function compareAgain(names, isAll) {
  const maps = new Set(MAPS.filter((map) => names.has(fullName(map))));
  for (const view of BOUND.views.filter((one) => isAll || one.takes(maps))) {
    if (IN_SIGHT.has(view.element)) bringUp(view);
    else STALE.add(view);
  }
  refreshLater();
}

function tellShown(maps, isAll) {
  const names = new Set([...maps].map(fullName));
  for (const peer of BOUND.compared) peer.compareAgain(names, isAll);
}

// ---- in the binder ----

// Called once all pages of a comparison are there.
function startComparing(peers, compared) {
  Object.assign(BOUND, { peers, compared });
  for (const [map, all] of SHOWN) for (const shown of all) compareTable(map, shown);
  STEPS.sections.forEach(addSentences);
}

// What the address says of changes here, one after the other; '' where something only followed.
function textsOfEdits() {
  return EDITS.done.map((changes) => (changes.isFollowed ? '' : changes.map(textOfChange).join(';')));
}

function repeatEdit(text) {
  for (const make of editsIn(text)) attempt(() => edit(make()));
}

function startBound() {
  if (!BOUND.holder) return;
  const title = BOUND.title = BOUND.holder.titleOf(globalThis);
  if (isBeside()) {
    const heading = document.querySelector('h1'), formula = document.querySelector('.whole');
    heading.textContent = title;
    STEPS.bar.prepend(heading, ...formula ? [formula] : []);
  }
  BOUND.holder.enter(globalThis, { title, TEXT, steps: STEPS, anchor: anchorInAddress, goToStep, reveal, alignStep,
    placeOfStep, present, isPresenting: () => PRESENT.isOn, undo, redo, follow, heed, mapCalled, rowOf, compareAgain, startComparing,
    isAbsent: (at) => STEPS.sections[at].matches('.absent'),
    canUndo: () => EDITS.done.length > 0, canRedo: () => EDITS.undone.length > 0, asItCame, textsOfEdits, repeatEdit,
    setBackward, hasGradients, isBackward: () => BACKWARD.isOn, preparePaper, clearPaper, scripts: OWN_SCRIPTS });
}
