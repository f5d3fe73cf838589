/* Lists of numbers. Those near the end of a text are read by other code than all before them: with
 * spaces after it, a text must be read as without. */
#include "unit.h"

#include "io/format.h"
#include "io/number_read.h"
#include "listed.h"

#include <string.h>

enum { BEHIND = 200, LONGEST = 300 };

/* What is left of "TEXT,,,…" where a list stops, and how many numbers of it were taken. */
static const struct {
    const char *text;
    size_t count;
    const char *rest; /* up to the commas */
} STOPS[] = {
    {"1,-2.5,3e4]", 3, "]"},
    {"1 , \t2 ,3 ]", 3, "]"},
    {"1,2,x", 2, "x"},
    {"1,2x", 2, "x"},
    {"1.5.5", 1, ".5"},
    {"0", 1, ""},
    {"01", 0, "01"},
    {"-", 0, "-"},
    {"+1", 0, "+1"},
    {".5", 0, ".5"},
    {"5.", 0, "5."},
    {"1e", 0, "1e"},
    {"1e+", 0, "1e+"},
    {"1e1234", 0, "1e1234"},
    {"1E-05", 1, ""},
    {"1e39", 0, "1e39"},
    {"3.4028236e38", 0, "3.4028236e38"},
    {"1234567890123456789", 1, ""},
    {"12345678901234567890", 0, "12345678901234567890"},
    {"0.0000000000000000000000001", 0, "0.0000000000000000000000001"},
    {"0.1234567890123456789", 1, ""},
    {"0.12345678901234567890", 0, "0.12345678901234567890"},
    {"1.0000000000000000000", 0, "1.0000000000000000000"},
    {"1,                                  2", 1, "                                  2"},
    {"/", 0, "/"},
    {":", 0, ":"},
};

static void check_stops(unit *u)
{
    for (size_t i = 0; i < sizeof STOPS / sizeof STOPS[0]; i++) {
        char list[LONGEST];
        float numbers[8];
        size_t length = strlen(STOPS[i].text), left = strlen(STOPS[i].rest);
        memcpy(list, STOPS[i].text, length);
        memset(list + length, ',', sizeof list - length);
        number_list l = {.at = list, .end = list + sizeof list, .delimiter = ',', .due = true};
        l.spaces = (uint64_t)1 << ' ' | 1 << '\t';
        size_t count = number_list_read(&l, DTYPE_F32, numbers, 8);
        bool right = CHECK(u, count == STOPS[i].count);
        /* after a number that was whole, its comma was read too */
        right &= CHECK(u, l.at == list + length - left + (left == 0 && l.due));
        if (!right)
            printf("  text: %s\n", STOPS[i].text);
    }
}

/* No number is taken beyond the room, nor where the text may end inside it. */
static void check_room(unit *u)
{
    char list[LONGEST];
    double numbers[LONGEST];
    for (size_t i = 0; i < sizeof list; i += 2)
        memcpy(list + i, "7,", 2);
    number_list l = {.at = list, .end = list + sizeof list, .delimiter = ',', .due = true};
    CHECK(u, number_list_read(&l, DTYPE_F64, numbers, 3) == 3);
    CHECK(u, l.at == list + 6 && l.last == list + 4 && l.due && numbers[2] == 7);
    size_t count = number_list_read(&l, DTYPE_F64, numbers, LONGEST);
    CHECK(u, count == LONGEST / 2 - 3 && l.at == l.end && l.due);
    CHECK(u, number_list_read(&l, DTYPE_F64, numbers, LONGEST) == 0);
    for (size_t cut = 1; cut < LONGEST; cut += 2) {
        l = (number_list){.at = list, .end = list + cut, .delimiter = ',', .due = true};
        CHECK(u, number_list_read(&l, DTYPE_F64, numbers, LONGEST) == cut / 2);
        CHECK(u, l.at == list + cut - 1 && l.due);
    }
}

static const char *const JSON[] = {
    "[1, 2, 3]",
    "[[1.5, -2, 0.25],\n [1e5, 1E-3, -0]]",
    "[[[1], [2]], [[3], [4]]]",
    "[[[[1, 2]]]]",
    "[[[[[1, 2]]]]]",
    "[ [ 1 , 2 ] , [ 3 , 4 ] ] ",
    "[\n  [\n    1,\n    2\n  ],\n  [\n    3,\n    4\n  ]\n]",
    "[[1, 2], [3]]",
    "[[1, 2], 3]",
    "[1, [2]]",
    "[[1, 2], []]",
    "[]",
    "[1, 2",
    "[1, 2}",
    "[1,, 2]",
    "[1, 2,]",
    "[1 2]",
    "[1, 02]",
    "[1, 2.]",
    "[1, 1e39]",
    "[1, 0.00000000000000000000000000000000000000000000000000000000000000012345, 2]",
    "[1, 3.4028234663852885981170418348451692544, 12345678901234567890123]",
    "[1, \"NaN\", 2]",
    "[1, null]",
    "[[1, true], [0, 1]]",
    "{\"a\": [1, 2], \"b\": [[3, 4], [5, 6]], \"c\": {\"d\": [7]}}",
    "{\"a\": [1, 2], \"b\": [[3, 4], [5, 6]], \"b\": [7]}",
    "{\"dtype\": \"f64\", \"a\": [0.1, 0.2]}",
    "[1,                                            2                                    , 3]",
    "[1, 2] 3",
};

static const char *const CSV[] = {
    "1,2,3\n4,5,6\n",
    "1,2\r\n3,4\r\n",
    "a,b\n1,2\n3,4\n",
    "r,1,2\ns,3,4\n",
    "1, 2 ,\t3\n4 ,5, 6 \n",
    "1,2\n3\n",
    "1,2\n3,4,5\n",
    "1,2\n3,4 x\n",
    "1,2\n3,4\"\n",
    "1,\"2\"\n3,4\n",
    "1,2\n3,4\r5\n",
    "1,+2\n.5,5.\n",
    "1,inf\n",
    "1,2\n3,1e39\n",
    "1,2\n,4\n",
    "1;2\n3;4\n",
    "1,02\n",
    "# x 2x2\n1,2\n3,4\n\n# y head=0 1x2\n5,6\n\n# y head=1 1x2\n7,8\n",
    "# y head=1 1x2\n7,8\n\n# y head=0 1x2\n5,6\n",
    "# x 1x2\n1,2\n3,4\n",
    "1,0.00000000000000000000000000000000000000000000000000000000000000012345,2\n",
    "1,                                            2                                    , 3\n",
};

static void check_alike(unit *u, reader *read, const char *bytes, const char *after,
                        const read_options *how)
{
    text alone = {0}, followed = {0}, longer = {0};
    text_add_string(&longer, bytes);
    text_add_string(&longer, after);
    text_add_repeated(&longer, " ", BEHIND);
    listed_by(read, bytes, strlen(bytes), how, &alone);
    listed_by(read, text_string(&longer), strlen(text_string(&longer)), how, &followed);
    if (strstr(text_string(&alone), "the end of the text") == NULL) /* which is elsewhere now */
        CHECK_TEXT(u, text_string(&followed), text_string(&alone));
    text_free(&alone);
    text_free(&followed);
    text_free(&longer);
}

static void check_formats(unit *u)
{
    for (dtype type = DTYPE_F32; type <= DTYPE_F64; type++) {
        const read_options how = {.file = "f", .kind = KEY_MATRIX, .type = type};
        for (size_t i = 0; i < sizeof JSON / sizeof JSON[0]; i++)
            check_alike(u, json_read, JSON[i], "", &how);
        for (size_t i = 0; i < sizeof CSV / sizeof CSV[0]; i++)
            check_alike(u, csv_read, CSV[i], "#", &how);
    }
}

UNIT(number_list)
{
    check_stops(u);
    check_room(u);
    check_formats(u);
}
