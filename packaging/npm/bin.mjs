#!/usr/bin/env node
// The command line: the program for WebAssembly, which sees the files that the native one would.
import { readFileSync } from "node:fs";
import { parse, sep } from "node:path";
import { setFlagsFromString } from "node:v8";

// Node 20 and 22 end with a fault at an exit that comes while code is compiled, unless it is returned
// from (returnOnExit); and where it is returned from, unless functions are called the long way.
setFlagsFromString("--no-turbo-fast-api-calls");

// Node calls WASI experimental on standard error, where the program's own words belong.
process.removeAllListeners("warning");
const { WASI } = await import("node:wasi");

const { root } = parse(process.cwd());
const wasi = new WASI({
  version: "preview1",
  args: ["selfattn", ...process.argv.slice(2)],
  env: { ...process.env, PWD: "/" + process.cwd().slice(root.length).replaceAll(sep, "/") },
  preopens: { "/": root },
  returnOnExit: true,
});
const program = readFileSync(new URL("selfattn.wasm", import.meta.url));
const { instance } = await WebAssembly.instantiate(program, wasi.getImportObject());
process.exitCode = wasi.start(instance);
