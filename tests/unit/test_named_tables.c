/* The tables that others add rows to, looked at as tables: what help, completion and "did you mean"
 * rely on. */
#include "unit.h"

#include "cli/command.h"
#include "cli/example/examples.h"
#include "cli/help/help.h"
#include "io/format.h"
#include "why/why.h"

#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = 60 };

/* A failing row is named: one message a table would not say which it is. */
static void check_row(unit *u, bool holds, const named_table *table, const char *name,
                      const char *says)
{
    char text_of_claim[256];
    snprintf(text_of_claim, sizeof text_of_claim, "%s %s: %s", table->what, name, says);
    unit_check(u, holds, __FILE__, __LINE__, text_of_claim);
}

static const char *help_of(const named_table *table, const named *row)
{
    return table == &OPTIONS ? option_help((const option_row *)(const void *)row) : row->help;
}

/* A formula may begin with a capital, as Σ and W do; a sentence may not. */
static bool begins_like_a_phrase(const char *help)
{
    bool is_capital = help[0] >= 'A' && help[0] <= 'Z';
    bool next_is_small = help[0] != '\0' && help[1] >= 'a' && help[1] <= 'z';
    return help[0] != '\0' && help[0] != ' ' && !(is_capital && next_is_small);
}

static void check_help(unit *u, const named_table *table, const named *row)
{
    const char *help = help_of(table, row);
    check_row(u, help != NULL && help[0] != '\0', table, row->name, "it has a help");
    if (help == NULL || table == &EXAMPLES) /* whose helps are titles */
        return;
    check_row(u, begins_like_a_phrase(help), table, row->name, "its help begins in lower case");
    check_row(u, wrap_columns(help) <= MOST_COLUMNS, table, row->name, "its help fits 60 columns");
    check_row(u, help[strlen(help) - 1] != '.', table, row->name, "its help is not a sentence");
}

static void check_table(unit *u, const named_table *table)
{
    check_row(u, named_count(table) > 0, table, "table", "it is not empty");
    for (size_t i = 0; i < named_count(table); i++) {
        const named *row = named_row(table, i);
        check_row(u, row->name != NULL && row->name[0] != '\0', table, "row", "it has a name");
        check_row(u, named_find(table, row->name, strlen(row->name)) == row, table, row->name,
                  "its name is its own");
        check_help(u, table, row);
    }
}

static void test_all_tables(unit *u)
{
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        check_table(u, TOPICS[i].table);
}

/* Else a trace would show another arithmetic than the run's. */
static void test_scores(unit *u)
{
    for (size_t i = 0; i < SCORES.count; i++) {
        const score *row = (const score *)(const void *)named_row(&SCORES, i);
        const char *name = row->named.name;
        check_row(u, row->made_by != OP_COPY, &SCORES, name, "it has its operation");
        check_row(u, row->formula != NULL, &SCORES, name, "it has its formula");
        check_row(u, row->order != NULL, &SCORES, name, "it says the order of its operations");
        check_row(u, row->back != 0, &SCORES, name, "it says how gradients go back");
    }
}

static void test_operations(unit *u)
{
    for (size_t i = 0; i < OPERATIONS.count; i++) {
        const operation_row *row = operation_of((operation)i);
        check_row(u, row->spelled != NULL, &OPERATIONS, row->named.name, "it is spelled");
        check_row(u, (row->inside != INSIDE_NOTHING) == (row->inner != NULL), &OPERATIONS,
                  row->named.name, "what is inside of it is worked out, and shown");
    }
}

/* What "why:" names is looked up in help and in the manual, where these stand as one list. */
static void test_names_of_mistakes_are_unique(unit *u)
{
    const named_table *const of[] = {&MISTAKES, &ARRANGEMENTS, &STACK_MISTAKES};
    for (size_t i = 1; i < sizeof of / sizeof of[0]; i++) {
        for (size_t row = 0; row < named_count(of[i]); row++) {
            const char *name = named_row(of[i], row)->name;
            for (size_t j = 0; j < i; j++)
                check_row(u, named_find(of[j], name, strlen(name)) == NULL, of[i], name,
                          "no other kind of mistake has its name");
        }
    }
}

static const option_row *option_at(size_t index)
{
    return (const option_row *)(const void *)named_row(&OPTIONS, index);
}

static void test_letters_are_unique(unit *u)
{
    for (size_t i = 0; i < OPTIONS.count; i++) {
        const option_row *row = option_at(i);
        if (row->letter != '\0')
            check_row(u, option_by_letter(row->letter) == row, &OPTIONS, row->named.name,
                      "its letter is its own");
    }
    CHECK(u, option_by_letter('\0') == NULL);
}

static bool is_in_order(size_t index)
{
    return index == 0 || option_at(index - 1)->group <= option_at(index)->group;
}

static void test_rows_of_options(unit *u)
{
    for (size_t i = 0; i < OPTIONS.count; i++) {
        const option_row *row = option_at(i);
        const char *name = row->named.name;
        bool is_flag = row->kind == OPTION_FLAG;
        bool is_key = row->kind == OPTION_KEY_FILE || row->kind == OPTION_KEY_VALUE ||
                      row->kind == OPTION_KEY_LIST;
        check_row(u, is_flag == (row->metavar == NULL), &OPTIONS, name, "a metavar, unless a flag");
        check_row(u, is_key == (row->key != NULL), &OPTIONS, name, "a key where its kind says so");
        check_row(u, is_key || row->place > 0, &OPTIONS, name, "a place in struct options");
        check_row(u, !is_key || option_by_key(row->key, strlen(row->key)) == row, &OPTIONS, name,
                  "its key is its own");
        check_row(u, row->kind != OPTION_COUNT || row->most > row->least, &OPTIONS, name, "bounds");
        check_row(u, row->choices == NULL || row->choices->count > 0, &OPTIONS, name, "choices");
        check_row(u,
                  strncmp(name, "no-", 3) != 0 || option_by_key(name + 3, strlen(name + 3)) == NULL,
                  &OPTIONS, name, "no name that --no-KEY takes");
        check_row(u, is_in_order(i), &OPTIONS, name, "the rows of a group are together");
    }
}

/* A group without a title would be missing from the help and the manual. */
static void test_groups_have_titles(unit *u)
{
    for (size_t i = 0; i < OPTIONS.count; i++) {
        size_t titles = 0;
        for (size_t j = 0; j < OPTION_TITLE_COUNT; j++)
            titles += OPTION_TITLES[j].group == option_at(i)->group;
        check_row(u, titles == 1, &OPTIONS, option_at(i)->named.name, "its group has one title");
    }
}

static void test_every_option_has_a_command(unit *u)
{
    unsigned taken = 0;
    for (size_t i = 0; i < COMMANDS.count; i++)
        taken |= ((const command *)(const void *)named_row(&COMMANDS, i))->groups;
    for (size_t i = 0; i < OPTIONS.count; i++)
        check_row(u, (option_at(i)->group & taken) != 0, &OPTIONS, option_at(i)->named.name,
                  "a command takes it");
}

static void test_terms(unit *u)
{
    for (size_t i = 0; i < TERMS.count; i++) {
        const passage *row = (const passage *)(const void *)named_row(&TERMS, i);
        size_t length = wrap_columns(row->words);
        check_row(u, length > 0 && length <= 4 * 78, &TERMS, row->named.name, "one to four lines");
    }
}

/* A paragraph that stands below another name would be lost. */
static void check_texts(unit *u, const named_table *texts, const named_table *of)
{
    for (size_t i = 0; i < texts->count; i++) {
        const passage *row = (const passage *)(const void *)named_row(texts, i);
        const char *name = row->named.name;
        check_row(u, named_find(of, name, strlen(name)) != NULL, texts, name,
                  "there is such a row");
        check_row(u, named_find(texts, name, strlen(name)) == &row->named, texts, name,
                  "said once");
        check_row(u, row->words[0] != '\0', texts, name, "it has words");
    }
}

static void test_texts(unit *u)
{
    check_texts(u, &OPTION_TEXTS, &OPTIONS);
    check_texts(u, &COMMAND_TEXTS, &COMMANDS);
    check_texts(u, &FORMAT_TEXTS, &FORMATS);
    CHECK(u, COMMAND_TEXTS.count == COMMANDS.count);
    CHECK(u, FORMAT_TEXTS.count == FORMATS.count);
}

UNIT(named_tables)
{
    test_all_tables(u);
    test_scores(u);
    test_operations(u);
    test_names_of_mistakes_are_unique(u);
    test_letters_are_unique(u);
    test_rows_of_options(u);
    test_groups_have_titles(u);
    test_every_option_has_a_command(u);
    test_terms(u);
    test_texts(u);
}
