"""Files to and from NumPy, by the program as it is in PATH."""
import functools
import io
import json
import subprocess
import tempfile
import zipfile

import numpy

from claims import check, finish, selfattn


def saved(array):
    file = io.BytesIO()
    numpy.save(file, array)
    return file.getvalue()


def x_of(data, *words):
    """The stage x, as JSON shows it."""
    text = selfattn("-", "--emit", "x", *words, data=data)
    return numpy.array(json.loads(text)["x"]) if text else None


def arrays():
    """Each type, byte order and memory order; ranks 2 and 3; odd and large shapes."""
    random = numpy.random.default_rng(5)
    for shape in (1, 1), (3, 5), (67, 129), (2, 3, 4):
        real = random.standard_normal(shape)
        for kind in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split():
            numbers = real if kind[0] == "f" else real * 50
            numbers = numpy.abs(numbers) if kind[0] == "u" else numbers
            for order in "<>":
                array = numbers.astype(order + kind)
                yield array
                yield numpy.asfortranarray(array)


def check_reading():
    """Values near 0 only are compared: scores of larger ones might leave float32's range."""
    for array in arrays():
        data = saved(array)
        name = f"{array.dtype.str} {array.shape}"
        narrow, wide = x_of(data), x_of(data, "--dtype", "f64")
        check(name + " as float32",
              narrow is not None and numpy.array_equal(narrow.astype("f4"), array.astype("f4")))
        check(name + " as float64",
              wide is not None and numpy.array_equal(wide, array.astype("f8")))


def check_writing():
    random = numpy.random.default_rng(6)
    for shape in (1, 1), (3, 5), (2, 40, 3), (1000, 2), (11, 1):
        for kind, dtype in ("f4", "f32"), ("f8", "f64"):
            data = saved(random.standard_normal(shape).astype(kind))
            again = selfattn("-", "--emit", "x", "--format", "npy", "--dtype", dtype, data=data)
            check(f"numpy.save of {kind} {shape}", again == data)


def check_archives(folder):
    random = numpy.random.default_rng(7)
    x, wq = random.standard_normal((30, 8)).astype("f4"), random.standard_normal((8, 8))
    weights = {}
    for save in numpy.savez, numpy.savez_compressed:
        save(f"{folder}/in.npz", x=x, wq=wq, heads=2, mask=numpy.tri(30, dtype=bool))
        selfattn(f"{folder}/in.npz", "-o", f"{folder}/out.npz")
        with zipfile.ZipFile(f"{folder}/out.npz") as file:
            check("zipfile finds nothing wrong", file.testzip() is None)
            check("its members", file.namelist() == ["weights.npy", "output.npy"])
        with numpy.load(f"{folder}/out.npz") as out:
            weights[save] = out["weights"]
            check("shapes", out["weights"].shape == (2, 30, 30) and out["output"].shape == (30, 8))
            check("rows sum to 1", numpy.allclose(out["weights"].sum(-1), 1))
            check("the mask holds", not numpy.triu(out["weights"], 1).any())
    check("stored and deflated are the same", numpy.array_equal(*weights.values()))


def check_mapped(folder):
    """Above 128 KB a file is mapped, and its matrices are used where they lie."""
    x = numpy.zeros((4, 1 << 14), "f4")
    numpy.savez(f"{folder}/large.npz", x=x)
    numpy.save(f"{folder}/large.npy", x)
    for name in "large.npy", "large.npz":
        text = selfattn(f"{folder}/{name}", "--emit", "weights")
        check(name, json.loads(text)["weights"] == [[0.25] * 4] * 4)


def check_info():
    """Types by NumPy's names, and what NumPy says of the numbers."""
    for array in arrays():
        told = json.loads(selfattn("info", "--format", "json", "-", data=saved(array)))
        one, name = told["entries"][0], f"info of {array.dtype.str} {array.shape}"
        wide = array.astype("f8")
        check(name, one["type"] == array.dtype.str and one["shape"] == list(array.shape))
        check(name + ": bytes", one["bytes"] == array.nbytes)
        check(name + ": range", (one["min"], one["max"]) == (shown(wide.min(), array),
                                                             shown(wide.max(), array)))
        chain = functools.reduce(float.__add__, wide.ravel().tolist())
        check(name + ": mean", one["mean"] == chain / array.size)


def shown(value, array):
    """A number as its own type's shortest decimal reads back in float64."""
    narrow = array.dtype.itemsize <= 4 and array.dtype.kind == "f" or array.dtype.itemsize < 4
    return float(str(numpy.float32(value))) if narrow else float(value)


def check_converting(folder):
    """What is converted from NumPy's archive to text and back is the same archive."""
    random = numpy.random.default_rng(8)
    arrays_there = {"w": random.standard_normal((20, 30)).astype("f4") * 1e-30,
                    "tiny": numpy.array([[1e-45, -0.0, 3.4028235e38]], "f4"),
                    "heads": random.standard_normal((2, 3, 4)).astype("f4")}
    numpy.savez(f"{folder}/a.npz", **arrays_there)
    for ending in "json", "csv", "tsv", "tidy", "safetensors":
        selfattn("convert", f"{folder}/a.npz", f"{folder}/b.{ending}")
        selfattn("convert", "--dtype", "f32", f"{folder}/b.{ending}", f"{folder}/c.npz")
        with numpy.load(f"{folder}/c.npz") as back:
            check(f"names through {ending}", list(back) == list(arrays_there))
            for name, array in arrays_there.items():
                check(f"{name} through {ending}", back[name].tobytes() == array.tobytes() and
                      back[name].shape == array.shape and back[name].dtype == array.dtype)


def check_unread(folder):
    """Entries that are not matrices are listed next to those that are."""
    file = f"{folder}/unread.npz"
    numpy.savez(file, x=numpy.eye(2), words=numpy.array(["a", "b"]), none=numpy.zeros((0, 2)),
                objects=numpy.array([1, "a"], object), large=numpy.array([2**63 - 1]))
    with zipfile.ZipFile(file, "a") as others:
        others.writestr("readme.txt", "hello")
    entries = json.loads(selfattn("info", "--format", "json", file))["entries"]
    kinds = {one["name"]: one["kind"] for one in entries}
    unread = ["words", "none", "objects", "large", "readme.txt"]
    check("what is not read", kinds == {"x": "matrix"} | dict.fromkeys(unread, "unread"))
    left = selfattn("convert", "--force", "--quiet", file, "-", "--format", "jsonl")
    check("what is left of it", json.loads(left) == {"x": [[1, 0], [0, 1]]})
    with zipfile.ZipFile(file, "a") as others:
        others.writestr("x", "a member that has a matrix's name")
    done = subprocess.run(("selfattn", "info", file), capture_output=True, check=False)
    check("two of one name are refused", done.returncode == 2 and b"'x' is no" in done.stderr)


with tempfile.TemporaryDirectory() as scratch:
    check_unread(scratch)
    check_info()
    check_converting(scratch)
    check_reading()
    check_writing()
    check_archives(scratch)
    check_mapped(scratch)
finish()
