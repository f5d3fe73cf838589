#include "io/foreign.h"

#include <string.h>

#define BEGINS(text) text, sizeof text - 1

static const char OF_PICKLES[] = "save its numbers as safetensors, or with numpy.savez";
static const char OF_GGUF[] = "the safetensors that it was made from are read";
static const char OF_TABLES[] = "pandas reads it, and to_csv writes what is read";

/* By the formats' own descriptions: HDF5's superblock; GGUF's magic and version; RFC 1952; RFC
 * 8878; xz's and bzip2's magic (bzip2's of its default, the largest blocks); Parquet's magic,
 * behind which Thrift's first field stands; Arrow's IPC file; the text that a MAT-file of version 5
 * begins with; the signature of a compound file (MS-CFB); the opcode PROTO of pickle's protocols 2
 * to 5; git-lfs's docs/spec.md. */
static const foreign ROWS[] = {
    {BEGINS("\x89HDF\r\n\x1a\n"), "HDF5", "h5py reads it, and numpy.savez writes what is read"},
    {BEGINS("GGUF\2\0\0\0"), "GGUF", OF_GGUF},
    {BEGINS("GGUF\3\0\0\0"), "GGUF", OF_GGUF},
    {BEGINS("\x1f\x8b\x08"), "gzip", "gunzip -c FILE unpacks it into a pipe"},
    {BEGINS("\x28\xb5\x2f\xfd"), "zstd", "zstd -dc FILE unpacks it into a pipe"},
    {BEGINS("\xfd\x37zXZ\0"), "xz", "xz -dc FILE unpacks it into a pipe"},
    {BEGINS("BZh91AY&SY"), "bzip2", "bzip2 -dc FILE unpacks it into a pipe"},
    {BEGINS("PAR1\x15"), "Parquet", OF_TABLES},
    {BEGINS("ARROW1\0\0"), "Arrow", OF_TABLES},
    {BEGINS("MATLAB 5.0 MAT-file"), "MATLAB's MAT",
     "scipy.io reads it, and numpy.savez writes what is read"},
    {BEGINS("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "a spreadsheet (xls)", "save it as CSV"},
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
