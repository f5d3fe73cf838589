#include "cli/line/options.h"

#include "attn/spec/keys.h"
#include "attn/spec/score.h"
#include "attn/spec/setting.h"
#include "attn/spec/stage.h"
#include "base/threads.h"
#include "cli/help/help.h"
#include "cli/init/init_parts.h"
#include "io/format.h"
#include "io/number_write.h"
#include "model/parts.h"
#include "model/stack_keys.h"
#include "render/renderer.h"
#include "trace/trace.h"

#include <stddef.h>
#include <string.h>

/* Words that nothing below the command line knows. Words with something to do are in the tables
 * that do it; words of a document's settings are in attn/spec/setting.h. */
static const named COLOR_ROWS[] = {
    {"auto", "colour on a terminal, unless NO_COLOR is set or TERM is dumb"},
    {"always", "colour also into files and pipes"},
    {"never", "no colour"},
};

static const named FOCUS_ROWS[] = {
    {"row", "the query whose numbers are spelled out"},
    {"head", "the head whose numbers are spelled out"},
    {"batch", "the batch whose numbers are spelled out"},
};

static const named AUTO_ROWS[] = {
    {"auto", "the fastest that this machine has"},
};

static const named FAN_ROWS[] = {
    {"in", "the variance of what comes out of a matrix"},
    {"out", "the variance of the gradients that come back through it"},
};

static const named_table COLOR_WORDS = NAMED_TABLE("colour word", COLOR_ROWS);
static const named_table FOCUS_WORDS = NAMED_TABLE("focus", FOCUS_ROWS);
static const named_table AUTO_WORDS = NAMED_TABLE("instruction set", AUTO_ROWS);
static const named_table FAN_WORDS = NAMED_TABLE("fan", FAN_ROWS);

#define AT(field) offsetof(options, field)

/* Laid out by hand: first what the row is, then where it goes; what else is to be said of it is in
 * src/text/options.txt. */
/* clang-format off */
static const option_row ROWS[] = {
    /* input */
    {{"input", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .letter = 'x', .key = "x"},
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
    {{"past-k", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "past_k"},
    {{"past-v", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "past_v"},
    {{"q-gain", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "q_gain"},
    {{"k-gain", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "k_gain"},
    {{"wq-down", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "wq_down"},
    {{"bq-down", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bq_down"},
    {{"q-latent-gain", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "q_latent_gain"},
    {{"wkv-down", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "wkv_down"},
    {{"bkv-down", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bkv_down"},
    {{"kv-latent-gain", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "kv_latent_gain"},
    {{"mask", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "mask"},
    {{"bias", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bias"},
    {{"ws", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "ws"},
    {{"bs", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bs"},
    {{"wa", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "wa"},
    {{"ua", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "ua"},
    {{"va", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "va"},
    {{"ba", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "ba"},
    {{"sinks", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "sinks"},
    {{"bias-k", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bias_k"},
    {{"bias-v", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "bias_v"},
    {{"output-grad", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "output_grad",
     .choices = &FILL_WORDS},
    {{"logsumexp-grad", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "logsumexp_grad"},
    {{"target", NULL}, OPTION_KEY_FILE, GROUP_INPUT, "FILE", .key = "target"},
    {{"tokens", NULL}, OPTION_KEY_LIST, GROUP_INPUT, "LIST", .shared = GROUP_INIT, .key = "tokens"},
    {{"key-tokens", NULL}, OPTION_KEY_LIST, GROUP_INPUT, "LIST", .key = "key_tokens"},
    {{"bundle", "read matrices by name from one file"}, OPTION_FILE, GROUP_INPUT, "FILE",
     .shared = GROUP_CHECK, .file = FILE_READ, .place = AT(bundle)},
    {{"model", "read a model's folder: config.json and its weights"}, OPTION_FILE, GROUP_INPUT,
     "FOLDER", .shared = GROUP_CHECK, .file = FILE_READ, .place = AT(model)},
    {{"map", "what is NAME here is KEY in the bundle, RESULT or B"},
     OPTION_PAIR, GROUP_INPUT, "NAME=KEY", .place = AT(map),
     .shared = GROUP_CHECK | GROUP_DIFF},
    {{"prefix", "only names that begin with P, without it"}, OPTION_WORD, GROUP_INPUT, "P",
     .shared = GROUP_CHECK, .place = AT(prefix)},
    {{"input-format", "read every file as this, whatever it looks like"},
     OPTION_WORD, GROUP_INPUT, "F", .shared = GROUP_FILES | GROUP_CHECK,
     .place = AT(input_format), .choices = &FORMATS},
    {{"delimiter", "what separates the cells of a CSV"}, OPTION_CHARACTER, GROUP_INPUT, "C",
     .shared = GROUP_FILES | GROUP_CHECK, .place = AT(delimiter)},
    {{"layout", NULL}, OPTION_KEY_VALUE, GROUP_INPUT, "WORD", .shared = GROUP_INIT,
     .key = "layout", .choices = &LAYOUT_WORDS},
    {{"allow-nonfinite", "let NaN and infinities in inputs through"}, OPTION_FLAG, GROUP_INPUT,
     .shared = GROUP_CHECK,
     .place = AT(allow_nonfinite)},
    /* model */
    {{"heads", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N", .shared = GROUP_INIT, .key = "heads"},
    {{"kv-heads", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N", .shared = GROUP_INIT,
     .key = "kv_heads"},
    {{"causal", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .value_is_optional = true, .key = "causal", .choices = &CAUSAL_WORDS},
    {{"offset", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N,...", .key = "offset"},
    {{"window", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "L,R", .key = "window"},
    {{"key-lengths", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N,...", .key = "key_lengths"},
    {{"alibi", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "S,...",
     .value_is_optional = true, .key = "alibi"},
    {{"add-zero", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .value_is_optional = true, .key = "add_zero", .choices = &TRUTH_WORDS},
    {{"scale", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "S", .key = "scale", .choices = &SCALE_WORDS},
    {{"clip", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "C", .key = "clip"},
    {{"softcap", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "C", .key = "softcap"},
    {{"score", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "F", .key = "score", .choices = &SCORES},
    {{"top", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "K", .key = "top"},
    {{"loss", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD", .key = "loss",
     .choices = &LOSS_WORDS},
    {{"qk-norm", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .key = "qk_norm", .choices = &QK_NORM_WORDS},
    {{"qk-eps", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "E", .key = "qk_eps"},
    {{"latent-eps", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "E", .key = "latent_eps"},
    {{"positions", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .key = "positions", .choices = &POSITIONS_WORDS},
    {{"rope", "rotary positions: their base (default: 10000)"},
     OPTION_KEY_VALUE, GROUP_MODEL, "BASE",
     .value_is_optional = true, .key = "rope"},
    {{"rope-pairing", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .key = "rope_pairing", .choices = &PAIRING_WORDS},
    {{"rope-width", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N", .key = "rope_width"},
    {{"rope-positions", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N,...", .key = "rope_positions"},
    {{"round", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "N[:keep-sum]", .key = "round"},
    {{"mask-true", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .key = "mask_true", .choices = &MASK_TRUE_WORDS},
    {{"mask-axis", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "WORD",
     .key = "mask_axis", .choices = &MASK_AXIS_WORDS},
    {{"dtype", NULL}, OPTION_KEY_VALUE, GROUP_MODEL, "TYPE",
     .shared = GROUP_CONVERT | GROUP_INIT,
     .key = "dtype", .choices = &DTYPE_WORDS},
    /* output */
    {{"emit", "stages to write (default: weights,output)"}, OPTION_WORDS, GROUP_OUTPUT, "STAGE,...",
     .shared = GROUP_STAGES, .any_in = GROUP_WAYS, .place = AT(emit), .choices = &STAGES},
    {{"output", "write the data to FILE, whole or not at all"}, OPTION_FILE, GROUP_OUTPUT, "FILE",
     .shared = GROUP_INIT | GROUP_STAGES | GROUP_CHECK | GROUP_TRAIN, .file = FILE_WRITTEN,
     .letter = 'o',
     .place = AT(output)},
    {{"format", "format of the data (default: by name, else JSON)"}, OPTION_WORD, GROUP_OUTPUT, "F",
     .shared = GROUP_FILES | GROUP_INIT | GROUP_STAGES | GROUP_CHECK, .place = AT(format),
     .choices = &FORMATS},
    {{"write", "write one stage to a file of its own"}, OPTION_PAIR, GROUP_OUTPUT, "STAGE=FILE",
     .shared = GROUP_STAGES, .any_in = GROUP_WAYS, .file = FILE_WRITTEN, .place = AT(write),
     .choices = &STAGES},
    {{"sync", "wait until files that are written are on the disk"}, OPTION_FLAG, GROUP_OUTPUT,
     .shared = GROUP_CONVERT | GROUP_JOIN | GROUP_INIT | GROUP_STAGES | GROUP_DIFF |
               GROUP_EXAMPLE | GROUP_TRAIN | GROUP_PORT,
     .place = AT(sync)},
    {{"digits", "decimals of every number (default: the shortest)"},
     OPTION_COUNT, GROUP_OUTPUT, "N",
     .shared = GROUP_CONVERT | GROUP_JOIN | GROUP_INIT | GROUP_CHECK | GROUP_STAGES,
     .place = AT(digits), .has = AT(has_digits), .most = NUMBER_MAX_DIGITS},
    {{"csv-safe", "no label in a table is a spreadsheet's formula"}, OPTION_FLAG, GROUP_OUTPUT,
     .shared = GROUP_CONVERT | GROUP_JOIN | GROUP_INIT | GROUP_CHECK | GROUP_STAGES,
     .place = AT(csv_safe)},
    {{"rows", NULL}, OPTION_KEY_VALUE, GROUP_OUTPUT, "A:B,...", .shared = GROUP_CHECK,
     .key = "rows"},
    {{"average-heads", "write weights as their mean over the heads"}, OPTION_FLAG, GROUP_OUTPUT,
     .shared = GROUP_STAGES, .place = AT(average_heads)},
    {{"header", "say in the result what made it, from which inputs"}, OPTION_FLAG, GROUP_OUTPUT,
     .shared = GROUP_STAGES, .place = AT(header)},
    {{"keep-going", "write {\"error\": ...} for a bad document, and go on"},
     OPTION_FLAG, GROUP_OUTPUT, .shared = GROUP_STAGES, .place = AT(keep_going)},
    {{"stream", "documents are the rows of one sequence, a line each"},
     OPTION_FLAG, GROUP_OUTPUT, .place = AT(stream)},
    /* trace */
    {{"trace", "show every step with its numbers, or these steps"},
     OPTION_WORDS, GROUP_TRACE, "STEP,...", .value_is_optional = true, .any_in = GROUP_WAYS,
     .place = AT(steps), .has = AT(trace), .choices = &STEPS, .also = &STAGES},
    {{"trace-format", "how the trace is written; implies --trace"}, OPTION_WORD, GROUP_TRACE, "F",
     .place = AT(trace_format), .has = AT(trace), .choices = &RENDERERS},
    {{"trace-output", "write the trace to FILE; implies --trace"}, OPTION_FILE, GROUP_TRACE, "FILE",
     .file = FILE_WRITTEN, .place = AT(trace_output), .has = AT(trace)},
    {{"focus", "which row, head and batch are spelled out"},
     OPTION_PLACES, GROUP_TRACE, "row=I,head=H", .shared = GROUP_CHECK, .place = AT(focus),
     .choices = &FOCUS_WORDS},
    {{"full", "show large matrices whole"}, OPTION_FLAG, GROUP_TRACE, .shared = GROUP_CHECK,
     .place = AT(full)},
    {{"blank", "leave these steps of a page empty, to be filled in"}, OPTION_WORDS, GROUP_TRACE,
     "STEP,...", .shared = GROUP_CHECK, .any_in = GROUP_WAYS, .place = AT(blank),
     .has = AT(trace), .choices = &STEPS, .also = &STAGES},
    {{"chain", "one page of several documents, one after the other"}, OPTION_FLAG, GROUP_TRACE,
     .place = AT(chain), .has = AT(trace)},
    {{"exam", "a page without hints, and without what is asked for"}, OPTION_FLAG, GROUP_TRACE,
     .place = AT(exam), .has = AT(trace)},
    {{"picture", "draw the weights, a heat map a head, as SVG in FILE"}, OPTION_FILE, GROUP_TRACE,
     "[FILE]", .alone = "-", .shared = GROUP_DIFF, .file = FILE_WRITTEN, .place = AT(picture)},
    {{"sum-keys", "end the picture's rows with what these keys get together"}, OPTION_WORDS,
     GROUP_TRACE, "KEY,...", .place = AT(sum_keys)},
    /* run */
    {{"threads", "threads to use (default: all processors)"}, OPTION_COUNT, GROUP_RUN, "N",
     .shared = GROUP_FILES | GROUP_INIT, .place = AT(threads), .has = AT(has_threads), .least = 1,
     .most = THREADS_MOST},
    {{"isa", "instruction set to use (default: auto)"}, OPTION_WORD, GROUP_RUN, "NAME",
     .place = AT(isa), .choices = &ISAS, .also = &AUTO_WORDS},
    {{"max-memory", "refuse what needs more: 500K, 64M, 2G"}, OPTION_SIZE, GROUP_RUN, "SIZE",
     .shared = GROUP_FILES | GROUP_INIT, .place = AT(max_memory), .has = AT(has_max_memory)},
    {{"force", "do what is refused as too large, or as a loss"}, OPTION_FLAG, GROUP_RUN,
     .shared = GROUP_CONVERT | GROUP_EXAMPLE | GROUP_INIT, .place = AT(force)},
    /* compare */
    {{"tol", "absolute difference that still counts as equal"},
     OPTION_TOLERANCE, GROUP_COMPARE, "[STAGE=]T", .place = AT(tol)},
    /* check */
    {{"actual", "check the stages in RESULT, not what the document expects"},
     OPTION_FILE, GROUP_CHECK, "RESULT", .file = FILE_READ, .place = AT(actual)},
    {{"answers", "mark the answers in FILE, or DIR, to an exercise of --blank"},
     OPTION_FILES, GROUP_CHECK, "FILE", .file = FILE_READ, .place = AT(answers)},
    {{"why", "say which mistake gives the numbers that differ"},
     OPTION_FLAG, GROUP_CHECK, .place = AT(why)},
    {{"differences", "compare gradients with central differences"},
     OPTION_FLAG, GROUP_CHECK, .place = AT(differences)},
    {{"update", "write numbers that differ into the documents"},
     OPTION_FLAG, GROUP_CHECK, .place = AT(update)},
    {{"tap", "write the Test Anything Protocol"}, OPTION_FLAG, GROUP_CHECK, .place = AT(tap)},
    {{"jobs", "check so many files at once"}, OPTION_COUNT, GROUP_CHECK, "N",
     .place = AT(jobs), .has = AT(has_jobs), .least = 1, .most = 256},
    /* help */
    {{"completion", "print completions for a shell"}, OPTION_WORD, GROUP_HELP, "SHELL",
     .place = AT(completion), .choices = &SHELLS},
    /* always */
    {{"quiet", "no notes on standard error"}, OPTION_FLAG, GROUP_ALWAYS, .place = AT(quiet)},
    {{"color", "whether to use colour"}, OPTION_WORD, GROUP_ALWAYS, "W",
     .place = AT(color), .choices = &COLOR_WORDS},
    {{"no-sandbox", "let the system refuse nothing that is not named"}, OPTION_FLAG,
     GROUP_ALWAYS, .place = AT(no_sandbox)},
    {{"help", "print this help, or a command's"}, OPTION_FLAG, GROUP_ALWAYS,
     .letter = 'h', .place = AT(help)},
    {{"version", "print the version and the instruction set"},
     OPTION_FLAG, GROUP_ALWAYS, .letter = 'V', .place = AT(version)},
    /* two results */
    {{"atol", "absolute difference that still counts as equal"}, OPTION_NUMBER, GROUP_DIFF, "T",
     .place = AT(atol), .has = AT(has_atol)},
    {{"rtol", "the same in proportion: |a-b| <= atol + rtol*|b|"}, OPTION_NUMBER, GROUP_DIFF, "T",
     .place = AT(rtol)},
    {{"ulps", "numbers at most N places apart count as equal"}, OPTION_COUNT_64, GROUP_DIFF, "N",
     .place = AT(ulps), .has = AT(has_ulps), .most = UINT64_MAX / 4 + 1},
    {{"equal-nan", "let NaN equal NaN"}, OPTION_FLAG, GROUP_DIFF, .place = AT(equal_nan)},
    {{"ignore", "leave these stages out"}, OPTION_WORDS, GROUP_DIFF, "STAGE,...",
     .place = AT(ignore)},
    {{"summary", "a line a stage, also where all are equal"}, OPTION_FLAG, GROUP_DIFF,
     .place = AT(summary)},
    {{"heat-map", "draw where the first stage differs, and how much"}, OPTION_FLAG, GROUP_DIFF,
     .place = AT(heat_map)},
    /* init */
    {{"width", "numbers in an input row (default: 8)"}, OPTION_COUNT, GROUP_INIT, "N",
     .place = AT(width), .least = 1, .most = 1 << 30},
    {{"head-width", "numbers in a head (default: width / heads)"}, OPTION_COUNT, GROUP_INIT, "N",
     .place = AT(head_width), .least = 1, .most = 1 << 30},
    {{"seed", "what the random numbers begin with (default: 0)"}, OPTION_COUNT_64, GROUP_INIT, "N",
     .shared = GROUP_GENERATE | GROUP_CHECK, .place = AT(seed), .has = AT(has_seed),
     .most = UINT64_MAX},
    {{"rng", "the generator of random numbers (default: own)"}, OPTION_WORD, GROUP_INIT, "RNG",
     .place = AT(rng), .choices = &GENERATORS},
    {{"dist", "the distribution of the numbers (default: scaled)"}, OPTION_WORD, GROUP_INIT,
     "DIST", .place = AT(dist), .choices = &DISTRIBUTIONS},
    {{"dist-of", "the distribution of one matrix"}, OPTION_PAIR, GROUP_INIT, "NAME=DIST",
     .place = AT(dist_of), .choices = &PARTS},
    {{"draw", "matrices to draw, in this order"}, OPTION_WORDS, GROUP_INIT, "NAME,...",
     .place = AT(draw), .choices = &PARTS},
    {{"biases", "draw bq, bk, bv and bo as well, after the others"}, OPTION_FLAG, GROUP_INIT,
     .place = AT(biases)},
    {{"exercise", "make an exercise of small numbers that asks for these steps"},
     OPTION_WORDS, GROUP_INIT, "STEP,...", .any_in = GROUP_WAYS, .place = AT(exercise),
     .choices = &STEPS, .also = &STAGES},
    {{"low", "least number of uniform (0), whole (0), halves (-0.5)"}, OPTION_REAL, GROUP_INIT, "A",
     .place = AT(knobs.value[KNOB_LOW]), .has = AT(knobs.is_set[KNOB_LOW])},
    {{"high", "greatest of uniform (1), whole (2), halves (0.5)"}, OPTION_REAL, GROUP_INIT, "B",
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
     .file = FILE_WRITTEN, .place = AT(all)},
    /* stacks of layers */
    {{"memory", NULL}, OPTION_KEY_FILE, GROUP_STACK, "FILE", .key = "memory"},
    {{"memory-ids", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "N,...", .key = "memory_ids"},
    {{"memory-x", NULL}, OPTION_KEY_FILE, GROUP_STACK, "FILE", .key = "memory_x"},
    {{"memory-mask", NULL}, OPTION_KEY_FILE, GROUP_STACK, "FILE", .key = "memory_mask"},
    {{"ids", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "N,...", .key = "ids"},
    {{"segments", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "N,...", .key = "segments"},
    {{"norm", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "ORDER",
     .key = "norm", .choices = &NORM_ORDERS},
    {{"norm-kind", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "KIND",
     .key = "norm_kind", .choices = &NORM_KINDS},
    {{"norm-eps", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "NUMBER", .key = "norm_eps"},
    {{"activation", NULL}, OPTION_KEY_VALUE, GROUP_STACK, "NAME",
     .key = "activation", .choices = &ACTIVATIONS},
    /* generating */
    {{"length", "how many tokens to generate (default: 16)"}, OPTION_COUNT, GROUP_GENERATE, "N",
     .shared = GROUP_CHECK, .place = AT(generated), .least = 1, .most = 1000000},
    {{"temperature", "draw with the probabilities softmax(logits / T)"},
     OPTION_NUMBER, GROUP_GENERATE, "T", .shared = GROUP_CHECK, .place = AT(temperature),
     .has = AT(has_temperature)},
    {{"logits", "write a JSON object a token, with all logits"},
     OPTION_FLAG, GROUP_GENERATE, .place = AT(logits)},
    {{"stop", "end after this word, or id"}, OPTION_WORD, GROUP_GENERATE, "TOKEN",
     .place = AT(stop)},
    /* training */
    {{"steps", "how many steps to take (default: 1)"}, OPTION_COUNT, GROUP_TRAIN, "N",
     .place = AT(train_steps), .has = AT(has_train_steps), .most = 1000000},
    {{"rate", "how far: each number less rate × gradient (default: 0.1)"},
     OPTION_NUMBER, GROUP_TRAIN, "R", .place = AT(rate), .has = AT(has_rate)},
    {{"only", "matrices that learn (default: all weights and biases)"}, OPTION_WORDS, GROUP_TRAIN,
     "NAME,...", .place = AT(only)},
    {{"losses", "write the loss after each step to FILE, as CSV"}, OPTION_FILE, GROUP_TRAIN,
     "FILE", .file = FILE_WRITTEN, .place = AT(losses)},
    /* a port of a model */
    {{"record", "write what the model makes, for a port's tests"}, OPTION_FILE, GROUP_PORT,
     "FILE", .file = FILE_WRITTEN, .place = AT(record)},
};
/* clang-format on */

const named_table OPTIONS = NAMED_TABLE_ALSO("option", ROWS, KEY_SYNONYMS);

const option_title OPTION_TITLES[] = {
    {GROUP_INPUT, "Input", "FILE may be FILE:NAME, or - for standard input."},
    {GROUP_MODEL, "Model", "--no-KEY removes a key that a document sets: --no-causal."},
    {GROUP_OUTPUT, "Output", NULL},
    {GROUP_STAGES, "Output", NULL},
    {GROUP_TRACE, "Trace", NULL},
    {GROUP_RUN, "Running", NULL},
    {GROUP_STACK, "Layers", NULL},
    {GROUP_GENERATE, "Generating", NULL},
    {GROUP_TRAIN, "Training", NULL},
    {GROUP_COMPARE, "Comparing", NULL},
    {GROUP_CHECK, "Checking", NULL},
    {GROUP_PORT, "A port of a model", NULL},
    {GROUP_DIFF, "Two results", "Without a tolerance, equal means equal."},
    {GROUP_INIT, "Making matrices", NULL},
    {GROUP_EXAMPLE, "Examples", NULL},
    {GROUP_HELP, "Help", NULL},
    {GROUP_FILES, "Files", NULL},
    {GROUP_CONVERT, "Numbers", NULL},
    {GROUP_JOIN, "The whole", NULL},
    {GROUP_ALWAYS, "With every command", NULL},
};
const size_t OPTION_TITLE_COUNT = sizeof OPTION_TITLES / sizeof OPTION_TITLES[0];

const option_row *option_row_at(size_t index)
{
    return &ROWS[index];
}

const text_list *option_list(const options *o, const option_row *row)
{
    bool is_list = row->kind == OPTION_FILES || row->kind == OPTION_WORDS ||
                   row->kind == OPTION_PAIR || row->kind == OPTION_PLACES;
    return is_list ? (const text_list *)(const void *)((const char *)o + row->place) : NULL;
}

const char *option_file(const options *o, const option_row *row)
{
    bool is_one = row->kind == OPTION_FILE;
    return is_one ? *(const char *const *)(const void *)((const char *)o + row->place) : NULL;
}

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
