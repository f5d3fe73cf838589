# Reads headers for the functions that make messages, sources for the formats that are handed to
# them, and tests for the messages that they expect; prints the formats that no line of a test fits.
#
# A function makes messages when it takes an `err *` and a printf format. A line fits a format when
# it has all of the format's own words, in order, whatever stands for its % conversions.

# Neighbouring string literals become one, and PRIu64 is a part of them. Escapes are single
# characters in what is kept: \002 is a quote, \003 a backslash, so that a quote always begins or
# ends a literal.
function joined(text) {
    gsub(/\\\\/, "\003", text)
    gsub(/'\\?"'/, "0", text)
    gsub(/\\"/, "\002", text)
    gsub(/"[ \t\n]*PRIu64/, "u\"", text)
    gsub(/"[ \t\n]*"/, "", text)
    return text
}

function end_file(    what) {
    if (previous == "")
        return
    if (previous ~ /^src\/.*\.h$/)
        find_makers(text)
    if (previous ~ /^src\/.*\.c$/)
        sources[++source_count] = joined(text)
    if (previous ~ /^src\/.*\.c$/)
        source_name[source_count] = previous
    if (previous ~ /^tests\//)
        add_lines(previous ~ /\.[ch]$/ ? joined(text) : text)
    text = ""
}

# "bool err_at(err *e, … const char *format, ...)" makes err_at a maker of messages.
function find_makers(text,    i, n, parts, name) {
    n = split(text, parts, ";")
    for (i = 1; i <= n; i++)
        if (parts[i] ~ /format\(printf/ && parts[i] ~ /err \*/) {
            name = parts[i]
            sub(/\(.*/, "", name)
            sub(/.*[^a-z0-9_]/, "", name)
            makers = makers (makers == "" ? "" : "|") name
        }
}

function add_lines(text,    i, n, parts) {
    gsub(/\002/, "\"", text)
    gsub(/\\n/, "\n", text)
    n = split(text, parts, "\n")
    for (i = 1; i <= n; i++)
        lines[++line_count] = parts[i]
}

# The first string literal after a call's bracket, and those that stand after "? … :" with it.
function find_formats(text, name,    rest) {
    while (match(text, "[^a-z0-9_](" makers ")\\(")) {
        text = substr(text, RSTART + RLENGTH)
        rest = text
        do {
            if (!match(rest, /"[^"]*"/) || substr(rest, 1, RSTART) ~ /;/)
                break
            check(substr(rest, RSTART + 1, RLENGTH - 2), name)
            rest = substr(rest, RSTART + RLENGTH)
        } while (rest ~ /^[ \t\n]*:/)
    }
}

function check(format, name,    plain, i, n, parts) {
    gsub(/\002/, "\"", format)
    plain = format
    gsub(/\\n|%[-+ #0]*[0-9*]*(\.[0-9*]+)?[hlzjt]*[a-zA-Z%]/, "\001", plain)
    n = split(plain, parts, "\001")
    checked++
    for (i = 1; i <= line_count; i++)
        if (fits(lines[i], parts, n))
            return
    print name ": no test provokes \"" format "\""
    missing++
}

function fits(line, parts, n,    i, at) {
    for (i = 1; i <= n; i++)
        if (parts[i] != "") {
            at = index(line, parts[i])
            if (!at)
                return 0
            line = substr(line, at + length(parts[i]))
        }
    return 1
}

FNR == 1 {
    end_file()
    previous = FILENAME
    in_comment = 0
    strings = "yes"
}

{
    text = text (FILENAME ~ /\.[ch]$/ ? code($0) : $0) "\n"
}

END {
    end_file()
    for (i = 1; i <= source_count; i++)
        find_formats(sources[i], source_name[i])
    print checked - missing " of " checked " messages have a case"
    exit missing > 0
}
