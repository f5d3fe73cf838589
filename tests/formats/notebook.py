#!/usr/bin/env python3
"""notebook.py NAME.ipynb...: checks notebooks by what nbformat 4.5 asks for, and writes the Markdown
of each that is well into NAME.md; of another it says what is wrong.

Written from the format's description (nbformat.readthedocs.io, "The Notebook file format"): a
reader that needs no package.
"""
import json
import re
import sys


def check(condition, what):
    if not condition:
        raise ValueError(what)


def inline_mathematics(markdown):
    """Of $…$ within lines; blocks of $$ are cut, and \\$ is none."""
    check(markdown.count("$$") % 2 == 0, "a block of $$ does not end")
    rest = re.sub(r"\$\$.*?\$\$", "", markdown, flags=re.DOTALL).replace("\\$", "")
    for line in rest.splitlines():
        parts = line.split("$")
        check(len(parts) % 2 == 1, f"a $ without another: {line}")
        yield from parts[1::2]


def markdown_of(name):
    with open(name, encoding="utf-8") as file:
        raw = file.read()
    notebook = json.loads(raw)
    check(set(notebook) == {"cells", "metadata", "nbformat", "nbformat_minor"}, "other keys")
    check((notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5), "not nbformat 4.5")
    kernel = notebook["metadata"]["kernelspec"]
    check(kernel["name"] == "python3" and kernel["language"] == "python", "another kernel")
    check(isinstance(kernel["display_name"], str), "a kernel without a name to show")
    pages = []
    ids = [cell["id"] for cell in notebook["cells"]]
    check(len(ids) > 0 and len(set(ids)) == len(ids), f"ids: {ids}")
    for cell in notebook["cells"]:
        own = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        check(set(cell) == {"cell_type", "id", "metadata", "source"} | own, f"keys: {set(cell)}")
        check(cell["cell_type"] in ("markdown", "code") and cell["metadata"] == {}, "another cell")
        check(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"]), f"id {cell['id']}")
        source = cell["source"]
        check(source and all(isinstance(line, str) for line in source), "a source without lines")
        check(all(re.fullmatch(r"[^\n]*\n", line) for line in source[:-1]), "a line without end")
        check(re.fullmatch(r"[^\n]+", source[-1]), "the last line")
        if cell["cell_type"] == "code":  # cells.py runs it
            check(cell["execution_count"] is None and cell["outputs"] == [], "code that was run")
            continue
        markdown = "".join(source)
        check("```" not in markdown and "$`" not in markdown, "mathematics of another dialect")
        for formula in inline_mathematics(markdown):
            check(formula == formula.strip() and formula, f"spaces inside $…$: {formula!r}")
        for block in re.findall(r"\$\$(.*?)\$\$", markdown, flags=re.DOTALL):
            check("\n\n" not in block, "an empty line in mathematics, which ends it")
        pages.append(markdown + "\n\n")
    saved = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    check(raw == saved, "Jupyter would save it otherwise")
    return "".join(pages)


for ipynb in sys.argv[1:]:
    try:
        markdown = markdown_of(ipynb)
    except (ValueError, KeyError) as wrong:
        print(f"{ipynb}: {wrong!r}")
        continue
    with open(ipynb.removesuffix("ipynb") + "md", "w", encoding="utf-8") as page:
        page.write(markdown)
