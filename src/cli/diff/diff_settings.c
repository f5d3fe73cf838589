#include "cli/diff/diff_settings.h"

#include "cli/command.h"
#include "cli/shell_word.h"
#include "io/number_read.h"
#include "io/number_write.h"

#include <string.h>

/* A word as it is, a number as its shortest decimal. */
static void add_item(text *to, const char *item, const char *end)
{
    char shortest[NUMBER_TEXT];
    double number;
    if (number_read_json(item, end, &number))
        text_add(to, shortest, number_write_f64(number, shortest));
    else
        text_add(to, item, (size_t)(end - item));
}

/* "=1,0" of "1.0,0". */
static void add_value(text *to, const char *value)
{
    const char *separator = "=", *end;
    do {
        end = value + strcspn(value, ",");
        text_add_string(to, separator);
        add_item(to, value, end);
        separator = ",";
        value = end + 1;
    } while (*end != '\0');
}

static bool add_setting(text_list *to, const given_key *one, err *e)
{
    text line = {0};
    bool is_removed = one->value == NULL;
    bool is_bare = !is_removed && one->row->value_is_optional && strcmp(one->value, "true") == 0;
    text_add_format(&line, "--%s%s", is_removed ? "no-" : "", one->row->named.name);
    if (!is_removed && !is_bare)
        add_value(&line, one->value);
    bool done = text_ok(&line, e) && text_list_add(to, text_string(&line), line.length, e);
    text_free(&line);
    return done;
}

/* Other options name files, whose numbers are in the hashes, or say how a result is written. */
static bool add_settings(text_list *to, const options *o, err *e)
{
    bool done = true;
    for (size_t i = 0; i < o->given_count && done; i++)
        done = o->given[i].row->kind != OPTION_KEY_VALUE || add_setting(to, &o->given[i], e);
    return done;
}

static bool read_words(text_list *to, const text_list *words, bool *is_understood, err *e)
{
    int taken;
    options o;
    const command *by = command_named((int)words->count, words->item, &taken);
    *is_understood = options_parse(&o, (int)words->count - taken, words->item + taken, by->groups,
                                   by->named.name, e);
    bool done = *is_understood ? add_settings(to, &o, e) : !e->is_memory;
    options_free(&o);
    if (!*is_understood && done)
        err_clear(e);
    return done;
}

bool diff_settings_read(text_list *to, const char *arguments, bool *is_understood, err *e)
{
    static const char PROGRAM[] = "selfattn";
    text_list words = {0};
    bool done = text_list_add(&words, PROGRAM, strlen(PROGRAM), e) &&
                shell_words_read(&words, arguments, e) && read_words(to, &words, is_understood, e);
    text_list_free(&words);
    return done;
}
