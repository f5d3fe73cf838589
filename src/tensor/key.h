/* A key of a document: its name, its help, and what its value must be. Readers are handed a table
 * of these (a named_table of rows that begin with a `key`), so that they refuse what is unknown and
 * read each value as what it is. */
#ifndef SELFATTN_TENSOR_KEY_H
#define SELFATTN_TENSOR_KEY_H

#include "base/named.h"

typedef enum key_kind {
    KEY_MATRIX,   /* numbers in the run's dtype: a tensor; of rank 0 for a single number */
    KEY_BIAS,     /* the same; −inf is allowed */
    KEY_FILLED,   /* a matrix, or a word that says what fills it: a text */
    KEY_MASK,     /* true and false, or 1 and 0: a tensor of DTYPE_BOOL */
    KEY_TRUTHS,   /* true and false only: read as a mask where the key table doesn't ask for one */
    KEY_EXPECTED, /* a float64 matrix computed elsewhere: null is a hole, infinities are allowed */
    KEY_SETTING,  /* a number (a rank-0 float64 tensor), or true, false or a word (a text) */
    KEY_NUMBERS,  /* a setting, or a list of numbers, also an empty one: a float64 tensor */
    KEY_SETTINGS, /* a setting, or an object from names to KEY_NUMBERS: a bundle */
    KEY_TEXT,     /* a text */
    KEY_LIST,     /* a list of texts */
    KEY_STEPS,    /* a list of texts too, about the document and not about its run */
    KEY_VOCAB,    /* an object from any name to a KEY_MATRIX: a bundle */
    KEY_STAGES,   /* an object from any name to a KEY_EXPECTED: a bundle */
    KEY_TOL,     /* a number (a rank-0 float64 tensor), or an object from names to such: a bundle */
    KEY_RECORDS, /* a list of objects of texts and numbers: bundles named "1", "2", … in a bundle */
    KEY_OBJECT, /* an object whose keys are `members`: a bundle */
    KEY_OBJECTS /* a list of such objects: bundles named "1", "2", … in a bundle */
} key_kind;

/* The keys of an object: those of its tables, whose rows begin with a `key`. */
enum { KEY_TABLES = 3 };

typedef struct key_tables {
    const named_table *table[KEY_TABLES]; /* NULL after the last */
} key_tables;

typedef struct key {
    named named;
    key_kind kind;
} key;

/* The type of a row of kind KEY_OBJECT or KEY_OBJECTS, and of each other row of its table. */
typedef struct object_key {
    key key;
    const key_tables *members;
} object_key;

/* The row of this name; the row whose name is nearest in spelling. NULL where there is none. */
const key *key_find(const key_tables *in, const char *name, size_t length);
const named *key_nearest(const key_tables *in, const char *name, size_t length);

#endif
