#include "cli/options.h"

#include "attn/keys.h"
#include "attn/score.h"
#include "attn/stage.h"
#include "attn/words.h"
#include "cli/help/completion.h"
#include "cli/help/words.h"
#include "cli/init/init_parts.h"
#include "io/format.h"
#include "io/number_write.h"
#include "model/activation.h"
#include "model/keys.h"
#include "model/norm.h"
#include "model/parts.h"
#include "render/renderer.h"
#include "trace/step.h"

#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(options, field)

/* Laid out by hand: first what the row is, then where it goes, last what the manual adds. */
/* clang-format off */
static const option_row ROWS[] = {
    /* input */
    {{"input", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .letter = 'x', .key = "x",
     .manual = "FILE may be FILE:NAME for one matrix out of a file of several, or - for standard "
               "input. A file of the whole name wins; else the name is cut at the first colon "
               "whose left side exists. A file with exactly one matrix needs no NAME. In JSON, "
               "NAME may be the way to what is deeper in a document, with lists counted from 0: "
               "layers.0.wq, expected.output, vocab.cat. All options that take a matrix read their "
               "FILE so."},
    {{"xk", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "xk"},
    {{"xv", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "xv"},
    {{"wq", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "wq"},
    {{"wk", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "wk"},
    {{"wv", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "wv"},
    {{"wo", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "wo"},
    {{"bq", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bq"},
    {{"bk", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bk"},
    {{"bv", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bv"},
    {{"bo", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bo"},
    {{"q", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "q"},
    {{"k", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "k"},
    {{"v", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "v"},
    {{"past-k", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "past_k",
     .manual = "With --past-v, a cache: the keys of earlier rows, whose number is the position of "
               "the first query where --offset does not say it. Of any rank that --k may have, "
               "as wide per head as the new keys, which go behind them. They are taken as they "
               "are: nothing is projected, normalized or rotated again. The stages present_k and "
               "present_v are the next call's cache, in the layout in which k came."},
    {{"past-v", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "past_v"},
    {{"q-gain", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "q_gain",
     .manual = "For --qk-norm: as many numbers as a query is wide in a head, or as many a head. "
               "The default is 1."},
    {{"k-gain", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "k_gain"},
    {{"mask", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "mask",
     .manual = "Rank 1 is one entry a key (padding), rank 2 is n_q × n_k, rank 4 is batch × head × "
               "query × key. Any but the last may be 1: it is the same for all. Rank 3 needs "
               "--mask-axis, unless its first axis is 1."},
    {{"bias", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bias",
     .manual = "Of the same ranks as --mask. -inf is allowed, NaN and +inf are not: it takes out a "
               "key whose score is finite, where --mask takes it out whatever its values."},
    {{"ws", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "ws",
     .manual = "A row a number of a query; --layout out-in turns it, as Wa and Ua too."},
    {{"bs", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bs"},
    {{"wa", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "wa"},
    {{"ua", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "ua"},
    {{"va", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "va"},
    {{"ba", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "ba"},
    {{"sinks", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "sinks",
     .manual = "As many numbers as there are heads. A sink takes part in its head's softmax, in "
               "the maximum and, behind all keys, in the sum; so the weights of a row sum to less "
               "than 1, and a query may attend to nothing much."},
    {{"bias-k", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bias_k",
     .manual = "As wide as all key/value heads of k side by side; with --bias-v. Every query may "
               "attend to it, whatever masks, windows and causality say of the keys before it."},
    {{"bias-v", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bias_v"},
    {{"tokens", NULL}, OPTION_KEY_LIST, GROUP_INPUT, "LIST", .shared = GROUP_INIT, .key = "tokens",
     .manual = "LIST is comma-separated; @FILE reads one a line. With a document's vocab and no x, "
               "the rows are looked up. To init, a number alone says how many rows there are (6)."},
    {{"key-tokens", NULL}, OPTION_KEY_LIST, GROUP_INPUT, "LIST", .key = "key_tokens"},
    {{"bundle", "read matrices by name from one file"}, OPTION_FILE, GROUP_INPUT, "FILE",
     .shared = GROUP_CHECK, .place = AT(bundle),
     .manual = "Weights and biases are found under the names of a document's keys or under those "
               "of many libraries, listed in BUNDLES; a note says which, and which layout that "
               "means. --layout goes over it. The document's own keys and other options go over "
               "what the bundle has, and --no-KEY leaves it out. It is read once, however many "
               "documents there are. Of check's documents those get layers that have a key of "
               "layers or expect a stage of one (layer.0.output), and all do where the bundle has "
               "\"layers\" or --prefix has {}; others get one attention."},
    {{"map", "what is NAME here is KEY in the bundle, RESULT or B"},
     OPTION_PAIR, GROUP_INPUT, "NAME=KEY", .place = AT(map),
     .shared = GROUP_CHECK | GROUP_DIFF,
     .manual = "NAME is a key of the document, and KEY a whole name in the bundle; for diff, NAME "
               "is a name in A, and KEY one in B; for check --actual, NAME is a stage, and KEY a "
               "name in RESULT. Beside --bundle, a NAME that is both a stage and a key is the "
               "bundle's where RESULT has no KEY. For encode and decode it is the way to a key: "
               "layers.0.w1, layers.0.ln1.gain, embedding. May be given several times; what is "
               "not given so is found as without it."},
    {{"prefix", "only names that begin with P, without it"}, OPTION_WORD, GROUP_INPUT, "P",
     .shared = GROUP_CHECK, .place = AT(prefix),
     .manual = "One layer out of a file of many: --prefix layers.0.attention. It need not be "
               "whole: layers.0 stands for the one layer behind layers.0., if there is one, and "
               "for layers.00 where names are numbered so. Without it there must be one layer "
               "only. For encode and decode {} is the number of a layer: --prefix layers.{}, or "
               "what they all are in."},
    {{"input-format", "read every file as this, whatever it looks like"},
     OPTION_WORD, GROUP_INPUT, "F", .shared = GROUP_FILES | GROUP_CHECK,
     .place = AT(input_format), .choices = &FORMATS,
     .manual = "Without it the format comes from the first bytes, then from the name's ending."},
    {{"delimiter", "what separates the cells of a CSV"}, OPTION_CHARACTER, GROUP_INPUT, "C",
     .shared = GROUP_FILES | GROUP_CHECK, .place = AT(delimiter),
     .manual = "One character, or the word tab. Where it is a space, each one separates: columns "
               "that several align are refused, since a cell that is left out would move those "
               "behind it."},
    {{"layout", NULL}, OPTION_KEY_VALUE, GROUP_INPUT, "WORD", .shared = GROUP_INIT,
     .key = "layout", .choices = &LAYOUT_WORDS,
     .manual = "Of Wq, Wk, Wv and Wo, and of the score's Ws, Wa and Ua. nn.Linear keeps its "
               "weights out-in."},
    {{"allow-nonfinite", "let NaN and infinities in inputs through"}, OPTION_FLAG, GROUP_INPUT,
     .place = AT(allow_nonfinite)},
    /* model */
    {{"heads", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N", .shared = GROUP_INIT, .key = "heads",
     .manual = "The columns of Wq, Wk and Wv are cut into N equal chunks, one a head; matrices of "
               "rank 3 are one matrix a head. With heads, results have a head axis, even with "
               "--heads 1."},
    {{"kv-heads", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N", .shared = GROUP_INIT,
     .key = "kv_heads",
     .manual = "Fewer heads for keys and values than for queries: each is shared by heads/N query "
               "heads in a row. Where nothing says how many query heads there are, they are N."},
    {{"causal", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .value_is_optional = true, .key = "causal", .choices = &CAUSAL_WORDS,
     .manual = "A bare --causal is upper-left. The two alignments differ only where n_q ≠ n_k; a "
               "note says which was used when neither was named."},
    {{"offset", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N", .key = "offset",
     .manual = "With --offset i, a single query computed alone sees what row i (from 0) of the "
               "whole would."},
    {{"window", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "L,R", .key = "window",
     .manual = "The query at position p (its number, --offset and the alignment of --causal "
               "counted) sees keys p-L to p+R; with --causal, those of them that it may see. What "
               "lies outside costs no time."},
    {{"key-lengths", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N,...", .key = "key_lengths",
     .manual = "Keys from that count on only fill the batch up, and are seen by nobody; one number "
               "is for all entries. With --causal=lower-right each entry's last query sees the "
               "last key that is there."},
    {{"alibi", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "S,...",
     .value_is_optional = true, .key = "alibi",
     .manual = "Takes slope·|p-j| off the score of the query at position p with key j. A bare "
               "--alibi takes the published slopes: 2^(-8i/h) for head i of h, and where h is no "
               "power of two, those of the power below, then every second one of the power above. "
               "A slope is computed in float64 and rounded to the type; the distance is exact; "
               "their product is rounded once, and so is the difference, after the bias is added."},
    {{"add-zero", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .value_is_optional = true, .key = "add_zero", .choices = &TRUTH_WORDS,
     .manual = "As nn.MultiheadAttention's add_zero_attn: behind the row of --bias-k, where there "
               "is one. What is no key of the sequence is added to the keys' sum in this order, "
               "and then a sink, without loss, and the whole is rounded once."},
    {{"scale", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "S",
     .key = "scale", .choices = &SCALE_WORDS,
     .manual = "A number multiplies. The default is head for --score scaled, none for the others."},
    {{"softcap", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "C", .key = "softcap",
     .manual = "Keeps every score between -C and C, before bias and mask; small scores stay nearly "
               "as they are. C is above 0."},
    {{"score", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "F", .key = "score", .choices = &SCORES},
    {{"top", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "K", .key = "top",
     .manual = "Makes the stage top, the K keys of the greatest weights of each row, ties to the "
               "earlier key; --trace shows them with their tokens."},
    {{"qk-norm", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .key = "qk_norm", .choices = &QK_NORM_WORDS,
     .manual = "With rms, each head's query and key is divided by √(mean of squares + --qk-eps) "
               "and multiplied by --q-gain or --k-gain: computed in float64, rounded once, 0 "
               "where the root is 0. It comes before rotary positions, as in Qwen3 and Gemma 3; "
               "the keys of a cache are not normalized again."},
    {{"qk-eps", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "E", .key = "qk_eps",
     .manual = "From 0; the default is 1e-6."},
    {{"positions", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .key = "positions", .choices = &POSITIONS_WORDS,
     .manual = "With sinusoidal, row i of x, which stands at --offset + i (behind a cache, or with "
               "lower-right at the end, which --key-lengths may not be beside), becomes x + PE, "
               "the stage x_pos, where PE(position, 2i) = sin(position·10000^(−2i/m)) and "
               "PE(position, 2i + 1) is the cosine of the same "
               "(Vaswani et al., Attention Is All You Need, 2017, section 3.5). Queries, and keys "
               "and values that have no xk or xv of their own, are made of the sums; xk and xv "
               "stay, since the paper adds positions at the bottoms of its stacks only. Sine and "
               "cosine are within 1 ulp in float64, each sum is rounded to the type once; x is "
               "not multiplied by √m before, as the paper's embeddings are."},
    {{"rope", "rotary positions: their base (default: 10000)"},
     OPTION_KEY_VALUE, GROUP_MODEL, "BASE",
     .value_is_optional = true, .key = "rope",
     .manual = "Rotary positions (Su et al., RoFormer, 2021): pair p of each head's query and key "
               "is turned by the angle position·base^(−2p/width). A bare --rope has base 10000. "
               "Queries stand at --offset and behind it (with lower-right, the last one at the "
               "last key of its batch entry), new keys at 0 and behind it, or behind the cache, "
               "whose own keys are taken as turned before. base^(−2p/width) is rounded to "
               "float64, the angle is exact, sine and cosine are within 1 ulp in float64, and "
               "x₁·cos − x₂·sin and x₂·cos + x₁·sin are computed in float64 and rounded to the "
               "type once. In a document, rope may also be an object of base, pairing, width and "
               "positions; --rope takes the place of all of it."},
    {{"rope-pairing", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .key = "rope_pairing", .choices = &PAIRING_WORDS,
     .manual = "The default is half."},
    {{"rope-width", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N", .key = "rope_width",
     .manual = "The first N of each head, an even number; the others stay. The default is all."},
    {{"rope-positions", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N,...", .key = "rope_positions",
     .manual = "One for each row where there are as many queries as new keys, or those of the "
               "queries and then those of the keys. In a document also such a list for each batch "
               "entry. For causality, --offset still decides."},
    {{"round", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N[:keep-sum]", .key = "round",
     .manual = "Rounds weights to N decimals, halves away from zero, as one does at the "
               "blackboard. With :keep-sum each row still sums to 1: the largest remainders are "
               "rounded up, ties to the earlier key."},
    {{"mask-true", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .key = "mask_true", .choices = &MASK_TRUE_WORDS},
    {{"mask-axis", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .key = "mask_axis", .choices = &MASK_AXIS_WORDS,
     .manual = "For masks and biases alike. With batch, a mask of rank 2 is batch × key: padding."},
    {{"dtype", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "TYPE",
     .shared = GROUP_CONVERT | GROUP_INIT,
     .key = "dtype", .choices = &DTYPE_WORDS},
    /* output */
    {{"emit", "stages to write (default: weights,output)"}, OPTION_WORDS, GROUP_OUTPUT, "STAGE,...",
     .shared = GROUP_STAGES, .any_in = GROUP_WAYS, .place = AT(emit), .choices = &STAGES,
     .manual = "May be given several times; results come in the order named. What is emitted does "
               "not depend on the format. With encode and decode a stage is named by the way to "
               "it, such as layer.0.attention.weights, * stands for anything, and the default is "
               "output."},
    {{"output", "write the data to FILE, whole or not at all"}, OPTION_FILE, GROUP_OUTPUT, "FILE",
     .shared = GROUP_INIT | GROUP_STAGES | GROUP_GENERATE,
     .letter = 'o', .place = AT(output),
     .manual = "The format comes from --format, else from the ending. The file is replaced only "
               "when everything was written. - is standard output."},
    {{"format", "format of the data (default: by name, else JSON)"}, OPTION_WORD, GROUP_OUTPUT, "F",
     .shared = GROUP_FILES | GROUP_INIT | GROUP_STAGES, .place = AT(format), .choices = &FORMATS,
     .manual = "The default is the ending of --output, else JSON, or CSV when every matrix came "
               "from CSV or TSV files and no document was given."},
    {{"write", "write one stage to a file of its own"}, OPTION_PAIR, GROUP_OUTPUT, "STAGE=FILE",
     .shared = GROUP_STAGES, .any_in = GROUP_WAYS, .place = AT(write), .choices = &STAGES,
     .manual = "May be given several times. The format comes from the file's ending, then from "
               "--format."},
    {{"digits", "decimals of every number (default: the shortest)"},
     OPTION_COUNT, GROUP_OUTPUT, "N",
     .shared = GROUP_CONVERT | GROUP_INIT | GROUP_CHECK | GROUP_STAGES | GROUP_GENERATE,
     .place = AT(digits), .has = AT(has_digits), .most = NUMBER_MAX_DIGITS,
     .manual = "Without it data are written as the shortest decimals that read back to the same "
               "number, and a trace with at most 4 decimals. N is at most 40. Of generate, data "
               "are --logits."},
    {{"average-heads", "write weights as their mean over the heads"}, OPTION_FLAG, GROUP_OUTPUT,
     .place = AT(average_heads)},
    {{"header", "say in the result what made it, from which inputs"}, OPTION_FLAG, GROUP_OUTPUT,
     .shared = GROUP_STAGES, .place = AT(header),
     .manual = "Version, arguments and a hash of each input, as the key _header of JSON and as "
               "comments of CSV. Inputs of encode and decode are named as by --map, layers.0.w1. "
               "Never by default: a golden file must not change with a release."},
    {{"keep-going", "write {\"error\": ...} for a bad document, and go on"},
     OPTION_FLAG, GROUP_OUTPUT, .place = AT(keep_going),
     .manual = "The error stands in the place of the result and on standard error, and the exit "
               "status is 2 in the end; with --stream the sequence lacks the rows of that line, "
               "and later ones move up. For JSON and JSON Lines only. Without it the first bad "
               "document ends the run: results before it stay on standard output, and no file is "
               "replaced."},
    {{"stream", "documents are the rows of one sequence, a line each"},
     OPTION_FLAG, GROUP_OUTPUT, .place = AT(stream),
     .manual = "Reads JSON Lines, a token or a block of tokens a line, and writes a result a line. "
               "What all rows share (weights, settings, a vocab) comes from options, --bundle or "
               "the first line; each line brings its x (or tokens, or q, k and v), where its rows "
               "stand (rope_positions) if the first one does, and no more. The "
               "program keeps keys and values of the lines before, in the order in which products "
               "read them, and forgets those that no later row can see (--window). Each row has "
               "the same bytes as in the whole sequence computed at once; "
               "so --causal must be given, or a --window that ends at 0. What counts from the last "
               "key or knows their number is refused: lower-right, --key-lengths, masks, biases, "
               "appended rows."},
    /* trace */
    {{"trace", "show every step with its numbers, or these steps"},
     OPTION_WORDS, GROUP_TRACE, "STEP,...", .value_is_optional = true, .any_in = GROUP_WAYS,
     .place = AT(steps), .has = AT(trace), .choices = &STEPS, .also = &STAGES,
     .manual = "The trace takes the place of the data on standard output, unless --trace-output "
               "gives it a file of its own; with --output or --write the data go there. A stage's "
               "name stands for the step that makes it. Layers have more steps, and each has a "
               "name of its own by the way to it; see LAYERS."},
    {{"trace-format", "how the trace is written; implies --trace"}, OPTION_WORD, GROUP_TRACE, "F",
     .place = AT(trace_format), .has = AT(trace), .choices = &RENDERERS,
     .manual = "In json, as in all data, what a field counts is from 0: batch, the sequence that "
               "is shown, where there is a batch; of an item head, whose numbers they are, where "
               "there are heads (of keys and values the one that the query's head shares), and "
               "focus, the row that is spelled out. Names and sentences count from 1, as the text "
               "does: scores[1,2] is of row 0."},
    {{"trace-output", "write the trace to FILE; implies --trace"}, OPTION_FILE, GROUP_TRACE, "FILE",
     .place = AT(trace_output), .has = AT(trace),
     .manual = "Without --trace-format the ending of FILE decides, .md, .tex, .json or .html, and "
               "another one means text."},
    {{"focus", "which row, head and batch are spelled out"},
     OPTION_PLACES, GROUP_TRACE, "row=I,head=H", .place = AT(focus), .choices = &FOCUS_WORDS,
     .manual = "Rows, heads and batches count from 1; batch=B is the third word. The default is "
               "the first of each. A page shows the whole of this row where it leaves out columns, "
               "those beyond 64."},
    {{"full", "show large matrices whole"}, OPTION_FLAG, GROUP_TRACE, .place = AT(full)},
    {{"blank", "leave these steps of a page empty, to be filled in"}, OPTION_WORDS, GROUP_TRACE,
     "STEP,...", .any_in = GROUP_WAYS, .place = AT(blank), .has = AT(trace), .choices = &STEPS,
     .also = &STAGES,
     .manual = "For --trace-format html: the page checks what is typed, and three hints help: the "
               "formula, its operands, the sum. A stage's name stands for the step that makes it; "
               "steps of layers are named as by --trace. Later steps show what they make of an "
               "asked number, and □ for the number, also where they hand it on as it is."},
    {{"picture", "draw the weights, a heat map a head, as SVG in FILE"}, OPTION_FILE, GROUP_TRACE,
     "[FILE]", .alone = "-", .shared = GROUP_DIFF, .place = AT(picture),
     .manual = "FILE ends in .svg or has no ending. The same bytes for the same weights, labelled "
               "with the tokens, numbers of two decimals, or --digits, in the cells of up to 16 "
               "rows and columns. With -, and without FILE, which may be left out at the end and "
               "before another option, the picture takes the place of the data on standard "
               "output and is made of characters: in 24-bit colour where --color allows it, with "
               "numbers where the width has room. Above 64 rows or columns a square stands for "
               "several weights and shows the greatest. In a batch it is the entry of --focus, the "
               "first by itself. diff draws where the first stage differs, and how much; with - "
               "that is --heat-map."},
    /* run */
    {{"threads", "threads to use (default: all processors)"}, OPTION_COUNT, GROUP_RUN, "N",
     .shared = GROUP_FILES | GROUP_INIT, .place = AT(threads), .has = AT(has_threads), .least = 1,
     .most = THREADS_MOST,
     .manual = "The result does not depend on it. Where one can't be started, fewer do the work, "
               "and a note says so."},
    {{"isa", "instruction set to use (default: auto)"}, OPTION_WORD, GROUP_RUN, "NAME",
     .place = AT(isa), .choices = &ISAS, .also = &AUTO_WORDS,
     .manual = "The result does not depend on it."},
    {{"max-memory", "refuse what needs more: 500K, 64M, 2G"}, OPTION_SIZE, GROUP_RUN, "SIZE",
     .shared = GROUP_FILES | GROUP_INIT, .place = AT(max_memory), .has = AT(has_max_memory),
     .manual = "The default is 80 % of what the machine and its control group have free. The "
               "answer comes before anything is computed, with the sizes that led there. What "
               "counts is the result and what it is computed in, not the inputs, which are "
               "there by then. Scores and weights that take more than 64 MB, or where it would "
               "be too much, more than 64 KB, are not kept where only text is made of them: they "
               "are computed once more while they are written. A pipe is read up to as much; a "
               "file is mapped, and takes none."},
    {{"force", "do what is refused as too large, or as a loss"}, OPTION_FLAG, GROUP_RUN,
     .shared = GROUP_CONVERT | GROUP_EXAMPLE, .place = AT(force),
     .manual = "Lets the stage weighted hold more than a million numbers, weights that no --emit "
               "names more than a billion, and an output take more than a tenth of the free disk; "
               "lets convert leave out what the output has no place for, and example --all "
               "replace files that are there."},
    /* compare */
    {{"tol", "absolute difference that still counts as equal"},
     OPTION_TOLERANCE, GROUP_COMPARE, "[STAGE=]T", .place = AT(tol),
     .manual = "Takes the place of a document's tol, and for diff is --atol by another name. The "
               "default of diff is 0: equal means equal. That of check is 1e-9, also for a stage "
               "that a tol of stages leaves out, and with --actual 1e-5. With STAGE= it is for "
               "that stage alone, where it goes over what is said for all; it may be given "
               "several times. Of an attention that passes a note tells what else would."},
    /* check */
    {{"actual", "check the stages in RESULT, not what the document expects"},
     OPTION_FILE, GROUP_CHECK, "RESULT", .place = AT(actual),
     .manual = "RESULT is a file of stages in any format, such as another program's; --map "
               "weights=attn says what it calls the weights. FILE:NAME is one matrix of it, the "
               "stage of that name. A matrix without a name is the output, and so is a NAME that "
               "is no stage, unless --map says otherwise: --map weights=output of a matrix without "
               "a name. A hole (null, an empty cell) differs from any number. Matrices that are no "
               "stages are named in a note. It is the result of one document, or in JSON Lines "
               "each line is that of one, in their order, and there must be as many. The tol of a "
               "document is for what it expects: here a difference of 1e-5 still counts as equal, "
               "or that of --tol."},
    {{"answers", "mark the answers in FILE to an exercise of --blank"},
     OPTION_FILE, GROUP_CHECK, "FILE", .place = AT(answers),
     .manual = "FILE is a JSON object from stages to matrices, where null is an empty cell: "
               "{\"scores\": [[2, 4], [null, 16]]}, of layers {\"layer.0.ln1\": [[1, -1]]}. An "
               "answer is right within half of the last of 4 decimals, or of --digits, in whatever "
               "notation (0.0003 and 2.95e-4 are both 2.9539e-04), as on the page, and in float32 "
               "as there, unless dtype says otherwise. For each that is not the formula is given, "
               "not the number. A page saves beside its answers which command made it "
               "(\"_command\": \"decode\"), which entry of a batch it shows, from 1 (\"_batch\": "
               "2), and of a stage that it asks for in part which cells these are "
               "(\"_asked.scores\": [[1, 1], [0, 0]]): only they count."},
    {{"why", "say which mistake gives the numbers that differ"},
     OPTION_FLAG, GROUP_CHECK, .place = AT(why),
     .manual = "Where numbers differ, computes the document again with each of the mistakes in "
               "MISTAKES, and in small documents with each two of them, and lists those that give "
               "these numbers, best first, and in how many digits they agree. Of a document of "
               "layers, or of the steps of a generation, it says which stage differs first, and, "
               "where no mistake in all layers gives the numbers, which one does in one layer. "
               "Numbers of another shape are an error; then it says what gives that shape."},
    {{"update", "write numbers that differ into the documents"},
     OPTION_FLAG, GROUP_CHECK, .place = AT(update),
     .manual = "Where documents are in files of JSON or JSON Lines. Each number of \"expected\" "
               "that is beyond its tolerance becomes what is computed, in the decimals that its "
               "stage has in the file, or in full where those would not be near enough; all other "
               "text stays as it is. null and errata stay, too. A file is written once, when all "
               "its documents were checked, and stays what it was where anything fails."},
    {{"tap", "write the Test Anything Protocol"}, OPTION_FLAG, GROUP_CHECK, .place = AT(tap),
     .manual = "Version 13: a test a document, and one for each that can't be checked."},
    {{"jobs", "check so many files at once"}, OPTION_COUNT, GROUP_CHECK, "N",
     .place = AT(jobs), .has = AT(has_jobs), .least = 1, .most = 256,
     .manual = "What comes out does not depend on it: a file that takes more than its share of "
               "--max-memory is checked alone."},
    /* help */
    {{"completion", "print completions for a shell"}, OPTION_WORD, GROUP_HELP, "SHELL",
     .place = AT(completion), .choices = &SHELLS},
    /* always */
    {{"quiet", "no notes on standard error"}, OPTION_FLAG, GROUP_ALWAYS, .place = AT(quiet),
     .manual = "Nor the line that says on a terminal how far a long run is."},
    {{"color", "whether to use colour"}, OPTION_WORD, GROUP_ALWAYS, "W",
     .place = AT(color), .choices = &COLOR_WORDS},
    {{"help", "print this help, or a command's"}, OPTION_FLAG, GROUP_ALWAYS,
     .letter = 'h', .place = AT(help)},
    {{"version", "print the version and the instruction set"},
     OPTION_FLAG, GROUP_ALWAYS, .letter = 'V', .place = AT(version)},
    /* numbers that become another file's */
    {{"csv-safe", "no label in a table is a spreadsheet's formula"}, OPTION_FLAG, GROUP_CONVERT,
     .place = AT(csv_safe),
     .manual = "A label or a name that begins with =, +, - or @ and is no number gets an "
               "apostrophe in front of it in CSV, TSV and tidy tables. It is a part of the label "
               "from then on: what reads the table finds it there. Without the option a note "
               "counts such cells."},
    /* two results */
    {{"atol", "absolute difference that still counts as equal"}, OPTION_NUMBER, GROUP_DIFF, "T",
     .place = AT(atol), .has = AT(has_atol),
     .manual = "By numpy's rule, a number a of A equals b of B where |a-b| <= atol + rtol*|b|, "
               "computed in float64: B is what is held to be right."},
    {{"rtol", "the same in proportion: |a-b| <= atol + rtol*|b|"}, OPTION_NUMBER, GROUP_DIFF, "T",
     .place = AT(rtol)},
    {{"ulps", "numbers at most N places apart count as equal"}, OPTION_COUNT, GROUP_DIFF, "N",
     .place = AT(ulps), .has = AT(has_ulps), .most = SIZE_MAX / 4 + 1,
     .manual = "Also where they are too far apart for --atol and --rtol: each rule alone is "
               "enough. What is counted are the numbers of the coarser of the two types from one "
               "to the other, so --ulps 0 asks for the same number of that type. Text is of the "
               "other side's type, and float64 beside text."},
    {{"equal-nan", "let NaN equal NaN"}, OPTION_FLAG, GROUP_DIFF, .place = AT(equal_nan)},
    {{"ignore", "leave these stages out"}, OPTION_WORDS, GROUP_DIFF, "STAGE,...",
     .place = AT(ignore)},
    {{"summary", "a line a stage, also where all are equal"}, OPTION_FLAG, GROUP_DIFF,
     .place = AT(summary),
     .manual = "In place of what is said of the first difference; with a line that counts them."},
    {{"heat-map", "draw where the first stage differs, and how much"}, OPTION_FLAG, GROUP_DIFF,
     .place = AT(heat_map),
     .manual = "On a terminal it is drawn without being asked for. In colour where --color allows "
               "it, else in characters."},
    /* init */
    {{"width", "numbers in an input row (default: 8)"}, OPTION_COUNT, GROUP_INIT, "N",
     .place = AT(width), .least = 1, .most = 1 << 30},
    {{"head-width", "numbers in a head (default: width / heads)"}, OPTION_COUNT, GROUP_INIT, "N",
     .place = AT(head_width), .least = 1, .most = 1 << 30},
    {{"seed", "what the random numbers begin with (default: 0)"}, OPTION_COUNT, GROUP_INIT, "N",
     .shared = GROUP_GENERATE | GROUP_CHECK, .place = AT(seed), .has = AT(has_seed),
     .most = SIZE_MAX,
     .manual = "Up to 2^64-1; numpy-legacy takes 2^32-1, and of torch's the lower 32 bits count, "
               "as there."},
    {{"rng", "the generator of random numbers (default: own)"}, OPTION_WORD, GROUP_INIT, "RNG",
     .place = AT(rng), .choices = &GENERATORS,
     .manual = "own gives each matrix numbers of its own, whatever else is drawn, so that "
               "--draw does not change them. The others give what their libraries give from that "
               "seed, one number after the other: with numpy and numpy-legacy, uniform is "
               "random or rand, and gaussian is standard_normal or randn, converted to "
               "float32; with torch, uniform is rand, gaussian is randn or nn.Embedding's, "
               "and the xavier, kaiming and torch-linear ones are those of torch.nn.init, in "
               "float32. PyTorch's last bits depend on the code that it dispatches to: torch is "
               "what it gives on a processor with AVX2, torch-scalar what it gives without, or "
               "with ATEN_CPU_CAPABILITY=default. NumPy's normal numbers are not offered in "
               "float64, whose last bits are the C library's."},
    {{"dist", "the distribution of the numbers (default: gaussian)"}, OPTION_WORD, GROUP_INIT,
     "DIST", .place = AT(dist), .choices = &DISTRIBUTIONS,
     .manual = "Those that are made for weights leave input rows gaussian; xavier and kaiming ones "
               "leave biases 0."},
    {{"dist-of", "the distribution of one matrix"}, OPTION_PAIR, GROUP_INIT, "NAME=DIST",
     .place = AT(dist_of), .choices = &PARTS,
     .manual = "May be given several times: --dist xavier-normal --dist-of x=uniform."},
    {{"draw", "matrices to draw, in this order"}, OPTION_WORDS, GROUP_INIT, "NAME,...",
     .place = AT(draw), .choices = &PARTS,
     .manual = "Without it: x, wq, wk, wv, wo; with torch-mha, x comes last, behind Wo, its bias "
               "and the others. Only what is named is drawn. The document has them in this order "
               "too."},
    {{"biases", "draw bq, bk, bv and bo as well, behind the others"}, OPTION_FLAG, GROUP_INIT,
     .place = AT(biases)},
    {{"low", "where uniform numbers begin (default: 0)"}, OPTION_REAL, GROUP_INIT, "A",
     .place = AT(knobs.value[KNOB_LOW]), .has = AT(knobs.is_set[KNOB_LOW])},
    {{"high", "where uniform numbers end (default: 1)"}, OPTION_REAL, GROUP_INIT, "B",
     .place = AT(knobs.value[KNOB_HIGH]), .has = AT(knobs.is_set[KNOB_HIGH])},
    {{"mean", "mean of gaussian numbers (default: 0)"}, OPTION_REAL, GROUP_INIT, "M",
     .place = AT(knobs.value[KNOB_MEAN]), .has = AT(knobs.is_set[KNOB_MEAN])},
    {{"std", "standard deviation of gaussian numbers (default: 1)"}, OPTION_NUMBER, GROUP_INIT,
     "S", .place = AT(knobs.value[KNOB_STD]), .has = AT(knobs.is_set[KNOB_STD])},
    {{"gain", "factor of xavier (default: 1) and kaiming (√2)"}, OPTION_NUMBER, GROUP_INIT, "G",
     .place = AT(knobs.value[KNOB_GAIN]), .has = AT(knobs.is_set[KNOB_GAIN])},
    {{"fan", "what kaiming keeps: in (default) or out"}, OPTION_WORD, GROUP_INIT, "WORD",
     .place = AT(fan), .choices = &FAN_WORDS},
    {{"value", "what constant is (default: 1)"}, OPTION_REAL, GROUP_INIT, "V",
     .place = AT(knobs.value[KNOB_VALUE]), .has = AT(knobs.is_set[KNOB_VALUE])},
    /* example */
    {{"all", "write all examples with their pages to DIR"}, OPTION_FILE, GROUP_EXAMPLE, "DIR",
     .place = AT(all),
     .manual = "For each NAME.json its NAME.html, every step as a page, and, where it is one "
               "attention, NAME.svg, its weights as a picture; index.html leads to all of them. "
               "DIR is made where it is not there. Where one of these files is, nothing is "
               "written without --force."},
    /* stacks of layers */
    {{"memory", NULL}, OPTION_KEY_FILE, GROUP_STACK, "FILE", .key = "memory"},
    {{"ids", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "N,...", .key = "ids"},
    {{"segments", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "N,...", .key = "segments",
     .manual = "BERT's token types: each row has that row of segment_embedding added, before its "
               "position. Rows that generate adds are of the last one."},
    {{"norm", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "ORDER",
     .key = "norm", .choices = &NORM_ORDERS,
     .manual = "The order of all layers that say nothing else; post is the default."},
    {{"norm-kind", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "KIND",
     .key = "norm_kind", .choices = &NORM_KINDS,
     .manual = "The kind of all norms whose layers say nothing else; layer is the default."},
    {{"norm-eps", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "NUMBER",
     .key = "norm_eps"},
    {{"activation", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "NAME",
     .key = "activation", .choices = &ACTIVATIONS,
     .manual = "Of all layers that say nothing else; relu is the default."},
    /* generating */
    {{"length", "how many tokens to generate (default: 16)"}, OPTION_COUNT, GROUP_GENERATE, "N",
     .place = AT(generated), .least = 1, .most = 1000000},
    {{"temperature", "draw with the probabilities softmax(logits / T)"},
     OPTION_NUMBER, GROUP_GENERATE, "T", .shared = GROUP_CHECK, .place = AT(temperature),
     .has = AT(has_temperature),
     .manual = "The default, 0, takes the greatest logit each time. The numbers drawn depend on "
               "--seed alone, and so do the tokens, whatever the machine and --threads."},
    {{"logits", "write a JSON object a token, with all logits"},
     OPTION_FLAG, GROUP_GENERATE, .place = AT(logits)},
    {{"stop", "end behind this word, or id"}, OPTION_WORD, GROUP_GENERATE, "TOKEN",
     .place = AT(stop)},
};
/* clang-format on */

const named_table OPTIONS = NAMED_TABLE_ALSO("option", ROWS, KEY_SYNONYMS);

const option_title OPTION_TITLES[] = {
    {GROUP_INPUT, "Input", "FILE may be FILE:NAME, or - for standard input."},
    {GROUP_MODEL, "Model", "--no-KEY removes a key that a document sets: --no-causal."},
    {GROUP_OUTPUT, "Output", NULL},
    {GROUP_TRACE, "Trace", NULL},
    {GROUP_RUN, "Running", NULL},
    {GROUP_STACK, "Layers", NULL},
    {GROUP_GENERATE, "Generating", NULL},
    {GROUP_COMPARE, "Comparing", NULL},
    {GROUP_CHECK, "Checking", NULL},
    {GROUP_DIFF, "Two results", "Without a tolerance, equal means equal."},
    {GROUP_INIT, "Making matrices", NULL},
    {GROUP_EXAMPLE, "Examples", NULL},
    {GROUP_HELP, "Help", NULL},
    {GROUP_FILES, "Files", NULL},
    {GROUP_CONVERT, "Numbers", NULL},
    {GROUP_ALWAYS, "With every command", NULL},
};
const size_t OPTION_TITLE_COUNT = sizeof OPTION_TITLES / sizeof OPTION_TITLES[0];

const char *option_help(const option_row *row)
{
    if (row->named.help != NULL)
        return row->named.help;
    return key_find(&STACK_DOCUMENT, row->key, strlen(row->key))->named.help;
}

unsigned option_heading(const option_row *row, unsigned groups)
{
    return row->group & groups ? (unsigned)row->group : row->shared & groups;
}

const option_row *option_by_name(const char *name, size_t length)
{
    return (const option_row *)(const void *)named_find(&OPTIONS, name, length);
}

const option_row *option_by_letter(char letter)
{
    for (size_t i = 0; i < OPTIONS.count; i++) {
        if (letter != '\0' && ROWS[i].letter == letter)
            return &ROWS[i];
    }
    return NULL;
}

const option_row *option_by_key(const char *key_name, size_t length)
{
    for (size_t i = 0; i < OPTIONS.count; i++) {
        const char *sets = ROWS[i].key;
        if (sets != NULL && strlen(sets) == length && memcmp(sets, key_name, length) == 0)
            return &ROWS[i];
    }
    return NULL;
}
