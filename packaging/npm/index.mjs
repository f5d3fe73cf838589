// selfattn in JavaScript: the program itself, over files in memory, with its bits and its words.
import { Run } from "./wasi.mjs";

const encoder = new TextEncoder(), decoder = new TextDecoder();
const TYPES = { F32: Float32Array, F64: Float64Array };
const WITHOUT_TENSORS = ["format", "output", "help", "version"];

/** Compiles the program, which lies next to this file, or is what is given. */
export async function load(source = new URL("selfattn.wasm", import.meta.url)) {
  if (source instanceof WebAssembly.Module) return new Selfattn(source);
  const bytes = ArrayBuffer.isView(source) || source instanceof ArrayBuffer ? source
    : await read(new URL(source, import.meta.url));
  return new Selfattn(await WebAssembly.compile(bytes));
}

async function read(address) {
  if (address.protocol !== "file:") return (await fetch(address)).arrayBuffer();
  const files = "node:fs/promises"; // a name in a variable: bundlers for browsers leave it alone
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ files)).readFile(address);
}

class Selfattn {
  #module;

  constructor(module) {
    this.#module = module;
  }

  /** A command line: what it writes, and the files that are there afterwards. */
  async command(args, { stdin = "", files = {}, env = {} } = {}) {
    const given = Object.entries(files).map(([name, content]) => [name, bytesOf(content)]);
    const run = new Run(["selfattn", ...args],
      { stdin: bytesOf(stdin), files: Object.fromEntries(given), env });
    const status = await run.start(this.#module);
    const left = [...run.files].map(([name, content]) => [name, content.bytes]);
    return {
      status, bytes: run.output.bytes, stdout: decoder.decode(run.output.bytes),
      stderr: decoder.decode(run.said.bytes), files: Object.fromEntries(left),
    };
  }

  /** The stages that are written, by name: weights and output, unless emit says otherwise; none
   * where write has them in files. */
  async run(document, settings = {}) {
    for (const name of WITHOUT_TENSORS)
      if (settings[name] != null && !(name === "format" && settings[name] === "safetensors"))
        throw new TypeError(`${name}: run gives tensors; command is for what the program writes`);
    const args = ["run", "--format=safetensors", ...options(settings), "-"];
    const { bytes } = await this.#done(args, { stdin: packed(document) });
    return bytes.length === 0 ? {} : unpacked(bytes);
  }

  /** Throws an AssertionError, which says where and why, if what another program made of the
   * document, its stages, is not what selfattn computes; else the line that says that it holds. */
  async check(actual, document, { why = true, ...settings } = {}) {
    const args = ["check", "--actual=actual", ...why ? ["--why"] : [], ...options(settings), "-"];
    const files = { actual: packed(actual) };
    return (await this.#done(args, { stdin: packed(document), files })).stdout.trimEnd();
  }

  async #done(args, world) {
    const done = await this.command(args, world);
    if (done.status === 1)
      throw Object.assign(new Error(done.stdout.trimEnd()), { name: "AssertionError" });
    if (done.status !== 0) throw new Error(done.stderr.trimEnd());
    return done;
  }
}

function bytesOf(content) {
  if (typeof content === "string") return encoder.encode(content);
  return ArrayBuffer.isView(content)
    ? new Uint8Array(content.buffer, content.byteOffset, content.byteLength)
    : new Uint8Array(content);
}

/** The program's options with _ for -: true is the bare option, false is --no-NAME, a list goes
 * with commas, an object gives the option once for each of its items, and undefined leaves it out. */
function options(settings) {
  return Object.entries(settings).flatMap(([name, value]) => {
    const option = name.replaceAll("_", "-");
    if (value === undefined || value === null) return [];
    if (value === true) return [`--${option}`];
    if (value === false) return [`--no-${option}`];
    if (typeof value === "object" && !Array.isArray(value))
      return Object.entries(value).map(([of, one]) => `--${option}=${of}=${one}`);
    return [`--${option}=${Array.isArray(value) ? value.join() : value}`];
  });
}

function isTensor(value) {
  return ArrayBuffer.isView(value?.data) && Array.isArray(value.shape);
}

/** Its shape says how many numbers it has. */
function checked(name, tensor) {
  const { shape, data } = tensor, count = shape.reduce((product, one) => product * one, 1);
  if (data.length === count) return tensor;
  throw new TypeError(`${name} has ${data.length} numbers, and its shape, ${shape.join(" x ")}, ` +
    `makes ${count}`);
}

/** As safetensors where all of it is tensors and numbers, else as JSON. */
function packed(document) {
  if (typeof document === "string") return document;
  const values = Object.entries(document);
  const packs = values.length > 0 && values.every(([, value]) =>
    typeof value === "number" || (isTensor(value) && dtypeOf(value)));
  return packs ? safetensors(values) : JSON.stringify(document, plain);
}

function dtypeOf({ data }) {
  return Object.keys(TYPES).find((name) => data instanceof TYPES[name]);
}

function safetensors(values) {
  const header = {}, parts = [];
  let at = 0;
  for (const [name, value] of values) {
    const one = isTensor(value) ? checked(name, value)
      : { shape: [], data: new Float64Array([value]) };
    const bytes = bytesOf(one.data);
    header[name] = { dtype: dtypeOf(one), shape: one.shape, data_offsets: [at, at + bytes.length] };
    at += bytes.length;
    parts.push(bytes);
  }
  const text = encoder.encode(JSON.stringify(header)), all = new Uint8Array(8 + text.length + at);
  new DataView(all.buffer).setBigUint64(0, BigInt(text.length), true);
  all.set(text, 8);
  at = 8 + text.length;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** For JSON, which has no typed arrays, and no numbers that are not finite. */
function plain(key, value) {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (isTensor(value)) return nested(checked(key, value).data, value.shape);
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
}

function nested(data, shape, from = 0) {
  if (shape.length === 0) return data[from];
  const size = shape.slice(1).reduce((product, one) => product * one, 1);
  return Array.from({ length: shape[0] }, (_, i) => nested(data, shape.slice(1), from + i * size));
}

function unpacked(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = 8 + Number(view.getBigUint64(0, true));
  const header = JSON.parse(decoder.decode(bytes.subarray(8, start)));
  delete header.__metadata__;
  return Object.fromEntries(Object.entries(header).map(([name, { dtype, shape, data_offsets }]) => {
    const part = bytes.slice(start + data_offsets[0], start + data_offsets[1]);
    return [name, { shape, data: new TYPES[dtype](part.buffer) }];
  }));
}
