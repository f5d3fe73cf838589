/* The process shuts itself in before it reads anything: from then on the kernel refuses every file
 * but those that the command line names and their outputs' folders (Landlock), and new programs,
 * sockets and looks into other processes (seccomp). Input that finds an error in us then finds
 * nothing to do with it. Where a kernel, or an emulator, has none of that, nothing happens. */
#ifndef SELFATTN_CLI_LINE_SANDBOX_H
#define SELFATTN_CLI_LINE_SANDBOX_H

#include "cli/line/options.h"

/* Holds for this thread and those that it starts, for good. `written`: an operand that is an
 * output, or NULL. */
void sandbox_enter(const options *o, const char *written);

#endif
