/* Seconds on a clock that never goes back. */
#ifndef SELFATTN_CLI_LINE_CLOCK_H
#define SELFATTN_CLI_LINE_CLOCK_H

double clock_seconds(void);

#endif
