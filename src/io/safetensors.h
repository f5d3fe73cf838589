/* safetensors, as the table of formats knows it: named matrices after a header that says where
 * each lies.
 *
 * A matrix is used in place where io/stored_matrix.h allows it, and one that is not asked for is
 * never looked at, but all of the header is checked (safetensors.c). The text "name" of
 * __metadata__ is the document's; what else stands there is for the program that wrote it. */
#ifndef SELFATTN_IO_SAFETENSORS_H
#define SELFATTN_IO_SAFETENSORS_H

#include "io/format.h"

/* Found when the first eight bytes are a header's length and a '{' follows. The same result gives
 * the same bytes. */
FORMAT_FUNCTIONS(safetensors);

extern const char SAFETENSORS_METADATA[]; /* "__metadata__" */

#endif
