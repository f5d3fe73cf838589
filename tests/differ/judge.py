"""judge.py csv|npy|npz: of what `values` says on standard input, whether Python's csv or NumPy read
the same."""
import csv
import io
import json
import math
import re
import struct
import sys
import warnings

import numpy

from claims import check, finish

# What NumPy lets pass, and what is damaged or would be rounded for us.
REFUSED_BY_INTENT = re.compile(
    "bytes, .* are there|found|more digits than|neither true|zip|encrypted|the middle|unknown element type")
NUMBER = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?", re.ASCII)


def values_of(entry):
    return struct.unpack(f">{len(entry['bits']) // 16}d", bytes.fromhex(entry["bits"]))


def same(ours, theirs):
    return len(ours) == len(theirs) and all(
        struct.pack(">d", a) == struct.pack(">d", b) or math.isnan(a) and math.isnan(b)
        for a, b in zip(ours, theirs))


# ---- CSV ----

def grid_of(data):
    """Rows of numbers, as Python's csv reads them; None where it is no such grid, or where our CSV
    has a meaning that csv has not: comments, sections, an announced delimiter, and what is refused as
    the trace of a mishap, a blank line between rows and a carriage return alone."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if "#" in text or text.startswith("sep=") or re.search(r"\r(?!\n)|\n\s*\n\s*\S", text):
        return None
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    except csv.Error:
        return None
    cells = [cell.strip(" \t") for row in rows for cell in row]
    if not rows or len({len(row) for row in rows}) != 1:
        return None
    if not all(NUMBER.fullmatch(cell) and math.isfinite(float(cell)) for cell in cells):
        return None
    return [[float(cell) for cell in row] for row in rows]


def judge_csv(said, data):
    grid = grid_of(data)
    if grid is None:
        return
    if b'"' in data and len(said["entries"]) != 1:  # numbers in quotes may be labels
        return
    check(f"{said['file']}: csv reads it, and not we: {said.get('why')}", said["read"])
    for entry in said["entries"]:
        check(f"{said['file']}: the shape", entry.get("shape") == [len(grid), len(grid[0])])
        check(f"{said['file']}: the numbers",
              same(values_of(entry), [number for row in grid for number in row]))


# ---- NPY and NPZ ----

def load(data):
    """An array, arrays by name, or why not: NumPy has no class of its own for a damaged file."""
    try:
        loaded = numpy.load(io.BytesIO(data), allow_pickle=False)
        return loaded if isinstance(loaded, numpy.ndarray) else {n: loaded[n] for n in loaded}
    except Exception as error:  # pylint: disable=broad-exception-caught
        return error


def is_zip_only(error):
    """zipfile wants more of a directory than is needed to read it: a version that it knows, and what
    stands in the members' headers too."""
    return isinstance(error, NotImplementedError) or "directory" in str(error)


def is_ours(array):
    return isinstance(array, numpy.ndarray) and array.dtype.kind in "fiub" and array.dtype.itemsize <= 8 and array.size > 0


def judge_array(said, entry, array):
    check(f"{said['file']}: the shape of {entry['name']}", entry["shape"] == list(array.shape))
    check(f"{said['file']}: the numbers of {entry['name']}",
          same(values_of(entry), array.astype("f8").ravel().tolist()))


def judge_binary(said, data):
    loaded = load(data)
    if isinstance(loaded, Exception):
        check(f"{said['file']}: we read it, and not NumPy: {loaded}",
              not said["read"] or is_zip_only(loaded))
        return
    arrays = [loaded] if isinstance(loaded, numpy.ndarray) else loaded.values()
    if arrays and all(map(is_ours, arrays)):
        why = said.get("why", "")
        check(f"{said['file']}: NumPy reads it, and not we: {why}",
              said["read"] or REFUSED_BY_INTENT.search(why))
    for entry in said["entries"]:
        if "bits" in entry:
            judge_array(said, entry, loaded[entry["name"]] if isinstance(loaded, dict) else loaded)


warnings.simplefilter("ignore")
numpy.seterr(all="ignore")
for line in sys.stdin:
    answer = json.loads(line)
    with open(answer["file"], "rb") as file:
        (judge_csv if sys.argv[1] == "csv" else judge_binary)(answer, file.read())
finish()
