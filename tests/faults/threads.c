/* Threads that can't be started: fewer do the work, and write the same bytes. */
#include "faults/faults.h"

#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* A terminal has a thread that says how far the work is; without it nothing does. */
static int on_terminal(int argc, char **argv, env *world)
{
    world->stderr_is_terminal = true;
    return cli_main(argc, argv, world);
}

/* What is said where all threads but the first `started` that are asked for fail. heads.json has
 * two heads, each of one block of rows, so one thread is asked for next to the program's own. The
 * rows of wide.csv are one block, and their product with square.csv large enough for all three. */
static const struct {
    command_line what;
    size_t started;
    const char *note;
} CASES[] = {
    {{.words = "--threads 3 heads.json"},
     0,
     "selfattn: note: heads.json: 1 of 2 threads ran, no more could be started: the result is the "
     "same\n"},
    {{.words = "--threads 3 heads.json"}, 1, ""},
    {{.words = "--threads 3 --quiet heads.json"}, 0, ""},
    {{.words = "--threads 1 heads.json", .run = on_terminal}, 0, ""},
    {{.words = "--threads 3 -x wide.csv --wq square.csv --wv square.csv"},
     0,
     "selfattn: note: 1 of 3 threads ran, no more could be started: the result is the same\n"},
    {{.words = "--threads 3 -x wide.csv --wq square.csv --wv square.csv"},
     1,
     "selfattn: note: 2 of 3 threads ran, no more could be started: the result is the same\n"},
    {{.words = "--threads 3 -x wide.csv --wq square.csv --wv square.csv"}, 2, ""},
    {{.words = "encode --threads 3 -x square.csv bare.json"},
     1,
     "selfattn: note: 2 of 3 threads ran, no more could be started: the result is the same\n"},
    {{.words = "encode --threads 3 --quiet -x square.csv bare.json"}, 1, ""},
    {{.words = "convert --threads 3 large.npy -"}, 0, ""},
    {{.words = "convert --threads 3 large.npy -"}, 1, ""},
    {{.words = "convert --threads 3 table.csv -"}, 0, ""},
    {{.words = "convert --threads 3 table.csv -"}, 1, ""},
};

static bool holds(const command_line *what, size_t started, const char *note)
{
    static const fault NONE = {.call = CALL_NONE};
    const fault rest = {CALL_THREAD, EFFECT_FAILS, EAGAIN, started + 1, .persists = true};
    outcome clean, got;
    child_run(what, &NONE, &clean);
    child_run(what, &rest, &got);
    bool is_same = got.status == clean.status && clean.out.length > 0 &&
                   strcmp(text_string(&got.out), text_string(&clean.out)) == 0;
    bool is_said = clean.err.length == 0 && strcmp(text_string(&got.err), note) == 0;
    if (!is_same || !is_said)
        printf("FAIL faults: selfattn %s, %zu threads started: %s\n  %s\n", what->words, started,
               is_same ? "says something else" : "writes something else", text_string(&got.err));
    outcome_free(&clean);
    outcome_free(&got);
    return is_same && is_said;
}

static int on_small_stack(int argc, char **argv, env *world)
{
    struct rlimit stack;
    getrlimit(RLIMIT_STACK, &stack);
    stack.rlim_cur = 512 << 10;
    setrlimit(RLIMIT_STACK, &stack);
    return cli_main(argc, argv, world);
}

/* Where the stack is small all is done on a thread's, or nothing. */
static bool needs_a_stack(void)
{
    static const command_line WHAT = {.words = "heads.json", .run = on_small_stack};
    static const fault FIRST = {CALL_THREAD, EFFECT_FAILS, EAGAIN, 1, .persists = true};
    outcome got;
    child_run(&WHAT, &FIRST, &got);
    bool is_well =
        got.status == 2 && got.out.length == 0 &&
        strcmp(text_string(&got.err),
               "selfattn: the stack is too small, and no thread can be started that has a larger "
               "one\n  ulimit -s 1024 is enough\n") == 0;
    if (!is_well)
        printf("FAIL faults: a small stack: status %d: %s\n", got.status, text_string(&got.err));
    outcome_free(&got);
    return is_well;
}

void faults_threads(counts *c)
{
    bool has_refused = needs_a_stack();
    c->passed += has_refused;
    c->failed += !has_refused;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        bool is_well = holds(&CASES[i].what, CASES[i].started, CASES[i].note);
        c->passed += is_well;
        c->failed += !is_well;
    }
}
