"""arrays.py PROGRAM: the module gives the bits and the words of PROGRAM to who has NumPy."""
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy

import selfattn
from claims import check, finish


class Tensor:
    """What another library has: no list, but what makes an array, on the way back of something."""

    def __init__(self, array, dtype="float32"):
        self.array, self.dtype, self.is_detached = array, dtype, False

    def detach(self):
        made = Tensor(self.array, self.dtype)
        made.is_detached = True
        return made

    def cpu(self):
        return self

    def float(self):
        return numpy.asarray(self.array, "f4")

    def __array__(self, dtype=None):
        assert self.is_detached, "it needs a gradient"
        assert self.dtype != "torch.bfloat16", "NumPy has no such numbers"
        return numpy.asarray(self.array, dtype)


def native(*words):
    done = subprocess.run([sys.argv[1], *words], capture_output=True, check=True)
    return dict(numpy.load(io.BytesIO(done.stdout)))


def same(a, b):
    return list(a) == list(b) and all(
        one.dtype == b[name].dtype and one.shape == b[name].shape and
        one.tobytes() == b[name].tobytes() for name, one in a.items())


def raises(kind, words, function, *arguments, **settings):
    """The call raises this, in these words."""
    try:
        function(*arguments, **settings)
    except kind as error:
        check(f"{error}: not {words}", words in str(error))
    else:
        check(f"nothing raised where {words} was wanted", False)


def check_testdata():
    """All documents, as a file, as the keys of one, and with matrices as arrays."""
    for path in sorted(pathlib.Path("testdata").glob("*/*.json")):
        if path.parent.name == "refused" or path.name == "bloem-tokens.json":
            continue
        wanted = native("run", "--quiet", "--format", "npz", str(path))
        document = json.loads(path.read_text())
        arrays = {name: numpy.asarray(value) if name in ("x", "q", "wq", "mask") else value
                  for name, value in document.items()}
        numbers = {name: arrays[name] for name in arrays if name not in (
            "name", "title", "source", "notes", "expected", "tol", "errata")}
        for given in path, document, arrays, numbers:
            check(f"{path} is other numbers in Python, as {type(given)}",
                  same(selfattn.run(given, quiet=True), wanted))


def check_settings():
    x = numpy.arange(12, dtype="f4").reshape(3, 4)
    wanted = selfattn.run({"x": x, "heads": 2, "causal": True, "window": [1, 0]})
    check("settings are keys", same(selfattn.run(x=x, heads=2, causal=True, window=[1, 0]), wanted))
    check("a setting is removed", same(selfattn.run({"x": x, "heads": 2}, heads=False),
                                       selfattn.run({"x": x})))
    check("none is none", same(selfattn.run({"x": x}, heads=None, scale=numpy.float32(0.5)),
                               selfattn.run({"x": x, "scale": 0.5})))
    stages = selfattn.run({"x": x}, emit=["scaled", "q"], dtype="f64")
    check(f"{list(stages)} are written", list(stages) == ["scaled", "q"])
    check("in the type that was asked for", stages["q"].dtype == "f8")
    raises(ValueError, "--haeds'; did you mean --heads?", selfattn.run, x=x, haeds=2)
    raises(ValueError, "not a multiple of the 3 heads", selfattn.run, x=x, heads=3)
    raises(ValueError, "row 2", selfattn.run, x=[[1, 2], [3]])
    raises(TypeError, "wq: the document is a file", selfattn.run, "x.json", wq=x)
    check("NumPy's truths are truths", same(selfattn.run(x=x, causal=numpy.bool_(True)),
                                            selfattn.run(x=x, causal=True)))
    check("and its falsehoods", same(selfattn.run(x=x, causal=numpy.tri(2)[0, 1] > 0),
                                     selfattn.run(x=x)))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "weights.csv")
        path.write_text("old")
        raises(TypeError, "output: run gives arrays", selfattn.run, x=x, output=path)
        check("nothing is written", path.read_text() == "old")
        check("what goes into files is not given", selfattn.run(x=x, write={"weights": path}) == {})
        check("it is there", len(path.read_text().split()) == 3)
    raises(TypeError, "format: run gives arrays", selfattn.run, x=x, format="csv")
    raises(TypeError, "help: run gives arrays", selfattn.run, x=x, help=True)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        selfattn.run(q=x[:2], k=x, v=x, causal=True)
    check(f"a note is a warning, where the call is: {[str(one.message) for one in notes]}",
          len(notes) == 1 and "upper-left" in str(notes[0].message) and
          notes[0].filename == __file__)


def check_arrays():
    x = numpy.arange(12, dtype="f4").reshape(3, 4)
    wanted = selfattn.run(x=x)
    kinds = {"Fortran's": numpy.asfortranarray(x), "with strides": numpy.repeat(x, 2, 0)[::2],
             "of doubles": x.astype("f8"), "of halves": x.astype("f2"), "of bytes": x.astype("u1"),
             "a list": x.tolist(), "rows": list(x), "a buffer": memoryview(x),
             "a tensor": Tensor(x), "of bfloat16": Tensor(x, "torch.bfloat16")}
    for kind, given in kinds.items():
        check(f"an array, {kind}", same(selfattn.run(x=given), wanted))
        check(f"in JSON, {kind}", same(selfattn.run({"x": given, "name": "a"}), wanted))
    hidden = numpy.where(numpy.tri(3) > 0, 0, -numpy.inf)
    check("-inf in JSON", same(selfattn.run({"x": x, "bias": hidden, "name": "a"}),
                               selfattn.run({"x": x, "bias": hidden})))
    try:
        import torch
    except ImportError:
        return
    t = torch.tensor(x, requires_grad=True)
    for kind, given in {"": t, "bfloat16": t.bfloat16(), "turned": t.T.contiguous().T}.items():
        check(f"PyTorch's tensor {kind}", same(selfattn.run(x=given), wanted))


def check_check():
    x = numpy.arange(12, dtype="f4").reshape(3, 4) / 8
    mine = selfattn.run(x=x)
    for actual in mine, mine["output"], Tensor(mine["output"]):
        check("what holds is said to", selfattn.check(actual, {"x": x}, tol=1e-5).startswith("ok "))
    wrong = selfattn.run(x=x, scale="none")
    raises(AssertionError, "why: scale-missing: scores are not scaled", selfattn.check, wrong,
           {"x": x}, tol=1e-5)
    raises(AssertionError, "output[query 1, column 1]: actual", selfattn.check, wrong, x=x,
           tol={"weights": 1, "output": 1e-5})
    try:
        selfattn.check(wrong, x=x, why=False)
    except AssertionError as error:
        check("a reason was not asked for", "why" not in str(error))
    check("names are told", selfattn.check({"a": mine["weights"]}, x=x, tol=1e-5,
                                           map={"weights": "a"}))
    raises(ValueError, "did you mean", selfattn.check, {"wieghts": x}, x=x)
    raises(ValueError, "selfattn: actual: byte 0: output is 2 x 4 here", selfattn.check, x[:2], x=x)
    big = numpy.zeros((1 << 20, 4), "f4")  # more than a pipe holds, and nobody reads it
    raises(ValueError, "unknown option", selfattn.check, big, x=x, haeds=1)
    path = "testdata/seeds/001-walkthrough.json"
    document = json.loads(pathlib.Path(path).read_text())
    check("a file is checked", "ok " in selfattn.check(document["expected"], path))


check_testdata()
check_settings()
check_arrays()
check_check()
finish()
