"""sheets.py FILE...: exercises (--blank) of documents tell no number that follows from an asked one.

What follows is known here by the order of the pipeline, not by the program's nodes. Numbers have nine
decimals, so that no two are the same by chance; one counts where it is none of the document's, and none
of a stage that comes before. It must be neither in what the page shows nor, as it is, in its data.
"""
import json
import re
import struct
import subprocess
import sys

DIGITS = 9
# Steps, and the stages that they make, in order.
PIPELINE = [
    ("positions", ["x_pos"]),
    ("projections", ["q", "k", "v"]),
    ("normalize", ["q_norm", "k_norm"]),
    ("rope", ["q_rope", "k_rope"]),
    ("cache", ["present_k", "present_v"]),
    ("scores", ["scores"]),
    ("scale", ["scaled"]),
    ("cap", ["capped"]),
    ("mask", ["masked"]),
    ("softmax", ["row_max", "exp", "row_sum", "weights"]),
    ("round", ["rounded"]),
    ("weighted", ["weighted"]),
    ("sum", ["attended"]),
    ("concat", ["context"]),
    ("join", ["output"]),
]
# Where output_grad is given, these follow from weights and from nothing after them.
GIVEN_BACK = ["context_grad", "attended_grad", "weights_grad", "present_v_grad", "v_grad"]
NUMBER = re.compile(r"\d+\.\d+")


def run(*words):
    done = subprocess.run(["selfattn", *words], capture_output=True, text=True, encoding="utf-8")
    return done.stdout if done.returncode == 0 else None


def texts_of(value):
    """As a page shows numbers, in float32, without a sign; but for those of few bits, as slopes are."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return set().union(*map(texts_of, value))
    if not isinstance(value, float):
        return set()
    [narrow] = struct.unpack("f", struct.pack("f", abs(value)))
    return set() if (narrow * 1024).is_integer() else {f"{narrow:.{DIGITS}f}"}


def page_numbers(page):
    """All that a reader sees, and the data as they stand: no style, script, packed or mirrored text."""
    page = re.sub(r"<style>.*?</style>", "", page, flags=re.S)
    body, _, data = page.partition("<script type=\"application/json\" id=data>")
    data = data[:data.index("</script>")]
    data = re.sub(r'"[#@](?:[^"\\]|\\.)*"', "", data)
    closed = re.search(r'"closed":(\{.*\})\}$', data, flags=re.S)
    if closed:
        data = data[:closed.start()]
    return set(NUMBER.findall(re.sub(r"<[^>]+>", " ", body) + data))


def result_of(command, file, names, is_batch):
    """Stages one by one, since an option may make some of them only; of a batch those of the entry that
    a page shows."""
    found = {}
    for name in names:
        made = run(command, "--quiet", "--emit", name, "--format", "json", "--digits", str(DIGITS), file)
        if made:
            values = json.loads(made)[name]
            found[name] = values[0] if is_batch else values
    return found


def look(command, file, word, known, later):
    """None where nothing can be asked so, else whether nothing is told; a page that asks for nothing
    tells what there is to tell."""
    page, plain = (run(command, "--quiet", "--trace-format", "html", "--trace-output", "-", "-o", "/dev/null",
                       "--digits", str(DIGITS), *asked, file) for asked in (["--blank", word], []))
    if page is None:
        return None
    secret = later - known
    told = sorted(secret & page_numbers(page))
    if told:
        print(f"FAIL: a sheet of {file} that asks for {word} tells {', '.join(told[:5])} ({len(told)} in all)")
    if secret and not secret & page_numbers(plain):
        print(f"FAIL: nothing of {len(secret)} numbers is noticed on a page of {file}")
        return False
    return not told


def look_at_attention(file, document, given):
    rows = document.get("q", document.get("x"))
    is_batch = isinstance(rows, list) and isinstance(rows[0], list) and isinstance(rows[0][0], list)
    stages = result_of("run", file, [name for _, names in PIPELINE for name in names], is_batch)
    back = result_of("run", file, GIVEN_BACK if "output_grad" in document else [], is_batch)
    for at, (word, names) in enumerate(PIPELINE):
        before = [name for _, some in PIPELINE[:at] for name in some]
        after = [name for _, some in PIPELINE[at:] for name in some]
        known = texts_of(given).union(*(texts_of(stages.get(name)) for name in before))
        if "weights" in before:
            known |= texts_of(back)
        yield look("run", file, word, known, set().union(*(texts_of(stages.get(name)) for name in after)))


def look_at_layers(file, _, given):
    made = run("encode", "--quiet", "--emit", "*", "--format", "json", "--digits", str(DIGITS), file)
    if made is None:
        return
    stages = {name: value for name, value in json.loads(made).items() if isinstance(value, list)}
    names = list(stages)
    for word in [name for name in names if re.fullmatch(r"layer\.0\.(attention_sum|ln1|attention\.scores)", name)]:
        at = names.index(word)
        after = [name for name in names[at:] if name == "output" or re.match(r"layer\.(?!.*mean_)", name)]
        known = texts_of(given).union(*(texts_of(stages[name]) for name in names if name not in after))
        yield look("encode", file, word, known, set().union(*(texts_of(stages[name]) for name in after)))


def main():
    found = []
    for file in sys.argv[1:]:
        with open(file, encoding="utf-8") as source:
            document = json.load(source)
        given = [value for key, value in document.items() if key not in ("expected", "errata")]
        looks = look_at_layers if "layers" in document else look_at_attention
        found += [one for one in looks(file, document, given) if one is not None]
    if not found:
        print("FAIL: no sheet was looked at")
    return 0 if found and all(found) else 1


sys.exit(main())
