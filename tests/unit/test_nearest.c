#include "base/nearest.h"
#include "unit.h"

#include <string.h>

/* Distances counted by hand. */
static void counts_edits(unit *u)
{
    CHECK(u, spelling_distance("casual", 6, "causal", 6) == 1);
    CHECK(u, spelling_distance("kitten", 6, "sitting", 7) == 3);
    CHECK(u, spelling_distance("", 0, "abc", 3) == 3);
    CHECK(u, spelling_distance("abc", 3, "abc", 3) == 0);
    CHECK(u, spelling_distance("W_Q", 3, "wq", 2) == 0);
    CHECK(u, spelling_distance("KV_Heads", 8, "kv-heads", 8) == 0);
    static const char LONG[193] = {'a'}; /* one more than is compared: all of it differs */
    CHECK(u, spelling_distance(LONG, 193, "a", 1) == 193);
    CHECK(u, spelling_distance("a", 1, LONG, 193) == 193);
    CHECK(u, spelling_distance(LONG, 192, "a", 1) == 191);
}

static void reaches_a_third(unit *u)
{
    CHECK(u, spelling_reach(0) == 1 && spelling_reach(1) == 1 && spelling_reach(5) == 1);
    CHECK(u, spelling_reach(6) == 2 && spelling_reach(8) == 2 && spelling_reach(9) == 3);
}

/* What stays of a search through all of the names. */
static void check_found(unit *u, const char *wanted, size_t reach, const char *const *names,
                        const char *expected)
{
    const char *found = "none";
    nearest near = nearest_to(wanted, strlen(wanted), reach);
    for (size_t i = 0; names[i] != NULL; i++) {
        if (nearest_is_nearer(&near, names[i]))
            found = names[i];
    }
    CHECK_TEXT(u, found, expected);
}

static void finds_the_nearest(unit *u)
{
    static const char *const NAMES[] = {"heights", "weights", "wq", "wk", NULL};
    check_found(u, "wieghts", 2, NAMES, "weights");
    check_found(u, "wx", 1, NAMES, "wq"); /* wk is as near */
    check_found(u, "weig", 3, NAMES, "weights");
    check_found(u, "weig", 2, NAMES, "none");
    check_found(u, "weights", 0, NAMES, "weights");
    check_found(u, "wieghts", 2, (const char *const[]){NULL}, "none");
}

/* In whatever order they come. */
static void takes_the_first_by_letters(unit *u)
{
    static const char *const ORDERS[][3] = {
        {"wk", "wq", "wv"}, {"wv", "wq", "wk"}, {"wq", "wk", "wv"}};
    for (size_t i = 0; i < 3; i++) {
        nearest near = nearest_to("wx", 2, 1);
        near.by_letters = true;
        for (size_t j = 0; j < 3; j++)
            nearest_is_nearer(&near, ORDERS[i][j]);
        CHECK_TEXT(u, near.found, "wk");
    }
}

UNIT(nearest)
{
    counts_edits(u);
    reaches_a_third(u);
    finds_the_nearest(u);
    takes_the_first_by_letters(u);
}
