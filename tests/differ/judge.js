// judge.js: of what `values json` says on standard input, whether Node reads the same: what is JSON,
// and the bits of every matrix.
'use strict';
const fs = require('fs');

const counts = {passed: 0, failed: 0};

function claim(holds, file, what) {
    counts[holds ? 'passed' : 'failed']++;
    if (!holds)
        console.log(`FAIL differ: ${file}: ${what}`);
}

// Stricter than JSON.parse, by intent: a key twice, half of a surrogate pair in an escape, deep
// nesting, very long numbers. Those files say nothing of the grammar.
function isRefusedByIntent(why) {
    return /twice|surrogate|nest|deep|characters|bytes long/.test(why);
}

function parsed(file) {
    try {
        const text = new TextDecoder('utf-8', {fatal: true}).decode(fs.readFileSync(file));
        return {value: JSON.parse(text)};
    } catch (error) {
        return {error};
    }
}

const WORDS = {NaN, Infinity, '-Infinity': -Infinity, inf: Infinity, '-inf': -Infinity};

function numbersOf(value) {
    if (Array.isArray(value))
        return value.flatMap(numbersOf);
    if (typeof value === 'string')
        return [WORDS[value]];
    return [value === null ? NaN : Number(value)];
}

function shapeOf(value) {
    return Array.isArray(value) ? [value.length, ...shapeOf(value[0])] : [];
}

function sameBits(bits, numbers) {
    const view = new DataView(new ArrayBuffer(8));
    return bits.length === 16 * numbers.length && numbers.every((number, i) => {
        const own = bits.slice(16 * i, 16 * i + 16);
        view.setBigUint64(0, BigInt('0x' + own));
        return Object.is(view.getFloat64(0), number);
    });
}

function judge(said) {
    const {value, error} = parsed(said.file);
    const isKnown = said.why !== undefined && isRefusedByIntent(said.why);
    if (!isKnown)
        claim(said.scan === !error, said.file, error ? `Node refuses it: ${error.message}`
                                                     : `Node takes it: ${said.why}`);
    for (const entry of error ? [] : said.entries.filter((one) => one.bits !== undefined)) {
        const at = Array.isArray(value) ? value : value[entry.name];
        claim(String(shapeOf(at)) === String(entry.shape), said.file, `the shape of ${entry.name}`);
        claim(sameBits(entry.bits, numbersOf(at)), said.file, `the numbers of ${entry.name}`);
    }
}

for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean))
    judge(JSON.parse(line));
console.log(`${counts.passed} passed, ${counts.failed} failed`);
