// What the script says, out of the one table of the page's English (html_english.c): a text, or where
// it is about something a function of that.

const TEXT = Object.fromEntries(Object.entries(DATA.words).map(([key, words]) =>
  [key, words.includes('{') ? (...about) => fill(words, about) : words]));

function fill(words, about) {
  return words.replace(/\{(\d)\}/g, (mark, number) => about[number - 1]);
}
