/* A spelling's reader tells of every piece, of rows too that the program has not. */
#include "attn/spec/spelling.h"
#include "base/text.h"

#include "unit.h"

#include <string.h>

/* Pieces as they come: 'text', (place), <term;between;zero>. There is no d; pairs are second. */
static text told;

static void tell(const char *before, spelled what, const char *after)
{
    text_add_string(&told, before);
    text_add(&told, what.at, (size_t)(what.end - what.at));
    text_add_string(&told, after);
}

static void tell_text(void *to, spelled words)
{
    (void)to;
    tell("'", words, "'");
}

static void tell_place(void *to, spelled name)
{
    (void)to;
    tell("(", name, ")");
}

static const spelling_reader PIECES;

static void tell_series(void *to, const spelled_series *series)
{
    text_add_string(&told, "<");
    spelling_read(&PIECES, to, series->term);
    tell(";", series->between, "");
    if (series->zero.at != NULL)
        tell(";", series->zero, "");
    text_add_string(&told, ">");
}

static bool has(const void *to, char letter)
{
    (void)to;
    return letter != 'd';
}

static bool is_first(const void *to)
{
    (void)to;
    return false;
}

static const spelling_reader PIECES = {.text = tell_text,
                                       .place = tell_place,
                                       .series = tell_series,
                                       .has = has,
                                       .is_first = is_first};

UNIT(spelling_pieces)
{
    static const struct {
        const char *spelled, *pieces;
    } CASES[] = {
        {"{(a)}·({b} − {c})", "((a))'·('(b)' − '(c)')'"},
        {"{a}·(1 − ({b}/{c})²)", "(a)'·(1 − ('(b)'/'(c)')²)'"},
        {"<({a} − {b})²;+>", "<'('(a)' − '(b)')²';+>"},
        {"<|{a} − {b}|;+>", "<'|'(a)' − '(b)'|';+>"},
        {"<{a};+>", "<(a);+>"},
        {"−(<{a}·ln({a});\n + ;0>)", "'−('<(a)'·ln('(a)')';\n + ;0>')'"},
        {"{a}[c?\n + {c}][d? − {d}:!]", "(a)'\n + '(c)'!'"},
        {"[d?{d}]{a} ~−~+~ {b}", "(a)' ''+'' '(b)"},
        {"[b?{(a)}·cos({c})\n ~−~+~ {b}:{a}]", "((a))'·cos('(c)')\n ''+'' '(b)"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        text_clear(&told);
        spelling_read(&PIECES, NULL, spelled_whole(CASES[i].spelled));
        CHECK_TEXT(u, text_string(&told), CASES[i].pieces);
    }
    text_free(&told);
}
