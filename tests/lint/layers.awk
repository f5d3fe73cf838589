# Reads layers.txt, then sources; prints each line that includes what its folder may not, or that
# does what only cli may do.
function complain(what) {
    print FILENAME ":" FNR ": " what
    failed = 1
}

function check_include(path,    to) {
    to = path
    sub(/\/.*/, "", to)
    if (path ~ /\.\.\//)
        complain("an include that climbs: " path)
    else if (to == path)
        complain("an include is written from src, as \"" folder "/" path "\"")
    else if (to != folder && !((folder, to) in allowed))
        complain(folder " may not include " to " (tests/lint/layers.txt)")
    else if (to == folder && room != folder && room in known && room_of(path) != room &&
             !((room, room_of(path)) in allowed))
        complain(room " may not include " room_of(path) " (tests/lint/layers.txt)")
}

# attn/plan of attn/plan/plan.h
function room_of(path) {
    sub(/\/[^\/]*$/, "", path)
    return path
}

BEGIN {
    forbidden = "printf fprintf vprintf vfprintf dprintf vdprintf puts fputs putchar putc fputc " \
        "fwrite perror fopen fdopen freopen FILE stdin stdout stderr " \
        "exit _exit _Exit quick_exit abort getenv isatty"
    for (i = split(forbidden, words, " "); i; i--)
        only_cli[words[i]] = 1
}

FILENAME ~ /layers\.txt$/ {
    if (/^#/ || !NF)
        next
    from = $1
    sub(/:$/, "", from)
    known[from] = 1
    for (i = 2; i <= NF; i++)
        allowed[from, $i] = 1
    next
}

FNR == 1 {
    in_comment = 0
    folder = FILENAME
    sub(/^src\//, "", folder)
    room = room_of(folder)
    sub(/\/.*/, "", folder)
    if (!(folder in known))
        complain(folder " is not in tests/lint/layers.txt")
}

{
    strings = "yes"
    was_in_comment = in_comment
    line = code($0)
    if (line ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
        split(line, parts, "\"")
        check_include(parts[2])
    } else if (folder != "cli" && folder != "main.c") {
        strings = "no"
        in_comment = was_in_comment
        line = code($0)
        sub(/format\(printf/, "", line)
        gsub(/[^A-Za-z0-9_]+/, " ", line)
        for (i = split(line, words, " "); i; i--)
            if (words[i] in only_cli)
                complain(words[i] " is for src/cli only")
    }
}

END {
    exit failed
}
