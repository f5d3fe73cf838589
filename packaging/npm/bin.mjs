#!/usr/bin/env node
// The command line: the program for WebAssembly, which sees the files that the native one would.
import { readFileSync } from "node:fs";
import { parse, sep } from "node:path";

// Node calls WASI experimental on standard error, where the program's own words belong.
process.removeAllListeners("warning");
const { WASI } = await import("node:wasi");

const { root } = parse(process.cwd());
const wasi = new WASI({
  version: "preview1",
  args: ["selfattn", ...process.argv.slice(2)],
  env: { ...process.env, PWD: "/" + process.cwd().slice(root.length).replaceAll(sep, "/") },
  preopens: { "/": root },
  returnOnExit: false, // to come back from an exit, Node 20 at times ends with a fault
});
const program = readFileSync(new URL("selfattn.wasm", import.meta.url));
const { instance } = await WebAssembly.instantiate(program, wasi.getImportObject());
wasi.start(instance);
