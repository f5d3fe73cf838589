# A document too large to be shown whole: 40 tokens of width 40, two heads, hundredths from -0.5 to
# 0.5, no two rows or columns alike, so that one shown in another's place is noticed.
function matrix(name, a, b, last,    i, j, number) {
    printf "  \"%s\": [\n", name
    for (i = 0; i < 40; i++) {
        printf "    "
        for (j = 0; j < 40; j++) {
            number = (a * i * i + b * j * j + 13 * i * j) % 101 - 50
            printf "%s%s", (j > 0 ? ", " : "["), number / 100
        }
        printf "]%s\n", i < 39 ? "," : ""
    }
    printf "  ]%s\n", last ? "" : ","
}
BEGIN {
    print "{"
    print "  \"name\": \"large\","
    print "  \"title\": \"Forty tokens of width 40\","
    print "  \"heads\": 2,"
    matrix("x", 7, 3, 0)
    matrix("wq", 5, 2, 0)
    matrix("wk", 3, 7, 0)
    matrix("wv", 2, 5, 1)
    print "}"
}
