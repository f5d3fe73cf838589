/* What a run leaves out: $WITHOUT has the names of tests, or claims of cases, one a line, and of
 * the others $CASES_EVERY takes every so many'th. */
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

static inline size_t cases_every(void)
{
    const char *so_many = getenv("CASES_EVERY");
    size_t every = so_many == NULL ? 1 : strtoul(so_many, NULL, 10);
    return every + (every == 0);
}

#endif
