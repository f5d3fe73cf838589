/* What a writer puts into memory, or says instead. */
#ifndef SELFATTN_TESTS_UNIT_WRITTEN_H
#define SELFATTN_TESTS_UNIT_WRITTEN_H

#include "io/format.h"
#include "io/sink.h"

typedef bool writer(const bundle *result, const write_options *how, sink *out, err *e);

/* Its error as said() has it, and "" for none; borrowed until the next call. */
const char *write_error(writer *write, const bundle *b, const write_options *how);

/* Ends a sink in memory. What it holds is to be freed. */
text sink_take(sink *from);

#endif
