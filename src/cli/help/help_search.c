#include "cli/help/help.h"

#include "cli/help/help_topics.h"

#include <string.h>

/* Letters without their case; '-', '_' and ' ' are one, so that kv-heads finds the key and
 * "golden-file" the term. */
static char folded(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '_' || c == ' ' ? '-' : c;
}

static bool begins_with(const char *where, const char *word)
{
    while (*word != '\0' && folded(*where) == folded(*word)) {
        where++;
        word++;
    }
    return *word == '\0';
}

static bool same(const char *name, const char *word)
{
    return strlen(name) == strlen(word) && begins_with(name, word);
}

static bool contains(const char *where, const char *word)
{
    for (; *where != '\0'; where++) {
        if (begins_with(where, word))
            return true;
    }
    return false;
}

/* By its name, or by an option's letter where the word is written as one: -x. */
static bool is_named(const topic *of, const named *row, const char *word)
{
    if (of->table == &OPTIONS && strlen(word) == 2 && word[0] == '-') {
        const option_row *lettered = option_by_letter(word[1]);
        return lettered != NULL && row == &lettered->named;
    }
    return same(row->name, word + strspn(word, "-"));
}

/* The option whose key --no-KEY removes is what is meant by it. */
static const char *without_no(const char *word)
{
    const char *bare = word + strspn(word, "-");
    if (bare == word || strncmp(bare, "no-", 3) != 0)
        return word;
    const char *name = bare + 3;
    bool is_key =
        option_by_name(name, strlen(name)) != NULL || option_by_key(name, strlen(name)) != NULL;
    return is_key ? name : word;
}

/* "stages", "score functions": all of that table. */
static bool write_table(text *out, const char *word)
{
    size_t before = out->length;
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        text plural = {0};
        text_add_format(&plural, "%ss", TOPICS[i].table->what);
        if (same(text_string(&plural), word))
            topic_write_table(out, TOPICS[i].table);
        out->failed = out->failed || plural.failed;
        text_free(&plural);
    }
    return out->length > before;
}

static bool write_entries(text *out, const char *word)
{
    size_t before = out->length;
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        for (size_t j = 0; j < named_count(TOPICS[i].table); j++) {
            const named *row = named_row(TOPICS[i].table, j);
            if (!is_named(&TOPICS[i], row, word))
                continue;
            text_add_string(out, out->length > before ? "\n" : "");
            topic_write_entry(out, &TOPICS[i], row);
        }
    }
    return out->length > before;
}

/* What others call a row: bahdanau is the additive score. */
static bool write_called(text *out, const char *word)
{
    size_t before = out->length;
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        const named *row = named_by_synonym(TOPICS[i].table, word, strlen(word));
        if (row == NULL)
            continue;
        text_add_string(out, out->length > before ? "\n" : "");
        topic_write_entry(out, &TOPICS[i], row);
    }
    return out->length > before;
}

/* What an entry would print is what it is searched in; want of memory is remembered in `out`. */
static bool entry_has(text *out, const topic *of, const named *row, const char *word)
{
    text all = {0};
    topic_write_entry(&all, of, row);
    bool has = contains(text_string(&all), word);
    out->failed = out->failed || all.failed;
    text_free(&all);
    return has;
}

static bool write_mentions(text *out, const char *word)
{
    size_t before = out->length;
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        size_t start = out->length;
        for (size_t j = 0; j < named_count(TOPICS[i].table); j++) {
            const named *row = named_row(TOPICS[i].table, j);
            if (!entry_has(out, &TOPICS[i], row, word))
                continue;
            if (out->length == start)
                text_add_format(out, "%s:\n", TOPICS[i].table->what);
            topic_write_line(out, TOPICS[i].table, row);
        }
    }
    return out->length > before;
}

/* The nearest name of any table. */
static const named *nearest(const char *word)
{
    const named *best = NULL;
    size_t length = strlen(word);
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        best = named_nearer(best, named_nearest(TOPICS[i].table, word, length), word, length);
    return best;
}

bool help_write_word(text *out, const char *word, err *e)
{
    word = without_no(word);
    const char *bare = word + strspn(word, "-");
    if (*bare == '\0')
        return err_set(e, "help: '%s' is no word to be looked up", word);
    bool is_found = write_table(out, bare) || write_entries(out, word) || write_called(out, bare) ||
                    write_mentions(out, bare);
    if (is_found || !text_ok(out, e))
        return text_ok(out, e);
    const named *near = nearest(bare);
    if (near == NULL)
        err_set(e, "help: nothing is known about '%s'", word);
    else
        err_set(e, "help: nothing is known about '%s'; did you mean '%s'?", word, near->name);
    return err_remedy(e, "selfattn help lists commands and options, selfattn help terms all terms");
}
