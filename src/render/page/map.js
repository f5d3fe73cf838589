// The map: the stages of a run as small matrices that live, numbers where they fit and colours where
// they don't. A click on one leads to its step. Of a house each floor is closed until it is asked for,
// or read.

const MAP = { element: null, read: null }; // read: the floor of the step that is read
const MOST_ON_MAP = { rows: 6, columns: 4 }; // of a matrix with numbers

// Which stages of an attention the map has, as its diagram; of another room its last result.
function namesIn(picture) {
  return [...picture.querySelectorAll('a')].map((link) => link.querySelector('text').textContent);
}

function isOnMap(map) {
  return map.cells && !map.only && !map.blank && !map.waits && SHOWN.has(map) && !isOfOther(map);
}

function mapsOnMap(room, names) {
  const all = mapsOf(room).filter(isOnMap), named = all.filter((map) => names.includes(map.name));
  return named.length > 0 ? named : all.slice(-1);
}

// The head that is worked out.
function headOnMap(map) {
  if (map.heads === 1) return 0;
  return DATA.rooms[map.room].focus ? headAmong(map.heads, focusOf(map.room).head, map.room) : map.head;
}

function makeSmallTable(map) {
  const table = makeElement('table', 'matrix mini'), body = table.createTBody();
  Object.assign(body.dataset, { map: MAPS.indexOf(map), head: headOnMap(map) });
  const greatest = greatestOf(map, headOnMap(map));
  for (const row of map.rows.keys()) {
    const line = body.insertRow();
    for (const text of rowOf(map, headOnMap(map), row)) {
      const cell = line.insertCell();
      cell.textContent = inCell(map, text);
      cell.className = levelOf(map, numberOf(text), greatest);
    }
  }
  alignPoints(body);
  const shown = showBody(map, body), draw = () => refill(map, shown);
  addView(table, (maps) => maps.has(map) || maps.has(gradientOf(map)), draw);
  if (EDITS.order) draw(); // what was changed is marked; before the first change nothing can be
  return table;
}

function makeSmallPicture(map) {
  const picture = makeSvg('svg', { class: 'sampled', 'aria-hidden': true });
  picture.append(makeSvg('g', { transform: 'translate(0 0.5)' }));
  const draw = () => {
    picture.setAttribute('viewBox', `0 0 ${Math.min(MOST_SQUARES, map.columns.length)} ${Math.min(MOST_SQUARES, map.rows.length)}`);
    drawSampled(picture, map, headOnMap(map));
  };
  addView(picture, (maps) => maps.has(map), draw);
  draw();
  return picture;
}

function makeStop(map) {
  const isSmall = map.rows.length <= MOST_ON_MAP.rows && map.columns.length <= MOST_ON_MAP.columns;
  const link = document.createElement('a');
  const name = () => { link.title = map.heads > 1 ? TEXT.head(headOnMap(map) + 1) : ''; };
  link.append(...mathematics(map.name));
  link.href = `#step-${map.step}`;
  addView(link, () => false, name); // when another head is worked out
  name();
  const stop = makeElement('li', '', link, isSmall ? makeSmallTable(map) : makeSmallPicture(map));
  stop.addEventListener('click', (event) => {
    if (event.target.closest('td')) return; // that is the number's panel
    goToTarget(document.getElementById(`step-${map.step}`));
    event.preventDefault();
  });
  return stop;
}

function makeStops(rooms, names) {
  return rooms.flatMap((room) => mapsOnMap(room, names)).map(makeStop);
}

// Its stops are made when it is opened for the first time.
function makeFloor(name, rooms, names) {
  const list = document.createElement('ul');
  const floor = makeElement('details', '', makeElement('summary', '', name), list);
  floor.dataset.rooms = rooms.join(' ');
  floor.addEventListener('toggle', () => {
    if (!floor.open || list.firstChild) return;
    list.append(...makeStops(rooms, names));
    markOnMap(STEPS.sections[STEPS.at]);
  });
  return floor;
}

// The word that a step of a generation chose.
function chosenIn(rooms) {
  const words = rooms.flatMap((room) => [...document.querySelectorAll(`.house a[data-room="${room}"]`)])
    .filter((link) => link.querySelector('text')?.textContent === 'choice')
    .map((link) => link.querySelector('.shape').textContent);
  return words.length > 0 ? `: ${words[0]}` : '';
}

// Of a generation, whose floors are called "step 3, layer 1", the floors of a step are one.
function floorsOfRooms() {
  const floors = new Map();
  DATA.rooms.forEach(({ floor }, room) => {
    const [name] = floor.split(', ');
    floors.set(name, [...floors.get(name) || [], room]);
  });
  return [...floors].map(([name, rooms]) => [name + chosenIn(rooms), rooms]);
}

function markOnMap(section) {
  if (!MAP.element) return;
  const floor = [...MAP.element.querySelectorAll('[data-rooms]')]
    .find((one) => one.dataset.rooms.split(' ').includes(section.dataset.room));
  if (floor && floor !== MAP.read) {
    if (MAP.read) MAP.read.open = false;
    floor.open = true;
    MAP.read = floor;
  }
  for (const link of MAP.element.querySelectorAll('a'))
    link.classList.toggle('here', targetOf(link) === section);
}

function startMap() {
  const names = [...document.querySelectorAll('.picture:not(.house)')].flatMap(namesIn), floors = floorsOfRooms();
  const parts = floors.length > 1 ? floors.map(([name, rooms]) => makeFloor(name, rooms, names))
    : [makeElement('ul', '', ...makeStops([...DATA.rooms.keys()], names))];
  MAP.element = makeElement('nav', 'map', ...parts);
  MAP.element.setAttribute('aria-label', TEXT.stops);
  MAP.element.tabIndex = 0;
  STEPS.line.after(MAP.element);
  markOnMap(STEPS.sections[STEPS.at]);
}
