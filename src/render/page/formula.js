// Arithmetic as a page writes it: what somebody types (typed.js), and an operation's spelling
// (attn/spec/operation_list.h) as a function of a cell, so that what is shown is what is computed.

// ---- spellings ----

const PIECES = /\{(.+?)\}|<([^;>]+);([^;>]+)(?:;([^>]+))?>|\[([a-e])\?(.+?)(?::(.+?))?\]|~(.+?)~(.+?)~|[^{<[~]+/gs;

// Tells `to` of the pieces of a spelling, one after the other; it says which operands there are, and
// which column of a pair is meant.
function readSpelling(spelled, to) {
  for (const [plain, name, term, between, zero, letter, there, absent, first, second] of
    spelled.matchAll(PIECES)) {
    if (name) to.place(name);
    else if (term) to.series(term, between, zero);
    else if (letter) readSpelling(to.has(letter) ? there : absent || '', to);
    else if (first) readSpelling(to.isFirst() ? first : second, to);
    else to.text(plain);
  }
}

// The letters of what a series counts: those of its first operand.
function lettersCounted(term) {
  return [...term.match(/{\(?([a-e]+)/)[1]];
}

// ---- arithmetic ----

const SIGNS = { '−': '-', '–': '-', '·': '*', '×': '*', '÷': '/', ':': '/', ',': '.' };
const TOKENS = /(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[a-z]+|\S/g;

function tokensOf(text) {
  return [...text].map((sign) => SIGNS[sign] || sign).join('').match(TOKENS) || [];
}

// Read from left to right. A reader says what a token's value is, what a sign joins two values to,
// and what one of its functions makes of one.
class Arithmetic {
  constructor(text, functions) {
    this.tokens = tokensOf(text);
    this.functions = functions;
  }

  takes(token) {
    if (this.tokens[0] !== token) return false;
    this.tokens.shift();
    return true;
  }

  atom() {
    if (this.takes('(')) {
      const inside = this.sum();
      return this.takes(')') ? inside : this.value('');
    }
    const token = this.tokens.shift() || '', by = this.functions.get(token);
    return by ? this.made(by, this.atom()) : this.value(token);
  }

  power() {
    const base = this.atom();
    if (this.takes('²')) return this.join('*', base, base);
    return this.takes('^') ? this.join('^', base, this.factor()) : base;
  }

  factor() {
    if (this.takes('-')) return this.join('*', this.value('-1'), this.factor());
    return this.takes('+') ? this.factor() : this.power();
  }

  joined(signs, part) {
    let whole = part();
    while (signs.includes(this.tokens[0])) whole = this.join(this.tokens.shift(), whole, part());
    return whole;
  }

  sum() {
    return this.joined(['+', '-'], () => this.joined(['*', '/'], () => this.factor()));
  }
}

// ---- what a spelling comes to ----

// Each sign and function is one operation of the type; what is divided by 0 is 0.
const OPERATIONS = {
  '+': ({ round }, x, y) => round(x + y),
  '-': ({ round }, x, y) => round(x - y),
  '*': ({ round }, x, y) => round(x * y),
  '/': ({ round }, x, y) => (y === 0 ? 0 : round(x / y)),
};
const MADE = new Map([['√', ({ round }, x) => round(Math.sqrt(x))], ['tanh', tangent],
  ['exp', (type, x) => exponentials(type, [x], 0)[0]], ['ln', ({ round }, x) => round(logarithm(x))]]);
const magnitude = (type, x) => Math.abs(x);

// Its values are functions of a cell and, in a series, of the term. A product knows its factors, and
// an operand its letter. It is of cells that have just these operands.
class Formula extends Arithmetic {
  constructor(map, spelled, letters) {
    super('', MADE);
    this.map = map;
    this.letters = letters;
    this.isInF64 = DATA.inF64.includes(map.operation);
    this.type = map.made || this.isInF64 ? PLAIN : TYPE;
    readSpelling(spelled, this);
    this.work = this.sum();
    if (this.tokens.length > 0) this.value(this.tokens[0]);
  }

  // ---- its pieces become tokens, of which operands and series are values already ----

  text(words) {
    this.tokens.push(...tokensOf(words));
  }

  has(letter) {
    return this.letters.includes(letter);
  }

  isFirst() {
    throw new Error('a formula has a pair');
  }

  place(name) {
    const [letter, then] = name.replace(/[()]/g, '');
    const { round } = this.isInF64 && !isOfTrace(this.map[letter]) ? TYPE : this.type;
    if (letter === 'n') this.tokens.push(this.count);
    else if (letter === 'j') this.tokens.push(({ place }) => place.column + 1);
    else if (!'abcde'.includes(letter)) throw new Error(`a formula has {${name}}`);
    else {
      const one = ({ [letter]: { numbers, first, step, count } }, term) =>
        round(numbers[first + (count === 1 ? 0 : term * step)]);
      const both = (cell, term) => (term < cell[letter].count ? one(cell, term)
        : round(listIn(cell[then])[term - cell[letter].count]));
      this.tokens.push(then ? both : Object.assign(one, { letter }));
    }
  }

  // A sum of products is a chain of fused multiply-adds from +0, and +0 after it; other terms are
  // added one after the other.
  series(term, between, zero) {
    const letters = lettersCounted(term), { round, fused } = this.type;
    const { work } = new Formula(this.map, term, this.letters), [x, y] = work.factors || [];
    if (zero || between.trim() !== '+') throw new Error(`a formula has a series of '${between}'`);
    const next = x ? (cell, i, sum) => fused(x(cell, i), y(cell, i), sum)
      : (cell, i, sum) => round(sum + work(cell, i));
    const count = (cell) => letters.reduce((all, letter) => all + cell[letter].count, 0);
    this.count = count;
    this.tokens.push(x && x.letter && y.letter ? (cell) => chainOf(cell[x.letter], cell[y.letter], fused)
      : (cell) => {
        let sum = 0;
        for (let i = 0, end = count(cell); i < end; i++) sum = next(cell, i, sum);
        return sum + 0;
      });
  }

  // ---- and are read ----

  value(token) {
    if (typeof token === 'function') return token;
    if (!/^-?[\d.]/.test(token)) throw new Error(`a formula has '${token}'`);
    return () => Number(token);
  }

  join(sign, left, right) {
    const by = OPERATIONS[sign], { type } = this;
    const joined = (cell, term) => by(type, left(cell, term), right(cell, term));
    return sign === '*' ? Object.assign(joined, { factors: [left, right] }) : joined;
  }

  made(by, inside) {
    const { type } = this;
    return (cell, term) => by(type, inside(cell, term));
  }

  atom() {
    if (!this.takes('|')) return super.atom();
    const inside = this.sum();
    return this.takes('|') ? this.made(magnitude, inside) : this.value('');
  }
}

// Numbers that no stage holds, or a setting's: of float64, unless the type takes them.
function isOfTrace(operand) {
  return Boolean(operand && MAPS[operand.map].made);
}

// By map, and of each by the operands that a cell of it has.
const FORMULAS = new Map();

function workWith(map, letters) {
  if (!FORMULAS.has(map)) FORMULAS.set(map, new Map());
  const formulas = FORMULAS.get(map), key = String(letters);
  if (!formulas.has(key)) {
    const { work, isInF64 } = new Formula(map, DATA.operations[map.operation], letters);
    formulas.set(key, isInF64 && !map.made ? (cell) => TYPE.round(work(cell, 0)) : (cell) => work(cell, 0));
  }
  return formulas.get(key);
}

// Where an operand is not in all rows and columns, a cell's own formula has those that are there.
function workSpelled(map) {
  const letters = OPERANDS.filter((name) => map[name]), whole = workWith(map, letters);
  return letters.every((name) => isEverywhere(map[name])) ? whole
    : (cell) => workWith(map, letters.filter((name) => cell[name].count > 0))(cell);
}
