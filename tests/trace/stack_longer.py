"""stack_longer.py DOCUMENT WORDS OUT: the document with a generation's words, or ids, behind its prompt.
Says how long the prompt was."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    words = file.read().split()
key = "tokens" if "tokens" in document else "ids"
print(len(document[key]))
document[key] += words if key == "tokens" else [int(word) for word in words]
document.pop("expected", None)
with open(sys.argv[3], "w", encoding="utf-8") as file:
    json.dump(document, file)
