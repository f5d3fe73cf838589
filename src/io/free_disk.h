/* How much room there is for a file that is to be written. */
#ifndef SELFATTN_IO_FREE_DISK_H
#define SELFATTN_IO_FREE_DISK_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that are free for anybody where the file will be; "-" is standard output. False where it is
 * no regular file, or the system does not know. */
bool free_disk(const char *file, uint64_t *bytes);

#endif
