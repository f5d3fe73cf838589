#include "unit.h"

#include "base/utf8.h"
#include "io/csv_cells.h"

#include <cjson/cJSON.h>
#include <string.h>

/* All lines as "[field|field]" with "#text" for a comment and "()" for a blank one, or the error.
 */
static void show(const char *bytes, size_t length, char delimiter, text *shown)
{
    csv_reader r;
    csv_field f;
    csv_line line;
    err e = {0};
    csv_open(&r, "f.csv", 1, bytes, length, delimiter);
    text_clear(shown);
    while ((line = csv_next_line(&r, &f)) != CSV_END) {
        if (line == CSV_BLANK) {
            text_add_string(shown, "()");
        } else if (line == CSV_COMMENT) {
            text_add_string(shown, "#");
            text_add(shown, f.text, f.length);
        } else {
            const char *before = "[";
            do {
                if (!csv_next_field(&r, &f, &e) || (text_add_string(shown, before), 0) ||
                    !csv_field_text(&f, shown, &e)) {
                    text_clear(shown);
                    text_add_format(shown, "%s: %s", e.where, e.what);
                    return;
                }
                before = "|";
            } while (!f.last);
            text_add_string(shown, "]");
        }
    }
}

/* By RFC 4180, section 2, and DESIGN.md's additions (comments, blank lines, places). */
static const struct {
    const char *input, *wanted;
} CASES[] = {
    {"", ""},
    {"a,b\nc,d\n", "[a|b][c|d]"},
    {"a,b\r\nc,d", "[a|b][c|d]"},
    {"a,\n,\n", "[a|][|]"},
    {"a,", "[a|]"},
    {"\xef\xbb\xbf"
     "a",
     "[a]"},
    {"\"a,b\",\"c\nd\",\"e\r\nf\"", "[a,b|c\nd|e\r\nf]"},
    {"\"\",\"\"\"\",\"x\"\"y\"", "[|\"|x\"y]"},
    {"# a \"quote\r\n1\n#\n\n\r\n2", "# a \"quote[1]#()()[2]"},
    {"\"# no comment\"\n\"\n# nor this\"", "[# no comment][\n# nor this]"},
    {"1,#2", "[1|#2]"},
    {" a , b ", "[ a | b ]"},
    {"a,b\"c\n", "f.csv:1:4: a quote stands inside a field that doesn't begin with one"},
    {"1\n2,\"3\n4", "f.csv:2:3: the quote that begins here is never closed"},
    {"\"", "f.csv:1:1: the quote that begins here is never closed"},
    {"\"a\"b", "f.csv:1:4: text follows a closing quote"},
    {"\"x\n\"y", "f.csv:2:2: text follows a closing quote"},
    {"1\r2", "f.csv:1:2: a carriage return stands here without a line feed after it"},
    {"1\r", "f.csv:1:2: a carriage return stands here without a line feed after it"},
    {"1\n\xef\xbb\xbf"
     "2\n",
     "f.csv:2:1: a byte order mark stands here, inside the text"},
    {"a\xc0\xaf", "f.csv:1:1: a label is not UTF-8 here"},
};

static void records(unit *u)
{
    text shown = {0};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        show(CASES[i].input, strlen(CASES[i].input), ',', &shown);
        CHECK_TEXT(u, text_string(&shown), CASES[i].wanted);
    }
    show("a\tb,c\n", 6, '\t', &shown);
    CHECK_TEXT(u, text_string(&shown), "[a|b,c]");
    show("a\0b", 3, ',', &shown);
    CHECK_TEXT(u, text_string(&shown),
               "f.csv:1:2: a NUL byte stands here, which text doesn't have");
    show("\"a\0b\"", 5, ',', &shown);
    CHECK_TEXT(u, text_string(&shown), "f.csv:1:3: a NUL byte stands in a quoted field");
    text_free(&shown);
}

static void longest_field(unit *u)
{
    text bytes = {0}, shown = {0};
    text_add_repeated(&bytes, "x", CSV_MAX_FIELD);
    show(bytes.data, bytes.length, ',', &shown);
    CHECK(u, shown.length == CSV_MAX_FIELD + 2);
    text_add_string(&bytes, "x");
    show(bytes.data, bytes.length, ',', &shown);
    CHECK_TEXT(u, text_string(&shown),
               "f.csv:1:1: a field has 4097 bytes here, more than the 4096 that one may have");
    text_free(&bytes);
    text_free(&shown);
}

static void places(unit *u)
{
    static const char input[] = "1,\"a\nb\",22\n3";
    csv_reader r;
    csv_field f;
    err e = {0};
    csv_open(&r, "f.csv", 7, input, strlen(input), ',');
    CHECK(u, csv_next_field(&r, &f, &e) && f.at.line == 7 && f.at.column == 1 && !f.quoted);
    CHECK(u, csv_next_field(&r, &f, &e) && f.at.line == 7 && f.at.column == 3 && f.quoted &&
                 f.length == 3);
    csv_reader bookmark = r;
    CHECK(u, csv_next_field(&r, &f, &e) && f.at.line == 8 && f.at.column == 4 && f.last);
    CHECK(u, csv_next_field(&r, &f, &e) && f.at.line == 9 && f.at.column == 1 && f.last);
    CHECK(u, csv_next_line(&r, &f) == CSV_END);
    CHECK(u, csv_next_field(&bookmark, &f, &e) && f.at.line == 8 && f.at.column == 4);
}

static void written_fields(unit *u)
{
    static const struct {
        const char *field, *wanted;
    } cases[] = {{"a", "a"},
                 {"a,b", "\"a,b\""},
                 {"say \"x\"", "\"say \"\"x\"\"\""},
                 {"a\nb", "\"a\nb\""},
                 {"#a", "\"#a\""},
                 {"a#", "a#"},
                 {" a", "\" a\""},
                 {"a ", "\"a \""},
                 {"a;b", "a;b"},
                 {"", ""},
                 {"\xca\xa4", "\xca\xa4"}};
    text out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        text_clear(&out);
        csv_field_write(&out, cases[i].field, strlen(cases[i].field), ',', false);
        CHECK_TEXT(u, text_string(&out), cases[i].wanted);
    }
    text_clear(&out);
    csv_field_write(&out, "12", 2, ',', true);
    CHECK_TEXT(u, text_string(&out), "\"12\"");
    text_free(&out);
}

static void delimiters(unit *u)
{
    static const char good[] = ",;:|\t /!", bad[] = "\"#\r\n+-._0aZ\x80";
    for (const char *p = good; *p != '\0'; p++) {
        err e = {0};
        CHECK(u, csv_delimiter_check(*p, &e) && !e.is_set);
    }
    for (const char *p = bad; *p != '\0'; p++) {
        err e = {0};
        CHECK(u, !csv_delimiter_check(*p, &e));
        CHECK_TEXT(u, e.where, "--delimiter");
    }
}

/* The boundaries of RFC 3629, section 4. */
static void utf8(unit *u)
{
    static const char *const good[] = {
        "a\x7f",        "\xc2\x80",     "\xdf\xbf",         "\xe0\xa0\x80",
        "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80",
                                      "\xc1\xbf",
                                      "\xc2",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xe1\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xe1\x80\x41",
                                      "\xff"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        CHECK(u, utf8_find_invalid(good[i], good[i] + strlen(good[i])) == NULL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(u, utf8_find_invalid(bad[i], bad[i] + strlen(bad[i])) == bad[i]);
}

/* Before a character that would be cut in two, and anywhere in bytes that are none. */
static void cut(unit *u)
{
    static const struct {
        const char *text;
        size_t most, bytes;
    } CUTS[] = {{"abc", 3, 3},           {"abc", 2, 2},
                {"a\xc3\xa9", 2, 1},     {"a\xc3\xa9z", 3, 3},
                {"\xc3\xa9", 1, 0},      {"a\xf0\x90\x80\x80", 4, 1},
                {"\xe0\xa0\x80z", 2, 0}, {"\x80\x80\x80\x80\x80\x80", 5, 5}};
    for (size_t i = 0; i < sizeof CUTS / sizeof CUTS[0]; i++)
        CHECK(u, utf8_cut(CUTS[i].text, strlen(CUTS[i].text), CUTS[i].most) == CUTS[i].bytes);
}

/* ---- csv-spectrum: each file's fields, by the names in its first row, are those of its JSON ----
 */

enum { LONGEST_FILE = 4096 };

static bool read_shared(unit *u, const char *folder, const char *name, const char *ending,
                        char out[LONGEST_FILE])
{
    char path[256];
    snprintf(path, sizeof path, "csv-spectrum/%s/%s%s", folder, name, ending);
    FILE *file = unit_open_shared(u, path);
    if (file == NULL)
        return false;
    size_t length = fread(out, 1, LONGEST_FILE - 1, file);
    out[length] = '\0';
    fclose(file);
    return true;
}

/* Compares one row with the object that has its fields under the header's names, `header` being a
 * bookmark. */
static void compare_row(unit *u, csv_reader header, csv_reader *r, const cJSON *object)
{
    csv_field heading, value;
    text name = {0}, got = {0};
    err e = {0};
    do {
        text_clear(&name);
        text_clear(&got);
        if (!CHECK(u, csv_next_field(&header, &heading, &e) && csv_next_field(r, &value, &e)) ||
            !CHECK(u, csv_field_text(&heading, &name, &e) && csv_field_text(&value, &got, &e)))
            break;
        const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(object, text_string(&name));
        if (CHECK(u, cJSON_IsString(wanted)))
            CHECK_TEXT(u, text_string(&got), wanted->valuestring);
    } while (!value.last && !heading.last);
    CHECK(u, value.last && heading.last);
    text_free(&name);
    text_free(&got);
}

static void compare_file(unit *u, const char *name)
{
    char csv[LONGEST_FILE], json[LONGEST_FILE];
    if (!read_shared(u, "csvs", name, ".csv", csv) || !read_shared(u, "json", name, ".json", json))
        return;
    cJSON *wanted = cJSON_Parse(json);
    csv_reader r;
    csv_field f;
    err e = {0};
    csv_open(&r, name, 1, csv, strlen(csv), ',');
    csv_reader header = r;
    do
        CHECK(u, csv_next_field(&r, &f, &e));
    while (!f.last && !e.is_set);
    const cJSON *object;
    cJSON_ArrayForEach(object, wanted)
    {
        if (CHECK(u, csv_next_line(&r, &f) == CSV_ROW))
            compare_row(u, header, &r, object);
    }
    CHECK(u, csv_next_line(&r, &f) == CSV_END);
    cJSON_Delete(wanted);
}

static void csv_spectrum(unit *u)
{
    /* location_coordinates is left out: its JSON is not a list, and names a phone number that its
     * CSV does not have. */
    static const char *const names[] = {"comma_in_quotes",
                                        "empty",
                                        "empty_crlf",
                                        "escaped_quotes",
                                        "json",
                                        "newlines",
                                        "newlines_crlf",
                                        "quotes_and_newlines",
                                        "simple",
                                        "simple_crlf",
                                        "utf8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        compare_file(u, names[i]);
}

static void refuses_delimiters(unit *u)
{
    err e = {0};
    CHECK(u, !csv_delimiter_check('\0', &e));
}

UNIT(csv_record)
{
    refuses_delimiters(u);
    records(u);
    longest_field(u);
    places(u);
    written_fields(u);
    delimiters(u);
    utf8(u);
    cut(u);
    csv_spectrum(u);
}
