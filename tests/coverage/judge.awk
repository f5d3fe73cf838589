# judge.awk UNREACHED UNTAKEN -: lines that need not be reached, lines whose conditions need not
# have every outcome, then what gcov -b -c says of objects.
#
# Each list is blocks: a reason (#), then lines as "FILE FUNCTION: TEXT", one for each line of src
# (without FUNCTION in kernels, which have several names). Those whose reason begins with
# "elsewhere" may be reached, or taken, on another machine or at another moment.
#
# A line of several objects (a header, a kernel that is built once an instruction set) is reached
# when one of them reaches it; so is an outcome of a condition. Kernels come after the word
# `kernels`: they are optimised, and say nothing of the headers of others.
#
# One outcome is missing by rule where an operand is a function that fails (`|| err_at(…)`), which
# always returns false, on the same line or the next one.
#
# Which few lines are reached differs from moment to moment and from machine to machine: up to `few`
# that are not as a list has them are told, and more have failed.
function say(what)
{
    print "FAIL coverage: " what
    failed++
}

# differs LIST WHAT: one of the few.
function differs(list, what)
{
    print "coverage: " what
    different[list]++
}

# has LIST ENTRY: whether it stands there once more.
function has(list, entry)
{
    return listed[list, entry]-- > 0
}

# ---- the lists ----

FILENAME != "-" {
    list = FILENAME
    sub(/.*\//, "", list)
    if (/^#/) {
        may_be = reason ? may_be : /^# elsewhere/
        reason = 1
    } else if (/^$/)
        reason = 0
    else {
        if (!reason)
            say(list ":" FNR ": has no reason above it")
        if (/^src\/(base|io|attn)\//)
            say(list ":" FNR ": of base, io and attn all is reached and taken")
        listed[list, $0]++
        if (!may_be)
            told[list, $0] = FNR
    }
    next
}

# ---- what gcov says ----

$0 == "kernels" { is_kernel = 1; next }
/^function / { name = $2; next }
/^branch / {
    if (place == "")
        next
    outcome = place SUBSEP branch++
    if (!(outcome in taken)) {
        outcomes[place]++
        taken[outcome] = 0
    }
    taken[outcome] += $3 == "taken" && $4 > 0
    next
}
/^ *[-#=0-9*]+: *[0-9]+:/ {
    split($0, part, ":")
    number = part[2] + 0
    said = substr($0, length(part[1] part[2]) + 3)
    place = ""
    branch = 0
    if (number == 0) {
        if (said ~ /^Source:/)
            file = substr(said, 8)
        next
    }
    source[file ":" number] = said
    if (file !~ /^src\// || part[1] ~ /^ *-$/ || (is_kernel && file !~ /^src\/kernels\//))
        next
    place = file ":" number
    if (!(place in reached)) {
        order[++lines] = place
        sub(/^[ \t]+/, "", said)
        text[place] = said
        entry[place] = file (is_kernel ? "" : " " name) ": " said
        file_of[place] = file
        reached[place] = 0
    }
    if (part[1] !~ /[#=]/)
        reached[place] = 1
}

END {
    unreached = build "/unreached.txt"
    untaken = build "/untaken.txt"
    branches = build "/branches.txt"
    printf "" >unreached
    printf "" >untaken
    printf "" >branches
    fails = "(\\|\\||&&|[?:]|^return) *[a-z_]*" \
        "(err_|fail|refuse|disagree|expected|remedy|blame|suggest)[a-z_]*\\("
    for (i = 1; i <= lines; i++) {
        place = order[i]
        files[file_of[place]]
        if (reached[place]) {
            hit++
            missing = ""
            for (k = 0; k < outcomes[place]; k++) {
                all++
                if (taken[place, k])
                    took++
                else
                    missing = missing " " k
            }
            if (missing == "")
                continue
            print place ":" missing " of " outcomes[place] ": " text[place] >branches
            split(place, part, ":")
            if (text[place] source[part[1] ":" part[2] + 1] ~ fails && missing !~ /. /)
                continue
            print entry[place] >untaken
            if (!has("untaken.txt", entry[place]))
                differs("untaken.txt",
                    "no test takes outcome" missing " of " place ": " text[place])
            continue
        }
        print entry[place] >unreached
        if (!has("unreached.txt", entry[place]))
            differs("unreached.txt", "no test reaches " place ": " text[place])
    }
    for (one in told)
        if (listed[one] > 0) {
            split(one, part, SUBSEP)
            differs(part[1], part[1] ":" told[one] ": is not so, or not there: " part[2])
        }
    for (list in different)
        if (different[list] > few)
            say(different[list] " lines are not as " list " has them")
    for (one in files)
        passed++
    if (!lines)
        say("gcov found no lines")
    else
        printf "coverage: %.2f %% of %d lines of src, %.1f %% of the outcomes of conditions\n",
            100 * hit / lines, lines, 100 * took / all
    print passed + 0 " passed, " failed + 0 " failed"
    exit failed > 0
}
