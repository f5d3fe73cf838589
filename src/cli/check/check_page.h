/* What the page of an exercise saves besides its answers, under names that begin with _: the name
 * of the document that it is of, the command that it was made by, the entry of a batch that it
 * shows, and of each stage of which it asks for a part only, which cells these are. */
#ifndef SELFATTN_CLI_CHECK_CHECK_PAGE_H
#define SELFATTN_CLI_CHECK_CHECK_PAGE_H

#include "tensor/bundle.h"

#define CHECK_COMMAND "_command"
#define CHECK_DOCUMENT "_document"
#define CHECK_BATCH "_batch"
#define CHECK_ASKED "_asked."

/* Names of no stage: a page's, and remarks. */
bool check_is_aside(const entry *one);

/* Whether only a page saves something under this name. */
bool check_page_saves(const char *name);

/* Refuses what no page saves: a document that has no name, another command, an entry that is not a
 * number from 1, cells of no answers. */
bool check_page(const bundle *answers, err *e);

/* "encode" or "decode"; and the document's name. NULL: it is not said. */
const char *check_page_command(const bundle *answers);
const char *check_page_document(const bundle *answers);
/* From 1; 0: it is not said. */
double check_page_batch(const bundle *answers);
/* Of the shape of the answers, 0 where none was asked for; NULL: all were. False with the error set
 * when there is no memory. */
bool check_page_asked(const bundle *answers, const char *name, const tensor **cells, err *e);

#endif
