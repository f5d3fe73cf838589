// The part of WASI (preview 1) that the program calls, over files in memory: what a browser has in
// place of node:wasi.

const SUCCESS = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOTDIR = 54;
const IS_DEVICE = 2, IS_FOLDER = 3, IS_FILE = 4, IS_STREAM = 6;
const STREAMS = 3; // descriptors below it; this one is the folder that everything is in
const CREATE = 1, ONLY_FOLDERS = 2, ONLY_NEW = 4, EMPTY = 8, APPEND = 1;
const encoder = new TextEncoder(), decoder = new TextDecoder();

class Ended extends Error {
  constructor(status) {
    super(`ended with status ${status}`);
    this.status = status;
  }
}

/** What can be read and written: bytes, as many as have been written. */
class Content {
  constructor(bytes = new Uint8Array(0)) {
    this.room = bytes;
    this.size = bytes.length;
  }

  get bytes() {
    return this.room.subarray(0, this.size);
  }

  write(bytes, at) {
    if (at + bytes.length > this.room.length) {
      const old = this.bytes;
      this.room = new Uint8Array(2 * (at + bytes.length));
      this.room.set(old);
    }
    this.room.set(bytes, at);
    this.size = Math.max(this.size, at + bytes.length);
  }
}

/** /dev/null, the one device that there is. */
const NOTHING = "dev/null", nothing = { bytes: new Uint8Array(0), size: 0, write() {} };

/** One run of a program: its arguments, what it reads, and what it leaves. */
export class Run {
  constructor(args, { env = {}, stdin = new Uint8Array(0), files = {} }) {
    this.args = args.map((one) => encoder.encode(one + "\0"));
    this.env = Object.entries(env).map((one) => encoder.encode(one.join("=") + "\0"));
    this.files = new Map(Object.entries(files).map(([name, bytes]) => [name, new Content(bytes)]));
    this.folders = new Set([""]);
    for (const name of this.files.keys())
      for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1))
        this.folders.add(name.slice(0, at));
    const [input, output, said] = [new Content(stdin), new Content(), new Content()];
    this.open = [
      { content: input, kind: IS_FILE, at: 0 },
      { content: output, kind: IS_STREAM, at: 0 },
      { content: said, kind: IS_STREAM, at: 0 },
      { folder: "", kind: IS_FOLDER },
    ];
    Object.assign(this, { output, said });
  }

  /** Its status. */
  async start(module) {
    const imports = {};
    for (const { name } of WebAssembly.Module.imports(module))
      imports[name] = (...given) => this[name](...given);
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports });
    this.memory = instance.exports.memory;
    try {
      instance.exports._start();
    } catch (ended) {
      if (ended instanceof Ended) return ended.status;
      throw ended;
    }
    return 0;
  }

  get view() {
    return new DataView(this.memory.buffer);
  }

  set32(at, value) {
    this.view.setUint32(at, value, true);
    return SUCCESS;
  }

  set64(at, value) {
    this.view.setBigUint64(at, BigInt(value), true);
    return SUCCESS;
  }

  put(at, bytes) {
    new Uint8Array(this.memory.buffer, at, bytes.length).set(bytes);
  }

  /** A path without "." and "..": the name of a file or folder. */
  path(folder, at, length) {
    const given = decoder.decode(new Uint8Array(this.memory.buffer, at, length));
    const parts = [];
    for (const part of `${this.open[folder].folder}/${given}`.split("/"))
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    return parts.join("/");
  }

  /** The parts of memory that a list of buffers names. */
  *buffers(list, count) {
    for (let i = 0; i < count; i++)
      yield new Uint8Array(this.memory.buffer, this.view.getUint32(list + 8 * i, true),
        this.view.getUint32(list + 8 * i + 4, true));
  }

  sizes(texts, count, length) {
    this.set32(count, texts.length);
    return this.set32(length, texts.reduce((sum, one) => sum + one.length, 0));
  }

  texts(texts, list, at) {
    texts.forEach((one, i) => {
      this.set32(list + 4 * i, at);
      this.put(at, one);
      at += one.length;
    });
    return SUCCESS;
  }

  args_sizes_get(count, length) {
    return this.sizes(this.args, count, length);
  }

  args_get(list, at) {
    return this.texts(this.args, list, at);
  }

  environ_sizes_get(count, length) {
    return this.sizes(this.env, count, length);
  }

  environ_get(list, at) {
    return this.texts(this.env, list, at);
  }

  clock_time_get(clock, precision, at) {
    return this.set64(at, Math.round(performance.now() * 1e6));
  }

  proc_exit(status) {
    throw new Ended(status);
  }

  fd_prestat_get(fd, at) {
    if (fd !== STREAMS) return BADF;
    this.set32(at, 0);
    return this.set32(at + 4, 1);
  }

  fd_prestat_dir_name(fd, at) {
    this.put(at, encoder.encode("/"));
    return SUCCESS;
  }

  fd_fdstat_get(fd, at) {
    const one = this.open[fd];
    if (!one) return BADF;
    this.put(at, new Uint8Array(24));
    this.view.setUint8(at, one.kind);
    this.view.setUint16(at + 2, one.appends ? APPEND : 0, true);
    this.set64(at + 8, (1n << 29n) - 1n); // everything may be done
    return this.set64(at + 16, (1n << 29n) - 1n);
  }

  stat(kind, size, at) {
    this.put(at, new Uint8Array(64));
    this.view.setUint8(at + 16, kind);
    this.set64(at + 24, 1);
    return this.set64(at + 32, size);
  }

  fd_filestat_get(fd, at) {
    const one = this.open[fd];
    return one ? this.stat(one.kind, one.content?.size ?? 0, at) : BADF;
  }

  path_filestat_get(folder, flags, path, length, at) {
    const name = this.path(folder, path, length);
    if (name === NOTHING) return this.stat(IS_DEVICE, 0, at);
    if (this.folders.has(name)) return this.stat(IS_FOLDER, 0, at);
    return this.files.has(name) ? this.stat(IS_FILE, this.files.get(name).size, at) : NOENT;
  }

  path_open(folder, look, path, length, how, rights, inherited, flags, at) {
    const name = this.path(folder, path, length);
    let one = { folder: name, kind: IS_FOLDER };
    if (name === NOTHING) {
      one = { content: nothing, kind: IS_DEVICE, at: 0 };
    } else if (this.folders.has(name)) {
      if (how & CREATE) return ISDIR;
    } else if (how & ONLY_FOLDERS) {
      return this.files.has(name) ? NOTDIR : NOENT;
    } else {
      if (this.files.has(name) && how & ONLY_NEW) return EXIST;
      if (!this.files.has(name)) {
        if (!(how & CREATE) || !this.folders.has(name.replace(/\/?[^/]*$/, ""))) return NOENT;
        this.files.set(name, new Content());
      }
      const content = this.files.get(name);
      if (how & EMPTY) content.size = 0;
      one = { content, kind: IS_FILE, at: 0, appends: Boolean(flags & APPEND) };
    }
    let fd = this.open.findIndex((other) => !other);
    if (fd < 0) fd = this.open.length;
    this.open[fd] = one;
    return this.set32(at, fd);
  }

  fd_close(fd) {
    if (!this.open[fd]) return BADF;
    this.open[fd] = null;
    return SUCCESS;
  }

  read(content, from, list, count, at) {
    let done = 0;
    for (const buffer of this.buffers(list, count)) {
      const bytes = content.bytes.subarray(from + done, from + done + buffer.length);
      buffer.set(bytes);
      done += bytes.length;
    }
    this.set32(at, done);
    return done;
  }

  fd_read(fd, list, count, at) {
    const one = this.open[fd];
    if (!one?.content) return one ? ISDIR : BADF;
    one.at += this.read(one.content, one.at, list, count, at);
    return SUCCESS;
  }

  fd_pread(fd, list, count, from, at) {
    const one = this.open[fd];
    if (!one?.content) return one ? ISDIR : BADF;
    this.read(one.content, Number(from), list, count, at);
    return SUCCESS;
  }

  fd_write(fd, list, count, at) {
    const one = this.open[fd];
    if (!one?.content) return BADF;
    let done = 0;
    if (one.appends) one.at = one.content.size;
    for (const buffer of this.buffers(list, count)) {
      one.content.write(buffer, one.at + done);
      done += buffer.length;
    }
    one.at += done;
    return this.set32(at, done);
  }

  fd_seek(fd, by, from, at) {
    const one = this.open[fd];
    if (!one?.content) return BADF;
    const to = Number(by) + [0, one.at, one.content.size][from];
    if (to < 0) return INVAL;
    one.at = to;
    return this.set64(at, to);
  }

  fd_readdir(fd, at, room, cookie, used) {
    const inside = this.open[fd].folder && this.open[fd].folder + "/";
    const names = [...this.files.keys(), ...this.folders].filter((name) =>
      name !== "" && name.startsWith(inside) && !name.slice(inside.length).includes("/"));
    let done = 0;
    for (let i = Number(cookie); i < names.length && done < room; i++) {
      const name = encoder.encode(names[i].slice(inside.length));
      const entry = new Uint8Array(24 + name.length), view = new DataView(entry.buffer);
      view.setBigUint64(0, BigInt(i + 1), true);
      view.setUint32(16, name.length, true);
      view.setUint8(20, this.folders.has(names[i]) ? IS_FOLDER : IS_FILE);
      entry.set(name, 24);
      this.put(at + done, entry.subarray(0, room - done)); // one that is cut off is asked for again
      done += Math.min(entry.length, room - done);
    }
    return this.set32(used, done);
  }

  path_create_directory(folder, path, length) {
    const name = this.path(folder, path, length);
    if (this.folders.has(name) || this.files.has(name)) return EXIST;
    this.folders.add(name);
    return SUCCESS;
  }

  path_rename(folder, path, length, other, to, toLength) {
    const from = this.path(folder, path, length);
    if (!this.files.has(from)) return NOENT;
    this.files.set(this.path(other, to, toLength), this.files.get(from));
    this.files.delete(from);
    return SUCCESS;
  }

  path_unlink_file(folder, path, length) {
    return this.files.delete(this.path(folder, path, length)) ? SUCCESS : NOENT;
  }

  path_readlink() {
    return INVAL; // these files in memory have no links
  }

  fd_sync() {
    return SUCCESS;
  }

  fd_fdstat_set_flags() {
    return SUCCESS;
  }

  fd_filestat_set_times() {
    return SUCCESS;
  }
}
