/* What info and diff have to say, told once: to a person in words, or to a machine as JSON.
 *
 * A value has a name, that of its member of the object that is open, and words, a printf format
 * for it alone. Where one of them is NULL, only the other listener hears it. What has no name here
 * is words only, and what has no words is JSON only. */
#ifndef SELFATTN_CLI_TELL_H
#define SELFATTN_CLI_TELL_H

#include "base/text.h"
#include "tensor/bundle.h"

typedef struct teller {
    text *out; /* which remembers that there was no memory */
    bool is_json;
} teller;

/* "{" or "[", of a member or, without a name, of an entry of a list. */
void tell_open(teller *t, const char *name, const char *bracket);
void tell_close(teller *t, const char *bracket);

void tell_count(teller *t, const char *name, const char *words, uint64_t value);
void tell_text(teller *t, const char *name, const char *words, const char *value);
void tell_truth(teller *t, const char *name, bool value);
void tell_list(teller *t, const char *name, const text_list *list);
void tell_sizes(teller *t, const char *name, int rank, const size_t *size);
void tell_number(teller *t, const char *name, dtype type, double value);
/* A number in a row of a table: in words as `shown` has it, and a tab. */
void tell_cell(teller *t, const char *name, dtype type, double value,
               void (*shown)(text *out, double value));
void tell_words(teller *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Rows as lines of cells with a tab after each, in columns that are aligned: to the right where
 * `alignment` has an r. What stands after the last tab of a row has no column. A column without
 * anything in it is left out, and so is its title. Cells are safe for a terminal; titles may be
 * NULL, else they are one row. */
void tell_table(text *out, const char *titles, const text *rows, const char *alignment,
                size_t indent);

#endif
