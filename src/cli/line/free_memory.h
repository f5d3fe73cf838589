/* How much memory may still be used: what the machine has available, or less where a control group
 * of the process, or a group around it, leaves less. */
#ifndef SELFATTN_CLI_LINE_FREE_MEMORY_H
#define SELFATTN_CLI_LINE_FREE_MEMORY_H

#include <stddef.h>

/* In bytes. `root` is "" for this machine; tests give a folder that holds proc/ and sys/. */
size_t free_memory(const char *root);

#endif
