// After the package's module: runs command lines, one after the other, so that the page stays alive
// meanwhile. One message is the program, gzip in base64; each other one a command line, which waits.

let arrived;
const program = new Promise((done) => { arrived = done; }).then(unpack).then(load);

function unpack(base64) {
  const letters = atob(base64), packed = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i); // in no time, unlike from()
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const headers = { "content-type": "application/wasm" };
  return WebAssembly.compileStreaming(new Response(stream, { headers }));
}

onmessage = async ({ data }) => {
  if (typeof data === 'string') {
    arrived(data);
    return;
  }
  const { id, args, files } = data;
  try {
    const selfattn = await program, begun = performance.now();
    const done = await selfattn.command(args, { files });
    postMessage({ id, ...done, took: performance.now() - begun });
  } catch (error) {
    // Not in the program's words: what it needs, such as memory, is not to be had here.
    postMessage({ id, status: 2, stdout: "", bytes: new Uint8Array(0), files, took: 0,
      stderr: `selfattn: the browser ended the program: ${error.message}\n` });
  }
};
