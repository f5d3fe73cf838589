/* Which of two kinds a document is of: one attention, or layers. */
#ifndef SELFATTN_CLI_IN_DOCUMENT_KIND_H
#define SELFATTN_CLI_IN_DOCUMENT_KIND_H

#include "tensor/bundle.h"

/* Whether it has a key, or expects a stage, that one attention doesn't have: the layers themselves
 * may be still to come. */
bool document_is_of_layers(const bundle *contents);

#endif
