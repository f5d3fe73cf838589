/* A zip of stored members, written from its first byte to its last: always the same bytes for the
 * same members, since it says no time (1980-01-01, the first day that a zip can name). A member's
 * bytes begin at a multiple of ZIP_ALIGN, so that they can be used where they lie. */
#ifndef SELFATTN_IO_ZIP_WRITE_H
#define SELFATTN_IO_ZIP_WRITE_H

#include "io/sink.h"

#include <stdint.h>

enum { ZIP_ALIGN = 64 };

typedef struct zip_writer {
    sink *out;
    uint64_t offset; /* how many bytes were written, or are promised */
    uint64_t most;   /* larger sizes and offsets need zip64: 0xfffffffe, less in tests */
    text directory;
    uint64_t count;
} zip_writer;

zip_writer zip_writer_of(sink *out);
/* Begins a member, whose `size` bytes with this CRC-32 the caller appends to the sink. */
void zip_writer_add(zip_writer *w, const char *name, uint64_t size, uint32_t crc);
/* Writes the directory. Closing is due once, also after a failure. */
bool zip_writer_close(zip_writer *w, err *e);

#endif
