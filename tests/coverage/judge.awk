# judge.awk LIST -: the list of what need not be reached, then what gcov -b -c says of objects.
#
# The list is blocks: a reason (#), then lines as "FILE FUNCTION: TEXT", one for each line of src
# (without FUNCTION in kernels, which have several names). Those whose reason begins with
# "elsewhere" may be reached, on another machine or at another moment.
#
# A line of several objects (a header, a kernel that is built once an instruction set) is reached
# when one of them reaches it; so is an outcome of a condition. Kernels come after the word
# `kernels`: they are optimised, and say nothing of the headers of others.
#
# Which few lines are reached differs from moment to moment and from machine to machine: up to `few`
# that are not as the list has them are told, and more have failed.
function say(what)
{
    print "FAIL coverage: " what
    failed++
}

function differs(what)
{
    print "coverage: " what
    different++
}

# ---- the list ----

FILENAME == ARGV[1] && /^#/ {
    may_be_reached = reason ? may_be_reached : /^# elsewhere/
    reason = 1
    next
}
FILENAME == ARGV[1] && /^$/ { reason = 0; next }
FILENAME == ARGV[1] {
    if (!reason)
        say("unreached.txt:" FNR ": has no reason above it")
    if (/^src\/(base|io|attn)\//)
        say("unreached.txt:" FNR ": of base, io and attn all is reached")
    listed[$0]++
    may_be[$0] = may_be_reached
    line_of[$0] = FNR
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
    untaken = build "/branches.txt"
    printf "" >unreached
    printf "" >untaken
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
            if (missing != "")
                print place ":" missing " of " outcomes[place] ": " text[place] >untaken
            continue
        }
        print entry[place] >unreached
        if (listed[entry[place]]-- <= 0)
            differs("no test reaches " place ": " text[place])
    }
    for (one in listed)
        if (listed[one] > 0 && !may_be[one])
            differs("unreached.txt:" line_of[one] ": is reached, or not there: " one)
    if (different > few)
        say(different " lines are not as the list has them")
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
