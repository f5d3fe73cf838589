/* The strict scan: what it refuses, in which words and at which place, and the public suite of
 * JSON texts. */
#include "io/json_scan.h"

#include "base/text.h"
#include "io/source.h"
#include "said.h"
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool scan(const char *bytes, size_t length, err *e)
{
    json_text t = json_text_of(bytes, length, "f", 0);
    *e = (err){0};
    return json_scan(&t, NULL, e);
}

static const struct {
    const char *text, *message;
} REFUSED[] = {
    {"", "f:1:1: expected a value, found the end of the text"},
    {" \n\t ", "f:2:3: expected a value, found the end of the text"},
    {"[1, ]", "f:1:5: expected a number, found ']' | the comma before it is one too many"},
    {"[\"a\", ]", "f:1:7: expected a value, found ']' | the comma before it is one too many"},
    {"[", "f:1:2: expected a value or ']', found the end of the text"},
    {"[,1]", "f:1:2: expected a value or ']', found ','"},
    {"[[1, 2],\n [3 4]]",
     "f:2:5: expected ',' or ']', found '4' | "
     "commas part the numbers of a list; json.dumps(a.tolist()) writes an array so"},
    {"[1}", "f:1:3: expected ',' or ']', found '}' | the list that begins in line 1, column 1, is "
            "still open"},
    {"{\"a\": 1,}",
     "f:1:9: expected a key in double quotes, found '}' | the comma before it is one too many"},
    {"{a: 1}",
     "f:1:2: expected a key in double quotes or '}', found 'a' | JSON puts texts in double quotes"},
    {"{'a': 1}",
     "f:1:2: expected a key in double quotes or '}', found ''' | JSON puts texts in double quotes"},
    {"{\"a\" 1}", "f:1:6: expected ':' after the key, found '1'"},
    {"{\"a\": }", "f:1:7: expected a value, found '}'"},
    {"{\"a\": 1 \"b\": 2}", "f:1:9: expected ',' or '}', found \"b\""},
    {"[01]",
     "f:1:2: expected a value or ']', found '01' | JSON writes a number without zeros before it"},
    {"[1, 1.]", "f:1:5: expected a number, found '1.' | JSON writes a number with a digit on each "
                "side of the point: 0.5, 1.0"},
    {"[-]", "f:1:2: expected a value or ']', found '-'"},
    {"[1, +1]", "f:1:5: expected a number, found '+1' | JSON writes a number without a +"},
    {"[1, .5]", "f:1:5: expected a number, found '.5' | JSON writes a number with a digit on each "
                "side of the point: 0.5, 1.0"},
    {"[1, 0x1F]", "f:1:5: expected a number, found '0x1F'"},
    {"[1, NaN]", "f:1:5: expected a number, found 'NaN' | JSON has no such number; write it as a "
                 "text: \"NaN\""},
    {"[1, -Infinity]",
     "f:1:5: expected a number, found '-Infinity' | JSON has no such number; write it as a "
     "text: \"-Infinity\""},
    {"[True]", "f:1:2: expected a value or ']', found 'True' | JSON writes true"},
    {"[nulla]", "f:1:2: expected a value or ']', found 'nulla' | JSON puts texts in double quotes"},
    {"1 2", "f:1:3: expected the end of the text, found '2'"},
    {"{}\n{}", "f:2:1: expected the end of the text, found '{' | one document a line is read with "
               "--input-format jsonl"},
    {"[\"abc]", "f:1:7: the string that begins in column 2 is not closed at the end of the text"},
    {"[\"abc\n\"]",
     "f:1:6: the string that begins in column 2 is not closed at the end of the line"},
    {"[\"abc\r\"]",
     "f:1:6: the string that begins in column 2 is not closed at the end of the line"},
    {"[\"a\tb\"]", "f:1:4: control character 0x09 in a string | write it as \\u0009"},
    {"[\"\\",
     "f:1:4: expected one of \" \\ / b f n r t u after a backslash, found the end of the text"},
    {"[\"\\x41\"]", "f:1:4: expected one of \" \\ / b f n r t u after a backslash, found 'x41'"},
    {"[\"\\u12G4\"]", "f:1:5: expected four hexadecimal digits after \\u, found '12G4'"},
    {"[\"\\u123", "f:1:5: expected four hexadecimal digits after \\u, found '123'"},
    {"[\"\\ud800\"]", "f:1:3: \\ud800 is half of a surrogate pair, which is not a character"},
    {"[\"\\ud800\\n\"]", "f:1:3: \\ud800 is half of a surrogate pair, which is not a character"},
    {"[\"\\ud800\\ud800\"]",
     "f:1:3: \\ud800 is half of a surrogate pair, which is not a character"},
    {"[\"\\ud800\\u", "f:1:3: \\ud800 is half of a surrogate pair, which is not a character"},
    {"[\"\\udc00\\ud800\"]",
     "f:1:3: \\udc00 is half of a surrogate pair, which is not a character"},
    {"[\xc2\xa0 1]", "f:1:2: expected a value or ']', found byte 0xc2"},
    {"[\x01]", "f:1:2: expected a value or ']', found byte 0x01"},
    {"\xff\xfe[\x01",
     "f:1:1: the text is in UTF-16, and only UTF-8 is read | iconv -f UTF-16 -t UTF-8 f"},
    {"{\"a\": 1,\n\"b\": 2,\n \"a\": 3}", "f:3:2: key \"a\" is given twice, first in line 1"},
    {"{\"a\": 1, \"b\": 2, \"b\": 3, \"a\": 4}",
     "f:1:18: key \"b\" is given twice, first in line 1"},
    {"{\"a\": 1, \"a\": 2, \"a\": 4}", "f:1:10: key \"a\" is given twice, first in line 1"},
    {"[{\"é\": 1, \"\\u00e9\": 2}]", "f:1:12: key \"\\u00e9\" is given twice, first in line 1"},
    {"{\"\\ud83d\\ude39\": 1, \"😹\": 2}", "f:1:21: key \"😹\" is given twice, first in line 1"},
    {"{\"x\": {\"\": 1, \"\": 2}}", "f:1:15: key \"\" is given twice, first in line 1"},
    {"[1, aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeee]",
     "f:1:5: expected a number, found 'aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd…'"},
    {"{\"a\" \"aaaaaaaaaabbbbbbbbbbccccccccccdddddddd€€\"}",
     "f:1:6: expected ':' after the key, found \"aaaaaaaaaabbbbbbbbbbccccccccccdddddddd…"},
};

static void refuses(unit *u)
{
    err e;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        CHECK(u, !scan(REFUSED[i].text, strlen(REFUSED[i].text), &e));
        CHECK_TEXT(u, said(&e), REFUSED[i].message);
    }
}

static void accepts(unit *u)
{
    static const char *const TEXTS[] = {
        "{}", "[]", " 1 ", "-0.5e+10", "\"\"", "null", "true\n",
        "\xef\xbb\xbf{\"a\": [1, \"x\", null, {}]}",
        /* the same key in two objects, one inside the other or side by side */
        "{\"a\": {\"a\": 1}}", "[{\"a\": 1}, {\"a\": 1}]", "{\"a\": {\"b\": 1}, \"b\": 2}",
        /* keys of which one begins the other, or with a NUL in it */
        "{\"a\": 1, \"ab\": 1, \"\": 1, \"a\\u0000\": 1, \"A\": 1}",
        "[\"\\ud83d\\ude39\\u0000\\\"\"]"};
    err e;
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        if (!CHECK(u, scan(TEXTS[i], strlen(TEXTS[i]), &e)))
            printf("  %s: %s\n", TEXTS[i], said(&e));
    }
}

/* Table 3-7 of the Unicode Standard: the first and last sequence of each row, and their neighbours
 * outside. */
static void knows_utf8(unit *u)
{
    static const struct {
        const char *bytes;
        bool valid;
    } ROWS[] = {
        {"\x7f", true},
        {"\x80", false},
        {"\xc1\xbf", false},
        {"\xc2\x80", true},
        {"\xdf\xbf", true},
        {"\xdf\xc0", false},
        {"\xe0\x9f\xbf", false},
        {"\xe0\xa0\x80", true},
        {"\xed\x9f\xbf", true},
        {"\xed\xa0\x80", false},
        {"\xee\x80\x80", true},
        {"\xef\xbf\xbf", true},
        {"\xef\xbf", false},
        {"\xef\xbf\x7f", false},
        {"\xf0\x8f\xbf\xbf", false},
        {"\xf0\x90\x80\x80", true},
        {"\xf4\x8f\xbf\xbf", true},
        {"\xf4\x90\x80\x80", false},
        {"\xf5\x80\x80\x80", false},
        {"\xf1\x80\x80\xc0", false},
    };
    char quoted[16];
    err e;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        int length = snprintf(quoted, sizeof quoted, "\"%s\"", ROWS[i].bytes);
        CHECK(u, scan(quoted, (size_t)length, &e) == ROWS[i].valid);
    }
    CHECK(u, !scan("\"ab\xc3\"", 5, &e));
    CHECK_TEXT(u, said(&e), "f:1:4: byte 0xc3 in a string is not UTF-8 | save the file in UTF-8");
    CHECK(u, !scan("\"\xe2\x82", 3, &e));
    CHECK_TEXT(u, said(&e), "f:1:2: byte 0xe2 in a string is not UTF-8 | save the file in UTF-8");
    CHECK(u, !scan("[\0001\0", 4, &e));
    CHECK_TEXT(u, said(&e),
               "f:1:1: the text is in UTF-16, and only UTF-8 is read | iconv -f UTF-16 -t UTF-8 f");
}

static bool scan_nested(size_t depth, const char *open, const char *inside, const char *close,
                        err *e)
{
    text t = {0};
    text_add_repeated(&t, open, depth);
    text_add_string(&t, inside);
    text_add_repeated(&t, close, depth);
    bool passed = scan(t.data, t.length, e);
    text_free(&t);
    return passed;
}

static void limits_depth(unit *u)
{
    err e;
    CHECK(u, scan_nested(64, "[", "", "]", &e));
    CHECK(u, scan_nested(64, "{\"a\":", "1", "}", &e));
    CHECK(u, !scan_nested(65, "[", "", "]", &e));
    CHECK_TEXT(u, said(&e), "f:1:65: lists and objects are nested deeper than 64");
    CHECK(u, !scan_nested(100000, "{\"a\":", "1", "}", &e));
    CHECK_TEXT(u, said(&e), "f:1:321: lists and objects are nested deeper than 64");
    text siblings = {0};
    text_add_repeated(&siblings, "[", 1);
    text_add_repeated(&siblings, "[],", 100);
    text_add_string(&siblings, "[]]");
    CHECK(u, scan(siblings.data, siblings.length, &e));
    text_free(&siblings);
}

static void limits_numbers(unit *u)
{
    text t = {0};
    err e;
    text_add_string(&t, "[1, 0.");
    text_add_repeated(&t, "1", 4094);
    text_add_string(&t, "]");
    CHECK(u, scan(t.data, t.length, &e));
    t.data[t.length - 1] = '1';
    text_add_string(&t, "]");
    CHECK(u, !scan(t.data, t.length, &e));
    CHECK_TEXT(u, said(&e), "f:1:5: the number has 4097 bytes; at most 4096 are read");
    text_free(&t);
}

/* Keys in an order and with beginnings that a bad hash or a naive sort would take long for. */
static void many_keys(unit *u)
{
    text t = {0};
    err e;
    for (int i = 0; i < 100000; i++)
        text_add_format(&t, "%s\"aaaaaaaaaaaaaaaa%d\":0", i == 0 ? "{" : ",",
                        i % 2 == 0 ? i : 100000 - i);
    text_add_string(&t, "}");
    CHECK(u, scan(t.data, t.length, &e));
    t.length--;
    text_add_string(&t, ",\n\"aaaaaaaaaaaaaaaa77\":0}");
    CHECK(u, !scan(t.data, t.length, &e));
    CHECK_TEXT(u, said(&e), "f:2:1: key \"aaaaaaaaaaaaaaaa77\" is given twice, first in line 1");
    text_free(&t);
}

/* Forwards, backwards, and on one line. */
static void places(unit *u)
{
    static const char TEXT[] = "[1,\n 2,\n\n [3]]";
    json_text t = json_text_of(TEXT, sizeof TEXT - 1, "f", 7);
    static const struct {
        size_t offset, line, column;
    } ROWS[] = {{10, 10, 2}, {5, 8, 2}, {3, 7, 4},   {8, 9, 1},
                {4, 8, 1},   {0, 7, 1}, {14, 10, 6}, {7, 8, 4}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        place at = json_place(&t, TEXT + ROWS[i].offset);
        CHECK(u, at.line == ROWS[i].line && at.column == ROWS[i].column);
    }
}

/* What is done with the texts that RFC 8259 leaves to each reader. Numbers of any size pass the
 * scan, since whether one is too large depends on the type that it is read into. */
static const struct {
    const char *name;
    bool accepted;
    const char *why;
} FREE_CHOICE[] = {
    {"i_number_double_huge_neg_exp.json", true, "rounds to 0"},
    {"i_number_huge_exp.json", true, "range is the reader's matter"},
    {"i_number_neg_int_huge_exp.json", true, "range is the reader's matter"},
    {"i_number_pos_double_huge_exp.json", true, "range is the reader's matter"},
    {"i_number_real_neg_overflow.json", true, "range is the reader's matter"},
    {"i_number_real_pos_overflow.json", true, "range is the reader's matter"},
    {"i_number_real_underflow.json", true, "rounds to 0"},
    {"i_number_too_big_neg_int.json", true, "numbers are floating point"},
    {"i_number_too_big_pos_int.json", true, "numbers are floating point"},
    {"i_number_very_big_negative_int.json", true, "numbers are floating point"},
    {"i_object_key_lone_2nd_surrogate.json", false, "half a pair has no UTF-8"},
    {"i_string_1st_surrogate_but_2nd_missing.json", false, "half a pair has no UTF-8"},
    {"i_string_1st_valid_surrogate_2nd_invalid.json", false, "half a pair has no UTF-8"},
    {"i_string_UTF-16LE_with_BOM.json", false, "not UTF-8"},
    {"i_string_UTF-8_invalid_sequence.json", false, "not UTF-8"},
    {"i_string_UTF8_surrogate_U+D800.json", false, "not UTF-8"},
    {"i_string_incomplete_surrogate_and_escape_valid.json", false, "half a pair has no UTF-8"},
    {"i_string_incomplete_surrogate_pair.json", false, "half a pair has no UTF-8"},
    {"i_string_incomplete_surrogates_escape_valid.json", false, "half a pair has no UTF-8"},
    {"i_string_invalid_lonely_surrogate.json", false, "half a pair has no UTF-8"},
    {"i_string_invalid_surrogate.json", false, "half a pair has no UTF-8"},
    {"i_string_invalid_utf-8.json", false, "not UTF-8"},
    {"i_string_inverted_surrogates_U+1D11E.json", false, "half a pair has no UTF-8"},
    {"i_string_iso_latin_1.json", false, "not UTF-8"},
    {"i_string_lone_second_surrogate.json", false, "half a pair has no UTF-8"},
    {"i_string_lone_utf8_continuation_byte.json", false, "not UTF-8"},
    {"i_string_not_in_unicode_range.json", false, "past U+10FFFF"},
    {"i_string_overlong_sequence_2_bytes.json", false, "not UTF-8"},
    {"i_string_overlong_sequence_6_bytes.json", false, "not UTF-8"},
    {"i_string_overlong_sequence_6_bytes_null.json", false, "not UTF-8"},
    {"i_string_truncated-utf-8.json", false, "not UTF-8"},
    {"i_string_utf16BE_no_BOM.json", false, "not UTF-8"},
    {"i_string_utf16LE_no_BOM.json", false, "not UTF-8"},
    {"i_structure_500_nested_arrays.json", false, "deeper than 64"},
    {"i_structure_UTF-8_BOM_empty_object.json", true, "a byte order mark is skipped"},
};

/* What must be done with a file of the suite; false where its name says nothing that we know. */
static bool verdict(const char *name, bool *accepted)
{
    /* Valid by the grammar, and refused on purpose: a key given twice. */
    bool twice = strncmp(name, "y_object_duplicated_key", 23) == 0;
    *accepted = name[0] == 'y' && !twice;
    if (name[0] != 'i')
        return name[0] == 'y' || name[0] == 'n';
    for (size_t i = 0; i < sizeof FREE_CHOICE / sizeof FREE_CHOICE[0]; i++) {
        if (strcmp(FREE_CHOICE[i].name, name) == 0) {
            *accepted = FREE_CHOICE[i].accepted;
            return true;
        }
    }
    return false;
}

static void check_suite_file(unit *u, const char *folder, const char *name)
{
    char path[4096];
    source s;
    err e = {0};
    bool accepted;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!CHECK(u, source_open(&s, path, SIZE_MAX, &e)))
        return;
    if (!CHECK(u, verdict(name, &accepted)) || !CHECK(u, scan(s.bytes, s.length, &e) == accepted))
        printf("  %s: %s\n", name, said(&e));
    source_close(&s);
}

static void json_test_suite(unit *u)
{
    char folder[2048];
    const char *shared = getenv("SELFATTN_SHARED");
    snprintf(folder, sizeof folder, "%s/testdata/jsontestsuite/test_parsing",
             shared == NULL ? "../shared" : shared);
    DIR *files = opendir(folder);
    if (files == NULL) {
        unit_skip(u, "JSONTestSuite is not there");
        return;
    }
    size_t count = 0;
    for (struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        if (strstr(file->d_name, ".json") == NULL)
            continue;
        check_suite_file(u, folder, file->d_name);
        count++;
    }
    closedir(files);
    CHECK(u, count == 318);
}

UNIT(json_scan)
{
    refuses(u);
    accepts(u);
    knows_utf8(u);
    limits_depth(u);
    limits_numbers(u);
    many_keys(u);
    places(u);
    json_test_suite(u);
}
