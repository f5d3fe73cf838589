// What is typed as an answer: a number in any notation, a fraction, or an expression of the signs that
// a page writes: exp(−2)/(1 + √2), 1/3.5, 2,5, −∞. Nothing of it is executed.

const SIGNS = { '−': '-', '–': '-', '·': '*', '×': '*', '÷': '/', ':': '/', ',': '.' };
const TOKENS = /(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[a-z]+|\S/g;
const CONSTANTS = new Map([['e', Math.E], ['pi', Math.PI], ['π', Math.PI], ['inf', Infinity],
  ['∞', Infinity]]);
const FUNCTIONS = new Map([['exp', Math.exp], ['sqrt', Math.sqrt], ['√', Math.sqrt],
  ['tanh', Math.tanh], ['ln', Math.log], ['log', Math.log]]);

// Reads from left to right; where a number lacks, it is NaN, and so is all that is made of it.
class Typed {
  constructor(text) {
    const plain = [...text.toLowerCase()].map((sign) => SIGNS[sign] || sign).join('');
    this.tokens = plain.match(TOKENS) || [];
  }

  takes(token) {
    if (this.tokens[0] !== token) return false;
    this.tokens.shift();
    return true;
  }

  atom() {
    if (this.takes('(')) {
      const inside = this.sum();
      return this.takes(')') ? inside : NaN;
    }
    const token = this.tokens.shift() || '';
    if (FUNCTIONS.has(token)) return FUNCTIONS.get(token)(this.atom());
    if (CONSTANTS.has(token)) return CONSTANTS.get(token);
    return token === '' ? NaN : Number(token);
  }

  power() {
    const base = this.atom();
    if (this.takes('²')) return base ** 2;
    return this.takes('^') ? base ** this.factor() : base;
  }

  factor() {
    if (this.takes('-')) return -this.factor();
    return this.takes('+') ? this.factor() : this.power();
  }

  product() {
    let value = this.factor();
    for (;;) {
      if (this.takes('*')) value *= this.factor();
      else if (this.takes('/')) value /= this.factor();
      else return value;
    }
  }

  sum() {
    let value = this.product();
    for (;;) {
      if (this.takes('+')) value += this.product();
      else if (this.takes('-')) value -= this.product();
      else return value;
    }
  }
}

// NaN where nothing is typed, or no number.
function answerIn(typed) {
  const reader = new Typed(typed), value = reader.sum();
  return reader.tokens.length > 0 ? NaN : value;
}
