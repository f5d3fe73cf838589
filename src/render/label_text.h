/* Labels of rows and columns: a token's text, cut where it is long, or q[1], q[2], …, or plain
 * numbers. */
#ifndef SELFATTN_RENDER_LABEL_TEXT_H
#define SELFATTN_RENDER_LABEL_TEXT_H

#include "base/text.h"
#include "trace/trace.h"

/* The label's bytes, whole and as they came: the name itself, or its number made in `room`, also
 * for an empty name. */
enum { LABEL_ROOM = 64 };
const char *label_whole(const trace_labels *labels, size_t index, char room[LABEL_ROOM]);

/* Appends the label of an index from 0 and returns its columns. */
size_t label_add(text *out, const trace_labels *labels, size_t index);
/* Its columns alone. */
size_t label_columns(const trace_labels *labels, size_t index);
/* Those of the widest of the first `count`. */
size_t labels_widest(const trace_labels *labels, size_t count);

/* Of `count` rows or columns; NULL where they say nothing: a number alone above or next to the only
 * column or row. */
const trace_labels *labels_that_say(const trace_labels *labels, size_t count);

#endif
