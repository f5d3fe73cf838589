// node load.mjs PROGRAM: what the module gives is what PROGRAM, the native one, gives.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import assert from "node:assert/strict";
import { load } from "selfattn";

const [program] = process.argv.slice(2);
const selfattn = await load();
const tensor = (shape, ...numbers) => ({ shape, data: new Float32Array(numbers) });

// All documents that can be computed, as texts and as objects; the bytes of a result are those of
// the file.
const names = readdirSync("testdata", { recursive: true }).filter((name) => /\.json$/.test(name));
const words = ["run", "--quiet", "--format", "safetensors", "-"];
let computed = 0;
for (const name of names) {
  const text = readFileSync(`testdata/${name}`, "utf8");
  const { status, stdout: here } = spawnSync(program, words, { input: text });
  if (status !== 0) continue;
  computed++;
  const there = await selfattn.command(words, { stdin: text });
  assert(here.equals(there.bytes), name);
  for (const document of [text, JSON.parse(text)]) {
    const stages = await selfattn.run(document);
    const bytes = Object.values(stages).map(({ data }) => Buffer.from(data.buffer));
    assert(here.subarray(8 + Number(here.readBigUInt64LE())).equals(Buffer.concat(bytes)), name);
  }
}
assert(computed > 150);

// Typed arrays, in a document of nothing else and next to words, and lists.
const x = tensor([2, 2], 1, 2, 3, 4);
const wanted = await selfattn.run({ x: [[1, 2], [3, 4]], heads: 2, causal: true });
assert.deepEqual(wanted.weights.shape, [2, 2, 2]);
assert.deepEqual(await selfattn.run({ x, heads: 2 }, { causal: true }), wanted);
assert.deepEqual(await selfattn.run({ x, heads: 2, causal: true }), wanted);
assert.deepEqual(await selfattn.run({ x, heads: 2, causal: true }, { causal: undefined }), wanted);
assert.deepEqual((await selfattn.run({ x }, { emit: ["scaled", "x"], dtype: "f64" })).x,
  { shape: [2, 2], data: new Float64Array([1, 2, 3, 4]) });
const bias = tensor([2, 2], 0, -Infinity, 0, 0);
const masked = await selfattn.run({ x, bias, name: "a" }, { emit: "masked" });
assert.equal(masked.masked.data[1], -Infinity);
assert.deepEqual(await selfattn.run({ x, bias }, { emit: "masked" }), masked);

// Its words.
await assert.rejects(selfattn.run({ x, heads: 3 }), /is not a multiple of the 3 heads/);
await assert.rejects(selfattn.run({ x }, { haeds: 3 }), /did you mean --heads\?/);
for (const name of ["format", "output", "help"])
  await assert.rejects(selfattn.run({ x }, { [name]: "a.npz" }),
    { name: "TypeError", message: new RegExp(`^${name}: run gives tensors`) });
assert.deepEqual(await selfattn.run({ x }, { write: { weights: "a.csv" } }), {});

// A tensor's shape says how many numbers it has, in whatever document.
for (const numbers of [3, 5])
  for (const more of [{}, { name: "a" }])
    await assert.rejects(
      selfattn.run({ x: { shape: [2, 2], data: new Float32Array(numbers) }, ...more }),
      { name: "TypeError", message: `x has ${numbers} numbers, and its shape, 2 x 2, makes 4` });
const wrong = await selfattn.run({ x }, { scale: "none" });
await assert.rejects(selfattn.check(wrong, { x }, { tol: 1e-5 }),
  { name: "AssertionError", message: /why: scale-missing: scores are not scaled/ });
await assert.rejects(selfattn.check(wrong, { x }, { why: false }), ({ message }) =>
  !message.includes("why"));
const right = await selfattn.run({ x });
assert.match(await selfattn.check(right, { x }, { tol: { weights: 1e-5, output: 1e-5 } }), /^ok /);

// Files in memory: folders, one in place of another, what is not there, one that takes all.
const document = '{"x": [[1, 2]]}';
const files = { "in/a.json": document, "in/b.json": document, "c.json": document };
const done = await selfattn.command(["in/../c.json", "-o", "out.npy", "--emit", "x"],
  { files: { ...files, "out.npy": "an old one, which is longer than what goes into its place" } });
assert.equal(done.stderr, "");
assert.deepEqual(Object.keys(done.files).sort(), ["c.json", "in/a.json", "in/b.json", "out.npy"]);
assert.equal(done.files["out.npy"].length, 128 + 8);
const checked = await selfattn.command(["check", "--tap", "in"], { files });
assert.match(checked.stdout, /a\.json[^]*b\.json/);
assert.doesNotMatch(checked.stdout, /c\.json/);
assert.match((await selfattn.command(["d.json"])).stderr, /d\.json: cannot be read: No such file/);
assert.match((await selfattn.command(["-o", "no/o.json", "-"], { stdin: document })).stderr,
  /no\/o\.json: cannot be written: No such file/);
assert.equal((await selfattn.command(["-o", "/dev/null", "-"], { stdin: document })).status, 0);
const examples = (await selfattn.command(["example", "--all", "all"])).files;
assert(Object.keys(examples).length > 20 && examples["all/index.html"].length > 1000);
const updated = await selfattn.command(["check", "--update", "u.json"],
  { files: { "u.json": '{"x": [[1, 2]], "expected": {"output": [[1, 3]]}}' } });
assert.match(new TextDecoder().decode(updated.files["u.json"]), /"output": \[\s*\[1, 2\]\s*\]/);
assert.match((await selfattn.command(["help"], { env: { COLUMNS: "40" } })).stdout, /Usage/);
const bytes = readFileSync(new URL(import.meta.resolve("selfattn/selfattn.wasm")));
assert.deepEqual(await (await load(bytes)).run({ x }), right);
