// A document while it is written, which is often no JSON yet: its tokens, and what may stand at a place.

const FACTS = JSON.parse(document.getElementById('facts').textContent);
const SCHEMA = { whole: null }; // read once it is asked for
const TOKEN = /"(?:[^"\\\n]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;

function tokensOf(text) {
  return Array.from(text.matchAll(TOKEN), ({ 0: word, index }) =>
    ({ word, at: index, end: index + word.length }));
}

function isKey(tokens, i) {
  return tokens[i].word[0] === '"' && tokens[i + 1]?.word === ':';
}

// ---- where a place is ----

// The lists and objects around it, the outermost first, each with the keys that it has; the token that
// ends at it or goes on after it, and whether a key is wanted there.
function contextAt(text, place) {
  const tokens = tokensOf(text), around = [];
  let under = null, open = [], before = '';
  for (const [i, token] of tokens.entries()) {
    const isWord = /^[\w"-]/.test(token.word);
    if (under === null && (token.at >= place || (token.end >= place && isWord))) {
      under = token.at <= place && isWord ? token : { word: '', at: place, end: place };
      around.push(...open);
      before = tokens[i - 1]?.word ?? '';
    }
    if ('{['.includes(token.word)) open = [...open, { isObject: token.word === '{', keys: [], key: null }];
    else if ('}]'.includes(token.word)) open = open.slice(0, -1);
    else if (open.length > 0 && isKey(tokens, i) && token !== under) {
      open.at(-1).keys.push(token.word.slice(1, -1));
      if (under === null) open.at(-1).key = token.word.slice(1, -1);
    }
  }
  if (under === null) {
    around.push(...open);
    before = tokens.at(-1)?.word ?? '';
  }
  const wantsKey = Boolean(around.at(-1)?.isObject) && (before === '{' || before === ',');
  return { around, token: under ?? { word: '', at: place, end: place }, wantsKey, before };
}

// ---- what the schema says of it ----

function schema() {
  SCHEMA.whole ??= JSON.parse(document.getElementById('schema').textContent);
  return SCHEMA.whole;
}

// All that a part of the schema may be, without references.
function meant(part) {
  if (!part) return [];
  if (part.$ref) return meant(schema().$defs[part.$ref.split('/').pop()]);
  return part.anyOf ? part.anyOf.flatMap(meant) : [part];
}

function within(parts, { isObject, key }) {
  return parts.flatMap((part) => {
    if (!isObject) return meant(part.items);
    const other = typeof part.additionalProperties === 'object' ? part.additionalProperties : null;
    return meant(part.properties?.[key] ?? other);
  });
}

// Keys, each with what it is, or words, that may stand at a place.
function choicesAt(text, place) {
  const { around, token, wantsKey, before } = contextAt(text, place), here = around.at(-1);
  if (!here) return { token, list: [] };
  const { then: layers, else: one } = schema(), isOfLayers = around[0].keys.includes('layers');
  const outer = meant(isOfLayers || around[0].key === 'layers' ? layers : one);
  let parts = outer;
  for (const part of around.slice(0, -1)) parts = within(parts, part);
  const typed = text.slice(token.at, place).replace(/^"/, '').toLowerCase();
  const fits = ({ name }) => name.toLowerCase().startsWith(typed) && name.toLowerCase() !== typed;
  if (wantsKey) {
    // "layers" makes a document another one, so that it has all keys from the first on.
    const all = around.length === 1 ? [...parts, ...meant(layers)] : parts;
    const keys = new Map(all.flatMap((part) => Object.entries(part.properties ?? {})));
    const list = [...keys].filter(([name]) => !here.keys.includes(name))
      .map(([name, { description: help = '' }]) => ({ name, help, text: JSON.stringify(name), isKey: true }));
    return { token, list: list.filter(fits) };
  }
  const wantsValue = here.isObject ? before === ':' : before === '[' || before === ',';
  if (!wantsValue) return { token, list: [] };
  const values = within(parts, here).flatMap(({ enum: words, type }) =>
    words ?? ([type].flat().includes('boolean') ? [true, false] : []));
  const once = new Map(values.map((value) => [String(value), value]));
  // Of what is both a truth and a text, the truth.
  for (const value of [true, false]) if (values.includes(value)) once.set(String(value), value);
  const list = Array.from(once, ([name, value]) => ({ name, help: '', text: JSON.stringify(value) }));
  return { token, list: list.filter(fits) };
}

// ---- places in messages ----

// A message counts lines and bytes from 1.
function placeOf(text, line, column) {
  const lines = text.split('\n').slice(0, line), last = lines.at(-1) ?? '';
  const before = new TextDecoder().decode(new TextEncoder().encode(last).subarray(0, column - 1));
  const start = lines.slice(0, -1).reduce((sum, one) => sum + one.length + 1, 0);
  return Math.min(start + before.length, text.length);
}
