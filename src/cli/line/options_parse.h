/* A command line as it is parsed, and what its options then give for a document. */
#ifndef SELFATTN_CLI_LINE_OPTIONS_PARSE_H
#define SELFATTN_CLI_LINE_OPTIONS_PARSE_H

#include "cli/line/options.h"

/* Parses argv[1…] for a command that takes `groups` (option_group bits). Messages name the option
 * and the nearest known one. Operands and values are borrowed from argv. */
bool options_parse(options *o, int argc, char **argv, unsigned groups, const char *command, err *e);
void options_free(options *o);

/* --digits; below 0: not given, so that what writes numbers has its own way. */
int option_digits(const options *o);

/* The file that the option of a key names, FILE or @FILE; NULL where it names none. */
const char *given_key_file(const given_key *one);
/* Refuses words of options that layers' names may be words of (any_in), and that no table has: an
 * attention has no other. * stands for anything. */
bool options_check_words(const options *o, err *e);

/* ---- words of a command line as a shell would take them: a line of them can be told from another,
 * typed again, and read ---- */

/* In single quotes where a shell would see more than a word. */
void shell_word_add(text *out, const char *word);
/* Adds the words of such a line, with spaces between. */
bool shell_words_read(text_list *to, const char *line, err *e);

/* ---- which keys of a document the command line gives, and which it leaves out ---- */

/* An input matrix is among the options, so that no document is needed. */
bool input_keys_has_input(const options *o);
/* What "f64" or "f32" means; NULL: `otherwise`. */
dtype type_of_word(const char *word, dtype otherwise);
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
