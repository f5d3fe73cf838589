// Notes for the speaker, in a window of their own: the sentences of the step that the class sees, and
// which one comes next. They follow the steps.

const NOTES = { window: null };

function notesOf({ sections, at }) {
  const section = sections[at], next = sections[at + 1];
  const heading = section.firstElementChild.firstChild.cloneNode(), words = makeElement('h1', '', heading);
  const sentences = [...section.querySelectorAll(':scope > .story > p:not(.formula, .line, .note, .saving)')]
    .filter((one) => !one.hidden).map((one) => one.cloneNode(true));
  return [words, ...sentences, makeElement('p', '', next ? TEXT.then(nameOfStep(next)) : TEXT.last)];
}

function showNotes() {
  const { window: other } = NOTES;
  if (!other || other.closed) return;
  const { body } = other.document, ground = getComputedStyle(document.body);
  body.replaceChildren(...notesOf(STEPS).map((one) => other.document.adoptNode(one)));
  Object.assign(body.style, { font: '1.5rem/1.5 system-ui, sans-serif', margin: '2rem', maxWidth: '50rem',
    background: ground.backgroundColor, color: ground.color });
}

// Opened again where it was closed; a browser that opens none leaves it so.
function openNotes() {
  NOTES.window = window.open('', `notes-${DATA.document}`, 'width=700,height=600');
  if (!NOTES.window) return;
  Object.assign(NOTES.window.document, { title: TEXT.notesOf(document.title) });
  NOTES.window.document.documentElement.lang = document.documentElement.lang;
  NOTES.window.document.addEventListener('keydown', stepByKey);
  showNotes();
}

function notesByKey(event) {
  const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey;
  if (event.key !== 'n' || !isPlain || event.target.matches('input:not([type=checkbox]), select')) return;
  openNotes();
}

function startNotes() {
  const button = makeButton(TEXT.notes, openNotes);
  button.title = TEXT.notesKey;
  addToMenu(button);
  document.addEventListener('keydown', notesByKey);
}
