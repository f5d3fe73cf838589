#include "cli/line/options.h"

#include "attn/spec/setting.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "io/number_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CHOICES = 8 }; /* as many words are listed in a message */

void *option_field(options *o, const option_row *row)
{
    return (char *)o + row->place;
}

/* Decimal digits only: no sign, no space, no overflow. Gives the first byte that is none. */
static const char *read_digits(const char *digit, size_t *value)
{
    *value = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        if (!size_mul(*value, 10, value) || !size_add(*value, (size_t)(*digit - '0'), value))
            break;
    }
    return digit;
}

static bool read_number(const char *value_text, double *value)
{
    const char *end = value_text + strlen(value_text);
    return number_end_csv(value_text, end) == end && number_read_f64(value_text, end, value);
}

static bool is_word_of(const option_row *row, const char *word, size_t length)
{
    return named_find(row->choices, word, length) != NULL ||
           (row->also != NULL && named_find(row->also, word, length) != NULL);
}

/* Refuses a word that is in none of the row's tables, and says which are. */
static bool refuse_word(const option_row *row, const char *word, size_t length, err *e)
{
    const named *near = named_nearest(row->choices, word, length);
    if (row->also != NULL)
        near = named_nearer(near, named_nearest(row->also, word, length), word, length);
    int shown = (int)utf8_cut(word, length, 200);
    if (near == NULL)
        err_option(e, row->named.name, "unknown %s '%.*s'", row->choices->what, shown, word);
    else
        err_option(e, row->named.name, "unknown %s '%.*s'; did you mean %s?", row->choices->what,
                   shown, word, near->name);
    if (row->choices->count > MOST_CHOICES)
        return err_remedy(e, "selfattn help %ss lists them", row->choices->what);
    text words = {0};
    named_list(row->choices, &words);
    if (row->also != NULL) {
        text_add_string(&words, "; or ");
        named_list(row->also, &words);
    }
    err_remedy(e, "it is %s", text_string(&words));
    text_free(&words);
    return false;
}

static bool is_way(const char *word, size_t length)
{
    return memchr(word, '.', length) != NULL || memchr(word, '*', length) != NULL;
}

static bool check_word(const option_row *row, const char *word, size_t length, err *e)
{
    if (row->choices == NULL || is_word_of(row, word, length) ||
        (row->any_in != 0 && is_way(word, length)))
        return true;
    return refuse_word(row, word, length, e);
}

static bool set_count(options *o, const option_row *row, const char *value, err *e)
{
    size_t count;
    const char *end = read_digits(value, &count);
    if (end == value || *end != '\0' || count < row->least || (row->most > 0 && count > row->most))
        return err_option(e, row->named.name, "'%s' is not a whole number from %zu to %zu", value,
                          row->least, row->most);
    *(size_t *)option_field(o, row) = count;
    return true;
}

/* 4096, 500K, 64M, 2G, 1T: powers of 1024. */
static bool set_size(options *o, const option_row *row, const char *value, err *e)
{
    static const char SUFFIXES[] = "KMGT";
    size_t size;
    const char *end = read_digits(value, &size);
    bool is_size = end > value;
    if (is_size && *end != '\0') {
        const char *suffix = strchr(SUFFIXES, *end);
        is_size = suffix != NULL && end[1] == '\0' &&
                  size_mul(size, (size_t)1 << (10 * (suffix - SUFFIXES + 1)), &size);
    }
    if (!is_size) {
        err_option(e, row->named.name, "'%s' is not a size", value);
        return err_remedy(e, "write bytes, or a whole number of K, M, G or T: 500K, 64M, 2G");
    }
    *(size_t *)option_field(o, row) = size;
    return true;
}

static bool set_number(options *o, const option_row *row, const char *value, err *e)
{
    bool is_real = row->kind == OPTION_REAL;
    double number;
    if (!read_number(value, &number) || (is_real ? !isfinite(number) : number < 0))
        return err_option(e, row->named.name,
                          is_real ? "'%s' is not a number" : "'%s' is not a number from 0", value);
    *(double *)option_field(o, row) = number;
    return true;
}

/* T, or NAME=T: the last = counts, for a name may have one. */
static bool set_tolerance(options *o, const option_row *row, const char *value, err *e)
{
    place at = place_of_option(row->named.name);
    const char *equals = strrchr(value, '=');
    double number;
    if (equals == NULL) {
        o->has_tol = true;
        return set_number(o, row, value, e);
    }
    if (equals == value || !read_number(equals + 1, &number) || number < 0)
        return err_at(e, &at, "'%s' is not of the form NAME=T, with a number T from 0", value);
    size_t length = (size_t)(equals - value);
    entry *said = bundle_find_bytes(&o->tols, value, length);
    if (said == NULL)
        said = bundle_add(&o->tols, value, length, at, e);
    if (said == NULL ||
        (said->tensor.data == NULL && !tensor_new(&said->tensor, DTYPE_F64, 0, NULL, e)))
        return false;
    *(double *)said->tensor.data = number;
    return true;
}

/* What a cell may begin with can't separate cells. */
static bool set_character(options *o, const option_row *row, const char *value, err *e)
{
    place at = place_of_option(row->named.name);
    if (strcmp(value, "tab") == 0)
        value = "\t";
    if (strlen(value) != 1 || strchr("\"#+-.\r\n0123456789", value[0]) != NULL)
        return err_at(
            e, &at, "'%s' can't separate cells: one character that no number has is wanted", value);
    *(const char **)option_field(o, row) = value;
    return true;
}

/* One NAME=VALUE; where there are choices, NAME is one of them. */
static bool check_pair(const option_row *row, const char *pair, size_t length, err *e)
{
    const char *equals = memchr(pair, '=', length);
    if (equals == NULL || equals == pair || equals + 1 == pair + length)
        return err_option(e, row->named.name, "'%.*s' is not of the form %s", (int)length, pair,
                          row->metavar);
    return check_word(row, pair, (size_t)(equals - pair), e);
}

static bool check_place(const option_row *row, const char *item, size_t length, err *e)
{
    if (!check_pair(row, item, length, e))
        return false;
    const char *number = (const char *)memchr(item, '=', length) + 1;
    size_t count;
    if (read_digits(number, &count) != item + length || count == 0)
        return err_option(e, row->named.name, "'%.*s' does not say a whole number from 1",
                          (int)length, item);
    return true;
}

/* Each of a comma-separated list is checked and added. */
static bool add_items(options *o, const option_row *row, const char *value,
                      bool (*check)(const option_row *, const char *, size_t, err *), err *e)
{
    for (const char *item = value;; item++) {
        size_t length = strcspn(item, ",");
        if (length == 0)
            return err_option(e, row->named.name, "an item of '%s' is empty", value);
        if (!check(row, item, length, e) || !text_list_add(option_field(o, row), item, length, e))
            return false;
        item += length;
        if (*item == '\0')
            return true;
    }
}

/* No name is said twice in one list, where only the last would count. */
static bool check_once(const option_row *row, const char *value, err *e)
{
    for (const char *item = value; *item != '\0'; item += strcspn(item, ",")) {
        item += *item == ',';
        size_t name = strcspn(item, "=") + 1;
        for (const char *other = strchr(item, ','); other != NULL; other = strchr(other + 1, ',')) {
            if (strncmp(other + 1, item, name) == 0)
                return err_option(e, row->named.name, "'%s' says %.*s twice", value, (int)name - 1,
                                  item);
        }
    }
    return true;
}

bool option_give_key(options *o, const option_row *row, const char *value, err *e)
{
    for (size_t i = 0; i < o->given_count; i++) {
        if (strcmp(o->given[i].row->key, row->key) == 0) {
            o->given[i].value = value;
            return true;
        }
    }
    given_key *given = mem_grow(o->given, o->given_count, &o->given_capacity, sizeof given[0], e);
    if (given == NULL)
        return false;
    o->given = given;
    o->given[o->given_count++] = (given_key){row, value};
    return true;
}

bool option_may_take(const option_row *row, const char *value)
{
    /* Of settings that judge their values themselves: numbers, or a truth. */
    if (row->choices == NULL)
        return row->kind == OPTION_KEY_VALUE &&
               (named_find(&TRUTH_WORDS, value, strlen(value)) != NULL ||
                value[strspn(value, "0123456789.,+-eE")] == '\0');
    for (;;) {
        size_t length = row->kind == OPTION_WORDS ? strcspn(value, ",") : strlen(value);
        if (!is_word_of(row, value, length))
            return false;
        if (value[length] == '\0')
            return true;
        value += length + 1;
    }
}

bool options_check_words(const options *o, err *e)
{
    for (size_t i = 0; o->names_ways && i < OPTIONS.count; i++) {
        const option_row *row = option_row_at(i);
        const text_list *said = option_list(o, row);
        for (size_t j = 0; row->any_in != 0 && j < said->count; j++) {
            const char *word = said->item[j];
            size_t length = row->kind == OPTION_PAIR ? strcspn(word, "=") : strlen(word);
            if (memchr(word, '*', length) == NULL && !is_word_of(row, word, length))
                return refuse_word(row, word, length, e);
        }
    }
    return true;
}

bool option_set(options *o, const option_row *row, const char *value, err *e)
{
    if (value != NULL && value[0] == '\0')
        return err_option(e, row->named.name, "the value is empty, %s is wanted", row->metavar);
    if (row->has != 0)
        *(bool *)((char *)o + row->has) = true;
    if (row->any_in != 0 && value != NULL && is_way(value, strlen(value)))
        o->names_ways = true;
    if (value == NULL && row->key != NULL)
        return option_give_key(o, row, "true", e);
    if (value == NULL && row->kind != OPTION_FLAG)
        return true;
    switch (row->kind) {
    case OPTION_FLAG:
        return *(bool *)option_field(o, row) = true;
    case OPTION_WORD:
    case OPTION_FILE:
        *(const char **)option_field(o, row) = value;
        return check_word(row, value, strlen(value), e);
    case OPTION_FILES:
        return text_list_add(option_field(o, row), value, strlen(value), e);
    case OPTION_COUNT:
        return set_count(o, row, value, e);
    case OPTION_SIZE:
        return set_size(o, row, value, e);
    case OPTION_NUMBER:
    case OPTION_REAL:
        return set_number(o, row, value, e);
    case OPTION_TOLERANCE:
        return set_tolerance(o, row, value, e);
    case OPTION_CHARACTER:
        return set_character(o, row, value, e);
    case OPTION_WORDS:
        return text_list_index(option_field(o, row), e) && add_items(o, row, value, check_word, e);
    case OPTION_PAIR:
        return check_pair(row, value, strlen(value), e) &&
               text_list_add(option_field(o, row), value, strlen(value), e);
    case OPTION_PLACES:
        return add_items(o, row, value, check_place, e) && check_once(row, value, e);
    case OPTION_KEY_FILE:
    case OPTION_KEY_VALUE:
    case OPTION_KEY_LIST:
        break;
    }
    return option_give_key(o, row, value, e);
}

/* ---- words of a line ---- */

void shell_word_add(text *out, const char *word)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_.,=:/+@%";
    if (word[strspn(word, PLAIN)] == '\0') {
        text_add_string(out, word);
        return;
    }
    text_add_string(out, "'");
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            text_add_string(out, "'\\''");
        else
            text_add(out, word, 1);
    }
    text_add_string(out, "'");
}

bool shell_words_read(text_list *to, const char *line, err *e)
{
    text word = {0};
    bool done = true;
    while (done && *(line += strspn(line, " ")) != '\0') {
        text_clear(&word);
        while (*line != '\0' && *line != ' ') {
            if (*line == '\'') {
                /* From after the first quote to after the last. */
                size_t length = strcspn(++line, "'");
                text_add(&word, line, length);
                line += length + (line[length] != '\0');
                continue;
            }
            line += *line == '\\' && line[1] != '\0';
            text_add(&word, line++, 1);
        }
        done = text_ok(&word, e) && text_list_add(to, text_string(&word), word.length, e);
    }
    text_free(&word);
    return done;
}
