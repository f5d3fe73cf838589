"""Compares what a program computed with a vector of testdata/contract, bit by bit.

    python3 check.py [--all] VECTOR [RESULT]

A vector is a problem document; its key _contract has a version, a type, and of each stage the shape
and the bits of its numbers, as hexadecimal words in index order. RESULT, or standard input, is NPZ
or JSON: an object of stages, each a matrix of numbers, or an object of shape and bits as in a vector.
Stages are compared in the order in which they are computed: the first number that differs is where
to look. With --all a stage that RESULT lacks differs as well. The status is 0, 1 where they differ,
and 2 where nothing could be compared.
"""
import ast
import io
import json
import math
import struct
import sys
import zipfile
from fractions import Fraction
from functools import lru_cache


VERSION = 1


@lru_cache(100000)
def number(word):
    """Exact, but for a 0 with a sign"""
    return float(word) if "n" in word.lower() else Fraction(word) or float(word)


def near(x, dtype):
    """A float64 that rounds to the type as x does: to odd, where it is not x"""
    made = float(x)
    if dtype == "f32" and math.isfinite(made) and made != x:
        even = struct.pack("<d", made)[0] % 2 == 0
        return math.nextafter(made, math.inf if x > made else -math.inf) if even else made
    return made


def bits_of(dtype, numbers):
    return [struct.pack({"f32": ">f", "f64": ">d"}[dtype], near(x, dtype)).hex() for x in numbers]


def shape(table):
    return [len(table)] + shape(table[0]) if isinstance(table, list) else []


def flat(table):
    return [x for part in table for x in flat(part)] if isinstance(table, list) else [table]


header_of = lru_cache(1000)(ast.literal_eval)


def read_npy(data):
    size = struct.unpack("<H", data[8:10])[0]
    header = header_of(data[10:10 + size].decode())
    kind, sizes = header["descr"], list(header["shape"])
    if kind not in ("<f4", "<f8") or header["fortran_order"]:
        return None
    width, digits = 2 * int(kind[2:]), data[:9 + size:-1].hex()  # from the last byte on
    bits = [digits[i:i + width] for i in range(0, len(digits), width)]
    return {"shape": sizes, "bits": bits[::-1]}


def read_result(data, dtype):
    """Of each stage its shape and its bits"""
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            made = {name[:-4]: read_npy(file.read(name)) for name in file.namelist()}
        return {name: stage for name, stage in made.items() if stage}
    made = {}
    for name, value in json.loads(data, parse_float=number, parse_int=number).items():
        if isinstance(value, dict):
            made[name] = {"shape": [int(x) for x in value["shape"]], "bits": value["bits"].split()}
        elif not isinstance(value, str):
            numbers = [float(x) if isinstance(x, str) else x for x in flat(value)]
            made[name] = {"shape": shape(value), "bits": bits_of(dtype, numbers)}
    return made


def place(at, sizes):
    index = []
    for size in reversed(sizes):
        at, here = divmod(at, size)
        index.insert(0, here)
    return ", ".join(str(i) for i in index)


def first_difference(wanted, got, all_stages=False):
    """Of two results; None: there is none."""
    for name, stage in wanted.items():
        if name not in got:
            if all_stages:
                return "%s is not there" % name
            continue
        other = got[name]
        if list(stage["shape"]) != list(other["shape"]):
            return "%s has the shape %s, and here %s" % (name, stage["shape"], other["shape"])
        for at, (one, two) in enumerate(zip(stage["bits"], other["bits"])):
            if one != two:
                return "%s[%s] is %s, and here %s" % (name, place(at, stage["shape"]), one, two)
    return None


def main(words):
    all_stages = "--all" in words
    names = [word for word in words if word != "--all"]
    if not 1 <= len(names) <= 2:
        sys.exit(__doc__)
    with open(names[0], encoding="utf-8") as file:
        vector = json.load(file)["_contract"]
    if vector["version"] != VERSION:
        print("%s has version %s, and this checker knows %d" % (names[0], vector["version"], VERSION))
        return 2
    wanted = {name: dict(stage, bits=stage["bits"].split()) for name, stage in vector["stages"].items()}
    data = open(names[1], "rb").read() if len(names) == 2 else sys.stdin.buffer.read()
    got = read_result(data, vector["dtype"])
    if not set(wanted) & set(got):
        print("%s: none of the stages are there" % names[0])
        return 2
    found = first_difference(wanted, got, all_stages)
    if found:
        print("%s: %s" % (names[0], found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
