#include "base/text.h"
#include "base/utf8.h"
#include "unit.h"

#include <stdint.h>
#include <wchar.h>

/* The first and the last of each range, and their neighbours. */
static void knows_orders(unit *u)
{
    static const uint32_t ARE[] = {0,      0x1f,   0x7f,   0x9f,   0x61c,  0x200e,
                                   0x200f, 0x2028, 0x202e, 0x2066, 0x2069, 0xfeff},
                          ARE_NOT[] = {0x20,   0x7e,   0xa0,   0x61b,  0x61d,  0x200d,
                                       0x2010, 0x2027, 0x202f, 0x2065, 0x206a, 0xfefe};
    for (size_t i = 0; i < sizeof ARE / sizeof ARE[0]; i++)
        CHECK(u, utf8_is_order(ARE[i]) && !utf8_is_order(ARE_NOT[i]));
}

static void has_no_room_beyond_addresses(unit *u)
{
    static const size_t LENGTHS[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 2};
    for (size_t i = 0; i < sizeof LENGTHS / sizeof LENGTHS[0]; i++) {
        text t = {0};
        err e = {0};
        text_add_string(&t, "a");
        CHECK(u, text_room(&t, LENGTHS[i]) == NULL && !text_ok(&t, &e) && e.is_memory);
        text_free(&t);
    }
}

/* The C locale has no such character, so the C library has no text of it. */
static void fails_where_a_format_does(unit *u)
{
    text t = {0};
    err e = {0};
    text_add_string(&t, "a");
    text_add_format(&t, "%lc", (wint_t)0x20ac);
    CHECK(u, !text_ok(&t, &e) && e.is_memory);
    text_free(&t);
}

UNIT(text)
{
    fails_where_a_format_does(u);
    knows_orders(u);
    has_no_room_beyond_addresses(u);
    text t = {0};
    err e = {0};
    CHECK_TEXT(u, text_string(&t), "");
    text_add_string(&t, "q[1]");
    text_add_format(&t, "%s%d", "·k", 2);
    text_add(&t, "abc", 1);
    text_add_repeated(&t, "-", 3);
    CHECK_TEXT(u, text_string(&t), "q[1]·k2a---");
    CHECK(u, text_ok(&t, &e));
    text_clear(&t);
    CHECK(u, t.length == 0);
    CHECK_TEXT(u, text_string(&t), "");
    CHECK(u, text_room(&t, SIZE_MAX - 1) == NULL);
    CHECK(u, !text_ok(&t, &e) && e.is_set);
    text_add_string(&t, "after a failure nothing is added");
    text_clear(&t);
    CHECK(u, t.length == 0 && !text_ok(&t, &e));
    text_free(&t);
}
