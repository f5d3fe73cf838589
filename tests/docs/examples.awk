# Reads README.md or the manual and prints its examples: "$ command", and below it a "> " in front
# of each line that it must print.

function end_block(    i, has_mark) {
    for (i = 1; i <= lines; i++)
        has_mark = has_mark || line[i] ~ /^\$ /
    for (i = 1; i <= lines; i++)
        if (has_mark ? line[i] ~ /^\$ / : is_command(line[i]))
            print has_mark ? line[i] : "$ " line[i]
        else
            print "> " line[i]
    lines = 0
}

# A command goes on after a line that ends in | or a backslash.
function add_line(text) {
    if (lines && line[lines] ~ /[|\\]$/) {
        sub(/\\$/, "", line[lines])
        sub(/^ +/, "", text)
        line[lines] = line[lines] " " text
    } else
        line[++lines] = text
}

# In the manual what begins with no program's name is output.
function is_command(text) {
    return text ~ /^(selfattn|printf|echo|cat) / || FILENAME !~ /\.1$/
}

function plain(roff) {
    gsub(/\\-/, "-", roff)
    gsub(/\\\(aq/, "'", roff)
    gsub(/\\&/, "", roff)
    gsub(/\\e/, "\\", roff)
    return roff
}

FILENAME ~ /\.1$/ && /^\.SH / { in_examples = $2 == "EXAMPLES" }
FILENAME ~ /\.1$/ && in_examples && /^\.EX/ { in_block = 1; next }
FILENAME ~ /\.1$/ && in_block && /^\.EE/ { in_block = 0; end_block() }
FILENAME ~ /\.1$/ && in_block { add_line(plain($0)) }

FILENAME !~ /\.1$/ && /^```/ {
    if (in_block)
        end_block()
    in_block = !in_fence && $0 == "```"
    in_fence = !in_fence
    next
}
FILENAME !~ /\.1$/ && in_block { add_line($0) }
