// A contestant (contestant.h): ONNX Runtime's own kernels on the words' problem, or a whole model.
// It needs onnxruntime-node where NODE_PATH finds it, and a python3 with onnx, which makes the model.
'use strict'
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const readline = require('node:readline')
const ort = require('onnxruntime-node')

const [kind, ...rest] = process.argv.slice(2)
const words = {}
for (const word of rest) {
  const [name, value] = word.split('=')
  if (!(name in words)) words[name] = value // the word that comes first holds
}
const n = Number(words.n)
const heads = Number(words.heads)
const kvHeads = Number(words.kv_heads ?? heads)
const width = Number(words.width ?? heads * words.d)

// As fill_random in work.c has it.
function randomFloats(count, scale, seed) {
  const out = new Float32Array(count)
  for (let i = 0; i < count; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    out[i] = (((seed >>> 8) & 0xffff) / 32768 - 1) * Math.sqrt(3) * scale
  }
  return out
}

function runPython(script, ...given) {
  const python = process.env.PYTHON ?? '/usr/bin/python3' // Debian's own has Debian's packages
  execFileSync(python, [path.join(__dirname, script), ...given], { stdio: ['ignore', 'ignore', 'inherit'] })
}

function load(model) {
  return ort.InferenceSession.create(model, {
    intraOpNumThreads: Number(words.threads),
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    executionProviders: ['cpu'],
  })
}

// ---- one layer, or less ----

function model() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-'))
  const file = path.join(folder, 'model.onnx')
  try {
    const causal = words.causal === 'yes' ? '1' : '0'
    runPython('ort_model.py', kind, String(n), String(heads), String(kvHeads), String(width), causal,
      words.hidden ?? '0', file)
    return fs.readFileSync(file)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

function feeds(inputs) {
  const shapes = { attention: [1, heads, n, width / heads], split: [heads, n, width / heads] }
  const shape = shapes[kind] ?? [1, n, width]
  return Object.fromEntries(inputs.map((name, i) => {
    const scale = name === 'q' ? Number(words.sharp ?? 1) : 1
    const own = kind === 'gqa' && name !== 'q' ? [1, n, width / heads * kvHeads] : shape
    const count = own.reduce((all, size) => all * size)
    return [name, new ort.Tensor('float32', randomFloats(count, scale, i + 1), own)]
  }))
}

async function layer() {
  const session = await load(model()), inputs = feeds(session.inputNames)
  return () => session.run(inputs, ['y'])
}

// ---- GPT-2 (gpt2.py) ----

// Of ids from `first` on, with what was kept of those before.
function rowsOf(ids, first, past) {
  const numbers = (of) => new BigInt64Array(of.map(BigInt))
  return {
    ids: new ort.Tensor('int64', numbers(ids), [1, ids.length]),
    positions: new ort.Tensor('int64', numbers(ids.map((id, i) => first + i)), [ids.length]),
    ...past,
  }
}

// The last row of logits; how far it is from what work_model.c left, of the greatest of those.
function compare({ logits }, name) {
  const wanted = new Float32Array(fs.readFileSync(path.join(words.folder, name)).buffer)
  const last = logits.data.subarray(-wanted.length)
  const most = (numbers) => numbers.reduce((all, x) => Math.max(all, Math.abs(x)), 0)
  const far = most(wanted.map((x, i) => x - last[i])) / most(wanted)
  console.error(`${name}: ${far.toExponential(1)} of its greatest number from ONNX Runtime's`)
  if (!(far < 1e-4)) throw new Error('which is too far')
}

async function gpt2() {
  runPython('gpt2.py', 'onnx', ...rest)
  const session = await load(path.join(words.folder, 'model.onnx'))
  const ids = Array.from({ length: n }, (nothing, i) => (i + 1) * 7919 % Number(words.vocab))
  const layers = Array.from({ length: Number(words.layers) }, (nothing, i) => i)
  const empty = new ort.Tensor('float32', new Float32Array(0), [2, 1, heads, 0, width / heads])
  let inputs = rowsOf(ids, 0, Object.fromEntries(layers.map((i) => [`past${i}`, empty])))
  if (kind === 'gpt2_token') {
    const made = await session.run(inputs), all = made.logits.data.subarray(-Number(words.vocab))
    const kept = Object.fromEntries(layers.map((i) => [`past${i}`, made[`present${i}`]]))
    inputs = rowsOf([all.indexOf(Math.max(...all))], n, kept)
  }
  compare(await session.run(inputs, ['logits']), kind === 'gpt2' ? 'rows.f32' : 'token.f32')
  return () => session.run(inputs, ['logits'])
}

async function main() {
  const run = await (kind.startsWith('gpt2') ? gpt2() : layer())
  console.log('ready')
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let least = Infinity
    for (let times = Number(line); times > 0; times--) {
      const before = process.hrtime.bigint()
      await run()
      least = Math.min(least, Number(process.hrtime.bigint() - before) / 1e6)
    }
    console.log(least)
  }
}

main().catch((error) => {
  console.error(error.message)
  process.exit(1)
})
