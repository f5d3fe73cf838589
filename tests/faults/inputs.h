/* The files in the scratch folder, and the command lines over them that
 * together walk every path of the program. */
#ifndef SELFATTN_TESTS_FAULTS_INPUTS_H
#define SELFATTN_TESTS_FAULTS_INPUTS_H

#include "faults/child.h"

typedef struct input_file {
    const char *name, *content;
} input_file;

/* A file with bytes that no literal here shows: `from` below the source's root. */
typedef struct copied_file {
    const char *name, *from;
} copied_file;

extern const input_file INPUT_FILES[];
extern const size_t INPUT_FILE_COUNT;

extern const copied_file COPIED_FILES[];
extern const size_t COPIED_FILE_COUNT;

extern const command_line COMMAND_LINES[];
extern const size_t COMMAND_LINE_COUNT;

#endif
