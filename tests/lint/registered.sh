#!/bin/sh
# registered.sh: nothing is written and not tested.
wrong=0
say() {
    wrong=1
    echo "$1"
}

# Each file of unit tests has one that runs, UNIT(name).
for file in $(find tests/unit tests/kernels -name 'test_*.c' -exec grep -L '^UNIT(' {} +); do
    say "$file: has no UNIT(name)"
done

# Each kernel is called by a slot.
list=src/kernels/kernel_list.h
for kernel in $(sed -n 's/^KERNEL_OF([a-z_]*, \([a-z_0-9]*\),.*/\1/p' $list); do
    grep -q "with->$kernel(" tests/kernels/slots.c ||
        say "$list: tests/kernels/slots.c calls no $kernel"
done
exit $wrong
