// Files that are dropped or opened: they are the program's, by their names.

const BUNDLES = /\.(npz|safetensors)$/i;

// The option that a file is for by its name: wq.csv is Wq, x.npy the input, and what holds several
// matrices a bundle.
function optionFor(name) {
  const stem = name.replace(/\.[^.]*$/, '').toLowerCase().replaceAll('_', '-');
  const wanted = BUNDLES.test(name) ? 'bundle' : stem;
  const takes = optionsOf().filter(({ isFile }) => isFile);
  return takes.find((one) => one.name === wanted || one.letter === wanted)?.name;
}

function usesOf(name) {
  return Object.keys(CASE.options).filter((one) => CASE.options[one] === name);
}

async function addFile(file) {
  const name = file.name.replace(/^.*[/\\]/, '');
  if (name === DOCUMENT) return openDocument(file);
  CASE.files.set(name, new Uint8Array(await file.arrayBuffer()));
  const option = usesOf(name).length === 0 && optionFor(name);
  if (option) CASE.options[option] = name;
}

async function openDocument(file) {
  CASE.document = await file.text();
}

// What is dropped as .json is a document. Next to matrices, an example would be in their way.
async function addDropped(list) {
  const files = Array.from(list), isDocument = ({ name }) => /\.json$/i.test(name);
  if (!files.some(isDocument) && isExample()) CASE.document = '';
  for (const file of files) await (isDocument(file) ? openDocument : addFile)(file);
}

function sizeOf(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  return `${(bytes / 1000).toLocaleString('en', { maximumFractionDigits: 1 })} kB`;
}

function fileRow([name, bytes], changed) {
  const choice = element('select', {}, element('option', { value: '' }, 'not used by an option'),
    ...optionsOf().filter(({ isFile }) => isFile).map(({ name: one }) =>
      element('option', { value: one }, `--${one}`)));
  choice.setAttribute('aria-label', `What ${name} is`);
  choice.value = usesOf(name)[0] ?? '';
  choice.addEventListener('change', () => {
    usesOf(name).forEach((one) => set(one, ''));
    if (choice.value) set(choice.value, name);
    changed();
  });
  const away = element('button', { type: 'button' }, 'Remove');
  away.setAttribute('aria-label', `Remove ${name}`);
  away.addEventListener('click', () => {
    usesOf(name).forEach((one) => set(one, ''));
    CASE.files.delete(name);
    changed();
  });
  return element('li', {}, element('b', {}, name), element('span', {}, sizeOf(bytes.length)), choice, away);
}

function buildFiles(changed) {
  at('files').replaceChildren(...Array.from(CASE.files, (one) => fileRow(one, changed)));
}

// ---- what goes out ----

function saved(name, bytes) {
  const link = element('a', { download: name, href: URL.createObjectURL(new Blob([bytes])) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
