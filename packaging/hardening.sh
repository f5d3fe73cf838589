#!/bin/sh
# hardening.sh FILE FLAGS: prints those of the flags that $CC takes, with $CFLAGS before them.
#
# Each is tried with those before it, on an array that can be guarded, and has to be silent: a
# machine may lack what it asks for, and _FORTIFY_SOURCE wants an optimisation. FILE keeps the question and its answer.
set -u
file=$1 question="$CC $CFLAGS $2" asked= taken=
{ [ ! -e "$file" ] || { read -r asked && read -r taken; } <"$file"; } 2>/dev/null
if [ "$asked" != "$question" ]; then
    taken=
    for flag in $2; do
        # shellcheck disable=SC2086 # words are meant
        printf '#include <stdio.h>\nint main(void) { char a[9]; return !fgets(a, 9, stdin); }\n' |
            $CC $CFLAGS $taken $flag -Werror -x c -o /dev/null - 2>/dev/null &&
            taken="$taken $flag"
    done
    mkdir -p "${file%/*}"
    printf '%s\n%s\n' "$question" "$taken" >"$file"
fi
echo "$taken"
