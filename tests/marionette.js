'use strict';
// Firefox, driven by its own protocol (Marionette): what suites share that ask its engine too.

const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');
const { spawn } = require('child_process');

// A free one, so that suites may run next to each other.
function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function connect(port) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}

async function begun(port, tries) {
  try {
    return await connect(port);
  } catch (absent) {
    if (tries === 0) throw absent;
    await new Promise((resolve) => setTimeout(resolve, 250));
    return begun(port, tries - 1);
  }
}

// A message is LENGTH:JSON.
function speak(socket) {
  const waiting = new Map();
  let bytes = Buffer.alloc(0), count = 0;
  socket.on('data', (more) => {
    bytes = Buffer.concat([bytes, more]);
    for (let colon; (colon = bytes.indexOf(':')) >= 0;) {
      const end = colon + 1 + Number(bytes.subarray(0, colon));
      if (bytes.length < end) return;
      const message = JSON.parse(bytes.subarray(colon + 1, end));
      bytes = bytes.subarray(end);
      if (!Array.isArray(message)) continue; // what it says of itself at first
      const [, id, error, result] = message, { resolve, reject } = waiting.get(id);
      if (error) reject(new Error(error.message));
      else resolve(result);
    }
  });
  return (name, parameters) => new Promise((resolve, reject) => {
    const text = JSON.stringify([0, ++count, name, parameters]);
    waiting.set(count, { resolve, reject });
    socket.write(`${Buffer.byteLength(text)}:${text}`);
  });
}

// Calls work(say) with a Firefox that has begun; it and its profile go when work is done.
async function withFirefox(firefox, work) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'selfattn-firefox-')), port = await freePort();
  fs.writeFileSync(path.join(folder, 'user.js'), `user_pref("marionette.port", ${port});\n`);
  const browser = spawn(firefox, ['--headless', '--marionette', '--profile', folder], { stdio: 'ignore' });
  browser.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  try {
    const say = speak(await begun(port, 240));
    await say('WebDriver:NewSession', {});
    await work(say, folder);
  } finally {
    browser.kill();
  }
}

module.exports = { withFirefox };
