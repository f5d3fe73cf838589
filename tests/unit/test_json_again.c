/* Texts that are read into the entries of the one before, and those that are not like it. */
#include "io/json_scan.h"

#include "attn/spec/keys.h"
#include "io/format.h"
#include "io/json_read.h"
#include "unit.h"

#include <string.h>

static const char FIRST[] = "{\"name\": \"a\", \"x\": [[1, 2], [3, 4]], \"wq\": [[5], [6]]}";

/* Reads the first text, and remembers it. */
static void read_first(unit *u, const char *bytes, json_again *again, bundle *to)
{
    read_options how = {.file = "t", .kind = KEY_MATRIX, .type = DTYPE_F32, .again = again};
    err e = {0};
    CHECK(u, json_read(bytes, strlen(bytes), &how, to, &e) && again->is_set);
}

static bool holds(const bundle *b, const char *name, const float *numbers)
{
    const tensor *t = bundle_tensor(b, name);
    return memcmp(t->data, numbers, tensor_count(t) * sizeof(float)) == 0;
}

static void other_numbers_come_in(unit *u)
{
    static const char SECOND[] =
        "{\"name\": \"a\", \"x\": [[-1,2e1],\t[0.5 , 8]], \"wq\": [[1.0000000000000000000],[7]]}";
    json_again again = {0};
    bundle b = {0};
    read_first(u, FIRST, &again, &b);
    const void *before = bundle_tensor(&b, "x")->data;
    CHECK(u, again.values == 2 && strcmp(again.value[1].name, "wq") == 0);
    CHECK(u, json_again_read(&again, SECOND, strlen(SECOND), &b));
    CHECK(u, holds(&b, "x", (const float[]){-1, 20, 0.5f, 8}));
    CHECK(u, holds(&b, "wq", (const float[]){1, 7}));
    CHECK(u, bundle_tensor(&b, "x")->data == before);
    CHECK(u, json_again_read(&again, FIRST, strlen(FIRST), &b));
    CHECK(u, holds(&b, "wq", (const float[]){5, 6}));
    bundle_free(&b);
    json_again_free(&again);
}

static void check_unlike(unit *u, const char *bytes)
{
    json_again again = {0};
    bundle b = {0};
    read_first(u, FIRST, &again, &b);
    if (!CHECK(u, !json_again_read(&again, bytes, strlen(bytes), &b)))
        printf("  text: %s\n", bytes);
    CHECK(u, !again.is_set && !json_again_read(&again, FIRST, strlen(FIRST), &b));
    bundle_free(&b);
    json_again_free(&again);
}

static void what_differs_is_not_alike(unit *u)
{
    static const char *const TEXTS[] = {
        "",
        "{\"name\": \"a\", ",
        "{\"name\": \"b\", \"x\": [[1, 2], [3, 4]], \"wq\": [[5], [6]]}",
        "{\"name\": \"a\",  \"x\": [[1, 2], [3, 4]], \"wq\": [[5], [6]]}",
        "{\"name\": \"a\", \"x\": [[1, 2], [3, 4]], \"wk\": [[5], [6]]}",
        "{\"name\": \"a\", \"x\": [[1, 2]], \"wq\": [[5], [6]]}",
        "{\"name\": \"a\", \"x\": [[1], [2], [3], [4]], \"wq\": [[5], [6]]}",
        "{\"name\": \"a\", \"x\": [1, 2, 3, 4], \"wq\": [[5], [6]]}",
        "{\"name\": \"a\", \"x\": [[1, 2], [3]], \"wq\": [[5], [6]]}",
        "{\"name\": \"a\", \"x\": [[1, 2], [3, 04]], \"wq\": [[5], [6]]}",
        "{\"name\": \"a\", \"x\": [[1, 2], [3, 1e99]], \"wq\": [[5], [6]]}",
        "{\"name\": \"a\", \"x\": [[1, 2], [3, \"NaN\"]], \"wq\": [[5], [6]]}",
        "{\"name\": \"a\", \"x\": [[1, 2], [3, 4]], \"wq\": 5}",
        "{\"name\": \"a\", \"x\": [[1, 2], [3, 4]], \"wq\": [[5], [6]]",
        "{\"name\": \"a\", \"x\": [[1, 2], [3, 4]], \"wq\": [[5], [6]]} ",
        "{\"name\": \"a\", \"x\": [[1, 2], [3, 4]], \"wq\": [[5], [6]",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++)
        check_unlike(u, TEXTS[i]);
}

/* What only people read may be another text, too: of plain characters, in the same place. */
static void other_texts_come_in(unit *u)
{
    static const char *const ALIKE[] = {"{\"name\": \"a\", \"x\": [[1]], \"notes\": \"\"}",
                                        "{\"name\": \"~ long ~\", \"x\": [[2]], \"notes\": \"b\"}"},
                             *const UNLIKE[] = {
                                 "{\"name\": \"\\n\", \"x\": [[1]], \"notes\": \"\"}",
                                 "{\"name\": \"\xc3\xa4\", \"x\": [[1]], \"notes\": \"\"}",
                                 "{\"name\": \"\t\", \"x\": [[1]], \"notes\": \"\"}",
                                 "{\"name\": 1, \"x\": [[1]], \"notes\": \"\"}",
                                 "{\"name\": \"a",
                                 "{\"name\": ",
                             };
    read_options how = {.file = "t", .kind = KEY_MATRIX, .type = DTYPE_F32, .keys = &KEYS};
    for (size_t i = 0; i < 1 + sizeof UNLIKE / sizeof UNLIKE[0]; i++) {
        const char *second = i == 0 ? ALIKE[1] : UNLIKE[i - 1];
        json_again again = {0};
        bundle b = {0};
        err e = {0};
        how.again = &again;
        CHECK(u, json_read(ALIKE[0], strlen(ALIKE[0]), &how, &b, &e) && again.values == 3);
        CHECK(u, json_again_read(&again, second, strlen(second), &b) == (i == 0));
        if (i == 0) {
            CHECK_TEXT(u, bundle_text(&b, "name"), "~ long ~");
            CHECK_TEXT(u, bundle_text(&b, "notes"), "b");
            CHECK(u, holds(&b, "x", (const float[]){2}));
        }
        bundle_free(&b);
        json_again_free(&again);
    }
}

/* Numbers that no entry of the bundle took as they were read stay what stands between. */
static void only_entries_numbers_may_differ(unit *u)
{
    static const char OBJECT[] = "{\"x\": [[1]], \"of\": {\"cat\": [2, 3]}, \"m\": [[true]]}",
                      OTHER[] = "{\"x\": [[1]], \"of\": {\"cat\": [2, 4]}, \"m\": [[true]]}",
                      TRUTH[] = "{\"x\": [[1]], \"of\": {\"cat\": [2, 3]}, \"m\": [[false]]}";
    json_again again = {0};
    bundle b = {0};
    read_first(u, OBJECT, &again, &b);
    CHECK(u, again.values == 1);
    CHECK(u, !json_again_read(&again, OTHER, strlen(OTHER), &b));
    bundle_free(&b);
    read_first(u, OBJECT, &again, &b);
    CHECK(u, !json_again_read(&again, TRUTH, strlen(TRUTH), &b));
    bundle_free(&b);
    json_again_free(&again);
}

/* Reads a text, and says whether it is remembered. */
static bool is_remembered(unit *u, const char *bytes, json_again *again, bundle *to)
{
    read_options how = {.file = "t", .kind = KEY_MATRIX, .type = DTYPE_F32, .again = again};
    err e = {0};
    bundle_free(to);
    CHECK(u, json_read(bytes, strlen(bytes), &how, to, &e));
    return again->is_set;
}

static void add_row(text *to, const char *before, const char *name)
{
    text_add_format(to, "%s\"%s\": [[0", before, name);
    text_add_repeated(to, ", 1", 63); /* shorter lists are noted where there are few alone */
    text_add_string(to, "]]");
}

/* More values than it has places for, or a name that is too long for one: nothing is remembered. */
static void some_are_not_remembered(unit *u)
{
    static const char LONG_NAME[] = "{\"sixteen_letters_\": [[1]]}",
                      NAMED[] = "{\"fifteen_letters\": [[1]]}";
    text many = {0};
    json_again again = {0};
    bundle b = {0};
    for (int i = 0; i <= JSON_AGAIN_MOST; i++) {
        char name[16];
        if (i == JSON_AGAIN_MOST) {
            size_t length = many.length;
            text_add_string(&many, "}");
            CHECK(u, is_remembered(u, text_string(&many), &again, &b));
            CHECK(u, again.values == JSON_AGAIN_MOST);
            many.length = length;
        }
        snprintf(name, sizeof name, "%d", i);
        add_row(&many, i == 0 ? "{" : ", ", name);
    }
    text_add_string(&many, "}");
    CHECK(u, !is_remembered(u, text_string(&many), &again, &b));
    CHECK(u, is_remembered(u, NAMED, &again, &b) && again.values == 1);
    CHECK(u, !is_remembered(u, LONG_NAME, &again, &b));
    bundle_free(&b);
    json_again_free(&again);
    text_free(&many);
}

/* A bundle that is not the one which was read has no place for a text. */
static void others_texts_stay(unit *u)
{
    static const char NAMED[] = "{\"name\": \"a\"}";
    read_options how = {.file = "t", .kind = KEY_MATRIX, .type = DTYPE_F32, .keys = &KEYS};
    json_again again = {0};
    bundle b = {0}, other = {0};
    err e = {0};
    how.again = &again;
    CHECK(u, json_read(NAMED, strlen(NAMED), &how, &b, &e) && again.values == 1);
    CHECK(u, !json_again_read(&again, NAMED, strlen(NAMED), &other));
    bundle_free(&b);
    json_again_free(&again);
}

UNIT(json_again)
{
    some_are_not_remembered(u);
    others_texts_stay(u);
    other_numbers_come_in(u);
    what_differs_is_not_alike(u);
    other_texts_come_in(u);
    only_entries_numbers_may_differ(u);
}
