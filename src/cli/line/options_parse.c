#include "attn/spec/setting.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/line/other_words.h"
#include "io/number_read.h"
#include "model/stages.h"
#include "render/renderer.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- from the text after an option to its field: checked as its row says ---- */

enum { MOST_CHOICES = 8 }; /* as many words are listed in a message */

static void *field_of(options *o, const option_row *row)
{
    return (char *)o + row->place;
}

/* Decimal digits only: no sign, no space, no overflow. Returns the first byte that is not a
 * digit. */
static const char *read_digits(const char *digit, uint64_t *value)
{
    *value = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*digit - '0'), value))
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
    if (near == NULL && row->choices != &RENDERERS && other_words_trace(word, length, e))
        return false;
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

/* Whether layers may have it: a way to a stage of theirs, or a name that attention has not. */
static bool may_be_of_layers(const option_row *row, const char *word, size_t length)
{
    return row->any_in != 0 &&
           (memchr(word, '*', length) != NULL || stack_may_have_stage(word, length) ||
            (row->choices == &STEPS && named_find(&FLOORS, word, length) != NULL));
}

static bool check_word(const option_row *row, const char *word, size_t length, err *e)
{
    if (row->choices == NULL || is_word_of(row, word, length) ||
        may_be_of_layers(row, word, length))
        return true;
    return refuse_word(row, word, length, e);
}

static bool set_count(options *o, const option_row *row, const char *value, err *e)
{
    uint64_t count;
    const char *end = read_digits(value, &count);
    if (end == value || *end != '\0' || count < row->least || count > row->most)
        return err_option(e, row->named.name,
                          "'%s' is not a whole number from %" PRIu64 " to %" PRIu64, value,
                          row->least, row->most);
    if (row->kind == OPTION_COUNT_64)
        *(uint64_t *)field_of(o, row) = count;
    else
        *(size_t *)field_of(o, row) = (size_t)count;
    return true;
}

/* 4096, 500K, 64M, 2G, 1T: powers of 1024. More than an address can hold is as good as no limit. */
static bool set_size(options *o, const option_row *row, const char *value, err *e)
{
    static const char SUFFIXES[] = "KMGT";
    uint64_t size;
    const char *end = read_digits(value, &size);
    bool is_size = end > value;
    if (is_size && *end != '\0') {
        const char *suffix = strchr(SUFFIXES, *end);
        is_size =
            suffix != NULL && end[1] == '\0' &&
            !__builtin_mul_overflow(size, (uint64_t)1 << (10 * (suffix - SUFFIXES + 1)), &size);
    }
    if (!is_size) {
        err_option(e, row->named.name, "'%s' is not a size", value);
        return err_remedy(e, "write bytes, or a whole number of K, M, G or T: 500K, 64M, 2G");
    }
    *(size_t *)field_of(o, row) = size < SIZE_MAX ? (size_t)size : SIZE_MAX;
    return true;
}

static bool set_number(options *o, const option_row *row, const char *value, err *e)
{
    bool is_real = row->kind == OPTION_REAL;
    double number;
    if (!read_number(value, &number) || (!is_real && number < 0))
        return err_option(e, row->named.name,
                          is_real ? "'%s' is not a number" : "'%s' is not a number from 0", value);
    *(double *)field_of(o, row) = number;
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
    *(const char **)field_of(o, row) = value;
    return true;
}

/* A place alone is that of the first word: row=2 is 2. */
static bool refuse_form(const option_row *row, const char *item, size_t length, err *e)
{
    uint64_t count;
    err_option(e, row->named.name, "'%.*s' is not of the form %s", (int)length, item, row->metavar);
    bool is_place = row->kind == OPTION_PLACES && read_digits(item, &count) == item + length;
    return is_place &&
           err_remedy(e, "did you mean %s=%.*s?", row->choices->first->name, (int)length, item);
}

/* Each of a comma-separated list is checked and added; a file, or a pair, is one item. */
static bool add_items(options *o, const option_row *row, const char *value, err *e)
{
    bool is_list = row->kind == OPTION_WORDS || row->kind == OPTION_PLACES;
    for (const char *item = value;; item++) {
        size_t length = is_list ? strcspn(item, ",") : strlen(item), word = length;
        uint64_t count;
        if (length == 0)
            return err_option(e, row->named.name, "an item of '%s' is empty", value);
        if (row->kind == OPTION_PAIR || row->kind == OPTION_PLACES) {
            const char *equals = memchr(item, '=', length);
            if (equals == NULL || equals == item || equals + 1 == item + length)
                return refuse_form(row, item, length, e);
            word = (size_t)(equals - item);
        }
        if (!check_word(row, item, word, e))
            return false;
        if (row->kind == OPTION_PLACES &&
            (read_digits(item + word + 1, &count) != item + length || count == 0))
            return err_option(e, row->named.name, "'%.*s' does not say a whole number from 1",
                              (int)length, item);
        /* If a name came twice, only the last would count. */
        for (const char *other = value; row->kind == OPTION_PLACES && other < item;
             other += strcspn(other, ",") + 1) {
            if (strncmp(other, item, word + 1) == 0)
                return err_option(e, row->named.name, "'%s' says %.*s twice", value, (int)word,
                                  item);
        }
        if (!text_list_add(field_of(o, row), item, length, e))
            return false;
        item += length;
        if (*item == '\0')
            return true;
    }
}

static bool give_key(options *o, const option_row *row, const char *value, err *e)
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

static bool may_take(const option_row *row, const char *value)
{
    /* Settings without words judge their values themselves: numbers or truths. */
    if (row->choices == NULL)
        return named_find(&TRUTH_WORDS, value, strlen(value)) != NULL ||
               value[strspn(value, "0123456789.,+-eE")] == '\0';
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
    for (size_t i = 0; i < OPTIONS.count; i++) {
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

static bool set_option(options *o, const option_row *row, const char *value, err *e)
{
    if (value != NULL && value[0] == '\0')
        return err_option(e, row->named.name, "the value is empty, %s is wanted", row->metavar);
    if (row->has != 0)
        *(bool *)((char *)o + row->has) = true;
    if (value == NULL && row->key != NULL)
        return give_key(o, row, "true", e);
    if (value == NULL && row->kind != OPTION_FLAG)
        return true;
    switch (row->kind) {
    case OPTION_FLAG:
        return *(bool *)field_of(o, row) = true;
    case OPTION_WORD:
    case OPTION_FILE:
        *(const char **)field_of(o, row) = value;
        return check_word(row, value, strlen(value), e);
    case OPTION_COUNT:
    case OPTION_COUNT_64:
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
        return text_list_index(field_of(o, row), e) && add_items(o, row, value, e);
    case OPTION_FILES:
    case OPTION_PAIR:
    case OPTION_PLACES:
        return add_items(o, row, value, e);
    default:
        return give_key(o, row, value, e);
    }
}

/* ---- the elements of the line ---- */

/* A long option that has no letter is known to getopt by this plus its row. */
enum { FIRST_LONG = 256 };

typedef struct parser {
    options *o;
    unsigned groups;
    const char *command;
    const option_row *bare; /* the option just before, when it came without its optional value */
    err *e;
} parser;

static bool add_operand(parser *p, const char *operand)
{
    p->o->operand[p->o->operands++] = operand;
    if (operand[0] != '\0')
        return true;
    err_set(p->e, "operand %zu is empty, a name is wanted", p->o->operands);
    return err_remedy(p->e, "a variable of the shell may not be set");
}

static bool err_usage(err *e)
{
    return err_remedy(e, "Try 'selfattn --help'.");
}

/* The option that was probably meant by `name`: a letter, a longer name, or a near one. Other
 * programs' names go before longer names: key is k, not key-tokens. */
static const option_row *nearest_option(const char *name, size_t length)
{
    if (length == 0)
        return NULL;
    if (length == 1 && option_by_letter(name[0]) != NULL)
        return option_by_letter(name[0]);
    if (other_words_option(name, length) != NULL)
        return other_words_option(name, length);
    const named *called = named_by_synonym(&OPTIONS, name, length);
    for (size_t i = 0; i < OPTIONS.count && called == NULL; i++) {
        if (length > 1 && strncmp(option_row_at(i)->named.name, name, length) == 0)
            return option_row_at(i);
    }
    const named *near = called != NULL ? called : named_nearest(&OPTIONS, name, length);
    return near == NULL ? NULL : option_by_name(near->name, strlen(near->name));
}

static bool refuse_unknown(parser *p, const char *dashes, const char *no, const char *name,
                           size_t length)
{
    int shown = (int)utf8_cut(name, length, 200);
    const option_row *near = nearest_option(name, length);
    if (no[0] == '\0' && other_words_trace(name, length, p->e))
        return err_set(p->e, "unknown option '%s%.*s'", dashes, shown, name);
    if (near == NULL || (no[0] != '\0' && near->key == NULL))
        err_set(p->e, "unknown option '%s%s%.*s'", dashes, no, shown, name);
    else if (length == 1 && near->letter == name[0])
        err_set(p->e, "unknown option '%s%s%.*s'; did you mean -%c?", dashes, no, shown, name,
                near->letter);
    else
        err_set(p->e, "unknown option '%s%s%.*s'; did you mean --%s%s?", dashes, no, shown, name,
                no, near->named.name);
    return err_usage(p->e);
}

static bool refuse_here(parser *p, const option_row *row)
{
    text takers = {0};
    for (size_t i = 0; i < COMMANDS.count; i++) {
        const command *one = (const command *)(const void *)named_row(&COMMANDS, i);
        if (option_heading(row, one->groups) != 0)
            text_add_format(&takers, "%s%s", takers.length > 0 ? ", " : "", one->named.name);
    }
    err_set(p->e, "%s takes no --%s", p->command, row->named.name);
    err_remedy(p->e, "it is an option of: %s", text_string(&takers));
    text_free(&takers);
    return false;
}

/* Handles an option that getopt does not know, or knows only by an abbreviation. `letter` is 0 for
 * a long option. */
static bool take_unknown(parser *p, const char *element, char letter)
{
    if (p->groups & GROUP_ANY_WORD) {
        /* getopt tells each unknown letter of "-heads"; together they are one word. */
        if (p->o->operands == 0 || p->o->operand[p->o->operands - 1] != element)
            add_operand(p, element); /* which is not empty */
        return true;
    }
    bool is_long = letter == '\0';
    const char *name = element + (is_long ? 2 : 1), *wanted = name + strlen("no-");
    size_t length = strcspn(name, "=");
    const option_row *row = is_long ? option_by_name(name, length) : option_by_letter(letter);
    if (row != NULL)
        return refuse_here(p, row);
    if (is_long && length > strlen("no-") && strncmp(name, "no-", strlen("no-")) == 0) {
        /* --no-KEY, where KEY is written as the option or as the document writes it. */
        size_t rest = length - strlen("no-");
        row = option_by_name(wanted, rest);
        if (row == NULL || row->key == NULL)
            row = option_by_key(wanted, rest);
        if (row == NULL)
            return refuse_unknown(p, "--", "no-", wanted, rest);
        if (option_heading(row, p->groups) == 0)
            return refuse_here(p, row);
        if (name[length] == '=')
            return err_option(p->e, row->named.name, "removing it with --no-%.*s takes no value",
                              (int)rest, wanted);
        return give_key(p->o, row, NULL, p->e);
    }
    if (is_long)
        return refuse_unknown(p, "--", "", name, length);
    /* `-heads` is a common slip for `--heads`. */
    if (option_by_name(name, length) != NULL)
        return refuse_unknown(p, "-", "", name, length);
    err_set(p->e, "unknown option '-%c'", letter);
    return err_usage(p->e);
}

/* What getopt is told: the options of the command's groups. Others are unknown to it, and looked up
 * when they are met. */
static struct option *long_options(unsigned groups, char *letters, err *e)
{
    struct option *known = mem_alloc_zeroed(OPTIONS.count + 1, sizeof known[0], e);
    if (known == NULL)
        return NULL;
    size_t count = 0;
    *letters++ = '-'; /* operands in their place, argv left in its order */
    *letters++ = ':'; /* a missing value is told from an unknown option; nothing is printed */
    for (size_t i = 0; i < OPTIONS.count; i++) {
        const option_row *row = option_row_at(i);
        if (option_heading(row, groups) == 0)
            continue;
        int has_argument = row->kind == OPTION_FLAG ? no_argument
                           : row->value_is_optional ? optional_argument
                                                    : required_argument;
        known[count++] = (struct option){row->named.name, has_argument, NULL, FIRST_LONG + (int)i};
        if (row->letter != '\0') {
            *letters++ = row->letter;
            if (has_argument == required_argument)
                *letters++ = ':';
        }
    }
    *letters = '\0';
    return known;
}

/* One answer of getopt_long about `element`. */
static bool take(parser *p, int code, char *element, const char *next)
{
    const option_row *bare = p->bare;
    p->bare = NULL;
    if (code == 1) {
        /* An operand right after an option that takes its value after = only: where it is not a
         * file but would be such a value, it was meant as one. */
        if (bare != NULL && may_take(bare, optarg) && access(optarg, F_OK) != 0) {
            err_set(p->e, "'%s' is not a file, and --%s takes a value only after =", optarg,
                    bare->named.name);
            return err_remedy(p->e, "did you mean --%s=%s?", bare->named.name, optarg);
        }
        return add_operand(p, optarg);
    }
    bool is_long = strncmp(element, "--", 2) == 0;
    int about = code == ':' || code == '?' ? optopt : code;
    const option_row *row = about >= FIRST_LONG ? option_row_at((size_t)(about - FIRST_LONG))
                            : code != '?'       ? option_by_letter((char)about)
                                                : NULL;
    if (row == NULL || (is_long && strcspn(element + 2, "=") != strlen(row->named.name)))
        return take_unknown(p, element, is_long ? '\0' : (char)optopt);
    if (code == ':' && row->alone != NULL)
        return set_option(p->o, row, row->alone, p->e);
    /* A value too many is '?' for one C library and ':' for another. */
    if (code == '?' || (code == ':' && row->metavar == NULL)) {
        err_option(p->e, row->named.name, "it takes no value, found '%s'",
                   strchr(element, '=') + 1);
        return err_usage(p->e);
    }
    if (code == ':') {
        err_option(p->e, row->named.name, "its %s is missing", row->metavar);
        return err_usage(p->e);
    }
    const char *value = optarg;
    bool is_next_element = value != NULL && value == next;
    /* If the value is optional and the next word looks like an option, it is not the value. */
    if (is_next_element && row->alone != NULL && value[0] == '-' && value[1] != '\0') {
        optind--; /* getopt took it as the value: it must come again */
        return set_option(p->o, row, row->alone, p->e);
    }
    if (is_next_element && strncmp(value, "--", 2) == 0 &&
        option_by_name(value + 2, strcspn(value + 2, "=")) != NULL) {
        /* `--output --trace` is a forgotten value, not a file called --trace. */
        err_option(p->e, row->named.name, "its %s is missing: the option %s follows", row->metavar,
                   value);
        return err_remedy(p->e, "write --%s=%s if that is what you mean", row->named.name, value);
    }
    /* "--mask causal": the value is an option. */
    if (row->kind == OPTION_KEY_FILE && value != NULL &&
        option_by_name(value, strlen(value)) != NULL && access(value, F_OK) != 0) {
        err_option(p->e, row->named.name, "'%s' is not a file", value);
        return err_remedy(p->e, "did you mean --%s?", value);
    }
    if (value == NULL && row->value_is_optional)
        p->bare = row;
    option_row any = *row;
    any.choices = NULL;
    return set_option(p->o, row->any_in & p->groups ? &any : row, value, p->e);
}

bool options_parse(options *o, int argc, char **argv, unsigned groups, const char *name, err *e)
{
    char letters[2 + 2 * 128]; /* each letter once, with its colon */
    parser p = {.o = o, .groups = groups, .command = name, .e = e};
    *o = (options){.argc = argc, .argv = argv};
    o->operand = mem_alloc((size_t)argc + 1, sizeof o->operand[0], e);
    if (o->operand == NULL)
        return false;
    struct option *known = long_options(groups, letters, e);
    bool done = known != NULL;
    optind = 0; /* starts anew, also within glibc's own state */
    opterr = 0;
    while (done) {
        int at = optind == 0 ? 1 : optind;
        int code = getopt_long(argc, argv, letters, known, NULL);
        /* musl's ends at "-", which is an operand like others. */
        if (code == -1 && at < argc && strcmp(argv[at], "-") == 0)
            done = add_operand(&p, argv[optind++]);
        else if (code == -1)
            break;
        else
            done = take(&p, code, argv[at], at + 1 < argc ? argv[at + 1] : NULL);
    }
    while (done && optind < argc)
        done = add_operand(&p, argv[optind++]);
    mem_free(known);
    /* A model is a bundle that says more. */
    if (done && o->model != NULL && o->bundle != NULL)
        return err_option(e, "model", "it names a bundle, and so does --bundle");
    if (done && o->model != NULL)
        o->bundle = o->model;
    return done;
}

void options_free(options *o)
{
    mem_free(o->operand);
    mem_free(o->given);
    bundle_free(&o->tols);
    for (size_t i = 0; i < OPTIONS.count; i++) {
        const option_row *row = option_row_at(i);
        if (option_list(o, row) != NULL)
            text_list_free(field_of(o, row));
    }
    *o = (options){0};
}

int option_digits(const options *o)
{
    return o->has_digits ? (int)o->digits : -1;
}

/* ---- keys that the command line gives ---- */

const char *given_key_file(const given_key *one)
{
    bool is_list = one->row->kind == OPTION_KEY_LIST;
    bool is_file = one->row->kind == OPTION_KEY_FILE || is_list;
    if (one->value == NULL || !is_file || (is_list && one->value[0] != '@'))
        return NULL;
    if (one->row->choices != NULL && is_word_of(one->row, one->value, strlen(one->value)))
        return NULL;
    return one->value + is_list;
}

const char *input_keys_value(const options *o, const char *key_name)
{
    for (size_t i = 0; i < o->given_count; i++) {
        if (strcmp(o->given[i].row->key, key_name) == 0)
            return o->given[i].value;
    }
    return NULL;
}

bool input_keys_has_input(const options *o)
{
    static const char *const INPUTS[] = {"x", "xk", "xv", "q", "k", "v"};
    for (size_t i = 0; i < sizeof INPUTS / sizeof INPUTS[0]; i++) {
        if (input_keys_value(o, INPUTS[i]) != NULL)
            return true;
    }
    return false;
}

dtype type_of_word(const char *word, dtype otherwise)
{
    return word == NULL ? otherwise : strcmp(word, "f64") == 0 ? DTYPE_F64 : DTYPE_F32;
}

bool input_keys_decides_type(const options *o, dtype *type)
{
    const char *word = input_keys_value(o, "dtype");
    if (word != NULL)
        *type = type_of_word(word, DTYPE_F32);
    return word != NULL;
}

bool input_keys_check_type(const options *o, err *e)
{
    static const char NAME[] = "dtype";
    entry said = {.name = (char *)NAME, .kind = ENTRY_TEXT, .at = place_of_option(NAME)};
    said.text = (char *)input_keys_value(o, NAME);
    return said.text == NULL || setting_word(&said, &DTYPE_WORDS, "", e) != NULL;
}

bool input_keys_check_standard_input(const options *o, const char *const *file, size_t files,
                                     err *e)
{
    size_t times = o->bundle != NULL && strcmp(o->bundle, "-") == 0;
    for (size_t i = 0; i < files; i++)
        times += strcmp(file[i], "-") == 0;
    for (size_t i = 0; i < o->given_count; i++) {
        const char *one = given_key_file(&o->given[i]);
        times += one != NULL && strcmp(one, "-") == 0;
    }
    return times <= 1 ||
           err_set(e, "standard input is named %zu times, it can be read once", times);
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
