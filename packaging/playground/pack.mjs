// node pack.mjs PROGRAM: the playground on standard output, one page that has all in it: the program for
// WebAssembly, the shim and the module of the package for npm, and the tables that the page's forms are
// made of, which are what the program itself says of its options, examples and keys.
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { load } from "../npm/index.mjs";

const program = readFileSync(process.argv[2]);
const selfattn = await load(program);

async function says(args, stdin = "") {
  const { status, stdout, stderr } = await selfattn.command(args, { stdin });
  if (status !== 0) throw new Error(`selfattn ${args.join(" ")}: ${stderr}`);
  return stdout;
}

function read(name) {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}

// ---- what the program says of itself ----

/** What zsh is told: in quotes, of an option its name, whether a value follows, its help, what stands
 * for the value, and which words it may be. */
function option(line) {
  const text = line.replace(/^ *'|'$/g, "").replaceAll("'\\''", "'");
  const parts = /^\*--([a-z0-9-]+)(=-|=|)\[((?:\\.|[^\]\\])*)\](?:::?((?:\\.|[^:\\])*):(.*))?$/.exec(text);
  if (!parts) return null;
  const [, name, value, help, metavar = "", what = ""] = parts;
  const plain = (words) => words.replace(/\\(.)/g, "$1");
  const words = /^\((.*)\)$|^_values -s , word (.*)$/.exec(what);
  return {
    name, help: plain(help), metavar: plain(metavar), isFlag: value === "", isOptional: value === "=-",
    isFile: what === "_files", words: words ? (words[1] ?? words[2]).split(" ") : [],
  };
}

const table = new Map(); // all options, by their names

/** Its options, which are those of the table, under the headings of its help. */
async function command(name, help, options) {
  const lines = (await says([name, "--help"])).split("\n");
  const groups = [];
  for (const line of lines) {
    const named = /^ {2}(?:-([a-zA-Z]), | {4})--([a-z0-9-]+)/.exec(line);
    const one = named && options.find((other) => other.name === named[2]);
    if (one) groups.at(-1).options.push(keep({ ...one, letter: named[1] ?? "" }));
    else if (/^[A-Z]/.test(line)) groups.push({ title: line, options: [] });
  }
  const of = { name, help, usage: lines[0].replace(/^.*\.\.\. /, ""),
    groups: groups.filter((group) => group.options.length > 0) };
  const found = of.groups.reduce((sum, group) => sum + group.options.length, 0);
  if (found !== options.length || found === 0)
    throw new Error(`${name} has ${options.length} options, and its help ${found}`);
  return of;
}

function keep(one) {
  const there = table.get(one.name) ?? one;
  if (JSON.stringify(there) !== JSON.stringify(one)) throw new Error(`there are two --${one.name}`);
  table.set(one.name, one);
  return one.name;
}

async function commands() {
  const lines = (await says(["help", "--completion", "zsh"])).split("\n");
  const helps = new Map(), options = new Map();
  let name;
  for (const line of lines) {
    const verb = /^ {8}'([a-z]+):(.*)'$/.exec(line), begins = /^ {4}([a-z]+|\*)\) options=/.exec(line);
    if (begins) name = begins[1] === "*" ? [...helps.keys()][0] : begins[1];
    else if (verb && !name) helps.set(verb[1], verb[2].replaceAll("'\\''", "'").replace(/\\(.)/g, "$1"));
    else if (name && option(line)) options.set(name, [...options.get(name) ?? [], option(line)]);
  }
  const all = [...helps].map(([one, help]) => command(one, help, options.get(one)));
  return (await Promise.all(all)).filter(({ usage }) => /DOCUMENT|^\[FILE\]/.test(usage));
}

async function examples() {
  const list = (await says(["example"])).trimEnd().split("\n").map((line) => line.split(/ +(.*)/));
  const all = await Promise.all(list.map(async ([name, title]) => {
    const line = `selfattn example ${name} \\| selfattn ([a-z]+) --trace`;
    return { name, title, command: new RegExp(line).exec(await says(["help", name]))[1] };
  }));
  // The one that is shown first is there before the program is, and so is what comes of it.
  const [first] = all;
  first.document = await says(["example", first.name]);
  const { status, stdout, stderr } = await selfattn.command([first.command, "--trace", "document.json"],
    { files: { "document.json": first.document } });
  first.done = { status, stdout, stderr };
  return all;
}

// ---- one page ----

/** For a policy: this very text (Content Security Policy Level 3, section 2.3.1). */
function hash(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** A page of the program has a style and a script of its own, which it names. */
const trace = await says(["--trace-format", "html", "-"], '{"x": [[1]]}');
const theirs = Object.fromEntries(["style-src", "script-src"].map((kind) =>
  [kind, new RegExp(`${kind} ([^;]*);`).exec(trace)[1]]));

const parts = ["begin", "json", "editor", "options", "files", "link", "start"];
const script = `"use strict";\n${parts.map((name) => read(`${name}.js`)).join("\n")}`;
const style = read("../../src/render/page/palette.css") + read("page.css");
// A page that is opened as a file may begin no module in a worker. So what the module imports stands
// before it, with its own names in brackets, and is imported no more.
const shim = read("../npm/wasi.mjs").replace(/^export /m, "");
const module = read("../npm/index.mjs").replace(/^import \{ Run \} .*$/m,
  () => `const { Run } = (() => {\n${shim}\nreturn { Run };\n})();`)
  .replace(/^export /m, "").replaceAll("import.meta.url", "location.href");
const worker = `${module}\n${read("worker.js")}`;
const facts = { commands: await commands(), options: Object.fromEntries(table), examples: await examples() };
const data = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");
const policy = [
  "default-src 'none'", `style-src ${hash(style)} ${theirs["style-src"]}`,
  `script-src ${hash(script)} ${theirs["script-src"]} 'wasm-unsafe-eval'`,
  "worker-src blob:", "frame-src blob:", "img-src blob:", "base-uri 'none'", "form-action 'none'",
];
const slots = {
  policy: policy.join("; "), style, script, worker, version: (await says(["--version"])).split(" ")[1],
  facts: data(facts), schema: data(JSON.parse(await says(["help", "schema"]))),
  program: execFileSync("gzip", ["-n9"], { input: program, maxBuffer: 1 << 28 }).toString("base64"),
};
for (const name of ["script", "worker"])
  if (/<\/script|<!--/i.test(slots[name])) throw new Error(`the ${name} would end its element`);
process.stdout.write(read("page.html").replace(/\{\{([a-z]+)\}\}/g, (slot, name) => slots[name]));
