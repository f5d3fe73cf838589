"""safetensors by the words of its description (huggingface/safetensors, README, "Format"), written
here a second time: files to and from the program as it is in PATH. Where the library itself is
installed, it reads the program's files too."""
import json
import random
import struct
import subprocess
import tempfile

from claims import check, finish, selfattn

CODES = {"F64": "d", "F32": "f", "F16": "e", "I64": "q", "I32": "i", "I16": "h", "I8": "b",
         "U64": "Q", "U32": "I", "U16": "H", "U8": "B", "BOOL": "?"}


def packed(dtype, values):
    if dtype == "BF16":  # the upper half of a float32
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return struct.pack(f"<{len(values)}{CODES[dtype]}", *values)


def saved(tensors, padding=0):
    """tensors: name → (dtype, shape, values). The data lie in the opposite order."""
    header, data = {}, b""
    for name, (dtype, shape, values) in reversed(tensors.items()):
        one = packed(dtype, values)
        offsets = [len(data), len(data) + len(one)]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        data += one
    text = json.dumps({name: header[name] for name in tensors}).encode() + b" " * padding
    return struct.pack("<Q", len(text)) + text + data


def loaded(file):
    """The opposite: name → (dtype, shape, values), and __metadata__; checks the rules."""
    (length,) = struct.unpack("<Q", file[:8])
    text, data = file[8:8 + length], file[8 + length:]
    header = json.loads(text)
    metadata = header.pop("__metadata__", {})
    check("the header begins with {", text[:1] == b"{")
    check("the data begin at a multiple of 8", (8 + length) % 8 == 0)
    spans = sorted(one["data_offsets"] for one in header.values())
    ends = [0] + [end for _, end in spans]
    check("no holes, no overlaps", [begin for begin, _ in spans] + [len(data)] == ends)
    tensors = {}
    for name, one in header.items():
        begin, end = one["data_offsets"]
        code = CODES[one["dtype"]]
        check(f"{name} is aligned", begin % struct.calcsize("<" + code) == 0)
        values = [value for (value,) in struct.iter_unpack("<" + code, data[begin:end])]
        tensors[name] = one["dtype"], one["shape"], values
    return tensors, metadata


def differ(file, numbers):
    """What `selfattn diff` says of a file and the numbers in JSON: 0, 1 or 2."""
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as named:
        named.write(file)
        named.flush()
        words = "selfattn", "diff", "--quiet", named.name, "-"
        data = json.dumps(numbers).encode()
        return subprocess.run(words, input=data, capture_output=True, check=False).returncode


def check_reading():
    """Small whole numbers, which every type holds."""
    pick = random.Random(5)
    for dtype in list(CODES) + ["BF16"]:
        for padding in 0, 1, 4:
            values = [pick.randrange(0, 2 if dtype == "BOOL" else 100) for _ in range(6)]
            numbers = {"x": [values[:2], values[2:4], values[4:]], "other": [0.5, 2, -1]}
            tensors = {"x": (dtype, [3, 2], values), "other": ("F32", [3], [0.5, 2, -1])}
            file = saved(tensors, padding)
            check(f"{dtype} is read", differ(file, numbers) == 0)
            numbers["x"][2][1] += 1
            check(f"{dtype} is not read as something else", differ(file, numbers) == 1)


def check_writing():
    document = {"name": "näme", "q": [[0.1, 2], [3, -4]], "k": [[1, 0], [0.5, 1], [2, 2]],
                "v": [[1], [-2.5], [1e-3]]}
    for dtype in "f32", "f64":
        document["dtype"] = dtype
        data = json.dumps(document).encode()
        words = "-", "--emit", "q,scores,weights,output", "--format"
        results = [selfattn(*words, "safetensors", data=data) for _ in range(2)]
        wanted = json.loads(selfattn(*words, "json", data=data))
        tensors, metadata = loaded(results[0])
        check("the same result is the same bytes", results[0] == results[1])
        check("the name is in __metadata__", metadata == {"name": wanted.pop("name")})
        check("stages are in their order", list(tensors) == list(wanted))
        for name, matrix in wanted.items():
            kind, shape, values = tensors[name]
            check(f"{name} has its type", kind == dtype.upper())
            check(f"{name} has its shape", shape == [len(matrix), len(matrix[0])])
            flat = [number for row in matrix for number in row]
            check(f"{name} has its numbers", packed(kind, flat) == packed(kind, values))
        check_library(results[0], tensors)


def check_library(file, tensors):
    try:
        from safetensors.numpy import load
    except ImportError:
        return
    arrays = load(file)
    for name, (_, shape, values) in tensors.items():
        same = list(arrays[name].shape) == shape and arrays[name].ravel().tolist() == values
        check(f"the library reads {name}", same)


check_reading()
check_writing()
finish()
