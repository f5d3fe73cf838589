// node wasi.mjs PROGRAM ARGUMENT...: runs a program for WASI, which sees the current folder and /tmp.
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { WASI } from "node:wasi";

setFlagsFromString("--no-turbo-fast-api-calls"); // packaging/npm/bin.mjs says why
const [program, ...args] = process.argv.slice(2);
const wasi = new WASI({
    version: "preview1",
    args: ["selfattn", ...args],
    env: process.env,
    preopens: { ".": ".", "/tmp": "/tmp" },
    returnOnExit: true,
});
const { instance } = await WebAssembly.instantiate(readFileSync(program), wasi.getImportObject());
process.exitCode = wasi.start(instance);
