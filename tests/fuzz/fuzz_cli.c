/* Any lines as the arguments of a command: parsing touches no file, and what it accepts is put into
 * a document where no file is needed for it. */
#include "attn/spec/keys.h"

#include "attn/spec/problem.h"
#include "cli/command.h"
#include "cli/in/cli_inputs.h"
#include "cli/line/options_parse.h"
#include "fuzz/claims.h"
#include "fuzz/grown.h"

enum { MAX_ARGUMENTS = 64 };

typedef struct arguments {
    char *bytes;
    int count;
    char *at[MAX_ARGUMENTS + 1];
} arguments;

/* An argument a line; the first names the command, or is another one's first argument. */
static arguments split(const uint8_t *data, size_t length)
{
    static char program[] = "selfattn";
    arguments a = {.bytes = malloc(length + 1), .count = 1, .at = {program}};
    claim(a.bytes != NULL, "there is memory");
    memcpy(a.bytes, data, length);
    a.bytes[length] = '\0';
    char *end = a.bytes + length;
    for (char *line = a.bytes; line < end && a.count < MAX_ARGUMENTS;) {
        a.at[a.count++] = line;
        line += strcspn(line, "\n");
        *line++ = '\0';
    }
    return a;
}

static bool is_among(const arguments *a, const char *string)
{
    for (int i = 0; i < a->count; i++) {
        if (string >= a->at[i] && string <= a->at[i] + strlen(a->at[i]))
            return true;
    }
    return false;
}

/* Operands and values are borrowed from the arguments. */
static void check_borrowed(const options *o, const arguments *a)
{
    claim(o->operands < (size_t)a->count, "an operand is an argument");
    for (size_t i = 0; i < o->operands; i++)
        claim(is_among(a, o->operand[i]), "an operand is one of the arguments");
    for (size_t i = 0; i < o->given_count; i++) {
        const given_key *one = &o->given[i];
        bool is_default = one->value != NULL && strcmp(one->value, "true") == 0;
        claim(one->value == NULL || is_default || is_among(a, one->value),
              "a key's value is one of the arguments");
        for (size_t j = 0; j < i; j++)
            claim(o->given[j].row != one->row, "a key is given once");
    }
}

static bool needs_a_file(const options *o)
{
    bool needs = o->bundle != NULL;
    for (size_t i = 0; i < o->given_count; i++) {
        const given_key *one = &o->given[i];
        needs = needs || (one->row->kind == OPTION_KEY_FILE && one->value != NULL) ||
                (one->row->kind == OPTION_KEY_LIST && one->value != NULL && one->value[0] == '@');
    }
    return needs;
}

static void check_settings(const options *o)
{
    bundle document = {0};
    weights_input weights = {0};
    cli_inputs files;
    problem asked;
    err e = {0};
    bool is_all_tables;
    if (needs_a_file(o))
        return;
    claim(cli_inputs_open(&files, o, &(env){.err = stderr}, &e), "there is memory");
    bool done = cli_inputs_apply(&files, &weights, DTYPE_F32, &document, &is_all_tables, &e);
    claim(done || strstr(e.what, "is not UTF-8") || strstr(e.what, "for the encoder of a bundle"),
          "what needs no file is in the document");
    claim_error_fits(done, &e);
    if (done) {
        done = problem_read(&asked, &document, &e);
        claim_error_fits(done, &e);
        problem_free(&asked);
    }
    bundle_free(&document);
    cli_inputs_close(&files);
}

static void check_command(const command *c, arguments *a)
{
    options o;
    err e = {0};
    bool done = options_parse(&o, a->count, a->at, c->groups, c->named.name, &e);
    claim_error_fits(done, &e);
    if (done) {
        check_borrowed(&o, a);
        check_settings(&o);
    }
    options_free(&o);
}

/* ---- inputs ---- */

/* An option with a value, or a command, becomes a line. */
static void add_line(grown *g)
{
    static const char *const VALUES[] = {"",    "0",    "1",     "-1",    "2:4",  "1,2", "wq=v=3",
                                         "0.5", "none", "1e400", "x.csv", "@all", "*",   "9K"};
    char line[128];
    const option_row *row = grown_option(g);
    const char *word = grown_word(g, grown_pick(g, 2) == 0 ? row->choices : row->also);
    const char *value = word != NULL ? word : GROWN_ONE_OF(g, VALUES);
    static const char *const FORMS[] = {"--%s=%s\n", "--%s\n%s\n", "--%s\n", "--no-%s\n"};
    snprintf(line, sizeof line, GROWN_ONE_OF(g, FORMS), row->named.name, value);
    grown_put_text(g, grown_after(g, '\n', true), line);
}

static void add_command(grown *g)
{
    grown_put_text(g, 0, "\n");
    grown_put_text(g, 0, grown_word(g, &COMMANDS));
}

static void edit(grown *g)
{
    if (grown_pick(g, 8) == 0)
        add_command(g);
    else
        add_line(g);
}

/* One command an input: the first line's, or else one that its first byte picks. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    size_t first = length == 0 ? 0 : data[0] % COMMANDS.count;
    for (size_t i = 0; i < COMMANDS.count; i++) {
        arguments a = split(data, length);
        bool is_named = a.count > 1 && strcmp(a.at[1], named_row(&COMMANDS, i)->name) == 0;
        if (does_all_of_each() || i == first || is_named)
            check_command((const command *)(const void *)named_row(&COMMANDS, i), &a);
        free(a.bytes);
    }
    return 0;
}
