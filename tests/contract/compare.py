"""What the program computes has the bits of the second implementation, stage by stage.

    python3 compare.py [WORD]    only documents that have it in their names
"""
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from check import first_difference, number, read_result
from documents import all_documents, stages_of

COMMAND = "selfattn run --quiet --emit * --format npz --dtype".split()


def differs(doc, dtype):
    text = json.dumps(doc)
    ran = subprocess.run(COMMAND + [dtype, "-"], input=text.encode(), capture_output=True)
    if ran.returncode:
        return "status %d: %s" % (ran.returncode, ran.stderr.decode())
    wanted, got = stages_of(json.loads(text, parse_float=number), dtype), read_result(ran.stdout, dtype)
    more = sorted(set(got) - set(wanted))
    return "%s should not be there" % more[0] if more else first_difference(wanted, got, True)


def cases(word):
    for name, doc in all_documents():
        kinds = ("f32", "f64") if "output_grad" in doc or "loss" in doc else ("f32",)
        for dtype in kinds if word in name else ():
            yield name, doc, dtype


def main(word):
    passed = failed = 0
    with ThreadPoolExecutor(2) as pool:  # one waits for the program while the other computes
        of = list(cases(word))
        for (name, _, dtype), found in zip(of, pool.map(lambda one: differs(*one[1:]), of)):
            passed, failed = passed + (not found), failed + bool(found)
            if found:
                print("FAIL contract: %s, %s: %s" % (name, dtype, found))
    print(passed, failed)


main(sys.argv[1] if len(sys.argv) > 1 else "")
