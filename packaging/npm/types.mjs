// types.mjs: what `help schema` says of documents, from standard input, as types of TypeScript.
import { readFileSync } from "node:fs";

const schema = JSON.parse(readFileSync(0, "utf8"));
const named = new Map(); // the definitions that are used, in that order

function capital(name) {
  return name.split(/[ _]/).map((word) => word[0].toUpperCase() + word.slice(1)).join("");
}

function reference(address) {
  const name = address.split("/").pop();
  if (!named.has(name)) {
    named.set(name, "");
    named.set(name, type(schema.$defs[name]));
  }
  return capital(name);
}

function members({ properties = {}, required = [], additionalProperties, patternProperties }) {
  const lines = Object.entries(properties).flatMap(([name, one]) => [
    ...one.description ? [`  /** ${one.description} */`] : [],
    `  ${name}${required.includes(name) ? "" : "?"}: ${type(one).replaceAll("\n", "\n  ")};`,
  ]);
  if (typeof additionalProperties === "object")
    lines.push(`  [name: string]: ${type(additionalProperties)};`);
  if (patternProperties) lines.push("  [comment: `_${string}`]: unknown;");
  return `{\n${lines.join("\n")}\n}`;
}

const SIMPLE = { integer: "number", number: "number", string: "string", boolean: "boolean",
  null: "null" };

function type(one) {
  if (one.$ref) return reference(one.$ref);
  if (one.enum) return one.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (one.anyOf) return one.anyOf.map(type).join(" | ");
  if (one.type === "array") return `Array<${type(one.items)}>`;
  if (one.type === "object") return members(one);
  return [one.type].flat().map((name) => SIMPLE[name]).join(" | ");
}

const document = ["attention", "stack"].map((name) => reference(`#/$defs/${name}`)).join(" | ");
const types = [...named].map(([name, text]) => {
  const { description } = schema.$defs[name];
  const comment = description ? `/** ${description} */\n` : "";
  const numbers = name === "matrix" || name === "mask" ? " | Tensor" : "";
  return `${comment}export type ${capital(name)} = ${text}${numbers};`;
});
console.log(`// Made by \`make npm\` of \`selfattn help schema\`.

${types.join("\n\n")}

/** What is computed: an object, or the text of one in JSON. */
export type Document = ${document} | string;
${readFileSync(new URL("index.d.ts.in", import.meta.url), "utf8").trimEnd()}`);
