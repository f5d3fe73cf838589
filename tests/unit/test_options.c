/* The command line as a user types it, and what the parser makes of it. Nothing here is computed:
 * every expectation is what DESIGN.md, "The command line", says. */
#include "unit.h"

#include "cli/command.h"
#include "cli/line/options_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 16, MOST_LINE = 256 };

/* A command line cut at its spaces, and what came of it. */
typedef struct parsed {
    char line[MOST_LINE];
    char *argv[MOST_WORDS + 1];
    options o;
    err e;
    bool ok;
} parsed;

static void parse_for(parsed *p, const char *command_name, const char *line)
{
    const named *found = named_find(&COMMANDS, command_name, strlen(command_name));
    int argc = 0;
    memset(p, 0, sizeof *p);
    snprintf(p->line, sizeof p->line, "selfattn %s", line);
    for (char *word = strtok(p->line, " "); word != NULL && argc < MOST_WORDS;
         word = strtok(NULL, " "))
        p->argv[argc++] = word;
    p->ok = options_parse(&p->o, argc, p->argv, ((const command *)(const void *)found)->groups,
                          command_name, &p->e);
}

static void check_refused(unit *u, const char *command_name, const char *line, const char *where,
                          const char *what, const char *remedy)
{
    parsed p;
    parse_for(&p, command_name, line);
    CHECK(u, !p.ok);
    CHECK_TEXT(u, p.e.where, where);
    CHECK_TEXT(u, p.e.what, what);
    CHECK_TEXT(u, p.e.remedy, remedy);
    options_free(&p.o);
}

static const char *given(const options *o, const char *key_name)
{
    for (size_t i = 0; i < o->given_count; i++) {
        if (strcmp(o->given[i].row->key, key_name) == 0)
            return o->given[i].value;
    }
    return "(not given)";
}

static void test_any_order(unit *u)
{
    parsed p;
    parse_for(&p, "run", "a.json --heads 2 -o out.csv b.json --full --wq=w.csv:0 - -- --heads");
    CHECK(u, p.ok);
    CHECK(u, p.o.operands == 4);
    CHECK_TEXT(u, p.o.operand[0], "a.json");
    CHECK_TEXT(u, p.o.operand[1], "b.json");
    CHECK_TEXT(u, p.o.operand[2], "-");
    CHECK_TEXT(u, p.o.operand[3], "--heads");
    CHECK_TEXT(u, given(&p.o, "heads"), "2");
    CHECK_TEXT(u, given(&p.o, "wq"), "w.csv:0");
    CHECK_TEXT(u, p.o.output, "out.csv");
    CHECK(u, p.o.full && !p.o.trace);
    options_free(&p.o);
}

static void test_scalars(unit *u)
{
    parsed p;
    parse_for(&p, "run",
              "--threads 3 --digits=0 --max-memory 2G --delimiter tab --isa auto --force");
    CHECK(u, p.ok);
    CHECK(u, p.o.has_threads && p.o.threads == 3);
    CHECK(u, p.o.has_digits && p.o.digits == 0);
    CHECK(u, p.o.has_max_memory && p.o.max_memory == (size_t)2147483648u);
    CHECK_TEXT(u, p.o.delimiter, "\t");
    CHECK_TEXT(u, p.o.isa, "auto");
    CHECK(u, p.o.force && !p.o.quiet);
    options_free(&p.o);
    parse_for(&p, "diff", "--tol 1e-6 a b");
    CHECK(u, p.ok && p.o.has_tol && p.o.tol == 1e-6);
    options_free(&p.o);
}

static void test_sizes(unit *u)
{
    static const struct {
        const char *line;
        size_t bytes;
    } CASES[] = {{"--max-memory 0", 0},
                 {"--max-memory 500K", 512000},
                 {"--max-memory 64M", 67108864},
                 {"--max-memory 1T", (size_t)1 << 40},
                 {"--max-memory 4096", 4096}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        parsed p;
        parse_for(&p, "run", CASES[i].line);
        CHECK(u, p.ok && p.o.max_memory == CASES[i].bytes);
        options_free(&p.o);
    }
}

static void test_last_wins_and_lists_add_up(unit *u)
{
    parsed p;
    parse_for(&p, "run", "--heads 2 --output a --heads 4 -o b --emit q,k --emit weights --scale 1");
    CHECK(u, p.ok);
    CHECK_TEXT(u, given(&p.o, "heads"), "4");
    CHECK(u, p.o.given_count == 2);
    CHECK_TEXT(u, p.o.output, "b");
    CHECK(u, p.o.emit.count == 3);
    CHECK_TEXT(u, p.o.emit.item[1], "k");
    CHECK_TEXT(u, p.o.emit.item[2], "weights");
    options_free(&p.o);
}

static void test_values_like_options(unit *u)
{
    parsed p;
    parse_for(&p, "run", "--scale -2 --offset=-1 --input -");
    CHECK(u, p.ok);
    CHECK_TEXT(u, given(&p.o, "scale"), "-2");
    CHECK_TEXT(u, given(&p.o, "offset"), "-1");
    CHECK_TEXT(u, given(&p.o, "x"), "-");
    options_free(&p.o);
    parse_for(&p, "run", "--output=--trace");
    CHECK(u, p.ok && !p.o.trace);
    CHECK_TEXT(u, p.o.output, "--trace");
    options_free(&p.o);
    check_refused(u, "run", "--output --trace", "--output",
                  "its FILE is missing: the option --trace follows",
                  "write --output=--trace if that is what you mean");
    parse_for(&p, "generate", "--stop -- --output --nothing");
    CHECK(u, p.ok && p.o.operands == 0);
    CHECK_TEXT(u, p.o.stop, "--");
    CHECK_TEXT(u, p.o.output, "--nothing");
    options_free(&p.o);
}

static void test_optional_values(unit *u)
{
    parsed p;
    parse_for(&p, "run", "--trace --causal a.json");
    CHECK(u, p.ok && p.o.trace && p.o.steps.count == 0 && p.o.operands == 1);
    CHECK_TEXT(u, given(&p.o, "causal"), "true");
    options_free(&p.o);
    parse_for(&p, "run", "--trace=softmax,row_max --causal=lower-right");
    CHECK(u, p.ok && p.o.trace && p.o.steps.count == 2);
    CHECK_TEXT(u, p.o.steps.item[1], "row_max");
    CHECK_TEXT(u, given(&p.o, "causal"), "lower-right");
    options_free(&p.o);
    parse_for(&p, "run", "--trace-output t.txt");
    CHECK(u, p.ok && p.o.trace);
    options_free(&p.o);
}

/* An operand that was meant as a value: only right after the option, and only where no file has
 * its name. */
static void test_operand_meant_as_value(unit *u)
{
    parsed p;
    check_refused(u, "run", "--trace softmax", "",
                  "'softmax' is not a file, and --trace takes a value only after =",
                  "did you mean --trace=softmax?");
    check_refused(u, "run", "--trace scores,softmax", "",
                  "'scores,softmax' is not a file, and --trace takes a value only after =",
                  "did you mean --trace=scores,softmax?");
    check_refused(u, "run", "--causal lower-right a.json", "",
                  "'lower-right' is not a file, and --causal takes a value only after =",
                  "did you mean --causal=lower-right?");
    parse_for(&p, "run", "--trace a.json softmax");
    CHECK(u, p.ok && p.o.operands == 2);
    options_free(&p.o);
    parse_for(&p, "run", "--trace=scores softmax");
    CHECK(u, p.ok && p.o.operands == 1);
    options_free(&p.o);
    check_refused(u, "run", "--alibi 1,0.5", "",
                  "'1,0.5' is not a file, and --alibi takes a value only after =",
                  "did you mean --alibi=1,0.5?");
    check_refused(u, "run", "--alibi false", "",
                  "'false' is not a file, and --alibi takes a value only after =",
                  "did you mean --alibi=false?");
    parse_for(&p, "run", "--alibi slopes.json");
    CHECK(u, p.ok && p.o.operands == 1);
    options_free(&p.o);
}

static void test_existing_file_is_an_operand(unit *u)
{
    char folder[] = "/tmp/selfattn-options-XXXXXX", here[4096];
    if (mkdtemp(folder) == NULL || getcwd(here, sizeof here) == NULL || chdir(folder) != 0) {
        unit_skip(u, "no folder can be made in /tmp");
        return;
    }
    FILE *file = fopen("softmax", "w");
    CHECK(u, file != NULL && fclose(file) == 0);
    parsed p;
    parse_for(&p, "run", "--trace softmax");
    CHECK(u, p.ok && p.o.trace && p.o.operands == 1);
    options_free(&p.o);
    CHECK(u, remove("softmax") == 0 && chdir(here) == 0 && rmdir(folder) == 0);
}

static void test_removed_keys(unit *u)
{
    parsed p;
    parse_for(&p, "run",
              "--heads 3 --no-heads --no-kv-heads --no-mask_true --no-input --no-xk --causal");
    CHECK(u, p.ok && p.o.given_count == 6);
    CHECK(u, given(&p.o, "heads") == NULL);
    CHECK(u, given(&p.o, "kv_heads") == NULL);
    CHECK(u, given(&p.o, "mask_true") == NULL);
    CHECK(u, given(&p.o, "x") == NULL);
    CHECK(u, given(&p.o, "xk") == NULL);
    options_free(&p.o);
    parse_for(&p, "run", "--no-x --input a.csv");
    CHECK(u, p.ok);
    CHECK_TEXT(u, given(&p.o, "x"), "a.csv");
    options_free(&p.o);
    check_refused(u, "run", "--no-heads=2", "--heads", "removing it with --no-heads takes no value",
                  "");
    check_refused(u, "run", "--no-heds", "", "unknown option '--no-heds'; did you mean --no-heads?",
                  "Try 'selfattn --help'.");
    check_refused(u, "run", "--no-full", "", "unknown option '--no-full'",
                  "Try 'selfattn --help'.");
    check_refused(u, "check", "--no-wq", "", "check takes no --wq",
                  "it is an option of: run, port, encode, decode, generate, train");
}

static void test_unknown_options(unit *u)
{
    static const char TRY[] = "Try 'selfattn --help'.";
    check_refused(u, "run", "--cusal", "", "unknown option '--cusal'; did you mean --causal?", TRY);
    check_refused(u, "run", "--caus", "", "unknown option '--caus'; did you mean --causal?", TRY);
    check_refused(u, "run", "--caus=none", "", "unknown option '--caus'; did you mean --causal?",
                  TRY);
    check_refused(u, "run", "--trace-f text", "",
                  "unknown option '--trace-f'; did you mean --trace-format?", TRY);
    check_refused(u, "run", "--head 2", "", "unknown option '--head'; did you mean --heads?", TRY);
    check_refused(u, "run", "--x a", "", "unknown option '--x'; did you mean -x?", TRY);
    check_refused(u, "run", "--positively-nothing", "", "unknown option '--positively-nothing'",
                  TRY);
    check_refused(u, "run", "-heads 2", "", "unknown option '-heads'; did you mean --heads?", TRY);
    check_refused(u, "run", "-z", "", "unknown option '-z'", TRY);
    check_refused(u, "run", "--=3", "", "unknown option '--'", TRY);
    check_refused(u, "check", "--emit weights a.json", "", "check takes no --emit",
                  "it is an option of: run, encode, decode, generate");
    check_refused(u, "diff", "-x a", "", "diff takes no --input",
                  "it is an option of: run, port, encode, decode, generate, train");
}

static void test_missing_and_unwanted_values(unit *u)
{
    static const char TRY[] = "Try 'selfattn --help'.";
    check_refused(u, "run", "a.json --heads", "--heads", "its N is missing", TRY);
    check_refused(u, "run", "-x", "--input", "its FILE is missing", TRY);
    check_refused(u, "run", "--full=yes", "--full", "it takes no value, found 'yes'", TRY);
    check_refused(u, "run", "--output=", "--output", "the value is empty, FILE is wanted", "");
    check_refused(u, "run", "--trace=", "--trace", "the value is empty, STEP,... is wanted", "");
}

static void test_wrong_values(unit *u)
{
    static const char SIZES[] = "write bytes, or a whole number of K, M, G or T: 500K, 64M, 2G";
    check_refused(u, "run", "--threads 0", "--threads", "'0' is not a whole number from 1 to 256",
                  "");
    check_refused(u, "run", "--threads 2x", "--threads", "'2x' is not a whole number from 1 to 256",
                  "");
    check_refused(u, "run", "--threads -1", "--threads", "'-1' is not a whole number from 1 to 256",
                  "");
    check_refused(u, "run", "--threads 99999999999999999999", "--threads",
                  "'99999999999999999999' is not a whole number from 1 to 256", "");
    check_refused(u, "run", "--digits 41", "--digits", "'41' is not a whole number from 0 to 40",
                  "");
    check_refused(u, "run", "--max-memory 5X", "--max-memory", "'5X' is not a size", SIZES);
    check_refused(u, "run", "--max-memory 5GB", "--max-memory", "'5GB' is not a size", SIZES);
    check_refused(u, "run", "--max-memory 99999999T", "--max-memory", "'99999999T' is not a size",
                  SIZES);
    check_refused(u, "diff", "--tol -1 a b", "--tol", "'-1' is not a number from 0", "");
    check_refused(u, "diff", "--tol 1e999 a b", "--tol", "'1e999' is not a number from 0", "");
    check_refused(u, "diff", "--tol 0x1 a b", "--tol", "'0x1' is not a number from 0", "");
    check_refused(u, "run", "--delimiter ab", "--delimiter",
                  "'ab' can't separate cells: one character that no number has is wanted", "");
    check_refused(u, "run", "--delimiter 0", "--delimiter",
                  "'0' can't separate cells: one character that no number has is wanted", "");
}

static void test_wrong_words(unit *u)
{
    static const char STAGES_ARE[] = "selfattn help stages lists them";
    check_refused(u, "run", "--color alway", "--color",
                  "unknown colour word 'alway'; did you mean always?",
                  "it is auto, always or never");
    check_refused(u, "run", "--emit weigths", "--emit",
                  "unknown stage 'weigths'; did you mean weights?", STAGES_ARE);
    check_refused(u, "run", "--emit weights,,q", "--emit", "an item of 'weights,,q' is empty", "");
    check_refused(u, "run", "--emit weights,", "--emit", "an item of 'weights,' is empty", "");
    check_refused(u, "run", "--trace=sotfmax", "--trace",
                  "unknown step 'sotfmax'; did you mean softmax?",
                  "selfattn help steps lists them");
    check_refused(u, "run", "--trace=row_mx", "--trace",
                  "unknown step 'row_mx'; did you mean row_max?", "selfattn help steps lists them");
    check_refused(u, "run", "--write out=f", "--write", "unknown stage 'out'; did you mean output?",
                  STAGES_ARE);
    check_refused(u, "run", "--write weights", "--write", "'weights' is not of the form STAGE=FILE",
                  "");
    check_refused(u, "run", "--map =x", "--map", "'=x' is not of the form NAME=KEY", "");
    check_refused(u, "run", "--focus rwo=1", "--focus", "unknown focus 'rwo'; did you mean row?",
                  "it is row, head or batch");
    check_refused(u, "run", "--focus row=1,head=0", "--focus",
                  "'head=0' does not say a whole number from 1", "");
    check_refused(u, "run", "--focus row=x", "--focus",
                  "'row=x' does not say a whole number from 1", "");
}

static void test_pairs(unit *u)
{
    parsed p;
    parse_for(&p, "run", "--write weights=a,b.csv --write q=c=d --focus row=2,head=1 --map a.b=wq");
    CHECK(u, p.ok && p.o.write.count == 2 && p.o.focus.count == 2 && p.o.map.count == 1);
    CHECK_TEXT(u, p.o.write.item[0], "weights=a,b.csv");
    CHECK_TEXT(u, p.o.write.item[1], "q=c=d");
    CHECK_TEXT(u, p.o.focus.item[1], "head=1");
    options_free(&p.o);
}

/* `help --causal` asks about the option; help's own options stay options. */
static void test_help_takes_options_as_words(unit *u)
{
    parsed p;
    parse_for(&p, "help", "--causal -x --no-heads --nothing --quiet --completion bash");
    CHECK(u, p.ok && p.o.quiet && p.o.operands == 4);
    CHECK_TEXT(u, p.o.operand[0], "--causal");
    CHECK_TEXT(u, p.o.operand[1], "-x");
    CHECK_TEXT(u, p.o.completion, "bash");
    options_free(&p.o);
    /* each letter is an unknown option, and together they are one word */
    parse_for(&p, "help", "-abcdefgijklmnpqrstuwyz");
    CHECK(u, p.ok && p.o.operands == 1);
    CHECK_TEXT(u, p.o.operand[0], "-abcdefgijklmnpqrstuwyz");
    options_free(&p.o);
}

/* As a shell takes them; a backslash that ends the line escapes nothing. */
static void test_words_of_a_shell(unit *u)
{
    static const char LINE[] = "plain 'two words' it\\'s a\\ b end\\";
    static const char *const WORDS[] = {"plain", "two words", "it's", "a b", "end\\"};
    text_list words = {0};
    text line = {0};
    err e = {0};
    CHECK(u, shell_words_read(&words, LINE, &e) && words.count == 5);
    for (size_t i = 0; i < words.count; i++) {
        CHECK_TEXT(u, words.item[i], WORDS[i]);
        text_add_string(&line, i == 0 ? "" : " ");
        shell_word_add(&line, WORDS[i]);
    }
    CHECK_TEXT(u, text_string(&line), "plain 'two words' 'it'\\''s' 'a b' 'end\\'");
    text_list_free(&words);
    CHECK(u, shell_words_read(&words, text_string(&line), &e) && words.count == 5);
    for (size_t i = 0; i < words.count; i++)
        CHECK_TEXT(u, words.item[i], WORDS[i]);
    text_list_free(&words);
    text_free(&line);
}

UNIT(options)
{
    test_words_of_a_shell(u);
    test_any_order(u);
    test_scalars(u);
    test_sizes(u);
    test_last_wins_and_lists_add_up(u);
    test_values_like_options(u);
    test_optional_values(u);
    test_operand_meant_as_value(u);
    test_existing_file_is_an_operand(u);
    test_removed_keys(u);
    test_unknown_options(u);
    test_missing_and_unwanted_values(u);
    test_wrong_values(u);
    test_wrong_words(u);
    test_pairs(u);
    test_help_takes_options_as_words(u);
}
