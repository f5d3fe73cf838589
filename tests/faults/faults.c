/* Fault injection, as SQLite does it (sqlite.org/testing.html, "Out-Of-Memory
 * Testing"): the n-th call of a kind fails, n = 1, 2, … up to as many as there
 * are, once so that it alone does and once so that all that follow do too; of
 * many calls that come by the same way, the first two.
 * Whatever failed, the program says so and ends with status 2, leaks nothing,
 * and leaves the old file or the whole new one.
 *
 * faults [WORD]: all, or the command lines that hold WORD; of them every $FAULTS_EVERY'th. */
#include "faults/faults.h"

#include "faults/inputs.h"
#include "faults/kinds.h"
#include "left_out.h"

#include <stdio.h>
#include <string.h>

/* Where runs are slow only some of many calls are tried, each twice as far as the last, and
 * of a long run fewer still; of one that is whole all. Where all that follow fail, what differs is
 * the way out, which the first hundred calls show. */
static size_t next_call(const command_line *what, bool persists, size_t n)
{
    if (what->is_long)
        return 16 * n;
    if (RUNS_ARE_SLOW)
        return 2 * n;
    return n < (persists ? 100 : what->is_whole ? SIZE_MAX : 400) ? n + 1 : n + n / 8;
}

/* The first call that shows something new, from the n-th on. */
static size_t new_call(call which, size_t n, size_t calls)
{
    while (n <= calls && inject_is_alike(which, n))
        n++;
    return n;
}

static void say(const command_line *what, const fault_kind *kind, const fault *f,
                const outcome *got, const char *wrong)
{
    printf("FAIL faults: selfattn %s: %s %zu%s: %s\n", what->words,
           kind == NULL ? "no fault" : kind->name, f->n, f->persists ? " and all that follow" : "",
           wrong);
    printf("  status %d, signal %d, %ld blocks, %d descriptors%s%s\n  %s\n", got->status,
           got->signal, got->counted.blocks, got->descriptors,
           got->strange[0] == '\0' ? "" : ", left: ", got->strange, text_string(&got->err));
}

uint64_t faults_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The n-th call fails for each n; one test of the suite. The first that is
 * wrong is enough. */
const char *faults_try(const command_line *what, const fault_kind *kind, bool persists,
                       const outcome *clean, fault *f, outcome *got)
{
    size_t calls = clean->counted.calls[kind->call];
    *got = (outcome){.status = -1};
    *f = (fault){.call = kind->call,
                 .effect = kind->effect,
                 .reason = kind->reason,
                 .n = 1,
                 .persists = persists};
    for (; f->n <= calls; f->n = new_call(kind->call, next_call(what, persists, f->n), calls)) {
        child_run(what, f, got);
        const char *wrong = judge(what, kind, clean, got);
        if (wrong == NULL && got->counted.injected == 0 && !what->tries_again)
            wrong = "has no such call when it runs again";
        if (wrong != NULL)
            return wrong;
        outcome_free(got);
        *got = (outcome){.status = -1};
    }
    return NULL;
}

static void try_and_count(const command_line *what, const fault_kind *kind, bool persists,
                          const outcome *clean, counts *c)
{
    fault f;
    outcome got;
    const char *wrong = faults_try(what, kind, persists, clean, &f, &got);
    if (wrong != NULL)
        say(what, kind, &f, &got, wrong);
    c->failed += wrong != NULL;
    c->passed += wrong == NULL;
    outcome_free(&got);
}

/* Marks the kinds of which there was a call. */
static void try_command(const command_line *what, bool *is_reached, counts *c)
{
    static const fault NONE = {.call = CALL_NONE};
    outcome clean;
    child_run(what, &NONE, &clean);
    const char *wrong = judge_clean(what, &clean);
    if (wrong != NULL)
        say(what, NULL, &NONE, &clean, wrong);
    c->failed += wrong != NULL;
    for (size_t i = 0; wrong == NULL && i < FAULT_KIND_COUNT; i++) {
        if (clean.counted.calls[FAULT_KINDS[i].call] == 0)
            continue;
        is_reached[i] = true;
        /* What a way out frees, failing allocations show, with a sanitizer too. */
        if (RUNS_ARE_SLOW && FAULT_KINDS[i].call != CALL_ALLOCATION)
            continue;
        try_and_count(what, &FAULT_KINDS[i], false, &clean, c);
        /* A long output would be written in a million calls, a byte each. */
        bool takes_ages = what->is_long && FAULT_KINDS[i].effect == EFFECT_SHORT;
        if (!FAULT_KINDS[i].once_only && !takes_ages)
            try_and_count(what, &FAULT_KINDS[i], true, &clean, c);
    }
    outcome_free(&clean);
}

/* A kind that no command line comes to tests nothing. */
static void try_all(const char *word, counts *c)
{
    bool is_reached[MAX_KINDS] = {false};
    for (size_t i = 0; i < COMMAND_LINE_COUNT; i++) {
        if (strstr(COMMAND_LINES[i].words, word) != NULL && is_in_turn(i, "FAULTS_EVERY"))
            try_command(&COMMAND_LINES[i], is_reached, c);
    }
    bool takes_all = word[0] == '\0' && count_in("FAULTS_EVERY", 1) < 2;
    for (size_t i = 0; i < FAULT_KIND_COUNT && takes_all; i++) {
        if (!is_reached[i])
            printf("FAIL faults: no command line comes to this call: %s\n", FAULT_KINDS[i].name);
        c->failed += !is_reached[i];
    }
}

int main(int argc, char **argv)
{
    counts c = {0};
    const char *word = argc > 1 ? argv[1] : "";
    if (!child_set_up()) {
        perror("the scratch folder");
        return 1;
    }
    try_all(word, &c);
    if (strstr("planted", word) != NULL)
        faults_planted(&c);
    if (strstr("kill", word) != NULL)
        faults_kill(&c);
    if (strstr("threads", word) != NULL)
        faults_threads(&c);
    if (strstr("edits", word) != NULL)
        faults_edits(&c);
    child_tear_down();
    printf("%zu passed, %zu failed\n", c.passed, c.failed);
    return c.failed > 0;
}
