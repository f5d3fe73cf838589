"""Prints the bits of a result, of which one is another: of the stage that is a third of the way
through the vector, at a third of its numbers.

    python3 spoil.py VECTOR <RESULT
"""
import json
import sys

from check import read_result

with open(sys.argv[1], encoding="utf-8") as vector:
    contract = json.load(vector)["_contract"]
stages = read_result(sys.stdin.buffer.read(), contract["dtype"])
names = [name for name in contract["stages"] if stages[name]["bits"]]
bits = stages[names[len(names) // 3]]["bits"]
at = len(bits) // 3
bits[at] = bits[at][:-1] + "%x" % (int(bits[at][-1], 16) ^ 1)
print(json.dumps({name: dict(stage, bits=" ".join(stage["bits"])) for name, stage in stages.items()}))
