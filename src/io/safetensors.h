/* safetensors, as the table of formats knows it: named matrices after a header that says where
 * each lies.
 *
 * A matrix is used in place where io/stored_matrix.h allows it, and one that is not asked for is
 * never looked at, but all of the header is checked (below). The text "name" of
 * __metadata__ is the document's; what else stands there is for the program that wrote it. */
#ifndef SELFATTN_IO_SAFETENSORS_H
#define SELFATTN_IO_SAFETENSORS_H

#include "io/format.h"
#include "io/json_scan.h"
#include "io/stored_matrix.h"

/* Found when the first eight bytes are a header's length and a '{' follows. The same result gives
 * the same bytes. */
FORMAT_FUNCTIONS(safetensors);

/* ---- the header ---- */

/* The header of a safetensors file: what is in the file, and where.
 *
 *     8 bytes: N, little-endian | N bytes: JSON, '{' first, padded with spaces | the data
 *
 * The JSON is one object: {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …,
 * "__metadata__": {"any": "text", …}}. Offsets count from the first byte of the data.
 *
 * Sources: the format's description in the README of huggingface/safetensors, section "Format", and
 * what its reference reader refuses (safetensors/src/tensor.rs there: read_metadata, validate).
 * Refused are a header above 100 MB or past the end of the file, a key given twice, an offset past
 * the end, sizes that don't fit the offsets, and data that belong to two tensors or to none. The
 * reference passes over further keys of a tensor; here they are refused, since such a key could
 * change what the numbers mean. */

enum { SAFETENSORS_MAX_HEADER = 100000000, SAFETENSORS_LENGTH_BYTES = 8 };

extern const char SAFETENSORS_METADATA[];

/* One tensor. Addresses are those of bytes in the header. */
typedef struct safetensors_tensor {
    const char *name, *record; /* its key; its object */
    const char *dtype, *shape; /* the values in that */
    size_t begin, end;         /* in the data */
    bool is_known_type;        /* else the matrix has none, and its sizes are not compared */
    stored_matrix matrix;
} safetensors_tensor;

typedef struct safetensors_header {
    json_text text;
    const char *metadata; /* its object, or NULL */
    const char *data;
    size_t data_length;
    place data_at;
    safetensors_tensor *tensor; /* in the header's order */
    size_t count, capacity;
} safetensors_header;

/* The length that the first 8 bytes say. */
uint64_t safetensors_header_length(const char *bytes);

/* Finds and checks it all; nothing but the header is read. To be freed, also when it fails. */
bool safetensors_header_read(safetensors_header *h, const char *bytes, size_t length,
                             const char *file, err *e);
void safetensors_header_free(safetensors_header *h);

#endif
