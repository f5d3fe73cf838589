#include "io/foreign.h"

#include <string.h>

#define BEGINS(text) text, sizeof text - 1

static const char OF_PICKLES[] = "save its numbers as safetensors, or with numpy.savez";
static const char OF_GGUF[] = "the safetensors that it was made from are read";

/* By the formats' own descriptions: HDF5's superblock; GGUF's magic and version; RFC 1952; the
 * opcode PROTO of pickle's protocols 2 to 5; git-lfs's docs/spec.md. */
static const foreign ROWS[] = {
    {BEGINS("\x89HDF\r\n\x1a\n"), "HDF5", "h5py reads it, and numpy.savez writes what is read"},
    {BEGINS("GGUF\2\0\0\0"), "GGUF", OF_GGUF},
    {BEGINS("GGUF\3\0\0\0"), "GGUF", OF_GGUF},
    {BEGINS("\x1f\x8b\x08"), "gzip", "gunzip -c FILE unpacks it into a pipe"},
    {BEGINS("\x80\2"), "a pickle", OF_PICKLES},
    {BEGINS("\x80\3"), "a pickle", OF_PICKLES},
    {BEGINS("\x80\4"), "a pickle", OF_PICKLES},
    {BEGINS("\x80\5"), "a pickle", OF_PICKLES},
    {BEGINS("version https://git-lfs"), "git-lfs's pointer to a file",
     "git lfs pull fetches the file"},
};

const foreign *foreign_find(const char *bytes, size_t length)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (length >= ROWS[i].length && memcmp(bytes, ROWS[i].begin, ROWS[i].length) == 0)
            return &ROWS[i];
    }
    return NULL;
}
