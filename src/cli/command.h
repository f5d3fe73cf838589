/* The commands: a new one is one file, one row in commands.c with a paragraph in
 * src/text/commands.txt, and its function below. */
#ifndef SELFATTN_CLI_COMMAND_H
#define SELFATTN_CLI_COMMAND_H

#include "cli/line/options.h"

typedef struct command {
    named named;
    const char *usage;           /* "[OPTION]... [DOCUMENT]..." */
    unsigned groups;             /* option_group bits that it takes */
    const named_table *operands; /* the names that its operands are; NULL: files */
    /* Gives the exit status; when it is EXIT_WRONG the error is set. */
    int (*run)(const options *o, env *world, err *e);
    bool writes_last; /* its last operand is written, where there are several */
} command;

extern const named_table COMMANDS; /* run first: it is the default */

/* The command that the first argument names, and how many arguments that took. */
const command *command_named(int argc, char **argv, int *taken);

int command_run(const options *o, env *world, err *e);
int command_check(const options *o, env *world, err *e);
int command_diff(const options *o, env *world, err *e);
int command_port(const options *o, env *world, err *e);
int command_init(const options *o, env *world, err *e);
int command_encode(const options *o, env *world, err *e);
int command_decode(const options *o, env *world, err *e);
int command_generate(const options *o, env *world, err *e);
int command_train(const options *o, env *world, err *e);
int command_info(const options *o, env *world, err *e);
int command_convert(const options *o, env *world, err *e);
int command_join(const options *o, env *world, err *e);
int command_example(const options *o, env *world, err *e);
int command_help(const options *o, env *world, err *e);

/* The whole program but for main's own lines: finds the command, parses, runs, prints the error,
 * gives the status. */
int cli_main(int argc, char **argv, env *world);

#endif
