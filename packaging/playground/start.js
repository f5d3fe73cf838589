// What happens when: runs, and what is shown of them.

const PROMPT = 250; // milliseconds after the last key before a run begins by itself
const PATIENT = 1500; // where the last run took longer, the next one is asked for
const RUNS = { worker: FIRST_WORKER, count: 0, waiting: new Map(), isDue: false, isRunning: false, took: 0,
  timer: 0, wrong: [], example: null, address: '' };
const TYPES = { page: 'text/html', picture: 'image/svg+xml' }; // of what is shown otherwise than as text
const SHOWN = { bytes: new Uint8Array(0), name: '', url: '' };

// ---- the program, in a worker of its own ----

function worker() {
  if (RUNS.worker?.onmessage) return RUNS.worker;
  RUNS.worker ??= begunWorker();
  RUNS.worker.onmessage = ({ data }) => {
    RUNS.waiting.get(data.id)?.(data);
    RUNS.waiting.delete(data.id);
  };
  return RUNS.worker;
}

// A command line over files in memory; null where it was stopped.
function command(args, files = {}) {
  const id = ++RUNS.count;
  return new Promise((done) => {
    RUNS.waiting.set(id, done);
    worker().postMessage({ id, args, files });
  });
}

function stopRun() {
  RUNS.worker.terminate();
  RUNS.worker = null;
  const waiting = [...RUNS.waiting.values()];
  RUNS.waiting.clear();
  waiting.forEach((done) => done(null));
}

// ---- a run ----

function changed() {
  showCase();
  clearTimeout(RUNS.timer);
  if (RUNS.took > PATIENT) say('Press Run, or Ctrl and Enter.');
  else RUNS.timer = setTimeout(run, PROMPT);
}

// One at a time; what changes meanwhile is run after it.
async function run() {
  clearTimeout(RUNS.timer);
  RUNS.isDue = true;
  if (RUNS.isRunning) return;
  RUNS.isRunning = true;
  while (RUNS.isDue) {
    RUNS.isDue = false;
    const files = Object.fromEntries([...CASE.files, [DOCUMENT, new TextEncoder().encode(CASE.document)]]);
    const begun = performance.now(), text = CASE.document;
    const slow = setTimeout(() => {
      at('stop').hidden = false;
      say('Running…');
    }, PROMPT);
    const done = await command(argsOf(), files);
    clearTimeout(slow);
    at('stop').hidden = true;
    RUNS.took = done?.took ?? performance.now() - begun; // without the program's own beginning
    if (done && !RUNS.isDue) {
      showDone(done, files, text);
      const words = ['done', 'they differ', 'not done'][done.status] ?? 'ended';
      say(`Status ${done.status}, ${words}, in ${Math.round(RUNS.took)} ms`);
      at('result').dataset.runs = Number(at('result').dataset.runs ?? 0) + 1;
    } else if (!done) {
      say('Stopped.');
    }
  }
  RUNS.isRunning = false;
  keepAddress();
}

function say(words) {
  at('state').textContent = words;
}

// ---- what came of it ----

function showDone(done, files, text) {
  const file = shownFile(), bytes = file ? done.files[file] : done.bytes;
  const isThere = bytes && bytes.length > 0;
  const kind = file && isThere && TYPES[viewOf().name] ? viewOf().name : 'text';
  URL.revokeObjectURL(SHOWN.url);
  Object.assign(SHOWN, { bytes: bytes ?? new Uint8Array(0), name: file ?? nameOfOutput(), url: '' });
  for (const id of ['text', 'page', 'picture']) at(id).hidden = id !== kind;
  if (kind !== 'text') {
    SHOWN.url = URL.createObjectURL(new Blob([bytes], { type: TYPES[kind] }));
    (kind === 'page' ? at('page') : at('picture').firstElementChild).src = SHOWN.url;
  } else {
    // As in a terminal, where there is nothing else.
    const isSilent = SHOWN.bytes.length === 0 && done.status !== 0;
    at('text').classList.toggle('wrong', isSilent);
    if (isSilent) at('text').textContent = done.stderr;
    else if (!isBinary(SHOWN.bytes)) at('text').textContent = new TextDecoder().decode(SHOWN.bytes);
    else at('text').textContent = `${sizeOf(SHOWN.bytes.length)} that are no text: Save writes them.`;
  }
  at('keep').disabled = !isThere;
  showWritten(done, files, file);
  showMessages(done.stderr, text);
  at('state').className = done.status === 0 ? 'right' : 'wrong';
}

function isBinary(bytes) {
  return bytes.subarray(0, 1000).some((byte) => byte === 0);
}

function nameOfOutput() {
  const { format = 'json', 'trace-format': trace = 'text' } = CASE.options;
  const endings = { text: 'txt', markdown: 'md', pandoc: 'qmd', notebook: 'ipynb', latex: 'tex', tidy: 'csv' };
  const word = viewOf().name === 'trace' ? trace : format;
  return `${viewOf().name}.${endings[word] ?? word}`;
}

// Files that the run left besides the one that is shown.
function showWritten(done, files, shown) {
  const isSame = (one, other) => one.length === other.length && one.every((byte, i) => byte === other[i]);
  const news = Object.entries(done.files).filter(([name, bytes]) =>
    name !== shown && !(files[name] && isSame(files[name], bytes)));
  at('written').replaceChildren(...news.map(([name, bytes]) => {
    const button = element('button', {}, `Save ${name}`);
    button.addEventListener('click', () => saved(name, bytes));
    return element('li', {}, button, element('span', {}, sizeOf(bytes.length)));
  }));
}

// "selfattn: PLACE: WHAT", and lines below it that go with it.
function showMessages(said, text) {
  const messages = said.split(/\n(?=selfattn: )/).map((one) => one.trimEnd())
    .filter((one) => one !== '');
  RUNS.wrong = [];
  const marks = [], rows = messages.map((message) => {
    const words = message.replace(/^selfattn: /, '');
    const isNote = words === message || words.startsWith('note: ');
    const place = /\bdocument\.json:(\d+):(\d+): /.exec(words);
    const option = /^--([a-z-]+)\b/.exec(words)?.[1];
    const row = element('li', { className: isNote ? 'note' : 'wrong' });
    if (place) {
      const [line, column] = place.slice(1).map(Number), to = placeOf(text, line, column);
      if (!isNote) marks.push({ line, column, place: to });
      const button = element('button', {}, `Line ${line}`);
      button.addEventListener('click', () => {
        chooseTab('document');
        goTo(to);
      });
      row.append(button, words.replace(place[0], ''));
    } else if (option && optionsOf().some(({ name }) => name === option)) {
      const button = element('button', {}, `--${option}`);
      button.addEventListener('click', () => openOption(option));
      RUNS.wrong.push(option);
      at(`option-${option}`)?.closest('.option').classList.add('wrong');
      row.append(button, words.replace(/^--[a-z-]+:? /, ''));
    } else {
      // A table, of losses, has columns.
      row.append(words === message ? element('pre', {}, words) : words);
    }
    return row;
  });
  at('problems').replaceChildren(...rows);
  if (text === EDITOR.area.value) mark(marks);
}

function openOption(name) {
  chooseTab('options');
  at('find').value = '';
  findOptions();
  at(`option-${name}`).focus();
}

// ---- tabs ----

function tabs(list, choose) {
  list.addEventListener('keydown', ({ key }) => {
    const all = Array.from(list.querySelectorAll('[role=tab]'));
    const here = all.indexOf(document.activeElement), by = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!by || here < 0) return;
    const to = all[(here + by + all.length) % all.length].id;
    choose(to);
    at(to).focus();
  });
  list.addEventListener('click', ({ target }) => {
    const tab = target.closest('[role=tab]');
    if (tab) choose(tab.id);
  });
}

function select(list, chosen) {
  for (const tab of list.querySelectorAll('[role=tab]')) {
    tab.setAttribute('aria-selected', tab.id === chosen);
    tab.tabIndex = tab.id === chosen ? 0 : -1;
  }
}

function chooseTab(name) {
  for (const one of ['document', 'options', 'files']) at(`pane-${one}`).hidden = one !== name;
  select(at('given').querySelector('[role=tablist]'), `tab-${name}`);
  if (name === 'document') followScroll();
  if (name === 'options' && at('options').children.length === 0) buildForm();
}

// ---- the case on the page ----

function isExample() {
  return CASE.document === RUNS.example;
}

// What the case is, wherever it is shown; the form only where others than its own fields changed it.
function showCase() {
  at('line').textContent = lineOf();
  at('options-count').textContent = Object.keys(CASE.options).length || '';
  at('files-count').textContent = CASE.files.size || '';
  at('command').value = CASE.command;
  if (!isExample()) at('examples').value = '';
  select(at('views'), `view-${viewOf().name}`);
}

function showAll() {
  if (EDITOR.area.value !== CASE.document) write(CASE.document);
  CASE.document = EDITOR.area.value; // as the editor ends lines, not as a file did
  at('views').replaceChildren(...viewsOf().map(({ name, label }) => {
    const tab = element('button', { id: `view-${name}` }, label);
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', 'shown');
    return tab;
  }));
  at('options').replaceChildren();
  if (!at('pane-options').hidden) buildForm();
  buildFiles(changedAll);
  showCase();
}

function changedAll() {
  showAll();
  changed();
}

function showNow() {
  showAll();
  return run();
}

async function takeExample(name) {
  const one = FACTS.examples.find((example) => example.name === name);
  const text = one.document ?? (await command(['example', name]))?.stdout;
  if (text === undefined) return takeExample(name); // a run before it was stopped, and so was this
  RUNS.example = text;
  Object.assign(CASE, { document: text, command: one.command, options: {}, files: new Map() });
  at('examples').value = name;
  return showNow();
}

// What comes of it came with the page, and is there before the program, which then runs here as well.
function takeFirst() {
  const { name, document, done } = FACTS.examples[0], running = takeExample(name);
  showDone({ ...done, bytes: new TextEncoder().encode(done.stdout), files: {} }, {}, document);
  say('Worked out when this page was made; the program begins…');
  return running;
}

async function keepAddress() {
  const letters = await packedCase();
  const address = letters.length <= LONGEST_LINK ? `#${letters}` : '#';
  RUNS.address = address;
  if (location.hash !== address) history.replaceState(null, '', address);
}

async function copy(text, words) {
  try {
    await navigator.clipboard.writeText(text);
  } catch (refused) {
    // A page that was opened as a file may not be given the clipboard's newer way.
    const area = element('textarea', { value: text });
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  say(words);
}

async function share() {
  const letters = await packedCase(), address = new URL(`#${letters}`, location.href).href;
  if (letters.length > LONGEST_LINK) return say(tooLong(letters.length));
  const count = letters.length.toLocaleString('en');
  return copy(address, `The link is copied: all of the case, in ${count} letters.`);
}

async function follow(hash) {
  if (hash.length < 2) return takeFirst();
  if (hash === RUNS.address) return null;
  try {
    Object.assign(CASE, await unpackedCase(hash.slice(1)));
  } catch (broken) {
    await takeExample(FACTS.examples[0].name);
    return say('The link is not whole: this is the first example.');
  }
  return showNow();
}

// ---- the page begins ----

function fill() {
  at('examples').append(element('option', { value: '' }, 'your own'),
    ...FACTS.examples.map(({ name, title }) => element('option', { value: name }, `${name}: ${title}`)));
  at('command').append(...FACTS.commands.map(({ name, help }) =>
    element('option', { value: name, title: help }, name)));
  chooseTab('document');
  tabs(at('given').querySelector('[role=tablist]'), (id) => chooseTab(id.slice('tab-'.length)));
  tabs(at('views'), (id) => {
    CASE.view = id.slice('view-'.length);
    showCase();
    run();
  });
  begunEditor(() => {
    CASE.document = EDITOR.area.value;
    changed();
  });
}

function listen() {
  const on = (id, event, act) => at(id).addEventListener(event, act);
  on('examples', 'change', ({ target }) => target.value && takeExample(target.value));
  on('command', 'change', ({ target }) => {
    CASE.command = target.value;
    const has = new Set(optionsOf().map(({ name }) => name));
    const kept = Object.entries(CASE.options).filter(([name]) => has.has(name));
    CASE.options = Object.fromEntries(kept);
    showNow();
  });
  on('find', 'input', findOptions);
  on('options', 'submit', (event) => event.preventDefault());
  on('clear', 'click', () => {
    CASE.options = {};
    changedAll();
  });
  on('open', 'click', () => at('one').click());
  on('add', 'click', () => at('several').click());
  on('one', 'change', async ({ target }) => {
    await openDocument(target.files[0]);
    target.value = '';
    showNow();
  });
  on('several', 'change', async ({ target }) => {
    for (const file of target.files) await addFile(file);
    target.value = '';
    showNow();
  });
  on('save', 'click', () => saved(DOCUMENT, new TextEncoder().encode(CASE.document)));
  on('keep', 'click', () => saved(SHOWN.name, SHOWN.bytes));
  on('copy', 'click', () => copy(lineOf(), 'The command line is copied.'));
  on('share', 'click', share);
  on('run', 'click', run);
  on('stop', 'click', stopRun);
  addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run();
  });
  // By the event: a run that ends meanwhile has put its own address in the new one's place.
  addEventListener('hashchange', ({ newURL }) => follow(new URL(newURL).hash));
  addEventListener('dragover', (event) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    at('drop').hidden = false;
  });
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (!relatedTarget) at('drop').hidden = true;
  });
  addEventListener('drop', async (event) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    at('drop').hidden = true;
    await addDropped(event.dataTransfer.files);
    if (CASE.files.size > 0 && CASE.document === '') chooseTab('files');
    showNow();
  });
}

fill();
listen();
follow(location.hash);
