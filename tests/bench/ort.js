// A contestant (contestant.h): ONNX Runtime's own kernels on the words' problem. It needs
// onnxruntime-node where NODE_PATH finds it, and a python3 with onnx, which makes the model.
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

function model() {
  const python = process.env.PYTHON ?? '/usr/bin/python3' // Debian's own has Debian's packages
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-'))
  const file = path.join(folder, 'model.onnx')
  try {
    const causal = words.causal === 'yes' ? '1' : '0'
    execFileSync(python, [path.join(__dirname, 'ort_model.py'), kind, String(n), String(heads),
      String(kvHeads), String(width), causal, words.hidden ?? '0', file], { stdio: ['ignore', 'ignore', 'inherit'] })
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

async function main() {
  const session = await ort.InferenceSession.create(model(), {
    intraOpNumThreads: Number(words.threads),
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    executionProviders: ['cpu'],
  })
  const inputs = feeds(session.inputNames)
  console.log('ready')
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let least = Infinity
    for (let times = Number(line); times > 0; times--) {
      const before = process.hrtime.bigint()
      await session.run(inputs, ['y'])
      least = Math.min(least, Number(process.hrtime.bigint() - before) / 1e6)
    }
    console.log(least)
  }
}

main().catch((error) => {
  console.error(error.message)
  process.exit(1)
})
