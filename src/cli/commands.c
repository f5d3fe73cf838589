#include "cli/example/examples.h"

#include <string.h>

/* Of commands that compute documents. */
enum {
    GROUPS = GROUP_INPUT | GROUP_MODEL | GROUP_STACK | GROUP_TRACE | GROUP_RUN | GROUP_ALWAYS,
    GROUPS_OF_LAYERS = GROUPS | GROUP_OUTPUT | GROUP_WAYS
};

static const command ROWS[] = {
    {{"run", "compute weights and outputs, or trace every step"},
     "[OPTION]... [DOCUMENT]...",
     GROUPS | GROUP_OUTPUT,
     .run = command_run},
    {{"check", "compute, and compare with what documents expect"},
     "[OPTION]... [DOCUMENT|DIR]...",
     GROUP_MODEL | GROUP_RUN | GROUP_COMPARE | GROUP_CHECK | GROUP_WAYS | GROUP_ALWAYS,
     .run = command_check},
    {{"diff", "compare two results, stage by stage"},
     "[OPTION]... A B",
     GROUP_COMPARE | GROUP_DIFF | GROUP_FILES | GROUP_ALWAYS,
     .run = command_diff},
    {{"port", "say which layer of a model's port differs, and why"},
     "[OPTION]... MODEL [DUMP [REFERENCE]]",
     GROUP_PORT | GROUP_INPUT | GROUP_MODEL | GROUP_STACK | GROUP_RUN | GROUP_FILES | GROUP_ALWAYS,
     .run = command_port},
    {{"init", "make inputs and weights from a seed"},
     "[OPTION]... [DOCUMENT]",
     GROUP_INIT | GROUP_ALWAYS,
     .run = command_init},
    {{"encode", "run an encoder's layers"},
     "[OPTION]... [DOCUMENT]...",
     GROUPS_OF_LAYERS,
     .run = command_encode},
    {{"decode", "run a decoder's layers"},
     "[OPTION]... [DOCUMENT]...",
     GROUPS_OF_LAYERS,
     .run = command_decode},
    {{"generate", "let a decoder go on with a prompt"},
     "[OPTION]... [DOCUMENT]...",
     GROUPS | GROUP_STAGES | GROUP_GENERATE | GROUP_WAYS,
     .run = command_generate},
    {{"train", "take steps down a loss, and write the document after them"},
     "[OPTION]... [DOCUMENT]",
     GROUPS | GROUP_TRAIN,
     .run = command_train},
    {{"info", "say what is in files"},
     "[OPTION]... [FILE]...",
     GROUP_FILES | GROUP_ALWAYS,
     .run = command_info},
    {{"convert", "write a file in another format"},
     "[OPTION]... IN OUT",
     GROUP_FILES | GROUP_CONVERT | GROUP_ALWAYS,
     .run = command_convert,
     .writes_last = true},
    {{"join", "put rows together that --rows computed apart"},
     "[OPTION]... PART... OUT",
     GROUP_FILES | GROUP_JOIN | GROUP_ALWAYS,
     .run = command_join,
     .writes_last = true},
    {{"example", "list or print the built-in worked examples"},
     "[OPTION]... [NAME]",
     GROUP_EXAMPLE | GROUP_ALWAYS,
     &EXAMPLES,
     .run = command_example},
    {{"help", "explain a command, an option, a stage, any word"},
     "[OPTION]... [WORD]...",
     GROUP_HELP | GROUP_ALWAYS | GROUP_ANY_WORD,
     &COMMANDS,
     .run = command_help},
};

const named_table COMMANDS = NAMED_TABLE("command", ROWS);

const command *command_named(int argc, char **argv, int *taken)
{
    const named *found = argc > 1 ? named_find(&COMMANDS, argv[1], strlen(argv[1])) : NULL;
    *taken = found != NULL;
    return (const command *)(const void *)(found != NULL ? found : named_row(&COMMANDS, 0));
}
