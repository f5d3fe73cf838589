/* Any lines as the arguments of a command: parsing touches no file, and what it accepts is put into
 * a document where no file is needed for it. */
#include "attn/spec/keys.h"
#include "attn/spec/problem.h"
#include "cli/command.h"
#include "cli/in/cli_inputs.h"
#include "fuzz/claims.h"

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
    claim(done, "what needs no file is in the document");
    done = problem_read(&asked, &document, &e);
    claim_error_fits(done, &e);
    problem_free(&asked);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    for (size_t i = 0; i < COMMANDS.count; i++) {
        arguments a = split(data, length);
        check_command((const command *)(const void *)named_row(&COMMANDS, i), &a);
        free(a.bytes);
    }
    return 0;
}
