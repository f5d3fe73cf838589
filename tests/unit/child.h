/* Processes that tests start. */
#ifndef SELFATTN_TESTS_UNIT_CHILD_H
#define SELFATTN_TESTS_UNIT_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* Waits for its end, whatever signals come: its status, -1 where it has none. */
int child_status(pid_t child);
/* True where that is 0. */
bool child_ended_well(pid_t child);

#endif
