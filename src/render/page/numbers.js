'use strict';

// The numbers of the page's maps. Their texts are the program's own: a place is a map, a head, a row
// and a column of it.

takeCut();
const DATA = JSON.parse(document.getElementById('data').textContent);
const MAPS = DATA.maps;
const DIGITS = DATA.digits; // decimals that numbers have at most
const ALIVE = { isNow: DATA.source !== undefined && !DATA.waits }; // its numbers can be changed; of an exercise once it is solved

// The entries of a batch that the page holds, or the only one that it has: what is given of one
// besides what the page came with, its rooms, its numbers by map, what may not be seen in each room,
// numbers as they came and were pinned, and maps that wait until somebody looks at it.
const ENTRIES = (DATA.entries || [null]).map((given) => ({ given, numbers: new Map(), sight: new Map(),
  rooms: DATA.rooms.map((room, i) => (given ? { ...room, hidden: undefined, ...given.rooms[i] } : room)),
  came: null, pinned: null, stale: new Set() }));
const SHOWN_FIRST = ENTRIES.findIndex(({ given }) => !given);

// Maps of which each entry is given its own; of others that no operation makes, all have one.
const OF_ENTRY = new Set(ENTRIES.flatMap(({ given }) => (given ? given.rooms : []))
  .flatMap(({ maps }) => Object.keys(maps)).map((index) => MAPS[index]));

let ENTRY = SHOWN_FIRST, NUMBERS = ENTRIES[ENTRY].numbers; // that are looked at

function lookAt(entry) {
  ENTRY = entry;
  NUMBERS = ENTRIES[entry].numbers;
}

// What holds of an entry, whichever is looked at.
function inEntry(entry, act) {
  const here = ENTRY;
  lookAt(entry);
  try {
    return act();
  } finally {
    lookAt(here);
  }
}

// The digits of packed rows, whose places are told by the second byte: ASCII without ", < and \\.
const PACKED = Array.from({ length: 95 }, (nothing, i) => String.fromCharCode(32 + i))
  .filter((digit) => !'"<\\'.includes(digit)).join('');

const PACKED_VALUES = new Map([...PACKED].map((digit, i) => [digit, i]));

// 12500 and two bits are 1.25: the point is put back, and the zeros after it go, unless digits follow.
function textOfWhole(whole) {
  const digits = String(Math.floor(whole / 4)).padStart(DIGITS + 1, '0'), goesOn = Math.floor(whole / 2) % 2 === 1;
  const point = digits.length - DIGITS;
  let text = digits.slice(0, point);
  if (DIGITS > 0) text += `.${digits.slice(point)}`;
  if (DATA.trims && !goesOn) text = trimZeros(text);
  return (whole % 2 === 1 ? '-' : '') + text;
}

function unpack(text) {
  const places = Number(text[1]), numbers = [];
  for (let at = 2; at < text.length; at += places) {
    let whole = 0;
    for (let i = at; i < at + places; i++)
      whole = whole * PACKED.length + PACKED_VALUES.get(text[i]);
    numbers.push(textOfWhole(whole));
  }
  return numbers;
}

// What is not to be seen is not to be read in the page's source: its letters stand the other way
// round, from ! to ~.
function mirror(text) {
  return text.replace(/[!-~]/g, (letter) => String.fromCharCode(159 - letter.charCodeAt(0)));
}

function textsIn(text) {
  const read = { '#': unpack, '@': (words) => mirror(words.slice(1)).split(' ') }[text[0]];
  return read ? read(text) : text.split(' ');
}

function isKept(map, head, row) {
  return !map.only || (map.head === head && map.only.row === row);
}

// The numbers of a row; null where a large map keeps only another one.
function rowOf(map, head, row, rows = map.cells) {
  if (!isKept(map, head, row)) return null;
  const at = map.only ? 0 : head * map.rows.length + row;
  const text = rows[at];
  if (typeof text === 'string') rows[at] = textsIn(text);
  if (text === null || text === undefined) { // since something was changed, or of what comes as bits alone
    takeBits(map);
    rows[at] = textsComputed(map, at);
  }
  return rows[at];
}

function textOf(place) {
  return rowOf(place.map, place.head, place.row)[place.column];
}

// Numbers that are asked for elsewhere come as this.
const ASKED = '□';

// Where an answer was right: its number is known from then on.
const SOLVED = new Set();

// Steps that were asked for and are right. A step is closed as long as one that it goes on with is not.
const ANSWERED = new Set();

function isClosed(step) {
  return ((DATA.waits || {})[step] || []).some((question) => !ANSWERED.has(question));
}

function isHidden(place) {
  return place.map.blank ? !SOLVED.has(anchorOf(place)) : Boolean(place.map.waits) && isClosed(place.map.step);
}

// What a reader may see of it, or what is said of it where it is taken as another number.
function shownText(place) {
  return isHidden(place) ? ASKED : place.text ?? textOf(place);
}

// ---- texts of numbers that the page computed: render/number_text.c ----

const PLAIN_FROM = 0.000999995, PLAIN_BELOW = 1e7;

function trimZeros(text) {
  const [number, exponent] = text.split('e');
  const trimmed = number.includes('.') ? number.replace(/\.?0+$/, '') : number;
  return exponent ? `${trimmed}e${exponent}` : trimmed;
}

// Zeros that end a text stay where digits follow that it has not: 0.1400 is rounded, and 0.5 is not.
function withoutZeros(text, value) {
  const read = Number(text);
  return read === value || Math.fround(read) === value ? trimZeros(text) : text;
}

// Rounded half to even, which toFixed is not where what is left away is exactly half: then twice the
// number is whole in units of the last decimal.
function fixed(value, decimals) {
  const text = value.toFixed(decimals);
  if (!Number.isInteger(value * 2 * 10 ** decimals)) return text;
  const left = value.toFixed(decimals + 30).slice(text.length), digits = text.replace(/\D/g, '');
  if (!/^\.?50*$/.test(left) || Number(digits[digits.length - 1]) % 2 === 0) return text;
  const whole = String(BigInt(digits) - 1n).padStart(digits.length, '0');
  const point = whole.length - decimals, sign = value < 0 ? '-' : '';
  return sign + whole.slice(0, point) + (decimals > 0 ? `.${whole.slice(point)}` : '');
}

function textOfNumber(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';
  const size = Math.abs(value);
  if (!DATA.trims) return fixed(value, DIGITS).replace(/^-(?=[0.]+$)/, '');
  if (size === 0 || (size >= PLAIN_FROM && size < PLAIN_BELOW))
    return withoutZeros(fixed(value, DIGITS), value).replace(/^-(?=[0.]+$)/, '');
  return withoutZeros(value.toExponential(4).replace(/e([-+])(\d)$/, 'e$10$2'), value);
}

// 'inf' and 'nan' are words of their own in JavaScript.
function numberOf(text) {
  if (text === 'inf') return Infinity;
  if (text === '-inf') return -Infinity;
  return Number(text);
}

// Rooms of a house may have maps of one name: "layer.0.attention.weights".
function fullName(map) {
  return DATA.rooms[map.room].way + map.name;
}

// The head that a place belongs to, and of how many.
function headOf(place) {
  return place.map.focus || { head: place.head, heads: place.map.heads };
}

// "weights-h0-r2-c1": what a link to a cell names, counted from 0.
function anchorOf(place) {
  return `${fullName(place.map)}-h${place.head}-r${place.row}-c${place.column}`;
}

function placeOf(anchor) {
  const parts = /^#([\w.[\]]+)-h(\d+)-r(\d+)-c(\d+)$/.exec(anchor);
  const map = parts && MAPS.find((one) => fullName(one) === parts[1]);
  if (!map || !map.cells) return null;
  const place = { map, head: Number(parts[2]), row: Number(parts[3]), column: Number(parts[4]) };
  const isThere = place.head < map.heads && place.row < map.rows.length &&
    place.column < map.columns.length && isKept(map, place.head, place.row);
  return isThere ? place : null;
}

// "layer 1, attention: ", or nothing where there is one room.
function roomOf(map) {
  const room = DATA.rooms[map.room];
  return room.floor ? `${room.floor}, ${room.name}: ` : '';
}

// Of one query, "weighted[2]", its number comes first: "weighted[2,1,1]"; one number a row has none
// of its column: "row_max[2]".
function nameOf(place) {
  const { head: index, heads } = headOf(place);
  const head = heads > 1 ? `${TEXT.head(index + 1)}, ` : '';
  const of = place.map.focus ? `${place.map.focus.row + 1},` : '';
  const column = place.map.isColumn ? '' : `,${place.column + 1}`;
  return `${place.map.name.split('[')[0]}[${head}${of}${place.row + 1}${column}]`;
}
