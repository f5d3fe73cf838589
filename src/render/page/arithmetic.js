// The arithmetic of a cell as a list of texts and cells: laid out from what the program computed,
// never computed again.

// Up to 16 terms are read one by one; of more, the first 8 and the last 3 say how it goes.
const MOST_TERMS = 16, FIRST_TERMS = 8, LAST_TERMS = 3;

// Prints a cell by its operation's spelling, which the program says (attn/operation.h), as a list
// of texts and cells.
class Printer {
  constructor(operands, place) {
    this.operands = operands;
    this.of = place;
    this.term = 0;
    this.count = 0; // terms of the series
    this.parts = [];
  }

  cells(letters) {
    return [...letters].flatMap((letter) => this.operands[letter] || []);
  }

  // A negative number stands in parentheses, but where nothing or an open bracket is before it.
  add(part, isNegative, isFactor) {
    const before = this.parts[this.parts.length - 1];
    const isOpen = before === undefined || (typeof before === 'string' && /[(,] *$/.test(before));
    const isIn = (isFactor || !isOpen) && isNegative;
    this.parts.push(...(isIn ? ['(', part, ')'] : [part]));
  }

  number(cell, isFactor) {
    this.add(cell, shownText(cell).startsWith('-'), isFactor);
  }

  place(name) {
    const { map, column } = this.of;
    if (name === 'n') this.parts.push(String(this.count));
    else if (name === 'j') this.parts.push(String(column + 1));
    else if (name === 'f') this.print(DATA.functions[map.function]);
    else if (name === 'g') this.print(DATA.slopes[map.function]);
    else {
      const cells = this.cells(name.replace(/[()]/g, ''));
      this.number(cells[cells.length === 1 ? 0 : this.term], name.startsWith('('));
    }
  }

  // A term whose first number is 0 is `zero`, where there is one.
  series(term, between, zero) {
    const cells = this.cells(lettersCounted(term)), { length } = cells;
    this.count = length;
    for (let i = 0; i < length; i++) {
      if (i > 0) this.print(between);
      if (length > MOST_TERMS && i === FIRST_TERMS) {
        this.print('…' + between);
        i = length - LAST_TERMS;
      }
      this.term = i;
      this.print(zero && !isHidden(cells[i]) && isZero(cells[i]) ? zero : term);
    }
    this.term = 0;
  }

  has(letter) {
    return this.cells(letter).length > 0;
  }

  isFirst() {
    return pairOf(this.of.map, this.of.column).isFirst;
  }

  text(words) {
    this.parts.push(words.replace('\n', '')); // lines break by themselves here
  }

  print(spelled) {
    readSpelling(spelled, this);
  }
}

function isZero(cell) {
  return numberOf(textOf(cell)) === 0;
}

// Masked numbers and rows that see nothing have no arithmetic.
function exceptionOf(place, operands) {
  const isMask = place.map.name === 'masked' && textOf(place) === '-inf';
  if (isMask) return TEXT.hidden;
  const [second] = operands.b || [];
  if (place.map.operation === 'divide' && place.map.share && isZero(second)) return TEXT.empty;
  if (place.map.operation === 'exp' && textOf(second) === '-inf') return TEXT.empty;
  if (place.map.operation === 'normalize' && [...operands.b, operands.c[0]].every(isZero))
    return TEXT.noDirection;
  return null;
}

function arithmeticOfAppended(place) {
  const cells = appendedOf(place) === 0 && place.map.learned && cellsOf(place.map.learned, place);
  return cells ? { parts: cells, count: 1, cells } : { words: TEXT.zeros, cells: [] };
}

function tooLarge(map) {
  const isBeyond = OPERANDS.some((name) => map[name] && MAPS[map[name].map].beyond);
  return isBeyond ? TEXT.beyond : TEXT.tooLarge;
}

// The parts of the cell's arithmetic, or a text where there is none.
function arithmeticOf(place) {
  if (appendedOf(place) >= 0 && place.map.appended) return arithmeticOfAppended(place);
  if (!place.map.operation) return { words: place.map.letters ? '' : TEXT.given, cells: [] };
  const operands = operandsOf(place);
  if (!operands) return { words: tooLarge(place.map), cells: [] };
  const words = exceptionOf(place, operands);
  const cells = [].concat(...Object.values(operands));
  return words ? { words, cells } : { ...spelledOut(place, operands), cells };
}

function spelledOut(place, operands) {
  const printer = new Printer(operands, place);
  markUnseen(place, operands);
  printer.print(DATA.operations[place.map.operation]);
  return { parts: printer.parts, count: operands.a.length };
}
