// What who writes TypeScript does with the package, by its types.
import { load, type Document, type Tensor } from "selfattn";

async function main(): Promise<void> {
  const selfattn = await load();
  const q: Tensor = { shape: [1, 2], data: new Float32Array(2) };
  const document: Document = {
    q, k: [[1, 2]], v: [[1, "-inf"]], heads: 1, causal: "upper-left", rope: { base: 10 }, _why: 3,
  };
  const { output } = await selfattn.run(document, { emit: ["output"], dtype: "f64", scale: 0.5 });
  const settings = { why: false, tol: { output: 1 } };
  const words: string = await selfattn.check({ output }, document, settings);
  const done = await selfattn.command(["info", "a.npy"], { files: { "a.npy": new Uint8Array(9) } });
  console.log(output.data.length, output.shape, words, done.status, done.files["a.npy"].length);
}

main();
