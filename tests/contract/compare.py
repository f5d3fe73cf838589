"""What the program computes has the bits of the second implementation, stage by stage.

    python3 compare.py [WORD]    only documents that have it in their names

All are given to contract.py alone first, which needs arithmetic.py, and those that it does not give
again to all modules. The last line has how many are right, how many wrong, and how many contract.py
gave alone; a document is one in float32 and float64.
"""
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module

from check import first_difference, number, read_result
from documents import all_documents, stages_of

MORE = ("layers", "parts", "models")  # which add to contract.py
COMMAND = "selfattn run --quiet --emit * --format npz --dtype".split()


@cache
def run(text, dtype):
    ran = subprocess.run(COMMAND + [dtype, "-"], input=text.encode(), capture_output=True)
    if ran.returncode:
        raise ValueError("status %d: %s" % (ran.returncode, ran.stderr.decode()))
    return read_result(ran.stdout, dtype)


def differs(doc, dtype):
    text = json.dumps(doc)
    got, wanted = run(text, dtype), stages_of(json.loads(text, parse_float=number), dtype)
    more = sorted(set(got) - set(wanted))
    return "%s should not be there" % more[0] if more else first_difference(wanted, got, True)


def mistake(give):
    """The first one of a document, in the types that it is computed in"""
    try:
        doc = give()
        both = "output_grad" in doc or "loss" in doc
        for dtype in ("f32", "f64") if both else ("f32",):
            found = differs(doc, dtype)
            if found:
                return "%s: %s" % (dtype, found)
    except Exception as error:  # one that names itself hides no other
        return repr(error)
    return None


def mistakes(of):
    with ThreadPoolExecutor(2) as pool:  # one waits for the program while the other computes
        found = list(pool.map(lambda name: mistake(of[name]), of))
    return {name: one for name, one in zip(of, found) if one}


def main(word):
    of = {name: give for name, give in all_documents() if word in name}
    not_alone = mistakes(of)
    assert not set(MORE) & sys.modules.keys()
    for module in MORE:
        import_module(module)
    wrong = mistakes({name: of[name] for name in not_alone})
    for name, found in wrong.items():
        print("FAIL contract: %s, %s" % (name, found))
    print(len(of) - len(wrong), len(wrong), len(of) - len(not_alone))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
