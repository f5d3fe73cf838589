/* A zip as its members: the directory, checked against each member's own header, and their bytes.
 *
 * By PKWARE's APPNOTE.TXT 6.3.10; zip64 included. Read: stored and deflated members. Refused:
 * encryption, other methods, several disks, a directory that does not fit the members, two members
 * of one name, members that overlap (Fifield, "A better zip bomb", 2019). */
#ifndef SELFATTN_IO_ZIP_H
#define SELFATTN_IO_ZIP_H

#include "base/text.h"

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

/* True for bytes that begin as a zip does. */
bool zip_probe(const char *bytes, size_t length);

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

#endif
