#include "base/text.h"
#include "unit.h"

#include <stdint.h>

UNIT(text)
{
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
