/* --answers of a class: which files are answers, and which document each is marked against. */
#ifndef SELFATTN_CLI_CHECK_CHECK_CLASS_H
#define SELFATTN_CLI_CHECK_CHECK_CLASS_H

#include "cli/check/check_files.h"

typedef struct check_class {
    check_files answers, documents;
    text_list name; /* of each document, empty where it has none or can't be read */
} check_class;

/* Answers are what --answers names, files and folders, and of several operands those that have what
 * no document has: a stage that is not an input, or what a page saves of itself. To be freed in any
 * case. */
bool check_class_list(check_class *all, const options *o, const env *world, err *e);
void check_class_free(check_class *all);

/* The file, among those of the documents, that a file of answers says it is of; the only one, where
 * there is no other. NULL with the error set where it says none of them. */
char **check_class_document(const check_class *all, const char *answers, const options *o, err *e);

#endif
