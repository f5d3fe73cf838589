/* Names in a bundle: one of many thousands found at once, those nearest to one that is not there,
 * and the way that a name says to a key of a document. */
#ifndef SELFATTN_WEIGHTS_NAMES_H
#define SELFATTN_WEIGHTS_NAMES_H

#include "tensor/bundle.h"
#include "tensor/key.h"
#include "weights/model_config.h"

/* ---- name index ---- */

/* The names in a bundle in their order, so that one of many thousands is found at once. A / is a
 * point here, and a variable's :0 at the end is not a part of a name. */

typedef struct indexed_name {
    const char *name; /* borrowed */
    size_t length;    /* without :0 */
    bool is_taken;    /* something is read from it */
    size_t left_out;  /* the last --map that leaves it out, from 1; 0: none does */
} indexed_name;

typedef struct name_index {
    indexed_name *item;
    size_t count, capacity;
} name_index;

/* All names of the list, in order. */
bool name_index_make(name_index *x, const text_list *names, err *e);
/* One more, and then the order again. */
bool name_index_add(name_index *x, indexed_name one, err *e);
void name_index_sort(name_index *x);
void name_index_free(name_index *x);

/* NULL: there is none. */
indexed_name *name_index_find(const name_index *x, const char *name);

/* Those that begin so stand one after the other from here on; `count` where none does. */
size_t name_index_first(const name_index *x, const char *beginning, size_t length);
bool name_begins(const indexed_name *one, const char *beginning, size_t length);

bool name_is_separator(char c);

/* True when the name is some layer's and then `tail`; *layer is the length of the former, which is
 * empty or ends with a separator. */
bool name_ends(const indexed_name *one, const char *tail, size_t *layer);

/* The n-th of several names with spaces between, from 0; false after the last, and of NULL. */
enum { NAME_MOST = 64 };
bool name_alternative(const char *names, size_t n, char out[NAME_MOST]);

/* Whether it is one of several names with spaces between. */
bool name_is_one_of(const char *names, const char *one);

/* ---- nearest names ---- */

/* Names that look most like one that is not there, for the second line of an error. */

enum { NEAREST_MOST = 3 };

/* To be filled by looking at all names, one after the other; begins with `wanted` alone. */
typedef struct nearest_names {
    const char *wanted;
    const char *name[NEAREST_MOST]; /* the nearest first; borrowed */
    size_t distance[NEAREST_MOST], count;
} nearest_names;

void nearest_names_look(nearest_names *n, const char *name);

/* "nearest: a, b and c; INSTEAD", or either of them alone. */
void nearest_names_suggest(const nearest_names *n, const char *instead, err *e);

/* ---- layer path ---- */

/* The way to a key of a document of layers, as names in a bundle and --map write it:
 * layers.0.cross.wq, layers.0.experts.2.w1, ln_f.gain, head.norm.gain, embedding. */

typedef struct key_path {
    bool is_in_layer;
    size_t layer;      /* from 0 */
    const key *object; /* ln1, cross, ln_f …; NULL: it is no object's */
    const key *inner;  /* an object in that: the norm of head; NULL: it is in none */
    size_t item;       /* of an object that stands in a list: experts.2; from 0 */
    const key *key;
} key_path;

/* False where there is no such key; a / may stand for each point. */
bool key_path_read(key_path *p, const char *way, size_t length);

/* The same after a layer's name: "cross.wq". */
bool key_path_read_within(key_path *p, size_t layer, const char *way, size_t length);

/* The object that has the key, or NULL where it is not there. */
const bundle *key_path_find(const key_path *p, const bundle *document);

/* The same, made where it is not there. NULL with the error set when there is no memory. */
bundle *key_path_make(const key_path *p, bundle *document, place at, err *e);

/* "layers.0.cross.wq", and the object alone, "layers.0.cross". */
void key_path_write(text *out, const key_path *p);
void key_path_write_object(text *out, const key_path *p);

/* ---- what is said about the weights in a bundle, besides the bundle and the document ---- */

/* Borrows all but `removed`, which its maker owns; what it borrows lasts as long as the command
 * line. */
typedef struct bundle_options {
    const char *prefix; /* where the layer is, or the layers, with {}; "" where nobody says it */
    const char *as;     /* "encoder" or "decoder", of layers; NULL: where nothing says it */
    const char *layout; /* "in-out" or "out-in"; NULL: the names tell */
    size_t generated;   /* tokens that a generation adds to the rows; 0: it is none */
    text_list map;      /* NAME=KEY */
    text_list removed;  /* keys that are to be left out */
    const model_config *config; /* of the model that they are of; NULL: none is there */
} bundle_options;

static inline bool bundle_options_remove(const bundle_options *w, const char *key_name)
{
    return text_list_find(&w->removed, key_name) != NULL;
}

/* An option or the document gives the key, or the option leaves it out. `in` and `top` are the
 * objects that may have it; NULL: there is none. */
static inline bool bundle_options_decide(const bundle_options *w, const bundle *in,
                                         const bundle *top, const char *key_name)
{
    return bundle_options_remove(w, key_name) ||
           (in != NULL && bundle_find(in, key_name) != NULL) ||
           (top != NULL && bundle_find(top, key_name) != NULL);
}

#endif
