# shellcheck shell=sh
# Builds of the proof of one answer, and their hashes next to those of the definition. Sourced by
# suites that have a scratch folder.

# build VARIANT ARGUMENT...: leaves build/VARIANT/answer in $program.
build() {
    variant=$1 program=build/$1/answer
    shift
    make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT="$variant" "$@" "$program" \
        >"$scratch/made" 2>&1 && return
    fail "$variant does not build"
    tail -n 5 "$scratch/made"
    return 1
}

# hashes CLAIM COMMAND...: what it prints in $scratch/got; false where there is nothing to compare.
hashes() {
    claim=$1
    shift
    "$@" --each >"$scratch/got" 2>"$said" && return
    if [ $? = 77 ]; then
        skip "$claim: $(cat "$said")"
    else
        fail "$claim: $(tail -n 1 "$said")"
    fi
    return 1
}

# judge CLAIM LEAST: of what was printed each stage is as the definition has it, and there are at
# least LEAST stages.
judge() {
    grep -v '^all' "$scratch/got" | sort >"$scratch/stages"
    other=$(comm -13 "$scratch/expected" "$scratch/stages" | sort -n)
    if [ -n "$other" ]; then
        fail "$1: $(echo "$other" | wc -l) stages differ, the first of problem $(echo "$other" |
            sed -n 's/ [^ ]*$//p; q')"
    elif [ "$(wc -l <"$scratch/stages")" -lt "$2" ]; then
        fail "$1: only $(wc -l <"$scratch/stages") stages were computed"
    else
        pass
    fi
}

# same CLAIM COMMAND...: all stages of all problems.
same() {
    hashes "$@" || return
    judge "$1" "$(wc -l <"$scratch/expected")"
}

# part CLAIM LEAST COMMAND...: at least LEAST stages.
part() {
    claim=$1 least=$2
    shift 2
    hashes "$claim" "$@" && judge "$claim" "$least"
}

# every_isa NAME [RUNNER...]: $program by each instruction set of its architecture, and by the
# scalar kernels that are compiled for any machine of it.
every_isa() {
    name=$1
    shift
    for isa in $("$@" "$program" --isas); do
        same "$name, $isa" "$@" "$program" --isa "$isa"
        part "$name, $isa, nothing but the output" 50 \
            "$@" "$program" --isa "$isa" --only-output --every 7
    done
    part "$name, plain" 700 "$@" "$program" --isa plain --every 7
}

# define: the scalar kernels of the program as it is built, $own, are the definition, in
# $scratch/expected.
define() {
    build "$(basename "${BUILD:-build/release}")" || return
    own=$program
    hashes 'the scalar kernels' "$own" --isa scalar || return
    grep -v '^all' "$scratch/got" | sort >"$scratch/expected"
}
