/* How help and the manual show the conventions of other programs. */
#ifndef SELFATTN_CLI_HELP_PEERS_HELP_H
#define SELFATTN_CLI_HELP_PEERS_HELP_H

#include "cli/help/peers.h"

/* What leads in to the whole comparison. */
extern const char PEERS_INTRODUCTION[];

/* One program and what it sets, a difference a line. */
void peer_write(text *out, const peer *of);
/* One difference and how each program has it, a program a line. */
void difference_write(text *out, difference which);
/* All differences. */
void peers_write_all(text *out);

#endif
