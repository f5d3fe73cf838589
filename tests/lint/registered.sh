#!/bin/sh
# registered.sh: each file of unit tests has one that runs, UNIT(name).
wrong=$(find tests/unit tests/kernels -name 'test_*.c' -exec grep -L '^UNIT(' {} +)
[ -z "$wrong" ] || { echo "$wrong" | sed 's/$/: has no UNIT(name)/'; exit 1; }
