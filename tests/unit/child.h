/* Processes that tests start. */
#ifndef SELFATTN_TESTS_UNIT_CHILD_H
#define SELFATTN_TESTS_UNIT_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* Waits for its end, whatever signals come; true where its status is 0. */
bool child_ended_well(pid_t child);

#endif
