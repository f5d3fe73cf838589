/* An ordered set of named things: what a document, a file of matrices, a command line and a result
 * all are.
 *
 * An entry is a tensor (a number is a tensor of rank 0, always float64), a text, a list of texts,
 * or a bundle again (the stages under "expected", the words under "vocab"). Each remembers where it
 * was read, for messages. A bundle owns its entries, and what they hold unless they borrow it. An
 * entry that was found stays in its place until the next one is added. */
#ifndef SELFATTN_TENSOR_BUNDLE_H
#define SELFATTN_TENSOR_BUNDLE_H

#include "tensor/tensor.h"

#include <stdint.h>

typedef enum entry_kind {
    ENTRY_TENSOR,
    ENTRY_TEXT,
    ENTRY_LIST,
    ENTRY_BUNDLE,
    /* Only a reader that is asked to keep all makes these; their text is not the document's: */
    ENTRY_JSON,  /* a value that is none of the above, as JSON on one line */
    ENTRY_UNREAD /* a file has it, and no reader: why */
} entry_kind;

/* Where each of many names is: a hash table of 1 + index, 0 = free. */
typedef struct name_slots {
    size_t *slot;
    size_t slots;
} name_slots;

typedef struct text_list {
    char **item; /* each NUL-terminated and owned */
    size_t count, capacity;
    name_slots index; /* empty unless text_list_index asked for it */
} text_list;

/* How a matrix of weights is kept, if its reader knows: for x·W or for W·x. */
typedef enum weight_layout { LAYOUT_UNSAID, LAYOUT_IN_OUT, LAYOUT_OUT_IN } weight_layout;

typedef struct bundle bundle;

typedef struct entry {
    char *name; /* owned */
    place at;   /* where the value begins; `file` is borrowed from the reader */
    entry_kind kind;
    weight_layout layout;
    bool borrows;   /* text, list or bundle is another entry's; a tensor has a mark of its own */
    bool stays;     /* it outlives the documents that borrow it, and serves many */
    bool is_marked; /* by a command, which looks for it later */
    bool is_list;   /* of a bundle: it stands for a list, whose entries are named "1", "2", … */
    bool has_unprinted; /* of a tensor: holes are numbers that were not printed, not missing ones */
    union {             /* by kind; files may hold many small ones */
        tensor tensor;
        char *text;
        text_list list;
        bundle *bundle;
    };
    /* The tensor's axes as letters, such as "bhqk": its leading b and h say which of the first axes
     * are batch and head. NULL: by rank, where 3 has heads and 4 has a batch and heads.
     * Borrowed. */
    const char *axes;
    const char *stored; /* its element type as the file names it: "<f2"; NULL: text. Borrowed. */
} entry;

struct bundle {
    entry *entry;
    size_t count, capacity;
    name_slots index; /* empty while entries are few */
    uint64_t marks;   /* a bit for each name that was added */
};

/* Adds an empty entry, to be filled, under a name that the bundle does not hold yet. NULL with the
 * error set when memory runs out. The name is copied. */
entry *bundle_add(bundle *b, const char *name, size_t length, place at, err *e);

/* These add a filled entry. The tensor is taken (its data moves into the bundle), also when adding
 * fails. */
bool bundle_add_tensor(bundle *b, const char *name, tensor *t, place at, err *e);
/* Adds a copy of the tensor; adds nothing if it has no data. */
bool bundle_add_copy(bundle *b, const char *name, const tensor *of, place at, err *e);
bool bundle_add_number(bundle *b, const char *name, double value, place at, err *e);
bool bundle_add_text(bundle *b, const char *name, const char *value, size_t length, place at,
                     err *e);
bool bundle_add_list(bundle *b, const char *name, const text_list *items, place at, err *e);

/* The letters of its last axes, so many; NULL where they are not known. */
const char *entry_last_axes(const entry *of, int count);

entry *bundle_find(const bundle *b, const char *name);
entry *bundle_find_bytes(const bundle *b, const char *name, size_t length);
/* The entry of the first of these names that is there. */
entry *bundle_find_first(const bundle *b, const char *const *names, size_t count);
/* The tensor, text or list of this name, or NULL where there is none or the entry is something
 * else. */
const tensor *bundle_tensor(const bundle *b, const char *name);
const char *bundle_text(const bundle *b, const char *name);
const text_list *bundle_list(const bundle *b, const char *name);

/* Adds an entry with another one's value, which must outlive it; only the name is copied. NULL with
 * the error set when memory runs out. */
entry *bundle_borrow(bundle *to, const char *name, const entry *from, err *e);

/* The same for all entries of another bundle. */
bool bundle_borrow_all(bundle *to, const bundle *from, err *e);

/* Marks all entries as staying for many documents, and so what is borrowed from them later. */
void bundle_set_stays(bundle *b);

/* Moves an entry's value here, under `name`, in place of what was there. `from` stays, empty. */
bool bundle_take(bundle *to, const char *name, entry *from, err *e);

bool bundle_remove(bundle *b, const char *name);

/* Whether weights are kept out-in; `unsaid` is the answer where their reader did not know. */
bool entry_is_out_in(const entry *weight, bool unsaid);

bool text_list_add(text_list *list, const char *item, size_t length, err *e);
bool text_list_add_all(text_list *list, const text_list *more, err *e);
/* From now on items are found by a hash table, later ones too: for lists that may be long. */
bool text_list_index(text_list *list, err *e);
/* The first such item in the list, or NULL where it is not there. */
const char *text_list_find(const text_list *list, const char *item);
void text_list_free(text_list *list);

void entry_free(entry *one);
void bundle_free(bundle *b);

#endif
