/* Which keys of a document the command line gives, and which it leaves out. */
#ifndef SELFATTN_CLI_IN_INPUT_KEYS_H
#define SELFATTN_CLI_IN_INPUT_KEYS_H

#include "cli/line/options.h"
#include "tensor/tensor.h"

/* An input matrix is among the options, so that no document is needed. */
bool input_keys_has_input(const options *o);
/* --dtype was given: true, with the type. */
bool input_keys_decides_type(const options *o, dtype *type);
/* Refuses a --dtype that is none, for commands that read no document, which would judge it. */
bool input_keys_check_type(const options *o, err *e);
/* "-" may be named once. */
bool input_keys_check_standard_input(const options *o, const char *const *file, size_t files,
                                     err *e);

/* What an option gives for this key of the document; NULL where none does. */
const char *input_keys_value(const options *o, const char *key_name);

#endif
