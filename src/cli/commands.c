#include "cli/command.h"

#include "cli/examples.h"

static const command ROWS[] = {
    {{"run", "compute weights and outputs, or trace every step"},
     "[OPTION]... [DOCUMENT]...",
     GROUP_INPUT | GROUP_MODEL | GROUP_OUTPUT | GROUP_TRACE | GROUP_RUN | GROUP_ALWAYS,
     NULL,
     "The default: an argument that is no command's name begins a run. Reads each DOCUMENT, or the "
     "matrices that options name, or standard input, computes, and writes weights and output, or "
     "what --emit names, in order of the documents: as JSON, one object a document, unless "
     "--format or the name of --output says otherwise. Standard input is read when - is named, or "
     "when nothing else is and it is no terminal.",
     command_run},
    {{"check", "compute, and compare with what documents expect"},
     "[OPTION]... DOCUMENT|DIR...",
     GROUP_MODEL | GROUP_RUN | GROUP_COMPARE | GROUP_ALWAYS,
     NULL,
     "Computes each DOCUMENT, and every .json document in each DIR, in float64, and compares each "
     "stage in its \"expected\" within its \"tol\". A line a document says whether it holds; where "
     "not, which stage differs first, at which element, and both values. Errata that the document "
     "lists are reported and don't fail; an erratum that is none fails.",
     command_check},
    {{"diff", "compare two results, stage by stage"},
     "[OPTION]... A B",
     GROUP_COMPARE | GROUP_ALWAYS,
     NULL,
     "Compares the stages that both files hold, in the order of the pipeline, and names the first "
     "stage and element that differ, with both values. A stage that only one of them holds is "
     "named in a note.",
     command_diff},
    {{"example", "list or print the built-in worked examples"},
     "[OPTION]... [NAME]",
     GROUP_ALWAYS,
     &EXAMPLES,
     "Without NAME, lists the documents that are built in; with NAME, prints that one, to be piped "
     "into run or check, or to be changed.",
     command_example},
    {{"help", "explain a command, an option, a stage, any word"},
     "[OPTION]... [WORD]...",
     GROUP_HELP | GROUP_ALWAYS | GROUP_ANY_WORD,
     &COMMANDS,
     "Finds a command, an option, a key of a document, a stage, a step of the trace, a format, a "
     "score function, an instruction set, or a term. A word that names none of them is searched "
     "for in the texts. A plural lists a whole table: selfattn help stages.",
     command_help},
};

const named_table COMMANDS = NAMED_TABLE("command", ROWS);
