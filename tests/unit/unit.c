/* Runs the unit tests: all of them, or those whose name holds the first argument; $UNIT_EVERY takes
 * every so many'th. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "unit.h"

#include "left_out.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static unit_test *first_test, **next_test = &first_test;

void unit_register(unit_test *test)
{
    *next_test = test;
    next_test = &test->next;
}

/* Claims that did not hold, of one test. What fails at each turn of a loop is told a few times, and
 * then counted. */
enum { TOLD = 5, CLAIMS = 256 };

static struct {
    const char *file, *claim;
    int line;
    size_t failed;
} failed[CLAIMS];

/* Whether it is still to be told. */
static bool count_failed(const char *file, int line, const char *claim)
{
    size_t i = 0;
    while (i + 1 < CLAIMS && failed[i].failed > 0 &&
           (failed[i].line != line || strcmp(failed[i].file, file) != 0))
        i++;
    failed[i].file = file;
    failed[i].line = line;
    failed[i].claim = claim;
    return ++failed[i].failed <= TOLD;
}

static void tell_rest(const unit *u)
{
    for (size_t i = 0; i < CLAIMS; i++) {
        if (failed[i].failed > TOLD)
            printf("FAIL unit %s: %s:%d: %s: %zu times more\n", u->test, failed[i].file,
                   failed[i].line, failed[i].claim, failed[i].failed - TOLD);
    }
}

static bool check(unit *u, bool holds, const char *file, int line, const char *claim)
{
    *(holds ? &u->passed : &u->failed) += 1;
    if (holds || !count_failed(file, line, claim))
        return false;
    printf("FAIL unit %s: %s:%d: %s\n", u->test, file, line, claim);
    return true;
}

bool unit_check(unit *u, bool holds, const char *file, int line, const char *claim)
{
    check(u, holds, file, line, claim);
    return holds;
}

bool unit_check_text(unit *u, const char *got, const char *wanted, const char *file, int line)
{
    bool same = got != NULL && strcmp(got, wanted) == 0;
    if (check(u, same, file, line, "the text is as wanted"))
        printf("  got:    %s\n  wanted: %s\n", got == NULL ? "(null)" : got, wanted);
    return same;
}

void unit_skip(unit *u, const char *what)
{
    u->skipped++;
    printf("skipped: unit %s: %s\n", u->test, what);
}

FILE *unit_open_shared(unit *u, const char *name)
{
    char path[4096];
    const char *shared = getenv("SELFATTN_SHARED");
    snprintf(path, sizeof path, "%s/testdata/%s", shared == NULL ? "../shared" : shared, name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        unit_skip(u, path);
    return file;
}

bool unit_long_double_is_wide(void)
{
    volatile long double one = 1, next = one + LDBL_EPSILON;
    return LDBL_MANT_DIG >= 64 && next > one;
}

uint64_t unit_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* In a process of its own, whose counts are in shared memory: one that crashes takes no other test
 * with it. */
static void run(const unit_test *test, unit *u)
{
    int status = -1;
    fflush(stdout); /* what waits in it would be written by both */
    u->has_ended = false;
    pid_t child = fork();
    if (child == 0) {
        test->run(u);
        tell_rest(u);
        u->has_ended = true;
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        perror("unit");
    if (status == 0 && u->has_ended)
        return;
    u->failed++;
    if (WIFSIGNALED(status))
        printf("FAIL unit %s: it is ended by signal %d\n", u->test, WTERMSIG(status));
    else
        printf("FAIL unit %s: it ends with status %d%s\n", u->test, WEXITSTATUS(status),
               u->has_ended ? "" : ", before its end");
}

int main(int argc, char **argv)
{
    unit *u = mmap(NULL, sizeof *u, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (u == MAP_FAILED) {
        perror("unit");
        return 1;
    }
    size_t number = 0;
    for (const unit_test *test = first_test; test != NULL; test = test->next) {
        if (argc > 1 && strstr(test->name, argv[1]) == NULL && strstr(test->words, argv[1]) == NULL)
            continue;
        u->test = test->name;
        if (!is_in_turn(number++, "UNIT_EVERY"))
            continue;
        if (is_left_out(u->test))
            unit_skip(u, "it is left out here");
        else
            run(test, u);
    }
    printf("%zu passed, %zu failed, %zu skipped\n", u->passed, u->failed, u->skipped);
    return u->failed > 0;
}
