/* The program killed: before each of its system calls in turn, and at random
 * moments while it writes a large file. Afterwards the file is the old one or
 * the new one, and where the signal can be caught nothing lies next to it. */
#include "faults/faults.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RANDOM_KILLS = 200 };

static const int SIGNALS[] = {SIGTERM, SIGKILL};

/* Weights and scores of 400 rows: 160,000 numbers each, some megabytes, a dozen
 * blocks. */
#define LARGE_RUN "-x large.csv --emit scores,weights --threads 2 -o "
static const command_line LARGE[] = {
    {.words = LARGE_RUN "out.csv", .outputs = "out.csv"},
    {.words = LARGE_RUN "out.safetensors", .outputs = "out.safetensors"},
    {.words = LARGE_RUN "out.npz", .outputs = "out.npz"},
    {.words = LARGE_RUN "new.npz", .outputs = "new.npz"},
};
enum { LARGE_COUNT = sizeof LARGE / sizeof LARGE[0] };
static const command_line SMALL[] = {
    {.words = "-o out.json heads.json", .outputs = "out.json"},
    {.words = "-o new.json heads.json", .outputs = "new.json"},
    {.words = "--write q=new.tsv --write weights=out.csv -o out.json heads.json",
     .outputs = "new.tsv out.csv out.json"},
    {.words = "--write weights=new.safetensors -o out.npz heads.json",
     .outputs = "new.safetensors out.npz"},
};

static const char *judge_killed(const outcome *clean, const outcome *got, int number)
{
    bool is_done = got->signal == 0 && got->status == clean->status;
    if (!is_done && got->signal != number)
        return "does not end by the signal";
    return judge_files(clean, got, number == SIGKILL);
}

static bool judge_and_say(const command_line *what, const outcome *clean, const outcome *got,
                          int number, const char *moment)
{
    const char *wrong = judge_killed(clean, got, number);
    if (wrong != NULL)
        printf("FAIL faults: kill: selfattn %s: signal %d, %s: %s %s\n", what->words, number,
               moment, wrong, got->strange);
    return wrong == NULL;
}

/* ---- before each system call ---- */

static bool kill_before_each(const command_line *what, int number)
{
    static const fault NONE = {.call = CALL_NONE};
    outcome clean, got;
    bool holds = true, is_killed = true;
    child_run(what, &NONE, &clean);
    for (size_t n = 1; holds && is_killed; n++) {
        fault f = {.call = CALL_ANY, .effect = EFFECT_KILLS, .reason = number, .n = n};
        char moment[64];
        child_run(what, &f, &got);
        is_killed = got.signal != 0;
        snprintf(moment, sizeof moment, "before call %zu", n);
        holds = judge_and_say(what, &clean, &got, number, moment);
        outcome_free(&got);
    }
    outcome_free(&clean);
    return holds;
}

/* ---- at random moments ---- */

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool write_large(void)
{
    FILE *file = fopen("large.csv", "w");
    for (int row = 0; file != NULL && row < 400; row++)
        fprintf(file, "%d.5,-0.%03d,%d\n", row % 7, row, row % 3);
    return file != NULL && fclose(file) == 0;
}

static bool kill_after(const command_line *what, uint64_t wait, int number, const outcome *clean)
{
    static const fault NONE = {.call = CALL_NONE};
    struct timespec pause = {(time_t)(wait / 1000000000u), (long)(wait % 1000000000u)};
    outcome got;
    char moment[64];
    int process = child_start(what, &NONE);
    nanosleep(&pause, NULL);
    kill(process, number);
    child_wait(what, process, &got);
    snprintf(moment, sizeof moment, "after %llu ns", (unsigned long long)wait);
    bool holds = judge_and_say(what, clean, &got, number, moment);
    outcome_free(&got);
    return holds;
}

/* Moments are spread over a little more than the time that a run takes here. */
static void kill_at_random(const command_line *what, counts *c)
{
    static const fault NONE = {.call = CALL_NONE};
    outcome clean;
    uint64_t before = nanoseconds(), state = before;
    child_run(what, &NONE, &clean);
    uint64_t takes = nanoseconds() - before;
    bool is_well = judge_clean(what, &clean) == NULL;
    c->failed += !is_well;
    for (int i = 0; is_well && i < RANDOM_KILLS / LARGE_COUNT; i++) {
        bool holds =
            kill_after(what, faults_random(&state) % (takes + takes / 8), SIGNALS[i % 2], &clean);
        c->passed += holds;
        c->failed += !holds;
    }
    outcome_free(&clean);
}

void faults_kill(counts *c)
{
    for (size_t i = 0; i < 2 * sizeof SMALL / sizeof SMALL[0]; i++) {
        bool holds = kill_before_each(&SMALL[i / 2], SIGNALS[i % 2]);
        c->passed += holds;
        c->failed += !holds;
    }
    bool is_written = write_large();
    c->failed += !is_written;
    for (size_t i = 0; is_written && i < LARGE_COUNT; i++)
        kill_at_random(&LARGE[i], c);
}
