"""Claims about the program as it is in PATH, for suites in Python: counted, and those that do not
hold are told."""
import pathlib
import subprocess
import sys

SUITE = pathlib.Path(sys.argv[0]).parent.name
COUNT = {True: 0, False: 0}


def check(claim, holds):
    COUNT[bool(holds)] += 1
    if not holds:
        print(f"FAIL {SUITE}: {claim}")


def selfattn(*words, data=None):
    """What it writes to stdout."""
    done = subprocess.run(("selfattn",) + words, input=data, capture_output=True, check=False)
    if done.returncode != 0:
        print("selfattn", *words, "says", done.stderr.decode())
    return done.stdout


def finish():
    """The last line of a suite, and its status."""
    print(f"{COUNT[True]} passed, {COUNT[False]} failed")
    sys.exit(COUNT[False] > 0)
