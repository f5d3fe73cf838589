"""grow.py FORMAT COUNT SEED FOLDER: writes that many files of the format into the folder, each well
made, nearly so, or a corpus file with some bytes or pieces changed."""
import io
import json
import pathlib
import random
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITS = ["0", "1", "-1", "0.5", "-0", "1e3", "2E-7", "+3", ".25", "4.", "01", "1_0", "0x1p3", "1e400",
          "1e-400", "4.9e-324", "1.7976931348623157e308", "9007199254740993", "-.5e+2", "1e", "--1",
          "0.1000000000000000055511151231257827", "123456789012345678901234567890", "१", "−1"]
PIECES = {
    "csv": [",", ";", "\t", "\n", "\r\n", "\r", "\n\n", '"', '""', '"1"', " ", '"1,5"', "#", "a",
            "\ufeff", "NaN", "inf", ",,", "\0", "sep=;\n", "'"] + DIGITS,
    "json": ["[", "]", "{", "}", ",", ":", '"a"', '"x": ', '"\\u0061"', '"\\ud83d\\ude00"', '"\\ud83d"',
             "null", "true", "NaN", '"NaN"', "\t", "\n", "\ufeff", "\\", '"', "//", "\x01", "é", "\x7f",
             '"\\/"', '"\\x"', "[1, 2]", "[[1, 2], [3, 4]]", "\u2028", "\xa0"] + DIGITS}
TEXTS = {"csv": "csv", "tsv": "csv", "tidy": "csv", "json": "json"}  # whose pieces they have


def changed_text(rng, text, pieces):
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text) + 1)
        gone = rng.choice((0, 0, 1, 1, 2, 8))
        text = text[:at] + rng.choice(pieces) * rng.choice((0, 1, 1, 1, 2)) + text[at + gone:]
    return text


def changed_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        if data:
            at = rng.randrange(min(len(data), rng.choice((128, len(data)))))
            data[at] = rng.choice((data[at] ^ 1 << rng.randrange(8), rng.randrange(256)))
    return bytes(data)


def number(rng):
    kinds = (lambda: str(rng.randrange(-9, 10)), lambda: repr(rng.uniform(-1, 1)),
             lambda: f"{rng.gauss(0, 1):.{rng.randrange(25)}e}", lambda: f"{rng.gauss(0, 1e6):.3f}",
             lambda: repr(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-320, 308)))
    return rng.choice(kinds)()


def csv_text(rng):
    rows, columns = rng.randrange(1, 7), rng.randrange(1, 6)
    end = rng.choice(("\n", "\n", "\r\n"))

    def cell():
        one = number(rng)
        form = rng.randrange(8)
        if form == 0:
            return f'"{one}"'
        return {1: " " + one, 2: one + " ", 3: "\t" + one, 4: rng.choice(DIGITS)}.get(form, one)

    return end.join(",".join(cell() for _ in range(columns)) for _ in range(rows)) + \
        rng.choice((end, "", end * 2))


def tsv_text(rng):
    return csv_text(rng).replace("\t", " ").replace(",", "\t")


def tidy_text(rng):
    """Stages whose lines come in any order, some of which lack a line or have one twice."""
    header = rng.sample(("stage", "row", "col", "value"), 4)
    lines = [{"stage": stage, "row": row, "col": column, "value": number(rng)}
             for stage, rows, columns in zip("qkv", rng.choices(range(1, 4), k=3), rng.choices(range(1, 4), k=3))
             for row in range(rows) for column in range(columns)]
    if rng.random() < 0.5:
        rng.shuffle(lines)
    if rng.random() < 0.2:
        lines.pop(rng.randrange(len(lines)))
    return "\n".join([",".join(header)] + [",".join(str(line[key]) for key in header) for line in lines]) + "\n"


def json_text(rng):
    def value(depth):
        if depth == 0 or rng.random() < 0.3:
            return json.loads(number(rng)) if rng.random() < 0.8 else rng.choice(("é", "a\n", None, ""))
        if rng.random() < 0.7:
            width, low = rng.randrange(1, 4), rng.randrange(1, depth + 1)
            return [value(low - 1) for _ in range(width)]
        return {rng.choice("abcxyz"): value(depth - 1) for _ in range(3)}

    document = {rng.choice(("x", "wq", "wk", "name", "n\u00e9")): value(3) for _ in range(2)}
    return json.dumps(document, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, 1)))


def npy_bytes(rng):
    import numpy
    shape = tuple(rng.randrange(1, 4) for _ in range(rng.randrange(5)))
    kind = rng.choice(("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1", "c8"))
    data = numpy.array([rng.gauss(0, 100) for _ in range(int(numpy.prod(shape)))]).reshape(shape)
    data = (numpy.abs(data) if kind[0] == "u" else data).astype(rng.choice("<>") + kind)
    file = io.BytesIO()
    numpy.lib.format.write_array(file, numpy.asfortranarray(data) if rng.random() < 0.4 else data,
                                 version=rng.choice(((1, 0), (2, 0), (3, 0))))
    return file.getvalue()


def npz_bytes(rng):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name in rng.sample(("x", "wq", "wk", "é"), rng.randrange(1, 4)):
            data = npy_bytes(rng)
            archive.writestr(name + ".npy", changed_bytes(rng, data) if rng.random() < 0.3 else data)
    return file.getvalue()


def one(rng, kind, corpus):
    """A quarter well made, a quarter nearly so, the rest of the corpus."""
    made = {"csv": csv_text, "tsv": tsv_text, "tidy": tidy_text, "json": json_text, "npy": npy_bytes,
            "npz": npz_bytes}[kind]
    way = rng.randrange(4)
    data = made(rng) if way < 2 else rng.choice(corpus)
    if kind in TEXTS:
        text = data if way < 2 else data.decode("utf-8", "surrogateescape")
        text = text if way == 0 else changed_text(rng, text, PIECES[TEXTS[kind]])
        return text.encode("utf-8", "surrogateescape")
    return data if way == 0 else changed_bytes(rng, data)


def main(kind, count, seed, folder):
    rng = random.Random(f"{kind} {seed}")
    of = "csv" if kind in ("tsv", "tidy") else kind  # which one target reads
    files = sorted((ROOT / "tests/fuzz/corpus" / of).iterdir())
    corpus = [file.read_bytes() for file in files]
    for i in range(count):
        (pathlib.Path(folder) / f"{i:06d}").write_bytes(one(rng, kind, corpus))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
