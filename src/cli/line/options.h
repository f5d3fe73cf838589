/* The option table, the single source of parsing, `--help`, the manual's OPTIONS and the shells'
 * completions; and what a parsed command line is. A new option is one row in options.c and, unless
 * it sets a key of the document, a field below. */
#ifndef SELFATTN_CLI_LINE_OPTIONS_H
#define SELFATTN_CLI_LINE_OPTIONS_H

#include "base/err.h"
#include "base/named.h"
#include "cli/line/env.h"
#include "random/distribution.h"
#include "tensor/bundle.h"
#include "tensor/key.h"

/* What an option's value is, and what becomes of it at `place`. Where a row has `choices` (or
 * `also`), words are among them. */
typedef enum option_kind {
    OPTION_FLAG,      /* bool, set to true: takes no value */
    OPTION_WORD,      /* const char * */
    OPTION_FILE,      /* const char * */
    OPTION_FILES,     /* text_list: one, repeatable */
    OPTION_COUNT,     /* size_t, from `least` to `most` */
    OPTION_COUNT_64,  /* uint64_t, likewise */
    OPTION_SIZE,      /* size_t: 500K, 64M, 2G, or bytes */
    OPTION_NUMBER,    /* double, not below 0 */
    OPTION_TOLERANCE, /* the same; or NAME=T, a number of options.tols, repeatable */
    OPTION_REAL,      /* double, of either sign */
    OPTION_CHARACTER, /* const char *, a string of one character; "tab" is given as one */
    OPTION_WORDS,     /* text_list: comma-separated words, repeatable */
    OPTION_PAIR,      /* text_list: one NAME=VALUE, repeatable; NAME is the word */
    OPTION_PLACES,    /* text_list: comma-separated NAME=N, N from 1; NAME is the word */
    OPTION_KEY_FILE,  /* a matrix of the document: FILE, FILE:NAME or - */
    OPTION_KEY_VALUE, /* a setting of the document: a word or a number, judged as in a document */
    OPTION_KEY_LIST   /* a list of the document: comma-separated, or @FILE with one a line */
} option_kind;

/* What becomes of the files that an option names: FILE, or of a pair what is after its =. Of a
 * matrix or list of the document the kind says it. */
typedef enum file_use { FILE_NONE, FILE_READ, FILE_WRITTEN } file_use;

/* Groups, in the order of the help; a command says which it takes. */
typedef enum option_group {
    GROUP_INPUT = 1,
    GROUP_MODEL = 2,
    GROUP_OUTPUT = 4,
    GROUP_TRACE = 8,
    GROUP_RUN = 16,
    GROUP_COMPARE = 32,      /* --tol */
    GROUP_CHECK = 64,        /* of check alone, and shared by rows of other groups */
    GROUP_HELP = 128,        /* --completion */
    GROUP_ALWAYS = 256,      /* --help, --version, --quiet, --color */
    GROUP_ANY_WORD = 512,    /* no option's: others are operands to the command (`help --causal`) */
    GROUP_FILES = 1024,      /* of any file read or written: shared by rows of other groups */
    GROUP_CONVERT = 2048,    /* of numbers that become another file's: shared as well */
    GROUP_DIFF = 4096,       /* of two results that are compared */
    GROUP_INIT = 8192,       /* --seed, and what sizes and names share with others */
    GROUP_EXAMPLE = 16384,   /* --all */
    GROUP_STACK = 32768,     /* of layers */
    GROUP_STAGES = 65536,    /* of stages of a generation: shared by rows of other groups */
    GROUP_GENERATE = 131072, /* --length */
    GROUP_TRAIN = 1048576,   /* --steps */
    GROUP_PORT = 2097152,    /* --record */
    GROUP_JOIN = 524288,     /* of rows that are put together: shared by rows of other groups */
    GROUP_WAYS = 262144      /* no option is of it: any word may be the way to a layer's stage */
} option_group;

typedef struct option_row {
    named named; /* the long name; its help, or NULL: the help of its key */
    option_kind kind;
    option_group group;
    const char *metavar;        /* "FILE" in help */
    bool value_is_optional;     /* given after = only; else a flag takes none, others need one */
    const char *alone;          /* the value where none follows, or NULL: then one must */
    file_use file;              /* what it names is */
    char letter;                /* short name, 0 = none */
    size_t place;               /* offset in struct options; unused by keys */
    size_t has;                 /* offset of a bool in struct options that is set too; 0 = none */
    uint64_t least, most;       /* bounds of a count */
    const char *key;            /* the document's key that it sets, or NULL */
    const named_table *choices; /* the table that implements the words, or NULL */
    const named_table *also;    /* a second table whose names are taken too, or NULL */
    unsigned shared; /* a second group, for commands that don't take all of the first; or 0 */
    unsigned any_in; /* groups of commands that take words of no table here, and judge them; or 0:
                      * else so are words with . or *, which lead through layers */
} option_row;

extern const named_table OPTIONS;

/* A group's heading, and what is to be said about all of it. */
typedef struct option_title {
    option_group group;
    const char *title, *note; /* note: NULL where there is none */
} option_title;

extern const option_title OPTION_TITLES[]; /* in the order of the help */
extern const size_t OPTION_TITLE_COUNT;

/* A key of the document that the command line gives or (--no-KEY) removes: one entry a key, the
 * last one said. Its value is borrowed from argv, "true" for an option without its optional value,
 * NULL where the key is removed. */
typedef struct given_key {
    const option_row *row;
    const char *value;
} given_key;

typedef struct options {
    const char **operand;
    size_t operands;
    int argc; /* the arguments as they were given, the command's name apart */
    char **argv;
    given_key *given;
    size_t given_count, given_capacity;
    /* input */
    const char *bundle, *model, *prefix, *input_format, *delimiter;
    text_list map; /* NAME=KEY */
    bool allow_nonfinite;
    /* output */
    text_list emit;
    const char *output, *format;
    bool sync;
    text_list write; /* STAGE=FILE */
    size_t digits;
    bool has_digits, average_heads, header, keep_going, stream;
    /* trace */
    bool trace;
    text_list steps;
    const char *trace_format, *trace_output;
    text_list focus; /* row=I, head=H, batch=B */
    bool full;
    text_list blank; /* steps */
    bool exam;
    bool chain;
    const char *picture;
    text_list sum_keys;
    /* run */
    size_t threads, max_memory; /* without --threads and --max-memory, cli.c says them */
    const char *isa, *color;    /* NULL or "auto": the program chooses */
    bool has_threads, has_max_memory, force, csv_safe, quiet, no_sandbox, help, version;
    /* compare */
    double tol, atol, rtol;
    bundle tols; /* what was said last of each name */
    text_list ignore;
    uint64_t ulps;
    bool has_tol, has_atol, has_ulps, equal_nan, summary, heat_map;
    /* check */
    text_list answers;  /* files and folders of those to be marked, to exercises */
    const char *actual; /* a result to be checked; NULL: what the documents expect */
    size_t jobs;
    bool why, differences, tap, update, has_jobs;
    /* port */
    const char *record;
    /* init */
    size_t width, head_width; /* 0 where they are not given */
    uint64_t seed;
    bool has_seed;
    const char *dist, *rng, *fan;
    text_list dist_of, draw, exercise; /* NAME=DIST; names; steps */
    knobs knobs;
    bool biases;
    /* example */
    const char *all;
    /* generate */
    size_t generated;
    double temperature;
    bool has_temperature, logits;
    const char *stop;
    /* train */
    size_t train_steps;
    double rate;
    bool has_train_steps, has_rate;
    text_list only;
    const char *losses;
    /* help */
    const char *completion;
} options;

/* The words, pairs or files that were given for a row that takes any number of them; NULL: it takes
 * one. */
const text_list *option_list(const options *o, const option_row *row);
/* The file of a row that takes one: NULL where none was given. */
const char *option_file(const options *o, const option_row *row);

const option_row *option_row_at(size_t index);

/* The help text of a row: its own, or its key's. */
const char *option_help(const option_row *row);
/* Below which of `groups`' headings the row stands: its own where that is among them; 0 where it
 * belongs to none of them. */
unsigned option_heading(const option_row *row, unsigned groups);

/* The row of a long name, of a letter, or of the document's key that it sets; NULL where there is
 * none. */
const option_row *option_by_name(const char *name, size_t length);
const option_row *option_by_letter(char letter);
const option_row *option_by_key(const char *key_name, size_t length);

#endif
