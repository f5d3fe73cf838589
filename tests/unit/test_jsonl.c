/* Whether first bytes are JSON Lines, and when that can't be said yet; which lines there are. */
#include "io/source.h"

#include "base/text.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static void check_look(unit *u, const char *bytes, jsonl_look wanted)
{
    if (!CHECK(u, jsonl_look_at(bytes, strlen(bytes)) == wanted))
        printf("  bytes: %s\n", bytes);
}

/* Each line that is not a blank one as NUMBER:LINE|. */
static void check_lines(unit *u, const char *bytes, const char *wanted)
{
    text found = {0};
    jsonl_lines l = jsonl_lines_of(bytes, strlen(bytes));
    while (jsonl_next(&l))
        text_add_format(&found, "%zu:%.*s|", l.number, (int)l.length, l.line);
    CHECK_TEXT(u, text_string(&found), wanted);
    text_free(&found);
}

static void finds_lines(unit *u)
{
    check_lines(u, "", "");
    check_lines(u, "\n \n", "");
    check_lines(u, "{}\n{\"x\": 1}", "1:{}|2:{\"x\": 1}|");
    check_lines(u, "\n{}\n \t\r\n{}\r\n\n", "2:{}|4:{}\r|");
    check_lines(u, "\xef\xbb\xbf{}\n{}", "1:{}|2:{}|");
    check_lines(u, "\xef\xbb\xbf\n{}\n", "2:{}|");
    /* The bytes end where the length says, whatever stands after. */
    jsonl_lines l = jsonl_lines_of("  {}", 2);
    CHECK(u, !jsonl_next(&l));
    CHECK(u, jsonl_is_blank("  {}", 2) && !jsonl_is_blank("  {}", 3) && jsonl_is_blank("x", 0));
}

static void looks(unit *u)
{
    static const struct {
        const char *bytes;
        jsonl_look wanted;
    } cases[] = {
        {"{\"x\": [[1]]}\n{", JSONL_IS},
        {"{} \t\r\n\r\n  \n{\"x\":", JSONL_IS},
        {"\xef\xbb\xbf{}\n{", JSONL_IS},
        {"\n{}\n{}", JSONL_IS},
        {"", JSONL_MAY_BE},
        {" \n", JSONL_MAY_BE},
        {"\xef", JSONL_MAY_BE},
        {"\xef\xbb", JSONL_MAY_BE},
        {"\xef\xbb\xbf", JSONL_MAY_BE},
        {"{", JSONL_MAY_BE},
        {"{\"x\": [[1]]}", JSONL_MAY_BE},
        {"{\"x\": [[1]]}\n \n", JSONL_MAY_BE},
        {"{\n", JSONL_IS_NOT},
        {"{\"x\":\n{", JSONL_IS_NOT},
        {"{}\n[1]", JSONL_IS_NOT},
        {"[1]\n[2]", JSONL_IS_NOT},
        {"\xef\xbb\n", JSONL_IS_NOT},
        {"1,2\n", JSONL_IS_NOT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_look(u, cases[i].bytes, cases[i].wanted);
}

UNIT(jsonl)
{
    looks(u);
    finds_lines(u);
}
