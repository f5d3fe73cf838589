/* Widths on a terminal, and texts that try to do something to it. Widths are those of Unicode's
 * EastAsianWidth.txt and UnicodeData.txt, looked up by hand. */
#include "unit.h"

#include "render/display.h"

#include <string.h>

static const struct {
    uint32_t code;
    size_t columns;
} WIDTHS[] = {
    {'A', 1},     {0xe9, 1},    {0x300, 0},   {0x36f, 0},    {0x370, 1},   {0x416, 1},
    {0x5d0, 1},   {0x5b4, 0},   {0x64b, 0},   {0xe31, 0},    {0xe32, 1},   {0x1100, 2},
    {0x1161, 0},  {0x2014, 1},  {0x200d, 0},  {0x2500, 1},   {0x26a1, 2},  {0x2713, 1},
    {0x302a, 0},  {0x303f, 1},  {0x3042, 2},  {0x30fc, 2},   {0x6771, 2},  {0xac00, 2},
    {0xfe0f, 0},  {0xff21, 2},  {0xff61, 1},  {0xffe0, 2},   {0x1d400, 1}, {0x1f600, 2},
    {0x20000, 2}, {0x3fffd, 2}, {0xe0100, 0}, {0x10ffff, 1},
};

static void check_widths(unit *u)
{
    for (size_t i = 0; i < sizeof WIDTHS / sizeof WIDTHS[0]; i++) {
        if (!CHECK(u, code_point_columns(WIDTHS[i].code) == WIDTHS[i].columns))
            printf("  U+%04X is %zu wide\n", (unsigned)WIDTHS[i].code,
                   code_point_columns(WIDTHS[i].code));
    }
}

static const struct {
    const char *from, *shown;
    size_t columns;
} SHOWN[] = {
    {"", "", 0},
    {"plain", "plain", 5},
    {"e\xcc\x81t\xc3\xa9", "e\xcc\x81t\xc3\xa9", 3},
    {"東京", "東京", 4},
    {"\033[31mred", "?[31mred", 8},
    {"bell\a tab\t", "bell? tab?", 10},
    {"two\nlines", "two?lines", 9},
    {"\xc2\x9b"
     "31m",
     "?31m", 4},                                 /* the 8-bit form of escape [ */
    {"a\xe2\x80\xae", "a?", 2},                  /* right-to-left override */
    {"\xef\xbb\xbf", "?", 1},                    /* byte order mark */
    {"\xff\xfe", "??", 2},                       /* no UTF-8 */
    {"\xe6\x9d", "??", 2},                       /* a character cut off */
    {"\xd7\x90\xd7\x91", "\xd7\x90\xd7\x91", 2}, /* Hebrew letters are not orders */
    {"\xf0\x9f\x91\x8d", "\xf0\x9f\x91\x8d", 2},
};

static void check_shown(unit *u)
{
    for (size_t i = 0; i < sizeof SHOWN / sizeof SHOWN[0]; i++) {
        text out = {0};
        display_add_string(&out, SHOWN[i].from);
        CHECK_TEXT(u, text_string(&out), SHOWN[i].shown);
        CHECK(u, display_columns(SHOWN[i].from, strlen(SHOWN[i].from)) == SHOWN[i].columns);
        text_free(&out);
    }
}

static void check_cut_one(unit *u, const char *from, size_t most, const char *wanted,
                          size_t columns)
{
    text out = {0};
    CHECK(u, display_add_cut(&out, from, most) == columns);
    CHECK(u, display_cut_columns(from, most) == columns);
    CHECK_TEXT(u, text_string(&out), wanted);
    text_free(&out);
}

static void check_cut(unit *u)
{
    check_cut_one(u, "four", 4, "four", 4);
    check_cut_one(u, "fives", 4, "fiv…", 4);
    check_cut_one(u, "東京都", 6, "東京都", 6);
    check_cut_one(u, "東京都", 5, "東京…", 5);
    check_cut_one(u, "東京都", 4, "東…", 3); /* half of a character can't be shown */
}

/* A letter under a thousand marks takes no width, and is cut all the same. */
static void check_cut_of_marks(unit *u)
{
    text marks = {0}, out = {0};
    text_add_string(&marks, "a");
    text_add_repeated(&marks, "\xcc\x81", 1000);
    display_add_cut(&out, text_string(&marks), 16);
    CHECK(u, out.length <= 16 * 8 + 3);
    text_free(&marks);
    text_free(&out);
}

static void check_wrapped(unit *u)
{
    text out = {0};
    display_add_wrapped(&out, "the cat walks  on\nthe street", 2, 10);
    CHECK_TEXT(u, text_string(&out), "  the cat\n  walks\n  on\n  the\n  street\n");
    text_clear(&out);
    display_add_wrapped(&out, "a verylongword", 0, 6);
    CHECK_TEXT(u, text_string(&out), "a\nverylo\nngword\n");
    text_clear(&out);
    display_add_wrapped(&out, "東京都", 0, 1);
    CHECK_TEXT(u, text_string(&out), "東\n京\n都\n");
    text_free(&out);
}

UNIT(render_display)
{
    check_widths(u);
    check_shown(u);
    check_cut(u);
    check_cut_of_marks(u);
    check_wrapped(u);
}
