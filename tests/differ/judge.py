"""judge.py FORMAT: of what `values` says on standard input, whether Python's csv or NumPy read
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


# ---- tables ----

def rows_of(data, delimiter):
    """Rows of cells, as Python's csv reads them; None where it reads none, or where our tables have a
    meaning that csv has not: comments, sections, an announced delimiter, and what is refused as the
    trace of a mishap, a blank line between rows and a carriage return alone."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if "#" in text or text.startswith("sep=") or re.search(r"\r(?!\n)|\n\s*\n\s*\S", text):
        return None
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if row]
    except csv.Error:
        return None
    return rows if rows and len({len(row) for row in rows}) == 1 else None


def is_number(cell):
    return NUMBER.fullmatch(cell.strip(" \t")) and math.isfinite(float(cell))


def judge_table(said, data, delimiter):
    rows = rows_of(data, delimiter)
    if rows is None or not all(is_number(cell) for row in rows for cell in row):
        return
    grid = [[float(cell) for cell in row] for row in rows]
    if b'"' in data and len(said["entries"]) != 1:  # numbers in quotes may be labels
        return
    check(f"{said['file']}: csv reads it, and not we: {said.get('why')}", said["read"])
    for entry in said["entries"]:
        check(f"{said['file']}: the shape", entry.get("shape") == [len(grid), len(grid[0])])
        check(f"{said['file']}: the numbers",
              same(values_of(entry), [number for row in grid for number in row]))


def judge_csv(said, data):
    judge_table(said, data, ",")


def judge_tsv(said, data):
    judge_table(said, data, "\t")


def judge_tidy(said, data):
    """What has one matrix a stage, as whole as its largest indices say, in any order of lines."""
    rows = rows_of(data, ",")
    if rows is None or sorted(rows[0]) != ["col", "row", "stage", "value"]:
        return
    stages = {}
    for row in rows[1:]:
        line = dict(zip(rows[0], row))
        if not (re.fullmatch("0|[1-9][0-9]*", line["row"]) and re.fullmatch("0|[1-9][0-9]*", line["col"])
                and is_number(line["value"]) and re.fullmatch("[a-z]+", line["stage"])):
            return
        place = (int(line["row"]), int(line["col"]))
        if stages.setdefault(line["stage"], {}).setdefault(place, line["value"]) is not line["value"]:
            return
    shapes = {name: [1 + max(place[axis] for place in cells) for axis in range(2)]
              for name, cells in stages.items()}
    lacking = [name for name, cells in stages.items() if len(cells) != math.prod(shapes[name])]
    check(f"{said['file']}: {lacking} lack lines: {said.get('why')}", said["read"] == (not lacking and len(rows) > 1))
    for entry in said["entries"]:
        name, cells = entry["name"], stages[entry["name"]]
        check(f"{said['file']}: the shape of {name}", entry["shape"] == shapes[name])
        check(f"{said['file']}: the numbers of {name}",
              same(values_of(entry), [float(cells[place]) for place in sorted(cells)]))


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


JUDGES = {"csv": judge_csv, "tsv": judge_tsv, "tidy": judge_tidy, "npy": judge_binary, "npz": judge_binary}
warnings.simplefilter("ignore")
numpy.seterr(all="ignore")
for line in sys.stdin:
    answer = json.loads(line)
    with open(answer["file"], "rb") as file:
        JUDGES[sys.argv[1]](answer, file.read())
finish()
