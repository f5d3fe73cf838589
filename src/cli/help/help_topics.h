/* Every table that `selfattn help` knows, and what it says about a row beyond its one-line help. */
#ifndef SELFATTN_CLI_HELP_HELP_TOPICS_H
#define SELFATTN_CLI_HELP_HELP_TOPICS_H

#include "attn/spec/stage.h"
#include "base/named.h"
#include "base/text.h"
#include "cli/line/options.h"

typedef struct topic {
    const named_table *table;
    void (*describe)(text *out, const named *row);
} topic;

extern const topic TOPICS[];
extern const size_t TOPIC_COUNT;

/* "softmax (term): turns a row of …", and all that is known about it. */
void topic_write_entry(text *out, const topic *of, const named *row);
/* A row in one line: name and help in two columns. */
void topic_write_line(text *out, const named_table *table, const named *row);
/* What a table's plural shows: its rows, or for conventions all that they say. */
void topic_write_table(text *out, const named_table *table);
/* "  -x, --input FILE", without a help. */
void topic_write_option_name(text *out, const option_row *row);
/* The paragraph of that name in COMMAND_TEXTS or OPTION_TEXTS, or NULL. */
const char *topic_words(const named_table *texts, const char *name);
/* "b × h × n_q × n_k". */
void topic_write_shape(text *out, const stage *of);

/* ---- plain text broken into lines by words, and padded into columns ---- */

/* Columns that a UTF-8 text takes where each character takes one, as they do in all of our
 * tables. */
size_t wrap_columns(const char *line);

/* Appends `words`, each line indented by `indent` and at most `width` columns wide, with a newline
 * at the end. `column` is where the line stands now; one that has reached the indent is ended
 * first. Newlines in `words` are kept. */
void wrap_add(text *out, const char *words, size_t column, size_t indent, size_t width);

/* The same for a text that was made for it: takes it, and with it its want of memory. */
void wrap_add_text(text *out, text *words, size_t column, size_t indent, size_t width);

#endif
