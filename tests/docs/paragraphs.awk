# paragraphs.awk TABLE THERE [SEED...]: says what is wrong with testdata/seeds/PARAGRAPHS.md. THERE
# is what places may name, one a line: "001-walkthrough: scores", or "case: " and a claim, of which
# the table has the beginning. A paragraph of a seed needs a row, whose words are in it.

function bare(text) {
    gsub(/[ \t]+/, " ", text)
    return text
}

FNR == 1 { file++ }

file == 1 && split($0, cell, / \| /) == 4 && cell[1] ~ /^\| [0-9]/ {
    name = substr(cell[1], 3)
    quoted[name, ++rows[name]] = bare(cell[2])
    sub(/ \|$/, "", cell[4])
    count = split(cell[4], place, /; /)
    for (i = 1; i <= count; i++) {
        at = index(place[i], ": ")
        steps = split(place[i] ~ /^case: / ? "" : substr(place[i], at + 2), step, /, /)
        for (j = 1; j <= steps; j++)
            wanted[substr(place[i], 1, at + 1) step[j]] = name
        if (steps == 0)
            wanted[place[i]] = name
    }
}

file == 2 && /^case: / { claims = claims "\n" $0 }
file == 2 { there[$0] }

file > 2 && FNR == 1 {
    end_seed()
    seed = substr(FILENAME, length(FILENAME) - 23, 3)
    number = in_paragraph = 0
}
file < 3 { next }
/^(```|~~~)/ { in_fence = !in_fence }
!in_fence && NF == 0 { in_paragraph = 0; next }
{
    if (!in_paragraph)
        text[name = sprintf("%s-%02d", seed, ++number)] = ""
    in_paragraph = 1
    text[name] = text[name] " " bare($0)
}

function end_seed(    i) {
    for (; number > 0; number--) {
        name = sprintf("%s-%02d", seed, number)
        if (!rows[name])
            print name " has no row"
        for (i = 1; i <= rows[name]; i++)
            if (!index(text[name], quoted[name, i]))
                print name " does not say: " quoted[name, i]
        delete rows[name]
    }
}

END {
    end_seed()
    for (what in wanted)
        if (!(what in there) && !(what ~ /^case: / && index(claims, "\n" what)))
            print wanted[what] ": not there: " what
    for (name in rows)
        if (file > 2)
            print name " is no paragraph"
}
