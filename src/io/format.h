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

/* Names that are not keys, and mean something elsewhere: what an error says of one of them. */
typedef struct elsewhere {
    const named_table *table;
    const char *remedy;
} elsewhere;

/* How a file is to be read. Reading as a document refuses keys that are not in `keys`. With `keys`
 * NULL every name is taken: arrays of numbers as `kind`, arrays of true and false as KEY_TRUTHS,
 * lists of texts, texts and numbers as what they are, objects as bundles by the same rules. Where a
 * file is one matrix without a name (a bare JSON array, a plain CSV), it is read as `kind` and its
 * entry's name is "". A table of no keys and `skipped` give the names in a file without its
 * numbers. */
typedef struct read_options {
    const char *file;        /* for messages; must outlive the bundle */
    size_t first_line;       /* the line at which the bytes begin, from 1 (0 counts as 1): JSONL */
    const named_table *keys; /* rows of `key`, or NULL */
    const key_tables *document_keys; /* in place of `keys` in a JSON document; or NULL */
    /* The only matrix that is wanted. Where a JSON document has none of this name, it is the way to
     * one that is deeper in it (io/json_scan.h). NULL: `keys` say what is wanted. */
    const char *only;
    const key_tables *other_keys; /* that stand elsewhere in such a document; or NULL */
    const elsewhere *elsewhere;   /* after the last a table of NULL; or NULL */
    key_kind kind;
    mapping *map;       /* that the bytes lie in, so that a tensor may share it; or NULL */
    dtype type;         /* DTYPE_F32 or DTYPE_F64 */
    bool type_is_fixed; /* else a document's own "dtype": "f32"|"f64" wins over `type` */
    /* A matrix that is wanted by its key, or as `kind`, may be of true and false instead of
     * numbers, as any is that nobody asked for. */
    bool takes_truths;
    /* `type` is for what has no type of its own (text); a matrix that has one stays what it is, or
     * becomes the narrowest of float32, float64 and bool that holds it. */
    bool keeps_types;
    /* A KEY_MATRIX of narrower floats than `type` (F16, BF16; F32 for float64) stays what it is
     * where it can be used in place. */
    bool keeps_narrow;
    /* What is expected (KEY_EXPECTED) becomes `type` too, where it has none of its own; it is
     * float64 otherwise. */
    bool types_expected;
    /* A matrix that lies in the file as it is wanted is used in place without a look at its
     * values, among which any NaN may be then. */
    bool keeps_bits;
    /* With `keys` NULL: what has no place in a bundle is not passed over. A null becomes a hole of
     * rank 0, metadata an object, and labels of a table's later blocks are refused. */
    bool keeps_all;
    /* With `keys` NULL: lists and texts of JSON that are nothing else that a bundle holds become an
     * ENTRY_JSON, and are not refused; but a matrix with a bad number is. */
    bool keeps_json;
    /* With `keys` NULL: an entry that can't be read among others that may becomes an ENTRY_UNREAD,
     * where it is not damaged. */
    bool keeps_unread;
    /* With `keys` NULL: what is read is a result, in which a row of nothing but "NaN" and "inf" is
     * one of numbers. Elsewhere these may be words. */
    bool is_result;
    /* Where matrices are listed that are used in place, and whose values are looked at later; NULL:
     * they are looked at while they are read. */
    struct unseen *later;
    bool skips_unknown; /* names that are not in `keys` are passed over, not refused */
    text_list *skipped; /* where names that are passed over are listed, or NULL */
    text_list *header;  /* where what made a result is listed, as write_options has it, or NULL */
    struct json_again *again; /* where a JSON text is remembered (io/json_read.h), or NULL */
    bool any_rank; /* matrices have as many axes as a result's may; those of inputs stop earlier */
    bool allow_nonfinite;
    char delimiter;    /* CSV's, 0 = the format's own */
    size_t most_bytes; /* that a packed file may unpack to; 0: any number */
    size_t threads;    /* that may read rows of numbers in text; 0 counts as 1 */
} read_options;

/* A reader passes over a name: it is listed where somebody wants that. */
bool read_skip(const read_options *how, const char *name, size_t length, err *e);
/* How the matrix of this name is to be read, by how->keys. With *is_wanted false, it is passed
 * over. */
bool read_find_kind(const read_options *how, const char *name, size_t length, const place *at,
                    key_kind *kind, bool *is_wanted, err *e);
/* A reader fails with an entry, which holds no value yet: whether that is not an error, since
 * somebody wants to know why it is unread. */
bool read_leaves(const read_options *how, entry *unread, err *e);
/* A reader ends: what is not all of it goes. Returns whether it is. */
bool read_end(bundle *out, bool is_whole);
/* The axes that a matrix of this kind may have. */
int read_most_rank(const read_options *how, key_kind kind);
/* Whether a number of such a matrix may be this, which is not finite: where all are `allowed`, in
 * what is expected, and, of a bias, -inf. */
bool read_takes_nonfinite(key_kind kind, bool allowed, double value);
/* A reader comes to a line of what made the result, perhaps after the space of a comment. */
bool read_header_line(const read_options *how, const char *line, size_t length, err *e);

/* The name that an entry is written under: its own, or `unnamed` where it has none. */
const char *write_name(const entry *one, const char *unnamed);
/* Refuses a matrix without a name next to one that has the name it would get. */
bool write_check_unnamed(const bundle *result, const char *unnamed, err *e);

/* Rows that are computed as a writer comes to them, for a matrix that is too large to be kept. */
typedef struct streamed_rows {
    /* Makes rows of this matrix, from `first` on: as many as *count says then, one at least, of as
     * many as it said before. Any others may be gone, and can be had again. */
    bool (*make)(void *context, const tensor *matrix, size_t first, size_t *count, err *e);
    void *context;
} streamed_rows;

typedef struct write_options {
    int digits;              /* decimals of every number, or −1: the shortest that read back */
    const char *name;        /* the document's own name, or NULL */
    const text_list *header; /* what made the result, a line each; or NULL */
    const bundle *metadata;  /* texts besides the matrices (safetensors), or NULL */
    bool single_line;        /* JSON as one line: JSON Lines */
    bool names_alone;        /* CSV: a matrix alone is a block too, where it has a name */
    char delimiter;          /* CSV's, 0 = the format's own */
    bool csv_safe;           /* CSV: no cell of text is a formula (io/csv_write.h) */
    size_t threads;          /* that may format numbers as text; 0 counts as 1 */
    /* Makes rows before a writer of text reads them; NULL: all are there, as they are for writers
     * of bytes. */
    const streamed_rows *supply;
    /* Of a table for people, words after each of its rows, below "error", where cells may be such;
     * they are not read back. NULL: none. */
    const text_list *errors;
} write_options;

/* What a format can say, and read again as it was. Matrices of numbers every format holds. */
enum {
    HOLDS_MATRICES = 1, /* more than one, each by its name */
    HOLDS_VECTORS = 2,  /* apart from matrices of one row; and numbers from both */
    HOLDS_TRUTH = 4,    /* true and false apart from 1 and 0 */
    HOLDS_HOLES = 8,
    HOLDS_TYPES = 16,     /* float32 and float64 apart */
    HOLDS_LABELS = 32,    /* the lists "rows" and "columns", of the first matrix */
    HOLDS_ALL = 64,       /* any text, list and object, under its name */
    HOLDS_STREAM = 128,   /* one bundle after the other */
    HOLDS_METADATA = 256, /* write_options' name and metadata */
    HOLDS_SUPPLIED = 512, /* rows that write_options' supply makes */
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
/* Either is found when rows look like numbers or labels with the format's delimiter between. What
 * both may be, a column alone, is CSV. */
FORMAT_FUNCTIONS(csv);
FORMAT_FUNCTIONS(tsv);
/* True too when no row decides between the two, so that a file's name does. */
bool csv_may_be(const char *bytes, size_t length);
bool tsv_may_be(const char *bytes, size_t length);
/* Found when the first row is a header of these columns. */
FORMAT_FUNCTIONS(tidy);
/* True too for any other table: one that is called tidy and is not is refused, since its indices
 * would be taken for numbers. */
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
    /* True when the first bytes don't speak against what the name's ending says; NULL: ask
     * `probe`. */
    bool (*may_be)(const char *bytes, size_t length);
    bool is_json;
    bool is_table;      /* its lines are a matrix's rows, of cells */
    bool has_delimiter; /* between cells: `delimiter` of the options names it */
    /* Writes what stands before the elements of its one matrix, where these follow as they lie in
     * memory, so that nobody needs to hold all; else NULL. */
    void (*write_head)(text *to, const tensor *shape);
} format;

extern const named_table FORMATS;
extern const ending_table FORMAT_ENDINGS;

const format *format_by_name(const char *name);
/* By the ending of a file's name; NULL where none fits. */
const format *format_by_ending(const char *file);
/* By the first bytes, then by the ending of the name; of text the ending of a stream says it. NULL
 * with the error set where neither says. */
const format *format_recognise(const char *bytes, size_t length, const char *file, err *e);
/* Refuses the beginning of what may never end, where no reader takes it: bytes with a NUL among
 * them, which text has none of, that are not binary format's. */
bool format_check_block(const char *bytes, size_t length, const char *file, err *e);

/* ---- what a format has a place for: asked before anything is written ---- */

/* What the entry is, where the format has no place for such ("a text"); NULL where it has. */
const char *format_lacks(const format *f, const bundle *b, const entry *one);

/* What is written, but reads back as something else; one of these, or 0. */
typedef enum held_change {
    HELD_AS_IT_IS,
    HELD_AS_ROW,    /* a vector */
    HELD_AS_DIGITS, /* true and false */
    HELD_WIDER,     /* float16, bfloat16 or integers, as the least type that holds them */
    HELD_NAMELESS
} held_change;
held_change format_changes(const format *f, const entry *one);

#endif
