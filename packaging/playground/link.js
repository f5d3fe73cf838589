// A case as a link: after # a line of JSON and, after it, the bytes of its files, all of it compressed,
// in the letters of addresses. No browser sends what is after #.

const LONGEST_LINK = 32000; // letters; longer ones are cut by address bars, and by what sends messages

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function packedCase() {
  const { files, ...rest } = CASE, sizes = Array.from(files, ([name, bytes]) => [name, bytes.length]);
  const head = new TextEncoder().encode(`${JSON.stringify({ ...rest, files: sizes })}\n`);
  const bytes = await through(new CompressionStream('deflate-raw'), new Blob([head, ...files.values()]));
  let letters = '';
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

// Only what a case may hold: anybody can write a link.
async function unpackedCase(letters) {
  const text = atob(letters.replaceAll('-', '+').replaceAll('_', '/'));
  const packed = Uint8Array.from(text, (one) => one.charCodeAt(0));
  const bytes = await through(new DecompressionStream('deflate-raw'), packed), end = bytes.indexOf(10);
  const given = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))), files = new Map();
  let from = end + 1;
  for (const [name, size] of given.files) {
    files.set(String(name), bytes.slice(from, from + size));
    from += size;
  }
  const options = Object.entries(given.options).filter(([name, value]) =>
    Object.hasOwn(FACTS.options, name) && (value === true || typeof value === 'string'));
  return {
    document: String(given.document), command: commandOf(given.command) ? given.command : 'run',
    view: String(given.view), options: Object.fromEntries(options), files,
  };
}

function tooLong(letters) {
  const [count, most] = [letters, LONGEST_LINK].map((one) => one.toLocaleString('en'));
  return `This case makes a link of ${count} letters, and ${most} are as many as an address bar takes. `
    + 'Save the document, and hand it on with its files.';
}
