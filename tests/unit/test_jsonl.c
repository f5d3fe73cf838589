/* Whether first bytes are JSON Lines, and when that can't be said yet. */
#include "io/jsonl.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

static void check_look(unit *u, const char *bytes, jsonl_look wanted)
{
    if (!CHECK(u, jsonl_look_at(bytes, strlen(bytes)) == wanted))
        printf("  bytes: %s\n", bytes);
}

void test_jsonl(unit *u)
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
