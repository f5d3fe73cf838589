#include "cli/line/options.h"

#include "attn/spec/setting.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/command.h"

#include <string.h>
#include <unistd.h>

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

/* The option that somebody who typed `name` may have meant: a letter, a longer name, or a near
 * one. What others call an option goes before longer names: key is k, not key-tokens. */
static const option_row *nearest_option(const char *name, size_t length)
{
    if (length == 0)
        return NULL;
    if (length == 1 && option_by_letter(name[0]) != NULL)
        return option_by_letter(name[0]);
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

/* What is no option of the command: `letter` of the element, or 0 where it is a long one. */
static bool take_unknown(parser *p, const char *element, char letter)
{
    if (p->groups & GROUP_ANY_WORD) {
        /* Each unknown letter of "-heads" comes here; together they are one word. */
        bool is_added = p->o->operands > 0 && p->o->operand[p->o->operands - 1] == element;
        return is_added || add_operand(p, element);
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
        return option_give_key(p->o, row, NULL, p->e);
    }
    if (is_long)
        return refuse_unknown(p, "--", "", name, length);
    /* `-heads` is a common slip for `--heads`. */
    if (option_by_name(name, length) != NULL)
        return refuse_unknown(p, "-", "", name, length);
    err_set(p->e, "unknown option '-%c'", letter);
    return err_usage(p->e);
}

/* `attached`: what stands after =, or after the letter, or NULL; *takes_next: whether the next
 * element, NULL after the last one, is the option's value. */
static bool take_option(parser *p, const option_row *row, const char *attached, const char *next,
                        bool *takes_next)
{
    const char *name = row->named.name, *value = attached;
    bool is_flag = row->kind == OPTION_FLAG;
    if (is_flag && attached != NULL) {
        err_option(p->e, name, "it takes no value, found '%s'", attached);
        return err_usage(p->e);
    }
    if (!is_flag && !row->value_is_optional && attached == NULL) {
        /* One that can do without a value takes none that looks like an option. */
        if (row->alone != NULL && (next == NULL || (next[0] == '-' && next[1] != '\0'))) {
            value = row->alone;
        } else if (next == NULL) {
            err_option(p->e, name, "its %s is missing", row->metavar);
            return err_usage(p->e);
        } else {
            value = next;
            *takes_next = true;
        }
    }
    if (*takes_next && strncmp(value, "--", 2) == 0 && value[2] != '\0' &&
        option_by_name(value + 2, strcspn(value + 2, "=")) != NULL) {
        /* `--output --trace` is a forgotten value, not a file called --trace. */
        err_option(p->e, name, "its %s is missing: the option %s follows", row->metavar, value);
        return err_remedy(p->e, "write --%s=%s if that is what you mean", name, value);
    }
    if (value == NULL && row->value_is_optional)
        p->bare = row;
    option_row any = *row;
    any.choices = NULL;
    return option_set(p->o, row->any_in & p->groups ? &any : row, value, p->e);
}

/* "-h", "-o FILE", "-oFILE". */
static bool take_letters(parser *p, const char *element, const char *next, bool *takes_next)
{
    for (const char *letter = element + 1; *letter != '\0'; letter++) {
        const option_row *row = option_by_letter(*letter);
        bool is_known = row != NULL && option_heading(row, p->groups) != 0;
        bool is_flag = is_known && row->kind == OPTION_FLAG;
        const char *attached = is_flag || letter[1] == '\0' ? NULL : letter + 1;
        if (!(is_known ? take_option(p, row, attached, next, takes_next)
                       : take_unknown(p, element, *letter)))
            return false;
        if (is_known && !is_flag)
            return true;
    }
    return true;
}

bool options_parse(options *o, int argc, char **argv, unsigned groups, const char *name, err *e)
{
    parser p = {.o = o, .groups = groups, .command = name, .e = e};
    *o = (options){.argc = argc, .argv = argv};
    o->operand = mem_alloc((size_t)argc + 1, sizeof o->operand[0], e);
    bool done = o->operand != NULL, are_over = false;
    for (int i = 1; i < argc && done; i++) {
        const char *element = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        const option_row *bare = p.bare;
        bool takes_next = false;
        p.bare = NULL;
        if (are_over) {
            done = add_operand(&p, element);
        } else if (strcmp(element, "--") == 0) {
            are_over = true;
        } else if (strncmp(element, "--", 2) == 0) {
            size_t length = strcspn(element + 2, "=");
            const char *equals = element + 2 + length;
            const option_row *row = option_by_name(element + 2, length);
            done = row != NULL && option_heading(row, groups) != 0
                       ? take_option(&p, row, *equals == '=' ? equals + 1 : NULL, next, &takes_next)
                       : take_unknown(&p, element, '\0');
        } else if (element[0] == '-' && element[1] != '\0') {
            done = take_letters(&p, element, next, &takes_next);
        } else if (bare != NULL && option_may_take(bare, element) && access(element, F_OK) != 0) {
            /* An operand right after an option that takes its value after = only: where it is not a
             * file but would be such a value, it was meant as one. */
            err_set(e, "'%s' is not a file, and --%s takes a value only after =", element,
                    bare->named.name);
            done = err_remedy(e, "did you mean --%s=%s?", bare->named.name, element);
        } else {
            done = add_operand(&p, element);
        }
        i += takes_next;
    }
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
            text_list_free(option_field(o, row));
    }
    *o = (options){0};
}

int option_digits(const options *o)
{
    return o->has_digits ? (int)o->digits : -1;
}

/* ---- keys that the command line gives ---- */

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

bool input_keys_decides_type(const options *o, dtype *type)
{
    const char *word = input_keys_value(o, "dtype");
    if (word != NULL)
        *type = strcmp(word, "f64") == 0 ? DTYPE_F64 : DTYPE_F32;
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
        const given_key *one = &o->given[i];
        const char *standard_input = one->row->kind == OPTION_KEY_FILE   ? "-"
                                     : one->row->kind == OPTION_KEY_LIST ? "@-"
                                                                         : NULL;
        times +=
            standard_input != NULL && one->value != NULL && strcmp(one->value, standard_input) == 0;
    }
    return times <= 1 ||
           err_set(e, "standard input is named %zu times, it can be read once", times);
}
