# Reads what `selfattn check` says, and prints what GitHub shows at a line of a file: what does not
# hold at the document's "expected", or at its line of JSON Lines, an error where it is.

function annotate(file, line, text) {
    gsub(/%/, "%25", text)
    print "::error file=" file ",line=" line "::" text
}

# The line of a document's "expected".
function line_of_expected(file,    text, line, found) {
    while (!found && (getline text <file) > 0) {
        line++
        if (text ~ /"expected"/)
            found = line
    }
    close(file)
    return found ? found : 1
}

/^FAIL  / && match($0, /\.jsonl:[0-9]+/) {
    annotate(substr($0, 7, RSTART - 1), substr($0, RSTART + 7, RLENGTH - 7), $0)
    next
}
/^FAIL  / && match($0, /\.json/) {
    file = substr($0, 7, RSTART - 2)
    annotate(file, line_of_expected(file), $0)
}
/^selfattn: [^:]+:[0-9]+:[0-9]+: / {
    split($0, part, ":")
    annotate(substr(part[2], 2), part[3], $0)
}
