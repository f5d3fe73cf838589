/* The keys of a problem document: one table, from which documents are read, and from which the
 * command line's options of the same meaning take their kind and their help. */
#ifndef SELFATTN_ATTN_SPEC_KEYS_H
#define SELFATTN_ATTN_SPEC_KEYS_H

#include "tensor/key.h"

extern const named_table KEYS; /* rows of `key` */

/* What libraries, papers and people call the keys; also of the options that set them. */
extern const synonym KEY_SYNONYMS[];

#endif
