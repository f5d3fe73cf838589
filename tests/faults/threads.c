/* Threads that can't be started: fewer do the work, and write the same bytes. */
#include "faults/faults.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What is said where all threads but the first `started` that are asked for fail. heads.json has
 * two heads, each of one block of rows, so one thread is asked for beside the program's own. The
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
    {{.words = "--threads 3 -x wide.csv --wq square.csv"},
     0,
     "selfattn: note: 1 of 3 threads ran, no more could be started: the result is the same\n"},
    {{.words = "--threads 3 -x wide.csv --wq square.csv"},
     1,
     "selfattn: note: 2 of 3 threads ran, no more could be started: the result is the same\n"},
    {{.words = "--threads 3 -x wide.csv --wq square.csv"}, 2, ""},
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

void faults_threads(counts *c)
{
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        bool is_well = holds(&CASES[i].what, CASES[i].started, CASES[i].note);
        c->passed += is_well;
        c->failed += !is_well;
    }
}
