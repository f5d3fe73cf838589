"""make.py FOLDER: the documents and matrices of the stress suite, of sizes at which every buffer
that is used again is used again at least ten times (run.sh says which)."""
import array
import json
import os
import random
import struct
import sys

folder = sys.argv[1]
dice = random.Random(44)
# Numbers of few digits; the length has no factor in common with any row, so that rows differ.
period = array.array('f', (dice.randrange(-16, 17) / 8 for _ in range(100003)))


def numbers(count, first):
    start = first % len(period)
    times = (start + count) // len(period) + 1
    return (period * times)[start:start + count]


def npy(name, *shape):
    count = 1
    for size in shape:
        count *= size
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %r, }" % (shape,)
    header += ' ' * (63 - (10 + len(header)) % 64) + '\n'
    values = numbers(count, sum(map(ord, name)) * 997)
    if sys.byteorder == 'big':
        values.byteswap()
    with open(os.path.join(folder, name + '.npy'), 'wb') as to:
        to.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode())
        values.tofile(to)


def matrix(rows, columns, scale):
    values = numbers(rows * columns, dice.randrange(len(period)))
    return [[v * scale for v in values[i * columns:(i + 1) * columns]] for i in range(rows)]


def document(name, **keys):
    with open(os.path.join(folder, name + '.json'), 'w') as to:
        json.dump(keys, to)


def layer(width):
    return {key: matrix(width, width, 1 / width) for key in ('wq', 'wk', 'wv', 'wo')}


for which in 'qk':
    npy('heads-' + which, 96, 1400 * 40)
    npy('groups-' + which, 96, (1400 if which == 'q' else 700) * 80)
    npy('batch-' + which, 40, 96, 35 * 40)
    npy('long-' + which, 2560, 2 * 32)
npy('rows', 420, 192, 64)
document('layers', heads=2, layers=[layer(64)])
document('generation', heads=8, causal=True, layers=[layer(128), layer(128)],
         embedding=matrix(300, 128, 1 / 4), unembedding=matrix(128, 300, 1 / 8),
         ids=[dice.randrange(300) for _ in range(384)])
with open(os.path.join(folder, 'lines.jsonl'), 'w') as to:
    for i in range(1500):
        rows = matrix(2 + i % 5, 8, 1)
        to.write(json.dumps({'name': str(i), 'heads': 1 + i % 2, 'x': rows}) + '\n')
with open(os.path.join(folder, 'stream.jsonl'), 'w') as to:
    for i in range(40):
        to.write(json.dumps({'x': matrix(24, 256, 1)}) + '\n')
with open(os.path.join(folder, 'table.csv'), 'w') as to:
    for row in matrix(3000, 64, 1):
        to.write(','.join('%g' % (v / 3) for v in row) + '\n')
