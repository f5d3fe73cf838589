#include "cli/command.h"

#include "cli/example/examples.h"

#include <string.h>

static const command ROWS[] = {
    {{"run", "compute weights and outputs, or trace every step"},
     "[OPTION]... [DOCUMENT]...",
     GROUP_INPUT | GROUP_MODEL | GROUP_STACK | GROUP_OUTPUT | GROUP_STAGES | GROUP_TRACE |
         GROUP_RUN | GROUP_ALWAYS,
     NULL,
     "The default: an argument that is no command's name begins a run. Reads each DOCUMENT, or the "
     "matrices that options name, or standard input, computes, and writes weights and output, or "
     "what --emit names, in order of the documents: as JSON, one object a document, unless "
     "--format or the name of --output says otherwise. A document of layers is computed as encode "
     "or decode would: its \"kind\" says which, else it is a decoder's where it has a memory. "
     "Standard input is read when - is named, or "
     "when nothing else is and it is no terminal.",
     command_run},
    {{"check", "compute, and compare with what documents expect"},
     "[OPTION]... [DOCUMENT|DIR]...",
     GROUP_MODEL | GROUP_RUN | GROUP_COMPARE | GROUP_CHECK | GROUP_ALWAYS,
     NULL,
     "Computes each DOCUMENT, and every .json document in each DIR, or standard input where "
     "nothing is named and it is no terminal, in float64, and compares each stage in its "
     "\"expected\" within its \"tol\", or with --actual those of another program's result. A null "
     "in "
     "\"expected\" is compared with nothing. A line a document, by its file, and by its line in "
     "JSON "
     "Lines, says whether it holds; where not, which stage differs first, at which element, and "
     "both values. One that can't be checked is an error, and those behind it are checked all the "
     "same. Errata that the document lists are reported and don't fail; an erratum that is none "
     "fails. With --why, lines below it say what mistake gives these numbers.",
     command_check},
    {{"diff", "compare two results, stage by stage"},
     "[OPTION]... A B",
     GROUP_COMPARE | GROUP_DIFF | GROUP_FILES | GROUP_ALWAYS,
     NULL,
     "Compares what both files hold under one name, in any formats, stages in the order of the "
     "pipeline. Names the first stage and element that differ, with both values, and then says of "
     "each stage how many numbers differ and by how much; of equal results it says nothing. What "
     "only one of them holds is named in a note. Shapes may differ by leading axes of 1. A hole "
     "(null, an empty cell) equals nothing but a hole; those of an \"expected\" are left out. A "
     "file may be FILE:NAME for one matrix alone, which is compared with the only matrix of the "
     "other. Where both say what made them (--header), different inputs are named; where A carries "
     "its inputs, so are mistakes that the tolerance can't tell from what is right. "
     "--format json says it all to a machine; see DIFFERENCES.",
     command_diff},
    {{"init", "make inputs and weights from a seed"},
     "[OPTION]...",
     GROUP_INIT | GROUP_ALWAYS,
     NULL,
     "Draws input rows and weights, and writes them as a document that run takes, or as a bundle "
     "where --output's ending or --format says so. The document names the command line that makes "
     "it again, so that it need not be kept. The numbers depend on that line alone: not on the "
     "machine, nor on --threads. With --rng they are those that NumPy or PyTorch give from the "
     "same seed.",
     command_init},
    {{"encode", "run an encoder's layers"},
     "[OPTION]... [DOCUMENT]...",
     GROUP_INPUT | GROUP_MODEL | GROUP_STACK | GROUP_STAGES | GROUP_OUTPUT | GROUP_TRACE |
         GROUP_RUN | GROUP_WAYS | GROUP_ALWAYS,
     NULL,
     "Runs the \"layers\" of each DOCUMENT one after the other, each an object with the keys of "
     "attention and those of a layer: norms ln1 and ln2, and the feed-forward part w1, b1, w2, b2. "
     "Settings such as heads, norm and activation stand in a layer or at the top, for all. The "
     "rows are x, tokens with a vocab, or ids with an embedding. Writes output, or the stages that "
     "--emit names; see LAYERS. --trace shows the layers like the floors of a house, each with its "
     "norms, its attention's own steps, its sums and its feed-forward part; --trace=STEP these "
     "steps of every layer, and --trace=layer.0.STEP of one.",
     command_encode},
    {{"decode", "run a decoder's layers"},
     "[OPTION]... [DOCUMENT]...",
     GROUP_INPUT | GROUP_MODEL | GROUP_STACK | GROUP_STAGES | GROUP_OUTPUT | GROUP_TRACE |
         GROUP_RUN | GROUP_WAYS | GROUP_ALWAYS,
     NULL,
     "The same for a decoder: its self-attention is causal unless a document says otherwise, and "
     "layers with an object \"cross\" look at \"memory\", an encoder's output, between "
     "self-attention and feed-forward part.",
     command_decode},
    {{"generate", "let a decoder go on with a prompt"},
     "[OPTION]... [DOCUMENT]",
     GROUP_INPUT | GROUP_MODEL | GROUP_STACK | GROUP_GENERATE | GROUP_TRACE | GROUP_RUN |
         GROUP_WAYS | GROUP_ALWAYS,
     NULL,
     "Runs the layers of DOCUMENT as decode does, on the rows of its prompt: tokens with a vocab, "
     "or ids with an embedding. The output's last row times the unembedding gives a logit for each "
     "id; the one of the greatest is written, a word or an id a line, and is the next row. Keys "
     "and values of the rows before are kept, and each row has the bits that it would have in the "
     "whole sequence computed at once. --trace shows each step: the layers for the rows that are "
     "new, the logits, probabilities where there is a --temperature, and the choice; "
     "--trace=logits,choice these alone, and --trace=step.0 the first step. What a step must give "
     "stands in a document's \"expected\" for check: step.0.logits, step.0.choice (the id), or a "
     "stage of its layers, step.1.layer.0.attention.weights.",
     command_generate},
    {{"info", "say what is in files"},
     "[OPTION]... [FILE]...",
     GROUP_FILES | GROUP_ALWAYS,
     NULL,
     "Lists what is in each FILE: names, shapes, types as the file stores them, least, greatest "
     "and mean of the numbers, and how many are none. FILE:NAME is one entry alone, in JSON "
     "also one that is deeper: layers.0.wq. Of an entry "
     "that is not read, such as texts in a NPZ, it says why. Of JSON it says whether it is "
     "well-formed, a problem document, a document of layers or neither; of these two also how "
     "heads "
     "share keys and values, and what a key/value cache needs. --format json writes an object a "
     "file, a line "
     "each. A file that can't be read is status 2, after all others were looked at.",
     command_info},
    {{"convert", "write a file in another format"},
     "[OPTION]... IN OUT",
     GROUP_FILES | GROUP_CONVERT | GROUP_ALWAYS,
     NULL,
     "Writes all that is in IN as another format: OUT's ending or --format says which, and - is "
     "standard input or output. Order, names, texts and settings are kept, and so are the labels "
     "of the first matrix where the format has a place for them. What has none is named before "
     "anything is written, with status 2; --force leaves it out, and what is not read. IN may be "
     "FILE:NAME for one "
     "matrix alone. Text is read as float64, so that its numbers come out as they stood there, "
     "and a binary output gets float64; with --dtype they are read as that. Binary numbers keep "
     "their precision. With --delimiter and tables on both sides, the delimiter is that of IN.",
     command_convert},
    {{"example", "list or print the built-in worked examples"},
     "[OPTION]... [NAME]",
     GROUP_EXAMPLE | GROUP_ALWAYS,
     &EXAMPLES,
     "Without NAME, lists the documents that are built in; with NAME, prints that one, to be piped "
     "into run or check, or to be changed. With --all, writes each of them with its page and its "
     "picture, and an index to open in a browser.",
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

const command *command_named(int argc, char **argv, int *taken)
{
    const named *found = argc > 1 ? named_find(&COMMANDS, argv[1], strlen(argv[1])) : NULL;
    *taken = found != NULL;
    return (const command *)(const void *)(found != NULL ? found : named_row(&COMMANDS, 0));
}
