// Where another number of heads is chosen, and how its page comes in the place of what was there.

// The last one that the address asks for.
function headsInAddress() {
  const { edits = '' } = partsOfAddress(), said = decodeURIComponent(edits).match(/(?<=[=;]heads=)\d+/g);
  return said ? Number(lastOf(said)) : null;
}

// Before anything is read of the page. One that is in a frame without an address can't be opened anew.
function takeCut() {
  const templates = [...document.querySelectorAll('template[data-heads]')], headsOf = (one) => Number(one.dataset.heads);
  if (templates.length === 0 || !/^(file|https?):$/.test(location.protocol)) return;
  const cameData = document.getElementById('data'), { words, rooms } = JSON.parse(cameData.textContent);
  const came = Math.max(...rooms.map(({ focus }) => focus.heads)); // rooms without attention have none
  const wanted = headsInAddress(), template = templates.find((one) => headsOf(one) === wanted);
  CUT.all = [came, ...templates.map(headsOf)].sort((a, b) => a - b);
  CUT.now = template ? wanted : came;
  CUT.wanted = came;
  CUT.kept = history.state?.cut;
  CUT.namesOf = (heads) => {
    const other = templates.find((one) => headsOf(one) === heads)?.content.getElementById('data') ?? cameData;
    return JSON.parse(other.textContent).maps.map(({ name }) => name);
  };
  if (!template) return;
  for (const one of [...document.body.children]) if (one.matches('#data') || !one.matches('template, script')) one.remove();
  document.body.prepend(template.content.cloneNode(true));
  const data = document.getElementById('data');
  data.textContent = `{"words":${JSON.stringify(words)},${data.textContent.slice(1)}`;
}

function sizeCame(map) {
  return [map.heads, ...['rows', 'columns'].map((axis) => LABELLED.get(map)[axis].length)].join();
}

// By names, with how large each matrix came; of another number of heads what it was pinned with there. What
// was pinned with another width is lost, as that has to be taken back first.
function pinnedForCut() {
  const isWider = WIDTHS.some((group) => (EDITS.pinnedOrders?.get(group) ?? group.order).length !== group.count);
  if (!ENTRIES[ENTRY].pinned || isWider) return null;
  return CUT.pinned ?? { sizes: new Map(MAPS.map((map) => [fullName(map), sizeCame(map)])), focus: EDITS.pinnedFocus,
    orders: [ROWS, KEY_ROWS].map((group) => EDITS.pinnedOrders.get(group)),
    entries: ENTRIES.map(({ pinned }) => new Map([...pinned].map(([map, numbers]) => [fullName(map), numbers]))) };
}

// The changes are in the address; what was taken back, and what was pinned, go along.
function openCut() {
  if (CUT.wanted === CUT.now) return;
  const undone = EDITS.undone.flatMap((changes) => [...changes].reverse()).reverse().map(textOfChange);
  const { id } = STEPS.sections[STEPS.at], isChosen = document.activeElement?.matches('.heads-chosen');
  const cell = PANEL.chosen ? anchorOf(PANEL.chosen) : undefined;
  sayAddress(cell);
  history.scrollRestoration = 'manual';
  history.replaceState({ cut: { undone, id, isChosen, cell, pinned: pinnedForCut() } }, '', location.href);
  location.reload();
}

// Done once more, and taken back, so that it can be done again.
function takeUndone() {
  const { undone = [] } = CUT.kept || {}, count = EDITS.done.length;
  if (undone.length === 0) return;
  editAll(editsIn(undone.join(';')));
  putLast(EDITS.done, EDITS.undone, true, EDITS.done.length - count);
}

// Matrices that are as large here are compared with it.
function takePinned() {
  const { pinned } = CUT.kept || {};
  if (!pinned) return;
  takeAll();
  const alike = MAPS.filter((map) => pinned.sizes.get(fullName(map)) === sizeCame(map));
  ENTRIES.forEach((one, entry) => { one.pinned = new Map(alike.map((map) => [map, pinned.entries[entry].get(fullName(map))])); });
  EDITS.pinnedOrders = new Map([ROWS, KEY_ROWS].map((group, i) => [group, pinned.orders[i]]));
  EDITS.pinnedFocus = pinned.focus;
  CUT.pinned = pinned;
  EDITOR.pin.setAttribute('aria-pressed', true);
  showEdits(new Set(SHOWN.keys()));
}

// The reader goes on at the step of the same name, and the panel is open on the same number where the page
// has it. A panel that was closed stays closed, whatever the address names.
function goOnFromCut() {
  if (!CUT.kept) return;
  const { id, isChosen, cell } = CUT.kept, section = id && document.getElementById(id), place = cell && placeOf(`#${cell}`);
  if (section) goToTarget(section);
  close();
  if (place) choose(place);
  if (isChosen) document.querySelector('.heads-chosen').focus({ preventScroll: true });
}

function startHeads() {
  const why = whyNoHeads(), select = makeElement('select', 'heads-chosen');
  const section = sectionOf(roomInFocus(), 'parameters', 'projections', 'scores');
  if (why) addHelp(why);
  if (why || !section) return;
  select.append(...CUT.all.map((count) => new Option(count)));
  select.addEventListener('change', () => attempt(() => edit(setHeads(Number(select.value)))));
  addControl(section, () => { select.value = CUT.wanted; }, TEXT.headsChosen, select);
}
