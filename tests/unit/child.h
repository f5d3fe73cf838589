/* Processes that tests start. */
#ifndef SELFATTN_TESTS_UNIT_CHILD_H
#define SELFATTN_TESTS_UNIT_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* Waits for the child's end through any signals; its status, or -1 if it has none. */
int child_status(pid_t child);
/* True where that is 0. */
bool child_ended_well(pid_t child);

#endif
