/* The fence that the kernels' tests stand on finds who goes beyond it. */
#include "kernels/fence.h"
#include "unit/unit.h"

#include <string.h>

enum { BYTES = 100 };

/* Reads one byte of what `context` points to. */
static void read_byte(void *context)
{
    volatile const char *at = *(char **)context;
    (void)*at;
}

static bool may_read(char *at)
{
    return fence_holds(read_byte, &at);
}

static void pages_are_not_read(unit *u, fence *f)
{
    char *last = fence_place_last(f, BYTES), *first = fence_place_first(f, BYTES, 0);
    CHECK(u, may_read(last + BYTES - 1) && !may_read(last + BYTES));
    CHECK(u, may_read(first) && !may_read(first - 1));
    CHECK(u, may_read(first)); /* the second fault was caught as the first one was */
}

static void guards_notice(unit *u, fence *f)
{
    static const int BESIDE[] = {-1, -3, BYTES, BYTES + 7};
    char *at = fence_place_first(f, BYTES, 3);
    memset(at, 0, BYTES);
    CHECK(u, fence_is_intact(f) && !fence_is_guard(at, at + 1));
    for (size_t i = 0; i < sizeof BESIDE / sizeof BESIDE[0]; i++) {
        at = fence_place_first(f, BYTES, 3);
        at[BESIDE[i]] = 0;
        CHECK(u, !fence_is_intact(f));
    }
}

UNIT_OF(fence, "kernels memory")
{
    fence f;
    fence_open(&f, BYTES);
    pages_are_not_read(u, &f);
    guards_notice(u, &f);
    fence_close(&f);
}
