// Options as a form, made of what the program says of them, and the command line that they make.

// Each way to look at a result: the option that it needs, and the file that shows it, or standard
// output, to which a command of one document writes that.
const VIEWS = [
  { name: 'trace', label: 'Trace', option: 'trace', value: true, usage: /\.\.\.$/ },
  { name: 'trace', label: 'Trace', option: 'trace-output', value: 'trace.txt', isFile: true, usage: /\]$/ },
  { name: 'result', label: 'Result' },
  { name: 'page', label: 'Page', option: 'trace-output', value: 'page.html', isFile: true },
  { name: 'picture', label: 'Picture', option: 'picture', value: 'weights.svg', isFile: true },
];
const DOCUMENT = 'document.json';
// What is being looked at: all that a link holds.
const CASE = { document: '', command: 'run', view: 'trace', options: {}, files: new Map() };

function commandOf(name = CASE.command) {
  return FACTS.commands.find((one) => one.name === name);
}

function optionsOf(name) {
  return commandOf(name).groups.flatMap((group) => group.options).map((one) => FACTS.options[one]);
}

function viewsOf() {
  const has = new Set(optionsOf().map(({ name }) => name));
  return VIEWS.filter(({ option, usage = /^/ }) =>
    (!option || has.has(option)) && usage.test(commandOf().usage));
}

function viewOf() {
  const views = viewsOf();
  return views.find(({ name }) => name === CASE.view) ?? views[0];
}

// ---- the command line ----

function written({ name, metavar, isFlag, isOptional }, value) {
  if (value === true && (isFlag || isOptional)) return [`--${name}`];
  if (isOptional) return [`--${name}=${value}`];
  // One that takes NAME=VALUE may be given for several names.
  const values = /^[A-Z]+=/.test(metavar) ? value.trim().split(/\s+/) : [value];
  return values.flatMap((one) => (one.startsWith('-') ? [`--${name}=${one}`] : [`--${name}`, one]));
}

function argsOf() {
  const { option, value } = viewOf(), all = { ...option && { [option]: value }, ...CASE.options };
  const options = optionsOf().filter(({ name }) => name in all)
    .flatMap((one) => written(one, all[one.name]));
  const document = CASE.document.trim() === '' ? [] : [DOCUMENT];
  const operands = commandOf().usage.includes('DOCUMENT') ? document : [...document, ...CASE.files.keys()];
  return [CASE.command, ...options, ...operands];
}

// The file that shows the result, or null: standard output.
function shownFile() {
  const { option, isFile, value } = viewOf();
  return isFile ? CASE.options[option] ?? value : null;
}

function lineOf() {
  const quoted = (word) => (/^[\w.,:=@%+/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  return ['selfattn', ...argsOf()].map(quoted).join(' ');
}

// ---- the form ----

function isSet(name) {
  return name in CASE.options;
}

function set(name, value) {
  if (value === '' || value === false) delete CASE.options[name];
  else CASE.options[name] = value;
}

function field(one) {
  const { name, help, metavar, isFlag, isOptional, isFile, words } = one, value = CASE.options[name];
  const id = `option-${name}`, row = element('div', { className: 'option' }), inputs = [];
  row.dataset.words = `${name} ${help}`.toLowerCase();
  row.classList.toggle('set', isSet(name));
  row.classList.toggle('wrong', RUNS.wrong.includes(name));
  const put = (given) => {
    set(name, given);
    row.classList.toggle('set', isSet(name));
    row.classList.remove('wrong');
    changed();
  };
  if (isFlag || isOptional) {
    const box = element('input', { type: 'checkbox', id, checked: isSet(name) });
    box.addEventListener('change', () => put(box.checked && (inputs[1]?.value || true)));
    inputs.push(box);
  }
  if (!isFlag) {
    const isFew = words.length > 0 && words.length < 5;
    const input = element('input', { type: 'text', id: isOptional ? `${id}-value` : id,
      placeholder: isFew ? words.join(' | ') : metavar, spellcheck: false, autocomplete: 'off',
      value: typeof value === 'string' ? value : '' });
    if (isOptional) input.setAttribute('aria-label', `${name}: ${metavar}`);
    input.setAttribute('autocapitalize', 'off');
    const offered = isFile ? [...words, ...CASE.files.keys()] : words;
    if (offered.length > 0) {
      input.setAttribute('list', `${id}-words`);
      row.append(element('datalist', { id: `${id}-words` },
        ...offered.map((word) => element('option', { value: word }))));
    }
    input.addEventListener('input', () => {
      if (isOptional) inputs[0].checked = inputs[0].checked || input.value !== '';
      put(isOptional ? inputs[0].checked && (input.value || true) : input.value);
    });
    inputs.push(input);
  }
  const label = element('label', { htmlFor: id }, name);
  const said = element('p', { id: `${id}-help` }, help);
  const more = element('button', { type: 'button', className: 'more' }, '?');
  more.title = `selfattn help --${name}`;
  more.setAttribute('aria-label', `More about ${name}`);
  more.addEventListener('click', () => explain(row, name));
  inputs.forEach((input) => input.setAttribute('aria-describedby', said.id));
  row.append(label, ...inputs, more, said);
  return row;
}

// In the program's own words, which go when they are asked for again.
async function explain(row, name) {
  const there = row.querySelector('pre');
  if (there) return there.remove();
  const done = await command(['help', `--${name}`]);
  if (done) row.append(element('pre', { tabIndex: 0 }, done.stdout.trimEnd()));
}

// Made when it is opened for the first time.
function buildForm() {
  at('options').replaceChildren(...commandOf().groups.map(({ title, options }) =>
    element('details', {}, element('summary', {}, title),
      ...options.map((one) => field(FACTS.options[one])))));
  findOptions();
}

function findOptions() {
  const word = at('find').value.trim().toLowerCase();
  for (const row of at('options').querySelectorAll('.option'))
    row.hidden = !row.dataset.words.includes(word);
  for (const [i, group] of Array.from(at('options').children).entries()) {
    const options = commandOf().groups[i].options.map((one) => FACTS.options[one]);
    const files = options.filter(({ isFile }) => isFile).length;
    group.hidden = !group.querySelector('.option:not([hidden])');
    // What takes files is of use where there are some.
    group.open = word !== '' || CASE.files.size > 0 || files * 2 < options.length
      || options.some(({ name }) => isSet(name));
  }
}
