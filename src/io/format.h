/* The table of file formats: how each is recognised, read and written.
 *
 * A reader turns bytes into a bundle, a writer a bundle into bytes; both work on memory, so
 * standard input, files, tests and fuzzers go the same way. A format is a file in this folder, a
 * row in format.c and a paragraph in src/text/formats.txt. */
#ifndef SELFATTN_IO_FORMAT_H
#define SELFATTN_IO_FORMAT_H

#include "base/named.h"
#include "io/sink.h"
#include "tensor/bundle.h"
#include "tensor/key.h"

/* Names that are not keys here but mean something in another place, and what an error advises for
 * one of them. */
typedef struct elsewhere {
    const named_table *table;
    const char *remedy;
} elsewhere;

/* How a file is read.
 *
 * With `keys`, the file is a document: a name that is not a key is an error. With `keys` NULL,
 * every name is taken: numbers in lists as `kind`, true and false in lists as KEY_TRUTHS, texts,
 * lists of texts and single numbers as what they are, objects as bundles by the same rules. A
 * matrix without a name (a bare JSON array, a plain CSV) is read as `kind`; its entry's name is "".
 * To get the names in a file without its numbers, give a table of no keys, and `skipped`. */
typedef struct read_options {
    const char *file;        /* for messages; must outlive the bundle */
    size_t first_line;       /* the line at which the bytes begin, from 1 (0 counts as 1): JSONL */
    const named_table *keys; /* rows of `key`, or NULL */
    const key_tables *document_keys; /* in place of `keys` in a JSON document; or NULL */
    /* The only matrix that is wanted: its name or, in a JSON document without such a name, the way
     * to it (io/json_scan.h). NULL: `keys` say what is wanted. */
    const char *only;
    const key_tables *other_keys; /* keys elsewhere in it, for an error's advice; or NULL */
    const elsewhere *elsewhere;   /* a list that ends with a NULL table; or NULL */
    key_kind kind;
    mapping *map;       /* that the bytes lie in, and that tensors may share; or NULL: they copy */
    dtype type;         /* DTYPE_F32 or DTYPE_F64 */
    bool type_is_fixed; /* else a document's own "dtype": "f32"|"f64" wins over `type` */
    /* A matrix that a key or `kind` asks for may be of true and false instead of numbers. One that
     * nothing asks for always may. */
    bool takes_truths;
    /* `type` is for text alone. A matrix of a binary file keeps its type, or takes the narrowest of
     * float32, float64 and bool that holds it. */
    bool keeps_types;
    /* A KEY_MATRIX of narrower floats than `type` (F16, BF16; F32 for float64), or of floats that
     * are not aligned, keeps its type and is used in place. */
    bool keeps_narrow;
    /* Text that is expected (KEY_EXPECTED) becomes `type` too; otherwise float64. */
    bool types_expected;
    /* A matrix that lies in the file as it is wanted is used in place and not looked at: any NaN
     * may be in it. */
    bool keeps_bits;
    /* With `keys` NULL: nothing is passed over. A null becomes a hole of rank 0, metadata an
     * object; labels of a table's later blocks, which a bundle has no place for, are refused. */
    bool keeps_all;
    /* With `keys` NULL: lists and texts of JSON that a bundle can't hold otherwise become an
     * ENTRY_JSON and are not refused. A matrix with a bad number still is. */
    bool keeps_json;
    /* With `keys` NULL: an entry that can't be read, but is not damaged, becomes an ENTRY_UNREAD,
     * so that the others are read. */
    bool keeps_unread;
    /* With `keys` NULL: the file is a result. There a row of nothing but "NaN" and "inf" is
     * numbers; elsewhere it may be words. */
    bool is_result;
    /* A list for the matrices that are used in place, whose values are looked at later; NULL: they
     * are looked at now. */
    struct unseen *later;
    bool skips_unknown; /* names that are not in `keys` are passed over, not refused */
    text_list *skipped; /* gets the names that are passed over; or NULL */
    text_list *header;  /* gets what made a result, a line each, as in write_options; or NULL */
    struct json_again *again; /* remembers a JSON text for the next (io/json_read.h); or NULL */
    bool any_rank; /* matrices may have as many axes as a result's, which is more than inputs may */
    bool allow_nonfinite;
    char delimiter;    /* CSV's; 0: the format's own */
    size_t most_bytes; /* a packed file may unpack to so many; 0: any number */
    size_t threads;    /* so many may read rows of text at once; 0 counts as 1 */
} read_options;

/* ---- for readers: what the options mean ---- */

/* A name is passed over: lists it in how->skipped. */
bool read_skip(const read_options *how, const char *name, size_t length, err *e);
/* What how->keys say of a matrix of this name: its kind, or with *is_wanted false that it is passed
 * over. Fails for a name that is refused. */
bool read_find_kind(const read_options *how, const char *name, size_t length, const place *at,
                    key_kind *kind, bool *is_wanted, err *e);
/* An entry, which has no value yet, could not be read. With how->keeps_unread it takes the error as
 * its reason, and the reader goes on: true. */
bool read_leaves(const read_options *how, entry *unread, err *e);
/* The reader's last line: frees `out` unless all was read. Returns `is_whole`. */
bool read_end(bundle *out, bool is_whole);
/* How many axes a matrix of this kind may have. */
int read_most_rank(const read_options *how, key_kind kind);
/* Whether a matrix of this kind may hold this number, which is not finite: any may where they are
 * `allowed`, what is expected may, and a bias may hold -inf. */
bool read_takes_nonfinite(key_kind kind, bool allowed, double value);
/* Adds a line of what made the result to how->header, without a space in front of it. */
bool read_header_line(const read_options *how, const char *line, size_t length, err *e);

/* ---- for writers ---- */

/* The name that an entry is written under: its own, or `unnamed` where it has none. */
const char *write_name(const entry *one, const char *unnamed);
/* Refuses a matrix without a name where another entry is called `unnamed`. */
bool write_check_unnamed(const bundle *result, const char *unnamed, err *e);

/* Computes the rows of a matrix that is too large for memory, as a writer comes to them. */
typedef struct streamed_rows {
    /* Makes rows from `first` on: at most *count, at least one; then sets *count to how many. Rows
     * made earlier may be gone then; asking for them makes them again. */
    bool (*make)(void *context, const tensor *matrix, size_t first, size_t *count, err *e);
    void *context;
} streamed_rows;

typedef struct write_options {
    int digits;              /* decimals of every number, or −1: the shortest that read back */
    const char *name;        /* the document's own name, or NULL */
    const text_list *header; /* what made the result, a line each; or NULL */
    const bundle *metadata;  /* safetensors: texts besides the matrices; or NULL */
    bool single_line;        /* JSON on one line, for JSON Lines */
    bool names_alone;        /* CSV: a single matrix is a block too, if it has a name */
    char delimiter;          /* CSV's; 0: the format's own */
    bool csv_safe;           /* CSV: no cell of text is a formula (io/csv_write.h) */
    size_t threads;          /* so many may format numbers at once; 0 counts as 1 */
    /* Makes rows before they are read, for formats that hold HOLDS_SUPPLIED; NULL: all rows are
     * there. */
    const streamed_rows *supply;
    /* CSV: a text for each row, in a last column "error", for people: it is not read back. NULL:
     * there is no such column. */
    const text_list *errors;
} write_options;

/* What a format can write and read back unchanged. All formats can do that with a matrix of
 * numbers. */
enum {
    HOLDS_MATRICES = 1, /* several, each with its name */
    HOLDS_VECTORS = 2,  /* a vector, a number and a matrix of one row stay what they are */
    HOLDS_TRUTH = 4,    /* true and false are not 1 and 0 */
    HOLDS_HOLES = 8,
    HOLDS_TYPES = 16,     /* float32 and float64 stay what they are */
    HOLDS_LABELS = 32,    /* the lists "rows" and "columns", of the first matrix */
    HOLDS_ALL = 64,       /* any text, list and object, under its name */
    HOLDS_STREAM = 128,   /* one bundle after the other */
    HOLDS_METADATA = 256, /* `name` and `metadata` of write_options */
    HOLDS_SUPPLIED = 512, /* its writer asks `supply` of write_options for rows */
    HOLDS_HEADER = 1024   /* what made the result */
};

/* Declares the three functions of a format: npz_probe, npz_read and npz_write. */
#define FORMAT_FUNCTIONS(name)                                                                     \
    bool name##_probe(const char *bytes, size_t length);                                           \
    bool name##_read(const char *bytes, size_t length, const read_options *how, bundle *out,       \
                     err *e);                                                                      \
    bool name##_write(const bundle *result, const write_options *how, sink *out, err *e)

/* Found when the first byte that is not a space opens an object or an array. */
FORMAT_FUNCTIONS(json);
/* True too for a number, a text or a word alone, which may be CSV as well. */
bool json_may_be(const char *bytes, size_t length);
/* Each is found when rows look like numbers or labels with its delimiter between. A single column,
 * which could be either, is CSV. */
FORMAT_FUNCTIONS(csv);
FORMAT_FUNCTIONS(tsv);
/* True too when no row decides between the two: then the file's name does. */
bool csv_may_be(const char *bytes, size_t length);
bool tsv_may_be(const char *bytes, size_t length);
/* Found when the first row is a header of these columns. */
FORMAT_FUNCTIONS(tidy);
/* True too for any other table. So one that is only called tidy is refused as tidy, and its columns
 * of indices are not read as a matrix. */
bool tidy_may_be(const char *bytes, size_t length);
FORMAT_FUNCTIONS(npy);
FORMAT_FUNCTIONS(npz);
/* Appends the header that numpy.save writes for such a tensor, in C order and little-endian. */
void npy_header_write(text *to, const tensor *t);
/* Found when the first eight bytes are a header's length and a '{' follows. The same result gives
 * the same bytes. */
FORMAT_FUNCTIONS(safetensors);
extern const char SAFETENSORS_METADATA[]; /* "__metadata__" */

typedef struct format {
    named named;
    const char *endings; /* ".csv .txt" */
    /* True when the first bytes are this format's and no earlier row's. */
    bool (*probe)(const char *bytes, size_t length);
    /* `out` comes in empty, and is empty again when reading fails. */
    bool (*read)(const char *bytes, size_t length, const read_options *how, bundle *out, err *e);
    /* The result's entries are stages (tensors of float32 or float64) in their order. */
    bool (*write)(const bundle *result, const write_options *how, sink *out, err *e);
    const char *title; /* as people write it: "JSON" */
    unsigned holds;    /* HOLDS_ bits */
    /* True when the first bytes allow what the name's ending says; NULL: `probe` tells. */
    bool (*may_be)(const char *bytes, size_t length);
    bool is_json;
    bool is_table;      /* its lines are a matrix's rows, of cells */
    bool has_delimiter; /* `delimiter` of the options names it */
    /* Writes the bytes in front of its one matrix, whose elements follow as they lie in memory: who
     * has them in parts can write such a file part by part. NULL: the format can't. */
    void (*write_head)(text *to, const tensor *shape);
} format;

extern const named_table FORMATS;
extern const ending_table FORMAT_ENDINGS;

const format *format_by_name(const char *name);
/* By the ending of a file's name; NULL where none fits. */
const format *format_by_ending(const char *file);
/* By the first bytes, then by the ending of the name; a name that ends like a stream decides that
 * text is one. NULL, with the error set, where neither tells. */
const format *format_recognise(const char *bytes, size_t length, const char *file, err *e);
/* Looks at the beginning of a stream, which may never end, and refuses what no reader would take:
 * bytes with a NUL, so not text, of no binary format. */
bool format_check_block(const char *bytes, size_t length, const char *file, err *e);

/* ---- what a format can hold: asked before anything is written ---- */

/* NULL where the format can hold the entry; else what the entry is, for a message: "a text". */
const char *format_lacks(const format *f, const bundle *b, const entry *one);

/* As what an entry reads back that the format holds, but not as it is. */
typedef enum held_change {
    HELD_AS_IT_IS,
    HELD_AS_ROW,    /* a vector as a matrix of one row */
    HELD_AS_DIGITS, /* true and false as 1 and 0 */
    HELD_WIDER,     /* float16, bfloat16 or integers in the narrowest type that holds them */
    HELD_NAMELESS
} held_change;
held_change format_changes(const format *f, const entry *one);

#endif
