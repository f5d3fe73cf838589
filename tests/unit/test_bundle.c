#include "tensor/bundle.h"
#include "unit.h"

#include <stdio.h>
#include <stdio.h>
#include <string.h>

static void finds_what_was_added(unit *u)
{
    bundle b = {0};
    err e = {0};
    bool all = true;
    char name[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "word %d", i);
        all = all && bundle_add_number(&b, name, i, (place){0}, &e);
    }
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "word %d", i);
        const tensor *found = bundle_tensor(&b, name);
        all = all && found != NULL && tensor_get(found, NULL) == i;
    }
    CHECK(u, all && b.count == 1000);
    CHECK(u, bundle_find(&b, "word 1000") == NULL && bundle_find_bytes(&b, "word 10!", 7) != NULL);
    CHECK(u, bundle_remove(&b, "word 0") && !bundle_remove(&b, "word 0"));
    CHECK(u, bundle_find(&b, "word 0") == NULL &&
                 tensor_get(bundle_tensor(&b, "word 999"), NULL) == 999);
    bundle_free(&b);
    CHECK(u, bundle_find(&b, "word 1") == NULL);
}

static void taking_replaces(unit *u)
{
    bundle to = {0}, from = {0};
    err e = {0};
    bundle_add_text(&to, "scale", "none", 4, (place){.line = 1}, &e);
    bundle_add_number(&to, "heads", 2, (place){.line = 2}, &e);
    bundle_add_number(&from, "scale", 0.5, (place){.line = 3}, &e);
    CHECK(u, bundle_take(&to, "scale", bundle_find(&from, "scale"), &e));
    CHECK(u, to.count == 2 && tensor_get(bundle_tensor(&to, "scale"), NULL) == 0.5);
    CHECK(u, bundle_text(&to, "scale") == NULL && bundle_find(&to, "scale")->at.line == 3);
    bundle_free(&to);
    bundle_free(&from);
}

static void taking_renames(unit *u)
{
    bundle to = {0}, from = {0};
    err e = {0};
    bundle_add_number(&from, "query.weight", 3, (place){0}, &e);
    CHECK(u, bundle_take(&to, "wq", bundle_find(&from, "query.weight"), &e));
    CHECK_TEXT(u, bundle_find(&to, "wq")->name, "wq");
    CHECK(u, tensor_get(bundle_tensor(&to, "wq"), NULL) == 3 &&
                 bundle_find(&from, "query.weight") != NULL);
    bundle_free(&to);
    bundle_free(&from);
}

static void borrowing_shares(unit *u)
{
    bundle from = {0}, to = {0};
    err e = {0};
    bundle_add_text(&from, "layout", "out-in", 6, (place){.line = 7}, &e);
    bundle_add_number(&from, "heads", 2, (place){0}, &e);
    CHECK(u, bundle_borrow(&to, "layout", bundle_find(&from, "layout"), &e) != NULL);
    CHECK(u, bundle_borrow(&to, "kv_heads", bundle_find(&from, "heads"), &e) != NULL);
    CHECK(u, bundle_text(&to, "layout") == bundle_text(&from, "layout"));
    CHECK(u, bundle_find(&to, "layout")->at.line == 7);
    CHECK(u, bundle_tensor(&to, "kv_heads")->data == bundle_tensor(&from, "heads")->data);
    bundle_free(&to);
    CHECK_TEXT(u, bundle_text(&from, "layout"), "out-in");
    CHECK(u, tensor_get(bundle_tensor(&from, "heads"), NULL) == 2);
    bundle_free(&from);
}

static void lists_grow(unit *u)
{
    text_list list = {0};
    err e = {0};
    for (int i = 0; i < 100; i++)
        text_list_add(&list, "the cat", i % 2 == 0 ? 3 : 7, &e);
    CHECK(u, list.count == 100 && strcmp(list.item[98], "the") == 0 &&
                 strcmp(list.item[99], "the cat") == 0);
    text_list_free(&list);
    CHECK(u, list.count == 0 && list.item == NULL);
}

/* By its index as without one: the first of two, and what was added before and after. */
static void lists_find(unit *u)
{
    text_list list = {0};
    err e = {0};
    char name[16];
    for (int i = 0; i < 100; i++) {
        if (i == 50)
            CHECK(u, text_list_index(&list, &e));
        text_list_add(&list, name, (size_t)snprintf(name, sizeof name, "n%d", i % 90), &e);
        CHECK(u, text_list_find(&list, name) == list.item[i % 90]);
    }
    CHECK(u, text_list_find(&list, "n0") == list.item[0]);
    CHECK(u, text_list_find(&list, "n90") == NULL && text_list_find(&list, "") == NULL);
    text_list_free(&list);
}

UNIT(bundle)
{
    finds_what_was_added(u);
    taking_replaces(u);
    taking_renames(u);
    borrowing_shares(u);
    lists_grow(u);
    lists_find(u);
}
