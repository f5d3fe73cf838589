// What is typed as an answer: a number in any notation, a fraction, or an expression of the signs that
// a page writes: exp(−2)/(1 + √2), 1/3.5, 2,5, −∞. Nothing of it is executed.

const CONSTANTS = new Map([['e', Math.E], ['pi', Math.PI], ['π', Math.PI], ['inf', Infinity],
  ['∞', Infinity], ['', NaN]]);
const TYPED = new Map([['exp', Math.exp], ['sqrt', Math.sqrt], ['√', Math.sqrt],
  ['tanh', Math.tanh], ['ln', Math.log], ['log', Math.log]]);

// Where a number lacks, it is NaN, and so is all that is made of it.
class Typed extends Arithmetic {
  constructor(text) {
    super(text.toLowerCase(), TYPED);
  }

  value(token) {
    return CONSTANTS.has(token) ? CONSTANTS.get(token) : Number(token);
  }

  join(sign, x, y) {
    return { '+': x + y, '-': x - y, '*': x * y, '/': x / y, '^': x ** y }[sign];
  }

  made(by, inside) {
    return by(inside);
  }
}

// NaN where nothing is typed, or no number.
function answerIn(typed) {
  const reader = new Typed(typed), value = reader.sum();
  return reader.tokens.length > 0 ? NaN : value;
}
