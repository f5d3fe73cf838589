"""What `help schema` says, against documents, what the program writes, and what it refuses."""
import copy
import json
import pathlib
import subprocess
import tempfile

from jsonschema import Draft202012Validator

from claims import check, finish, selfattn

TESTDATA = pathlib.Path("testdata")
# Of what is written here and nowhere below: members of runs that few make.
RARE = {"learned", "too_large", "without_output", "ulps"}


def described(schema):
    """The schema with each member of what is written forbidden that it does not name, and the names
    of those members."""
    strict = copy.deepcopy(schema)
    for definition in ("if", "then", "else"):
        del strict[definition]
    members = set()

    def close(part):
        if isinstance(part, dict):
            if "properties" in part and "additionalProperties" not in part:
                members.update(part["properties"])
                part["additionalProperties"] = False
            for value in part.values():
                close(value)
        elif isinstance(part, list):
            for value in part:
                close(value)

    close(strict["$defs"])
    return strict, members


def seen(value, into):
    """All names of members in a value."""
    if isinstance(value, dict):
        into.update(value)
        for one in value.values():
            seen(one, into)
    elif isinstance(value, list):
        for one in value:
            if isinstance(one, (dict, list)):
                seen(one, into)


class Written:
    """What the program writes, each line or whole, judged by a definition."""

    def __init__(self, schema):
        self.strict, self.members = described(schema)
        self.seen = set()

    def holds(self, definition, *words, data=None, lines=False):
        done = subprocess.run(("selfattn",) + words, input=data, capture_output=True, check=False)
        texts = done.stdout.decode().splitlines() if lines else [done.stdout.decode()]
        judge = Draft202012Validator({**self.strict, "$ref": f"#/$defs/{definition}"})
        for text in texts if any(texts) else ['"nothing was written"']:
            value = json.loads(text)
            wrong = next(judge.iter_errors(value), None)
            check(f"{' '.join(words)}: {wrong and (list(wrong.absolute_path), wrong.message[:200])}",
                  wrong is None)
            seen(value, self.seen)


def documents():
    for path in sorted(TESTDATA.glob("*/*.json")):
        yield path, json.loads(path.read_text())


def check_written(schema):
    """Small documents of every kind, and what reports say of files."""
    written = Written(schema)
    small = [path for path, document in documents()
             if path.parent.name in ("variants", "stacks", "positions", "seeds", "worked")]
    for path in small:
        name = str(path)
        written.holds("info", "info", "--format", "json", name)
        if path.stem in ("generation", "generator", "street"):
            words = "generate", "--length", "2", name
            written.holds("token", *words, "--logits", lines=True)
        else:
            words = "run", name
            written.holds("result", *words, "--header")
        if path.stat().st_size < 9000:
            written.holds("trace", *words, "--trace-format", "json")
    for path in [*sorted(TESTDATA.glob("*/*.npy")), *sorted(TESTDATA.glob("models/*/"))]:
        written.holds("info", "info", "--format", "json", str(path))
    with tempfile.TemporaryDirectory() as folder:
        def file(name, value):
            path = pathlib.Path(folder, name)
            path.write_text(value if isinstance(value, str) else json.dumps(value))
            return str(path)

        keys = {"q": [[0.1, 0, 0, 0]], "k": [[1, 0, 0, 0], [0, 0, 0, 0]], "v": [[1], [0]]}
        a = file("a.json", {**keys, "weights": [[0.5125, 0.4875]], "output": [[0.5125]]})
        b = file("b.json", {**keys, "weights": [[0.5, 0.5]], "scores": [[1, 2]]})
        two = [file(f"{name}.npy.json", selfattn("-", "--header", data=text.encode()).decode())
               for name, text in (("c", '{"x": [[1, 2]]}'), ("d", '{"x": [[1, 2.5]], "scale": 2}'))]
        for pair in (a, a), (a, b), (b, a), two:
            written.holds("diff", "diff", "--format", "json", "--atol", "0.007", *pair)
        written.holds("diff", "diff", "--format", "json", "--ulps", "4", a, b)
        written.holds("failure", "--keep-going", "-", data=b'{"x": [[1], [2, 3]]}')
        written.holds("info", "info", "--format", "json",
                      file("odd.json", '{"a": [1, "b", [null, true, {}]], "n": null, "e": []}'))
        written.holds("info", "info", "--format", "json", file("s.jsonl", '{"x": [[1]]}\n' * 2))
        written.holds("info", "info", "--format", "json", file("bad.json", '{"x": '))
        expert = {"w1": [[1], [1]], "w2": [[1, 1]]}
        layer = {**{f"w{part}": [[0, 0], [0, 0]] for part in "qkvo"}, "router": [[1], [1]],
                 "experts": [expert], "top_experts": 1}
        written.holds("info", "info", "--format", "json",
                      file("mix.json", {"x": [[1, 2]], "norm": "pre", "layers": [layer]}))
        written.holds("info", "info", "--format", "json", file("p.json", {"x": [[1], [2, 3]]}))
    missing = written.members - written.seen - RARE
    check(f"nothing writes {sorted(missing)}", not missing)


# One of each shape of value, and of each that looks like another.
VALUES = [True, "word", "true", "nan", "3", -1.5, 0, 2, None, [], [1], [1.5, -2], [[1]], [[True]],
          ["a"], [["a"]], {}, {"a": 1}, {"a": [[1]]}, {"base": 2}, {"gain": [1]}, [{}], [{"a": 1}]]
# What run passes over.
READ_BY_CHECK = {"tol", "errata"}


def check_taken(schema):
    """What the program takes, the schema does."""
    judge = Draft202012Validator(schema)
    attention = {"x": [[1, 2], [3, 4]]}
    stack = {**attention, "layers": [{"wq": [[1, 0], [0, 1]], "wk": [[1, 0], [0, 1]],
                                      "wv": [[1, 0], [0, 1]], "norm": "pre"}]}
    tried = []
    for kind, base in ("attention", attention), ("stack", stack):
        for key in schema["$defs"][kind]["properties"]:
            tried += [{**base, key: value} for value in VALUES]
    for key in schema["$defs"]["layer"]["properties"]:
        tried += [{**stack, "layers": [{**stack["layers"][0], key: value}]} for value in VALUES]
    for key in schema["$defs"]["head"]["properties"]:
        tried += [{**stack, "head": {"w": [[1, 0], [0, 1]], key: value}} for value in VALUES]
    tried = [one for one in tried if not READ_BY_CHECK & one.keys()]
    said = subprocess.run(("selfattn", "run", "--keep-going", "--input-format", "jsonl", "-"),
                          input="\n".join(map(json.dumps, tried)).encode(), capture_output=True,
                          check=False).stdout.decode().splitlines()
    check(f"{len(tried)} documents, {len(said)} answers", len(tried) == len(said))
    for document, answer in zip(tried, said):
        taken = "error" not in json.loads(answer)
        check(f"the schema refuses what is taken: {json.dumps(document)}",
              not taken or judge.is_valid(document))
    refused = sum(not judge.is_valid(one) for one in tried)
    check(f"the schema refuses {refused} of {len(tried)}", refused > len(tried) / 2)


def check_documents(schema):
    judge = Draft202012Validator(schema)
    for path, document in documents():
        wrong = next(judge.iter_errors(document), None)
        check(f"{path}: {wrong and wrong.message[:200]}", wrong is None)
        key = next(iter(document))
        misspelt = {key + "x" if name == key else name: value for name, value in document.items()}
        check(f"{path}: {key}x is taken", not judge.is_valid(misspelt))


def main():
    schema = json.loads(selfattn("help", "schema"))
    Draft202012Validator.check_schema(schema)
    check_documents(schema)
    check_taken(schema)
    check_written(schema)
    finish()


main()
