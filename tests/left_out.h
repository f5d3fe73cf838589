/* What a run leaves out: $WITHOUT has the names of tests, or claims of cases, one a line, and of
 * the others $CASES_EVERY takes every so many'th. $TURN says which: it goes on by one from commit
 * to commit (.ci/run), so that after so many runs all were taken. */
#ifndef SELFATTN_TESTS_LEFT_OUT_H
#define SELFATTN_TESTS_LEFT_OUT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool is_left_out(const char *name)
{
    size_t length = strlen(name);
    for (const char *line = getenv("WITHOUT"); line != NULL && *line != '\0';) {
        size_t there = strcspn(line, "\n");
        if (there == length && memcmp(line, name, length) == 0)
            return true;
        line += there + (line[there] == '\n');
    }
    return false;
}

static inline size_t count_in(const char *variable, size_t absent)
{
    const char *count = getenv(variable);
    return count == NULL ? absent : strtoul(count, NULL, 10);
}

/* The variable takes this one, of those that are numbered from 0. */
static inline bool is_in_turn(size_t number, const char *every)
{
    size_t stride = count_in(every, 1);
    return stride < 2 || number % stride == count_in("TURN", 0) % stride;
}

#endif
