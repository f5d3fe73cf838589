# shown.awk SHOWN OUT: says which of the lines shown is not in what came out. Runs of lines between
# two … follow one another in OUT; the first begins it and the last ends it, where no … is in front
# or after.

FNR == NR { shown[++count] = $0; next }
{ out[++lines] = $0 }

# The line of OUT, `from` or after it, where `size` lines are those of SHOWN from `first`; or 0.
function find(first, size, from, is_anchored,    at, i) {
    for (at = from; at + size - 1 <= lines; at++) {
        i = 0
        while (i < size && out[at + i] == shown[first + i])
            i++
        if (i == size)
            return at
        if (is_anchored)
            return 0
    }
    return 0
}

END {
    from = 1
    is_anchored = 1
    for (first = 1; first <= count; first = next_first) {
        if (shown[first] == "…") {
            is_anchored = 0
            next_first = first + 1
            continue
        }
        next_first = first
        while (next_first <= count && shown[next_first] != "…")
            next_first++
        at = find(first, next_first - first, from, is_anchored)
        if (!at) {
            print "not printed" (is_anchored ? " at once" : " in this order") ": " shown[first]
            exit 1
        }
        from = at + next_first - first
        is_anchored = 1
    }
    if (shown[count] != "…" && from <= lines)
        print "printed, but not shown: " out[from]
}
