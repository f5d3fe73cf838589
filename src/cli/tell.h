/* A report of info or diff, written once: as words for a person, or as JSON for a machine.
 *
 * Each value has a name, under which JSON has it as a member of the open object, and words, a
 * printf format for the value. With the name NULL only the words are written, with the words NULL
 * only the member. A function without `name` writes words only, one without `words` JSON only. */
#ifndef SELFATTN_CLI_TELL_H
#define SELFATTN_CLI_TELL_H

#include "base/text.h"
#include "tensor/bundle.h"

typedef struct teller {
    text *out; /* borrowed; remembers where memory was missing */
    bool is_json;
} teller;

/* Opens an object or a list with "{" or "[": a member or, with `name` NULL, an entry of a list. */
void tell_open(teller *t, const char *name, const char *bracket);
void tell_close(teller *t, const char *bracket);

void tell_count(teller *t, const char *name, const char *words, uint64_t value);
void tell_text(teller *t, const char *name, const char *words, const char *value);
void tell_truth(teller *t, const char *name, bool value);
void tell_list(teller *t, const char *name, const text_list *list);
void tell_sizes(teller *t, const char *name, int rank, const size_t *size);
void tell_number(teller *t, const char *name, dtype type, double value);
/* A number in a row of tell_table: its words are what `shown` adds, and a tab. */
void tell_cell(teller *t, const char *name, dtype type, double value,
               void (*shown)(text *out, double value));
void tell_words(teller *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a table. `rows` are lines of cells with a tab after each; what stands after the last tab is
 * in no column. `titles` is one such line, or NULL. A column is aligned to the right where
 * `alignment` has an r; a column of empty cells is left out with its title. Cells are made safe for
 * a terminal. */
void tell_table(text *out, const char *titles, const text *rows, const char *alignment,
                size_t indent);

#endif
