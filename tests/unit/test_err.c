#include "base/err.h"
#include "unit.h"

#include <string.h>

static void keeps_the_first_error(unit *u)
{
    err e = {0};
    CHECK(u, !err_at(&e, &(place){.file = "w.csv", .line = 3, .column = 17},
                     "Wq has %d columns here, %d in row 1", 4, 3));
    CHECK(u, !err_set(&e, "something later"));
    CHECK(u, e.is_set);
    CHECK_TEXT(u, e.where, "w.csv:3:17");
    CHECK_TEXT(u, e.what, "Wq has 4 columns here, 3 in row 1");
    CHECK(u, !err_remedy(&e, "first"));
    err_remedy(&e, "second");
    CHECK_TEXT(u, e.remedy, "first");
    err memory = {0};
    err_set(&memory, "first");
    CHECK(u, !err_memory_limit(&memory, 4, 3, 6, 2) && !err_no_memory(&memory, 4));
    CHECK_TEXT(u, memory.what, "first");
    CHECK_TEXT(u, memory.remedy, "");
    CHECK(u, !memory.is_memory);
}

static void writes_places(unit *u)
{
    err in_binary = {0}, in_option = {0}, nowhere = {0};
    err_at(&in_binary, &(place){.file = "w.npy", .byte = 8, .has_byte = true}, "header");
    CHECK_TEXT(u, in_binary.where, "w.npy: byte 8");
    err_at(&in_option, &(place){.file = "heads", .is_option = true}, "heads is 0");
    CHECK_TEXT(u, in_option.where, "--heads");
    err_at(&nowhere, &(place){0}, "no place");
    CHECK_TEXT(u, nowhere.where, "");
}

/* A place is that of an error, and is no error itself. */
static void has_a_place_where_it_is_set(unit *u)
{
    err e = {0};
    CHECK(u, !err_place(&e, &(place){.file = "x.csv"}) && !e.is_set && e.where[0] == '\0');
    err_set(&e, "wrong");
    err_place(&e, &(place){.file = "x.csv"});
    err_place(&e, &(place){.file = "y.csv"});
    CHECK_TEXT(u, e.where, "x.csv");
}

static void shows_no_control_characters(unit *u)
{
    err e = {0};
    err_at(&e, &(place){.file = "a\033[2Jb"}, "key \"%s\"", "\a\x7f\n");
    err_remedy(&e, "%s", "\r");
    CHECK_TEXT(u, e.where, "a?[2Jb");
    CHECK_TEXT(u, e.what, "key \"???\"");
    CHECK_TEXT(u, e.remedy, "?");
}

/* A message that is too long for it is cut before it, between two characters. */
static void says_within_what(unit *u)
{
    char word[4096];
    err e = {0}, kept = {0}, cut = {0};
    err_set(&kept, "it is short");
    err_within(&kept, "layer %d", 2);
    CHECK_TEXT(u, kept.what, "it is short (layer 2)");
    for (size_t i = 0; i + 1 < sizeof word; i++)
        word[i] = "\xc3\xa4"[i % 2];
    word[sizeof word - 1] = '\0';
    err_set(&e, "%s", word);
    err_within(&e, "layer %d", 2);
    CHECK(u, strlen(e.what) == sizeof e.what - 1);
    CHECK_TEXT(u, e.what + strlen(e.what) - strlen("ä… (layer 2)"), "ä… (layer 2)");
    err_set(&cut, "a%s", word);
    err_within(&cut, "layer %d", 2);
    CHECK_TEXT(u, cut.what + strlen(cut.what) - strlen("ä… (layer 2)"), "ä… (layer 2)");
}

UNIT(err)
{
    keeps_the_first_error(u);
    writes_places(u);
    has_a_place_where_it_is_set(u);
    shows_no_control_characters(u);
    says_within_what(u);
}
