/* The weights in a bundle under a document: which names of the bundle are which keys (match.c,
 * sources.c), what else it has that would change the result (refused.c), and how what was read
 * comes under the document (apply.c).
 *
 * The names themselves show the attentions that there are: whatever stands before names that one
 * convention calls weights. One attention is the one that has most of them. A layer is what an
 * attention stands in, by a row of LAYER_CONVENTIONS, and layers are what differs by a number; one
 * attention is a layer that has no other part. Then each key has the name that the row gives it,
 * or that --map does. */
#ifndef SELFATTN_WEIGHTS_WEIGHTS_H
#define SELFATTN_WEIGHTS_WEIGHTS_H

#include "weights/conventions.h"

/* A key, and the name that it is read from. */
typedef struct weight_source {
    key_path to;
    const char *name; /* in the bundle; NULL: it is not there, and nothing can do without it */
    char *wanted;     /* what was looked for then; owned */
    bool may_lack;    /* then because it is only there in layer `has`, from 0 */
    size_t has;
    bool is_cut;          /* by the convention of its attention */
    input which;          /* of attention; INPUT_COUNT: none */
    weight_layout layout; /* of what has one of its own; else the convention's */
    size_t mapped;        /* the --map that says so, from 1; 0: none does */
} weight_source;

typedef struct weight_match {
    bool is_alone;           /* one attention, whose keys are those at the top of a document */
    bool is_document;        /* it has "layers", and is read as one: nothing else is found then */
    const char *file;        /* as messages name it; borrowed */
    const text_list *listed; /* borrowed, in the order of the file */
    name_index names;
    char *before; /* layer 3 is all names after "BEFORE3AFTER"; owned */
    char *after;  /* begins and ends with a separator; owned */
    int digits;   /* that a number has at least: 2 of layer.03 */
    bool is_one;  /* a layer without a number: all names after BEFORE */
    size_t count; /* of layers: 0, 1, 2, … */
    const layer_convention *by;
    const convention *attention, *cross; /* NULL: no such names */
    weight_source *source;
    size_t sources, capacity;
    text_list mapped; /* keys that --map gives, as key_path_write writes them */
    text name;        /* room for the one that is looked for */
} weight_match;

/* The attention, or the layers, that --prefix says, or else the only ones. False with the error set
 * where there are none or several, where --map names what is not there, or where what is found are
 * no weights yet. `names` and `file` must outlive the result, which is to be freed in any case. */
bool weights_match(weight_match *m, bool is_alone, const text_list *names, const char *file,
                   const bundle_options *w, err *e);
void weight_match_free(weight_match *m);

/* The names that are used, as the keys of a reader, sorted: memory for as many as there are
 * sources; returns how many. */
size_t weight_match_rows(const weight_match *m, key *rows);

/* The names are the document's own keys. */
bool weight_match_is_own(const weight_match *m);

/* Says that no name is known as that of a weight. Returns false. */
bool weight_match_refuse(const weight_match *m, const char *prefix, err *e);
/* Says what is not there, with the names that are nearest. Returns false. */
bool weight_match_refuse_missing(const weight_match *m, const weight_source *missing, err *e);

/* What each key is read from, where it is known where layers are; `map` is --map's pairs. */
bool weight_sources_find(weight_match *m, const text_list *map, err *e);

/* ---- names that are looked for ---- */

/* The name of a layer that ends so after `way`, "" or "self_attn"; NULL where there is none. What
 * was looked for is in m->name. */
const char *match_name(weight_match *m, size_t layer, const char *way, const char *tail);
/* One of the names, ended with one of the words, in the layer; NULL: there is none, and m->name is
 * the first. */
const char *match_ended(weight_match *m, size_t layer, const char *names, const char *words);
/* What attention reads, by whichever alternative is there; m->name is the first that is not. */
const char *match_weight(weight_match *m, size_t layer, const char *way, const convention *by,
                         input which);
/* One of the names, ended with one of the words, in what the layers are in, or further up where
 * `climbs`; NULL: there is none. */
indexed_name *match_beside(weight_match *m, const char *names, const char *words, bool climbs);

/* Whether a name, which begins as those of layers do, is a layer's; which one's, and where it goes
 * on. */
bool match_layer_of(const weight_match *m, const indexed_name *one, size_t *layer, size_t *within);

/* The key of an attention: `object` is "" or "cross". */
key_path match_path(const weight_match *m, size_t layer, const char *object, const char *key_name);
/* Whether it is --map that says what the key is read from; m->name takes the key. */
bool match_is_mapped(weight_match *m, const key_path *to);

/* Length of the name of what the layers are in, "transformer." of transformer.h.{}. */
size_t match_parent(const weight_match *m);
/* "transformer.h.{}", or of one attention "h.0.attn.", as --prefix takes it. */
void match_write_place(text *out, const weight_match *m);

/* ---- what a bundle has besides the weights that are read, and says that a result without it would
 * be another: names of what is not computed here, and of weights whose numbers are not yet theirs
 * ---- */

/* False, with the error set, where a name next to q_proj.weight says that it is not a weight yet:
 * quantised, or to have an adapter added. Also where there is no q_proj.weight. */
bool unfinished_check(const name_index *names, const char *file, const char *weight, err *e);
/* The same of any name after the prefix, where none is known as that of a weight. */
bool unfinished_check_all(const name_index *names, const char *file, const char *prefix, err *e);
/* "SCB, weight.absmax, …": the names, for help and manual. */
void unfinished_describe(text *out);

/* False with the error set for the first name besides the weights of attention that would change
 * the result, and of which neither --map nor an option nor the document says what is done about it.
 * */
bool refused_check(weight_match *m, const bundle_options *w, const bundle *contents, err *e);

/* False with the error set for the first name of a layer that is not taken, unless it is known to
 * have no part in the result, and for what stands between layers and what is looked up: rows that
 * `contents`, the document, has are not looked up. */
bool leftovers_check(weight_match *m, const bundle *contents, err *e);
/* "inv_freq, position_ids, …": what has no part in any layer, for help and manual. */
void leftovers_describe(text *out);

/* ---- gains ---- */

/* The gains of normalized queries and keys stand next to the weights of a layer. By the names of a
 * convention that has such, they are those of an RMS norm, and the same for all heads.
 *
 * Nothing says that queries and keys stay as they are. `in` is the object of the attention and
 * `top` the document; NULL: there is none. */
bool gains_are_wanted(const bundle_options *w, const bundle *in, const bundle *top);

/* ---- applying ---- */

/* Adds what was read and `contents` lacks, as if a document had it; and, to `note`, what was taken
 * for what, unless the names are the document's own. */
bool weights_apply(weight_match *m, const bundle_options *w, const bundle *read, dtype type,
                   bundle *contents, text *note, err *e);

/* ---- an index of files ---- */

/* The index of a model in several files (model.safetensors.index.json), given as a bundle: by the
 * names that are there. */
bool bundle_index_is(const text_list *names);
/* Says that it is an index, and which file has the weights of the attention, or of the layers, that
 * the options ask for. `read` is all of it. Returns false. */
bool bundle_index_refuse(const bundle *read, const char *file, const bundle_options *w,
                         bool is_of_layers, err *e);

#endif
