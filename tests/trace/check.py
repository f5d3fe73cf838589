#!/usr/bin/python3 -B
"""check.py [WORD]: what --trace shows, of every document with WORD in its name.

again    every number and letter of a JSON trace comes out of its derivations (evaluate.py)
stages   its nodes have the numbers that the same run emits, which are the same next to a trace
text     a text trace shows the JSON trace of the same run, character by character (shown.py)
alter    a number of the JSON, or a digit or a sign of the text, that is changed is noticed
parts    what each entry of a batch adds to a gradient comes to what the run emits
planted  an operation that the program has not is worked out from its row alone"""
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
import claims
import evaluate
import operations
import shown

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORD = sys.argv[1] if len(sys.argv) > 1 else ""
STAGE_FOLDERS = ("seeds", "examples", "variants", "positions", "worked")
# What each comes to, by hand.
PLANTED = (
    ("{(a)}·({b}−{c})", {"a": [2], "b": [3], "c": [5]}, -4),
    ("{a}·(1−({b}/{c})²)", {"a": [4], "b": [3], "c": [2]}, -5),
    ("<({a}−{b})²;+>", {"a": [1, 2, 4], "b": [3, 5, 4]}, 13),
    ("<|{a}−{b}|;+>", {"a": [1, 2, 4], "b": [3, 5, 3]}, 6),
    ("<{a};+>", {"a": [1, 2, 4]}, 7),
    ("(<{ab};+>)/{n}[d?+{d}]", {"a": [1, 2], "b": [9]}, 4),
)
# Of changes in a text trace, and in the numbers of a JSON trace, one in so many is tried.
EVERY_SIGN, EVERY_NUMBER = 199, 29
EVERY, TURN = int(os.environ.get("TRACE_EVERY", 1)), int(os.environ.get("TURN", 0))


def documents(scratch):
    """The command that takes each, and its file; one is too large to be shown whole."""
    large = pathlib.Path(scratch) / "large.json"
    large.write_bytes(subprocess.run(("awk", "-f", HERE / "large.awk"), stdin=subprocess.DEVNULL,
                                     capture_output=True, check=True).stdout)
    yield "run", large
    folders = [ROOT / "testdata" / name for name in STAGE_FOLDERS] + [HERE / "documents"]
    for folder in folders:
        yield from (("run", path) for path in sorted(folder.glob("*.json")))
    stacks = [*(ROOT / "testdata/stacks").glob("*.json"), *(HERE / "stacks").glob("*.json"),
              ROOT / "tests/web/gates.json"]
    for path in sorted(stacks):
        is_told = path.name.startswith(("generat", "street"))
        yield "generate" if is_told else "decode" if "decoder" in path.name else "encode", path


def found(what, name, wrong):
    """Says what is wrong, the first five of it."""
    claims.check("\n    ".join([f"{name}: {what}", *wrong[:5]]), not wrong)


class Document:
    def __init__(self, command, path, scratch):
        self.command, self.path, self.name = command, str(path), path.stem
        self.room = os.path.join(scratch, "trace.json")
        self.length = ("--length", "3") if command == "generate" else ()

    def run(self, *options):
        return claims.selfattn(self.command, "--quiet", *self.length, *options, self.path)

    def json(self, *options):
        """The trace, and what the same run writes besides."""
        pathlib.Path(self.room).unlink(missing_ok=True) # another's, where this run crashes
        stages = self.run("--trace-format", "json", "--trace-output", self.room, *options)
        with open(self.room, encoding="utf-8") as file:
            return json.load(file), stages

    def text(self, trace, kind, *options, digits=None):
        """Its text is what the trace says."""
        is_full = "--full" in options
        numbers = shown.Numbers(digits, kind)
        options += () if digits is None else ("--digits", str(digits))
        page = self.run("--trace", "--dtype", kind, *options).decode()
        name = f"{self.name}: {self.command} --dtype {kind} {' '.join(options)}"
        wrong = shown.difference(trace, page, is_full, numbers)
        found("text", name, [wrong] if wrong else [])
        if not wrong and digits is None and "--full" not in options:
            found("a change of the text is not noticed", name,
                  shown.alter(trace, page, is_full, numbers, EVERY_SIGN))

    def told(self, kind, *options):
        """The trace, after it was found true."""
        if self.command == "generate":
            trace, words = self.json("--dtype", kind, *options)
            found("stages", self.name, self.steps_differ(trace, kind, words.decode().split()))
        else:
            trace, stages = self.json("--dtype", kind, "--emit", "*", *options)
            alone = self.run("--dtype", kind, "--emit", "*")
            found("the data are others next to a trace", self.name,
                  ["they differ"] if alone != stages else [])
            found("stages", self.name, list(evaluate.check_stages(trace, json.loads(stages))))
        found("again", f"{self.name} {kind} {' '.join(options)}",
              evaluate.untruths(trace, kind, EVERY_NUMBER))
        return trace

    def parts_differ(self, kind, count):
        """Of so many entries, and layers that share a weight: gradients to which they don't add up."""
        with open(self.path, encoding="utf-8") as file:
            layers = len(json.load(file).get("layers", []))
        parts, columns = {}, {}
        for entry in range(count):
            batch = ("--focus", f"batch={entry + 1}") if count > 1 else ()
            trace, stages = self.json("--dtype", kind, "--emit", "*", *batch)
            for said in trace["nodes"]:
                if said["name"].endswith("_part") and "values" in said:
                    node = evaluate.Node(said)
                    turned = [x for head in node.values for column in zip(*head) for x in column]
                    name = re.sub(r"(?<=^layer\.)\d+", lambda at: str(int(at[0]) % layers),
                                  node.name[: -len("_part")])
                    columns[name] = node.columns
                    parts.setdefault(name, []).append((node.numbers, turned))
        stages = json.loads(stages)
        for name, of in parts.items():
            if name.replace("bias_grad", "relative_bias_grad") in stages:
                continue  # of each pair, and no stage: its sums by buckets are
            whole = evaluate.of_keys(name, stages[name], columns[name])
            wanted = evaluate.flat(evaluate.numbers([whole]))
            slack = 1e-12 * max(map(abs, wanted))
            sums = [list(map(sum, zip(*as_it_lies))) for as_it_lies in zip(*of)]
            if not any(len(one) == len(wanted) and
                       all(abs(x - y) <= slack for x, y in zip(one, wanted)) for one in sums):
                yield f"{name} is not what its entries add up to"

    def steps_differ(self, trace, kind, words):
        """Each step of a generation against a decoder that sees all words at once."""
        with open(self.path, encoding="utf-8") as file:
            document = json.load(file)
        key = "tokens" if "tokens" in document else "ids"
        end = len(document[key])
        document[key] += words if key == "tokens" else [int(word) for word in words]
        document.pop("expected", None)
        stages = json.loads(claims.selfattn("decode", "--quiet", "--dtype", kind, "--emit", "*",
                                            data=json.dumps(document).encode()))
        return [line for step in range(3)
                for line in evaluate.check_stages(trace, stages, end + step, f"step.{step}.")]

    def check(self):
        trace = self.told("f32")
        for digits in (None, 2, 7):
            self.text(trace, "f32", digits=digits)
        scores = next((x["shape"] for x in trace["nodes"] if x["name"].endswith("scores")), [1, 1])
        focus = ("--focus", f"row={(scores[1] + 1) // 2}")
        last = ("--focus", f"row={scores[1]},head={scores[0]}")
        if self.command == "generate":
            focus = ("--temperature", "2", "--seed", "1")
            last = ()
        self.text(self.json("--dtype", "f32", *focus)[0], "f32", *focus)
        self.text(self.json("--dtype", "f32", "--full", *last)[0], "f32", "--full", *last)
        self.text(self.told("f64", *last), "f64", *last)
        if any(node["name"].endswith("_part") for node in trace["nodes"]):
            with open(self.path, encoding="utf-8") as file:
                given = json.load(file)
            output = json.loads(self.json("--emit", "output")[1])["output"]
            count = len(output) if isinstance(output[0][0], list) else 1
            found("parts", self.name, list(self.parts_differ("f64", count)))
        if (HERE / "golden" / f"{self.name}.txt").exists():
            for step in trace["steps"]:
                only = f"--trace={step['step']}"
                self.text(self.json(only)[0], "f32", only)


def planted():
    for spelled, operands, wanted in PLANTED:
        got = operations.work_out(spelled, {x: operands.get(x, []) for x in "abcde"})
        if operations.number(got).value != wanted:
            yield f"{spelled} is {got!r}, by hand {wanted}"


def main():
    os.chdir(ROOT)
    found("planted", "operations", list(planted()))
    with tempfile.TemporaryDirectory() as scratch:
        for command, path in itertools.islice(documents(scratch), TURN % EVERY, None, EVERY):
            # pylint: disable=broad-exception-caught
            # No numbers; letters that a terminal could not bear are others on the page.
            if WORD in path.stem and path.stem not in ("bloem-tokens", "labels"):
                try:
                    Document(command, path, scratch).check()
                except Exception as problem: # a crash of one document's run, which hides no other
                    claims.check(f"{path.stem}: {type(problem).__name__}: {problem}", False)
    claims.finish()


main()
