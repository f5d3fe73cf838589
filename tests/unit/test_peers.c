/* The conventions of other programs, as a table: each cell says something, and what it says to give
 * here are options that there are, with values that they take. */
#include "unit.h"

#include "cli/help/help.h"
#include "cli/line/options.h"

#include <stdio.h>
#include <string.h>

static const char SMALL_LETTERS[] = "abcdefghijklmnopqrstuvwxyz-";

static void check_cell(unit *u, bool holds, const char *words, const char *claim)
{
    char said[256];
    snprintf(said, sizeof said, "\"%.150s\": %s", words, claim);
    unit_check(u, holds, __FILE__, __LINE__, said);
}

/* A value in capitals, such as FILE or G, stands for any. */
static bool is_value_of(const option_row *row, const char *value)
{
    size_t length = strspn(value, SMALL_LETTERS);
    return length == 0 || named_find(row->choices, value, length) != NULL;
}

/* `name` stands after the two hyphens of an option, in the middle of `words`. */
static void check_option(unit *u, const char *words, const char *name)
{
    size_t length = strspn(name, SMALL_LETTERS);
    const option_row *row = option_by_name(name, length);
    check_cell(u, row != NULL, words, "its options are there");
    if (row == NULL || row->choices == NULL)
        return;
    bool has_value = row->value_is_optional ? name[length] == '=' : name[length] == ' ';
    check_cell(u, has_value || row->value_is_optional, words, "an option has its value");
    if (has_value)
        check_cell(u, is_value_of(row, name + length + 1), words, "a value is one of the option's");
}

static void check_options(unit *u, const char *words)
{
    for (const char *at = strstr(words, "--"); at != NULL; at = strstr(at + 2, "--"))
        check_option(u, words, at + 2);
}

static void check_words(unit *u, const char *words)
{
    size_t length = strlen(words);
    check_cell(u, length > 0 && words[length - 1] != '.', words, "it is a phrase");
    check_cell(u, strstr(words, "  ") == NULL, words, "no words stand apart");
    check_options(u, words);
}

UNIT(peers)
{
    for (size_t i = 0; i < PEERS.count; i++) {
        const peer *one = (const peer *)(const void *)named_row(&PEERS, i);
        for (size_t j = 0; j < DIFFERENCES.count; j++) {
            check_words(u, one->cell[j].says);
            if (one->cell[j].here != NULL)
                check_words(u, one->cell[j].here);
        }
    }
}
