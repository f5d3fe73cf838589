"""lists.py PROGRAM: the module gives the numbers of PROGRAM, as lists, to who has no NumPy."""
import array
import json
import math
import pathlib
import subprocess
import sys

import selfattn
from claims import check, finish


def native(path):
    done = subprocess.run([sys.argv[1], "run", "--quiet", path], capture_output=True, check=True)
    return {name: value for name, value in json.loads(done.stdout).items() if name != "name"}


check("NumPy is here, which this is not for", selfattn.numpy is None)
for name in "seeds/001-walkthrough", "variants/sinks", "stacks/decoder-pre":
    path = f"testdata/{name}.json"
    check(f"{path} is other numbers in Python", selfattn.run(path, quiet=True) == native(path))
    document = json.loads(pathlib.Path(path).read_text())
    check(f"{path} is other numbers by its keys",
          selfattn.run(document, quiet=True) == native(path))
wanted = selfattn.run(x=[[1, 2], [3, 4]])
rows = memoryview(array.array("f", [1, 2, 3, 4])).cast("B").cast("f", (2, 2))
check("a buffer of rows", selfattn.run(x=rows) == wanted)
check("rows of buffers", selfattn.run(x=[array.array("f", [1, 2]), array.array("d", [3, 4])])
      == wanted)
masked = selfattn.run(x=[[1.0], [2.0]], bias=[[0, -math.inf], [0, 0]], emit="masked")["masked"]
check(f"{masked} has -inf", masked == [[1, -math.inf], [2, 4]])
check("what holds is said to", "ok " in selfattn.check(wanted, x=[[1, 2], [3, 4]], tol=1e-6))
try:
    selfattn.check([[1, 2], [3, 4]], x=[[1, 2], [3, 4]])
    check("what is wrong is said to hold", False)
except AssertionError as error:
    check(f"{error}", "output[query 1, column 1]: actual 1" in str(error))
finish()
