"""Attention and Transformer layers by the program selfattn, with its bits and its words.

    selfattn.run({"q": q, "k": k, "v": v}, causal=True, emit="weights,output")["output"]
    selfattn.check({"output": mine}, {"q": q, "k": k, "v": v}, causal=True, tol=1e-5)

A document is the name of a file, or a dict with the keys of one; matrices may be settings. They are
NumPy's arrays, PyTorch's tensors, lists, or what has a buffer or __array__. Other settings are
options with _ for -: True is the bare one, False is --no-NAME, a list goes with commas, a dict
gives one for each item (tol={"weights": 1e-3}), None leaves it out.
"""
import contextlib
import io
import json
import math
import os
import re
import shutil
import subprocess
import threading
import warnings
from importlib import metadata

numpy = None
with contextlib.suppress(ImportError):
    import numpy


def program():
    """The program that came with this module, else the first one in PATH."""
    files = [file for one in metadata.distributions(name="selfattn") for file in one.files or []]
    here = [file.locate() for file in files if file.name == "selfattn"]
    here.append(os.path.join(os.path.dirname(__file__), "bin", "selfattn"))  # by pip --target
    for path in here + [shutil.which("selfattn")]:
        if path and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError("selfattn: the program is neither installed here nor in PATH")


def run(document=None, /, **settings):
    """The stages that are written, by name: weights and output, unless emit=… says otherwise. They
    are arrays where NumPy is, else nested lists; none where write=… has them in files."""
    kind = "npz" if numpy else "json"
    for name in ("format", "output", "help", "version"):
        if settings.get(name) not in (None, {"format": kind}.get(name)):
            raise TypeError(f"{name}: run gives arrays; the program itself writes other things")
    words, operand, data = _asked(document, settings)
    out = _call(["run", f"--format={kind}", *words], operand, data)
    if numpy and out:
        return dict(numpy.load(io.BytesIO(out)))
    return {name: _read(value) for name, value in json.loads(out or "{}").items()
            if not isinstance(value, str)}


def check(actual, document=None, /, why=True, **settings):
    """Raises an AssertionError, which says where and why, if actual, a dict of stages, the name of
    a file, or the output alone, is not what selfattn computes; else gives the line that says so."""
    words, operand, data = _asked(document, settings)
    words = ["check", *["--why"] * bool(why), *words]
    if isinstance(actual, (str, os.PathLike)):
        return _call([*words, f"--actual={os.fspath(actual)}"], operand, data).decode().rstrip()
    packed = _packed(actual if isinstance(actual, dict) else {"output": actual})
    read, write = os.pipe()
    threading.Thread(target=_feed, args=(write, packed)).start()
    words += [f"--actual=/dev/fd/{read}"]
    with open(read, "rb"):
        return _call(words, operand, data, pass_fds=[read]).decode().rstrip()


def _asked(document, settings):
    """The options, the operand, and what standard input holds."""
    matrices = {name: value for name, value in settings.items() if _is_matrix(value)}
    words = [word for name, value in settings.items() if name not in matrices and value is not None
             for word in _option("--" + name.replace("_", "-"), value)]
    if document is None or isinstance(document, dict):
        return words, "-", _packed({**(document or {}), **matrices})
    if matrices:
        raise TypeError(f"{', '.join(matrices)}: the document is a file, which has its matrices")
    return words, os.fspath(document), b""


def _option(name, value):
    if isinstance(value, bool) or str(getattr(value, "dtype", "")) in ("bool", "torch.bool"):
        return [name if value else "--no-" + name[2:]]
    if isinstance(value, dict):
        return [f"{name}={of}={one}" for of, one in value.items()]
    return [f"{name}={','.join(map(str, value)) if isinstance(value, (list, tuple)) else value}"]


def _is_array(value):
    with contextlib.suppress(TypeError):  # where there is no buffer
        return hasattr(value, "__array__") or memoryview(value).ndim > 0
    return False


def _is_matrix(value):
    if isinstance(value, (list, tuple)):
        return any(isinstance(row, (list, tuple)) or _is_array(row) for row in value)
    return _is_array(value) and getattr(value, "shape", None) != ()


def _array(value):
    """As NumPy's, which has no bfloat16: each of its numbers is a float32."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.float() if "bfloat16" in str(value.dtype) else value
    array = numpy.asarray(value)
    return array.astype("f4") if array.dtype.kind == "V" else array


def _packed(document):
    """As NPZ where all of it is matrices and numbers, else as JSON."""
    packed = io.BytesIO()
    with contextlib.suppress(ValueError):  # rows of different lengths: the program says which
        arrays = {name: _array(value) for name, value in document.items()} if numpy else {}
        if arrays and all(one.dtype.kind in "iufb"[:3 + (one.ndim > 0)] for one in arrays.values()):
            numpy.savez(packed, **arrays)
            return packed.getvalue()
    return json.dumps(_plain(document)).encode()


def _plain(value):
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if _is_array(value):
        value = _array(value) if numpy else value if hasattr(value, "tolist") else memoryview(value)
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _read(value):
    return [_read(one) for one in value] if isinstance(value, list) else float(value)


def _feed(descriptor, data):
    with contextlib.suppress(BrokenPipeError), open(descriptor, "wb") as pipe:  # it says why
        pipe.write(data)


def _call(words, operand, data, **how):
    words = [program(), *words, "--", operand]
    done = subprocess.run(words, input=data, capture_output=True, check=False, **how)
    said = re.sub(r"/dev/fd/\d+", "actual", done.stderr.decode().rstrip())
    if done.returncode != 0:
        raise (AssertionError(done.stdout.decode().rstrip()) if done.returncode == 1 else
               ValueError(said or f"selfattn: ended with status {done.returncode}"))
    if said:
        warnings.warn(said, stacklevel=3)
    return done.stdout
