# code(line): a line of C without its comments, and without what stands in quotes if `strings` is
# "no". Lines are to be given one after the other, since a comment may span several; at the first
# line of a file set in_comment = 0.
function code(line,    out, found, end) {
    while (line != "") {
        if (in_comment) {
            end = index(line, "*/")
            if (!end)
                return out
            line = substr(line, end + 2)
            in_comment = 0
        }
        if (!match(line, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\*|\/\//))
            return out line
        found = substr(line, RSTART, RLENGTH)
        out = out substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        if (found == "//")
            return out
        if (found == "/*")
            in_comment = 1
        else
            out = out (strings == "no" ? "\"\"" : found)
    }
    return out
}
