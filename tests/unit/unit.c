/* Runs the unit tests: all of them, or those whose name holds the first argument. */
#include "unit.h"

#include "left_out.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unit_test *first_test, **next_test = &first_test;

void unit_register(unit_test *test)
{
    *next_test = test;
    next_test = &test->next;
}

bool unit_check(unit *u, bool holds, const char *file, int line, const char *claim)
{
    if (holds)
        u->passed++;
    else {
        u->failed++;
        printf("FAIL unit %s: %s:%d: %s\n", u->test, file, line, claim);
    }
    return holds;
}

bool unit_check_text(unit *u, const char *got, const char *wanted, const char *file, int line)
{
    bool same = got != NULL && strcmp(got, wanted) == 0;
    if (!unit_check(u, same, file, line, "the text is as wanted"))
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

int main(int argc, char **argv)
{
    unit u = {0};
    for (const unit_test *test = first_test; test != NULL; test = test->next) {
        if (argc > 1 && strstr(test->name, argv[1]) == NULL)
            continue;
        u.test = test->name;
        if (is_left_out(u.test))
            unit_skip(&u, "it is left out here");
        else
            test->run(&u);
    }
    printf("%zu passed, %zu failed, %zu skipped\n", u.passed, u.failed, u.skipped);
    return u.failed > 0;
}
