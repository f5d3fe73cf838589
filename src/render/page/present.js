// In front of a class: one step fills the screen, its story on the left and its matrices on the right,
// the map as a strip on top. A key reveals the next part of the story, and then goes on to the next
// step. Nothing is taller than the screen: parts that were read make room, and of a matrix that is too
// tall the rows about the focus stay, and that is said.

const PRESENT = { isOn: false, box: null, revealed: 1, rest: 0 };
const STILL = 2000; // milliseconds without the mouse until the bar goes

function storyOf(section) {
  return [...section.querySelector(':scope > .story').children].filter((part) => !part.hidden &&
    !part.matches('.note, .saving, .paper'));
}

// ---- what of a step fits ----

function isTooTall(part) {
  return part.scrollHeight > part.clientHeight + 1;
}

// What was left out of a step's part comes back.
function bringRowsBack(room) {
  for (const one of room.querySelectorAll('.rows-shown')) one.remove();
  for (const one of room.querySelectorAll('.beyond')) one.classList.remove('beyond');
}

// The part that is new is at the end; those before it stay as long as there is room. Of one that is
// too tall by itself, its tables lose rows, the tallest first.
function fitStory(section) {
  const story = section.querySelector(':scope > .story');
  bringRowsBack(story);
  const parts = storyOf(section);
  parts.forEach((part, i) => {
    part.classList.toggle('later', i >= PRESENT.revealed);
    part.classList.remove('earlier');
  });
  for (let i = 0; i < PRESENT.revealed - 1 && isTooTall(story); i++) parts[i]?.classList.add('earlier');
  const part = parts[PRESENT.revealed - 1], tables = part ? [part, ...part.querySelectorAll('table')].filter((one) => one.matches('table')) : [];
  for (const table of tables.sort((one, other) => other.rows.length - one.rows.length)) leaveRowsOut(table, story);
}

// Rows go from the end that is further from the focus.
function leaveRowsOut(figure, room) {
  const all = [...figure.querySelectorAll('tbody > tr:not(.sum)')], at = Math.max(0, all.findIndex((row) => row.matches('.focus')));
  let first = 0, last = all.length - 1;
  if (!isTooTall(room) || last <= 0) return;
  const note = makeElement('p', 'note rows-shown', TEXT.rowsShown(...Array(3).fill(all.length))); // it takes room, too, and no more of it later
  (figure.closest('.product') || (figure.matches('table') ? figure.createCaption() : figure)).append(note);
  while (isTooTall(room) && last > first) {
    if (last - at >= at - first) all[last--].classList.add('beyond');
    else all[first++].classList.add('beyond');
  }
  note.textContent = TEXT.rowsShown(first + 1, last + 1, all.length);
}

// The result, which is the last, first of all; then as many of the others as fit, from the last.
function fitMatrices(section) {
  const room = section.querySelector(':scope > .matrices'), all = [...room.children].filter((one) => !one.hidden);
  bringRowsBack(room);
  for (const one of all) one.classList.add('later');
  const figures = all.filter((one) => one.matches('figure')).reverse();
  for (const one of [...figures, ...all.filter((other) => !figures.includes(other))]) {
    one.classList.remove('later');
    if (one === figures[0]) leaveRowsOut(one, room);
    else if (isTooTall(room)) one.classList.add('later');
  }
}

function fitStep() {
  if (!PRESENT.isOn) return;
  const section = STEPS.sections[STEPS.at];
  fitStory(section);
  fitMatrices(section);
}

// ---- going on ----

// Whether there was a part of this step to reveal, or to take back.
function reveal(by) {
  const most = storyOf(STEPS.sections[STEPS.at]).length, to = PRESENT.revealed + by;
  if (!PRESENT.isOn || to < 1 || to > most) return false;
  PRESENT.revealed = to;
  fitStep();
  return true;
}

// Forwards a step begins with its first part, backwards with all of them.
function presentStep(by) {
  PRESENT.revealed = by < 0 ? Math.max(1, storyOf(STEPS.sections[STEPS.at]).length) : 1;
  fitStep();
}

// ---- the bar comes with the mouse ----

function wakeBar() {
  clearTimeout(PRESENT.rest);
  document.body.classList.remove('still');
  if (PRESENT.isOn) PRESENT.rest = setTimeout(() => document.body.classList.add('still'), STILL);
}

function present(isOn) {
  PRESENT.isOn = PRESENT.box.checked = isOn;
  document.body.classList.toggle('presenting', isOn);
  if (STEPS.single.checked !== isOn) STEPS.single.click();
  markStep();
  if (isOn) presentStep(1);
  else document.querySelectorAll('.later, .earlier, .beyond').forEach((one) => one.classList.remove('later', 'earlier', 'beyond'));
  wakeBar();
  sayAddress();
  tell((peer) => peer.present(isOn));
}

function presentByBox() {
  const { fullscreenElement, documentElement } = screenDocument(), isOn = PRESENT.box.checked;
  PRESENT.box.blur(); // the keys are for the steps
  present(isOn);
  if (isOn) documentElement.requestFullscreen?.().catch(() => {});
  else if (fullscreenElement) screenDocument().exitFullscreen();
}

function startPresenting() {
  const { box, label } = makeToggle(TEXT.present, presentByBox);
  PRESENT.box = box;
  STEPS.tools.append(label);
  PRESENT.isOn = partsOfAddress().isPresented; // and the address keeps it until it is followed
  screenDocument().addEventListener('fullscreenchange', () => {
    if (!screenDocument().fullscreenElement && PRESENT.isOn) present(false);
  });
  document.addEventListener('mousemove', wakeBar);
  window.addEventListener('resize', fitStep);
  addView(document.body, () => true, fitStep); // an edit makes matrices wider
}
