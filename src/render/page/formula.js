// Arithmetic as a page writes it: what somebody types (typed.js), and an operation's spelling
// (attn/spec/operation_list.h) as a function of a cell, so that what is shown is what is computed.

const SIGNS = { '−': '-', '–': '-', '·': '*', '×': '*', '÷': '/', ':': '/', ',': '.' };
const TOKENS = /\{\(?[a-d]\)?\}|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[a-z]+|\S/g;

// Read from left to right. A reader says what a token's value is, what a sign joins two values to,
// and what one of its functions makes of one.
class Arithmetic {
  constructor(text, functions) {
    this.tokens = [...text].map((sign) => SIGNS[sign] || sign).join('').match(TOKENS) || [];
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

// Each sign and function is one operation of the run's type; what is divided by 0 is 0.
const OPERATIONS = {
  '+': (x, y) => TYPE.round(x + y),
  '-': (x, y) => TYPE.round(x - y),
  '*': (x, y) => TYPE.round(x * y),
  '/': (x, y) => (y === 0 ? 0 : TYPE.round(x / y)),
};
const MADE = new Map([['√', (x) => TYPE.round(Math.sqrt(x))], ['tanh', (x) => tangent(TYPE, x)],
  ['exp', (x) => exponentials(TYPE, [x], 0)[0]], ['ln', (x) => TYPE.round(logarithm(x))]]);

// Its values are functions of a cell and, in a series, of the term.
class Formula extends Arithmetic {
  // Of a choice that stands which the map's operands make.
  constructor(map) {
    const choose = (all, letter, there, absent) => (map[letter] ? there : absent || '');
    const spelled = DATA.operations[map.operation];
    super(spelled.replace(/\[([a-d])\?(.+?)(?::(.+?))?\]/gs, choose), MADE);
    this.work = this.sum();
    if (this.tokens.length > 0) this.value(this.tokens[0]);
  }

  value(token) {
    const letter = token.match(/^\{\(?([a-d])/);
    if (!letter && !/^-?\d/.test(token)) throw new Error(`a formula has '${token}'`);
    if (!letter) return () => Number(token);
    return ({ [letter[1]]: { numbers, first, step } }, term) => TYPE.round(numbers[first + term * step]);
  }

  join(sign, left, right) {
    const by = OPERATIONS[sign];
    return (cell, term) => by(left(cell, term), right(cell, term));
  }

  made(by, inside) {
    return (cell, term) => by(inside(cell, term));
  }

  atom() {
    return this.takes('<') ? this.series() : super.atom();
  }

  // A sum of products is a chain of fused multiply-adds from +0, and +0 after it.
  series() {
    const counted = this.tokens[0].match(/[a-d]/)[0], x = this.atom();
    const y = this.takes('²') ? x : this.takes('*') && this.factor();
    if (!y || ![';', '+', '>'].every((sign) => this.takes(sign))) this.value(this.tokens[0]);
    return (cell) => {
      let sum = 0;
      for (let term = 0; term < cell[counted].count; term++)
        sum = TYPE.fused(x(cell, term), y(cell, term), sum);
      return sum + 0;
    };
  }
}

const FORMULAS = new Map();

function workSpelled(map) {
  if (!FORMULAS.has(map)) {
    const { work } = new Formula(map);
    FORMULAS.set(map, (cell) => work(cell, 0));
  }
  return FORMULAS.get(map);
}
