#include "base/named.h"
#include "unit.h"

#include <string.h>

static const struct {
    named named;
    int more;
} ROWS[] = {{{"softmax", "a"}, 1}, {{"scores", "b"}, 2}, {{"causal", "c"}, 3}};
static const named_table TABLE = NAMED_TABLE("word", ROWS);

static void finds_exactly(unit *u)
{
    CHECK(u, named_find(&TABLE, "scores", 6) == &ROWS[1].named);
    CHECK(u, named_find(&TABLE, "scores!", 6) == &ROWS[1].named);
    CHECK(u, named_find(&TABLE, "score", 5) == NULL);
    CHECK(u, named_find(&TABLE, "", 0) == NULL);
}

static bool nearest_is(const char *word, const char *wanted)
{
    const named *found = named_nearest(&TABLE, word, strlen(word));
    return wanted == NULL ? found == NULL : found != NULL && strcmp(found->name, wanted) == 0;
}

static void finds_the_nearest(unit *u)
{
    CHECK(u, nearest_is("softmx", "softmax"));
    CHECK(u, nearest_is("casual", "causal"));
    CHECK(u, nearest_is("score", "scores"));
    CHECK(u, nearest_is("elephant", NULL));
    CHECK(u,
          nearest_is(
              "a-word-so-long-that-no-table-could-ever-hold-anything-that-is-near-to-its-spelling",
              NULL));
}

static void lists_names(unit *u)
{
    text out = {0};
    named_list(&TABLE, &out);
    CHECK_TEXT(u, text_string(&out), "softmax, scores or causal");
    text_free(&out);
}

UNIT(named)
{
    finds_exactly(u);
    finds_the_nearest(u);
    lists_names(u);
}
