"""cells.py NAME.ipynb...: runs the code of notebooks from top to bottom, as Jupyter does, in one
namespace each, and says what fails. A shown number that is changed must be noticed: of each, the
last one that is compared is changed, and its cell run again. Of many, most maps must be computed
and not have their numbers from the run."""

import json
import re
import sys
import warnings

warnings.simplefilter("ignore")
TAKEN = "its numbers are taken from the run"
SHOWN = re.compile(
    r"^shown\([A-Za-z0-9_]+, .*?(-?\d[\d.]*(?:e[-+]\d+)?)(?=\]+[,)])", re.MULTILINE | re.DOTALL
)


def run(name):
    with open(name, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    cells = [cell for cell in cells if cell["cell_type"] == "code"]
    programs = ["".join(cell["source"]) for cell in cells]
    if not programs:
        return 0, 0
    kept, last = {}, None
    for program in programs:
        exec(compile(program, name, "exec"), kept)
        last = program if SHOWN.search(program) else last
    whole = "\n".join(programs)
    if last is not None:
        found = SHOWN.search(last)
        number = float(found.group(1))
        other = last[: found.start(1)] + str(number + 0.02 * (1 + abs(number))) + last[found.end(1) :]
        try:
            exec(compile(other, name, "exec"), dict(kept))
        except AssertionError:
            pass
        else:
            raise ValueError("a changed number is not noticed")
    return whole.count("\nshown("), whole.count(TAKEN)


computed = taken = wrong = 0
for ipynb in sys.argv[1:]:
    try:
        shown, given = run(ipynb)
        computed, taken = computed + shown, taken + given
    except Exception as failure:  # whatever a cell raises
        wrong += 1
        print(f"{ipynb}: {type(failure).__name__}: {str(failure)[:300]}")
if len(sys.argv) > 100 and computed < 5 * taken:
    wrong += 1
    print(f"of {computed + taken} maps only {computed} are computed")
sys.exit(wrong > 0)
