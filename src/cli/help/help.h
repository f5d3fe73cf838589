/* What `--help`, `--version` and `selfattn help WORD` print, made of the tables. */
#ifndef SELFATTN_CLI_HELP_HELP_H
#define SELFATTN_CLI_HELP_HELP_H

#include "attn/spec/stage.h"
#include "cli/command.h"

enum { HELP_WIDTH = 80 }; /* columns of all help */

/* Usage, commands, options, exit status, where to look next. */
void help_write_short(text *out); /* one screen */
void help_write_all(text *out);
void help_write_command(text *out, const command *of);
void help_write_version(text *out);
/* Six lines for somebody who typed nothing but the name. */
void help_write_first(text *out);

/* Writes into an empty text: all entries of any table with this name, a plural's whole table, or
 * those whose text has the word; false, with a nearest name in the error, where there is none.
 * Public for its test. */
bool help_write_word(text *out, const char *word, err *e);

/* ---- every table that `selfattn help` knows, and what it says about a row beyond its one-line
 * help ---- */

typedef struct topic {
    const named_table *table;
    void (*describe)(text *out, const named *row); /* or NULL */
} topic;

extern const topic TOPICS[];
extern const size_t TOPIC_COUNT;

/* "  -x, --input FILE", without a help. Public for its test. */
void topic_write_option_name(text *out, const option_row *row);
/* The paragraph of that name in one of the tables of texts, or NULL. */
const char *topic_words(const named_table *texts, const char *name);
/* What a key's value is, by its key_kind: in words, and the schema's definition, unless that has
 * one of the key's own name. */
typedef struct key_kind_words {
    const char *says, *definition;
} key_kind_words;
extern const key_kind_words KEY_KIND_WORDS[];
/* "b × h × n_q × n_k". */
void topic_write_shape(text *out, const stage *of);

/* ---- the texts of src/text, which the build embeds: what help and manual say at length ---- */

typedef struct passage {
    named named;
    const char *formula; /* or NULL */
    const char *words;   /* a paragraph */
} passage;

extern const named_table TERMS;       /* rows of `passage`: the words of the field */
extern const named_table DIFFERENCES; /* the same: what a formula leaves open */
/* The same, of commands, options and formats by their names; not every option has one. */
extern const named_table COMMAND_TEXTS, OPTION_TEXTS, FORMAT_TEXTS;

/* How other programs set what papers leave open, from the polarity of a mask to the order of a soft
 * cap, and which options give the same here: a row a program, a cell a difference. */
typedef struct peer_cell {
    const char *says;
    const char *here; /* what to give to have it here, or NULL where it is so without an option */
} peer_cell;

typedef struct peer {
    named named;           /* help: what it is called at home */
    const peer_cell *cell; /* as many as DIFFERENCES, in their order */
} peer;

extern const named_table PEERS;       /* rows of `peer`; this program first */
extern const char CONVENTIONS_TEXT[]; /* what leads in to them */

/* Pages with slots to be filled (help.h). */
extern const char BASH_PAGE[], ZSH_PAGE[], FISH_PAGE[];
extern const char MAN_PAGE[], MAN_DOCUMENT_PAGE[], MAN_CONTRACT_PAGE[];
extern const char SCHEMA_PAGE[];

/* ---- plain text broken into lines by words, and padded into columns ---- */

/* Columns that a UTF-8 text takes where each character takes one, as they do in all of our
 * tables. Public for its test. */
size_t wrap_columns(const char *line);

/* Appends `words`, each line indented by `indent` and at most `width` columns wide, with a newline
 * at the end. `column` is where the line stands now; one that has reached the indent is ended
 * first. Newlines in `words` are kept. Public for its test. */
void wrap_add(text *out, const char *words, size_t column, size_t indent, size_t width);

/* ---- completions for the shells, what the build adds to the manual's pages, and the schema of
 * what is read and written: pages of src/text whose slots are filled from the tables of commands,
 * options and keys, so that all of them say what the program does ---- */

/* What stands where a page has {name}: rows of a table, or a text where `of` is NULL. */
typedef struct slot {
    named named;
    const named_table *of;
    void (*write_rows)(text *out, const named_table *of);
    void (*write)(text *out);
} slot;

/* What `help --completion WORD` writes: a page, and what fills its slots. */
typedef struct shell {
    named named;
    const char *page;
    const named_table *slots;
    void (*write)(text *out, const struct shell *of);
} shell;

extern const named_table SHELLS; /* rows of `shell` */

/* The page with its slots filled; one that begins a line stands alone on it, and takes it whole.
 * Braces around what names no slot are left alone. */
void page_write(text *out, const shell *of);

/* The manual's pages, selfattn(1), selfattn-document(5) and selfattn-contract(7), as roff. */
extern const named_table MANUAL_SLOTS;
void manual_write(text *out, const shell *of);

/* The words that may follow an option, separated by `separator`: those of both its tables. */
void option_write_choices(text *out, const option_row *row, const char *separator);

const command *command_at(size_t index);

#endif
