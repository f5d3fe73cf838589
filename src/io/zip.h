/* Zip files, read and written member by member, by PKWARE's APPNOTE.TXT 6.3.10 with zip64.
 *
 * Members may be stored or deflated; all that are written are stored. The directory is checked
 * against each member's own header. Refused: encryption, other methods, several disks, a directory
 * that does not fit the members, two members of one name, members that overlap (Fifield, "A better
 * zip bomb", 2019). */
#ifndef SELFATTN_IO_ZIP_H
#define SELFATTN_IO_ZIP_H

#include "base/text.h"
#include "io/sink.h"

#include <stdint.h>

enum { ZIP_MOST_NAME = 4096 }; /* bytes of a member's name: a label's limit everywhere */

typedef struct zip_member {
    const char *name; /* not terminated; borrowed from the file */
    size_t name_length;
    unsigned method, flags;
    uint32_t crc;
    size_t packed, size; /* bytes in the file, and once unpacked */
    size_t header, data; /* where its header and its bytes begin */
} zip_member;

typedef struct zip {
    const char *file; /* for messages; borrowed */
    const char *bytes;
    size_t length;
    zip_member *member; /* in the order of the directory */
    size_t count, capacity;
    const zip_member **by_name; /* the same, in the order of their names */
} zip;

/* Reads and checks the directory; zip_close is due whether that works or not. */
bool zip_open(zip *z, const char *file, const char *bytes, size_t length, err *e);
void zip_close(zip *z);

/* The member of this name, or NULL where there is none. */
const zip_member *zip_find(const zip *z, const char *name, size_t length);

/* Whether its method is one that is read; else the error says which it is. */
bool zip_can_unpack(const zip *z, const zip_member *m, err *e);

/* All bytes of a member, their checksum checked: a stored one's lie in the file, a deflated one's
 * are put into `unpacked`, which never takes more than the zip says, nor more than `most`. NULL
 * with the error set. */
const char *zip_unpack(const zip *z, const zip_member *m, size_t most, text *unpacked, err *e);

/* ---- writing ----
 *
 * A zip of stored members, written from its first byte to its last: always the same bytes for the
 * same members, since it says no time (1980-01-01, the first day that a zip can name). A member's
 * bytes begin at a multiple of ZIP_ALIGN, so that they can be used where they lie. */

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
