/* What help, the completions and the manual print: nothing of the tables is missing, lines fit, a
 * word is found. */
#include "unit.h"

#include "cli/help/help.h"

#include <stdio.h>
#include <string.h>

static void check_has(unit *u, const text *page, const char *what)
{
    char claim[256];
    snprintf(claim, sizeof claim, "the text has \"%s\"", what);
    unit_check(u, strstr(text_string(page), what) != NULL, __FILE__, __LINE__, claim);
}

static size_t widest_line(const text *page)
{
    size_t widest = 0;
    char line[1024];
    for (const char *p = text_string(page); *p != '\0';) {
        size_t length = strcspn(p, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, p);
        widest = wrap_columns(line) > widest ? wrap_columns(line) : widest;
        p += length + (p[length] == '\n');
    }
    return widest;
}

static void test_wrap(unit *u)
{
    text out = {0};
    wrap_add(&out, "one two three", 0, 2, 9);
    CHECK_TEXT(u, text_string(&out), "  one two\n  three\n");
    text_clear(&out);
    text_add_string(&out, "ab");
    wrap_add(&out, "q·kᵀ Σ", 2, 4, 10); /* six characters, ten bytes, after four columns */
    CHECK_TEXT(u, text_string(&out), "ab  q·kᵀ Σ\n");
    text_clear(&out);
    text_add_string(&out, "abcd");
    wrap_add(&out, "x", 4, 4, 10);
    CHECK_TEXT(u, text_string(&out), "abcd\n    x\n");
    text_clear(&out);
    wrap_add(&out, "first\nsecond unbreakably", 0, 1, 8);
    CHECK_TEXT(u, text_string(&out), " first\n second\n unbreakably\n");
    text_free(&out);
}

static void test_overview(unit *u)
{
    text page = {0};
    help_write_all(&page);
    CHECK(u, widest_line(&page) <= HELP_WIDTH);
    for (size_t i = 0; i < OPTIONS.count; i++) {
        text name = {0};
        topic_write_option_name(&name, (const option_row *)(const void *)named_row(&OPTIONS, i));
        check_has(u, &page, text_string(&name));
        text_free(&name);
    }
    for (size_t i = 0; i < COMMANDS.count; i++)
        check_has(u, &page, named_row(&COMMANDS, i)->help);
    text_free(&page);
}

static void test_command(unit *u)
{
    text page = {0};
    help_write_command(&page, (const command *)(const void *)named_find(&COMMANDS, "diff", 4));
    check_has(u, &page, "Usage: selfattn diff [OPTION]... A B\n");
    check_has(u, &page, "--tol [STAGE=]T");
    check_has(u, &page, "--atol T");
    CHECK(u, strstr(text_string(&page), "--emit") == NULL);
    CHECK(u, widest_line(&page) <= HELP_WIDTH);
    text_free(&page);
}

static void test_first_help_is_six_lines(unit *u)
{
    text page = {0};
    size_t lines = 0;
    help_write_first(&page);
    for (const char *p = text_string(&page); (p = strchr(p, '\n')) != NULL; p++)
        lines++;
    CHECK(u, lines == 6);
    check_has(u, &page, "selfattn example walkthrough | selfattn --trace\n");
    text_free(&page);
}

/* Every name in every table is found by itself. */
static void test_every_name_is_found(unit *u)
{
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        for (size_t j = 0; j < named_count(TOPICS[i].table); j++) {
            const named *row = named_row(TOPICS[i].table, j);
            text page = {0}, heading = {0};
            err e = {0};
            CHECK(u, help_write_word(&page, row->name, &e));
            text_add_format(&heading, "%s (%s): ", row->name, TOPICS[i].table->what);
            check_has(u, &page, text_string(&heading));
            CHECK(u, widest_line(&page) <= HELP_WIDTH);
            text_free(&page);
            text_free(&heading);
        }
    }
}

static void check_word(unit *u, const char *word, const char *has)
{
    text page = {0};
    err e = {0};
    CHECK(u, help_write_word(&page, word, &e));
    check_has(u, &page, has);
    text_free(&page);
}

static void check_no_word(unit *u, const char *word, const char *what)
{
    text page = {0};
    err e = {0};
    CHECK(u, !help_write_word(&page, word, &e));
    CHECK_TEXT(u, e.what, what);
    text_free(&page);
}

static void test_words(unit *u)
{
    check_word(u, "--causal", "--causal[=WORD]");
    check_word(u, "-o", "-o, --output FILE");
    check_word(u, "--no-kv-heads", "kv_heads (key)");
    check_word(u, "KV_Heads", "--kv-heads (option)");
    check_word(u, "golden-file", "golden file (term)");
    check_word(u, "weights", "exp / row_sum");
    check_word(u, "weights", "b × h × n_q × n_k");
    check_word(u, "softmax", "softmax (step)");
    check_word(u, "softmax", "softmax (term)");
    check_word(u, "stages", "row_max");
    check_word(u, "score functions", "additive");
    check_word(u, "normalise", "softmax"); /* no name, but in that term's text */
    check_no_word(u, "sotfmax", "help: nothing is known about 'sotfmax'; did you mean 'softmax'?");
    check_no_word(u, "zzzzzzzzzzzz", "help: nothing is known about 'zzzzzzzzzzzz'");
    check_no_word(u, "--", "help: '--' is not a word to be looked up");
}

/* The manual's pages of keys and of conventions have no options, nor has the schema. */
static bool has_options(const char *name)
{
    return strcmp(name, "man-document") != 0 && strcmp(name, "man-contract") != 0 &&
           strcmp(name, "schema") != 0;
}

/* Each shell's script, and the manual, know every option and every command. */
static void test_scripts_are_complete(unit *u)
{
    for (size_t i = 0; i < SHELLS.count; i++) {
        if (!has_options(named_row(&SHELLS, i)->name))
            continue;
        text page = {0};
        const shell *of = (const shell *)(const void *)named_row(&SHELLS, i);
        of->write(&page, of);
        for (size_t j = 0; j < OPTIONS.count; j++) {
            const char *name = named_row(&OPTIONS, j)->name;
            const char *dash = strrchr(name, '-'); /* roff writes \- for it */
            check_has(u, &page, dash == NULL ? name : dash + 1);
        }
        for (size_t j = 0; j < COMMANDS.count; j++)
            check_has(u, &page, named_row(&COMMANDS, j)->name);
        text_free(&page);
    }
}

UNIT(help)
{
    test_wrap(u);
    test_overview(u);
    test_command(u);
    test_first_help_is_six_lines(u);
    test_every_name_is_found(u);
    test_words(u);
    test_scripts_are_complete(u);
}
